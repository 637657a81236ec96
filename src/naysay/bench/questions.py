"""The suites that can be timed, as a run asks them, and sentences for what times no suite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from naysay.core.errors import RunError
from naysay.core.keys import seeded_order
from naysay.core.probes import FillBlank
from naysay.core.spec import RunSpec
from naysay.run.plan import setting_of
from naysay.suites import SUITES
from naysay.suites.benchmarks import Benchmark, SentenceSource, benchmark_of
from naysay.suites.protocol import Setting, Suite


class TimedSuite(NamedTuple):
    """A suite with its benchmark."""

    suite: Suite
    benchmark: Benchmark


@cache
def timed_suites() -> tuple[TimedSuite, ...]:
    """Return all suites that bring a benchmark, in the order of their papers."""
    found = ((suite, benchmark_of(suite)) for suite in SUITES.all())
    return tuple(TimedSuite(suite, bench) for suite, bench in found if bench is not None)


def suite_setting(suite: str, limit: int | str | None = None, **options: Any) -> Setting:
    """Return a suite with its words, drawn as `naysay run --limit` draws them."""
    setting = setting_of(RunSpec(model="", suites=(suite,), limit=limit))
    if not options:
        return setting
    spec = setting.spec
    own = replace(spec.options[suite], **options)
    return setting_of(replace(spec, options={**spec.options, suite: own}))


def with_verbs(setting: Setting, number: int) -> Setting:
    """Return the same with so many of its verbs at the most, drawn by a fixed seed."""
    lexicon = setting.lexicon
    drawn = set(seeded_order(lexicon.verbs, 0, "benchmark")[:number])
    verbs = tuple(verb for verb in lexicon.verbs if verb in drawn)
    return replace(setting, lexicon=replace(lexicon, verbs=verbs))


def _sources() -> Iterator[tuple[Suite, SentenceSource]]:
    for suite, benchmark in timed_suites():
        if isinstance(benchmark, SentenceSource):
            yield suite, benchmark


def source() -> tuple[Suite, SentenceSource]:
    """Return the first suite whose sentences serve for all parts."""
    found = next(_sources(), None)
    if found is None:
        raise RunError("no installed suite brings sentences for naysay bench")
    return found


def source_setting(limit: int | None = None) -> Setting:
    """Return that suite with its words."""
    return suite_setting(source()[0].name, limit)


def masked_questions(number: int) -> list[FillBlank]:
    """Return so many distinct questions of that suite."""
    return source()[1].questions(number, source_setting(number))


def continued_contexts(contexts: int, continuations: int) -> list[tuple[str, str]]:
    """Return contexts of that suite, each with so many sentences that continue it."""
    return source()[1].continuations(source_setting(contexts), continuations)
