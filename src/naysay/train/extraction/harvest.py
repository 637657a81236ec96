"""Extraction of the sentences that have a negation and a contrast word."""

from __future__ import annotations

import heapq
import tempfile
import time
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from naysay.core.errors import SpecError
from naysay.core.paths import write_text, write_whole
from naysay.train.extraction.corpus import BLOCK, Corpus, CorpusReading, Report, Seen, key_of
from naysay.train.extraction.guard import Guard
from naysay.train.extraction.leaks import LeakPattern, leak_patterns
from naysay.train.extraction.outcome import Extraction, Others, kept_example
from naysay.train.extraction.rules import SHORT, STRICT, Mask, Rule, Wording, wording
from naysay.train.extraction.sentences import Batch, Sentences, clean, lines_in, sentences_in

Numbers = NDArray[np.uint64]


def mixed(numbers: Numbers, seed: int) -> Numbers:
    """Return pseudo-random numbers, by the finaliser of splitmix64.

    >>> int(mixed(np.array([1], np.uint64), 0)[0]) == int(mixed(np.array([1], np.uint64), 1)[0])
    False
    """
    mask = (1 << 64) - 1
    numbers = numbers + np.uint64(((seed + 1) * 0x9E3779B97F4A7C15) & mask)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


class Draw:
    """The sentences with the smallest numbers, each once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._drawn: list[tuple[int, str]] = []  # the largest number first
        self._there: set[str] = set()

    @property
    def bound(self) -> int:
        """Only a sentence with a smaller number can still be drawn."""
        full = len(self._drawn) >= self._size
        return -self._drawn[0][0] if full and self._size else ((1 << 64) if self._size else 0)

    def offer(self, number: int, sentence: str) -> None:
        """Draw the sentence if its number is small enough."""
        if number >= self.bound or sentence in self._there:
            return
        self._there.add(sentence)
        heapq.heappush(self._drawn, (-number, sentence))
        if len(self._drawn) > self._size:
            self._there.remove(heapq.heappop(self._drawn)[1])

    def __iter__(self) -> Iterator[str]:
        """Iterate over the drawn sentences in the order of their numbers."""
        return (sentence for _, sentence in sorted(self._drawn, key=lambda drawn: -drawn[0]))


HELD_OUT = 2000
"""How many sentences without negation are held out."""
_EXAMPLES = 5
_LOOKED_AT = 50_000  # sentences searched for examples of the other rule
_SLICE = 4096
_TOGETHER = 16  # blocks per search, as each search has a set-up cost


def extract(
    corpora: Sequence[Path],
    out: Path,
    *,
    rule: str = STRICT,
    held_out: Path | None = None,
    limit: int | None = None,
    seed: int = 0,
    patterns: Sequence[LeakPattern] | None = None,
    progress: Report | None = None,
    keep_leaks: bool = False,
    language: str = "en",
    wrapped: bool = False,
    held_out_size: int = HELD_OUT,
    block: int = BLOCK,
) -> Extraction:
    """Write the sentences with a negation and a contrast word to `out`, one per line.

    They are in the order of the corpus, without duplicates, and longer than 64 characters; with the
    rule `none` all lines are taken as they are. With `limit`, that many are drawn at random from
    the whole corpus. Sentences that resemble test items are counted, and left out unless
    `keep_leaks` is set; `patterns` defaults to those of all suites. `held_out` receives sentences
    of more than 64 characters without negation, drawn at random, which the rule `none` leaves none
    of. `wrapped` is for hard-wrapped text with blank lines between paragraphs. `progress` receives
    the number of bytes read and the total.

    Memory grows by 16 bytes per kept sentence, not with the corpus.
    """
    words = wording(language)
    corpus = Corpus(tuple(map(Path, corpora)), wrapped, block)
    _check(corpus, out, held_out, limit, seed)
    if patterns is None:
        patterns = leak_patterns(language=language)
    chosen = words.rule(rule)
    other = words.other(rule)
    harvest = _Harvest(
        corpus, words, chosen, Others(chosen, other) if other else None, Guard(patterns),
        keep_leaks, seed, Draw(held_out_size if held_out else 0),
    )  # fmt: skip
    begun = time.perf_counter()

    def write(path: Path) -> None:
        if limit is None:
            with path.open("w", encoding="utf-8", newline="\n") as lines:
                harvest.write(lines, progress)
        else:
            # All go to a temporary file first: the drawn ones are known only at the end.
            with tempfile.TemporaryFile("w+", dir=path.parent, encoding="utf-8") as spool:
                harvest.write(spool, progress)
                spool.seek(0)
                with path.open("w", encoding="utf-8", newline="\n") as lines:
                    lines.writelines(harvest.drawn(spool, limit))

    write_whole(out, write)
    aside = list(harvest.aside)
    if held_out is not None:
        write_text(held_out, "".join(f"{sentence}\n" for sentence in aside))
    counts, kept = harvest.counts, len(harvest.numbers)
    drawn = kept if limit is None else min(limit, kept)
    return Extraction(
        corpora=tuple(map(str, corpora)),
        out=str(out),
        rule=rule,
        language=language,
        bytes=harvest.reading.bytes,
        lines=harvest.reading.lines,
        sentences=counts.sentences,
        with_negation=counts.with_negation,
        with_both=counts.with_both,
        too_short=counts.too_short,
        leaked=counts.leaked,
        duplicates=counts.duplicates,
        not_drawn=kept - drawn,
        kept=drawn,
        held_out=len(aside),
        broken=counts.broken,
        cut=harvest.reading.cut,
        seconds=time.perf_counter() - begun,
        examples=tuple(kept_example(chosen, text) for text in islice(harvest.shown, drawn)),
        other_examples=tuple(harvest.others.examples) if harvest.others else (),
        other_rule=other.name if other else None,
        leaks=harvest.guard.leaks,
    )


def _check(corpus: Corpus, out: Path, held_out: Path | None, limit: int | None, seed: int) -> None:
    corpus.check()
    if limit is not None and limit < 1:
        raise SpecError(f"limit must be a whole number from 1 on, not {limit}")
    if seed < 0:
        raise SpecError(f"seed must be a whole number from 0 on, not {seed}")
    read = {file.resolve() for file in corpus.files}
    written = [path.resolve() for path in (out, held_out) if path is not None]
    for path in written:
        if path in read:
            raise SpecError(f"{path} is part of the corpus and would be overwritten")
    if len(set(written)) < len(written):
        raise SpecError(f"the sentences and the held-out sentences cannot both go to {out}")


@dataclass
class _Counts:
    sentences: int = 0
    with_negation: int = 0
    with_both: int = 0
    too_short: int = 0
    leaked: int = 0
    duplicates: int = 0
    broken: int = 0


@dataclass
class _Harvest:
    """One pass over a corpus."""

    corpus: Corpus
    words: Wording
    rule: Rule
    others: Others | None
    guard: Guard
    keep_leaks: bool
    seed: int
    aside: Draw
    """The held-out sentences."""
    reading: CorpusReading = field(default_factory=CorpusReading)
    counts: _Counts = field(default_factory=_Counts)
    seen: Seen = field(default_factory=Seen)
    numbers: array[int] = field(default_factory=lambda: array("Q"))
    """Random numbers of the kept sentences, by which they are drawn if there is a limit."""
    shown: Draw = field(default_factory=lambda: Draw(_EXAMPLES))

    def write(self, lines: IO[str], progress: Report | None) -> None:
        """Write all kept sentences, in the order of the corpus."""
        for batch in self._batches(progress):
            lines.writelines(f"{sentence}\n" for sentence in self._kept(batch))

    def drawn(self, lines: IO[str], limit: int) -> Iterator[str]:
        """Return the lines that are drawn."""
        numbers = np.frombuffer(self.numbers, np.uint64)
        within = np.zeros(len(numbers), bool)
        within[np.argsort(numbers, kind="stable")[:limit]] = True
        return (line for line, wanted in zip(lines, within.tolist(), strict=True) if wanted)

    def _batches(self, progress: Report | None) -> Iterator[Batch]:
        pieces = []
        for piece in self.corpus.pieces(self.reading, progress):
            text, broken = clean(piece, wrapped=self.corpus.wrapped)
            self.counts.broken += broken
            pieces.append(self._split(text))
            if len(pieces) == _TOGETHER:
                yield Batch(pieces)
                pieces = []
        if pieces:
            yield Batch(pieces)

    def _split(self, text: bytes) -> Sentences:
        return (
            lines_in(text) if self.rule.as_given else sentences_in(text, self.words.abbreviations)
        )

    def _kept(self, batch: Batch) -> list[str]:
        import pyarrow as pa

        negated = self.rule.negation.mask(batch.array)
        # Few sentences are negated; searching only these for contrast saves a third of the time.
        both = negated.copy()
        both[negated] = self.rule.contrast.mask(batch.array.filter(pa.array(negated)))
        leaks = self._leaks(batch)
        if self.others and self.counts.sentences < _LOOKED_AT and not self.others.full:
            self._compare(self.others, batch, both)
        counts = self.counts
        counts.sentences += len(batch)
        counts.with_negation += int(negated.sum())
        counts.with_both += int(both.sum())
        self._put_aside(batch, negated, leaks)
        return self._new([self._long(batch, k, leaks) for k in np.flatnonzero(both).tolist()])

    def _leaks(self, batch: Batch) -> set[int]:
        """Return the numbers of the sentences, or of the lines, that resemble test items."""
        if not self.rule.as_given:
            return self.guard.hits(batch)
        # A line may have several sentences, and any of them may be a test's.
        found: set[int] = set()
        before = 0
        for lines in batch.pieces:
            within, owners = lines.split(self.words.abbreviations)
            hits = self.guard.hits(Batch([within])) if len(within) else set()
            found |= {before + int(owners[number]) for number in hits}
            before += len(lines)
        return found

    def _long(self, batch: Batch, number: int, leaks: set[int]) -> str | None:
        """Return the sentence, None if it is too short or a leak."""
        sentence = one_line(batch[number])
        if len(sentence) <= self.rule.longer_than:
            self.counts.too_short += 1
            return None
        if number in leaks and not self.keep_leaks:
            self.counts.leaked += 1
            return None
        return sentence

    def _new(self, found: list[str | None]) -> list[str]:
        """Return the sentences that are new."""
        sentences = [sentence for sentence in found if sentence is not None]
        keys = np.array([key_of(sentence) for sentence in sentences], np.uint64)
        fresh = np.ones(len(keys), bool) if self.rule.as_given else self.seen.add(keys)
        self.counts.duplicates += int((~fresh).sum())
        numbers = mixed(keys[fresh], self.seed)
        self.numbers.frombytes(numbers.tobytes())
        kept = [sentence for sentence, new in zip(sentences, fresh, strict=True) if new]
        for k in np.argsort(numbers)[:_EXAMPLES].tolist():
            self.shown.offer(int(numbers[k]), kept[k])
        return kept

    def _put_aside(self, batch: Batch, negated: Mask, leaks: set[int]) -> None:
        """Hold out sentences that are long enough and have nothing like a negation."""
        if not self.aside.bound:
            return
        import pyarrow as pa

        numbers = mixed(batch.digests(), self.seed)
        free = ~negated & (batch.lengths > SHORT)
        if self.aside.bound < 1 << 64:
            free &= numbers < np.uint64(self.aside.bound)
        # Smallest numbers first, so that most of the others need not be examined.
        places = np.flatnonzero(free)
        places = places[np.argsort(numbers[places], kind="stable")]
        for start in range(0, len(places), _SLICE):
            some = places[start : start + _SLICE]
            if int(numbers[some[0]]) >= self.aside.bound:
                return
            near = self.words.is_near_negation(batch.array.take(pa.array(some)))
            for k in some[~near].tolist():
                if int(numbers[k]) >= self.aside.bound:
                    return
                sentence = one_line(batch[k])
                if len(sentence) > SHORT and k not in leaks:
                    self.aside.offer(int(numbers[k]), sentence)

    def _compare(self, others: Others, batch: Batch, both: Mask) -> None:
        """Look for sentences that only the other rule keeps, at the start of the corpus."""
        theirs = others.rule.negation.mask(batch.array) & others.rule.contrast.mask(batch.array)
        for k in np.flatnonzero(theirs & ~both & (batch.lengths > SHORT)).tolist():
            if self.counts.sentences + k < _LOOKED_AT:
                sentence = one_line(batch[k])
                if len(sentence) > SHORT:
                    others.offer(sentence)


def one_line(text: str) -> str:
    """Replace all white space, including rare line separators, by single spaces.

    >>> one_line("so\\u2028it is")
    'so it is'
    """
    return text if text.isascii() else " ".join(text.split())  # ASCII is already clean
