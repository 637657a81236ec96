"""What came out of an extraction: figures, examples, leaks, and all of it in plain words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from naysay.train.extraction.examples import Example
from naysay.train.extraction.guard import Leak

_SHOWN = 5


@dataclass(frozen=True)
class Extraction:
    """How many sentences were read, and what became of them."""

    corpora: tuple[str, ...]
    out: str
    rule: str
    language: str
    bytes: int
    lines: int
    sentences: int
    with_negation: int
    with_both: int
    """Of these, some are too short, leaked or duplicates; the others are kept, or not drawn."""
    too_short: int
    """With 64 characters or fewer."""
    leaked: int
    """Like a sentence of a test, and left out for it."""
    duplicates: int
    not_drawn: int
    """Beyond the limit."""
    kept: int
    held_out: int
    """Sentences without negation that were put aside."""
    broken: int
    """Characters that were no UTF-8."""
    cut: int
    """Places where a line was too long and was cut."""
    seconds: float
    examples: tuple[Example, ...] = ()
    other_examples: tuple[Example, ...] = ()
    """What only the other rule would keep, with the reason."""
    leaks: tuple[Leak, ...] = ()
    """Sentences anywhere in the corpus that are like a test's."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @property
    def summary(self) -> str:
        """All of it in plain words."""
        return "\n".join([*self._figures(), *self._examples(), *self._leaks()])

    def _figures(self) -> list[str]:
        rate = self.bytes / 1e6 / max(self.seconds, 1e-9)
        lines = [
            f"{self.bytes / 1e6:,.1f} MB in {_number(self.lines, 'line')}, "
            f"{_number(self.sentences, 'sentence')}, read in {self.seconds:.1f} s "
            f"({rate:,.0f} MB/s)",
            f"with a negation {self._share(self.with_negation)}, with a contrast word as well "
            f"{self._share(self.with_both)} (rule: {self.rule})",
            f"of those with both: {self.too_short:,} too short, {self.leaked:,} like a test's, "
            f"{self.duplicates:,} duplicates, {self.not_drawn:,} beyond the limit, "
            f"{self.kept:,} kept",
        ]
        if self.held_out:
            lines.append(f"{_number(self.held_out, 'sentence')} without negation held out")
        if self.broken:
            lines.append(f"{self.broken:,} characters were no UTF-8 and were replaced")
        if self.cut:
            lines.append(f"overlong lines were cut in {_number(self.cut, 'place')}")
        return lines

    def _examples(self) -> list[str]:
        lines = ["", "kept, for example:"] if self.examples else []
        for example in self.examples:
            words = ", ".join((*example.negation, *example.contrast))
            lines.append(f"  {example.sentence}  [{words}]")
        if self.other_examples:
            lines += ["", "kept only by the other rule:"]
        for example in self.other_examples:
            lines.append(f"  {example.sentence}  [{example.reason}]")
        return lines

    def _leaks(self) -> list[str]:
        if not self.leaks:
            return ["", "no sentence is like one of a test"]
        exact = sum(leak.exact for leak in self.leaks)
        other = sum(leak.other for leak in self.leaks)
        lines = [
            "",
            f"leakage: {_number(exact, 'sentence')} of the tests themselves, and {other:,} that "
            "have a test's pattern with other words",
        ]
        for leak in self.leaks[:_SHOWN]:
            lines.append(
                f"  {leak.pattern}  ({leak.suite}): {leak.exact:,} exact, {leak.other:,} like it; "
                f"such as: {leak.examples[0]}"
            )
        if len(self.leaks) > _SHOWN:
            lines.append(f"  and {_number(len(self.leaks) - _SHOWN, 'other pattern')}")
        return lines

    def _share(self, count: int) -> str:
        return f"{count:,} ({100 * count / max(self.sentences, 1):.1f} %)"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
