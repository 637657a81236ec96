"""Absolute floors and ceilings for single figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from naysay.compare.check import Check
from naysay.errors import SpecError, near_names
from naysay.evaluation import Evaluation
from naysay.records import Estimate


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
        passed = value is not None and sign * value >= sign * floor.value
        measured = "not measured" if value is None else f"{value:.1f}"
        yield Check(
            floor.kind, estimate.suite, floor.figure, passed,
            f"{measured}, at {'most' if floor.kind == 'max' else 'least'} {floor.value:g} wanted",
            value, floor.value, unit=estimate.unit,
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
    """What a figure may be called, from the shortest to the longest."""
    short = f"{e.table}.{e.condition}"
    return [short, f"{short}.{e.metric}", f"{e.suite}.{short}", f"{e.suite}.{short}.{e.metric}"]
