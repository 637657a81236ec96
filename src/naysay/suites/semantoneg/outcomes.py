"""The items' outcomes: whether the paraphrase is found."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from naysay.outcomes import Outcome, Strings, strings
from naysay.protocols import Table
from naysay.suites.semantoneg.choices import TIE
from naysay.suites.semantoneg.items import ROLES
from naysay.suites.semantoneg.verdicts import Verdicts


def outcomes(suite: str, items: Table, title: str, rows_each: int) -> Iterator[Outcome]:
    """The accuracy on all items; each has so many rows, of which the first has its sentences."""
    rows = Verdicts(items.unify_dictionaries())
    choice = rows.numbers("choice").astype(int)
    said = pa.DictionaryArray.from_arrays(
        pa.array(np.where(choice == TIE, len(ROLES), choice), pa.int32()), [*ROLES, "tie"]
    )
    yield Outcome(
        suite, "accuracy", "all", "accuracy", title,
        keys=strings(items, "unit"), values=rows.true("right").astype(float),
        clusters={"words": _linked(rows)}, wanted="high",
        rows=np.arange(len(rows), dtype=np.int64) * rows_each, answers=said,
    )  # fmt: skip


def _linked(rows: Verdicts) -> Strings:
    """Each item's cluster by the first of its linked words."""
    pairs, code = rows.words("pair")
    cluster_of_pair = np.zeros(len(pairs), dtype=np.int64)
    cluster_of_pair[code] = rows.linked_words
    first: dict[int, str] = {}
    for pair, cluster in zip(pairs, cluster_of_pair.tolist(), strict=True):
        first[cluster] = min(*pair.split("/"), first.get(cluster, pair))
    labels = [first[cluster] for cluster in cluster_of_pair.tolist()]
    return pa.array(labels).take(pa.array(code))
