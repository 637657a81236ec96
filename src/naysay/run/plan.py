"""What a run consists of, known before the model is loaded: its key, its folder, its shards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from naysay.core.errors import SpecError
from naysay.core.keys import content_key
from naysay.core.protocols import Model
from naysay.core.spec import DEFAULT_LANGUAGE, RunSpec
from naysay.data.languages import LANGUAGES
from naysay.suites import SUITES
from naysay.suites._base import items_here
from naysay.suites._protocol import Setting, Suite, Unit

_ROWS_VERSION = 3  # raised when rows are written in another form
KEY_LENGTH = 16


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
        """The suite's units in shards as large as `size` pairs, in their order."""
        units, size = suite.units(self.setting), size * suite.grain
        return [
            Shard(suite.name, number, tuple(units[start : start + size]))
            for number, start in enumerate(range(0, len(units), size))
        ]


def with_language(spec: RunSpec) -> RunSpec:
    """The spec with its language settled: English, unless the suites are in another one only."""
    if spec.language is not None:
        return spec
    shared = languages_of([SUITES.get(name) for name in spec.suites])
    if shared and shared[0] != DEFAULT_LANGUAGE:
        if len(shared) > 1:
            raise SpecError(f"say in which language: --language {', '.join(shared)}")
        return replace(spec, language=shared[0])
    return replace(spec, language=DEFAULT_LANGUAGE)


def languages_of(suites: Sequence[Suite]) -> list[str]:
    """The languages that all of these suites have patterns for, the default one first."""
    codes = [
        language.code
        for language in LANGUAGES.all()
        if all(suite.speaks(language) for suite in suites)
    ]
    return sorted(codes, key=lambda code: code != DEFAULT_LANGUAGE)


def with_items(spec: RunSpec) -> RunSpec:
    """The spec with its items settled, where all suites that read any read the same ones."""
    families = {suite.item_sets for suite in map(SUITES.get, spec.suites) if suite.item_sets}
    if spec.items is not None or len(families) != 1:
        return spec
    return replace(spec, items=items_here(families.pop(), spec))


def setting_of(spec: RunSpec) -> Setting:
    """The spec with its language, items and word lists read."""
    spec = with_items(with_language(spec))
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
            "suites": [
                [suite.name, suite.version, suite.digest(setting), _identity(suite, spec)]
                for suite in suites
            ],
        },
        KEY_LENGTH,
    )
    return Plan(setting, suites, key)


def _identity(suite: Suite, spec: RunSpec) -> dict[str, Any]:
    """The options that decide the suite's rows, with nothing left unsaid."""
    identity = spec.identity(suite.options)
    return identity | {"limit": spec.limit_or(suite.default_limit)}


def why_not(suite: Suite, model: Model, setting: Setting) -> str | None:
    """Why the suite cannot be run so, or None if it can."""
    if not suite.speaks(setting.language):
        return (
            f"suite {suite.name!r} has no patterns for language {setting.language.code!r}; "
            f"it has them for {', '.join(languages_of([suite]))}"
        )
    if missing := suite.needs - model.answers:
        asked = ", ".join(sorted(probe.__name__ for probe in missing))
        fitting = [s.name for s in SUITES.all() if s.needs <= model.answers]
        return (
            f"suite {suite.name!r} asks {asked}, which models of kind {model.kind} cannot answer; "
            f"they can be asked {', '.join(fitting) or 'nothing'}"
        )
    return None


def slug(name: str) -> str:
    """A model's name as part of a folder's name.

    >>> slug("google-bert/bert-base-cased")
    'bert-base-cased'
    """
    last = name.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    return re.sub(r"[^A-Za-z0-9.]+", "-", last).strip("-.")[:60] or "model"
