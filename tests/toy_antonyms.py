"""Small sets of antonyms, and questions about which sentence is nearest."""

from __future__ import annotations

from pathlib import Path

import pytest

from naysay.core.probes import ChooseClosest
from naysay.core.records import Estimate
from naysay.data.items import AntonymItem, permutations, write_items
from naysay.run.evaluation import Evaluation

TEXTS = [
    "She is happy to run.", "He isn't happy to swim.", "She is here.", "He doesn't like to work.",
    "Mary is an architect who likes to sing.", "She isn't very happy to talk to him.",
]  # fmt: skip
CLOSEST = [
    ChooseClosest(text, tuple(other for other in TEXTS if other != text)[k : k + 3])
    for text in TEXTS
    for k in (0, 1, 2)
]
WORDS = [("hot", "cold"), ("good", "bad"), ("good", "evil")]


def group(one: str, other: str, start: int) -> list[AntonymItem]:
    """The four items of two words, numbered from `start` on."""
    plain = (f"It is {one}.", f"It is {other}.")
    negated = (f"It is not {one}.", f"It is not {other}.")
    pair = tuple(sorted((one, other)))
    return permutations(plain, negated, start, pair=pair)


ITEMS = [item for k, words in enumerate(WORDS) for item in group(*words, 4 * k)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three groups, the last of which shares a word with the second; one is there twice."""
    path = tmp_path / "items.jsonl"
    path.write_text(write_items([*ITEMS, *ITEMS[:4]]), encoding="utf-8")
    return path


def figure(run: Evaluation, table: str, condition: str) -> Estimate:
    """The one estimate of this name."""
    [found] = [e for e in run if (e.table, e.condition) == (table, condition)]
    return found
