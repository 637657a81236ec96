"""Low precision first, and the answers of fp32.

Where a processor multiplies bf16 several times as fast as fp32, most first words can be read from a
body in bf16: rounding moves logits a little, and the best word is usually far ahead. How far they
move is measured on the first questions, which are asked in both precisions. From then on, a word
that is ahead by more than twice that is the answer, and everything closer is asked again in fp32.
One in a hundred of the others is checked, too; if one is wrong, the bound is widened, what the old
bound let through is asked again, and the user is notified.

Whether this pays is measured with the same first questions, including those that have to be asked
again, so a model whose words are always close runs in fp32 alone.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from naysay.core.console import notify
from naysay.models.files import Weights
from naysay.models.lm.engine import Engine
from naysay.models.lm.finite import NotFiniteError
from naysay.models.lm.questions import Question

WORTHWHILE = 1.3
"""The gain in speed from which on low precision is used."""
LARGE = 30_000_000
"""Parameters; smaller models are fast anyway, and the trial of the processor takes seconds."""
_TRIED = 128  # questions that are asked in both precisions first
_SAFETY = 2.0  # times the largest error seen
_NEAR = 20  # words; others are too far behind to become the first by rounding
_EVERY = 100  # one in so many answers is checked

_BYTES = 2  # of a parameter, at least, in weights that transformers loads

Passed = tuple[list[Question], Any]


class Screening:
    """Two engines of one model: the first one decides where it is sure to agree with the other."""

    def __init__(self, low: Engine, exact: Engine, name: str) -> None:
        self._low, self._exact, self._name = low, exact, name
        self.bound: float | None = None
        """How far ahead a word must be in low precision; None if that is not known yet."""
        self.pays: bool | None = None
        """Whether low precision is used; None if that is not known yet."""

    def passes(self, questions: Collection[Question]) -> Iterator[Passed]:
        """Yield the distinct questions with logits whose largest one is that of fp32.

        A question may come twice; the second time is the valid one.
        """
        rest = sorted(set(questions))
        try:
            if self.pays is None and len(rest) >= _TRIED:
                tried = sorted(rest, key=_number)[:_TRIED]
                yield from self._try(tried)
                rest = sorted(set(rest) - set(tried))
            if self.pays:
                yield from self._screen(rest)
                return
        except NotFiniteError:  # numbers too large for 16 bits; fp32 tells whether it has them
            self.pays = False
        yield from self._exact.passes(rest)

    def _try(self, tried: Sequence[Question]) -> Iterator[Passed]:
        """Measure speed and errors; the answers are those of fp32."""
        for engine in (self._low, self._exact):  # the first pass of each prepares its weights
            list(engine.passes(tried[:1]))
        begun = time.perf_counter()
        low = dict(_rows(self._low.passes(tried)))
        between = time.perf_counter()
        passed = list(self._exact.passes(tried))
        slow = time.perf_counter() - between
        ahead, error = [], 0.0
        for question, exact in _rows(passed):
            error = max(error, _error(low[question], exact))
            ahead.append(_lead(low[question]))
        self.bound = _SAFETY * error
        again = sum(lead <= self.bound for lead in ahead) / len(ahead) + 1 / _EVERY
        gain = 1 / ((between - begun) / slow + again)
        self.pays = gain >= WORTHWHILE
        if not self.pays:
            del self._low  # and its weights with it
        else:
            notify(
                f"{self._name}: answered in {self._low.precision}, and in fp32 where words are "
                f"close ({100 * again:.0f} %): {gain:.1f} times as fast, the same answers"
            )
        yield from passed

    def _screen(self, questions: Sequence[Question]) -> Iterator[Passed]:
        leads: dict[Question, float] = {}
        checked: dict[Question, int] = {}
        close: list[Question] = []
        assert self.bound is not None
        for batch, logits in self._low.passes(questions):
            two = logits.topk(2, dim=-1)
            ahead = (two.values[:, 0] - two.values[:, 1]).tolist()
            sure = [k for k, lead in enumerate(ahead) if lead > self.bound]
            close += [question for k, question in enumerate(batch) if ahead[k] <= self.bound]
            leads.update((batch[k], ahead[k]) for k in sure)
            checked.update(
                (batch[k], int(two.indices[k, 0])) for k in sure if not _number(batch[k]) % _EVERY
            )
            if sure:
                yield [batch[k] for k in sure], logits[sure]
        wrong = []
        for batch, logits in self._exact.passes([*close, *checked]):
            best = logits.argmax(dim=-1).tolist()
            wrong += [q for q, b in zip(batch, best, strict=True) if checked.get(q, b) != b]
            yield batch, logits
        if wrong:
            old, self.bound = self.bound, _SAFETY * max(leads[question] for question in wrong)
            notify(
                f"{self._name}: {self._low.precision} answered {len(wrong)} of {len(checked)} "
                f"checked questions otherwise than fp32. Leads up to {self.bound:.2f}, not "
                f"{old:.2f}, are asked again in fp32 from now on."
            )
            left = [q for q, lead in leads.items() if lead <= self.bound and q not in checked]
            yield from self._exact.passes(left)


def is_large(weights: Weights) -> bool:
    """Return whether a model may be large enough, by the size of its files."""
    sizes = [path.stat().st_size for path in weights.weight_files if path.is_file()]
    return sum(sizes) >= _BYTES * LARGE


def _rows(passed: Any) -> Iterator[tuple[Question, Any]]:
    for batch, logits in passed:
        yield from zip(batch, logits, strict=True)


def _error(low: Any, exact: Any) -> float:
    """How far rounding has moved the best words of a text towards or away from the first one."""
    near = [row.topk(min(_NEAR, len(row))).indices for row in (low, exact)]
    moved = low - exact
    return max(float((moved[tokens] - moved[low.argmax()]).abs().max()) for tokens in near)


def _lead(row: Any) -> float:
    first, second = row.topk(2).values.tolist()
    return float(first - second)


def _number(question: Question) -> int:
    """A number that depends on the question alone, so that the same ones are checked anywhere."""
    return zlib.crc32(repr(question.ids).encode())
