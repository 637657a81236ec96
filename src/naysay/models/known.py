"""Rule-based models that need no weights: the test's positive, negative and chance control.

`known:aware` never fills a contradiction, `known:blind` always repeats, and `known:random` repeats
by the toss of a coin. Every suite must tell them apart exactly, so they are also the fake that
naysay's own tests ask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from naysay.errors import ModelError, UnknownNameError
from naysay.keys import content_key, draw_share
from naysay.languages import LANGUAGES
from naysay.probes import BLANK, Fill, FillBlank, Guess, Pieces
from naysay.protocols import Model, ModelRequest

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_CERTAIN, _NEVER = 0.0, -99.0
_OTHERWISE = ("rest", "wait")  # what is filled in where the asked word is not; two, so one differs

Rule = Callable[[str, str], bool]
"""Given the text and the asked word, whether the model repeats the word."""


class KnownModel:
    """Fills the blank with the asked word, or not, by a rule."""

    kind = "known"
    answers = frozenset({FillBlank})

    def __init__(self, name: str, rule: Rule, identity: Sequence[object]) -> None:
        self.name = name
        self._rule = rule
        self.digest = content_key(["known", 1, *identity])

    def prepare(self) -> None:
        """Nothing to load."""

    def ask(self, probes: Sequence[FillBlank]) -> list[Fill]:
        """Repeat the first asked word, or say something else."""
        return [self._fill(probe) for probe in probes]

    def _fill(self, probe: FillBlank) -> Fill:
        word = probe.words[0] if probe.words else ""
        if not word or not self._rule(probe.text, word):
            word = next(other for other in _OTHERWISE if other != word)
        scores = tuple(_CERTAIN if asked == word else _NEVER for asked in probe.words)
        return Fill((Guess(word, _CERTAIN),), scores)

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Every word is one piece to a model without a tokenizer."""
        return {word: Pieces((word,)) for word in words}

    def facts(self) -> dict[str, Any]:
        """It runs anywhere."""
        return {"device": "none", "parameters": 0}

    def close(self) -> None:
        """Nothing to give back."""


class KnownAdapter:
    """Opens `known:aware`, `known:blind`, `known:random` and `known:random:RATE:SEED`."""

    kind = "known"
    prefixes = ("known",)
    summary = "rule-based controls without weights: known:aware, known:blind, known:random"

    def open(self, address: str, request: ModelRequest) -> Model:
        """The rule of that name, reading the negators of the request's language."""
        rule, *numbers = address.split(":")
        name = f"known:{address}"
        if rule == "random":
            rate, seed = _rate_and_seed(name, numbers)
            return KnownModel(
                name, lambda text, _: draw_share(seed, text) < rate, ("random", rate, seed)
            )
        if numbers or rule not in ("aware", "blind"):
            raise UnknownNameError("known model", address, ["aware", "blind", "random"])
        if rule == "blind":
            return KnownModel(name, lambda text, word: True, ("blind",))
        negators: list[str] = LANGUAGES.get(request.language).about["negators"]
        return KnownModel(name, _never_contradict(negators), ("aware", *negators))


def _rate_and_seed(name: str, numbers: list[str]) -> tuple[float, int]:
    try:
        rate = float(numbers[0]) if numbers else 0.5
        seed = int(numbers[1]) if len(numbers) > 1 else 0
        if not 0 <= rate <= 1 or len(numbers) > 2:
            raise ValueError
    except ValueError:
        raise ModelError(
            f"{name!r}: write known:random, known:random:RATE or known:random:RATE:SEED, "
            "with a rate from 0 to 1 and a whole number as seed"
        ) from None
    return rate, seed


def _never_contradict(negators: Sequence[str]) -> Rule:
    """Repeat exactly where what was said of the word and what is asked have the same polarity."""
    parts = [
        rf"{re.escape(word)}\b" if word.startswith(("n'", "'")) else rf"\b{re.escape(word)}\b"
        for word in negators
    ]
    negated = re.compile("|".join(parts), re.IGNORECASE)

    def repeats(text: str, word: str) -> bool:
        *context, asked = _SENTENCE_END.split(text[: text.index(BLANK)])
        said = [sentence for sentence in context if re.search(rf"\b{re.escape(word)}\b", sentence)]
        if not said:
            return False
        return bool(negated.search(said[-1])) == bool(negated.search(asked))

    return repeats


ADAPTER = KnownAdapter()
