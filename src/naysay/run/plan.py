"""What a run consists of, known before the model is loaded: its key, its folder, its shards."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from naysay.errors import SpecError
from naysay.keys import content_key
from naysay.languages import LANGUAGES
from naysay.protocols import Model, Setting, Suite, Unit
from naysay.spec import RunSpec
from naysay.suites import SUITES

_ROWS_VERSION = 2  # raised when rows are written in another form
KEY_LENGTH = 16
DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True)
class Shard:
    """Some units of one suite, and the file their rows go to."""

    suite: str
    number: int
    units: tuple[Unit, ...]

    @property
    def file(self) -> str:
        """The file's name inside the run's folder."""
        return f"{self.suite}/{self.number:05d}.parquet"


@dataclass(frozen=True)
class Plan:
    """A spec made ready: suites, words, key and folder."""

    setting: Setting
    suites: tuple[Suite, ...]
    key: str

    @property
    def spec(self) -> RunSpec:
        """The spec that was planned."""
        return self.setting.spec

    @property
    def folder(self) -> Path:
        """Where the run's files go."""
        return self.spec.out / f"{slug(self.spec.model)}-{self.key}"

    def shards(self, suite: Suite, size: int) -> list[Shard]:
        """The suite's units in shards of `size`, in their order."""
        units = suite.units(self.setting)
        return [
            Shard(suite.name, number, tuple(units[start : start + size]))
            for number, start in enumerate(range(0, len(units), size))
        ]


def with_language(spec: RunSpec) -> RunSpec:
    """The spec with its language settled: English, unless the suites are in another one only."""
    if spec.language is not None:
        return spec
    suites = [SUITES.get(name) for name in spec.suites]
    shared = [
        language.code
        for language in LANGUAGES.all()
        if all(suite.speaks(language) for suite in suites)
    ]
    if shared and DEFAULT_LANGUAGE not in shared:
        if len(shared) > 1:
            raise SpecError(f"say in which language: --language {', '.join(shared)}")
        return replace(spec, language=shared[0])
    return replace(spec, language=DEFAULT_LANGUAGE)


def setting_of(spec: RunSpec) -> Setting:
    """The spec with its language and word lists read."""
    spec = with_language(spec)
    language = LANGUAGES.get(str(spec.language))
    return Setting(spec, language, language.lexicon(spec.lexicon, spec.data_dir))


def plan_run(spec: RunSpec, model: Model) -> Plan:
    """Check that everything goes together, and work out the run's key."""
    setting = setting_of(spec)
    spec = setting.spec
    suites = tuple(SUITES.get(name) for name in spec.suites)
    for suite in suites:
        if (reason := why_not(suite, model, setting)) is not None:
            raise SpecError(reason)
    key = content_key(
        {
            "rows": _ROWS_VERSION,
            "model": model.digest,
            "lexicon": setting.lexicon.digest,
            "suites": [
                [s.name, s.version, setting.language.digest(s.patterns), spec.identity(s.options)]
                for s in suites
            ],
        },
        KEY_LENGTH,
    )
    return Plan(setting, suites, key)


def why_not(suite: Suite, model: Model, setting: Setting) -> str | None:
    """Why the suite cannot be run so, or None if it can."""
    if not suite.speaks(setting.language):
        spoken = [language.code for language in LANGUAGES.all() if suite.speaks(language)]
        return (
            f"suite {suite.name!r} has no patterns for language {setting.language.code!r}; "
            f"it has them for {', '.join(spoken)}"
        )
    if missing := suite.needs - model.answers:
        asked = ", ".join(sorted(probe.__name__ for probe in missing))
        return f"suite {suite.name!r} asks {asked}, which a {model.kind} model cannot answer"
    return None


def slug(name: str) -> str:
    """A model's name as part of a folder's name.

    >>> slug("google-bert/bert-base-cased")
    'bert-base-cased'
    """
    last = name.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    return re.sub(r"[^A-Za-z0-9.]+", "-", last).strip("-.")[:60] or "model"
