"""Languages, one folder of data each: `language.toml`, a pattern file per suite, a lexicon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from naysay.core.errors import PatternError
from naysay.core.files import read_toml
from naysay.core.keys import content_key
from naysay.core.registry import Registry, suite_folders
from naysay.data.lexicon import GENDERS, Lexicon, lexicon_from, read_tables

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Language:
    """A language, described by its folder."""

    folder: Path

    @property
    def code(self) -> str:
        """The folder's name: en, it, …"""
        return self.folder.name

    @cached_property
    def about(self) -> Mapping[str, Any]:
        """`language.toml`: the language's name, its pronouns by gender, its negators."""
        return _read(self.folder / "language.toml")

    @cached_property
    def pronouns(self) -> Mapping[str, str]:
        """The subject pronoun that opens a sentence, by gender."""
        file, pronouns = self.folder / "language.toml", self.about.get("pronouns")
        if not isinstance(pronouns, dict) or not all(
            isinstance(pronouns.get(gender), str) and pronouns[gender] for gender in GENDERS
        ):
            raise PatternError(f"{file} lacks the table [pronouns] with {' and '.join(GENDERS)}")
        return pronouns

    @cached_property
    def negation(self) -> Mapping[str, Any]:
        """`negation.toml`: the words of negation and contrast; empty if the language has none."""
        file = self.folder / "negation.toml"
        return _read(file) if file.is_file() else {}

    @cached_property
    def negator(self) -> Mapping[str, Any]:
        """`negator.toml`: the rule that negates a sentence; empty if the language has none."""
        file = self.folder / "negator.toml"
        return _read(file) if file.is_file() else {}

    def has_patterns(self, suite: str) -> bool:
        """Return whether there is a pattern file for the suite."""
        return self._pattern_file(suite) is not None

    def _pattern_file(self, suite: str) -> Path | None:
        """Return the suite's pattern file in this language, from the language or the suite."""
        places = [self.folder / "patterns" / f"{suite}.toml"]
        if (folder := suite_folders().get(suite)) is not None:
            places.append(folder / "patterns" / f"{self.code}.toml")
        return next((place for place in places if place.is_file()), None)

    def patterns(self, suite: str) -> Mapping[str, Any]:
        """Read the suite's pattern file."""
        file = self._pattern_file(suite)
        if file is None:
            raise PatternError(f"language {self.code!r} has no patterns for suite {suite!r}")
        return _read(file)

    @cached_property
    def lexicon_tables(self) -> dict[str, Any]:
        """The tables of the language's own word lists."""
        return read_tables(self.folder / "lexicon")

    @cached_property
    def lexicon(self) -> Lexicon:
        """The language's own word lists."""
        return lexicon_from(self.lexicon_tables)

    @property
    def all_verbs(self) -> list[str]:
        """The verbs of all the language's own lists."""
        names = self.lexicon_tables["verbs"].get("lists", {}) or {None: None}
        lexicons = [lexicon_from(self.lexicon_tables, name) for name in names]
        return list(dict.fromkeys(verb for lexicon in lexicons for verb in lexicon.verbs))

    def digest(self, suite: str) -> str:
        """Return a hash of the patterns and pronouns of the suite's sentences."""
        return content_key([dict(self.patterns(suite)), dict(self.pronouns)])


def _read(path: Path) -> dict[str, Any]:
    try:
        return _parsed(path, path.stat().st_mtime_ns)
    except (OSError, ValueError) as error:
        raise PatternError(f"{path} cannot be read: {error}") from error


@lru_cache(maxsize=64)
def _parsed(path: Path, changed: int) -> dict[str, Any]:
    """Read a file; the content is cached until the file changes."""
    return read_toml(path)


def _folders() -> dict[str, Callable[[], Language]]:
    found = sorted(path.parent for path in _HERE.glob("*/language.toml"))
    return {folder.name: partial(Language, folder) for folder in found}


def _from_entry_point(point: EntryPoint) -> Language:
    """Return the language of an entry point, which names a package in the language's folder."""
    module = point.load()
    language = Language(Path(module.__file__).parent)
    if not isinstance(language.about.get("name"), str):
        raise PatternError(f"{language.folder / 'language.toml'} lacks the language's name")
    return language


LANGUAGES: Registry[Language] = Registry(
    "language", "naysay.languages", _folders, _from_entry_point
)
