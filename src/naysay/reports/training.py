"""The results of training on a balanced corpus: tables with the paper's, and learning curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from naysay.core.records import Estimate
from naysay.reports.charts import Plot, Point
from naysay.reports.page import page
from naysay.reports.sections import Chart, Prose, Section
from naysay.reports.tables import NONE, TextTable
from naysay.stats.intervals import wilson
from naysay.suites.published import printed_in, read_paper
from naysay.train.balanced import PUBLISHED
from naysay.train.balanced.corpus import PARTS, POLARITIES
from naysay.train.balanced.experiment import Result, Share

_PRINTED = {PARTS[0]: "train", PARTS[1]: "test"}
_STAGES = {
    "cloze": ("Right at the blank, after pretraining (0.50 by chance)", "pretrained BERT"),
    "classifier": ("True or false, after fine-tuning (0.50 by chance)", "finetuned BERT"),
}
_BARS = "▁▂▃▄▅▆▇█"
_POINTS = 12  # of a curve in a table


def tables(results: Sequence[Result]) -> list[TextTable]:
    """Both stages: a row for each part and polarity, a column for each seed, and the paper's."""
    return [_table(results, stage) for stage in _STAGES]


def _table(results: Sequence[Result], stage: str) -> TextTable:
    title, name = _STAGES[stage]
    rows = []
    for part in PARTS:
        for polarity in POLARITIES:
            shares = [_shares(result, stage)[f"{part} {polarity}"] for result in results]
            paper = printed_in(
                read_paper(PUBLISHED), "balanced", f"{_PRINTED[part]} {polarity[:3]}", "accuracy"
            )
            mean = sum(share.value for share in shares) / len(shares)
            cells = [_shown(share) for share in shares]
            if len(shares) > 1:
                cells.append(f"{mean:.2f}")
            rows.append((f"{part}, {polarity}", *cells, f"{paper[name]:.1f}"))
    columns = [f"seed {result.seed}" for result in results]
    if len(results) > 1:
        columns.append("mean")
    return TextTable(title, ("", *columns, "paper"), tuple(rows))


def _shares(result: Result, stage: str) -> Mapping[str, Share]:
    return result.cloze if stage == "cloze" else result.classifier


def _shown(share: Share) -> str:
    bounds = "–".join(f"{bound:.2f}".removeprefix("0") for bound in (share.low, share.high))
    return f"{share.value:.2f} ({bounds})"


def sparklines(results: Sequence[Result]) -> TextTable:
    """The learning curves in one row for each part and polarity, as means over seeds."""
    steps = _steps(results, 4 * _POINTS)
    rows = []
    for part in PARTS:
        for polarity in POLARITIES:
            values = [_mean(results, step, f"{part} {polarity}") for step in steps]
            ends = (f"{values[0]:.2f}", f"{values[-1]:.2f}") if values else (NONE, NONE)
            rows.append((f"{part}, {polarity}", sparkline(values), *ends))
    first, last = (f"step {steps[place]:,}" if steps else "" for place in (0, -1))
    return TextTable("Learning curve at the blank", ("", "", first, last), tuple(rows))


def sparkline(values: Sequence[float]) -> str:
    """Draw shares from 0 to 1 as a line of blocks.

    >>> sparkline([0, 0.5, 1])
    '▁▅█'
    """
    return "".join(_BARS[min(int(value * len(_BARS)), len(_BARS) - 1)] for value in values)


def curve_table(results: Sequence[Result]) -> TextTable:
    """The learning curves at some of their steps, as means over seeds."""
    cells = [f"{part} {polarity}" for part in PARTS for polarity in POLARITIES]
    rows = tuple(
        (
            f"{step:,}",
            f"{_mean(results, step, 'loss'):.3f}",
            *(f"{_mean(results, step, cell):.2f}" for cell in cells),
        )
        for step in _steps(results, _POINTS)
    )
    columns = ("step", "training loss", *cells)
    return TextTable("Right at the blank in the course of pretraining", columns, rows)


def _steps(results: Sequence[Result], most: int) -> list[int]:
    """Steps of the curves, evenly spaced, with the first and the last."""
    steps = [int(point["step"]) for point in results[0].curve]
    if len(steps) <= most:
        return steps
    return [steps[round(k * (len(steps) - 1) / (most - 1))] for k in range(most)]


def _mean(results: Sequence[Result], step: int, name: str) -> float:
    values = [point[name] for result in results for point in result.curve if point["step"] == step]
    return sum(values) / len(values)


def finding(results: Sequence[Result]) -> str:
    """The result in one or two sentences."""
    seen, held_out = (
        [share.value for r in results for cell, share in r.cloze.items() if cell.startswith(part)]
        for part in PARTS
    )
    judged = [share.value for result in results for share in result.classifier.values()]
    memorised, generalised = min(seen) >= 0.9, min(held_out) >= 0.9
    text = (
        f"At the blank it is right for {_range(seen)} of the subjects where such sentences were "
        f"trained on, and for {_range(held_out)} where they were held out (50 % by chance): "
    )
    if not memorised:
        text += "it has not learnt all of its sentences yet; train longer."
    elif generalised:
        text += "it has learnt negation."
    else:
        text += "it has memorised its sentences, but has not learnt negation."
    right = "always right" if min(judged) == 1 else f"right in at least {100 * min(judged):.0f} %"
    return f"{text} After fine-tuning to classify statements as true or false, it is {right}."


def _range(shares: Sequence[float]) -> str:
    low, high = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def learning_page(results: Sequence[Result], about: str) -> str:
    """The tables and the learning curves as one page."""
    names = tuple(f"seed {result.seed}" for result in results)
    sections = [
        Section("Results", (Prose((finding(results), about)), *tables(results))),
        Section(
            "Learning curves",
            (*(_curves(results, names, part) for part in PARTS), curve_table(results)),
        ),
    ]
    return page("Is “not” learnt where it is frequent?", sections)


def _curves(results: Sequence[Result], names: tuple[str, ...], part: str) -> Chart:
    points = [
        Point(name, f"step {int(point['step'])}", _estimate(result, point, part, polarity),
              polarity, float(point["step"]))
        for name, result in zip(names, results, strict=True)
        for point in result.curve
        for polarity in POLARITIES
    ]  # fmt: skip
    return Plot(
        name=f"balanced-{part.replace(' ', '-')}", title=f"Right at the blank: {part}",
        points=points, models=names, along="step of pretraining", quantity="right answers",
    ).chart()  # fmt: skip


def _estimate(result: Result, point: Mapping[str, float], part: str, polarity: str) -> Estimate:
    cell = f"{part} {polarity}"
    n = result.cloze[cell].n
    low, high = wilson(point[cell] * n, n)  # each subject is asked once
    return Estimate(
        "balanced", "balanced", cell, "accuracy", 100 * point[cell], 100 * low, 100 * high, n=n
    )
