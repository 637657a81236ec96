"""A kind of model that repeats the last word it was asked for, or a word of the user's choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from naysay.core.keys import content_key
from naysay.core.options import Options, option
from naysay.core.probes import Answer, Fill, FillBlank, Guess, Pieces, Probe
from naysay.core.protocols import Model, ModelRequest


@dataclass(frozen=True, kw_only=True)
class ParrotOptions(Options):
    """What parrots read."""

    word: str | None = option(None, "The only word that a parrot knows.")


class Parrot:
    """Answers every blank with one word."""

    kind = "parrot"
    answers = frozenset({FillBlank})

    def __init__(self, name: str, word: str | None) -> None:
        self.name, self._word = name, word
        self.digest = content_key(["parrot", word])

    def prepare(self) -> None:
        """Nothing to load."""

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """The word, whatever is asked."""
        return [self._fill(probe) for probe in probes]  # type: ignore[misc]

    def _fill(self, probe: Any) -> Fill:
        word = self._word or (probe.words[0] if probe.words else "cracker")
        return Fill((Guess(word, 0.0),), tuple(0.0 if w == word else -99.0 for w in probe.words))

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Every word is one piece."""
        return {word: Pieces((word,)) for word in words}

    def facts(self) -> dict[str, Any]:
        """It runs anywhere."""
        return {"device": "perch", "parameters": 0}

    def close(self) -> None:
        """Nothing to give back."""


class ParrotAdapter:
    """Opens `parrot:NAME`, and folders with a file `parrot.txt`."""

    kind = "parrot"
    prefixes = ("parrot",)
    summary = "a model that repeats, for tests"
    options_type = ParrotOptions

    def recognises(self, weights: Any) -> bool:
        """By its file."""
        return bool((weights.folder / "parrot.txt").is_file())

    def open(self, address: Any, request: ModelRequest) -> Model:
        """The parrot."""
        name = address if isinstance(address, str) else address.name
        return Parrot(f"parrot:{name}", ParrotOptions.of(request.options).word)


ADAPTER = ParrotAdapter()
