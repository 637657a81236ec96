"""What a model, an adapter and a suite have to offer. Whatever offers it can be plugged in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from naysay.core.options import Options
from naysay.core.probes import Answer, Pieces, Probe

if TYPE_CHECKING:
    pass


Table = Any
"""A pyarrow.Table; pyarrow is imported only where rows are read or written."""


class Model(Protocol):
    """Something that answers probes. Order is kept, and a batch of one equals a batch of n."""

    @property
    def name(self) -> str:
        """The name by which the user asked for it."""

    @property
    def kind(self) -> str:
        """The adapter's name: masked, causal, known, …"""

    @property
    def answers(self) -> frozenset[type]:
        """The kinds of probe it can answer."""

    @property
    def digest(self) -> str:
        """A hash of all that can change an answer: weights, tokenizer, precision, adapter."""

    def prepare(self) -> None:
        """Load what is needed to answer; the digest is known before, so finished runs skip this."""

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """The answers, one for each probe and in the same order; all probes are of one kind."""

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """How each word is cut at the blank of `text`, or on its own with `bare`."""

    def facts(self) -> dict[str, Any]:
        """What the manifest records about it: device, precision, size, revision."""

    def close(self) -> None:
        """Give back memory."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """How a model is wanted: what all adapters read, and the given options of any of them."""

    precision: str = "fp32"
    device: str = "auto"
    token_budget: int = 2048
    language: str = "en"
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of adapters by name; an adapter that does not declare one is not opened with it."""


class Adapter(Protocol):
    """One way of asking models; each file in `naysay/models` holds one."""

    kind: str
    prefixes: tuple[str, ...]
    """What may stand before a colon in a model's name to ask for this adapter."""
    summary: str
    options_type: type[Options]
    """The options that models of this kind read, with their help texts."""

    def recognises(self, weights: Any) -> bool:
        """Whether the files (`naysay.models.files.Weights`) hold a model of this kind."""

    def open(self, address: Any, request: ModelRequest) -> Model:
        """The model at `address`: the name without the prefix, or `Weights` located by name."""
