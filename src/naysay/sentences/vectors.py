"""Vectors of sentences, each made once, and the cosines between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from naysay.errors import ModelError
from naysay.probes import ChooseClosest, Closest
from naysay.sentences.lengths import equal_batches
from naysay.sentences.nearness import closest, forget_oldest

_REMEMBERED = 50_000  # sentences
Encode = Callable[[list[str]], npt.NDArray[np.float32]]


class Vectors:
    """Encodes what it has not seen yet, in batches of one length, and remembers it."""

    def __init__(
        self,
        encode: Encode,
        lengths: Callable[[list[str]], Sequence[int]],
        *,
        longest: int | None,
        token_budget: int,
    ) -> None:
        """Take what encodes texts of one length, what tells lengths, and the longest that is read.

        Longer texts are cut by the model; that is told with every answer about them.
        """
        self._encode, self._lengths = encode, lengths
        self._longest, self._token_budget = longest, token_budget
        self._known: dict[str, npt.NDArray[np.float64]] = {}
        self._cut: set[str] = set()

    def choose(self, probes: Sequence[ChooseClosest], precision: str) -> list[Closest]:
        """The cosines between each text and its options."""
        self._learn(dict.fromkeys(text for probe in probes for text in _texts(probe)))
        answers = []
        for probe in probes:
            vector = self._known[probe.text]
            cosines = [float(vector @ self._known[option]) for option in probe.options]
            cut = any(text in self._cut for text in _texts(probe))
            answers.append(closest(cosines, "cosine", precision, cut=cut))
        forget_oldest(self._known, _REMEMBERED)
        return answers

    def _learn(self, texts: Iterable[str]) -> None:
        new = [text for text in texts if text not in self._known]
        lengths = dict(zip(new, self._lengths(new), strict=True))
        if self._longest:
            self._cut.update(text for text in new if lengths[text] > self._longest)
        for batch in equal_batches(new, lengths.__getitem__, self._token_budget):
            vectors = np.asarray(self._encode(batch), dtype=np.float64)
            if vectors.ndim != 2 or len(vectors) != len(batch):
                raise ModelError(f"one vector a sentence was expected, not {vectors.shape}")
            if not np.isfinite(vectors).all():
                raise ModelError("the model gives vectors that are not numbers")
            norms = np.linalg.norm(vectors, axis=1, keepdims=True)
            # A vector of zeros points nowhere: it is equally near to everything.
            self._known.update(zip(batch, vectors / np.where(norms == 0, 1, norms), strict=True))


def _texts(probe: ChooseClosest) -> tuple[str, ...]:
    return (probe.text, *probe.options)
