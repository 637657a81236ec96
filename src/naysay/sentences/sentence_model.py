"""What embedders and cross-encoders have in common: loading on first use, and being asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from naysay.keys import content_key
from naysay.probes import Answer, ChooseClosest, Closest, Pieces, Probe
from naysay.protocols import ModelRequest
from naysay.telling import tell
from naysay.transformer.devices import choose_device
from naysay.transformer.processor import prepare_precision

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
        settings = [request.precision, request.pooling, request.prompt, request.label]
        self.digest = content_key([self.kind, _VERSION, content, *settings])
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
