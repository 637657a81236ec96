"""One page of HTML in one file: it opens offline, and runs no script but its own.

`page(title, sections)` is all that another command needs to make one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from naysay.core import VERSION
from naysay.core.errors import NaysayError
from naysay.reports.sections import Chart, Examples, Part, Scoreboard, Section, charts_in
from naysay.reports.vega import DASHES

_ASSETS = Path(__file__).parent / "assets"
_COLOURS = 8
_ICONS = {
    "passes": "M2.5 8.5l3.5 3.5 7-8",
    "passes in part": "M2 9l3 3 5.500-7M10.500 12h4",
    "fails": "M3.5 3.5l9 9M12.5 3.5l-9 9",
    "no effect": "M3 5.500h10M3 10.500h10",
    "undecided": "M2.5 9c2-4 4-4 5.5-1.500s3.500 2.500 5.500-1.500",
    "not measured": "M3 8h10",
}
_SIGNS = (
    "M6 1a5 5 0 1 0 0 10a5 5 0 1 0 0-10z",
    "M1.500 1.500h9v9h-9z",
    "M6 1l5.500 9.500h-11z",
    "M6 0l6 6-6 6-6-6z",
    "M4 0h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    "M6 11l5.500-9.500h-11z",
    "M11 6l-9.500 5.500v-11z",
)
"""The models' signs, in the order of `vega.SHAPES`."""


class MissingReportLibraryError(NaysayError):
    """A library for pages and pictures is not installed."""


def page(title: str, sections: Sequence[Section], *, lead: str = "") -> str:
    """The page as one string of HTML."""
    environment = _environment()
    from markupsafe import Markup

    charts = charts_in(list(sections))
    script, library = _asset("page.js"), charting_library() if charts else ""
    hashes = " ".join(f"'sha256-{_hash(code)}'" for code in (library, script) if code)
    # Only these two scripts run, whatever else might find its way into the page.
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    html: str = environment.get_template("page.html").render(
        title=title,
        lead=lead,
        sections=list(sections),
        anchors=_anchors(sections),
        order=_order(sections),
        policy=policy,
        version=VERSION,
        css=Markup(_asset("page.css")),
        script=Markup(script),
        library=Markup(library),
        charts=Markup(_in_script([{"id": c.name, "spec": c.spec} for c in charts])),
        icons=_ICONS,
        signs=_SIGNS,
        colours=_COLOURS,
        dashes=[" ".join(map(str, dash)) for dash in DASHES],
    )
    return html.lstrip()


@cache
def charting_library() -> str:
    """Vega with all that it needs, as one script that may stand in a page."""
    try:
        import vl_convert
    except ImportError as error:
        raise missing_library(error) from error
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return re.sub(r"</(script)", r"<\\/\1", bundle, flags=re.IGNORECASE).replace("<!--", "<\\!--")


def missing_library(error: ImportError) -> MissingReportLibraryError:
    """The error for a missing library."""
    return MissingReportLibraryError(
        f"HTML pages and pictures of charts need {error.name}, which is not installed: "
        "pip install 'naysay[report]'. Markdown, LaTeX, CSV and Parquet do without."
    )


def _environment() -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise missing_library(error) from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_ASSETS),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "kind": lambda part: type(part).__name__,
        "identity": id,
        "blanked": _blanked,
        "unknown": _unknown,
    }
    return environment


def _unknown(part: Part) -> str:
    """Fail where the template lacks a kind of part, so that none is left out silently."""
    raise TypeError(f"page.html does not draw {type(part).__name__}")


def _blanked(text: str) -> Any:
    """The text with its blank drawn as a line; read aloud, it is called a blank."""
    from markupsafe import Markup, escape

    blank = Markup('<span class="blank" role="img" aria-label="blank">▢</span>')
    return blank.join(map(escape, text.split("▢")))


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _hash(code: str) -> str:
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()


def _in_script(value: Any) -> str:
    """JSON that cannot end the script it stands in: plain ASCII, and no `<`."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _anchors(sections: Sequence[Section]) -> dict[int, str]:
    """The anchors of all sections, each unique."""
    found: dict[int, str] = {}
    taken: set[str] = {"content", "charts", "theme"} | {c.name for c in charts_in(list(sections))}

    def visit(parts: Sequence[Part]) -> None:
        for part in parts:
            if isinstance(part, Section):
                plain = re.sub(r"[^a-z0-9_]+", "-", part.title.lower()).strip("-") or "section"
                anchor = wanted = part.anchor or plain
                count = 1
                while anchor in taken:
                    count += 1
                    anchor = f"{wanted}-{count}"
                taken.add(anchor)
                found[id(part)] = anchor
                visit(part.parts)

    visit(list(sections))
    return found


def _order(sections: Sequence[Section]) -> dict[str, int]:
    """The models' places, which give them their colours and signs everywhere in the page."""
    found: dict[str, int] = {}

    def visit(parts: Sequence[Part]) -> None:
        for part in parts:
            names: Sequence[str] = ()
            if isinstance(part, Scoreboard):
                names = [model for model, _, _ in part.rows]
            elif isinstance(part, Chart | Examples):
                names = part.models
            for name in names:
                found.setdefault(name, len(found))
            if isinstance(part, Section) or hasattr(part, "parts"):
                visit(part.parts)

    visit(list(sections))
    return found
