"""How embedders and cross-encoders are opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from naysay.core.console import tell
from naysay.core.keys import content_key
from naysay.core.probes import Answer, ChooseClosest, Closest, Pieces, Probe
from naysay.core.protocols import Model, ModelRequest
from naysay.models.files import Weights, located
from naysay.models.files.weights import WeightsOptions, has_architecture, sentence_type
from naysay.models.lm.loading import choose_device
from naysay.models.lm.processor import prepare_precision

Input = TypeVar("Input")


def equal_batches(
    inputs: Sequence[Input], length: Callable[[Input], int], token_budget: int
) -> Iterator[list[Input]]:
    """The inputs, shortest first, in groups of one length within the budget.

    >>> list(equal_batches(["aa", "b", "cc", "dd"], len, 4))
    [['b'], ['aa', 'cc'], ['dd']]
    """
    by_length: dict[int, list[Input]] = {}
    for one in inputs:
        by_length.setdefault(length(one), []).append(one)
    for tokens, group in sorted(by_length.items()):
        size = max(1, token_budget // max(1, tokens))
        for start in range(0, len(group), size):
            yield group[start : start + size]


# How far a score can move with the batch it is computed in.
ROUNDING = {"fp32": 1e-6, "bf16": 2e-3}
_DIGITS = 6


def closest(
    shown: Sequence[float],
    scale: str,
    precision: str,
    *,
    decisive: Sequence[float] | None = None,
    cut: bool = False,
) -> Closest:
    """The answer with these scores.

    `decisive` are the same before they were squeezed between 0 and 1; near the ends of that range
    scores look equal that are not.
    """
    best, second = sorted(shown if decisive is None else decisive, reverse=True)[:2]
    scores = tuple(round(float(score), _DIGITS) for score in shown)
    return Closest(scores, scale, tie=best - second <= ROUNDING[precision], cut=cut)


def forget_oldest(memory: dict[Any, Any], keep: int) -> None:
    """Let a memory not grow beyond what is kept."""
    while len(memory) > keep:
        memory.pop(next(iter(memory)))


_VERSION = 1  # raised when the same weights would be asked in another way


class SentenceModel(ABC):
    """Chooses the sentence that is nearest in meaning. Its digest is known before it is loaded."""

    kind: str
    answers = frozenset({ChooseClosest})

    def __init__(
        self,
        name: str,
        content: str,
        load: Callable[[], Any],
        request: ModelRequest,
        revision: str | None = None,
    ) -> None:
        self.name = name
        settings = [request.options.get(name) for name in ("pooling", "prompt", "label")]
        self.digest = content_key([self.kind, _VERSION, content, request.precision, *settings])
        self._load = load
        self._request = request
        self._revision = revision

    @cached_property
    def _model(self) -> Any:
        request = self._request
        prepare_precision(request.precision, request.device)
        import torch

        tell(f"loading {self.name} …")
        model = self._load().to(choose_device(request.device)).eval()
        return model.to(torch.bfloat16) if request.precision == "bf16" else model

    @abstractmethod
    def told(self) -> list[str]:
        """What the user should know of how this model is asked; refuses what is unclear."""

    @abstractmethod
    def choose(self, probes: Sequence[ChooseClosest]) -> list[Closest]:
        """The answers in the order of the probes."""

    def prepare(self) -> None:
        """Load the weights, and tell how the model is asked."""
        kind = self.kind.replace("_", "-")
        told = self.told()
        tell(f"{self.name}: {kind} on {self._model.device} in {self._request.precision}")
        for line in told:
            tell(line)

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """How near the options of each probe are."""
        asked = [probe for probe in probes if isinstance(probe, ChooseClosest)]
        if len(asked) < len(probes):
            raise TypeError(f"models of kind {self.kind} are asked ChooseClosest only")
        return self.choose(asked) if asked else []  # type: ignore[return-value]

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """It fills no blank, so no word is cut."""
        return {word: Pieces((), "no blank is filled", spelled=False) for word in words}

    def facts(self) -> dict[str, Any]:
        """Device, size and revision."""
        parameters = list(self._model.parameters())
        return {
            "device": str(parameters[0].device) if parameters else "cpu",
            "parameters": sum(parameter.numel() for parameter in parameters),
            "revision": self._revision,
        }

    def close(self) -> None:
        """Forget the weights, and all that was made with them."""
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
    """What sentence-transformers calls such models in their files."""
    endings: tuple[str, ...] = ()
    """How transformers' classes of such models end."""

    def recognises(self, weights: Weights) -> bool:
        """By what sentence-transformers says, or by the configuration's class."""
        if sentence_type(weights) is not None:
            return sentence_type(weights) == self.sentence_type
        return bool(self.endings) and has_architecture(weights, *self.endings)

    def open(self, address: str | Weights, request: ModelRequest) -> Model:
        """The model at that address, or the one that was located already."""
        prepare_precision(request.precision, request.device)  # before anything imports torch
        options = self.options_type.of(request.options)
        weights = located(address, allow_pickle=options.allow_pickle)
        return self.model_type(
            weights.name,
            weights.digest,
            lambda: self.load(weights, options),
            request,
            weights.revision,
        )
