"""Locating and reading upstream's files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from naysay.core.errors import DatasetError, UnknownNameError
from naysay.data.lama.facts import CORPORA

RELATIONS = "relations.jsonl"
VOCABULARY = "common_vocab_cased.txt"
_PLAIN = {name.replace("_", ""): name for name in CORPORA}


def corpus_folders(root: Path) -> dict[str, Path]:
    """Return the folders of the corpora by corpus, in the folder or in its `data`.

    Upstream writes Google_RE or GoogleRE, Squad or SQUAD; both are accepted.
    """
    for place in (root / "data", root):
        if not place.is_dir():
            continue
        folders = {
            _PLAIN[plain]: folder
            for folder in sorted(place.iterdir())
            if (plain := folder.name.lower().replace("_", "")) in _PLAIN and folder.is_dir()
        }
        if folders:
            return {corpus: folders[corpus] for corpus in CORPORA if corpus in folders}
    return {}


def asked_corpora(root: Path, there: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    """Return the corpora to read; named ones must exist, and at least one corpus must."""
    for corpus in asked or ():
        if corpus not in CORPORA:
            raise UnknownNameError("corpus", corpus, CORPORA)
        if corpus not in there:
            raise DatasetError(
                f"{root} has no {corpus}; it has {', '.join(there) or 'no corpus of LAMA'}. "
                "Add it in upstream's layout, or do not request it."
            )
    if not there:
        raise DatasetError(
            f"{root} has no corpus of LAMA: neither it nor its data folder has one of "
            "Google_RE, TREx, ConceptNet, Squad"
        )
    return [corpus for corpus in there if asked is None or corpus in asked]


def beside(root: Path, name: str) -> Path | None:
    """Find a file that upstream keeps in the folder, in its `data`, or next to it."""
    places = (root, root / "data", root.parent, root / "pre-trained_language_models")
    return next((place / name for place in places if (place / name).is_file()), None)


def common_vocabulary(data: Path) -> tuple[str, ...]:
    """Return the words of LAMA's common vocabulary in order, without duplicates."""
    path = beside(data, VOCABULARY)
    if path is None:
        raise DatasetError(f"neither {data} nor its data folder has {VOCABULARY}: put it there")
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    words = tuple(dict.fromkeys(word for line in lines if (word := line.strip())))
    if not words:
        raise DatasetError(f"{path} has no words")
    return words


def rows(path: Path) -> Iterator[dict[str, Any] | str]:
    """Yield the JSON objects of a file, one per line; an invalid line is yielded as text.

    Lines are read one at a time, since the evidence in some of them is long.
    """
    try:
        with path.open("rb") as stream:
            for line in stream:
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except ValueError:
                    row = None
                yield row if isinstance(row, dict) else line.decode("utf-8", "replace").strip()
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error


def relations(data: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of relations.jsonl by relation of T-REx; empty without the file."""
    path = beside(data, RELATIONS)
    found = rows(path) if path else ()
    return {row["relation"]: row for row in found if isinstance(row, dict) and "relation" in row}


def word_of(row: dict[str, Any], name: str) -> str:
    """Return a field of a row, stripped; empty if it is not a string."""
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""


def sentence_of(row: dict[str, Any], *names: str) -> str:
    """Return the sentences of the first field that has any, joined as LAMA joins them."""
    for name in names:
        value = row.get(name)
        parts = [value] if isinstance(value, str) else value
        if isinstance(parts, list) and parts and all(isinstance(part, str) for part in parts):
            return " ".join(parts)
    return ""
