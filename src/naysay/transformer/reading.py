"""From logits to answers: guesses, scores, and ties that rounding could turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from naysay.probes import Fill, Guess

SAME = 1e-5
"""Logits nearer than this are equal; of equals the first in the vocabulary wins."""
TIE = 1e-3
"""A runner-up nearer than this is flagged: in another batch it could have come first."""


class Reading:
    """The best words and the normaliser of each row of a batch of logits."""

    def __init__(
        self,
        logits: Any,
        depth: int,
        wanted: Sequence[tuple[int, int]],
        among: Sequence[int] | None = None,
    ) -> None:
        """Read `depth` words of each row, and the scores of the wanted (row, piece) pairs.

        Where only some pieces count, words are told by their place among these.
        """
        import torch

        self.counted = logits
        if among is not None:
            self.counted = logits.index_select(1, torch.tensor(among, device=logits.device))
        best = torch.topk(self.counted, min(depth + 1, self.counted.shape[-1]), dim=-1)
        equal = self.counted >= best.values[:, :1] - SAME
        # However many are equal, the first of them in the vocabulary wins.
        self._first: list[int] = equal.int().argmax(dim=-1).tolist()
        self._norms: list[float] = torch.logsumexp(logits, dim=-1).tolist()
        self._scores: list[list[float]] = best.values.tolist()
        self._pieces: list[list[int]] = best.indices.tolist()
        # All at once: asking a device for one number at a time would make it wait each time.
        rows, pieces = zip(*wanted, strict=True) if wanted else ((), ())
        scores = logits[list(rows), list(pieces)].tolist() if wanted else []
        self._wanted = dict(zip(wanted, scores, strict=True))

    def fill(
        self, row: int, top_k: int, wanted: Sequence[int | None], read_back: Callable[[int], str]
    ) -> Fill:
        """The answer of one row: its `top_k` best words and the scores of the wanted pieces."""
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
    """Best first; scores that rounding cannot tell apart go by their place in the vocabulary.

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
