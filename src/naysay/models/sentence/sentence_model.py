"""The common base of embedders and cross-encoders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from naysay.core.console import notify
from naysay.core.extras import need
from naysay.core.keys import content_key
from naysay.core.probes import Answer, ChooseClosest, Closest, Pieces, Probe
from naysay.core.protocols import Model, ModelRequest
from naysay.models.files import Weights, located
from naysay.models.files.weights import WeightsOptions, has_architecture, sentence_type
from naysay.models.lm.engine import low_type
from naysay.models.lm.loading import choose_device
from naysay.models.lm.processor import prepare_precision

Input = TypeVar("Input")


def equal_lengths(
    inputs: Iterable[Input], length: Callable[[Input], int]
) -> list[tuple[int, list[Input]]]:
    """Return the inputs in groups of equal length, shortest first, each with that length.

    >>> equal_lengths(["aa", "b", "cc"], len)
    [(1, ['b']), (2, ['aa', 'cc'])]
    """
    groups: dict[int, list[Input]] = {}
    for one in inputs:
        groups.setdefault(length(one), []).append(one)
    return sorted(groups.items())


# How much a score can change with its batch.
ROUNDING = {"fp32": 1e-6, "bf16": 2e-3, "fp16": 5e-4}
_DIGITS = 6


def closest(
    shown: Sequence[float],
    scale: str,
    precision: str,
    *,
    decisive: Sequence[float] | None = None,
    cut: bool = False,
) -> Closest:
    """Return the answer with these scores.

    `decisive` are the scores before they were mapped to [0, 1]; near the ends of that range,
    different scores look equal.
    """
    first = sorted(shown if decisive is None else decisive, reverse=True)[:2]
    scores = tuple(round(float(score), _DIGITS) for score in shown)
    tie = len(first) > 1 and first[0] - first[1] <= ROUNDING[precision]
    return Closest(scores, scale, tie=tie, cut=cut)


def forget_oldest(memory: dict[Any, Any], keep: int) -> None:
    """Drop the oldest entries of a cache beyond `keep`."""
    while len(memory) > keep:
        memory.pop(next(iter(memory)))


_VERSION = 1  # raise when the way of asking the same weights changes


class SentenceModel(ABC):
    """Chooses the sentence closest in meaning. Its digest is known before it is loaded."""

    kind: str
    answers = frozenset({ChooseClosest})

    def __init__(
        self,
        name: str,
        content: str,
        load: Callable[[], Any],
        request: ModelRequest,
        origin: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        settings = [request.options.get(name) for name in ("pooling", "prompt", "label")]
        self.digest = content_key([self.kind, _VERSION, content, request.precision, *settings])
        self._load = load
        self._request = request
        self._origin = dict(origin or {})

    @cached_property
    def _model(self) -> Any:
        request = self._request
        need("hf", f"{self.name}, a sentence model,")
        prepare_precision(request.precision, request.device)
        notify(f"loading {self.name} …")
        model = self._load().to(choose_device(request.device)).eval()
        if request.precision != "fp32":
            return model.to(low_type(request.precision))
        from naysay.models.lm.linear_layers import speed_up

        speed_up(model)
        return model

    @abstractmethod
    def notes(self) -> list[str]:
        """Return what the user should know about how the model is used; raise if it is unclear."""

    @abstractmethod
    def choose(self, probes: Sequence[ChooseClosest]) -> list[Closest]:
        """Return the answers in the order of the probes."""

    def prepare(self) -> None:
        """Load the weights, and report how the model is used."""
        kind = self.kind.replace("_", "-")
        notes = self.notes()
        notify(f"{self.name}: {kind} on {self._model.device} in {self._request.precision}")
        for line in notes:
            notify(line)
        # What gives no finite numbers is refused before anything is written.
        self.choose([ChooseClosest("It is so.", ("It is so.", "It is not so."))])

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Return how close the options of each probe are."""
        asked = [probe for probe in probes if isinstance(probe, ChooseClosest)]
        if len(asked) < len(probes):
            raise TypeError(f"models of kind {self.kind} answer ChooseClosest only")
        return self.choose(asked) if asked else []  # type: ignore[return-value]

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Return no tokens, since the model fills no blanks."""
        return {word: Pieces((), "no blank is filled", spelled=False) for word in words}

    def facts(self) -> dict[str, Any]:
        """Return device, size and origin."""
        parameters = list(self._model.parameters())
        return {
            "device": str(parameters[0].device) if parameters else "cpu",
            "parameters": sum(parameter.numel() for parameter in parameters),
            **self._origin,
        }

    def close(self) -> None:
        """Release the weights and everything derived from them."""
        for name in list(self.__dict__):
            if isinstance(getattr(type(self), name, None), cached_property):
                del self.__dict__[name]


@dataclass(frozen=True)
class SentenceAdapter:
    """Opens models of one kind by hub name, folder or alias."""

    kind: str
    prefixes: tuple[str, ...]
    options_type: type[WeightsOptions]
    summary: str
    model_type: type[SentenceModel]
    load: Callable[[Weights, Any], Any]
    sentence_type: str
    """The type that sentence-transformers records for such models."""
    endings: tuple[str, ...] = ()
    """Endings of the transformers classes of such models."""

    def recognises(self, weights: Weights) -> bool:
        """Return whether the recorded type, or the configured architecture, is of this kind."""
        if sentence_type(weights) is not None:
            return sentence_type(weights) == self.sentence_type
        return bool(self.endings) and has_architecture(weights, *self.endings)

    def open(self, address: str | Weights, request: ModelRequest) -> Model:
        """Open the model at that address, or the located weights."""
        prepare_precision(request.precision, request.device)  # before anything imports torch
        options = self.options_type.of(request.options)
        weights = located(address, options)
        return self.model_type(
            weights.name,
            weights.digest,
            lambda: self.load(weights, options),
            request,
            weights.origin,
        )
