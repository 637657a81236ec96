"""The columns to filter rows by, with their values and how often each occurs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from naysay.run.manifest import Manifest
from naysay.run.store import read_rows

MOST_VALUES = 3_000
"""A column with more values is searched, not chosen from."""
_FEW = 200  # values that a column may have however few rows there are


@dataclass(frozen=True)
class Facet:
    """A column to filter by, with its values, the most frequent first."""

    name: str
    values: tuple[tuple[str, int], ...]


def counted_values(
    manifest: Manifest, files: Sequence[str], names: Iterable[str]
) -> dict[str, Counter[str]]:
    """Return how often each value occurs in some shards, of columns with few values.

    The files store words as numbers with a dictionary, so most of the work is done there.
    """
    found: dict[str, Counter[str]] = {name: Counter() for name in names}
    for file in files:
        table = read_rows(manifest.path(file), list(found))
        most = min(MOST_VALUES, max(_FEW, len(table) // 4))
        for name in list(found):
            for chunk in map(_encoded, table[name].chunks):
                # Mostly sentences, which would take long to count.
                if len(chunk.dictionary) <= most:
                    found[name].update(_counts(chunk))
                if len(chunk.dictionary) > most or len(found[name]) > most:
                    del found[name]
                    break
    return found


def facets_of(counted: Mapping[str, Counter[str]]) -> tuple[Facet, ...]:
    """Return the columns that have anything to choose from."""
    return tuple(
        Facet(name, tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))))
        for name, counts in counted.items()
        if len(counts) > 1
    )


def _encoded(chunk: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(chunk.type):
        return chunk
    return chunk.cast("string").dictionary_encode()


def _counts(chunk: Any) -> dict[str, int]:
    counts = np.bincount(chunk.indices.to_numpy(zero_copy_only=False), minlength=1)
    words = chunk.dictionary.to_pylist()
    return {str(word): int(n) for word, n in zip(words, counts.tolist(), strict=False) if n}
