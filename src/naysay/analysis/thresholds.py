"""Thresholds for single figures, and hard items that a run must get right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from naysay.analysis.changes import UNPAIRED
from naysay.core.errors import SpecError, near_names
from naysay.core.files import read_text, read_toml
from naysay.core.measures import Measure
from naysay.core.records import Estimate
from naysay.run.evaluation import Evaluation

FEWEST = 5
"""Fewer items show nothing."""


@dataclass(frozen=True, slots=True)
class Check:
    """One condition, and whether it holds."""

    kind: str
    """`baseline`, `published`, `min`, `max` or `hard`."""
    suite: str
    name: str
    passed: bool
    reason: str
    value: float | None = None
    against: float | None = None
    loss: float | None = None
    low: float | None = None
    high: float | None = None
    """The interval of the loss."""
    unit: str = "%"
    against_as: str | None = None
    """A published figure as the paper prints it."""
    n: int | None = None
    """How many items are compared; None for floors and hard items."""
    n_baseline: int = 0
    """How many items of the figure the baseline has."""
    n_run: int = 0
    """How many the run has."""
    coverage: float | None = None
    """The percentage of the baseline's items that is compared."""
    p: float | None = None
    """The one-sided p-value that the true loss is above the margin."""
    p_holm: float | None = None
    """The same, adjusted for all checks against the baseline; None where no rule needs that."""
    method: str | None = None
    """The method of the interval; `unpaired` if each run's figure is on its own items."""
    applicable: bool = True
    """Whether there is anything to check; what is not applicable does not fail."""

    @property
    def unpaired(self) -> bool:
        """Whether each run's figure is on its own items."""
        return self.method == UNPAIRED

    def as_dict(self) -> dict[str, Any]:
        """The check as plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Floor:
    """A figure that must not be below a value, or above it (`max`)."""

    kind: str
    figure: str
    value: float

    @classmethod
    def of(cls, kind: str, text: str) -> Floor:
        """The floor that a command line says.

        >>> Floor.of("min", "drops.CpTn=80")
        Floor(kind='min', figure='drops.CpTn', value=80.0)
        """
        figure, sign, value = text.rpartition("=")
        try:
            if not sign:
                raise ValueError
            return cls(kind, figure.strip(), float(value))
        except ValueError:
            raise SpecError(
                f"--{kind} {text!r}: write TABLE.CONDITION=VALUE, as in drops.CpTn=80"
            ) from None


def floor_checks(
    evaluation: Evaluation, floors: Sequence[Floor], suites: Sequence[str] | None
) -> Iterator[Check]:
    """Whether each figure is on the right side of its floor."""
    estimates = [e for e in evaluation if not suites or e.suite in suites]
    for floor in floors:
        estimate = _found(floor, estimates)
        value = estimate.value
        sign = -1 if floor.kind == "max" else 1
        counted = estimate.unit in ("count", "p")
        passed = value is not None and sign * value >= sign * floor.value
        measured = "not measured" if value is None else f"{value:.1f} on {estimate.n:,} items"
        if estimate.n < FEWEST and not counted:
            passed = False
            measured += f" (fewer than {FEWEST} show nothing)"
        yield Check(
            floor.kind, estimate.suite, floor.figure, passed,
            f"{measured}, required at {'most' if floor.kind == 'max' else 'least'} {floor.value:g}",
            value, floor.value, unit=estimate.unit, n=None if counted else estimate.n,
        )  # fmt: skip


def _found(floor: Floor, estimates: Sequence[Estimate]) -> Estimate:
    found = [e for e in estimates if floor.figure in _names(e)]
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(sorted(_names(e)[-1] for e in found))
        raise SpecError(f"--{floor.kind} {floor.figure} could be any of {listed}")
    near = near_names(floor.figure, {_names(e)[0] for e in estimates})
    table = floor.figure.partition(".")[0]
    here = sorted({_names(e)[0] for e in estimates if e.table == table})
    tables = ", ".join(dict.fromkeys(e.table for e in estimates))
    raise SpecError(
        f"--{floor.kind} {floor.figure}: the run has no such figure. "
        + (f"Did you mean {' or '.join(near)}? " if near else "")
        + (f"In {table}: {', '.join(here)}." if here else f"Its tables: {tables}.")
    )


def _names(e: Estimate) -> list[str]:
    """The names of a figure, from the shortest to the longest."""
    short = f"{e.table}.{e.condition}"
    return [short, f"{short}.{e.metric}", f"{e.suite}.{short}", f"{e.suite}.{short}.{e.metric}"]


@dataclass(frozen=True, slots=True)
class HardItem:
    """An item by its key; in one suite and condition, or wherever it stands."""

    key: str
    suite: str | None = None
    condition: str | None = None


def read_hard(path: Path) -> list[HardItem]:
    """The items of a text file, a key on each line, or of a TOML file with `[[item]]`."""
    try:
        if path.suffix == ".toml":
            items = [HardItem(**entry) for entry in read_toml(path)["item"]]
        else:
            lines = (line.strip() for line in read_text(path).splitlines())
            items = [HardItem(line) for line in lines if line and not line.startswith("#")]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpecError(
            f"--hard {path} cannot be read ({error}): it needs a key on each line, or as TOML "
            '[[item]] with key = "…" and, if wanted, suite and condition'
        ) from error
    if not items:
        raise SpecError(f"--hard {path} has no item")
    return items


def hard_checks(measures: Iterable[Measure], items: Sequence[HardItem]) -> Iterator[Check]:
    """Whether each item is right wherever it was asked; one that was not asked is not right."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = pa.array([item.key for item in items], pa.string())
    asked = [0] * len(items)
    wrong: list[list[str]] = [[] for _ in items]
    suites: list[str] = [item.suite or "" for item in items]
    for measure in measures:
        if measure.wanted is None or measure.unit != "%":
            continue  # an item is neither right nor wrong there
        right = measure.items.values == (1.0 if measure.wanted == "high" else 0.0)
        places = pc.index_in(keys, value_set=measure.items.keys).to_pylist()
        for k, (item, place) in enumerate(zip(items, places, strict=True)):
            if place is None or item.suite not in (None, measure.suite):
                continue
            if item.condition in (None, measure.condition):
                asked[k] += 1
                suites[k] = suites[k] or measure.suite
                if not right[place]:
                    wrong[k].append(_where(measure, place))
    for k, item in enumerate(items):
        reason = "right"
        if wrong[k]:
            reason = f"wrong in {'; '.join(wrong[k])}"
        elif not asked[k]:
            reason = "not asked in this run"
        yield Check("hard", suites[k], item.key, bool(asked[k]) and not wrong[k], reason)


def _where(measure: Measure, place: int) -> str:
    answers = measure.items.answers
    answer = None if answers is None else answers[place].as_py()
    given = "" if answer is None else f" (answer: {answer!r})"
    return f"{measure.table} {measure.condition}{given}"
