"""Cost against the number of questions, and against the size of the model."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

from naysay.bench.processes import MODEL, measured
from naysay.bench.questions import masked_questions, source, source_setting
from naysay.bench.random_models import random_bert, saved, word_tokenizer
from naysay.bench.results import Growth, Point, Quantities, Quantity, Result
from naysay.bench.sizes import Sizes
from naysay.bench.ways import opened
from naysay.core.console import counted

TITLE = "Cost against size"
_FIRST = 20
"""Units of a run that shows how many questions a unit has."""
LAST_STEP = 100.0
"""By how many megabytes memory may rise with the last tenfold increase."""


def measure(sizes: Sizes, folder: Path, rounds: int) -> list[Result]:
    """Measure both."""
    return [*_questions(sizes, rounds), _models(sizes, folder, rounds)]


def _questions(sizes: Sizes, rounds: int) -> list[Result]:
    """Runs of a rule-based model, each in a process of its own; the best round of each counts."""
    suite = source()[0]
    each = measured("run", suite.name, str(_FIRST)).counted / _FIRST
    points: dict[int, Point] = {}
    fixed = math.inf
    turns = [wanted for _ in range(rounds) for wanted in (0, *sizes.rows)]
    for wanted in counted(turns, "scale: questions"):
        spent = measured("run", suite.name, str(max(1, round(wanted / each))))
        if not wanted:
            fixed = min(fixed, spent.processor)
            continue
        known = points.get(wanted)
        if known is None or spent.processor < known.seconds:
            points[wanted] = Point(spent.counted, spent.processor, spent.megabytes)
    found = tuple(points[wanted] for wanted in sizes.rows)
    memory = [point.megabytes for point in found if point.megabytes is not None]
    rise = memory[-1] - memory[-2] if len(memory) > 1 else None
    return [
        Growth(
            name="questions",
            title=f"Runs of {suite.name} with {MODEL}",
            along="questions",
            points=found,
            exponent=exponent([(p.size, p.seconds - fixed) for p in found]),
            wanted=(0.95, 1.05),
            notes=(
                "Each in a process of its own; seconds of the processor, which other programs do "
                "not add to. The exponent is of the seconds beyond those of a "
                f"run of one unit, {fixed:.2f}.",
            ),
        ),
        Quantities(
            name="memory",
            title="Peak memory of these runs",
            quantities=(
                Quantity(name="rise with the last increase", value=rise, unit="MB", most=LAST_STEP),
            ),
        ),
    ]


def _models(sizes: Sizes, folder: Path, rounds: int) -> Growth:
    """Random BERTs of several sizes with the same sentences."""
    tokenizer = word_tokenizer(source_setting())
    probes = masked_questions(sizes.sentences)
    models = {}
    for layers, width in sizes.widths:
        place = folder / f"{layers}-{width}"
        model = random_bert(tokenizer, layers, width)
        weights = sum(p.numel() for p in model.bert.encoder.parameters())
        models[weights] = opened(saved(place, model, tokenizer))
    best = dict.fromkeys(models, math.inf)
    turns = [weights for _ in range(rounds) for weights in models]
    for weights in counted(turns, "scale: models"):
        begun = time.perf_counter()
        models[weights].ask(probes)
        best[weights] = min(best[weights], time.perf_counter() - begun)
    return Growth(
        name="models",
        title=f"BERTs of several sizes, random weights, {len(probes):,} sentences",
        along="weights of the layers",
        points=tuple(Point(weights, seconds) for weights, seconds in best.items()),
        exponent=exponent(list(best.items())),
        notes=("Below 1, since the head costs the same in all, and small layers use less of the "
               "processor.",),
    )  # fmt: skip


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """Return the exponent of the power law that fits best, by least squares on both logarithms.

    >>> exponent([(10, 3), (100, 30), (1000, 300)])
    1.0
    """
    known = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len({x for x, _ in known}) < 2:
        return None
    mean_x, mean_y = (sum(column) / len(known) for column in zip(*known, strict=True))
    over: float = sum((x - mean_x) ** 2 for x, _ in known)
    along: float = sum((x - mean_x) * (y - mean_y) for x, y in known)
    return round(along / over, 4)
