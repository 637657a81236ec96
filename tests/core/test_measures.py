"""A measure is one description of a figure: its estimate and its items are of the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from naysay.core.measures import Analysis, ItemColumns, Measure, Ruling
from naysay.core.records import Estimate
from naysay.stats.shares import Shares, codes

TABLE = pa.table(
    {
        "unit": pa.array(["a", "a", "b", "b", "c", "c"]).dictionary_encode(),
        "verb": pa.array(["x", "x", "y", "y", "x", "x"]).dictionary_encode(),
        "when": pa.array(["now", "then"] * 3).dictionary_encode(),
        "answer": pa.array(["1", "2", "3", "4", "5", "6"]).dictionary_encode(),
        "value": [1.0, 0.0, 1.0, 1.0, 0.0, 0.0],
    }
)


def shares(places: Sequence[int] | None = None) -> Shares:
    order = np.array(range(6) if places is None else places)
    rows = TABLE.take(order)
    labels, label = codes(rows, "when")
    return Shares(
        "s",
        rows["value"].to_numpy(),
        {"pairs": codes(rows, "unit")[1]},
        {name: label == labels.index(name) for name in ("now", "then")},
        items=ItemColumns(
            TABLE, keys=("unit", "verb"), clusters={"pairs": "unit"}, answers=("answer",)
        ),
        places=None if places is None else order,
    )


@pytest.mark.parametrize("places", [None, [5, 4, 3, 2, 1, 0]])
def test_items_are_those_of_the_estimate(places: list[int] | None) -> None:
    measure = shares(places).share("t", "c", "m", "now", wanted="high", compared=True)
    items = measure.items
    found = dict(zip(items.keys.to_pylist(), items.values.tolist(), strict=True))
    assert found == {"a/x": 1.0, "b/y": 1.0, "c/x": 0.0}
    assert items.answers is not None and sorted(items.answers.to_pylist()) == ["1", "3", "5"]
    assert items.rows is not None and sorted(items.rows.tolist()) == [0, 2, 4]
    assert items.clusters["pairs"].to_pylist() == [key[0] for key in items.keys.to_pylist()]
    assert measure.mean() == pytest.approx(measure.estimate.value)
    assert measure.comparable and measure.name == ("s", "t", "c", "m")


def test_a_difference_belongs_to_no_single_row() -> None:
    measure = shares().difference("t", "c", "now", "then", wanted="high", compared=True)
    assert measure.items.values.tolist() == [1.0, 0.0, 0.0]
    assert measure.items.rows is None and measure.items.answers is None
    assert measure.mean() == pytest.approx(measure.estimate.value) == pytest.approx(100 / 3)


def test_a_choice_without_rows_has_no_items() -> None:
    measure = shares().share("t", "c", "m", "never", compared=True)
    assert len(measure.items) == 0 and measure.mean() is None
    assert measure.estimate.value is None and measure.estimate.note == "no such row"
    assert len(shares().difference("t", "c", "never", "now", compared=True).items) == 0


def test_what_is_not_compared_has_no_items() -> None:
    measure = shares().share("t", "c", "m", "now", note="wanted: high")
    assert not measure.comparable and measure.estimate.note == "wanted: high"
    with pytest.raises(ValueError, match="no items to compare"):
        _ = measure.items


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    def fails() -> Estimate:
        raise AssertionError

    lazy = Measure("s", "t", "c", "m", fails)
    analysis = Analysis([lazy], {"t": "Title"}, lambda estimates: Ruling("passes", "it does"))
    assert analysis.compared() == []
    with pytest.raises(AssertionError):
        analysis.finding("s")


def test_the_readout_by_likelihood_has_tables_of_its_own() -> None:
    given = Measure.given(Estimate("s", "t", "c", "m", 5.0, unit="count", note="n"))

    def decide(estimates: Sequence[Estimate]) -> Ruling:
        return Ruling("passes", estimates[0].table)

    compared = shares().share("t", "d", "m", "now", compared=True)
    plain = Analysis([given, compared], {"t": "Title"}, decide, details=frozenset({"t"}))
    found = plain.by_likelihood().finding("s")
    assert found.titles == {"t, by likelihood": "Title, by likelihood"}
    assert found.estimates[0].table == "t, by likelihood"
    assert found.verdict == "passes: by likelihood, t" and found.details == {"t, by likelihood"}
    [named] = plain.by_likelihood().compared()
    assert named.title == "Title, by likelihood"
    assert replace(given, condition="z").estimate.condition == "z"


@pytest.mark.parametrize(
    ("unit", "scale", "bound"), [("%", 100.0, 1.0), ("score", 1.0, 2.0), ("points", 100.0, 2.0)]
)
def test_units_scale_and_bound_what_items_can_differ_by(
    unit: str, scale: float, bound: float
) -> None:
    measure = replace(shares().share("t", "c", "m", "now"), unit=unit)
    assert (measure.scale, measure.bound) == (scale, bound)
