"""What a run is asked to do: the only home of options."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from naysay.core.errors import SpecError

PRECISIONS = ("fp32", "bf16")
ONE_PIECE_RULES = ("context", "bare")
STYLES = ("paper", "revised")
REPETITION_RULES = ("exact", "prefix")
READOUTS = ("top1", "likelihood")
PRIMES = ("own", "released")
POOLINGS = ("mean", "cls", "max", "lasttoken")
ALL = "all"
DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """The options of one run, checked when it is made.

    The first group decides which rows come out; what a suite reads of it is part of the run's key.
    The second says how rows are judged, the third only where and how fast they are made.
    """

    model: str
    suites: tuple[str, ...]
    language: str | None = None
    """The items' language; if None, English, or the one that the chosen suites have."""
    lexicon: str | None = None
    items: str | None = None
    """The items of semantoneg: upstream's, naysay's own, or a file; what is there if None."""
    limit: int | str | None = None
    """How many units are drawn, by seed, or `all`; as many as each suite finds good if None."""
    seed: int = 0
    precision: str = "fp32"
    pooling: str | None = None
    """How an encoder without a pooling of its own makes one vector of a sentence's many."""
    prompt: str | None = None
    """What an embedder is to have before each sentence: one of its own prompts, or a text."""
    label: str | None = None
    """The label by which a cross-encoder says that two sentences mean the same."""
    exhaustive: bool = False
    """Ask every verb in the selection instead of stopping at the cap."""
    cap: int | None = None
    """At most so many verbs per pair go into the test; as many as in the suite's paper if None."""
    one_piece: str = "context"
    """Where a verb has to be one piece: at the blank, or also on its own (`bare`, the paper's)."""
    readout: str = "top1"
    """What counts as the answer: the model's first word, or the likeliest of a list of words."""
    predicate: str | None = None
    """The predicate of scnt's target sentences; the language's first if None."""
    ranks: tuple[int, ...] = (0, 50, 100, 200)
    """At which ranks of its own predictions gh22 takes a model's verbs."""
    raw_ranks: bool = False
    """Count every piece of the vocabulary as a rank, not only whole words."""
    style: tuple[str, ...] = ("paper",)
    """The wording of gh22: as the paper prints it, or revised by its native speaker, or both."""

    corpora: tuple[str, ...] | None = None
    """The corpora of LAMA that are asked; all that are there if None."""
    primes: str = "own"
    """The misprimes of LAMA: made for the tested model, or as released for BERT-large."""

    repetition: str = "exact"
    """What counts as repeating a verb: the verb, or whatever begins like it (`prefix`)."""

    out: Path = Path("runs")
    data_dir: Path | None = None
    device: str = "auto"
    token_budget: int = 2048
    shard_size: int = 25
    allow_pickle: bool = False
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if self.limit != ALL:
            self._whole("limit", 1, none=True)
        self._whole("cap", 1, none=True)
        for option in ("token_budget", "shard_size"):
            self._whole(option, 1)
        self._whole("seed", 0)
        self._one_of("precision", PRECISIONS)
        self._one_of("one_piece", ONE_PIECE_RULES)
        self._one_of("repetition", REPETITION_RULES)
        self._one_of("readout", READOUTS)
        self._one_of("primes", PRIMES)
        if self.pooling is not None:
            self._one_of("pooling", POOLINGS)
        for option in ("suites", "ranks", "style", *(["corpora"] if self.corpora else [])):
            self._each_once(option)
        if any(isinstance(k, bool) or not isinstance(k, int) or k < 0 for k in self.ranks):
            raise SpecError(f"--ranks must be whole numbers from 0 on, not {self.ranks}")
        if unknown := [style for style in self.style if style not in STYLES]:
            raise SpecError(f"--style must be of {', '.join(STYLES)}, not {unknown[0]!r}")

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

    def _each_once(self, option: str) -> None:
        value = getattr(self, option)
        if not isinstance(value, tuple) or not value or len(set(value)) != len(value):
            raise SpecError(f"{flag(option)} must name at least one, each once: {value!r}")

    def limit_or(self, default: int | None) -> int | None:
        """How many units to draw, None for all; `default` where nothing was said."""
        if isinstance(self.limit, str):
            return None
        return default if self.limit is None else self.limit

    def identity(self, options: Iterable[str]) -> dict[str, Any]:
        """These options, as they enter the run's key.

        Model, language and words enter it by their content instead of by their name.
        """
        return {option: getattr(self, option) for option in options}

    def given(self) -> list[str]:
        """The options that differ from what they are if nothing is said."""
        plain = RunSpec(model=self.model, suites=self.suites)
        names = [field.name for field in fields(self)]
        differing = [name for name in names if getattr(self, name) != getattr(plain, name)]
        return [name for name in differing if (name, self.language) != ("language", "en")]

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
        for option in ("suites", "ranks", "style", "corpora"):
            if values.get(option) is not None:
                values[option] = tuple(values[option])
        values["out"] = Path(values["out"])
        values["data_dir"] = Path(values["data_dir"]) if values["data_dir"] else None
        return cls(**values)

    def command(self) -> str:
        """The command line that makes this run, or goes on with it."""
        words = ["naysay", "run", "-m", self.model, "-t", ",".join(self.suites)]
        for option in self.given():
            words.append(flag(option))
            value = getattr(self, option)
            if isinstance(value, tuple):
                words.append(",".join(map(str, value)))
            elif value is not True:
                words.append(str(value))
        return shlex.join(words)


def flag(option: str) -> str:
    """How an option is typed.

    >>> flag("data_dir")
    '--data-dir'
    """
    return "--" + option.replace("_", "-")
