"""Make the pictures, tables and figures that the docs show of runs.

Usage: python scripts/docs.py [--check] [--run]

`docs.toml` says what is made of which run. The runs' rows are in docs/results, so that everything
can be made again without the models, by the rules of today:

- pictures of the terminal are drawn as files;
- the picture of a page is taken by Chromium where that is installed; the words on it and a hash
  of the page's style are kept beside the rows, so that a picture of other ones is noticed;
- a table stands in a page between `<!-- made: NAME -->` and `<!-- end -->`, and is replaced;
- sentences with figures are compared with the pages; who changes a figure has to read them;
- tables called `bench NAME` are those of docs/results/bench.json, which `make benchmark` writes;
  `bench-OTHER NAME` of a report bench-OTHER.json beside it, of another machine.

`--check` writes nothing, and fails if anything is stale. `--run` asks the models again first.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from naysay import Evaluation, judge
from naysay.bench.results import BenchReport, read_report
from naysay.bench.tables import in_docs
from naysay.core.numbers import plain_number
from naysay.core.records import Estimate
from naysay.models.files.wheels import WHEELS, get
from naysay.reports.html import html
from naysay.reports.markdown import plain_table
from naysay.reports.tables import TextTable, number
from naysay.reports.terminal import summarise

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
WANTED: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
_MADE = re.compile(r"(<!-- made: (.+?) -->\n)(.*?)(<!-- end -->)", re.S)
_FIGURE = re.compile(r"\{([^{}:]+?)( low| high)?:([^{}]+)\}")
_KEPT = ("manifest.json", "*-fit.json", "*-examples.json", "*/*.parquet")
_SCREEN = "1280,705"
_COLUMNS = 80


def main() -> None:
    """Make everything, or check it."""
    options = set(sys.argv[1:])
    if unknown := options - {"--check", "--run"}:
        sys.exit(f"{', '.join(sorted(unknown))}: unknown\n\n{__doc__}")
    if "--run" in options:
        for name, command in WANTED["run"].items():
            ask(name, command)
    for name in WANTED["run"]:
        if not is_stored(name):
            print(f"left alone, since docs/results has no rows: {name} (make docs RUN=1)")
    stale = list(made(write="--check" not in options))
    for line in stale:
        print(line)
    wrong = list(untrue_texts())
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong or ("--check" in options and stale):
        sys.exit("stale: run make docs, and read the sentences that are named above")


def ask(name: str, command: str) -> None:
    """Run a command in this folder, which resumes it if need be, and keep the run's rows."""
    words = shlex.split(command)
    if (model := words[words.index("-m") + 1]) in WHEELS:
        get(model)
    ran = subprocess.run(
        [sys.executable, "-m", *words, "--json"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    keep(ROOT / json.loads(ran.stdout)["folder"], folder_of(name))


def keep(run: Path, folder: Path) -> None:
    """Copy what judging needs of a run."""
    shutil.rmtree(folder, ignore_errors=True)
    for pattern in _KEPT:
        for path in run.glob(pattern):
            target = folder / path.relative_to(run)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def folder_of(name: str) -> Path:
    """Where the rows of a run are."""
    return RESULTS / name.replace(" ", "-")


def is_stored(name: str) -> bool:
    """Whether the rows of a run are there."""
    return folder_of(name).is_dir()


@cache
def result(name: str) -> Evaluation:
    """A run's rows as they are judged today, under the name that the run has for its user."""
    found = judge(folder_of(name))
    folder = Path("runs") / f"{found.model}-{found.run}"
    return replace(found, folder=folder, manifest=replace(found.manifest, folder=folder))


@cache
def figures(name: str) -> dict[str, Estimate]:
    """A run's figures by TABLE.CONDITION, or TABLE.CONDITION METRIC where there are several."""
    found: dict[str, list[Estimate]] = {}
    for e in result(name):
        for key in (f"{e.table}.{e.condition}", f"{e.table}.{e.condition} {e.metric}"):
            found.setdefault(key, []).append(e)
    return {key: every[0] for key, every in found.items() if len(every) == 1}


def made(*, write: bool) -> Iterator[str]:
    """Each file that is not what it should be; it is written if `write`."""
    pictures = {file: name for file, name in WANTED["picture"].items() if is_stored(name)}
    wanted = {ROOT / file: picture(name) for file, name in pictures.items()}
    for page in pages():
        wanted[page] = _MADE.sub(_replaced, page.read_text(encoding="utf-8"))
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield f"{'made' if write else 'stale'}: {path.relative_to(ROOT)}"
            if write:
                path.write_text(text, encoding="utf-8")
    yield from taken(write=write)


def taken(*, write: bool) -> Iterator[str]:
    """Each picture of a page that shows other words; it is taken again if `write`."""
    for file, names in WANTED["page"].items():
        page, words = report(tuple(names)), words_of(file)
        same = words.exists() and words.read_text(encoding="utf-8") == glance(page)
        if same and (ROOT / file).exists():
            continue
        if not write:
            yield f"stale: {file}"
        elif take_picture(page, ROOT / file):
            words.write_text(glance(page), encoding="utf-8")
            yield f"made: {file}"
        else:
            yield f"left alone, since Chromium is not installed: {file}"


def words_of(picture: str) -> Path:
    """The file with the words that a picture of a page shows."""
    return RESULTS / Path(picture).with_suffix(".txt").name


@cache
def report(names: tuple[str, ...]) -> str:
    """The page about some runs."""
    return html([judge(folder_of(name)) for name in names])


def glance(page: str) -> str:
    """The words on a page's first screen, a line for each part, and a hash of the page's style."""
    begins = (
        r"<header\b.*?</header>",
        r"<nav\b.*?</nav>",
        r'<section[^>]* id="glance".*?</section>',
    )
    seen = "\n".join(re.findall("|".join(begins), page, flags=re.S))
    parts = re.sub(r"<svg.*?</svg>|<[^>]+>", "\n", seen, flags=re.S).splitlines()
    words = "".join(f"{unescape(part.strip())}\n" for part in parts if part.strip())
    style = "".join(re.findall(r"<style>.*?</style>", page, flags=re.S))
    return f"{words}style {hashlib.sha256(style.encode()).hexdigest()[:16]}\n"


def take_picture(page: str, path: Path) -> bool:
    """Let Chromium draw the beginning of a page; return whether it could."""
    browser = shutil.which("chromium")
    if browser is None:
        return False
    with TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        subprocess.run(
            [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--disable-background-networking", "--no-first-run", f"--user-data-dir={folder}/me",
                f"--window-size={_SCREEN}", f"--screenshot={path}", file.as_uri(),
            ],
            check=True, capture_output=True,
        )  # fmt: skip
    return True


def pages() -> list[Path]:
    """The pages that may show something of a run."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _replaced(match: re.Match[str]) -> str:
    opening, name, _, end = match.groups()
    if name.startswith("bench"):
        shown = measured(name)
        return match[0] if shown is None else f"{opening}{shown}\n{end}"
    if name not in WANTED["table"]:
        sys.exit(f"a page has <!-- made: {name} -->, which docs.toml does not know")
    if not is_stored(WANTED["table"][name]["run"]):
        return match[0]
    return f"{opening}{table(WANTED['table'][name])}\n{end}"


def measured(name: str) -> str | None:
    """A result of a stored benchmark, as `bench NAME`; None if that is not there yet."""
    file, _, result = name.partition(" ")
    found = speed(file)
    return None if found is None else in_docs(found, result)


@cache
def speed(file: str) -> BenchReport | None:
    """A stored benchmark."""
    path = RESULTS / f"{file}.json"
    return read_report(path) if path.is_file() else None


def picture(name: str) -> str:
    """What the run prints on a terminal, as SVG."""
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True)
    summarise(result(name), console)
    # Without font URLs: an image should not access the network.
    form = re.sub(r"@font-face {{.*?}}\n", "", CONSOLE_SVG_FORMAT, flags=re.S)
    drawn = console.export_svg(title=WANTED["run"][name], code_format=form)
    return "".join(f"{line.rstrip()}\n" for line in drawn.splitlines())


def table(wanted: Mapping[str, Any]) -> str:
    """Figures and intervals in two columns, or in a grid with both in each cell."""
    known, rows = figures(wanted["run"]), []
    headed = "%" in wanted["columns"]  # else each figure has its unit

    def shown(e: Estimate) -> str:
        return digits(e, e.value) if headed else typeset(number(e.value, e.unit))

    for label, *names in wanted["rows"]:
        found = [known[name] for name in names]
        if wanted.get("grid"):
            cells = [f"{digits(e, e.value)} ({bounds(e, '–')})" for e in found]
        else:
            cells = [
                " / ".join(shown(e) for e in found),
                " / ".join(bounds(e, " to ") for e in found),
            ]
        rows.append((label, *cells))
    columns = tuple(wanted["columns"])
    lines = plain_table(TextTable("", columns, tuple(rows))).splitlines()
    return "\n".join(line.replace("\\*", "*") for line in lines)  # labels are Markdown already


def bounds(estimate: Estimate, between: str) -> str:
    """An interval."""
    return between.join(digits(estimate, end) for end in (estimate.low, estimate.high))


def digits(estimate: Estimate, value: float | None) -> str:
    """A figure without its unit."""
    assert value is not None
    return typeset(plain_number(value, estimate.unit))


def typeset(text: str) -> str:
    """A figure with a true minus sign."""
    return text.replace("-", "−")


def untrue_texts() -> Iterator[str]:
    """The sentences that the pages should have, with the figures of the results, and do not."""
    for one in WANTED["text"]:
        if not all(is_stored(_split(name)[0]) for name, _, _ in _FIGURE.findall(one["says"])):
            continue
        page = " ".join((ROOT / one["page"]).read_text(encoding="utf-8").split())
        says = _FIGURE.sub(_in_text, one["says"])
        if says not in page:
            yield f"{one['page']} does not say: {says}"


def _in_text(match: re.Match[str]) -> str:
    name, end, form = match.groups()
    run, figure = _split(name)
    estimate = figures(run)[figure]
    value = getattr(estimate, end.strip()) if end else estimate.value
    return typeset(format(value, form))


def _split(name: str) -> tuple[str, str]:
    """The run and the figure that a name in a sentence stands for."""
    run = max((run for run in WANTED["run"] if name.startswith(f"{run} ")), key=len)
    return run, name.removeprefix(f"{run} ")


if __name__ == "__main__":
    main()
