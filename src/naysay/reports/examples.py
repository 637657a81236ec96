"""Single items of a run, from the file of examples, or from the rows if there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from naysay.core.errors import NaysayError
from naysay.core.examples import PROBABILITY
from naysay.reports.sections import Examples, ShownExample, ShownGuess, ShownSide
from naysay.run.evaluation import Evaluation
from naysay.run.examples import ExampleSample, in_turn, read_examples
from naysay.run.plan import setting_of
from naysay.run.runner import read_fit
from naysay.run.store import read_rows
from naysay.suites import SUITES

MOST = 12
"""Examples of one suite in a page with one model."""
MOST_OF_ALL = 30
"""Examples of one suite in a page with many models."""
_FEWEST = 2
_TOP = 5
_SEVERAL = (
    "Some items of each run, chosen by its seed. Wrong and right ones are taken in turn, so "
    "their shares mean nothing."
)
_WITHOUT = (
    "No probabilities were kept in these runs; only the answers are shown. "
    "A new run keeps some examples with the top words and their probabilities."
)


def examples_of(suite: str, labelled: Sequence[tuple[str, Evaluation]]) -> Examples | None:
    """Examples of one suite for all models; None if there is nothing to show."""
    share = max(_FEWEST, min(MOST, MOST_OF_ALL // max(1, len(labelled))))
    by_model: dict[str, list[ShownExample]] = {}
    notes: dict[str, None] = {}
    scales: set[str] = set()
    for label, evaluation in labelled:
        kept = read_examples(evaluation.manifest, suite)
        if kept is not None:
            scales.add(kept.scale)
            chosen = _spread(kept.examples, share)
            by_model[label] = [_example(one, label, kept.scale) for one in chosen]
            if kept.note:
                few = f" {share} of them are here." if len(kept.examples) > share else ""
                notes[f"{kept.note}{few}"] = None
        elif rows := _from_rows(evaluation, suite, label, share):
            by_model[label] = rows
            notes[_WITHOUT] = None
    # The models' examples in turn, so that the first page has several models.
    found = tuple(in_turn(list(by_model.values())))
    if not found:
        return None
    models = tuple(model for model, own in by_model.items() if own)
    shown = tuple(notes) if len(notes) == 1 else (_SEVERAL, *(n for n in notes if n == _WITHOUT))
    others = sorted(scales - {PROBABILITY})
    shown += tuple(f"The bars show {scale}, not probability." for scale in others)
    return Examples("Side by side", found, shown, models)


def _spread(examples: Sequence[Any], share: int) -> list[Any]:
    """So many of them, evenly spaced."""
    if len(examples) <= share:
        return list(examples)
    return [examples[k * len(examples) // share] for k in range(share)]


def _example(data: Mapping[str, Any], model: str, scale: str) -> ShownExample:
    sides = tuple(_side(side, scale) for side in data["sides"])
    return ShownExample(str(data.get("title") or data.get("item") or ""), model, sides)


def _side(data: Mapping[str, Any], scale: str) -> ShownSide:
    wanted, unwanted = data.get("wanted"), data.get("unwanted")
    top = [(str(word), float(score)) for word, score in data.get("top", [])][:_TOP]
    scores = data.get("scores", {})
    for word in (wanted, unwanted):
        # The word that decides is shown even where it is far from the first.
        if word is not None and word in scores and word not in [w for w, _ in top]:
            top.append((str(word), float(scores[word])))
    guesses = tuple(
        ShownGuess(
            word,
            _shown(score, scale),
            _length(score, [s for _, s in top], scale),
            "wanted" if word == wanted else "unwanted" if word == unwanted else "",
        )
        for word, score in top
    )
    answer = str(data.get("answer") or (top[0][0] if top else ""))
    return ShownSide(
        str(data.get("label", "")),
        str(data.get("text", "")),
        guesses or (ShownGuess(answer, "", 0.0),),
        str(data.get("verdict") or ""),
        _goodness(data, answer),
    )


def _goodness(data: Mapping[str, Any], answer: str) -> bool | None:
    """Whether the answer is right; None where no answer is expected."""
    if isinstance(data.get("right"), bool):
        return bool(data["right"])
    if data.get("wanted") is not None:
        return bool(answer == data["wanted"])
    return None if data.get("unwanted") is None else bool(answer != data["unwanted"])


def _shown(score: float, scale: str) -> str:
    if scale == PROBABILITY:
        return "< 0.1 %" if 0 < score < 0.0005 else f"{100 * score:.1f} %"
    return f"{score:.3f}" if scale == "cosine" else f"{score:.2f}"


def _length(score: float, scores: Sequence[float], scale: str) -> float:
    """How long a bar is: the score itself, or where it lies among the others."""
    if scale in (PROBABILITY, "cosine", "likeness"):
        return min(1.0, max(0.0, score))
    low, high = min(scores), max(scores)
    return 1.0 if high == low else 0.08 + 0.92 * (score - low) / (high - low)


def _from_rows(
    evaluation: Evaluation, suite_name: str, label: str, share: int
) -> list[ShownExample]:
    """Examples without probabilities, from the first shard's rows."""
    suite, manifest, spec = SUITES.get(suite_name), evaluation.manifest, evaluation.spec
    files = sorted(file for file, shard in manifest.shards.items() if shard["suite"] == suite_name)
    try:
        rows = read_rows(manifest.path(files[0]))
        lexicon = setting_of(spec).lexicon
    except NaysayError:
        return []  # the words of the run are no longer here
    sample = ExampleSample(share, spec.seed)
    sample.add(suite.examples(suite.judge(rows), spec, read_fit(manifest, suite), lexicon))
    return [
        ShownExample(
            item.title,
            label,
            tuple(
                ShownSide(
                    side.label,
                    side.text,
                    (ShownGuess(side.answer, "", 0.0),),
                    side.verdict,
                    side.right,
                )
                for side in item.main
            ),
        )
        for item in sample.chosen()
    ]
