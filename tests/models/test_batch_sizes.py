"""Sizes of batches: three trials at the start, halves where memory does not suffice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from naysay.core.errors import ModelError
from naysay.models.lm import batch_sizes
from naysay.models.lm.batch_sizes import BatchSizes

GROUPS = st.lists(st.tuples(st.integers(1, 9), st.lists(st.integers(), min_size=1)))


class Clock:
    """Tells the time, which passes only where it is said to."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(batch_sizes, "time", clock)
    return clock


def costing(clock: Clock, cost: Callable[[int], float], seen: list[int]) -> Any:
    """What runs batches of texts of one token, and takes its time for a token."""

    def run(batch: list[int]) -> list[int]:
        seen.append(len(batch))
        clock.now += len(batch) * cost(len(batch))
        return batch

    return run


@pytest.mark.parametrize(
    ("cost", "chosen"),
    [
        (lambda size: 1 / size, 80),  # the larger, the faster
        (lambda size: 1.0, 80),  # all alike: the largest
        (lambda size: 1.0 + (size > 40), 40),
        (float, 20),
    ],
)
def test_the_fastest_of_three_sizes_is_chosen(
    clock: Clock, cost: Callable[[int], float], chosen: int
) -> None:
    seen: list[int] = []
    sizes = BatchSizes(80, None, "cpu")
    found = list(sizes.batches([(1, range(500))], costing(clock, cost, seen)))
    assert seen[:4] == [20, 20, 40, 80]  # the first one prepares the weights
    assert set(seen[4:-1]) == {chosen} == {sizes.tokens}
    assert [text for batch, _ in found for text in batch] == list(range(500))


def test_batches_that_are_not_full_are_no_trials(clock: Clock) -> None:
    seen: list[int] = []
    sizes = BatchSizes(80, None, "cpu")
    list(sizes.batches([(1, range(9))] * 9, costing(clock, float, seen)))
    assert seen == [9] * 9 and sizes.tokens == 80


def test_a_number_of_texts_is_taken_as_it_is(clock: Clock) -> None:
    seen: list[int] = []
    list(BatchSizes(80, 8, "cpu").batches([(1, range(80))], costing(clock, float, seen)))
    assert seen == [8] * 10


@given(GROUPS, st.integers(1, 50), st.none() | st.integers(1, 5))
def test_every_input_is_run_once_within_the_budget(
    groups: list[tuple[int, list[int]]], budget: int, texts: int | None
) -> None:
    found = list(BatchSizes(budget, texts, "cpu").batches(groups, len))
    assert [one for batch, _ in found for one in batch] == [one for _, g in groups for one in g]
    assert all(len(batch) == size for batch, size in found)
    assert all(texts is None or size <= texts for _, size in found)


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:119] DefaultCPUAllocator: not enough memory"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        RuntimeError("MPS backend out of memory"),
        MemoryError(),
    ],
)
def test_a_lack_of_memory_halves_batches(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[int] = []

    def run(batch: list[int]) -> list[int]:
        seen.append(len(batch))
        if len(batch) > 5:
            raise error
        return batch

    sizes = BatchSizes(64, None, "cpu")
    found = list(sizes.batches([(1, range(30))], run))
    assert [text for batch, _ in found for text in batch] == list(range(30))
    assert seen == [16, 8, 4, 4, 4, 4, 4, 4, 4, 2]
    assert capsys.readouterr().err.count("not enough memory on cpu") == 2


def test_one_text_without_memory_is_refused() -> None:
    def run(batch: list[int]) -> list[int]:
        raise MemoryError

    with pytest.raises(ModelError, match="not enough memory on cpu for one text of 7 tokens"):
        list(BatchSizes(64, None, "cpu").batches([(7, [1, 2, 3])], run))


def test_other_errors_are_handed_on() -> None:
    def run(batch: list[int]) -> list[int]:
        raise RuntimeError("index out of range")

    with pytest.raises(RuntimeError, match="index out of range"):
        list(BatchSizes(64, None, "cpu").batches([(1, [1])], run))
