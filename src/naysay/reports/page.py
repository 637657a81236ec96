"""One page of HTML in one file: it opens offline, and runs no script but its own.

`page(title, sections)` is all that another command needs to make one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from naysay.core import VERSION
from naysay.core.errors import NaysayError
from naysay.reports.sections import (
    Chart,
    Examples,
    Part,
    Scoreboard,
    Section,
    ShownSide,
    charts_in,
)
from naysay.reports.vega import DASHES

_ASSETS = Path(__file__).parent / "assets"
_COLOURS = 8
_HEAD = 2000  # bytes, up to the page's style
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
    environment = page_environment()
    from markupsafe import Markup

    context = parts_context(sections)
    script, library = page_asset("page.js"), charting_library() if context["charts"] else ""
    hashes = " ".join(f"'sha256-{_hash(code)}'" for code in (library, script) if code)
    # Only these two scripts run, whatever else might find its way into the page.
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    html: str = environment.get_template("page.html").render(
        title=title,
        lead=lead,
        policy=policy,
        version=VERSION,
        css=Markup(page_asset("page.css")),
        script=Markup(script),
        library=Markup(library),
        **context,
    )
    return html.lstrip()


def parts_context(sections: Sequence[Section]) -> dict[str, Any]:
    """What `parts.html` needs to draw these sections, and the page's charts for its script."""
    from markupsafe import Markup

    charts, order = charts_in(sections), _order(sections)
    listed = [{"id": chart.name, "spec": chart.spec} for chart in charts]
    return {
        "sections": list(sections),
        "anchors": _anchors(sections),
        "order": order,
        "real": len(order) - len(_greyed(sections)),
        "charts": Markup(_in_script(listed)) if charts else "",
        "icons": _ICONS,
        "signs": _SIGNS,
        "colours": _COLOURS,
        "dashes": [" ".join(map(str, dash)) for dash in DASHES],
    }


def is_page(path: Path) -> bool:
    """Whether a file is a page that naysay wrote, by what it says at its beginning."""
    try:
        with path.open("rb") as file:
            return b'<meta name="generator" content="naysay ' in file.read(_HEAD)
    except OSError:
        return False


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


def page_environment(*folders: Path) -> Any:
    """The environment of templates: the report's, after those of other folders."""
    try:
        import jinja2
    except ImportError as error:
        raise missing_library(error) from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, _ASSETS]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "kind": lambda part: type(part).__name__,
        "identity": id,
        "filled": _filled,
        "explained": _explained,
        "unknown": _unknown,
    }
    return environment


def _unknown(part: Part) -> str:
    """Fail where the template lacks a kind of part, so that none is left out silently."""
    raise TypeError(f"page.html does not draw {type(part).__name__}")


def _filled(side: ShownSide, *, arrow: bool = False) -> Any:
    """The text with the model's word in its blank; read aloud, an empty one is called a blank.

    A text without a blank is followed by the answer, after an arrow, if that is wanted.
    """
    from markupsafe import Markup, escape

    empty = Markup('<span class="blank" role="img" aria-label="blank">▢</span>')
    kind = "good" if side.good else "bad" if side.good is False else ""
    said = Markup('<b class="said {}">{}</b>').format(kind, side.answer)
    if "▢" in side.text:
        return (said if side.answer else empty).join(map(escape, side.text.split("▢")))
    text = escape(side.text)
    if not arrow or not side.answer:
        return text
    return text + Markup(' <span class="arrow" role="img" aria-label="answer">→</span> ') + said


def _explained(text: str, meanings: Mapping[str, str]) -> Any:
    """The text with each of the papers' labels explained where one points at it.

    Labels of one letter are left as they are, since "A" may be a word.
    """
    from markupsafe import Markup, escape

    labels = sorted((label for label in meanings if len(label) > 1), key=len, reverse=True)
    if not labels:
        return escape(text)
    found = re.split(rf"(?<!\w)({'|'.join(map(re.escape, labels))})(?!\w)", text)
    return Markup("").join(
        Markup('<abbr title="{}">{}</abbr>').format(meanings[part], part) if k % 2 else escape(part)
        for k, part in enumerate(found)
    )


@cache
def page_asset(name: str) -> str:
    """The text of a file that every page has: its style, or its script."""
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
    taken: set[str] = {"content", "charts", "theme"} | {c.name for c in charts_in(sections)}

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
                names = [row.model for row in (*part.rows, *part.controls)]
            elif isinstance(part, Chart | Examples):
                names = part.models
            for name in names:
                found.setdefault(name, len(found))
            if isinstance(part, Section) or hasattr(part, "parts"):
                visit(part.parts)

    visit(list(sections))
    return found


def _greyed(sections: Sequence[Section]) -> set[str]:
    """The controls, which are shown in grey beside real models; they come after these."""
    parts = (part for section in sections for part in section.parts)
    boards = (part for part in parts if isinstance(part, Scoreboard))
    return {row.model for board in boards for row in board.controls}
