"""Suites of triplets end to end: every verb asked one by one, as released, against naysay's run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from naysay.bench import ways
from naysay.bench.questions import suite_setting
from naysay.bench.random_models import copying_bert, forms_of, saved, word_tokenizer
from naysay.bench.results import Comparison, Target, Timing
from naysay.bench.sizes import Sizes
from naysay.bench.turns import Answers, Round, Way, take_turns
from naysay.core.console import Silent
from naysay.core.probes import FillBlank
from naysay.core.protocols import Model
from naysay.run.metering import Metered
from naysay.suites.protocol import Setting
from naysay.suites.scnt.selection import SELECTION, TESTS
from naysay.suites.scnt.suite import SelfContainedNegTest, TripletRow

EVERY, LAZY = "naysay, every verb", "naysay"


def measure_selection(
    suite: str, share: float, like: str, least: float, sizes: Sizes, folder: Path, rounds: int
) -> Comparison:
    """Time a suite on a BERT-base that repeats this share of the verbs, as a paper's model does."""
    setting = suite_setting(suite, sizes.pairs)
    tokenizer = word_tokenizer(setting)
    model = copying_bert(tokenizer, sizes.layers, sizes.width, forms_of(setting), share)
    saved(folder, model, tokenizer)
    exact = ways.opened(folder)
    every = Procedure(exact, suite_setting(suite, sizes.pairs, exhaustive=True))
    lazy = Procedure(exact, setting)
    fast = Procedure(ways.opened(folder, "auto"), setting)
    asked = every.all_questions()  # also what the others are timed on
    timed = min(sizes.timed, len(asked))
    compared = [
        *ways.others(model, tokenizer, asked, loop=timed, batched=timed),
        Way(EVERY, every.run, once=True),
        Way(LAZY, lazy.run),
        Way(ways.AUTO, fast.run),
    ]
    timings = take_turns(compared, rounds, suite)
    same = lazy.retained == every.retained
    return Comparison(
        name=f"{suite}-{like}",
        title=(
            f"{suite}, pairs: {len(setting.units)}; {sizes.masked_model} that repeats about "
            f"{100 * share:.0f} % of the verbs, as {like} does"
        ),
        timings=timings,
        targets=(
            Target(LAZY, ways.LOOP, least),
            Target(LAZY, ways.PIPELINE, 10.0),
            Target(LAZY, ways.CLOZE, 10.0),
        ),
        notes=(
            f"Retained triplets: {len(every.retained):,} if every verb is asked; naysay retains "
            f"{'the same' if same else f'{len(lazy.retained):,} OTHERS'}.",
            *timed_note(timings),
        ),
    )


def timed_note(timings: Sequence[Timing]) -> list[str]:
    """Which ways were timed on a part."""
    found: dict[str, list[str]] = {}
    for timing in timings:
        if timing.seconds is not None and timing.timed < timing.passes:
            said = f"timed {timing.timed:,} of {timing.passes:,} passes"
            found.setdefault(said, []).append(timing.way)
    return [
        f"{said}, seconds multiplied accordingly: {'; '.join(names)}."
        for said, names in found.items()
    ]


class Procedure:
    """A suite of triplets as `naysay run` asks it of a model."""

    def __init__(self, model: Model, setting: Setting) -> None:
        self._model, self._setting = model, setting
        self._suite = cast(SelfContainedNegTest, setting.suite)
        self._fit = self._suite.fit(model, setting)
        self.retained: frozenset[tuple[str, str]] = frozenset()
        """The pairs and verbs of the triplets that were tested."""

    def run(self, number: int = 0) -> Round:
        """Ask everything."""
        metered = Metered(self._model, Silent())
        rows: list[TripletRow] = list(
            self._suite.probe(metered, self._setting.units, self._setting, self._fit)
        )
        tested = {(row.unit, row.verb) for row in rows if row.condition != SELECTION}
        self.retained = frozenset(tested)
        answers: Answers = {row.text: (row.answer, None) for row in rows}
        return Round(metered.questions, answers)

    def all_questions(self) -> list[FillBlank]:
        """Every question of the exhaustive procedure, in its order.

        The verbs that are tested are known only after the selection, so they are asked first.
        """
        self.run()
        items = self._suite.items(self._setting)
        retained: Mapping[str, list[str]] = _by_unit(self.retained)
        words: list[Any] = []
        for unit in self._setting.units:
            words += [(SELECTION, unit, verb) for verb in self._fit.used]
            words += [(c, unit, verb) for verb in retained.get(unit.key, ()) for c in TESTS]
        other = self._fit.used[0], self._fit.used[1]
        return [
            # minicons masks every occurrence of the word, so it is one that the text lacks.
            FillBlank(
                items.text(condition, unit, verb),
                words=(items.form(other[verb == other[0]]),),
            )
            for condition, unit, verb in words
        ]


def _by_unit(triplets: frozenset[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for unit, verb in sorted(triplets):
        found.setdefault(unit, []).append(verb)
    return found
