"""Timing in turns, without looking at seconds: who takes part, what is compared and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naysay.bench.turns import Round, Way, agree, attempt, spread_out, take_turns


def answering(answers: dict[str, Any], passes: int | None = None) -> Callable[[int], Round]:
    return lambda number: Round(passes or len(answers), {k: (v,) for k, v in answers.items()})


def test_every_way_is_compared_with_those_before_it() -> None:
    ways = [
        Way("first", answering({"a": "run"}), whole=4),
        Way("second", answering({"a": "run", "b": "sing"})),
        Way("third", answering({"a": "walk", "b": "sing", "c": "cook"})),
    ]
    first, second, third = take_turns(ways, 2, "test")
    assert (first.same, first.compared) == (1, 1)
    assert (second.same, second.compared) == (1, 1)
    assert (third.same, third.compared) == (1, 2)


def test_a_way_that_is_timed_on_a_part_counts_all_its_passes() -> None:
    [found] = take_turns([Way("first", answering({"a": "run"}, passes=2), whole=10)], 1, "test")
    assert (found.passes, found.timed) == (10, 2)
    assert found.seconds is not None and found.per_second is not None


def test_what_is_prepared_comes_before_each_round() -> None:
    done: list[str] = []

    def run(number: int) -> Round:
        done.append(f"run {number}")
        return Round(1, {})

    once = Way("once", answering({"a": 1}), once=True, prepare=lambda: done.append("once"))
    take_turns([Way("own", run, prepare=lambda: done.append("prepare")), once], 2, "test")
    assert done == ["prepare", "run 0", "once", "prepare", "run 1"]


def test_a_library_that_is_missing_or_fails_is_left_out_with_the_reason() -> None:
    def absent() -> Way:
        import no_such_library  # type: ignore[import-not-found]  # noqa: F401

        raise AssertionError

    def failing(number: int) -> Round:
        raise TypeError("no such argument")

    ways = [
        Way("first", answering({"a": "run"})),
        attempt("absent", absent),
        Way("broken", failing),
    ]
    _, missing, broken = take_turns(ways, 2, "test")
    assert missing.missing == "no_such_library is not installed"
    assert broken.missing == "fails here: TypeError: no such argument"
    assert missing.seconds is None and broken.seconds is None


def test_a_failure_of_naysay_itself_is_not_hidden() -> None:
    def failing(number: int) -> Round:
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        take_turns([Way("naysay, fp32", failing)], 1, "test")


@given(st.integers(1, 50), st.integers(1, 60), st.integers(0, 5))
def test_what_is_timed_is_a_part_without_repetitions(every: int, wanted: int, number: int) -> None:
    found = spread_out(range(every), wanted, number)
    assert len(found) == len(set(found)) == min(every, wanted)
    assert set(found) <= set(range(every))


def test_rounding_is_no_difference_but_another_word_is() -> None:
    assert agree(("run", -2.0), ("run", -2.0005))
    assert not agree(("run", -2.0), ("run", -2.1))
    assert not agree(("run", -2.0), ("sing", -2.0))
    assert agree(("run", None), (None, -2.0))
