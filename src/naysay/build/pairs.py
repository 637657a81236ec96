"""Files of paraphrase pairs: tab-separated with any other columns, or JSON Lines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.core.errors import DatasetError
from naysay.core.files import read_text

_JSON_LINES = (".jsonl", ".ndjson", ".json")
_SENTENCE_NAME = re.compile(
    r"(?i)(?:sentence|question|text|string|phrase|sent|s|input|paraphrase|original|target)"
    r"[ _-]?[12ab]?|#?[12] string"
)
_WORDS = 3
"""A cell with fewer words is taken for an id, a name or a score, not for a sentence."""


@dataclass(frozen=True)
class Pair:
    """Two sentences with the same meaning."""

    one: str
    other: str


@dataclass(frozen=True)
class Dropped:
    """A pair without a group, and why it has none."""

    pair: Pair
    reason: str


@dataclass(frozen=True)
class PairFile:
    """The pairs of a file, and the columns that they stand in."""

    pairs: list[Pair]
    columns: str
    """Which columns were read, in words."""


def read_pairs(path: Path) -> PairFile:
    """Read the pairs of a file: tab-separated, or JSON Lines according to its suffix.

    A line of JSON is a list of two strings, or an object with two strings and any other values. In
    tab-separated files, lines that begin with # and have no tab are comments.
    """
    try:
        # Not splitlines: a sentence may contain other Unicode line separators.
        lines = read_text(path, "utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if path.suffix.lower() in _JSON_LINES:
        texts = [(number, _json_texts(path, number, line)) for number, line in numbered]
        columns = "the two texts of each line"
    else:
        rows = [(n, line.rstrip("\r").split("\t")) for n, line in numbered if not _comment(line)]
        texts, columns = _table_texts(path, rows)
    pairs = [_pair(path, number, *found) for number, found in texts]
    if not pairs:
        raise DatasetError(f"{path} has no pairs: it must have two sentences per line")
    return PairFile(pairs, columns)


def _comment(line: str) -> bool:
    """Return whether a line is a comment; "#1 String" begins the names of columns."""
    return line.startswith("#") and not _SENTENCE_NAME.fullmatch(line.split("\t")[0].strip())


def _pair(path: Path, number: int, one: str, other: str) -> Pair:
    pair = Pair(" ".join(one.split()), " ".join(other.split()))
    if not pair.one or not pair.other:
        raise DatasetError(f"{path}, line {number} is not a pair: a sentence is empty")
    return pair


def _json_texts(path: Path, number: int, line: str) -> tuple[str, str]:
    try:
        data = json.loads(line)
        values = list(data.values()) if isinstance(data, dict) else data
        if not isinstance(values, list) or (isinstance(data, list) and len(data) != 2):
            raise ValueError(f"it is {line[:60]}")
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) != 2:
            raise ValueError(f"it has {len(texts)} texts")
    except ValueError as error:
        raise DatasetError(
            f"{path}, line {number} is not a pair: {error}. Write a list of two strings, or an "
            'object with two: ["…", "…"]'
        ) from error
    return texts[0], texts[1]


Rows = Sequence[tuple[int, list[str]]]


def _table_texts(path: Path, rows: Rows) -> tuple[list[tuple[int, tuple[str, str]]], str]:
    """Return the sentences of each row, and which columns they were read from."""
    if not rows:
        return [], ""
    header = rows[0][1]
    named = [k for k, name in enumerate(header) if _SENTENCE_NAME.fullmatch(name.strip())]
    if len(named) == 2:
        rows, one, other = rows[1:], named[0], named[1]
        names = f" ({header[one].strip()}, {header[other].strip()})"
    else:
        one, other = _sentence_columns(path, rows)
        names = ""
    needed = "two tab-separated sentences (JSON Lines need the suffix .jsonl)"
    texts = []
    for number, row in rows:
        if len(row) <= other or (len(header) == 2 and len(row) > 2):
            raise DatasetError(
                f"{path}, line {number} is not a pair: it has {len(row)} columns, not "
                f"{len(header)}. Write {needed}"
            )
        texts.append((number, (row[one], row[other])))
    return texts, f"{one + 1} and {other + 1} of {len(header)}{names}"


def _sentence_columns(path: Path, rows: Rows) -> tuple[int, int]:
    """Return the two columns that hold sentences in most rows, not ids, names or scores."""
    width = len(rows[0][1])
    if width == 2:
        return 0, 1
    found = [
        k
        for k in range(width)
        if 2 * sum(len(row[k].split()) >= _WORDS for _, row in rows if k < len(row)) > len(rows)
    ]
    if len(found) != 2:
        which = ", ".join(str(k + 1) for k in found) or "none"
        raise DatasetError(
            f"{path}, line {rows[0][0]} is not a pair: of its {width} columns exactly two must "
            f"hold sentences, but these do: {which}. Name two columns sentence1 and sentence2 in a "
            "first line, or keep only two tab-separated columns"
        )
    return found[0], found[1]
