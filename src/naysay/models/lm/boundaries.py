"""Where words end, for causal models.

The next token may be only the beginning of a word, such as "B" of "Brno", although "B" is a word of
the list, too. Such a token is no answer. A token is a whole word if the tokens that may follow it
and begin something new (another word, punctuation, the end of the text) are together more probable
than those that continue it. A check costs as much as another question, so only the best tokens are
checked, from the best one down, until as many whole words are found as were asked for, mostly one.
Their order, and their probabilities, stay those of the tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from naysay.core.probes import Fill
from naysay.models.lm.engine import Engine
from naysay.models.lm.questions import Question
from naysay.models.lm.reading import TIE
from naysay.models.lm.words import Words

_AT_ONCE = 8  # tokens that are checked together after the first ones


@dataclass
class Candidates:
    """The best tokens at a blank, and which of them are found to be whole words."""

    question: Question
    fill: Fill
    pieces: Sequence[int]
    """The tokens of the guesses."""
    wanted: int
    """How many whole words are asked for."""
    top_k: int
    """How many guesses are asked for."""
    odds: list[float] = field(default_factory=list)
    """The log-odds that the word ends after each token, of those that were checked."""

    @property
    def whole(self) -> list[int]:
        """The places of the whole words found so far."""
        return [place for place, odds in enumerate(self.odds) if odds > 0]

    def due(self) -> list[Question]:
        """The texts to run next; none if there are enough whole words, or no more tokens."""
        begin = len(self.odds)
        missing = max(self.wanted - len(self.whole), 0)
        # Where the first ones are none, more are checked at once: a batch costs little more.
        size = missing if begin < self.wanted else missing * _AT_ONCE
        return [self._after(piece) for piece in self.pieces[begin : begin + size]]

    def _after(self, piece: int) -> Question:
        ids = (*self.question.ids, piece)
        return Question(ids, len(ids) - 1)

    def answer(self) -> Fill:
        """The fill without the tokens that were found to be no whole words.

        It is a tie if rounding could have decided which one comes first: by its place, or by
        whether a word ends.
        """
        kept = [*self.whole, *range(len(self.odds), len(self.pieces))]
        top = tuple(self.fill.top[place] for place in kept[: self.top_k])
        first = self.whole[0] if self.whole else len(self.odds) - 1
        rest = kept[1:]
        scores = [guess.logprob for guess in self.fill.top]
        near = bool(top and rest) and scores[first] - scores[rest[0]] < TIE
        doubtful = any(abs(odds) < TIE for odds in self.odds[: first + 1])
        return replace(self.fill, top=top, tie=near or doubtful)


def check_words(engine: Engine, words: Words, candidates: Sequence[Candidates]) -> None:
    """Check the tokens of all candidates until each has its whole words or no more tokens."""
    while True:
        due = [(each, each.due()) for each in candidates]
        found = _odds(engine, words, {text for _, texts in due for text in texts})
        if not found:
            return
        for each, texts in due:
            each.odds += [found[text] for text in texts]


def _odds(engine: Engine, words: Words, texts: Iterable[Question]) -> dict[Question, float]:
    """The log-odds that something new begins after each text, rather than its last word goes on."""
    from naysay.models.lm.logits import kept, log_sums

    found: dict[Question, float] = {}
    for batch, logits in engine.passes(list(texts)):
        anew, goes_on = (
            log_sums(kept(logits, words.begins_anew, others=others)) for others in (False, True)
        )
        found.update(zip(batch, (anew - goes_on).tolist(), strict=True))
    return found
