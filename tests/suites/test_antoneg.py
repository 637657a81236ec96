"""naysay's own items: every pair of words is reviewed, and every item has a negated antonym."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from naysay.build.opposites import opposite_doubt
from naysay.data.frames import from_frames
from naysay.data.items import Group, items_of
from naysay.suites.semantoneg.source import FRAMES

TABLES = ("adjective", "prefix", "verb", "adverb", "noun")
# Denying one of these does not assert the other.
NO_PARAPHRASES = """
verb: abandon complete, pardon punish, rest work, hate love, oppose support, discourage encourage
verb: admit deny, misunderstand understand, despise respect, reassure worry, dawdle hurry
noun: pride shame, despair hope, joy sorrow, courage fear, cruelty kindness, care haste
verb: dislike like
adverb: high low, bravely timidly, cruelly kindly, heavily lightly, generously sparingly
adverb: quickly slowly, loudly quietly, loosely tightly, deeply lightly
adjective: ashamed proud, cruel kind, complicated simple
"""


def read(path: Path) -> dict[str, list[dict[str, Any]]]:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    assert {name for name, value in data.items() if isinstance(value, list)} == set(TABLES)
    return {name: data[name] for name in TABLES}


KEPT, DROPPED = read(FRAMES), read(FRAMES.with_name("dropped.toml"))


def pairs(entries: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The opposites of each entry, without the middle word of a prefix entry."""
    return [tuple(sorted((entry["words"][0], entry["words"][-1]))) for entry in entries]


@pytest.mark.parametrize("table", TABLES)
def test_every_pair_is_kept_or_dropped_for_a_reason(table: str) -> None:
    for entry in (*KEPT[table], *DROPPED[table]):
        assert len(entry["because"].split()) >= 5 and entry["because"].endswith("."), entry
    assert max(Counter(pairs(KEPT[table])).values()) == 1
    assert not set(pairs(KEPT[table])) & set(pairs(DROPPED[table]))
    assert all(entry.keys() == {"words", "because"} for entry in DROPPED[table])


def test_pairs_with_a_third_case_are_dropped() -> None:
    asked = {(item.word_class, *item.pair) for item in from_frames(FRAMES)}
    for line in NO_PARAPHRASES.strip().splitlines():
        word_class, _, listed = line.partition(": ")
        for pair in listed.split(", "):
            first, second = pair.split()
            assert (word_class, first, second) not in asked
            assert (first, second) in pairs(DROPPED[word_class])


def test_no_pair_is_a_measure_with_its_usual_case_in_between() -> None:
    """What the builder doubts in other people's sentences is not asked in naysay's own."""
    for item in from_frames(FRAMES):
        if item.word_class == "adjective":
            doubt = opposite_doubt(*item.pair, item.word_class, confirmed=True)
            assert doubt != "something in between", item.pair


def test_a_prefixed_word_and_its_synonym_are_not_asked_for_each_other() -> None:
    group = Group(
        "He is polite.", "He is impolite.", "He is rude.", "He is not rude.",
        "polite", "rude", "adjective", "prefix",
    )  # fmt: skip
    assert [(item.text, item.options[2]) for item in items_of([group])] == [
        ("He is not rude.", "He is polite."),
        ("He is polite.", "He is not rude."),
    ]
    for item in from_frames(FRAMES):
        negated = [any(n in f" {s}" for n in NEGATORS) for s in (item.text, item.options[2])]
        assert sorted(negated) == [False, True], item


NEGATORS = (" not ", " never ", " no longer ", " hardly ", " without ")
