"""Reports in all their forms; how the page looks and behaves is in test_report_browser."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

from conftest import Outcome
from naysay import evaluate
from naysay.core.errors import RunError, SpecError
from naysay.core.records import Estimate, Finding
from naysay.data.languages import LANGUAGES
from naysay.models.known import KnownModel
from naysay.reports.charts import charts_of
from naysay.reports.examples import examples_of, shown_examples
from naysay.reports.formats import FORMS, writer_for
from naysay.reports.html import html, sections_of
from naysay.reports.latex import escape
from naysay.reports.overview import labelled
from naysay.reports.page import page
from naysay.reports.pictures import PALETTE, write_pictures
from naysay.reports.sections import (
    Code,
    Details,
    Examples,
    FactList,
    Prose,
    Section,
    charts_in,
)
from naysay.reports.tables import TextTable
from naysay.reports.terminal import show_table
from naysay.run.evaluation import Evaluation, judge
from naysay.suites import SUITES

Cli = Callable[..., Outcome]
SUITES_SHOWN = ("scnt", "gh22", "semantoneg", "lama", "lama_misprimed")
ASSETS = Path(__file__).parents[2] / "src" / "naysay" / "reports" / "assets"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Evaluation]:
    """Three models in five suites."""
    out = tmp_path_factory.mktemp("runs")
    models = ("known:aware", "known:blind", "known:random")
    return [evaluate(model, SUITES_SHOWN, limit=6, out=out) for model in models]


def named(name: str) -> KnownModel:
    """A model that always repeats, under the name of one that papers print."""
    verbs = LANGUAGES.get("en").lexicon.verbs
    return KnownModel(name, lambda text, words: True, ("report", name), verbs)


class Outline(HTMLParser):
    """Headings, names, links, tables and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.unscoped = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        if re.fullmatch(r"h\d", tag):
            self.levels.append(int(tag[1]))
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a":
            self.links.append(found["href"])
        if tag == "th" and "scope" not in found:
            self.unscoped += 1
        self.loads += [found[name] for name in ("src", "data", "srcset") if name in found]


def test_the_page_is_in_order(runs: list[Evaluation]) -> None:
    outline = Outline(html(runs))
    assert outline.levels[0] == 1 and outline.levels.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(outline.levels, outline.levels[1:], strict=False))
    assert len(set(outline.ids)) == len(outline.ids)
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)
    assert outline.tags.count("table") == outline.tags.count("caption") > 10
    assert outline.unscoped == 0
    assert {"header", "nav", "main", "footer"} <= set(outline.tags)
    assert outline.loads == [] and "link" not in outline.tags


def test_the_page_is_the_same_again(runs: list[Evaluation]) -> None:
    assert html(runs) == html([judge(run.manifest) for run in runs])


def test_every_verdict_and_run_is_told(runs: list[Evaluation]) -> None:
    text = re.sub(r"</?abbr[^>]*>", "", html(runs))
    for run in runs:
        assert run.run in text and run.spec.command() in text
        for finding in run.findings:
            assert finding.verdict.replace("'", "&#39;") in text
    for suite in SUITES_SHOWN:
        assert SUITES.get(suite).card.citation.strip().split("\n")[0] in text


def test_a_page_is_small(runs: list[Evaluation]) -> None:
    assert len(html(runs).encode()) < 2_500_000


def test_pages_can_be_made_by_hand() -> None:
    table = TextTable("A table", ("", "share"), (("<b>", "1 %"),))
    inner = Section("Inner", (Details("More", (table, Code("Command", "x & y"))),))
    text = page("A & B", [Section("First", (Prose(("p",), ("<i>",)), inner)), Section("First")])
    assert "<title>A &amp; B</title>" in text
    assert "&lt;b&gt;" in text and "&lt;i&gt;" in text and "x &amp; y" in text
    assert Outline(text).levels == [1, 2, 3, 2]
    assert {"first", "first-2", "inner"} <= set(Outline(text).ids)
    assert len(text) < 60_000  # nothing to draw, no library to carry
    assert "<dt>a</dt>" in page("t", [Section("s", (FactList("f", (("a", "b"),)),))])


@pytest.mark.parametrize("ending", FORMS)
def test_the_ending_says_the_form(runs: list[Evaluation], ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"page{ending}"
    writer_for(path)(runs, path)
    figures = [estimate for run in runs for estimate in run]
    if ending == ".csv":
        with path.open(encoding="utf-8", newline="") as stream:
            read = list(csv.DictReader(stream))
        assert len(read) == len(figures)
        assert [row["condition"] for row in read] == [e.condition for e in figures]
        assert {row["model"] for row in read} == {run.model for run in runs}
        assert float(read[0]["value"]) == pytest.approx(figures[0].value)
    elif ending == ".parquet":
        import pyarrow.parquet as pq

        table = pq.read_table(path).to_pylist()
        assert [row["value"] for row in table] == [e.value for e in figures]
        assert [json.loads(row["clusters_by"]) for row in table] == [e.clusters_by for e in figures]
    else:
        begins = {".html": "<!doctype html>", ".md": "# naysay", ".tex": "% Tables made by naysay"}
        assert path.read_text(encoding="utf-8").startswith(begins[ending])


def test_latex_is_balanced(runs: list[Evaluation], tmp_path: Path) -> None:
    path = tmp_path / "tables.tex"
    writer_for(path, full=True)(runs, path)
    lines = path.read_text(encoding="utf-8").splitlines()
    open_now: list[str] = []
    for line in lines:
        if line.startswith("%"):
            continue
        for kind, name in re.findall(r"\\(begin|end)\{([\w*]+)\}", line):
            if kind == "begin":
                open_now.append(name)
            else:
                assert open_now.pop() == name
        assert not re.search(r"(?<!\\)[#%_~^]", line), line
    assert open_now == []
    assert lines.count("\\toprule") == lines.count("\\bottomrule") > 20
    # LaTeX holds back 18 tables at most, in its older versions.
    pages = "\n".join(lines).split("\\clearpage")
    assert len(pages) > 1 and max(page.count("\\begin{table*}") for page in pages) < 18
    assert escape("a\u202eb_{}") == r"ab\_\{\}"


def test_a_narrow_terminal_breaks_headings_but_no_word_or_figure() -> None:
    table = TextTable(
        "Experiment 3",
        ("", "repetition", "95 % interval", "n in names × professions × verbs", "note"),
        (("contrast", "100.0 %", "64.6 to 100.0", "14 in 7 × 7 × 12", "repetition allowed"),),
    )
    console = Console(width=80, record=True, file=io.StringIO())
    show_table(table, console)
    shown = console.export_text()
    for cell in table.rows[0]:
        assert cell in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert {"names", "professions", "verbs"} <= set(shown.split())


def test_other_endings_are_refused() -> None:
    with pytest.raises(SpecError, match=r"\.html, \.md"):
        writer_for(Path("page.pdf"))


def test_the_command_writes_and_draws(naysay: Cli, tmp_path: Path) -> None:
    for model in ("known:blind", "known:random"):
        assert naysay("run", "-m", model, "-t", "scnt", "--limit", 5).code == 0
    names = [folder.name for folder in sorted((tmp_path / "runs").iterdir())]
    ended = naysay("report", *names, "-o", "report.html", "--charts", "charts")
    assert ended.code == 0 and "written: report.html" in ended.out
    pictures = sorted((tmp_path / "charts").glob("*.png"))
    assert [p.stem for p in pictures] == ["scnt-adjusted-1", "scnt-drops-0"]
    assert all(p.read_bytes().startswith(b"\x89PNG") and p.stat().st_size > 5000 for p in pictures)
    drawn = ElementTree.parse(tmp_path / "charts" / "scnt-drops-0.svg").getroot()
    words = " ".join(drawn.itertext())
    assert drawn.tag.endswith("svg") and "known:blind" in words and "CpTn" in words
    assert naysay("report", names[0], "-o", "page.pdf").code == 2
    assert naysay("report", "-o", "all.html").code == 0  # all that there are
    assert (tmp_path / "all.html").read_bytes() == (tmp_path / "report.html").read_bytes()
    ended = naysay("report", "--runs", "nowhere")
    assert ended.code == 2 and "no finished run in nowhere" in ended.err


def test_without_the_extra_it_says_what_to_install(
    naysay: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    naysay("run", "-m", "known:blind", "-t", "scnt", "--limit", 3)
    [run] = (tmp_path / "runs").iterdir()
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    for words in (("-o", "page.html"), ("--charts", "charts")):
        ended = naysay("report", run, *words)
        assert ended.code == 2 and "pip install 'naysay[report]'" in ended.err
    for ending in (".md", ".tex", ".csv", ".parquet"):
        assert naysay("report", run, "-o", f"page{ending}").code == 0


def test_each_suite_gets_charts(runs: list[Evaluation]) -> None:
    named_runs = labelled(runs)
    for suite in SUITES_SHOWN:
        found = [(n, f) for n, run in named_runs for f in run.findings if f.suite == suite]
        charts = charts_of(suite, found, [n for n, _ in named_runs])
        assert charts, suite
        for chart in charts:
            assert chart.models == tuple(n for n, _ in named_runs)
            assert chart.table is not None and chart.table.rows
            values = [datum["value"] for datum in chart.spec["data"]["values"]]
            assert len(values) == sum(cell != "–" for row in chart.table.rows for cell in row[1:])
            assert all(name in chart.summary for name in chart.models)


def test_differences_between_conditions_are_explained(runs: list[Evaluation]) -> None:
    found = [(n, f) for n, run in labelled(runs) for f in run.findings if f.suite == "scnt"]
    [chart] = [one for one in charts_of("scnt", found, ["known:aware"]) if "adjusted" in one.name]
    row = chart.spec["data"]["values"][0]["row"]
    assert row == "CpTn-CpTv\nlikes … isn't happy minus\nlikes … is very happy"


def test_new_tables_get_dots(runs: list[Evaluation]) -> None:
    def one(condition: str, unit: str, value: float, low: float | None) -> Estimate:
        return Estimate("x", "t", condition, "m", value, low, low and value + 1, unit=unit)

    estimates = (one("a", "%", 5, 4), one("b", "%", 7, None), one("c", "points", -2, -3))
    finding = Finding("semantoneg_prompted", estimates, {"t": "New (Table 9)"}, "passes", "v")
    charts = charts_of("semantoneg_prompted", [("m", finding)], ["m"])
    assert [chart.title for chart in charts] == ["New", "New"]
    rows = [[datum["row"] for datum in chart.spec["data"]["values"]] for chart in charts]
    assert rows == [["a", "b"], ["c"]]
    hidden = replace(finding, details=frozenset({"t"}))
    assert charts_of("semantoneg_prompted", [("m", hidden)], ["m"]) == []


def test_names_of_charts_are_unique(runs: list[Evaluation]) -> None:
    names = [chart.name for chart in charts_in(sections_of(runs))]
    assert len(set(names)) == len(names) > 10


def test_two_ways_of_reading_out_never_share_a_chart(tmp_path: Path) -> None:
    both = [
        evaluate("known:blind", "scnt", limit=4, out=tmp_path, readout=readout)
        for readout in ("top1", "likelihood")
    ]
    assert [name for name, _ in labelled(both)] == [
        "known:blind (readout top1)", "known:blind (readout likelihood)",
    ]  # fmt: skip
    charts = charts_in(sections_of(both))
    assert len(charts) == 4 and all(len(chart.models) == 1 for chart in charts)


def test_runs_of_one_model_are_told_apart(tmp_path: Path) -> None:
    same = [
        evaluate("known:blind", "scnt", limit=3, out=tmp_path, language=language)
        for language in ("en", "fr")
    ]
    names = [name for name, _ in labelled([*same, same[0]])]
    assert names[0].startswith("known:blind (language en)") and len(set(names)) == 3


def examples_in(run: Evaluation, suite: str) -> Examples | None:
    [finding] = (finding for finding in run.findings if finding.suite == suite)
    return examples_of({"m": shown_examples(finding, run, "m")})


def test_examples_have_probabilities(runs: list[Evaluation]) -> None:
    found = examples_in(runs[1], "scnt")
    assert found is not None and 1 <= len(found.examples) <= 12
    sides = {side.label: side for side in found.examples[0].sides}
    assert set(sides) == {"CpTp", "CpTn", "CnTp", "CnTn", "CpTv"}
    assert sides["CpTn"].guesses[0].shown == "100.0 %" and sides["CpTn"].good is False
    assert sides["CpTn"].guesses[0].mark == "unwanted"
    assert found.examples[0].outcome == "wrong"


@pytest.mark.parametrize("suite", SUITES_SHOWN)
def test_older_runs_show_examples_from_their_rows(
    runs: list[Evaluation], suite: str, tmp_path: Path
) -> None:
    import shutil

    shutil.copytree(runs[0].folder, tmp_path / "old")
    (tmp_path / "old" / f"{suite}-examples.json").unlink()
    old = judge(str(tmp_path / "old"))
    found = examples_in(old, suite)
    assert found is not None and "No probabilities" in found.notes[0]
    assert all(guess.shown == "" for e in found.examples for s in e.sides for guess in s.guesses)
    (tmp_path / "old" / f"{suite}-examples.json").write_text("{broken", encoding="utf-8")
    with pytest.raises(RunError, match=r"examples\.json is corrupt: .* or delete it"):
        examples_in(old, suite)
    old.manifest.files.clear()  # as earlier versions wrote it
    with pytest.raises(RunError, match=r"examples\.json cannot be read .* or delete it"):
        examples_in(old, suite)


def test_naysay_is_cited_as_it_wants_to_be(runs: list[Evaluation]) -> None:
    wanted = (ASSETS.parents[3] / "CITATION.cff").read_text(encoding="utf-8")
    told = html(runs[:1])
    for field in ("title", "version", "license"):
        value = re.search(rf'^{field}: "?(.+?)"?$', wanted, re.M)
        assert value is not None and f"{field} = &#34;{value[1]}&#34;" in told


def _luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colours_can_be_told_from_the_paper() -> None:
    css = (ASSETS / "page.css").read_text(encoding="utf-8")
    blocks = re.findall(r"\{([^{}]*--paper[^{}]*color-scheme: \w+;)", css)
    assert len(blocks) == 4 and blocks[1].split() == blocks[2].split()  # the dark one, twice
    series = re.findall(r"--s\d: (#[0-9a-f]{6})", blocks[0])
    assert series == re.findall(r"--s\d: (#[0-9a-f]{6})", blocks[3]) == PALETTE  # light, printed
    for block in blocks:
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))

        def contrast(one: str, other: str, colours: dict[str, str] = colours) -> float:
            high, low = sorted((_luminance(colours[c]) for c in (one, other)), reverse=True)
            return (high + 0.05) / (low + 0.05)

        for ground in ("paper", "card"):
            for text in ("text", "quiet", "accent", "good", "bad"):
                assert contrast(text, ground) >= 4.5, (text, ground)
            for sign in (*(f"s{k}" for k in range(8)), "grey"):
                assert contrast(sign, ground) >= 3, (sign, ground)
        for chip in ("good", "bad", "open", "none"):
            assert contrast(chip, f"{chip}-soft") >= 4.5, chip


def layers_of(spec: Mapping[str, Any], mark: str) -> list[Mapping[str, Any]]:
    return [layer for layer in spec["layer"] if layer["mark"].get("style") == mark]


def test_chance_and_thresholds_are_lines_with_names(runs: list[Evaluation]) -> None:
    charts = {chart.name: chart for chart in charts_in(sections_of(runs))}
    drops, accuracy = charts["scnt-drops-0"], charts["semantoneg-accuracy-0"]
    lines = [layer["data"]["values"][0] for layer in layers_of(drops.spec, "bound")]
    assert [line["at"] for line in lines] == [40, 50]
    assert "large from at 50" in drops.summary
    [chance, _] = layers_of(accuracy.spec, "bound")
    assert chance["data"]["values"][0]["at"] == 33.3 and "x" in chance["encoding"]
    names = layers_of(accuracy.spec, "bound-name")
    assert names[0]["data"]["values"][0]["name"] == "chance 33.3"
    rows = {datum["row"] for datum in accuracy.spec["data"]["values"]}
    assert "chance" not in rows  # it is a line, not a model's figure


def test_ranks_are_as_far_apart_as_they_are(runs: list[Evaluation]) -> None:
    [chart] = [c for c in charts_in(sections_of(runs)) if c.name.startswith("gh22-rank")]
    x = chart.spec["layer"][-1]["encoding"]["x"]
    assert x["type"] == "quantitative" and x["axis"]["values"] == [0, 50, 100, 200]
    for datum in chart.spec["data"]["values"]:
        assert abs(datum["at"] - datum["x"]) < 3  # beside other models' points, not elsewhere


def test_a_legend_has_only_what_is_plotted(runs: list[Evaluation], tmp_path: Path) -> None:
    other = evaluate("known:blind", "scnt", limit=3, out=tmp_path, language="fr")
    charts = charts_in(sections_of([*runs, other]))
    french = [chart for chart in charts if chart.title.endswith(": French")]
    assert [chart.models for chart in french] == 2 * [("known:blind (language fr)",)]
    english = next(chart for chart in charts if chart.title.endswith(": English"))
    [_, svg] = write_pictures([english], tmp_path)
    told = " ".join(ElementTree.parse(svg).getroot().itertext())
    assert "known:aware" in told and "language fr" not in told
