"""Word lists: names by gender, professions with their article, verbs.

A lexicon is a folder of TOML files, or one file, with the tables `names`, `professions` and
`verbs`. A list that differs by gender has the keys `female` and `male`, else `any`. Verbs are a
list, or `forms`: for each verb its form at the blank, if that differs from the verb itself. A
lexicon may also have several lists of verbs, as tables `[verbs.lists.NAME]` with `words` or `forms`
each. A list can name the `models` that it was made for; else the first without that key is taken.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from naysay.core.errors import LexiconError
from naysay.core.files import read_toml
from naysay.core.keys import content_key

GENDERS = ("female", "male")
_TABLES = ("names", "professions", "verbs")


@dataclass(frozen=True)
class Lexicon:
    """Validated word lists and their sources."""

    names: Mapping[str, tuple[str, ...]]
    professions: Mapping[str, tuple[str, ...]]
    verbs: tuple[str, ...]
    sources: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, str | None] = field(default_factory=dict)
    """The form of a verb at the blank, None if unknown; other verbs do not change."""
    verb_list: str | None = None
    """The name of the list of verbs, where there are several."""

    def __post_init__(self) -> None:
        lists = {
            **{f"{gender} names": self.names[gender] for gender in GENDERS},
            **{f"professions ({gender})": self.professions[gender] for gender in GENDERS},
            "verbs": self.verbs,
        }
        for label, words in lists.items():
            _check(label, words)

    @property
    def digest(self) -> str:
        """A hash of all words in their order."""
        words = [dict(self.names), dict(self.professions), list(self.verbs), dict(self.forms)]
        return content_key(words)

    def form(self, verb: str) -> str | None:
        """Return the verb's form at the blank, None if it is unknown."""
        return self.forms.get(verb, verb)


def _check(label: str, words: tuple[str, ...]) -> None:
    if not words:
        raise LexiconError(f"the lexicon has no {label}: add at least one")
    blank = [place for place, word in enumerate(words, 1) if word != word.strip() or not word]
    if blank:
        raise LexiconError(
            f"the lexicon has an empty or space-padded entry in its {label}, at place {blank[0]}: "
            f"{words[blank[0] - 1]!r}. Remove it."
        )
    seen: set[str] = set()
    twice = [word for word in words if word in seen or seen.add(word)]  # type: ignore[func-returns-value]
    if twice:
        shown = ", ".join(map(repr, dict.fromkeys(twice)))
        raise LexiconError(
            f"the lexicon has duplicates in its {label}: {shown}. "
            "Each would count twice; remove the repetition."
        )


def read_tables(path: Path) -> dict[str, Any]:
    """Read the tables of a lexicon file, or of all TOML files in a lexicon folder."""
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not files:
        raise LexiconError(f"the lexicon folder {path} holds no .toml file")
    tables: dict[str, Any] = {}
    for file in files:
        try:
            content = read_toml(file)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise LexiconError(f"the lexicon file {file} cannot be read: {error}") from error
        for table, entries in content.items():
            if table not in _TABLES:
                known = ", ".join(_TABLES)
                raise LexiconError(f"{file} has the unknown table [{table}]; known: {known}")
            if table in tables:
                raise LexiconError(f"{file} has the table [{table}], which is also in another file")
            if not isinstance(entries, dict):
                raise LexiconError(
                    f"{file}: {table} must be a table: write [{table}], and its lists below it"
                )
            tables[table] = entries
    return tables


def lexicon_from(
    tables: Mapping[str, Any],
    verbs: str | None = None,
    made_for: Callable[[Sequence[str]], bool] = lambda models: False,
) -> Lexicon:
    """Create a lexicon from parsed TOML tables.

    `verbs` names a list of verbs; without it, the list is the one made for the tested model.
    """
    missing = [table for table in _TABLES if table not in tables]
    if missing:
        raise LexiconError(f"the lexicon lacks the table [{missing[0]}]")
    name, listed = _verb_list(tables["verbs"], verbs, made_for)
    forms = listed.get("forms", {})
    if not isinstance(forms, Mapping) or any(not _is_form(form) for form in forms.values()):
        raise LexiconError("the lexicon's verbs.forms must give one form for each verb")
    sources = {table: str(tables[table].get("source", "not stated")) for table in _TABLES}
    return Lexicon(
        names=_by_gender("names", tables["names"]),
        professions=_by_gender("professions", tables["professions"]),
        verbs=_words("verbs", listed.get("words", list(forms))),
        sources={**sources, "verbs": str(listed.get("source", sources["verbs"]))},
        forms=dict(forms),
        verb_list=name,
    )


def _verb_list(
    table: Mapping[str, Any], wanted: str | None, made_for: Callable[[Sequence[str]], bool]
) -> tuple[str | None, Mapping[str, Any]]:
    """Return the list of that name, the one made for the tested model, or the usual one."""
    lists: Mapping[str, Mapping[str, Any]] = table.get("lists", {})
    if not isinstance(lists, Mapping) or not all(isinstance(x, Mapping) for x in lists.values()):
        raise LexiconError("the lexicon's lists of verbs must be tables [verbs.lists.NAME]")
    for each, entry in lists.items():
        _words(f"verbs.lists.{each}.models", entry.get("models", []))
    if wanted is not None and wanted not in lists:
        known = ", ".join(lists) or "a single one, without a name"
        raise LexiconError(f"the lexicon has no list of verbs {wanted!r}; it has {known}")
    if not lists:
        return None, table
    name = wanted
    if name is None:
        own = (name for name, entry in lists.items() if made_for(entry.get("models", ())))
        usual = (name for name, entry in lists.items() if "models" not in entry)
        name = next(own, None) or next(usual, None) or next(iter(lists))
    return name, lists[name]


def _is_form(form: Any) -> bool:
    return form is None or (isinstance(form, str) and form != "" and form == form.strip())


def _by_gender(table: str, entries: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {
        gender: _words(f"{table}.{gender}", entries.get(gender, entries.get("any", [])))
        for gender in GENDERS
    }


def _words(label: str, entries: Any) -> tuple[str, ...]:
    if not isinstance(entries, list) or not all(isinstance(word, str) for word in entries):
        raise LexiconError(f"the lexicon's {label} must be a list of strings")
    return tuple(entries)
