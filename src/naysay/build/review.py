"""The review file: the groups as a table, for a person to check and correct."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.core.errors import DatasetError
from naysay.data.items import CLASSES, NEGATORS, Group

_JSON_LINES = (".jsonl", ".ndjson", ".json")


@dataclass(frozen=True)
class Pair:
    """Two sentences with the same meaning."""

    one: str
    other: str


def read_pairs(path: Path) -> list[Pair]:
    """Read the pairs of a file: tab-separated, or JSON Lines according to its suffix.

    A line of JSON is a list of two strings, or an object with two strings and any other values. In
    tab-separated files, lines that begin with # are comments.
    """
    try:
        # Not splitlines: a sentence may contain other Unicode line separators.
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
                'a list of two strings, or an object with two: ["…", "…"]'
                if as_json
                else "two tab-separated sentences (JSON Lines need the suffix .jsonl)"
            )
            raise DatasetError(
                f"{path}, line {number} is not a pair: {error}. Write {needs}"
            ) from (error)
        pairs.append(Pair(one, other))
    if not pairs:
        raise DatasetError(f"{path} has no pairs: it must have two sentences per line")
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


COLUMNS = (
    "keep", "class", "negator", "word", "antonym", "flags",
    "plain_a", "negated_a", "plain_b", "negated_b", "source",
)  # fmt: skip
UNBALANCED = "left out by balance"


@dataclass(frozen=True)
class Reviewed:
    """The content of a review file."""

    read: int
    kept: list[Group]


def review_path(out: Path) -> Path:
    """Return the path of a set's review file, next to it."""
    return out.with_suffix(".review.tsv")


def write_review(groups: Sequence[Group], stays: Iterable[bool]) -> str:
    """Return the text of a review file; groups that are not kept are marked "no"."""
    stream = io.StringIO()
    writer = csv.writer(stream, dialect="excel-tab", lineterminator="\n")
    writer.writerow(COLUMNS)
    for group, stay in zip(groups, stays, strict=True):
        flags = [*group.flags, *([] if stay else [UNBALANCED])]
        writer.writerow([
            "yes" if stay else "no", group.word_class, group.negator, group.word, group.antonym,
            ", ".join(flags), *group.sentences, group.source,
        ])  # fmt: skip
    return stream.getvalue()


def read_review(path: Path) -> Reviewed:
    """Read the groups that were kept; raise an error that names an invalid line."""
    try:
        # newline="" leaves line ends to csv, as a spreadsheet may have changed them.
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, dialect="excel-tab", strict=True)
            rows = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"{path} cannot be read as a review file: {error}") from error
    if not rows or tuple(rows[0][1]) != COLUMNS:
        raise DatasetError(
            f"{path} is not a review file: its first line must be {' '.join(COLUMNS)}"
        )
    kept: list[Group] = []
    for number, row in rows[1:]:
        try:
            group = _group(row)
        except ValueError as error:
            raise DatasetError(f"{path}, line {number}: {error}") from error
        if group is not None:
            kept.append(group)
    return Reviewed(len(rows) - 1, kept)


def _group(row: Sequence[str]) -> Group | None:
    """Return the group of a row, None if it is not kept."""
    if len(row) != len(COLUMNS):
        raise ValueError(f"there are {len(row)} columns, not {len(COLUMNS)}")
    cell = {name: " ".join(text.split()) for name, text in zip(COLUMNS, row, strict=True)}
    keep = cell["keep"].lower()
    if keep not in ("yes", "no"):
        raise ValueError(f"keep is {cell['keep']!r}; write yes or no")
    if keep == "no":  # rows that are not kept need not be valid
        return None
    for column, known in (("class", CLASSES), ("negator", NEGATORS)):
        if cell[column] not in known:
            raise ValueError(f"{column} is {cell[column]!r}; write one of {', '.join(known)}")
    if empty := [name for name in COLUMNS if not cell[name] and name not in ("flags", "source")]:
        raise ValueError(f"{' and '.join(empty)} must not be empty")
    if cell["word"] == cell["antonym"]:
        raise ValueError(f"{cell['word']!r} is its own antonym")
    group = Group(
        plain_a=cell["plain_a"],
        negated_a=cell["negated_a"],
        plain_b=cell["plain_b"],
        negated_b=cell["negated_b"],
        word=cell["word"],
        antonym=cell["antonym"],
        word_class=cell["class"],
        negator=cell["negator"],
        flags=tuple(flag for flag in cell["flags"].split(", ") if flag),
        source=cell["source"],
    )
    if len(set(group.content)) < 4:
        raise ValueError("the four sentences are not different")
    return group
