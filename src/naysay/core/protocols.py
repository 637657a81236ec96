"""The protocols of models and adapters. Any object that implements them can be plugged in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from naysay.core.options import Options
from naysay.core.probes import Answer, Pieces, Probe

if TYPE_CHECKING:
    pass


Table = Any
"""A pyarrow.Table; pyarrow is imported only where rows are read or written."""


class Model(Protocol):
    """A model that answers probes. Answers keep the order and do not depend on the batch size."""

    @property
    def name(self) -> str:
        """The name by which the user asked for it."""

    @property
    def kind(self) -> str:
        """The adapter's name: masked, causal, known, …"""

    @property
    def answers(self) -> frozenset[type]:
        """The kinds of probe it can answer."""

    # A model may also say why it lacks a kind of question, as `lacks: Mapping[type, str]`.

    @property
    def digest(self) -> str:
        """A hash of everything that affects the answers: weights, tokenizer, precision, adapter."""

    def prepare(self) -> None:
        """Load what is needed to answer; finished runs skip this, as the digest is known before."""

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Return one answer per probe, in the same order; all probes are of one kind."""

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Return the tokens of each word at the blank of `text`, or on its own with `bare`."""

    def facts(self) -> dict[str, Any]:
        """Return what the manifest records about the model: device, precision, size, revision."""

    def close(self) -> None:
        """Release memory."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """How to open a model: settings for all adapters, and options of particular ones."""

    precision: str = "fp32"
    """`auto` becomes fp32 with `screens`."""
    device: str = "auto"
    token_budget: int = 2048
    batch_size: int | None = None
    """The maximum number of texts per batch, beside the budget of tokens."""
    language: str = "en"
    options: Mapping[str, Any] = field(default_factory=dict)
    """Adapter options by name; an adapter refuses options that it does not declare."""
    screens: bool = False
    """Whether a lower precision may answer what fp32 would answer alike."""

    def __post_init__(self) -> None:
        if self.precision == "auto":  # its answers, and so the key of a run, are those of fp32
            object.__setattr__(self, "precision", "fp32")
            object.__setattr__(self, "screens", True)


@runtime_checkable
class Priced(Protocol):
    """What a model offers in addition if asking it costs money."""

    def price(self, probe: Probe[Any]) -> tuple[float, float]:
        """Return about how many requests and tokens a probe costs."""

    def confirm(self, requests: float, tokens: float) -> None:
        """Tell the user what a run is about to cost; raise an error if that is not wanted."""


class Adapter(Protocol):
    """A kind of model; each module in `naysay/models` defines one."""

    kind: str
    prefixes: tuple[str, ...]
    """Prefixes that select this adapter in a model's name, as in `PREFIX:NAME`."""
    summary: str
    options_type: type[Options]
    """The options that models of this kind read, with their help texts."""

    def recognises(self, weights: Any) -> bool:
        """Return whether the files (`naysay.models.files.Weights`) hold a model of this kind."""

    def open(self, address: Any, request: ModelRequest) -> Model:
        """Open the model at `address`: the name without the prefix, or located `Weights`."""
