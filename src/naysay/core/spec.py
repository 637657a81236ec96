"""What a run is asked to do: the options that all runs share, and those of suites and adapters."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from naysay.core.errors import SpecError
from naysay.core.options import ALL, PLACE, Options, declarations, flag, option, plain

PRECISIONS = ("fp32", "bf16")
DEFAULT_LANGUAGE = "en"

O = TypeVar("O", bound=Options)  # noqa: E741


@dataclass(frozen=True, kw_only=True)
class RunSpec(Options):
    """The options of one run, checked when it is made.

    Each suite's own options hang below its name, and each adapter's below its kind; what is not
    there has its defaults.
    """

    model: str
    suites: tuple[str, ...]
    language: str | None = option(
        None, "Language of the items; see naysay ls languages. English, or the suites' own."
    )
    limit: int | str | None = option(
        None, "Units drawn by the seed, or all; each suite has a default.", least=1
    )
    seed: int = option(0, "Decides which units and words are drawn.", least=0)
    precision: str = option("fp32", "Precision of the model's body.", choices=PRECISIONS)
    out: Path = option(Path("runs"), "Folder of runs.", role=PLACE)
    data_dir: Path | None = option(
        None, "Folder with upstream's data; else NAYSAY_DATA, then the cache.", role=PLACE
    )
    device: str = option("auto", "auto, cpu, cuda, cuda:1, mps, …", role=PLACE)
    token_budget: int = option(2048, "Tokens per batch.", least=1, role=PLACE)
    shard_size: int = option(25, "Pairs per file of rows.", least=1, role=PLACE)
    options: Mapping[str, Options] = field(default_factory=dict)
    """By suite."""
    adapters: Mapping[str, Options] = field(default_factory=dict)
    """By kind of model."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.suites or len(set(self.suites)) < len(self.suites):
            raise SpecError(f"--suites must name at least one, each once: {self.suites!r}")

    def limit_or(self, default: int | None) -> int | None:
        """How many units to draw, None for all; `default` where nothing was said."""
        if isinstance(self.limit, str):
            return None
        return default if self.limit is None else self.limit

    def options_of(self, name: str, kind: type[O]) -> O:
        """The options of a suite, or its defaults."""
        found = self.options.get(name)
        return found if isinstance(found, kind) else kind()

    def value(self, name: str, suite: str | None = None) -> Any:
        """An option's value: of one suite, of the run, or of the first component that has it.

        None where nothing has it.
        """
        if name in declarations(RunSpec):
            return getattr(self, name)
        chosen = [self.options[suite]] if suite is not None and suite in self.options else []
        for options in (*chosen, *self.options.values(), *self.adapters.values()):
            if name in declarations(type(options)):
                return getattr(options, name)
        return None

    def shared(self) -> dict[str, Any]:
        """The given options that all runs share; English need not be said."""
        given = self.given()
        if given.get("language") == DEFAULT_LANGUAGE:
            del given["language"]
        return given

    def as_dict(self) -> dict[str, Any]:
        """All options as plain values, ready for JSON."""
        return {
            "model": self.model,
            "suites": list(self.suites),
            **super().as_dict(),
            "options": {name: options.as_dict() for name, options in self.options.items()},
            "adapters": {kind: options.as_dict() for kind, options in self.adapters.items()},
        }

    def command(self) -> str:
        """The command line that makes this run, or resumes it.

        Where suites have the same option with other values, only the run's spec file says it all.
        """
        words = ["naysay", "run", "-m", self.model, "-t", ",".join(self.suites)]
        for name, value in {**self.shared(), **self._own()}.items():
            words.append(flag(name))
            if isinstance(value, tuple):
                words.append(",".join(map(str, value)))
            elif value is not True:
                words.append(str(plain(value)))
        return shlex.join(words)

    def _own(self) -> dict[str, Any]:
        """The given options of suites and adapters, by name."""
        components = (*self.options.values(), *self.adapters.values())
        return {name: value for options in components for name, value in options.given().items()}


__all__ = ["ALL", "DEFAULT_LANGUAGE", "PRECISIONS", "RunSpec"]
