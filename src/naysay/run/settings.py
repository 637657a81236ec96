"""Settings of suites: a spec with its language, items and word lists resolved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from naysay.core.errors import LexiconError, SpecError
from naysay.core.options import declarations
from naysay.core.spec import DEFAULT_LANGUAGE, RunSpec
from naysay.data.languages import LANGUAGES, Language
from naysay.data.lexicon import Lexicon, lexicon_from, read_tables
from naysay.suites import SUITES
from naysay.suites.base import items_here, languages_of
from naysay.suites.protocol import LexiconReader, Setting

OWN = "own"


def settings_of(spec: RunSpec) -> dict[str, Setting]:
    """Return the settings of all suites of a spec by name; each word list is read once."""
    spec = settled(spec)
    language = LANGUAGES.get(str(spec.language))
    read: dict[str | None, Lexicon] = {}
    found = {}
    for suite in map(SUITES.get, spec.suites):
        listed = "lexicon" in declarations(suite.options_type)
        name = spec.value("lexicon", suite.name) if listed else None
        if name not in read:
            read[name] = lexicon_of(language, name, spec.data_dir)
        found[suite.name] = Setting(spec, language, read[name], suite)
    return found


def setting_of(spec: RunSpec) -> Setting:
    """Return the setting of the first suite of a spec."""
    return settings_of(spec)[spec.suites[0]]


def settled(spec: RunSpec) -> RunSpec:
    """Resolve the language of a spec and the items of each suite."""
    spec = _with_language(spec)
    options = dict(spec.options)
    for name in spec.suites:
        suite = SUITES.get(name)
        own = options.setdefault(name, suite.options_type())
        if suite.item_sets and getattr(own, "items", None) is None:
            items = items_here(suite.item_sets, spec)
            options[name] = replace(own, **{"items": items})
    return replace(spec, options=options)


def _with_language(spec: RunSpec) -> RunSpec:
    """Resolve the language: English, unless the suites do not support it."""
    if spec.language is not None:
        return spec
    shared = languages_of([SUITES.get(name) for name in spec.suites])
    if shared and shared[0] != DEFAULT_LANGUAGE:
        if len(shared) > 1:
            raise SpecError(
                f"the suites share several languages; choose with --language: {', '.join(shared)}"
            )
        return replace(spec, language=shared[0])
    return replace(spec, language=DEFAULT_LANGUAGE)


def lexicon_of(language: Language, name: str | None, data_dir: Path | None) -> Lexicon:
    """Return the language's own word lists, a paper's by name, or those of a file or folder.

    Missing lists are taken from the language's own.
    """
    if name is None or name == OWN:
        return language.lexicon
    papers = paper_lexicons()
    if name in papers:
        return lexicon_from(language.lexicon_tables | papers[name](language.code, data_dir))
    path = Path(name)
    if not path.exists():
        known = ", ".join([OWN, *papers])
        raise LexiconError(
            f"unknown lexicon {name!r}: it is neither one of {known} nor a file or folder"
        )
    return lexicon_from(language.lexicon_tables | read_tables(path))


def paper_lexicons() -> dict[str, LexiconReader]:
    """Return the readers of word lists in the papers' data, by name."""
    return {name: read for suite in SUITES.all() for name, read in suite.lexicons.items()}
