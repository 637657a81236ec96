"""What a training on negation is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from naysay.errors import RunError, SpecError
from naysay.keys import file_digest
from naysay.run.plan import slug
from naysay.suites import SUITES
from naysay.train.extraction import RULES
from naysay.train.plan import TrainingPlan
from naysay.train.record import NAME

_VERSION = 1  # raised when the same settings would train on other sentences, or in another way


@dataclass(frozen=True, kw_only=True)
class NegationSettings:
    """The model, the corpus, how to train, and what to test before and after."""

    model: str
    corpora: tuple[Path, ...]
    out: Path | None = None
    """Where everything goes; `neg-` and the model's name if None."""
    rule: str = "strict"
    """Which sentences count: whole words, or parts of words too as in the paper's time."""
    wrapped: bool = False
    """Whether lines of the corpus end within sentences, and paragraphs with an empty line."""
    limit: int | None = None
    """Sentences at most."""
    pack: bool = False
    """Whether sentences are put together up to the full length, instead of one at a time."""
    plan: TrainingPlan = field(default_factory=TrainingPlan)
    suites: tuple[str, ...] = ("scnt", "gh22")
    test_limit: int | str | None = 20
    """Units of each suite that are tested."""
    watch: int | None = None
    """Test also while it trains, every so many steps."""
    allow_pickle: bool = False
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if not self.corpora:
            raise SpecError("give a corpus with --corpus: one or more plain-text files")
        for path in self.corpora:
            if not path.is_file():
                raise SpecError(f"there is no corpus file {path}")
        for option, value in (("--limit", self.limit), ("--watch", self.watch)):
            if value is not None and value < 1:
                raise SpecError(f"{option} must be a whole number from 1 on, not {value!r}")
        for name in self.suites:
            SUITES.get(name)
        if self.rule not in RULES:
            raise SpecError(f"--rule must be {' or '.join(RULES)}, not {self.rule!r}")

    @property
    def folder(self) -> Path:
        """Where the model and all that belongs to it goes."""
        return self.out or Path(f"neg-{slug(self.model.rpartition(':')[2])}")

    @property
    def runs(self) -> Path:
        """Where the runs of the tests go."""
        return self.folder / "runs"

    def check_place(self) -> None:
        """Refuse a folder with a model that did not come from here."""
        model = self.folder / "config.json"
        if model.is_file() and not (self.folder / NAME).is_file():
            raise RunError(
                f"{self.folder} holds a model already, and it would be written over: "
                "choose another folder with --out"
            )

    def identity(self, weights: str) -> dict[str, Any]:
        """Everything that can change the trained weights; `weights` is a hash of the first ones."""
        files = [[path.stat().st_size, file_digest(path)] for path in self.corpora]
        return {
            "version": _VERSION,
            "model": weights,
            "corpus": files,
            "rule": self.rule,
            "wrapped": self.wrapped,
            "limit": self.limit,
            "pack": self.pack,
            "plan": self.plan.identity(evaluated=True),
        }

    def testing(self) -> dict[str, Any]:
        """How the suites are run."""
        return {
            "limit": self.test_limit,
            "seed": self.plan.seed,
            "out": self.runs,
            "device": self.plan.device,
            "allow_pickle": self.allow_pickle,
            "trust_remote_code": self.trust_remote_code,
        }
