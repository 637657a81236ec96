"""Digests and seeded orders that depend on content alone, never on location or time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from naysay.core.files import opened

_SEPARATOR = "\x1f"  # cannot occur in a word, so ("ab", "c") and ("a", "bc") differ


def content_key(value: Any, length: int = 64) -> str:
    """Return the SHA-256 of a JSON value, regardless of the order of its keys.

    >>> content_key({"a": 1, "b": 2}) == content_key({"b": 2, "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def draw(*parts: object) -> int:
    """Return a pseudo-random 64-bit number that depends on `parts` alone."""
    text = _SEPARATOR.join(map(str, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def draw_share(*parts: object) -> float:
    """Return a pseudo-random number in [0, 1) that depends on `parts` alone."""
    return draw(*parts) / 2**64


def seeded_order(words: Iterable[str], *seed: object) -> list[str]:
    """Return the words in a pseudo-random order that is fixed by the seed.

    Each word's place is drawn independently, so removing a word does not change the order of the
    others. Two models with different vocabularies therefore see their shared words in the same
    order, and a sample of n is part of the sample of n + 1.

    >>> all_three = seeded_order(["run", "swim", "walk"], 7)
    >>> [word for word in all_three if word != "run"] == seeded_order(["walk", "swim"], 7)
    True
    """
    head = hashlib.blake2b(_SEPARATOR.join(map(str, seed)).encode(), digest_size=8)

    def place(word: str) -> bytes:
        own = head.copy()
        own.update((_SEPARATOR + word).encode())
        return own.digest()

    return sorted(words, key=lambda word: (place(word), word))
