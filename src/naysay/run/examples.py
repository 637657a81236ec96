"""Examples: a few items of each suite, asked again with probabilities, for display.

Rows have no probabilities, since their last digits depend on the batch. Examples do, and no figure
is computed from them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import Any, TypeVar

from naysay.core.console import Progress
from naysay.core.examples import DIGITS, PROBABILITY, Example, ExampleSide
from naysay.core.keys import draw, seeded_order
from naysay.core.probes import Choice, ChooseWord, Fill, FillBlank
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.run.manifest import Manifest
from naysay.run.plan import Plan
from naysay.run.rows import rows_in
from naysay.run.schema import ExamplesRecord, checked
from naysay.suites.protocol import Suite

_Kind = tuple[object, ...]
T = TypeVar("T")


class ExampleSample:
    """Samples items from a stream, keeping only as many of each kind as could be chosen."""

    def __init__(self, count: int, seed: int) -> None:
        self._count, self._seed = count, seed
        self._kinds: dict[_Kind, list[tuple[int, Example]]] = {}
        self.seen = 0

    def add(self, items: Iterable[Example]) -> None:
        """Add items, except those that have nothing to ask or to show."""
        for item in items:
            if not item.main:
                continue
            self.seen += 1
            kept = self._kinds.setdefault(_kind(item), [])
            kept.append((draw(self._seed, "examples", item.key), item))
            if len(kept) >= 2 * self._count:
                self._trim(kept)

    def _trim(self, kept: list[tuple[int, Example]]) -> None:
        kept.sort(key=_place)
        del kept[self._count :]

    def chosen(self) -> list[Example]:
        """Return the sample: alternating wrong and right items and their kinds; spare ones last."""
        for kept in self._kinds.values():
            self._trim(kept)
        groups = {
            group: list(self._of_each_kind(*group))
            for group in ((spare, right) for spare in (False, True) for right in (False, True))
        }
        ordered = chain(
            *(in_turn([groups[spare, False], groups[spare, True]]) for spare in (False, True))
        )
        return list(islice(ordered, self._count))

    def _of_each_kind(self, spare: bool, right: bool) -> Iterator[Example]:
        kinds = [kept for kind, kept in self._kinds.items() if kind[:2] == (spare, right)]
        kinds.sort(key=lambda kept: _place(kept[0]))
        return (item for _, item in in_turn(kinds))


def in_turn(lists: Sequence[Sequence[T]]) -> Iterator[T]:
    """Interleave the lists: the first of each, then the second of each, and so on.

    >>> list(in_turn([[1, 2, 3], [4], [5, 6]]))
    [1, 4, 5, 2, 6, 3]
    """
    missing = object()
    for several in zip_longest(*lists, fillvalue=missing):
        yield from (one for one in several if one is not missing)  # type: ignore[misc]


def _kind(item: Example) -> _Kind:
    pattern = tuple((side.label, side.verdict) for side in item.main)
    return item.spare, item.right, item.facet, pattern


def _place(drawn: tuple[int, Example]) -> tuple[int, str]:
    return drawn[0], drawn[1].key


def with_scores(model: Model, items: Sequence[Example]) -> list[Example]:
    """Return the items with their main sides only, each with its top words and scores."""
    sides = [side for item in items for side in item.main]
    asked = [side for side in sides if side.question is not None]
    more = [side for side in asked if side.also and isinstance(side.question, FillBlank)]
    # Questions for further words are asked in the same batch, so equal texts are run once.
    probes: list[Any] = [side.question for side in asked] + [_with_more(side) for side in more]
    answers = model.ask(probes) if probes else []
    first, second = answers[: len(asked)], answers[len(asked) :]
    extra = {id(side): answer for side, answer in zip(more, second, strict=True)}
    filled = {
        id(side): _filled(side, answer, extra.get(id(side)))
        for side, answer in zip(asked, first, strict=True)
    }
    return [
        replace(item, sides=tuple(filled.get(id(side), side) for side in item.main))
        for item in items
    ]


def differing(items: Sequence[Example]) -> list[tuple[Example, ExampleSide]]:
    """Return the sides whose top word differs from the row's answer, without a tie."""
    return [
        (item, side)
        for item in items
        for side in item.sides
        if side.top and not side.tie and side.top[0][0] != side.answer
    ]


def probability(logprob: float) -> float:
    """Return a rounded probability; further digits depend on the batch.

    >>> probability(0.0), probability(-99.0)
    (1.0, 0.0)
    """
    return round(math.exp(logprob), DIGITS)


def _with_more(side: ExampleSide) -> FillBlank:
    assert isinstance(side.question, FillBlank)
    return replace(side.question, words=(*side.question.words, *side.also), top_k=1)


def _filled(side: ExampleSide, answer: Fill | Choice, more: Fill | None) -> ExampleSide:
    if isinstance(answer, Choice):
        assert isinstance(side.question, ChooseWord)
        best = (answer.best, probability(answer.logprob))
        return replace(side, top=(best,), scores=dict((best,)))
    assert isinstance(side.question, FillBlank)
    words, scores = side.question.words, answer.scores
    if more is not None:
        words, scores = (*words, *side.also), more.scores
    return replace(
        side,
        top=tuple((guess.word, probability(guess.logprob)) for guess in answer.top),
        scores={
            word: probability(score)
            for word, score in zip(words, scores, strict=False)  # some models return no scores
            if score is not None
        },
    )


COUNT = 24
"""The number of examples per suite."""
POOL = 20 * COUNT
"""The maximum number of units from which they are chosen."""
POOL_ROWS = 40_000
"""If units have many rows, the units are limited to about this many rows."""


def examples_file(suite: str) -> str:
    """Return the name of a suite's examples file in the run's folder."""
    return f"{suite}-examples.json"


def add_examples(
    plan: Plan, suite: Suite, manifest: Manifest, model: Model, fit: Fit, progress: Progress
) -> None:
    """Write the suite's examples, unless they exist.

    A failure here must not lose the run, so it is only reported and recorded.
    """
    file = examples_file(suite.name)
    if manifest.is_kept(file):
        return
    try:
        items, note = _examples(plan, suite, manifest, model, fit)
        manifest.keep(file, _as_dict(items, note))
        complaint = _complaint(suite, items)
    except Exception as error:
        complaint = f"no examples of {suite.name}: {type(error).__name__}: {error}"
    if complaint is not None:
        progress.note(complaint)
        manifest.complaints.append(complaint)
        manifest.save()


@dataclass(frozen=True)
class KeptExamples:
    """A run's examples of one suite, as they were written."""

    examples: list[dict[str, Any]]
    scale: str
    note: str
    """How they were chosen."""


def read_examples(manifest: Manifest, suite: str) -> KeptExamples | None:
    """The suite's examples, None if the run has no file of them."""
    file = examples_file(suite)
    path = manifest.path(file)
    if not path.exists():
        return None
    hint = f"{manifest.mend()}, or delete it: the run is complete without it"
    record = checked(path, manifest.kept(file, hint), ExamplesRecord, hint)
    examples = [dict(example) for example in record["examples"]]
    return KeptExamples(examples, record.get("scale", PROBABILITY), record.get("note", ""))


def units_of(rows: Table, units: frozenset[str]) -> Table:
    """Return the rows of these units."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pa.array(sorted(units), pa.string())
    return rows.filter(pc.is_in(rows["unit"].cast("string"), value_set=wanted))


def _examples(
    plan: Plan, suite: Suite, manifest: Manifest, model: Model, fit: Fit
) -> tuple[list[Example], str]:
    spec, shards = plan.spec, plan.shards(suite, manifest.shard_size)
    every = [unit.key for shard in shards for unit in shard.units]
    pool = frozenset(seeded_order(every, spec.seed, "examples")[: _pool_size(manifest, suite)])
    sample = ExampleSample(COUNT, spec.seed)
    for shard in shards:
        here = pool & {unit.key for unit in shard.units}
        if here:
            rows = units_of(rows_in(manifest, shard.file, suite), here)
            lexicon = plan.settings[suite.name].lexicon
            sample.add(suite.examples(suite.judge(rows), spec, fit, lexicon))
    chosen = sample.chosen()
    note = (
        f"{len(chosen):,} chosen from {sample.seen:,} ({len(pool):,} of {len(every):,} "
        f"{suite.unit_name}), with seed {spec.seed}. The sample balances wrong and right answers "
        "and all kinds of outcome, so its proportions mean nothing."
    )
    return with_scores(model, chosen), note


def _pool_size(manifest: Manifest, suite: Suite) -> int:
    """Return the number of units to consider, regardless of the shards."""
    rows = sum(int(s["rows"]) for s in manifest.shards.values() if s["suite"] == suite.name)
    units = manifest.units.get(suite.name, 0)
    return max(COUNT, min(POOL, POOL_ROWS * units // max(rows, 1)))


def _as_dict(items: list[Example], note: str) -> dict[str, Any]:
    return {
        "examples": [item.as_dict() for item in items],
        "scale": items[0].scale if items else PROBABILITY,
        "note": note,
    }


def _complaint(suite: Suite, items: list[Example]) -> str | None:
    """Return a warning if the model answers differently when asked again."""
    others = differing(items)
    if not others:
        return None
    item, side = others[0]
    asked = sum(len(one.sides) for one in items)
    return (
        f"{len(others)} of {asked} examples of {suite.name} were answered differently from the "
        f"rows, although they are not ties: first {item.key}, {side.label}: {side.top[0][0]!r}, "
        f"not {side.answer!r}"
    )
