"""What was gained and what was lost: the same questions before and after, with paired intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from naysay.data.items import AntonymItem, Group, items_of
from naysay.stats.clusters import Floats
from naysay.stats.difference import paired_difference
from naysay.train.embedder.trials import ItemSet, Similarity

NEIGHBOURS = 10
_NEGATION, _PARAPHRASE = 1, 2  # places among the options of an item
_RESAMPLED = 1000
_TIE = 1e-6  # cosines that differ by less are rounding, and a tie is never right
Vectors = Mapping[str, Floats]


@dataclass(frozen=True)
class Change:
    """A figure before and after, and the paired difference with its interval."""

    name: str
    unit: str
    """"%" for shares, "cosine", or "rho" for a rank correlation times 100."""
    before: float
    after: float
    difference: float
    low: float | None
    high: float | None
    n: int
    clusters: str
    """What the interval takes as one: pairs of words, sentences, or pairs of sentences."""

    @property
    def decided(self) -> bool:
        """Whether the interval excludes no change at all."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


def encoded(embedder: Any, texts: Iterable[str]) -> dict[str, Floats]:
    """Return the vector of each text, of length 1, encoded as the model itself does it."""
    from naysay.models.lm.loading import quiet

    distinct = list(dict.fromkeys(texts))
    embedder.eval()
    with quiet():
        found = embedder.encode(
            distinct, batch_size=64, show_progress_bar=False, convert_to_numpy=True
        )
    vectors = np.asarray(found, dtype=np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return dict(zip(distinct, vectors / np.where(norms == 0, 1, norms), strict=True))


def texts_of(
    sets: Sequence[ItemSet], similarity: Similarity | None, general: Sequence[str]
) -> list[str]:
    """Return all texts that the figures need."""
    texts = [text for one in sets for item in one.items for text in item.sentences]
    pairs = [*similarity.first, *similarity.second] if similarity else []
    return [*texts, *pairs, *general]


def changes(
    before: Vectors,
    after: Vectors,
    sets: Sequence[ItemSet],
    similarity: Similarity | None,
    general: Sequence[str],
) -> list[Change]:
    """Compare the two on all trials: what should change first, then what should not."""
    found = [_right(before, after, one) for one in sets]
    if sets:
        closest = sets[-1] if len(sets) == 1 else _unseen(sets)
        found.append(_cosine(before, after, closest, _NEGATION, "cosine to the negation"))
        found.append(_cosine(before, after, closest, _PARAPHRASE, "cosine to the paraphrase"))
    if similarity is not None:
        found.append(_correlation(before, after, similarity))
    found.append(_neighbours(before, after, general))
    return found


def _unseen(sets: Sequence[ItemSet]) -> ItemSet:
    """The set of unseen words, on which cosines are told."""
    return next((one for one in sets if one.name.endswith("unseen words")), sets[0])


def right(vectors: Vectors, items: Sequence[AntonymItem]) -> Floats:
    """Return 1 for each item whose paraphrase is the nearest option, else 0."""
    values = []
    for item in items:
        nearness = [float(vectors[item.text] @ vectors[option]) for option in item.options]
        others = max(nearness[:_PARAPHRASE])
        values.append(float(nearness[_PARAPHRASE] - others > _TIE))
    return np.array(values)


def share_right(vectors: Vectors, groups: Sequence[Group]) -> float:
    """Return the share of right items of groups."""
    return float(right(vectors, items_of(groups)).mean())


def _paired(
    name: str, unit: str, before: Floats, after: Floats, clusters: Sequence[str], kind: str,
    scale: float, bound: float,
) -> Change:  # fmt: skip
    codes = np.unique(np.array(clusters), return_inverse=True)[1].astype(np.int64)
    found = paired_difference(after - before, {kind: codes}, bound=bound)
    low, high = (None if b is None else scale * b for b in (found.low, found.high))
    return Change(
        name, unit, scale * float(before.mean()), scale * float(after.mean()), scale * found.value,
        low, high, len(before), kind,
    )  # fmt: skip


def _right(before: Vectors, after: Vectors, one: ItemSet) -> Change:
    pairs = ["/".join(item.pair) for item in one.items]
    first, second = right(before, one.items), right(after, one.items)
    return _paired(one.name, "%", first, second, pairs, "word pairs", 100.0, 1.0)


def _cosine(before: Vectors, after: Vectors, one: ItemSet, option: int, name: str) -> Change:
    pairs = ["/".join(item.pair) for item in one.items]
    first, second = (
        np.array([float(v[item.text] @ v[item.options[option]]) for item in one.items])
        for v in (before, after)
    )
    return _paired(name, "cosine", first, second, pairs, "word pairs", 1.0, 2.0)


def _correlation(before: Vectors, after: Vectors, similarity: Similarity) -> Change:
    """Spearman's correlation with people's scores; the interval is a paired bootstrap."""
    cosines = [
        np.array([float(v[a] @ v[b]) for a, b in zip(similarity.first, similarity.second,
                                                     strict=True)])
        for v in (before, after)
    ]  # fmt: skip
    scores = np.array(similarity.scores)
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(scores), size=(_RESAMPLED, len(scores)))
    first, second = (_spearman(values, scores) for values in cosines)
    differences = [
        _spearman(cosines[1][rows], scores[rows]) - _spearman(cosines[0][rows], scores[rows])
        for rows in drawn
    ]
    low, high = (float(bound) for bound in np.quantile(differences, [0.025, 0.975]))
    return Change(
        "STS benchmark, Spearman", "rho", 100 * first, 100 * second, 100 * (second - first),
        100 * low, 100 * high, len(scores), "sentence pairs",
    )  # fmt: skip


def _spearman(values: Floats, scores: Floats) -> float:
    from scipy.stats import rankdata

    one, other = (rankdata(v) - (len(v) + 1) / 2 for v in (values, scores))
    length = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / length if length else 0.0


def nearest(vectors: Vectors, general: Sequence[str]) -> list[set[int]]:
    """Return the nearest other sentences of each."""
    stacked = np.stack([vectors[text] for text in general])
    cosines = stacked @ stacked.T
    np.fill_diagonal(cosines, -np.inf)
    count = min(NEIGHBOURS, len(general) - 1)
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :count]
    return [set(row) for row in order.tolist()]


def kept_shares(before: Vectors, after: Vectors, general: Sequence[str]) -> Floats:
    """Return for each sentence the share of its nearest neighbours that are the same."""
    pairs = zip(nearest(before, general), nearest(after, general), strict=True)
    return np.array([len(one & other) / len(one) for one, other in pairs])


def _neighbours(before: Vectors, after: Vectors, general: Sequence[str]) -> Change:
    kept = kept_shares(before, after, general)
    return _paired(
        f"general sentences, top {NEIGHBOURS} kept", "%", np.ones(len(kept)), kept, general,
        "sentences", 100.0, 1.0,
    )  # fmt: skip
