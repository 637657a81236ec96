"""What a run is asked to do: the only home of options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from naysay.errors import SpecError

PRECISIONS = ("fp32", "bf16")
ONE_PIECE_RULES = ("context", "bare")
DEFAULT_LIMIT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """The options of one run, checked when it is made.

    The first group decides which rows come out and is part of the run's key; the second says only
    where and how fast.
    """

    model: str
    suites: tuple[str, ...]
    language: str = "en"
    lexicon: str | None = None
    limit: int | None = DEFAULT_LIMIT
    """How many pairs of name and profession are drawn, by seed; None is all of them."""
    seed: int = 0
    precision: str = "fp32"
    exhaustive: bool = False
    """Ask every verb in the selection instead of stopping at the cap."""
    cap: int = 20
    """At most so many verbs per pair go into the test."""
    one_piece: str = "context"
    """Where a verb has to be one piece: at the blank, or also on its own (`bare`, the paper's)."""

    out: Path = Path("runs")
    data_dir: Path | None = None
    device: str = "auto"
    token_budget: int = 4096
    shard_size: int = 25
    allow_pickle: bool = False
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        self._whole("limit", 1, none=True)
        for option in ("cap", "token_budget", "shard_size"):
            self._whole(option, 1)
        self._whole("seed", 0)
        self._one_of("precision", PRECISIONS)
        self._one_of("one_piece", ONE_PIECE_RULES)
        if not self.suites or len(set(self.suites)) != len(self.suites):
            raise SpecError(f"--suites must name at least one suite, each once: {self.suites}")

    def _whole(self, option: str, least: int, *, none: bool = False) -> None:
        value = getattr(self, option)
        if none and value is None:
            return
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SpecError(f"{flag(option)} must be a whole number from {least} on, not {value!r}")

    def _one_of(self, option: str, known: tuple[str, ...]) -> None:
        value = getattr(self, option)
        if value not in known:
            raise SpecError(f"{flag(option)} must be {' or '.join(known)}, not {value!r}")

    def identity(self) -> dict[str, Any]:
        """The options that decide which rows come out, apart from model, language and words.

        Those three enter the run's key by their content instead of by their name.
        """
        chosen = ("limit", "seed", "exhaustive", "cap", "one_piece")
        return {option: getattr(self, option) for option in chosen}

    def as_dict(self) -> dict[str, Any]:
        """All options as plain values, ready for JSON."""
        return {
            option: str(value) if isinstance(value, Path) else value
            for option, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunSpec:
        """The spec that `as_dict` wrote."""
        values = dict(data)
        values["suites"] = tuple(values["suites"])
        values["out"] = Path(values["out"])
        values["data_dir"] = Path(values["data_dir"]) if values["data_dir"] else None
        return cls(**values)

    def command(self) -> str:
        """The command line that makes this run, or goes on with it."""
        words = ["naysay", "run", "-m", self.model, "-t", ",".join(self.suites)]
        plain = RunSpec(model=self.model, suites=self.suites)
        for option in (field.name for field in fields(self)):
            value = getattr(self, option)
            if option in ("model", "suites") or value == getattr(plain, option):
                continue
            words.append(flag(option))
            if value is not True:
                words.append("all" if value is None else str(value))
        return shlex.join(words)


def flag(option: str) -> str:
    """How an option is typed.

    >>> flag("data_dir")
    '--data-dir'
    """
    return "--" + option.replace("_", "-")
