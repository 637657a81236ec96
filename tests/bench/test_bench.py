"""`naysay bench --quick`: the parts measure what they say, and the answers are the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome, refused
from naysay.bench.parts import PARTS
from naysay.bench.results import Comparison, Growth, PartReport, Quantities, read_report

Cli = Callable[..., Outcome]


def measured(naysay: Cli, part: str, folder: Path) -> PartReport:
    ended = naysay("bench", part, "--quick", "-o", folder / "bench.html")
    assert ended.code == 0, ended.err
    assert (folder / "bench.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    [found] = read_report(folder / "bench.json").parts
    assert found.name == part
    for result in found.results:
        assert result.title in " ".join(ended.out.split())
        if isinstance(result, Comparison):
            same_answers(result)
    return found


def same_answers(result: Comparison) -> None:
    """Every way that took part gave the answers of those before it."""
    assert any(timing.way.startswith("naysay") for timing in result.timings)
    for timing in result.timings:
        if timing.missing:
            assert "is not installed" in timing.missing, timing
        else:
            assert timing.same == timing.compared > 0, timing
            assert timing.timed <= timing.passes
            assert timing.seconds is not None


@pytest.mark.slow
def test_masked_models(naysay: Cli, tmp_path: Path) -> None:
    comparison, peak = measured(naysay, "masked", tmp_path).results
    assert isinstance(comparison, Comparison) and isinstance(peak, Quantities)
    assert [q.name for q in peak.quantities][:2] == ["fp32", "bf16"]


@pytest.mark.slow
def test_causal_models(naysay: Cli, tmp_path: Path) -> None:
    measured(naysay, "causal", tmp_path)


@pytest.mark.slow
def test_suites_retain_the_triplets_of_the_exhaustive_selection(
    naysay: Cli, tmp_path: Path
) -> None:
    found = {one.name: one for one in measured(naysay, "suites", tmp_path).results}
    templates = found.pop("gh22")
    assert {name.partition("-")[0] for name in found} == {"scnt", "scin"}
    for selection in found.values():
        assert isinstance(selection, Comparison)
        every, lazy = (
            next(t for t in selection.timings if t.way == way)
            for way in ("naysay, every verb", "naysay")
        )
        assert lazy.passes < every.passes
        assert "naysay selects the same." in selection.notes[0]
        assert not selection.notes[0].startswith("Selected: 0 ")
    assert isinstance(templates, Comparison)
    released, lazy = templates.timings[:2]
    assert released.passes == 2 * (lazy.passes - 1)  # a seed for each question, and one seed


@pytest.mark.slow
def test_embedders(naysay: Cli, tmp_path: Path) -> None:
    [comparison] = measured(naysay, "embedder", tmp_path).results
    assert isinstance(comparison, Comparison)
    padded, _, ours = comparison.timings
    assert padded.passes == 4 * 8 >= ours.passes


@pytest.mark.slow
def test_cost_against_size(naysay: Cli, tmp_path: Path) -> None:
    questions, _, models = measured(naysay, "scale", tmp_path).results
    assert isinstance(questions, Growth) and isinstance(models, Growth)
    sizes = [point.size for point in questions.points]
    assert sizes == sorted(sizes) and len(sizes) == 2


@pytest.mark.slow
def test_the_harness(naysay: Cli, tmp_path: Path) -> None:
    [found] = measured(naysay, "harness", tmp_path).results
    assert isinstance(found, Quantities)
    assert all(quantity.value is not None for quantity in found.quantities)


def test_an_unknown_part_is_refused_with_a_similar_one(naysay: Cli) -> None:
    refused(naysay("bench", "maskd"), "unknown part of the benchmark 'maskd'", "masked")


def test_a_file_that_is_no_page_is_refused(naysay: Cli) -> None:
    refused(naysay("bench", "-o", "bench.pdf"), "--output bench.pdf: name a page (.html)")


def test_help_names_every_part(naysay: Cli) -> None:
    shown = naysay("bench", "--help").out
    assert all(part in shown for part in PARTS)
