"""Single items of a run, from the file of examples, or from the rows if there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import NaysayError
from naysay.core.examples import PROBABILITY, ExampleSide
from naysay.core.records import Finding
from naysay.reports.sections import Examples, ShownExample, ShownGuess, ShownSide
from naysay.run.evaluation import Evaluation
from naysay.run.examples import ExampleSample, in_turn, read_examples
from naysay.run.plan import setting_of
from naysay.run.rows import read_fit, rows_in, stored_by
from naysay.suites import SUITES

MOST = 12
"""Examples of one suite in a page with one model."""
MOST_OF_ALL = 30
"""Examples of one suite in a page with many models."""
_FEWEST = 2
_TOP = 5
_SEVERAL = (
    "Some items of each run, chosen by its seed: as many wrong as right ones where there are both, "
    "so their shares mean nothing. Wrong answers come first."
)
_WITHOUT = (
    "No probabilities were kept in these runs; only the answers are shown. "
    "A new run keeps some examples with the top words and their probabilities."
)


@dataclass(frozen=True)
class ShownExamples:
    """All examples of one run and suite, and what is said of them."""

    examples: tuple[ShownExample, ...]
    scale: str = PROBABILITY
    note: str = ""


def examples_of(
    kept: Mapping[str, ShownExamples], controls: Set[str] = frozenset()
) -> Examples | None:
    """Some of the examples of one suite, by model; None if there is nothing to show.

    Wrong answers come first, above all those to a contradiction, and real models before controls.
    """
    share = max(_FEWEST, min(MOST, MOST_OF_ALL // max(1, len(kept))))
    by_model = {model: _spread(own.examples, share) for model, own in kept.items() if own.examples}
    # The models' examples in turn, so that the first page has several models.
    found = sorted(in_turn(list(by_model.values())), key=lambda one: _place(one, controls))
    if not found:
        return None
    notes: dict[str, None] = {}
    for own in (kept[model] for model in by_model if kept[model].note):
        cut = len(own.examples) > share and own.note != _WITHOUT
        notes[f"{own.note} {share} of them are here." if cut else own.note] = None
    shown = tuple(notes) if len(notes) == 1 else (_SEVERAL, *(n for n in notes if n == _WITHOUT))
    others = sorted({kept[model].scale for model in by_model} - {PROBABILITY})
    shown += tuple(f"The bars show {scale}, not probability." for scale in others)
    return Examples("Side by side", tuple(found), shown, tuple(by_model))


def _place(example: ShownExample, controls: Set[str]) -> tuple[bool, bool, bool]:
    wrong = example.outcome == "wrong"
    return not (wrong and example.model not in controls), not wrong, not example.contradicts


def shown_examples(finding: Finding, evaluation: Evaluation, label: str) -> ShownExamples:
    """A run's examples of one suite; without probabilities if none were kept."""
    kept = read_examples(evaluation.manifest, finding.suite)
    if kept is None:
        rows = _from_rows(evaluation, finding, label, MOST)
        return ShownExamples(tuple(rows), note=_WITHOUT if rows else "")
    found = tuple(_example(one, label, kept.scale, finding) for one in kept.examples)
    return ShownExamples(found, kept.scale, kept.note)


def _spread(examples: Sequence[ShownExample], share: int) -> list[ShownExample]:
    """So many of them, evenly spaced."""
    if len(examples) <= share:
        return list(examples)
    return [examples[k * len(examples) // share] for k in range(share)]


def _example(data: Mapping[str, Any], model: str, scale: str, finding: Finding) -> ShownExample:
    sides = tuple(shown_side(side, scale, finding) for side in data["sides"])
    return ShownExample(str(data.get("title") or data.get("item") or ""), model, sides)


def shown_side(data: Mapping[str, Any], scale: str, finding: Finding) -> ShownSide:
    """A side of an example, with its first words and the words that decide."""
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
            shown_score(score, scale),
            bar_length(score, [s for _, s in top], scale),
            "wanted" if word == wanted else "unwanted" if word == unwanted else "",
        )
        for word, score in top
    )
    answer = str(data.get("answer") or (top[0][0] if top else ""))
    label, good = str(data.get("label", "")), _goodness(data, answer)
    return ShownSide(
        label,
        str(data.get("text", "")),
        guesses or (ShownGuess(answer, "", 0.0),),
        str(data.get("verdict") or ""),
        good,
        answer=answer,
        meaning=finding.meaning(label),
        forbids=unwanted is not None,
        contradicts=good is False and answer == unwanted and not data.get("tie"),
        score=dict(top).get(answer, 0.0),
        scale=scale,
        wanted=str(wanted or ""),
    )


def _goodness(data: Mapping[str, Any], answer: str) -> bool | None:
    """Whether the answer is right; None where no answer is expected."""
    if isinstance(data.get("right"), bool):
        return bool(data["right"])
    if data.get("wanted") is not None:
        return bool(answer == data["wanted"])
    return None if data.get("unwanted") is None else bool(answer != data["unwanted"])


def shown_score(score: float, scale: str) -> str:
    """A score as it is printed."""
    if scale == PROBABILITY:
        return "< 0.1 %" if 0 < score < 0.0005 else f"{100 * score:.1f} %"
    return f"{score:.3f}" if scale == "cosine" else f"{score:.2f}"


def bar_length(score: float, scores: Sequence[float], scale: str) -> float:
    """How long a bar is: the score itself, or where it lies among the others."""
    if scale in (PROBABILITY, "cosine", "likeness"):
        return min(1.0, max(0.0, score))
    low, high = min(scores), max(scores)
    return 1.0 if high == low else 0.08 + 0.92 * (score - low) / (high - low)


def _from_rows(
    evaluation: Evaluation, finding: Finding, label: str, share: int
) -> list[ShownExample]:
    """Examples without probabilities, from the first shard's rows."""
    suite, manifest, spec = SUITES.get(finding.suite), evaluation.manifest, evaluation.spec
    files = sorted(name for name, shard in manifest.shards.items() if shard["suite"] == suite.name)
    try:
        rows = rows_in(manifest, files[0], suite)
        lexicon = setting_of(spec).lexicon
    except NaysayError:
        return []  # the words of the run are no longer here
    sample = ExampleSample(share, spec.seed)
    with stored_by(manifest, suite):
        sample.add(suite.examples(suite.judge(rows), spec, read_fit(manifest, suite), lexicon))
    return [
        ShownExample(item.title, label, tuple(_asked_once(side, finding) for side in item.main))
        for item in sample.chosen()
    ]


def _asked_once(side: ExampleSide, finding: Finding) -> ShownSide:
    """A side as the row has it."""
    return ShownSide(
        side.label,
        side.text,
        (ShownGuess(side.answer, "", 0.0),),
        side.verdict,
        side.right,
        answer=side.answer,
        meaning=finding.meaning(side.label),
        forbids=side.unwanted is not None,
        contradicts=side.right is False and side.answer == side.unwanted and not side.tie,
        wanted=side.wanted or "",
    )
