"""What a run consists of, known before the model is loaded: settings, key, folder, shards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from naysay.core.errors import LexiconError, SpecError
from naysay.core.keys import content_key
from naysay.core.options import declarations
from naysay.core.probes import ChooseWord, FillBlank
from naysay.core.protocols import Model
from naysay.core.spec import DEFAULT_LANGUAGE, RunSpec
from naysay.data.languages import LANGUAGES, Language
from naysay.data.lexicon import Lexicon, lexicon_from, read_tables
from naysay.suites import SUITES
from naysay.suites.base import items_here, languages_of
from naysay.suites.identity import ModelIdentity
from naysay.suites.protocol import LexiconReader, Setting, Suite, Unit

OWN = "own"


def settings_of(spec: RunSpec) -> dict[str, Setting]:
    """Return the settings of all suites of a spec by name; each word list is read once."""
    spec = settled(spec)
    language = LANGUAGES.get(str(spec.language))
    read: dict[tuple[str | None, str | None], Lexicon] = {}
    chosen: dict[str, Lexicon] = {}
    options = dict(spec.options)
    for suite in map(SUITES.get, spec.suites):
        declared = declarations(suite.options_type)
        name, verbs = (
            spec.value(option, suite.name) if option in declared else None
            for option in ("lexicon", "verbs")
        )
        if (name, verbs) not in read:
            read[name, verbs] = lexicon_of(language, name, spec.data_dir, verbs, spec.model)
        chosen[suite.name] = lexicon = read[name, verbs]
        if "verbs" in declared and lexicon.verb_list is not None:
            # The manifest then says which list it was, whatever the default is later.
            options[suite.name] = replace(options[suite.name], **{"verbs": lexicon.verb_list})
    spec = replace(spec, options=options)
    return {
        name: Setting(spec, language, lexicon, SUITES.get(name)) for name, lexicon in chosen.items()
    }


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


def lexicon_of(
    language: Language,
    name: str | None,
    data_dir: Path | None,
    verbs: str | None = None,
    model: str = "",
) -> Lexicon:
    """Return the language's own word lists, a paper's by name, or those of a file or folder.

    Missing lists are taken from the language's own. `verbs` names one of several lists of verbs;
    without it, a list that was made for the model is taken, if there is one.
    """
    tables = _tables_of(language, name, data_dir)
    tested = ModelIdentity.of({"name": model})
    return lexicon_from(tables, verbs, tested.is_one_of)


def _tables_of(language: Language, name: str | None, data_dir: Path | None) -> dict[str, Any]:
    if name is None or name == OWN:
        return language.lexicon_tables
    papers = paper_lexicons()
    if name in papers:
        return language.lexicon_tables | papers[name](language.code, data_dir)
    path = Path(name)
    if not path.exists():
        known = ", ".join([OWN, *papers])
        raise LexiconError(
            f"unknown lexicon {name!r}: it is neither one of {known} nor a file or folder"
        )
    return language.lexicon_tables | read_tables(path)


def paper_lexicons() -> dict[str, LexiconReader]:
    """Return the readers of word lists in the papers' data, by name."""
    return {name: read for suite in SUITES.all() for name, read in suite.lexicons.items()}


_ROWS_VERSION = 3  # raise when the format of rows changes
KEY_LENGTH = 16


@dataclass(frozen=True)
class Shard:
    """Some units of one suite, and the file of their rows."""

    suite: str
    number: int
    units: tuple[Unit, ...]

    @property
    def file(self) -> str:
        """The file's name inside the run's folder."""
        return f"{self.suite}/{self.number:05d}.parquet"


@dataclass(frozen=True)
class Plan:
    """The settings of a run's suites, its key and its folder."""

    settings: Mapping[str, Setting]
    key: str

    @property
    def suites(self) -> list[Suite]:
        """The suites in the order of the spec."""
        return [setting.suite for setting in self.settings.values()]

    @property
    def spec(self) -> RunSpec:
        """The spec that was planned."""
        return next(iter(self.settings.values())).spec

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.spec.out / f"{slug(self.spec.model)}-{self.key}"

    def shards(self, suite: Suite, size: int) -> list[Shard]:
        """Split the suite's units into shards of `size` pairs, in order."""
        units, size = self.settings[suite.name].units, size * suite.grain
        return [
            Shard(suite.name, number, tuple(units[start : start + size]))
            for number, start in enumerate(range(0, len(units), size))
        ]


def plan_run(settings: Mapping[str, Setting], model: Model) -> Plan:
    """Check that the suites fit the model, and compute the run's key."""
    for setting in settings.values():
        if (reason := why_not(setting, model)) is not None:
            raise SpecError(reason)
    identity = [
        [s.suite.name, s.suite.version, s.digest, _identity(s.suite, s.spec)]
        for _, s in sorted(settings.items())  # the order of the suites does not matter
    ]
    key = content_key(
        {"rows": _ROWS_VERSION, "model": model.digest, "suites": identity}, KEY_LENGTH
    )
    return Plan(settings, key)


def _identity(suite: Suite, spec: RunSpec) -> dict[str, Any]:
    """Return all options that affect the suite's rows."""
    own = spec.options_of(suite.name, suite.options_type).identity()
    return own | {"seed": spec.seed, "limit": spec.limit_or(suite.default_limit)}


def why_not(setting: Setting, model: Model) -> str | None:
    """Return why the suite cannot be run, or None if it can."""
    suite = setting.suite
    if not suite.speaks(setting.language):
        return (
            f"suite {suite.name!r} has no patterns for language {setting.language.code!r}; "
            f"it has them for {', '.join(languages_of([suite]))}"
        )
    if (lacking := _lacking(setting, model)) is not None:
        fitting = ", ".join(one.name for one in suites_for(model))
        others = f"; suites for it: {fitting}" if fitting else ""
        return f"suite {suite.name!r} cannot be asked of {model.name}: {lacking}{others}"
    if missing := suite.needs - model.answers:
        asked = " and ".join(sorted(_ASKED.get(one.__name__, one.__name__) for one in missing))
        fitting = ", ".join(one.name for one in suites_for(model))
        return (
            f"suite {suite.name!r} asks for {asked}, and models of kind {model.kind} cannot tell; "
            f"suites for this kind: {fitting or 'none'}"
        )
    return None


def suites_for(model: Model) -> list[Suite]:
    """Return the suites whose questions the model answers."""
    lacks = getattr(model, "lacks", {})
    return [
        suite
        for suite in SUITES.all()
        if suite.needs <= model.answers and not getattr(suite, "uses", frozenset()) & set(lacks)
    ]


_ASKED = {
    "FillBlank": "the word at a blank",
    "RankWords": "words by their rank",
    "ContrastFills": "the ranking of a vocabulary",
    "ChooseWord": "the likeliest of given words",
    "ChooseClosest": "the closest sentence",
    "Complete": "how likely a continuation is",
    "AnswerQuestion": "an answer in words",
}
"""What the kinds of probe ask for, in words."""


def _lacking(setting: Setting, model: Model) -> str | None:
    """Return what this one model lacks of what the suite needs, if it says so itself.

    A server may answer fewer kinds of question than other models of its kind.
    """
    suite, lacks = setting.suite, getattr(model, "lacks", {})
    wanted = suite.needs | getattr(suite, "uses", frozenset())
    if setting.spec.value("readout", suite.name) == "likelihood":
        wanted = wanted - {FillBlank} | {ChooseWord}
    found = sorted((kind.__name__, str(lacks[kind])) for kind in wanted if kind in lacks)
    return found[0][1] if found else None


def slug(name: str) -> str:
    """Shorten a model's name for use in a folder's name.

    >>> slug("google-bert/bert-base-cased"), slug("server:http://127.0.0.1:8080/v1")
    ('bert-base-cased', '127.0.0.1-8080')
    """
    if "://" in name:
        name = urlsplit(name.partition(":")[2]).netloc
    last = name.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    return re.sub(r"[^A-Za-z0-9.]+", "-", last).strip("-.")[:60] or "model"
