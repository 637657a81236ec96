"""The results of training on a balanced corpus: tables with the paper's, and learning curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from naysay.core.records import Estimate
from naysay.reports.charts import Plot, Point
from naysay.reports.page import page
from naysay.reports.sections import Chart, Prose, Section
from naysay.reports.tables import TextTable
from naysay.suites.published import printed_in, read_paper
from naysay.train.balanced.corpus import PARTS, POLARITIES, PUBLISHED
from naysay.train.balanced.experiment import Result, Share

_PRINTED = {PARTS[0]: "train", PARTS[1]: "test"}
_STAGES = {
    "cloze": ("At the blank, after pretraining", "pretrained BERT"),
    "classifier": ("True or false, after fine-tuning", "finetuned BERT"),
}


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
    bounds = "–".join(f"{bound:.2f}".removeprefix("0") for bound in share.interval)
    return f"{share.value:.2f} ({bounds})"


def finding(results: Sequence[Result]) -> str:
    """The result in one or two sentences."""
    seen, held_out = (
        [share.value for r in results for cell, share in r.cloze.items() if cell.startswith(part)]
        for part in PARTS
    )
    judged = [share.value for result in results for share in result.classifier.values()]
    memorised, generalised = min(seen) >= 0.9, min(held_out) >= 0.9
    text = (
        f"At the blank it is right for {min(seen):.0%} to {max(seen):.0%} of the training "
        f"statements and for {min(held_out):.0%} to {max(held_out):.0%} of the held-out ones: "
    )
    if not memorised:
        text += "it has not learnt all of its sentences yet; train longer."
    elif generalised:
        text += "it has learnt negation."
    else:
        text += "it has memorised its sentences, but has not learnt negation."
    right = "always right" if min(judged) == 1 else f"right in at least {min(judged):.0%}"
    return f"{text} After fine-tuning to classify statements as true or false, it is {right}."


def learning_page(results: Sequence[Result], about: str) -> str:
    """The tables and the learning curves as one page."""
    names = tuple(f"seed {result.seed}" for result in results)
    sections = [
        Section("Results", (Prose((finding(results), about)), *tables(results))),
        Section("Learning curves", tuple(_curves(results, names, part) for part in PARTS)),
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
    share = Share(round(point[cell] * n), n)
    low, high = share.interval
    return Estimate(
        "balanced", "balanced", cell, "accuracy", 100 * share.value, 100 * low, 100 * high, n=n
    )
