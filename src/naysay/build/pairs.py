"""Files of paraphrase pairs: two sentences a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from naysay.errors import DatasetError

_JSON_LINES = (".jsonl", ".ndjson", ".json")


@dataclass(frozen=True)
class Pair:
    """Two sentences that say the same."""

    one: str
    other: str


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file: tab between them, or JSON lines where the name says so.

    A line of JSON is a list of two texts, or an object with two texts; what else an object has
    does not matter. In the other kind of file, lines that begin with # are comments.
    """
    try:
        # Not splitlines: a sentence may have one of Unicode's other line ends in it.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    as_json = path.suffix.lower() in _JSON_LINES
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or (line.startswith("#") and not as_json):
            continue
        try:
            texts = _json_texts(line) if as_json else line.split("\t")
            one, other = (" ".join(text.split()) for text in texts)
            if not one or not other:
                raise ValueError("a sentence is empty")
        except ValueError as error:
            needs = (
                'a list of two texts, or an object with two: ["…", "…"]'
                if as_json
                else "two sentences with a tab between them (JSON lines are read from *.jsonl)"
            )
            raise DatasetError(f"{path}, line {number} is no pair: {error}. Write {needs}") from (
                error
            )
        pairs.append(Pair(one, other))
    if not pairs:
        raise DatasetError(f"{path} has no pairs: it must have two sentences a line")
    return pairs


def _json_texts(line: str) -> list[str]:
    data = json.loads(line)
    values = list(data.values()) if isinstance(data, dict) else data
    if not isinstance(values, list) or (isinstance(data, list) and len(data) != 2):
        raise ValueError(f"it is {line[:60]}")
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) != 2:
        raise ValueError(f"it has {len(texts)} texts")
    return texts
