"""The likeliest of many words, by best-first search.

A log-probability is never above 0, so what a word has scored so far bounds what it can score in the
end. The first tokens of all words are scored together. Then words are scored on, the highest bounds
first, until no bound reaches the best complete score. What falls behind is never scored to its end,
and the outcome is that of scoring every word completely: the winner, and whether it is a tie.

Words that begin with the same tokens share them. Any other order of the search would score the same
tokens or more: a word whose bound is above the best complete score may still win.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from naysay.core.probes import Choice
from naysay.models.lm.questions import Question
from naysay.models.lm.reading import TIE
from naysay.models.lm.words import Frame

SAME = 1e-4
"""Sums closer than this are equal: rounding in other batches could swap them."""
_AT_ONCE = 64  # tokens; fewer hardly make a pass of a causal model cheaper
_MASKED_AT_ONCE = 16  # texts of a masked model, where each is computed as a whole
_AHEAD = 2  # words that are scored to their end in a pass, to know early which scores are too low

Ids = tuple[int, ...]
Node = tuple[Ids, int]
"""The tokens that several candidates begin with, and how many masks follow."""


@dataclass(slots=True)
class Candidate:
    """A word, the tokens to score, and how far it is."""

    word: str
    tokens: Ids
    score: float = 0.0
    done: int = 0

    @property
    def complete(self) -> bool:
        """Whether all tokens are scored."""
        return self.done == len(self.tokens)


@dataclass
class Contest:
    """The candidates for one blank, and the text around it."""

    frame: Frame
    candidates: Sequence[Candidate]
    best: float = float("-inf")
    """The highest complete score."""
    _cost: float = 0.0
    """What a token of the best complete word has cost."""
    _asked: dict[Question, Node] = field(default_factory=dict)
    _next: dict[Node, dict[int, None]] = field(default_factory=dict)
    _known: dict[Node, dict[int, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for candidate in self.candidates:
            for done, token in enumerate(candidate.tokens):
                self._next.setdefault(self._node(candidate, done), {})[token] = None

    @classmethod
    def of(cls, frame: Frame, spelled: Iterable[tuple[str, Ids]]) -> Contest:
        """Return the contest of words at a blank; a causal model also scores what follows it."""
        rest = frame.after if frame.mask is None else ()
        return cls(frame, [Candidate(word, (*pieces, *rest)) for word, pieces in spelled])

    def _node(self, candidate: Candidate, done: int) -> Node:
        masks = 0 if self.frame.mask is None else len(candidate.tokens) - done
        return candidate.tokens[:done], masks

    def _question(self, node: Node) -> Question:
        """Return the text after which the next token of a node is scored."""
        frame, (scored, masks) = self.frame, node
        place = len(frame.before) + len(scored)
        if frame.mask is None:
            return Question((*frame.before, *scored), place - 1)
        return Question((*frame.before, *scored, *(frame.mask,) * masks, *frame.after), place)

    @property
    def contenders(self) -> list[Candidate]:
        """The incomplete candidates that may still win or tie, the highest bound first."""
        # Words within rounding of the best must be scored completely, too.
        left = [c for c in self.candidates if not c.complete and c.score >= self.best - TIE]
        return sorted(left, key=lambda candidate: -candidate.score)

    def due(self) -> dict[Question, dict[int, None]]:
        """Return the texts to run next, and the tokens to score after each; none at the end."""
        contenders = self.contenders
        if not contenders:
            return {}
        if not contenders[0].done:
            nodes = {self._node(candidate, 0) for candidate in contenders}
        else:
            at_once = _AT_ONCE if self.frame.mask is None else _MASKED_AT_ONCE
            nodes = {self._node(c, c.done) for c in contenders[:at_once]}
            # The likeliest are scored to their end at once: their tokens are known.
            for candidate in sorted(contenders, key=self._expected, reverse=True)[:_AHEAD]:
                steps = range(candidate.done, len(candidate.tokens))
                nodes |= {self._node(candidate, done) for done in steps}
        self._asked = {self._question(node): node for node in nodes if node not in self._known}
        return {question: self._next[node] for question, node in self._asked.items()}

    def _expected(self, candidate: Candidate) -> float:
        """What the candidate will score if its other tokens cost as much as those of the best."""
        return candidate.score - self._cost * (len(candidate.tokens) - candidate.done)

    def learn(self, question: Question, scores: dict[int, float]) -> None:
        """Take the log-probabilities of the tokens after a text that was due."""
        self._known[self._asked[question]] = scores

    def advance(self) -> None:
        """Move all contenders on as far as their scores are known."""
        for candidate in self.contenders:
            while not candidate.complete:
                scores = self._known.get(self._node(candidate, candidate.done))
                if scores is None:
                    break
                candidate.score += scores[candidate.tokens[candidate.done]]
                candidate.done += 1
            if candidate.complete and candidate.score > self.best:
                self.best = candidate.score
                self._cost = -candidate.score / len(candidate.tokens)

    @property
    def size(self) -> int:
        """About how many tokens are still to be computed, those of the text included."""
        left = {c.tokens[: c.done] for c in self.contenders}
        return len(self.frame.before) + 3 * len(left) if left else 0

    def choice(self) -> Choice:
        """Return the winner; of equals the first in the list of candidates."""
        near = [c for c in self.candidates if c.complete and c.score >= self.best - TIE]
        winner = next(candidate for candidate in near if candidate.score >= self.best - SAME)
        return Choice(winner.word, winner.score, tie=len(near) > 1)
