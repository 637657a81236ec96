"""Benchmarks belong to their suites: they are found with them, and nothing else names them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import model_request
from naysay.bench import procedures
from naysay.bench.procedures import MASKED, Procedure
from naysay.bench.questions import (
    continued_contexts,
    masked_questions,
    source,
    suite_setting,
    timed_suites,
)
from naysay.bench.turns import spread_out
from naysay.core.console import Silent
from naysay.core.registry import suite_folders
from naysay.models import open_model
from naysay.run.metering import Metered
from naysay.suites import SUITES
from naysay.suites.benchmarks import Released, Timed, benchmark_of


def test_a_suite_is_timed_if_it_has_a_benchmark_beside_it() -> None:
    beside = {name for name, place in suite_folders().items() if (place / "benchmark.py").is_file()}
    assert {suite.name for suite, _ in timed_suites()} == beside
    assert benchmark_of(SUITES.get("scnt_controls")) is None  # though it is a suite of triplets


def test_a_run_loads_no_benchmark(tmp_path: Path) -> None:
    script = (
        "import sys, naysay; naysay.evaluate('known:aware', 'gh22', limit=1, out=sys.argv[1]);"
        "print([m for m in sys.modules if m.endswith('benchmark')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("timed", timed_suites(), ids=lambda timed: timed.suite.name)
def test_every_benchmark_says_what_it_is(timed: Any) -> None:
    suite, benchmark = timed
    assert benchmark.kind in procedures._MODELS and benchmark.models and benchmark.least > 1
    assert benchmark.few >= 1 and benchmark.passes
    for options in benchmark.variants.values():
        suite.options_type(**options)


@pytest.mark.parametrize("timed", timed_suites(), ids=lambda timed: timed.suite.name)
def test_released_steps_ask_what_naysay_asks(timed: Any, tmp_path: Path) -> None:
    """Without a model of real size: the questions of both are the same."""
    suite, benchmark = timed
    setting = suite_setting(suite.name, benchmark.few)
    model = Metered(open_model("known:random:0.5", model_request()), Silent())
    rows = list(suite.probe(model, setting.units, setting, suite.fit(model, setting)))
    first = next(iter(benchmark.released(tmp_path, setting, rows)))
    assert len(first.steps) >= len(setting.units) and first.passes >= 1
    assert 0 < benchmark.computed(rows, model.questions) <= first.passes * len(first.steps)
    if first.open is None:
        texts = {step.text for step in first.steps}
        assert set(benchmark.answers(rows)) <= texts


def test_sentences_are_distinct_and_lack_their_word() -> None:
    found = masked_questions(50)
    assert len({probe.text for probe in found}) == len(found) == 50
    assert not any(re.search(rf"\b{probe.words[0]}\b", probe.text) for probe in found)
    pairs = continued_contexts(2, 4)
    assert len(set(pairs)) == 8 and len({context for context, _ in pairs}) == 2
    assert source()[0].name in SUITES.names()


class Steps(Timed):
    """A benchmark of nothing."""

    least = 2.0

    def released(self, folder: Path, setting: Any, rows: Any) -> list[Released]:
        return []

    def answers(self, rows: Any) -> Any:
        return {row.text: (row.answer,) for row in rows}


def test_a_released_way_is_timed_on_a_part_of_its_steps() -> None:
    asked: list[int] = []

    def answer(steps: Any) -> dict[int, tuple[int]]:
        asked.extend(steps)
        return {step: (step,) for step in steps}

    released = Released(name="old", steps=range(10), passes=2, open=lambda: answer)
    way = procedures._stepwise(released, answer, 3)
    done = way.run(0)
    assert (done.passes, way.whole, asked) == (6, 20, spread_out(range(10), 3))


def test_what_is_selected_otherwise_is_said() -> None:
    setting = suite_setting(source()[0].name, 1)
    own, other = (
        Procedure(Path(), "fp32", setting, Steps(), frozenset(kept)) for kept in ("ab", "abc")
    )
    [note] = procedures._kept_notes(own, {"naysay, all": other})
    assert note == "Selected: 3 in 'naysay, all'; naysay selects 2 OTHERS."
    other.kept = own.kept
    assert "selects the same." in next(procedures._kept_notes(own, {"naysay, all": other}))
    assert Steps.kind == MASKED
