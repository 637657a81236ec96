"""Suites end to end: the released procedures, as the suites bring them, against naysay's runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from naysay.bench import ways
from naysay.bench.questions import (
    TimedSuite,
    source_setting,
    suite_setting,
    timed_suites,
    with_verbs,
)
from naysay.bench.random_models import (
    copying_bert,
    forms_of,
    random_bert,
    save_embedder,
    saved,
    word_tokenizer,
)
from naysay.bench.results import Comparison, Target, Timing
from naysay.bench.sizes import Sizes
from naysay.bench.turns import Round, Way, attempt, spread_out, take_turns
from naysay.core.console import Silent
from naysay.core.errors import SpecError
from naysay.core.probes import FillBlank
from naysay.models.files.wheels import folder_of
from naysay.run.metering import Metered
from naysay.suites.benchmarks import Benchmark, LikeModel, Released
from naysay.suites.protocol import Setting

OWN = "naysay"
MASKED, SENTENCE = "masked", "sentence"
EMBEDDER = "minilm"
_OTHERS_LEAST = 10.0
"""How many times as fast a whole run is to be as libraries that ask each question in batches."""


def measure_kind(kind: str, sizes: Sizes, folder: Path, rounds: int) -> Iterator[Comparison]:
    """Time all suites that are timed on this kind of model."""
    for timed in timed_suites():
        if timed.benchmark.kind != kind:
            continue
        for number, like in enumerate(timed.benchmark.models):
            place = folder / f"{timed.suite.name}-{number}"
            yield _measured(timed, like, sizes, place, rounds)


def _measured(
    timed: TimedSuite, like: LikeModel, sizes: Sizes, folder: Path, rounds: int
) -> Comparison:
    (suite, benchmark), name = timed, timed.suite.name
    limit = benchmark.few if sizes.few else benchmark.units

    def set_up(**options: Any) -> Setting:
        setting = suite_setting(name, "all" if limit is None else limit, **like.options, **options)
        return setting if like.verbs is None else with_verbs(setting, like.verbs)

    setting = set_up()
    made = _MODELS[benchmark.kind](setting, like, sizes, folder)
    own = Procedure(made.folder, "fp32", setting, benchmark)
    rows = own.rows()  # also what the released ways may go on from
    released = list(benchmark.released(made.folder, setting, rows))
    variants = {
        f"{OWN}, {what}": Procedure(made.folder, "fp32", set_up(**options), benchmark)
        for what, options in benchmark.variants.items()
    }
    fast = Procedure(made.folder, "auto", setting, benchmark)
    compared = [
        *(way for one in released for way in _ways(one, made, sizes)),
        *(Way(n, one.run, prepare=one.open, once=True) for n, one in variants.items()),
        Way(OWN, own.run, prepare=own.open),
        *([Way(ways.AUTO, fast.run, prepare=fast.open)] if benchmark.kind == MASKED else []),
    ]
    timings = take_turns(compared, rounds, name)
    return Comparison(
        name=f"{name}-{like.name}" if like.name else name,
        title=f"{name}, {suite.unit_name}: {len(setting.units):,}{_listed(setting, like)}; "
        f"{made.title}",
        passes=benchmark.passes,
        timings=timings,
        targets=(
            Target(OWN, released[0].name, benchmark.least),
            *(
                Target(OWN, way, _OTHERS_LEAST)
                for way in (ways.PIPELINE, ways.CLOZE)
                if any(timing.way == way for timing in timings)
            ),
        ),
        notes=(*_kept_notes(own, variants), *timed_note(timings)),
    )


def _listed(setting: Setting, like: LikeModel) -> str:
    return "" if like.verbs is None else f", verbs: {len(setting.lexicon.verbs):,} as in the paper"


@dataclass(frozen=True)
class MadeModel:
    """A model in a folder, and what it is."""

    folder: Path
    title: str
    loaded: tuple[Any, Any] | None = None
    """The model and its tokenizer, for libraries that take these."""


def _masked(setting: Setting, like: LikeModel, sizes: Sizes, folder: Path) -> MadeModel:
    """A BERT-base with random weights; where answers matter, it repeats a share of the verbs."""
    tokenizer = word_tokenizer(setting)
    if like.share is None:
        model, about = random_bert(tokenizer, sizes.layers, sizes.width), ", random weights"
    else:
        forms = forms_of(setting)
        model = copying_bert(tokenizer, sizes.layers, sizes.width, forms, like.share)
        about = f" that repeats about {100 * like.share:.0f} % of the verbs, as {like.name} does"
    saved(folder, model, tokenizer)
    return MadeModel(folder, f"{sizes.masked_model}{about}", (model, tokenizer))


def _sentence(setting: Setting, like: LikeModel, sizes: Sizes, folder: Path) -> MadeModel:
    """MiniLM, or a random model of its size if it is not on this machine."""
    found = folder_of(EMBEDDER)
    if found is not None:
        return MadeModel(found, "all-MiniLM-L6-v2")
    words = word_tokenizer(source_setting())
    return MadeModel(save_embedder(folder, words), "a model of MiniLM's size with random weights")


_MODELS: Mapping[str, Callable[[Setting, LikeModel, Sizes, Path], MadeModel]] = {
    MASKED: _masked, SENTENCE: _sentence,
}  # fmt: skip


@dataclass
class Procedure:
    """A suite as `naysay run` asks it of a model, which is opened anew for each round."""

    folder: Path
    precision: str
    setting: Setting
    benchmark: Benchmark
    kept: frozenset[Any] = frozenset()
    """What the last round went on with, if the suite selects."""
    _model: Any = field(default=None, repr=False)
    _fit: Any = field(default=None, repr=False)

    def open(self) -> None:
        """Load the model, and set up what it sets up once."""
        if self._model is not None:
            self._model.close()
        self._model = ways.opened(self.folder, self.precision)
        self._fit = self.setting.suite.fit(self._model, self.setting)

    def rows(self) -> list[Any]:
        """Ask everything, outside of any round."""
        self.open()
        return self._asked()[0]

    def run(self, number: int) -> Round:
        """Ask everything."""
        rows, questions = self._asked()
        self.kept = self.benchmark.kept(rows)
        return Round(self.benchmark.computed(rows, questions), self.benchmark.answers(rows))

    def _asked(self) -> tuple[list[Any], int]:
        metered = Metered(self._model, Silent())
        suite, setting = self.setting.suite, self.setting
        return list(suite.probe(metered, setting.units, setting, self._fit)), metered.questions


def _ways(released: Released, made: MadeModel, sizes: Sizes) -> Iterable[Way]:
    """A released way; beside questions that are asked one by one, what libraries do with them."""
    limits = [n for n in (released.timed, sizes.most_timed) if n is not None]
    timed = min([len(released.steps), *limits])
    if released.open is not None:
        answering = released.open
        return [attempt(released.name, lambda: _stepwise(released, answering(), timed))]
    if made.loaded is None or not all(isinstance(s, FillBlank) for s in released.steps):
        raise SpecError(f"{released.name}: steps that are no questions need their own way to ask")
    others = ways.others(*made.loaded, released.steps, loop=timed, batched=timed)
    others[0].name = released.name
    return others


def _stepwise(released: Released, answer: Callable[[Sequence[Any]], Any], timed: int) -> Way:
    def run(number: int) -> Round:
        part = spread_out(released.steps, timed, number)
        return Round(released.passes * len(part), answer(part))

    return Way(released.name, run, whole=released.passes * len(released.steps))


def _kept_notes(own: Procedure, variants: Mapping[str, Procedure]) -> Iterator[str]:
    """What was selected in other ways, and whether it is the same."""
    for name, other in variants.items():
        same = own.kept == other.kept
        yield (
            f"Selected: {len(other.kept):,} in {name!r}; {OWN} selects "
            f"{'the same' if same else f'{len(own.kept):,} OTHERS'}."
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
