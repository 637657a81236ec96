"""Hard items: those that a run must have right, whatever its figures are."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.compare.check import Check
from naysay.errors import SpecError
from naysay.outcomes import Outcome


@dataclass(frozen=True, slots=True)
class HardItem:
    """An item by its key; in one suite and condition, or wherever it stands."""

    key: str
    suite: str | None = None
    condition: str | None = None


def read_hard(path: Path) -> list[HardItem]:
    """The items of a text file, a key on each line, or of a TOML file with `[[item]]`."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            items = [HardItem(**entry) for entry in tomllib.loads(text)["item"]]
        else:
            lines = (line.strip() for line in text.splitlines())
            items = [HardItem(line) for line in lines if line and not line.startswith("#")]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpecError(
            f"--hard {path} cannot be read ({error}): it needs a key on each line, or as TOML "
            '[[item]] with key = "…" and, if wanted, suite and condition'
        ) from error
    if not items:
        raise SpecError(f"--hard {path} has no item")
    return items


def hard_checks(outcomes: Iterable[Outcome], items: Sequence[HardItem]) -> Iterator[Check]:
    """Whether each item is right wherever it was asked; one that was not asked is not right."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = pa.array([item.key for item in items], pa.string())
    asked = [0] * len(items)
    wrong: list[list[str]] = [[] for _ in items]
    suites: list[str] = [item.suite or "" for item in items]
    for outcome in outcomes:
        if outcome.wanted is None or outcome.unit != "%":
            continue  # an item is neither right nor wrong there
        right = outcome.values == (1.0 if outcome.wanted == "high" else 0.0)
        places = pc.index_in(keys, value_set=outcome.keys).to_pylist()
        for k, (item, place) in enumerate(zip(items, places, strict=True)):
            if place is None or item.suite not in (None, outcome.suite):
                continue
            if item.condition in (None, outcome.condition):
                asked[k] += 1
                suites[k] = suites[k] or outcome.suite
                if not right[place]:
                    wrong[k].append(_told(outcome, place))
    for k, item in enumerate(items):
        reason = "right"
        if wrong[k]:
            reason = f"wrong in {'; '.join(wrong[k])}"
        elif not asked[k]:
            reason = "was not asked in this run, so it cannot be right"
        yield Check("hard", suites[k], item.key, bool(asked[k]) and not wrong[k], reason)


def _told(outcome: Outcome, place: int) -> str:
    answer = outcome.answers[place].as_py() if outcome.answers is not None else None
    said = "" if answer is None else f" (said {answer!r})"
    return f"{outcome.table} {outcome.condition}{said}"
