"""Stored results: they come back as they were, and everything shown is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from naysay.bench.page import bench_page
from naysay.bench.results import (
    BenchReport,
    Comparison,
    Growth,
    PartReport,
    Point,
    Quantities,
    Quantity,
    Target,
    Timing,
    read_report,
    to_json,
)
from naysay.bench.tables import in_docs, table_of, targets_of
from naysay.core.errors import RunError

COMPARISON = Comparison(
    name="masked",
    title="A BERT",
    timings=(
        Timing(way="loop", passes=100, timed=10, seconds=20.0, same=10, compared=10),
        Timing(way="other", missing="other is not installed"),
        Timing(way="naysay", passes=50, timed=50, seconds=2.0, same=50, compared=50),
    ),
    targets=(Target("naysay", "loop", 8.0), Target("naysay", "other", 2.0)),
)
QUANTITIES = Quantities(
    name="harness",
    title="Own work",
    quantities=(
        Quantity(name="judging", value=6.0, unit="s", most=5.0),
        Quantity(name="rows", value=1e6),
    ),
)
GROWTH = Growth(
    name="questions",
    title="Runs",
    along="questions",
    points=(Point(1000, 1.0, 120.0), Point(10_000, 10.0, 121.0)),
    exponent=1.0,
    wanted=(0.95, 1.05),
)
REPORT = BenchReport(
    naysay="1.2.3",
    quick=False,
    rounds=3,
    machine={"processor": "a processor", "cores": "2"},
    parts=(
        PartReport(
            name="masked", title="Masked", results=(COMPARISON, QUANTITIES, GROWTH), seconds=1.0
        ),
    ),
)


def test_a_report_comes_back_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    file.write_text(to_json(REPORT), encoding="utf-8")
    assert read_report(file) == REPORT


@pytest.mark.parametrize("text", ["{}", "no JSON", '{"schema": 99}'])
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bench.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RunError, match=r"bench\.json is not a report of naysay bench"):
        read_report(file)


def test_a_report_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    file.write_text(to_json(REPORT).replace('"schema": 1', '"schema": 2'), encoding="utf-8")
    with pytest.raises(RunError, match="newer naysay"):
        read_report(file)


def test_a_way_that_was_timed_in_part_says_so() -> None:
    table = table_of(COMPARISON)
    loop, other, naysay = table.rows
    assert loop[:5] == ("loop", "100", "10", "20.0", "5.00")
    assert set(other[1:]) == {"–"}
    assert naysay[5:] == ("10.0", "50 of 50")
    assert "other: other is not installed." in table.notes


def test_targets_are_met_missed_or_not_measured() -> None:
    found = targets_of(REPORT)
    assert found is not None
    assert [(row[1], row[3]) for row in found.rows] == [
        ("10.0 ×", "yes"), ("–", "–"), ("6.00 s", "no"), ("1.00", "yes"),
    ]  # fmt: skip


def test_the_page_has_every_result_and_a_chart_of_each_that_has_one() -> None:
    html = bench_page(REPORT)
    for text in ("A BERT", "Own work", "Runs", "a processor", "other is not installed"):
        assert text in html
    assert html.count('"id":"masked-') == 2


def test_the_docs_take_results_by_name() -> None:
    assert "| loop | 100 | 10 |" in in_docs(REPORT, "masked")
    assert "Fitted exponent: 1.00." in in_docs(REPORT, "questions")
    assert in_docs(REPORT, "machine") == "processor: a processor; cores: 2; best of 3."
    assert in_docs(REPORT, "targets").startswith("**Targets**")
