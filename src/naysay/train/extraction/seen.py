"""Which sentences were there before, in little memory.

Of each sentence 64 bits are kept: in a set while they are new, then in one sorted array. That is 8
bytes a sentence, twice that while arrays are merged, and some 100 MB for the set: 10 million
sentences take less than 300 MB. With so many, the chance that any two different ones are taken for
the same is 3 in a million.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

_NEW = 1 << 20
Keys = NDArray[np.uint64]


def key_of(sentence: str) -> int:
    """64 bits of a sentence; case, and which apostrophe it has, do not count."""
    plain = sentence.lower().replace("’", "'").encode()
    return int.from_bytes(hashlib.blake2b(plain, digest_size=8).digest(), "big")


class Seen:
    """A set of keys that only grows."""

    def __init__(self, new: int = _NEW) -> None:
        self._most = new
        self._new: set[int] = set()
        self._old: Keys = np.empty(0, np.uint64)

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    def add(self, keys: Keys) -> NDArray[np.bool_]:
        """Add keys, and tell which of them were not there before."""
        fresh = np.ones(len(keys), bool)
        if len(self._old):
            places = np.searchsorted(self._old, keys).clip(max=len(self._old) - 1)
            fresh = self._old[places] != keys
        for k, key in enumerate(keys.tolist()):
            if fresh[k]:
                fresh[k] = key not in self._new
                self._new.add(key)
        if len(self._new) > self._most:
            new = np.fromiter(self._new, np.uint64, len(self._new))
            self._new.clear()
            self._old = np.concatenate((self._old, new))
            self._old.sort()
        return fresh
