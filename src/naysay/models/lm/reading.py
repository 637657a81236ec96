"""Reading logits: the best words of each text, and the log-probabilities of the words asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from naysay.core.probes import Fill, Guess

SAME = 1e-5
"""Logits closer than this are equal; of equals the first in the vocabulary wins."""


TIE = 1e-3
"""A runner-up closer than this is flagged: in another batch it could have come first."""


class Reading:
    """The best words and the normaliser of each row of a batch of logits."""

    def __init__(
        self,
        logits: Any,
        depth: int,
        wanted: Sequence[tuple[int, int]],
        among: Sequence[int] | None = None,
    ) -> None:
        """Read the top `depth` words of each row, and the scores of the wanted (row, token) pairs.

        With `among`, words are identified by their index in it.
        """
        from naysay.models.lm.logits import best, columns, first_above, log_sums

        self.counted = logits if among is None else columns(logits, among)
        values, pieces = best(self.counted, depth + 1)
        # However many are equal, the first of them in the vocabulary wins.
        self._first: list[int] = first_above(self.counted, values[:, 0] - SAME)
        self._norms: list[float] = log_sums(logits).tolist()
        self._scores: list[list[float]] = values.tolist()
        self._pieces: list[list[int]] = pieces.tolist()
        # All at once: reading single numbers from a device would synchronise each time.
        rows, tokens = zip(*wanted, strict=True) if wanted else ((), ())
        scores = logits[list(rows), list(tokens)].tolist() if wanted else []
        self._wanted = dict(zip(wanted, scores, strict=True))
        # A token may be ruled out by minus infinity, but not one that is asked for.
        self.finite = [all(map(math.isfinite, row)) for row in self._scores]
        for (row, _), score in self._wanted.items():
            self.finite[row] &= math.isfinite(score)

    def fill(
        self, row: int, top_k: int, wanted: Sequence[int | None], read_back: Callable[[int], str]
    ) -> Fill:
        """Return the answer of one row: its `top_k` best words and the wanted tokens' scores."""
        scores, norm = self._scores[row], self._norms[row]
        ranked = rank(scores, self._pieces[row])
        if ranked[0][1] != self._first[row]:
            ranked.insert(0, (scores[0], self._first[row]))
        ranked = ranked[:top_k]
        return Fill(
            top=tuple(Guess(read_back(piece), score - norm) for score, piece in ranked),
            scores=tuple(
                None if piece is None else self._wanted[row, piece] - norm for piece in wanted
            ),
            tie=len(scores) > 1 and scores[0] - scores[1] < TIE,
        )


def rank(scores: Sequence[float], pieces: Sequence[int]) -> list[tuple[float, int]]:
    """Sort best first; scores that are equal up to rounding are sorted by vocabulary index.

    >>> rank([2.0, 1.9999999, 1.0], [30, 7, 5])
    [(1.9999999, 7), (2.0, 30), (1.0, 5)]
    """
    ranked: list[tuple[float, int]] = []
    rest = list(zip(scores, pieces, strict=True))
    while rest:
        equals = [entry for entry in rest if rest[0][0] - entry[0] <= SAME]
        ranked += sorted(equals, key=lambda entry: entry[1])
        rest = rest[len(equals) :]
    return ranked
