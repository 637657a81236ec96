"""The suites' `report.toml`: what it may say, and that it says nothing stale."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from naysay import evaluate
from naysay.core.errors import BrokenPluginError
from naysay.core.options import declarations
from naysay.core.records import Difference, Estimate
from naysay.core.registry import suite_folders
from naysay.reports.charts import charts_of
from naysay.reports.models import reported_models
from naysay.reports.overview import scoreboard
from naysay.suites import SUITES
from naysay.suites._templates.analysis import HALF
from naysay.suites.lama import facts
from naysay.suites.report import ChartRecipe, ReasonRule, SuiteReport, read_report, report_of
from naysay.suites.scnt import verdict as scnt
from naysay.suites.scnt_controls import verdict as scnt_controls
from naysay.suites.semantoneg.analysis import CHANCE, PASS


@pytest.mark.parametrize("name", SUITES.names())
class TestOfEachSuite:
    def test_charts_and_figures_are_those_of_a_run(self, name: str, tmp_path: Path) -> None:
        run = evaluate("known:random", name, limit=12, out=tmp_path)
        [finding] = run.findings
        report = report_of(name)
        for recipe in report.chart:
            own = [e for e in finding.estimates if e.table == recipe.table]
            assert own, recipe.table
            assert set(recipe.metrics) <= {e.metric for e in own}
            assert set(recipe.conditions) <= {e.condition for e in own}
            places = [recipe.place(e) for e in own if recipe.takes(e)]
            assert not recipe.words or {place.row for place in places} <= set(recipe.words.values())
        charts = charts_of(name, [("m", finding)], ["m"])
        assert len(charts) == len(report.chart) or not report.chart
        figures = {(e.table, e.condition, e.metric) for e in finding.estimates}
        assert {figure.key for figure in report.figure} <= figures
        [row] = scoreboard(reported_models([run]).models, [name]).rows
        [mark] = row.marks
        assert mark.why == finding.why and all(one.interval for one in mark.figures)
        if report.figure:
            assert [one.name for one in mark.figures] == [one.name for one in report.figure]

    def test_it_says_what_its_figures_count(self, name: str) -> None:
        report = report_of(name)
        assert report.counted and report.counted[0].isupper() and report.counted[-1] not in ".:"
        assert len(report.counted) < 60

    def test_reasons_are_about_options_that_it_reads(self, name: str) -> None:
        suite = SUITES.get(name)
        options = declarations(suite.options_type)
        for rule in report_of(name).reason:
            assert rule.option in options or rule.fact == "kind"
            assert rule.words("x")


def test_lines_are_what_the_verdicts_hold_figures_against() -> None:
    """Charts show them as written in the file, verdicts as in the code."""
    paraphrases = {round(CHANCE, 1), PASS}
    wanted = {
        "scnt": {scnt.LARGE, scnt.CEILING},
        "scin": {scnt.LARGE, scnt.CEILING},
        "scnt_controls": {scnt_controls.LARGE, scnt.CEILING},
        "gh22": {HALF},
        "lama": {facts.HALF},
        "lama_misprimed": {facts.HALF},
        "semantoneg": paraphrases,
        "semantoneg_likelihood": paraphrases,
        "semantoneg_prompted": paraphrases,
        "semantoneg_chat": paraphrases,
        **{key: {HALF} for key in ("scnt_chat", "scin_chat", "gh22_chat", "lama_chat")},
    }
    drawn = {
        name: {value for chart in report_of(name).chart for value in chart.lines.values()}
        for name in SUITES.names()
    }
    assert {name: lines for name, lines in drawn.items() if lines} == wanted


def test_no_suite_is_named_outside_its_folder() -> None:
    """Or else a suite would not be one folder."""
    source = Path(__file__).parents[2] / "src" / "naysay"
    names = "|".join(map(re.escape, suite_folders()))
    spelled = re.compile(rf"[\"']({names})[\"']|naysay\.suites\.({names})\b")
    rooms = [source / room for room in ("analysis", "bench", "build", "reports", "stats")]
    assert all(room.is_dir() for room in rooms)
    for file in (file for room in rooms for file in room.rglob("*.py")):
        assert not spelled.search(file.read_text(encoding="utf-8")), file


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "report.toml"
    path.write_text(text, encoding="utf-8")
    return path


FIGURE = '[[figure]]\ntable = "t"\ncondition = "c"\nmetric = "m"\nname = "n"\n'
CHART = '[[chart]]\ntable = "t"\nquantity = "q"\n'


def test_a_file_is_read(tmp_path: Path) -> None:
    found = read_report(written(tmp_path, FIGURE + CHART + 'bars = true\nmetrics = ["m"]\n'))
    assert [one.key for one in found.figure] == [("t", "c", "m")]
    assert found.chart == (ChartRecipe(table="t", quantity="q", bars=True, metrics=("m",)),)
    assert found.reason == () and report_of("no such suite") == SuiteReport()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[figure", "cannot be read"),
        ("[[graph]]\n", "unknown entry 'graph'; known: counted, figure, chart, reason"),
        ("counted = 1\n", "counted must be text, not 1"),
        ("[chart]\n", r"write \[\[chart\]\], not chart"),
        (CHART + "colour = 1\n", r"\[\[chart\]\] number 1: unknown key 'colour'; known: table"),
        (CHART + CHART + 'bars = "yes"\n', "number 2: bars must be true or false, not 'yes'"),
        (CHART + "metrics = [1]\n", "metrics must be a list of texts"),
        (FIGURE.replace('name = "n"', ""), r"\[\[figure\]\] number 1: name is missing"),
        (CHART + "lines = { a = true }\n", "lines must be a table of numbers"),
        (CHART + 'row = "table"\n', "row must be one of condition, metric, both, not 'table'"),
        (CHART + 'pattern = "("\n', "is no regular expression"),
        (CHART + "pattern = '(?P<y>.)'\n", "unknown group 'y'"),
        (CHART + 'along = "rank"\n', "along and the group x of pattern need each other"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BrokenPluginError, match=message) as found:
        read_report(written(tmp_path, text))
    assert "\n" not in str(found.value) and "report.toml" in str(found.value)


def test_a_point_is_placed_by_its_pattern() -> None:
    estimate = Estimate("s", "t", "negated rank 50", "drop C", 1.0)
    ranks = ChartRecipe(
        table="t", quantity="q", along="rank", pattern=r"(?P<series>.+) rank (?P<x>\d+)"
    )
    assert ranks.place(estimate) == ("negated rank 50", "negated", 50.0)
    kinds = ChartRecipe(
        table="t", quantity="q", row="metric", pattern="drop (?P<row>.)", words={"C": "third"}
    )
    assert kinds.place(estimate) == ("third", "", None)
    both = ChartRecipe(table="t", quantity="q", row="both", series="metric")
    assert both.place(estimate) == ("negated rank 50: drop C", "drop C", None)
    with pytest.raises(BrokenPluginError, match="pattern of chart 't' does not match 'other'"):
        ranks.place(replace(estimate, condition="other"))


def test_a_reason_holds_where_the_run_differs_from_the_paper() -> None:
    def rule(paper: str | bool | tuple[str, ...] | None = None, *run: str) -> ReasonRule:
        return ReasonRule(tag="x", text="not {value}", option="o", paper=paper, run=run)

    assert rule("prefix").holds("exact") and not rule("exact").holds("exact")
    assert rule(True).holds(False)
    assert rule("paper").holds(("released",)) and not rule("released").holds(("released",))
    assert rule().holds(("a", "b")) and not rule().holds(None)
    assert rule(None, "default", "own").holds(None)
    assert rule().words(("a", "b")) == "not a, b"
    several = SuiteReport(reason=(rule(), rule("paper")))
    assert list(several.differences(lambda option: "z", {})) == [
        Difference("x", "not z")  # the first with its tag
    ]
    known = SuiteReport(reason=(ReasonRule(tag="x", text="{value}", fact="kind", run=("k",)),))
    assert list(known.differences(lambda option: None, {"kind": "k"})) == [Difference("x", "k")]
    assert not list(known.differences(lambda option: "k", {"kind": "other"}))
    with pytest.raises(ValueError, match="either option or fact"):
        ReasonRule(tag="x", text="y", option="o", fact="kind")
    either = rule(("default", "20"))
    assert not either.holds(None) and not either.holds(20) and either.holds(5)
