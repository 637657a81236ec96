"""The settings of training on negation, and the model that it starts from."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from naysay.core.errors import ModelError, RunError, SpecError
from naysay.core.keys import file_digest
from naysay.core.protocols import ModelRequest
from naysay.models import ADAPTERS, adapter_for
from naysay.models.files import Weights, locate
from naysay.models.files.weights import WeightsOptions
from naysay.models.lm.language_model import TransformerAdapter
from naysay.models.lm.loading import choose_device, load
from naysay.run.plan import slug
from naysay.suites import SUITES, watched_suites
from naysay.train.checkpoints import NAME
from naysay.train.extraction import RULES
from naysay.train.extraction.rules import PAPER as PAPER_RULE
from naysay.train.extraction.rules import STRICT, SUBSTRING
from naysay.train.plan import TrainingPlan

_VERSION = 2  # raise when the same settings train on other sentences, or in another way
_RENAMED = {"paper": SUBSTRING}  # rules of version 1 that have another name now


@dataclass(frozen=True)
class Recipe:
    """The defaults of sentences and batches."""

    rule: str
    batch: int
    micro_batch: int | None


OURS = Recipe(STRICT, batch=64, micro_batch=None)
PAPER = Recipe(PAPER_RULE, batch=4 * 64, micro_batch=64)
"""Appendix D: one epoch with `per_gpu_train_batch_size=64` on 4 GPUs, which add up to 256."""


@dataclass(frozen=True, kw_only=True)
class NegationSettings:
    """The model, the corpus, the training plan, and the tests before and after."""

    model: str
    corpora: tuple[Path, ...]
    out: Path | None = None
    """The output folder; `neg-` and the model's name if None."""
    rule: str = STRICT
    """Which sentences are taken, one of `RULES`; `none` takes every line as it is."""
    wrapped: bool = False
    """Whether the corpus is hard-wrapped, with blank lines between paragraphs."""
    limit: int | None = None
    """The maximum number of sentences."""
    pack: bool = False
    """Whether several sentences are packed into one sequence."""
    plan: TrainingPlan = field(default_factory=TrainingPlan)
    suites: tuple[str, ...] = field(default_factory=watched_suites)
    test_limit: int | str | None = 20
    """The number of units per suite."""
    watch: int | None = None
    """Also test every `watch` steps during training."""
    allow_pickle: bool = False
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if not self.corpora:
            raise SpecError("give a corpus with --corpus: one or more plain-text files")
        for path in self.corpora:
            if not path.is_file():
                raise SpecError(f"corpus file {path} does not exist")
        for option, value in (("--limit", self.limit), ("--watch", self.watch)):
            if value is not None and value < 1:
                raise SpecError(f"{option} must be a whole number from 1 on, not {value!r}")
        for name in self.suites:
            SUITES.get(name)
        if self.rule not in RULES:
            raise SpecError(f"--rule must be {' or '.join(RULES)}, not {self.rule!r}")

    @property
    def folder(self) -> Path:
        """The folder of the model and everything that belongs to it."""
        return self.out or Path(f"neg-{slug(self.model.rpartition(':')[2])}")

    @property
    def runs(self) -> Path:
        """The folder of the test runs."""
        return self.folder / "runs"

    def check_place(self) -> None:
        """Refuse a folder with a model that was not trained here."""
        model = self.folder / "config.json"
        if model.is_file() and not (self.folder / NAME).is_file():
            raise RunError(
                f"{self.folder} already holds a model, which would be overwritten: "
                "choose another folder with --output"
            )

    def identity(self, weights: str) -> dict[str, Any]:
        """Return all that affects the trained weights; `weights` is a hash of the initial ones."""
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

    @staticmethod
    def upgraded(identity: dict[str, Any]) -> dict[str, Any]:
        """Return what an older version recorded in the words of this one.

        >>> NegationSettings.upgraded({"version": 1, "rule": "paper"})
        {'version': 2, 'rule': 'substring'}
        """
        if identity.get("version") != 1:
            return identity
        rule = identity.get("rule", STRICT)
        return identity | {"version": _VERSION, "rule": _RENAMED.get(rule, rule)}

    def testing(self) -> dict[str, Any]:
        """Return the options with which the suites are run."""
        return {
            "limit": self.test_limit,
            "seed": self.plan.seed,
            "out": self.runs,
            "device": self.plan.device,
            **self.model_options(),
        }

    def model_options(self) -> dict[str, Any]:
        """Return the loading options that are set."""
        named = {"allow_pickle": self.allow_pickle, "trust_remote_code": self.trust_remote_code}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True)
class Start:
    """The initial weights and their adapter."""

    weights: Weights
    adapter: TransformerAdapter

    @property
    def kind(self) -> str:
        """Masked or causal."""
        return self.adapter.kind

    @property
    def tested_as(self) -> str | None:
        """The name of a GGUF file by which it is tested as it is trained, through transformers."""
        return f"{self.kind}:{self.weights.name}" if self.weights.gguf else None

    def load(self, request: ModelRequest) -> tuple[Any, Any]:
        """Load the model and its tokenizer."""
        model, tokenizer = load(
            self.weights, WeightsOptions.of(request.options), self.adapter.auto_class
        )
        if self.kind == "masked" and tokenizer.mask_token_id is None:
            raise ModelError(
                f"{self.weights.name} has no mask token, so it cannot be trained as a masked "
                f"model; to train it as a causal model use -m causal:{self.weights.name}"
            )
        plain = unquantised(model) if self.weights.gguf else model
        return plain.to(choose_device(request.device)), tokenizer


def find_start(name: str, request: ModelRequest) -> Start:
    """Find a model by name: `KIND:ADDRESS`, or an address whose files show its kind."""
    pickled = bool(request.options.get("allow_pickle"))
    prefix, colon, address = name.partition(":")
    named = {p: a for a in ADAPTERS.all() for p in a.prefixes} if colon else {}
    adapter: Any
    if prefix in named:
        adapter = named[prefix]
        if not isinstance(adapter, TransformerAdapter):
            raise _untrainable(name, adapter.kind)
        weights = locate(address, allow_pickle=pickled)
    else:
        weights = locate(name, allow_pickle=pickled)
        # What is trained must be plain numbers, so a GGUF file is read through transformers.
        adapter = ADAPTERS.get("causal") if weights.gguf else adapter_for(weights)
    if not isinstance(adapter, TransformerAdapter):
        raise _untrainable(name, adapter.kind)
    return Start(weights, adapter)


def _untrainable(name: str, kind: str) -> ModelError:
    return ModelError(
        f"{name} is of kind {kind}, but only masked and causal language models with weights can "
        "be trained on sentences"
    )


def unquantised(model: Any) -> Any:
    """Copy the weights, which are fp32 by now, to a model without a quantisation config.

    The library marks models from GGUF as quantised, and refuses to train them or save them plain.
    """
    config = copy.deepcopy(model.config)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    plain = type(model)(config)
    plain.load_state_dict(model.state_dict())
    plain.tie_weights()
    plain.generation_config = model.generation_config
    return plain.eval()
