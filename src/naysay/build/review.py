"""Review files, for a person to check and correct the groups, and files of pairs without one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from naysay.build.pairs import Dropped
from naysay.build.shapes import DOUBTS
from naysay.core.errors import DatasetError
from naysay.data.items import CLASSES, NEGATORS, Group

COLUMNS = (
    "keep", "class", "negator", "word", "antonym", "doubts", "notes",
    "plain_a", "negated_a", "plain_b", "negated_b", "source",
)  # fmt: skip
_ONE_COLUMN = tuple("flags" if name == "doubts" else name for name in COLUMNS if name != "notes")
"""The columns of older review files, which had doubts and notes in one."""
_OPTIONAL = ("doubts", "notes", "flags", "source")
UNBALANCED = "left out by balance"


@dataclass(frozen=True)
class Reviewed:
    """The content of a review file."""

    read: int
    kept: list[Group]


def review_path(out: Path) -> Path:
    """Return the path of a set's review file, next to it."""
    return out.with_suffix(".review.tsv")


def dropped_path(out: Path) -> Path:
    """Return the path of the file of pairs without a group, next to the set."""
    return out.with_suffix(".dropped.tsv")


def write_dropped(dropped: Iterable[Dropped]) -> str:
    """Return the text of a file with the pairs that have no group, and the reasons."""
    rows = [("reason", "sentence1", "sentence2")]
    rows += [(left_out.reason, left_out.pair.one, left_out.pair.other) for left_out in dropped]
    return _table(rows)


def _table(rows: Iterable[Sequence[str]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, dialect="excel-tab", lineterminator="\n").writerows(rows)
    return stream.getvalue()


def write_review(groups: Sequence[Group], stays: Iterable[bool]) -> str:
    """Return the text of a review file; groups that are not kept are marked "no"."""
    rows: list[Sequence[str]] = [COLUMNS]
    for group, stay in zip(groups, stays, strict=True):
        unbalanced = not stay and not group.doubts
        notes = [*group.notes, *([UNBALANCED] if unbalanced else [])]
        rows.append([
            "yes" if stay else "no", group.word_class, group.negator, group.word, group.antonym,
            ", ".join(group.doubts), ", ".join(notes), *group.sentences, group.source,
        ])  # fmt: skip
    return _table(rows)


def read_review(path: Path) -> Reviewed:
    """Read the groups that were kept; raise an error that names an invalid line."""
    try:
        # newline="" leaves line ends to csv, as a spreadsheet may have changed them.
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, dialect="excel-tab", strict=True)
            rows = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DatasetError(f"{path} cannot be read as a review file: {error}") from error
    if not rows or tuple(rows[0][1]) not in (COLUMNS, _ONE_COLUMN):
        raise DatasetError(
            f"{path} is not a review file: its first line must be {' '.join(COLUMNS)}"
        )
    kept: list[Group] = []
    for number, row in rows[1:]:
        try:
            group = _group(row, rows[0][1])
        except ValueError as error:
            raise DatasetError(f"{path}, line {number}: {error}") from error
        if group is not None:
            kept.append(group)
    return Reviewed(len(rows) - 1, kept)


def _group(row: Sequence[str], columns: Sequence[str]) -> Group | None:
    """Return the group of a row, None if it is not kept."""
    if len(row) != len(columns):
        raise ValueError(f"there are {len(row)} columns, not {len(columns)}")
    cell = {name: " ".join(text.split()) for name, text in zip(columns, row, strict=True)}
    keep = cell["keep"].lower()
    if keep not in ("yes", "no"):
        raise ValueError(f"keep is {cell['keep']!r}; write yes or no")
    if keep == "no":  # rows that are not kept need not be valid
        return None
    for column, known in (("class", CLASSES), ("negator", NEGATORS)):
        if cell[column] not in known:
            raise ValueError(f"{column} is {cell[column]!r}; write one of {', '.join(known)}")
    if empty := [name for name, text in cell.items() if not text and name not in _OPTIONAL]:
        raise ValueError(f"{' and '.join(empty)} must not be empty")
    if cell["word"] == cell["antonym"]:
        raise ValueError(f"{cell['word']!r} is its own antonym")
    named = ("doubts", "notes", "flags")
    flags = [flag for name in named for flag in cell.get(name, "").split(", ") if flag]
    group = Group(
        plain_a=cell["plain_a"],
        negated_a=cell["negated_a"],
        plain_b=cell["plain_b"],
        negated_b=cell["negated_b"],
        word=cell["word"],
        antonym=cell["antonym"],
        word_class=cell["class"],
        negator=cell["negator"],
        doubts=tuple(flag for flag in flags if flag in DOUBTS),
        notes=tuple(flag for flag in flags if flag not in DOUBTS),
        source=cell["source"],
    )
    if len(set(group.content)) < 4:
        raise ValueError("the four sentences are not different")
    return group
