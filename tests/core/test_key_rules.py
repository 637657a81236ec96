"""Keys and draws written out: a change of them would orphan runs and move every sample."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from naysay.core.keys import content_key, draw, draw_share, file_digest, seeded_order


def test_a_key_is_the_digest_of_compact_json_in_order() -> None:
    text = '{"a":[1,"é",null],"b":{"c":0.5,"d":true}}'
    value = {"b": {"d": True, "c": 0.5}, "a": [1, "é", None]}
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert content_key(value) == digest
    assert len(digest) == 64
    assert content_key(value, 16) == digest[:16]


def test_the_order_of_a_list_counts() -> None:
    assert content_key([1, 2]) != content_key([2, 1])


def test_a_file_has_the_digest_of_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"\r\n\x00")
    assert file_digest(file) == hashlib.sha256(b"\r\n\x00").hexdigest()


def test_draws_are_eight_bytes_of_a_digest() -> None:
    joined = b"7\x1ffemale/Mary/nurse"
    wanted = int.from_bytes(hashlib.blake2b(joined, digest_size=8).digest(), "big")
    assert draw(7, "female/Mary/nurse") == wanted
    assert draw_share(7, "female/Mary/nurse") == wanted / 2**64


def test_parts_do_not_run_into_each_other() -> None:
    assert draw("ab", "c") != draw("a", "bc")
    assert seeded_order(list("abcdefgh"), 1, "2") != seeded_order(list("abcdefgh"), 12)


def test_a_word_is_placed_by_its_seed_and_itself() -> None:
    def place(word: str) -> bytes:
        """Eight bytes of the digest over seed, unit and word."""
        return hashlib.blake2b(f"7\x1funit\x1f{word}".encode(), digest_size=8).digest()

    words = ["run", "swim", "walk", "sing", "dance", "sleep", "read", "write"]
    assert seeded_order(words, 7, "unit") == sorted(words, key=place)


def test_shares_are_spread_evenly() -> None:
    shares = [draw_share(number) for number in range(4000)]
    assert sum(shares) / 4000 == pytest.approx(0.5, abs=0.02)
    assert min(shares) < 0.01 and max(shares) > 0.99
