"""The specification of a run: shared options, and those of suites and adapters."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from naysay.core.errors import SpecError
from naysay.core.objects import place_of
from naysay.core.options import ALL, PLACE, Options, declarations, flag, option, plain

PRECISIONS = AUTO, FP32, *LOW = ("auto", "fp32", "bf16", "fp16")
"""`auto` has the answers of fp32, and reads them in low precision where that is faster."""
DEFAULT_LANGUAGE = "en"
EXECUTORS = LOCAL, RAY = "local", "ray"
PLACEMENT = ("executor", "address", "workers", "cpus_per_worker", "gpus_per_worker")
"""The options that say on which processes a run is placed."""

O = TypeVar("O", bound=Options)  # noqa: E741


@dataclass(frozen=True, kw_only=True)
class RunSpec(Options):
    """The options of one run, validated on creation.

    Options of suites are stored by suite name, those of adapters by kind; missing ones have their
    defaults.
    """

    model: str
    suites: tuple[str, ...]
    language: str | None = option(None, "See naysay ls languages. [default: en or the suite's]")
    limit: int | str | None = option(
        None, "Units to draw, or 'all'. [default: the suite's]", least=1
    )
    seed: int = option(0, "Seed for drawing units and words.", least=0)
    precision: str = option(AUTO, "Precision of layers.", choices=PRECISIONS)
    out: Path = option(
        Path("runs"), "Folder of runs, or s3://BUCKET/NAME.", role=PLACE, spelled="runs"
    )
    data_dir: Path | None = option(
        None, "Folder of data sets. [default: $NAYSAY_DATA or cache]", role=PLACE
    )
    device: str = option("auto", "Device, as cpu, cuda, cuda:1 or mps.", role=PLACE)
    token_budget: int = option(2048, "Maximum number of tokens per batch.", least=1, role=PLACE)
    batch_size: int | None = option(None, "Maximum number of texts per batch.", least=1, role=PLACE)
    shard_size: int = option(25, "Units per output shard.", least=1, role=PLACE)
    executor: str = option("local", "Where it is asked.", choices=EXECUTORS, role=PLACE)
    address: str | None = option(None, "Ray cluster. [default: one on this machine]", role=PLACE)
    workers: int | None = option(None, "Ray workers. [default: all that fit]", least=1, role=PLACE)
    cpus_per_worker: int = option(1, "Cores of a Ray worker.", least=1, role=PLACE)
    gpus_per_worker: float = option(0.0, "GPUs of a Ray worker.", least=0, role=PLACE)
    options: Mapping[str, Options] = field(default_factory=dict)
    """By suite."""
    adapters: Mapping[str, Options] = field(default_factory=dict)
    """By kind of model."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "out", place_of(self.out))
        if not self.suites or len(set(self.suites)) < len(self.suites):
            raise SpecError(f"--suites must name at least one, each once: {self.suites!r}")

    @property
    def answers_in(self) -> str:
        """The precision that the answers have, whatever they were read in."""
        return FP32 if self.precision == AUTO else self.precision

    def limit_or(self, default: int | None) -> int | None:
        """Return how many units to draw, None for all; `default` if no limit was given."""
        if isinstance(self.limit, str):
            return None
        return default if self.limit is None else self.limit

    def options_of(self, name: str, kind: type[O]) -> O:
        """Return the options of a suite, or its defaults."""
        found = self.options.get(name)
        return found if isinstance(found, kind) else kind()

    def value(self, name: str, suite: str | None = None) -> Any:
        """Return an option's value in the suite, in the run, or in the first component that has it.

        Return None if no component declares it.
        """
        if name in declarations(RunSpec):
            return getattr(self, name)
        chosen = [self.options[suite]] if suite is not None and suite in self.options else []
        for options in (*chosen, *self.options.values(), *self.adapters.values()):
            if name in declarations(type(options)):
                return getattr(options, name)
        return None

    def shared(self) -> dict[str, Any]:
        """Return the shared options that change answers; English and fp32 are the defaults."""
        given = self.given()
        if given.get("language") == DEFAULT_LANGUAGE:
            del given["language"]
        if given.get("precision") == FP32:
            del given["precision"]
        return given

    def as_dict(self) -> dict[str, Any]:
        """Return all options as plain values, ready for JSON."""
        return {
            "model": self.model,
            "suites": list(self.suites),
            **super().as_dict(),
            "options": {name: options.as_dict() for name, options in self.options.items()},
            "adapters": {kind: options.as_dict() for kind, options in self.adapters.items()},
        }

    def command(self) -> str:
        """Return the command line that starts or resumes this run.

        What suites set differently is left out: items that were chosen for each are chosen again,
        and for anything else only the run's spec file is complete.
        """
        shared = declarations(RunSpec)
        words = ["naysay", "run", "-m", self.model, "-t", ",".join(self.suites)]
        for name, value in {**self.shared(), **self._own()}.items():
            words.append(shared[name].flag if name in shared else flag(name))
            if isinstance(value, tuple):
                words.append(",".join(map(str, value)))
            elif value is not True:
                words.append(str(plain(value)))
        return shlex.join(words)

    def _own(self) -> dict[str, Any]:
        """Return the options of suites and adapters that differ from their defaults, by name."""
        components = (*self.options.values(), *self.adapters.values())
        given = {name: value for options in components for name, value in options.given().items()}
        return {
            name: value
            for name, value in given.items()
            if all(
                getattr(options, name) == value
                for options in components
                if name in declarations(type(options))
            )
        }


__all__ = ["ALL", "AUTO", "DEFAULT_LANGUAGE", "PRECISIONS", "RunSpec"]
