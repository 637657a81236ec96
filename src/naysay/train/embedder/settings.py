"""The settings of teaching an embedder negation, and the model that it starts from."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from naysay.core.errors import ModelError, RunError, SpecError, UnknownNameError
from naysay.core.keys import file_digest
from naysay.models.files import Weights, locate
from naysay.models.files.weights import sentence_type
from naysay.models.files.wheels import WHEELS
from naysay.models.sentence.loading import EmbedderOptions, check_pooling, load_embedder
from naysay.run.plan import slug
from naysay.train.checkpoints import NAME
from naysay.train.plan import TrainingPlan

_VERSION = 5  # raise when the same settings train on other sentences, or in another way
_PREFIXES = ("embedder:", "st:")
_LICENCE = re.compile(r"^license:\s*[\"']?([^\s\"']+)", re.MULTILINE)

DEFAULT_PLAN = TrainingPlan(
    steps=1800, batch=16, lr=1e-3, warmup=0.05, save_every=100, eval_every=200, patience=6
)


@dataclass(frozen=True, kw_only=True)
class EmbedderSettings:
    """The model, what it is trained on, how, and what it is tested on."""

    model: Any
    """A name, a folder, an alias, or a SentenceTransformer."""
    out: Path | None = None
    """The output folder; `not-` and the model's name if None."""
    frames: Path | None = None
    """A file of frames to make groups of, instead of naysay's own."""
    pairs: Path | None = None
    """A file of paraphrase pairs to make groups of, instead of naysay's own."""
    general: Path | None = None
    """General sentences, one per line, instead of WordNet's."""
    items: Path | None = None
    """Test items of one's own: kept out of training, and tested."""
    temperature: float = 0.05
    keep: float = 20.0
    """The weight of what must stay where it is."""
    strength: float = 1.0
    """How much of what was learned the weights have in the end; the rest is the base model's."""
    general_batch: int = 32
    """General sentences of a step."""
    shuffle: bool = False
    """Whether the paraphrase within a group is drawn at random: a control that learns nothing."""
    pooling: str | None = None
    plan: TrainingPlan = field(default_factory=lambda: DEFAULT_PLAN)
    data_dir: Path | None = None
    allow_pickle: bool = False
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if self.frames is not None and self.pairs is not None:
            raise SpecError("give either --frames or --pairs, not both")
        for option in ("frames", "pairs", "general", "items"):
            path = getattr(self, option)
            if path is not None and not path.is_file():
                raise SpecError(f"--{option} {path}: the file does not exist")
        if not math.isfinite(self.temperature) or self.temperature <= 0:
            raise SpecError(f"--temperature must be a number above 0, not {self.temperature!r}")
        if not math.isfinite(self.keep) or self.keep < 0:
            raise SpecError(f"--keep must be a number from 0 on, not {self.keep!r}")
        if not 0 < self.strength <= 1:
            raise SpecError(
                f"--strength must be a number above 0, and at most 1, not {self.strength!r}"
            )
        if self.general_batch < 1:
            raise SpecError(
                f"--general-batch must be a whole number from 1 on, not {self.general_batch!r}"
            )
        if self.plan.micro_batch is not None:
            raise SpecError("a batch of groups cannot be divided: drop --micro-batch")

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model if isinstance(self.model, str) else type(self.model).__name__

    @property
    def folder(self) -> Path:
        """The folder of the model and everything that belongs to it."""
        return self.out or Path(f"not-{slug(self.name.rpartition(':')[2])}")

    def check_place(self) -> None:
        """Refuse a folder with a model that was not trained here."""
        for name in ("modules.json", "config.json"):
            if (self.folder / name).is_file() and not (self.folder / NAME).is_file():
                raise RunError(
                    f"{self.folder} already holds a model, which would be overwritten: "
                    "choose another folder with --output"
                )

    def identity(self, weights: str, tests: str) -> dict[str, Any]:
        """Return all that affects the trained weights; `tests` is a hash of what is kept out."""
        files = {
            option: file_digest(path)
            for option in ("frames", "pairs", "general")
            if (path := getattr(self, option)) is not None
        }
        return {
            "version": _VERSION,
            "model": weights,
            "files": files,
            "kept out": tests,
            "temperature": self.temperature,
            "keep": self.keep,
            "strength": self.strength,
            "general batch": self.general_batch,
            "shuffle": self.shuffle,
            "pooling": self.pooling,
            "plan": self.plan.identity(evaluated=True),
        }


def settings_of(model: Any, given: Mapping[str, Any]) -> EmbedderSettings:
    """Return the settings with these names, of the training plan or others; None is the default."""
    values = {name: value for name, value in given.items() if value is not None}
    own = {field.name for field in fields(EmbedderSettings)} - {"model", "plan"}
    planned = {field.name for field in fields(TrainingPlan)} - own  # a plan's `keep` is another
    for name in values:
        if name not in planned | own:
            raise UnknownNameError("setting of naysay.teach", name, planned | own)
    plan = replace(DEFAULT_PLAN, **{name: v for name, v in values.items() if name in planned})
    others = {name: value for name, value in values.items() if name in own}
    return EmbedderSettings(model=model, plan=plan, **others)


@dataclass(frozen=True)
class Start:
    """The model that training starts from."""

    name: str
    digest: str
    licence: str
    """As its files state it, else that they do not."""
    load: Any
    """Returns a SentenceTransformer of its own."""


def find_start(settings: EmbedderSettings) -> Start:
    """Find the embedder by name, or take the loaded one; refuse what is not one."""
    if not isinstance(settings.model, str):
        return _loaded(settings.model)
    prefix = next((p for p in _PREFIXES if settings.model.startswith(p)), "")
    address = settings.model.removeprefix(prefix)
    options = EmbedderOptions(
        pooling=settings.pooling,
        allow_pickle=settings.allow_pickle,
        trust_remote_code=settings.trust_remote_code,
    )
    weights = locate(address, allow_pickle=settings.allow_pickle)
    kind = sentence_type(weights)
    if weights.gguf or (kind is not None and kind != "SentenceTransformer"):
        what = "a GGUF file" if weights.gguf else f"a {kind}"
        raise ModelError(
            f"{settings.model} is {what}, but only sentence-transformers embedders, and plain "
            "encoders with --pooling, can be taught"
        )
    check_pooling(weights, options)
    licence = _licence(address, weights)
    return Start(settings.name, weights.digest, licence, lambda: load_embedder(weights, options))


def _loaded(model: Any) -> Start:
    import copy

    from naysay.models.lm.loading import weights_content

    if not all(hasattr(model, name) for name in ("encode", "preprocess", "state_dict")):
        raise ModelError(
            f"a {type(model).__name__} cannot be taught: give a name, a folder or a "
            "SentenceTransformer"
        )
    digest = weights_content(model, getattr(model, "tokenizer", None))
    return Start(type(model).__name__, digest, _UNSTATED, lambda: copy.deepcopy(model))


_UNSTATED = "not stated in its files; look it up before you pass the trained model on"


def _licence(address: str, weights: Weights) -> str:
    card = weights.folder / "README.md"
    if card.is_file():
        found = _LICENCE.search(card.read_text(encoding="utf-8", errors="replace")[:5000])
        if found:
            return found[1]
    if address in WHEELS:
        return WHEELS[address].title.rpartition(", ")[2].rstrip(")")
    return _UNSTATED
