"""Groups from frames: sentences with slots, and the words that fit them.

A file has tables `[[adjective]]`, `[[prefix]]`, `[[verb]]`, `[[adverb]]` and `[[noun]]`. Each
context of an entry, with each of its negators, is one group; `because` may say why its words are
opposites. This needs no tagger, and so no other package.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.core.errors import DatasetError
from naysay.core.files import read_toml
from naysay.data.items import AntonymItem, Group, distinct, items_of

# Spelled with a vowel, pronounced with the consonant of "you" or "one".
_CONSONANT = re.compile(
    r"eu|ewe|ouija|once|one(?:$|s|-|time|ness)|u(?:$|-)|"
    r"u(?:biq|fo|gan|k[eru]|nanim(?!ated)|nary|r[aeiou]|s[aeiu]|t[ai]|te[nr]|top|v)|"
    r"uni(?:$|[abcfopqstvx]|l(?!l)|di[mr]|mod|n[ou])"
)
_SILENT_H = re.compile(r"heir|honest|honou?r|hour(?!i)")
_LETTER = re.compile(r"[AEFHILMNORSXaefhilmnorsx](?:-|$)|[AEFHILMNORSX][A-Z.]")
_NUMBER = re.compile(r"8|1[18](?:\D|\d{3}(?!\d)|$)")  # eight, eleven, eighteen and their thousands


def article(word: str) -> str:
    """Return the indefinite article of a word.

    Abbreviations are pronounced letter by letter.

    >>> [article(word) for word in ("evil", "useful", "honest", "unimportant", "one-sided", "MP")]
    ['an', 'a', 'an', 'an', 'a', 'an']
    """
    if len(word) > 1 and word.isupper():
        return "an" if _LETTER.match(word) else "a"
    lower = word.lower()
    if _LETTER.match(word) or _NUMBER.match(lower) or _SILENT_H.match(lower):
        return "an"
    return "an" if lower[:1] in tuple("aeiou") and not _CONSONANT.match(lower) else "a"


_SLOT = re.compile(r"\{(\w*)\}")
_BE = ("is", "are", "was", "were")
_ADDED = {
    "not": ("", "not"),
    "never": ("always", "never"),
    "no longer": ("now", "no longer"),
    "hardly": ("", "hardly"),
}
"""What a negator adds to the plain and the negated sentence."""
Slots = dict[str, str]


@dataclass(frozen=True)
class _Table:
    """The required fields of a table's entries, and how they fill contexts."""

    word_class: str
    words: int
    """The number of words per entry."""
    forms: str
    """The name of the second list of word forms, "" if none."""
    slots: tuple[tuple[str, ...], ...]
    """A context has exactly one slot of each of these."""
    negators: tuple[str, ...]
    given: bool
    """Whether an entry names its negators."""
    fill: Callable[[Mapping[str, Any], str], list[Slots]]
    """Returns the slots of plain A, negated A, plain B and negated B."""


def from_frames(path: Path) -> list[AntonymItem]:
    """Return the items of a frames file, in the order of tables, entries, contexts and negators."""
    return items_of(distinct(frame_groups(path)))


def frame_groups(path: Path) -> list[Group]:
    """Return the groups of a frames file, including duplicates."""
    try:
        data = read_toml(path, "utf-8-sig")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DatasetError(f"{path} cannot be read as frames: {error}") from error
    unknown = [name for name, value in data.items() if name not in _TABLES and _is_tables(value)]
    if unknown:
        raise DatasetError(f"{path} has unknown tables {unknown}; known: {', '.join(_TABLES)}")
    groups: list[Group] = []
    for name, table in _TABLES.items():
        entries = data.get(name, [])
        if not _is_tables(entries) and entries != []:
            raise DatasetError(f"{path}: {name} must be written as [[{name}]]")
        for number, entry in enumerate(entries, 1):
            where = f"[[{name}]] entry {number}"
            try:
                _check(table, entry)
                groups += _expand(table, entry, where)
            except ValueError as error:
                raise DatasetError(f"{path}, {where}: {error}") from error
    if not groups:
        raise DatasetError(f"{path} has no frames: it must have tables such as [[adjective]]")
    return groups


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(e, dict) for e in value)


def _check(table: _Table, entry: Mapping[str, Any]) -> None:
    lists = {"words": table.words, "contexts": None}
    if table.forms:
        lists[table.forms] = 2
    if table.given:
        lists["negators"] = None
    because = entry.get("because", "-")
    if not isinstance(because, str) or not because.strip():
        raise ValueError("because must be a text")
    if entry.keys() - {"because"} != lists.keys():
        raise ValueError(f"it has {', '.join(sorted(entry))}, not {', '.join(sorted(lists))}")
    for key, length in lists.items():
        value = entry[key]
        whole = isinstance(value, list) and all(isinstance(w, str) and w.strip() for w in value)
        if not whole or not value or len(set(value)) < len(value):
            raise ValueError(f"{key} must be a list of different texts")
        if length is not None and len(value) != length:
            raise ValueError(f"{key} must have {length} texts, not {len(value)}")
    for negator in entry.get("negators", []):
        if negator not in table.negators:
            raise ValueError(f"negator {negator!r} is not one of {', '.join(table.negators)}")
    for context in entry["contexts"]:
        slots = [slot for slot in _SLOT.findall(context) if slot != "a"]
        wanted = [[slot for slot in slots if slot in choice] for choice in table.slots]
        if any(len(found) != 1 for found in wanted) or len(slots) != len(wanted):
            needs = ", ".join("{" + "} or {".join(choice) + "}" for choice in table.slots)
            raise ValueError(f"context {context!r} must have each of {needs} once")


def _expand(table: _Table, entry: Mapping[str, Any], where: str) -> Iterator[Group]:
    words = entry["words"]
    for context in entry["contexts"]:
        for negator in entry.get("negators", table.negators):
            plain_a, negated_a, plain_b, negated_b = (
                _sentence(context, slots) for slots in table.fill(entry, negator)
            )
            group = Group(
                plain_a=plain_a,
                negated_a=negated_a,
                plain_b=plain_b,
                negated_b=negated_b,
                word=words[0],
                antonym=words[-1],
                word_class=table.word_class,
                negator=negator,
                source=where,
            )
            if len(set(group.content)) < 4:
                raise ValueError(f"context {context!r} does not make four different sentences")
            yield group


def _sentence(context: str, slots: Slots) -> str:
    text = _SLOT.sub(lambda match: slots.get(match[1], match[0]), context)
    text = re.sub(r"\{a\}(\s+)([\w-]+)", lambda m: f"{article(m[2])}{m[1]}{m[2]}", text)
    if "{" in text:
        raise ValueError(f"context {context!r} has {{a}} without a word after it")
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]


def _phrase(*words: str) -> str:
    return " ".join(word for word in words if word)


def _be(entry: Mapping[str, Any], negator: str) -> list[Slots]:
    return [
        {be: _phrase(be, added) for be in _BE} | {"word": word}
        for word in entry["words"]
        for added in _ADDED[negator]
    ]


def _prefix(entry: Mapping[str, Any], negator: str) -> list[Slots]:
    plain, prefixed, other = entry["words"]
    return [
        {be: _phrase(be, added) for be in _BE} | {"word": word}
        for word, added in ((plain, ""), (prefixed, ""), (other, ""), (other, "not"))
    ]


def _verb(entry: Mapping[str, Any], negator: str) -> list[Slots]:
    filled: list[Slots] = []
    for base, past in zip(entry["words"], entry["past"], strict=True):
        plain, negated = _ADDED[negator]
        denied = f"did not {base}" if negator == "not" else f"{negated} {past}"
        filled += [{"verb": _phrase(plain, past)}, {"verb": denied}]
    return filled


def _adverb(entry: Mapping[str, Any], negator: str) -> list[Slots]:
    past, base = entry["verb"]
    verbs = (past, f"did not {base}")
    return [{"verb": verb, "word": word} for word in entry["words"] for verb in verbs]


def _noun(entry: Mapping[str, Any], negator: str) -> list[Slots]:
    return [{"with": w, "word": word} for word in entry["words"] for w in ("with", "without")]


_TABLES = {
    "adjective": _Table("adjective", 2, "", (_BE, ("word",)), tuple(_ADDED), True, _be),
    "prefix": _Table("adjective", 3, "", (_BE, ("word",)), ("prefix",), False, _prefix),
    "verb": _Table("verb", 2, "past", (("verb",),), ("not", "never", "no longer"), True, _verb),
    "adverb": _Table("adverb", 2, "verb", (("verb",), ("word",)), ("not",), True, _adverb),
    "noun": _Table("noun", 2, "", (("with",), ("word",)), ("without",), False, _noun),
}
