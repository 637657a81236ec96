"""The result of an extraction: counts, examples, leaks, and a summary."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from naysay.train.extraction.guard import Leak
from naysay.train.extraction.rules import AS_GIVEN, FoundNegation, NegationWords, Rule

_MOST = 6
_OF_ONE_REASON = 2


@dataclass(frozen=True)
class SentenceExample:
    """A sentence, the words found in it, and why the chosen rule leaves it out."""

    sentence: str
    negation: tuple[str, ...]
    contrast: tuple[str, ...]
    reason: str = ""


def kept_example(rule: Rule, sentence: str) -> SentenceExample:
    """Return a kept sentence with the words for which it is kept."""
    negation, contrast = rule.found(sentence)
    return SentenceExample(sentence, _words(negation), _words(contrast))


def _words(found: list[FoundNegation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.word for one in found))


class Others:
    """The first sentences that only the other rule keeps, few for each reason."""

    def __init__(self, chosen: Rule, other: Rule) -> None:
        self._chosen, self.rule = chosen, other
        self._reasons: Counter[str] = Counter()
        self.examples: list[SentenceExample] = []

    @property
    def full(self) -> bool:
        """Whether there are enough."""
        return len(self.examples) == _MOST

    def offer(self, sentence: str) -> None:
        """Take a sentence that only the other rule keeps, unless there are enough like it."""
        if self.full:
            return
        reason = self._reason(sentence)
        if self._reasons[reason] < _OF_ONE_REASON:
            self._reasons[reason] += 1
            kept = kept_example(self.rule, sentence)
            self.examples.append(SentenceExample(sentence, kept.negation, kept.contrast, reason))

    def _reason(self, sentence: str) -> str:
        for what in ("negation", "contrast"):
            mine, theirs = getattr(self._chosen, what), getattr(self.rule, what)
            if not mine.found(sentence):
                phrases = mine.excepted(sentence) if isinstance(mine, NegationWords) else []
                return _why(sentence, theirs.found(sentence)[0], phrases, what)
        return "it is kept by both rules"


def _why(sentence: str, found: FoundNegation, phrases: list[FoundNegation], what: str) -> str:
    """Return why a word that the other rule found does not count."""
    for phrase in phrases:
        if phrase.start <= found.start and found.end <= phrase.end:
            return f"“{phrase.word}” does not count as a {what}"
    whole = _word_around(sentence, found)
    if whole != found.word:
        return f"“{found.word}” occurs only inside “{whole}”"
    return f"“{found.word}” does not count as a {what} here"


def _word_around(sentence: str, found: FoundNegation) -> str:
    start, end = found.start, found.end
    while start and (sentence[start - 1].isalnum() or sentence[start - 1] in "'’"):
        start -= 1
    while end < len(sentence) and sentence[end].isalnum():
        end += 1
    return sentence[start:end].lower().replace("’", "'")


_SHOWN = 5


@dataclass(frozen=True)
class Extraction:
    """The number of sentences read, and what became of them."""

    corpora: tuple[str, ...]
    out: str
    rule: str
    language: str
    bytes: int
    lines: int
    sentences: int
    with_negation: int
    """All sentences with the rule `none`, which does not look."""
    with_both: int
    """Of these, some are too short, leaked or duplicates; the others are kept, or not drawn."""
    too_short: int
    """With 64 characters or fewer."""
    leaked: int
    """Left out because they resemble test items."""
    duplicates: int
    not_drawn: int
    """Beyond the limit."""
    kept: int
    held_out: int
    """Held-out sentences without negation."""
    broken: int
    """Characters that were not valid UTF-8."""
    cut: int
    """Number of splits in overlong lines."""
    seconds: float
    examples: tuple[SentenceExample, ...] = ()
    other_examples: tuple[SentenceExample, ...] = ()
    """Sentences that only the other rule keeps, with the reason."""
    other_rule: str | None = None
    """The rule that examples compare with."""
    leaks: tuple[Leak, ...] = ()
    """Sentences anywhere in the corpus that resemble test items."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)

    @property
    def summary(self) -> str:
        """The result in plain words."""
        return "\n".join([*self._figures(), *self._examples(), *self._leaks()])

    def _figures(self) -> list[str]:
        rate = self.bytes / 1e6 / max(self.seconds, 1e-9)
        lines = [
            f"{self.bytes / 1e6:,.1f} MB in {_number(self.lines, 'line')}, "
            f"{_number(self.sentences, 'sentence')}, read in {self.seconds:.1f} s "
            f"({rate:,.0f} MB/s)"
        ]
        if self.rule == AS_GIVEN:
            lines.append(
                f"each line taken as a sentence (rule: {self.rule}): {self.leaked:,} like test "
                f"items, {self.not_drawn:,} beyond the limit, {self.kept:,} kept"
            )
        else:
            lines += [
                f"with a negation {self._share(self.with_negation)}, with a contrast word as well "
                f"{self._share(self.with_both)} (rule: {self.rule})",
                f"of those with both: {self.too_short:,} too short, {self.leaked:,} like test "
                f"items, {self.duplicates:,} duplicates, {self.not_drawn:,} beyond the limit, "
                f"{self.kept:,} kept",
            ]
        if self.held_out:
            lines.append(f"{_number(self.held_out, 'sentence')} without negation held out")
        if self.broken:
            lines.append(f"{self.broken:,} characters were not valid UTF-8 and were replaced")
        if self.cut:
            lines.append(f"overlong lines were split in {_number(self.cut, 'place')}")
        return lines

    def _examples(self) -> list[str]:
        lines = ["", "kept, for example:"] if self.examples else []
        for example in self.examples:
            words = ", ".join((*example.negation, *example.contrast))
            lines.append(f"  {example.sentence}" + (f"  [{words}]" if words else ""))
        if self.other_examples:
            lines += ["", f"kept only by the rule {self.other_rule}:"]
        for example in self.other_examples:
            lines.append(f"  {example.sentence}  [{example.reason}]")
        return lines

    def _leaks(self) -> list[str]:
        if not self.leaks:
            return ["", "no sentence resembles a test item"]
        exact = sum(leak.exact for leak in self.leaks)
        other = sum(leak.other for leak in self.leaks)
        lines = [
            "",
            f"leakage: {_number(exact, 'test sentence')}, and {_number(other, 'sentence')} with a "
            "test's pattern but other words",
        ]
        for leak in self.leaks[:_SHOWN]:
            lines.append(
                f"  {leak.pattern}  ({leak.suite}): {leak.exact:,} exact, {leak.other:,} similar; "
                f"for example: {leak.examples[0]}"
            )
        if len(self.leaks) > _SHOWN:
            lines.append(f"  and {_number(len(self.leaks) - _SHOWN, 'other pattern')}")
        return lines

    def _share(self, count: int) -> str:
        return f"{count:,} ({100 * count / max(self.sentences, 1):.1f} %)"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
