"""The common base of masked and causal transformers language models."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from naysay.core.console import notify
from naysay.core.keys import content_key
from naysay.core.probes import (
    Answer,
    ChooseWord,
    ContrastFills,
    FillBlank,
    Pieces,
    Probe,
    RankWords,
)
from naysay.core.protocols import Model, ModelRequest
from naysay.models.files import Weights, located
from naysay.models.files.weights import WeightsOptions, has_architecture
from naysay.models.llama_cpp import is_default_for
from naysay.models.lm.engine import Engine
from naysay.models.lm.finite import NotFiniteError, diverged
from naysay.models.lm.likelihood import choose_words
from naysay.models.lm.loading import choose_device, load, usable
from naysay.models.lm.processor import low_speed, lower_precision, prepare_precision
from naysay.models.lm.questions import Prepared
from naysay.models.lm.screening import LARGE, Screening, is_large
from naysay.models.lm.words import Words

_VERSION = 1  # raise when the way of asking the same weights changes

Loader = Callable[[], tuple[Any, Any]]
"""Loads the transformers model and its tokenizer."""


class LanguageModel(ABC):
    """A language model that is loaded on first use; its digest is known before."""

    kind: str
    masks = True
    """Whether the tokens after the blank are seen, and the blank is a mask."""
    answers: frozenset[type] = frozenset({FillBlank, RankWords, ChooseWord, ContrastFills})

    def __init__(
        self, name: str, content: str, load: Loader, request: ModelRequest,
        origin: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        asked = [self.kind, _VERSION, content, request.precision, *self.settings(request)]
        self.digest = content_key(asked)
        self._load = load
        self._request = request
        self._origin = dict(origin or {})

    @cached_property
    def _loaded(self) -> tuple[Engine, Words]:
        prepare_precision(self._request.precision, self._request.device)
        notify(f"loading {self.name} …")
        model, tokenizer = self._load()
        with usable(self.name):
            tokenizer(["It is so.", "It is not."])  # fails if its settings are damaged
            words = self.checked(Words(tokenizer, self.name, masks=self.masks), tokenizer)
        request = self._request
        device = choose_device(request.device)
        notify(f"{self.name}: {self.kind} model on {device} in {request.precision}")
        low = request.precision
        if (speed := low_speed(low, device)) and speed < 1:
            notify(f"{low} runs at {speed:.2f} times the speed of fp32 on this CPU: fp32 is faster")
        screen = self._screen(model, device)
        try:
            with usable(self.name):
                engine = self.engine(model, tokenizer, device)
                if screen is not None:
                    engine.screening = Screening(screen(), engine, self.name)
        except NotFiniteError as error:
            text = tokenizer.decode(list(error.ids))
            raise diverged(self.name, text, error.part, self._request.precision) from error
        if not engine.head_apart:
            notify("this model's head cannot be run at one position: all positions are computed")
        return engine, words

    def _screen(self, model: Any, device: str) -> Callable[[], Engine] | None:
        """Return what makes an engine in low precision of the same weights, if one is of use."""
        request = self._request
        size = sum(int(weight.numel()) for weight in model.parameters()) if request.screens else 0
        if size < LARGE or (low := lower_precision(device)) is None:
            return None
        copied = copy.deepcopy(model)  # before any engine hooks into it
        return lambda: Engine(
            copied, device, low, request.token_budget, request.batch_size, causal=not self.masks
        )

    def settings(self, request: ModelRequest) -> list[str]:
        """Return the options of this kind that can change an answer."""
        return []

    def engine(self, model: Any, tokenizer: Any, device: str) -> Engine:
        """Return the engine that runs the model."""
        request = self._request
        return Engine(
            model, device, request.precision, request.token_budget, request.batch_size,
            causal=not self.masks,
        )  # fmt: skip

    def checked(self, words: Words, tokenizer: Any) -> Words:
        """Check the tokenizer; adapters override this to refuse one."""
        return words

    @abstractmethod
    def place(self, words: Words, probes: Sequence[FillBlank]) -> list[Prepared]:
        """Return the probes as token sequences with the position to predict."""

    @abstractmethod
    def cut(self, words: Words, listed: Sequence[str], text: str) -> dict[str, Pieces]:
        """Return the tokens of each listed word at the blank of the text."""

    def prepare(self) -> None:
        """Load the weights."""
        assert self._loaded

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Fill each blank, choose a word for it, or rank the words there."""
        engine, words = self._loaded
        try:
            return self.answered(engine, words, probes)
        except NotFiniteError as error:
            text = words.tokenizer.decode(list(error.ids))
            raise diverged(self.name, text, error.part, self._request.precision) from error

    def answered(
        self, engine: Engine, words: Words, probes: Sequence[Probe[Answer]]
    ) -> list[Answer]:
        """Return the answers to probes of one kind."""
        # Imported here because reading the options of adapters must not import numpy.
        from naysay.models.lm.readouts import blanks_of, contrast_fills, fill_blanks, rank_words

        answers: list[Any] = []
        fills = [probe for probe in probes if isinstance(probe, FillBlank)]
        choices = [probe for probe in probes if isinstance(probe, ChooseWord)]
        ranks = [probe for probe in probes if isinstance(probe, RankWords)]
        contrasts = [probe for probe in probes if isinstance(probe, ContrastFills)]
        if fills:
            answers = fill_blanks(engine, words, fills, self.place(words, fills))
        if choices:
            answers = choose_words(engine, words, choices)
        if ranks:
            prepared = self.place(words, [FillBlank(probe.text) for probe in ranks])
            answers = rank_words(engine, words, ranks, [question for question, _ in prepared])
        if contrasts:
            prepared = self.place(words, blanks_of(contrasts))
            answers = contrast_fills(engine, words, contrasts, prepared)
        if len(answers) != len(probes):
            raise TypeError(f"{self.kind} models take probes of one kind at a time")
        return answers

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Return the tokens of each word at the blank of the text, or on its own."""
        _, cutter = self._loaded
        return cutter.bare_pieces(words) if bare else self.cut(cutter, words, text)

    def facts(self) -> dict[str, Any]:
        """Return device, size, origin, and whether the head runs at the blank only."""
        engine, _ = self._loaded
        return {
            "device": engine.device,
            "parameters": engine.parameters,
            **self._origin,
            "head": "at the blank only" if engine.head_apart else "at all positions",
            "shares_prefixes": engine.shares_prefixes,
        }

    def close(self) -> None:
        """Release the weights."""
        self.__dict__.pop("_loaded", None)


@dataclass(frozen=True)
class TransformerAdapter:
    """Opens models of one kind by hub name, folder or file."""

    kind: str
    prefixes: tuple[str, ...]
    summary: str
    model_type: type[LanguageModel]
    auto_class: str
    """The class of transformers that loads them."""
    endings: tuple[str, ...]
    """Endings of the transformers classes of such models."""
    but: tuple[str, ...] = ()
    """Similar endings of other kinds of model."""
    gguf: bool = False
    """Whether GGUF files are of this kind."""
    options_type: type[WeightsOptions] = WeightsOptions

    def recognises(self, weights: Weights) -> bool:
        """Return whether the configured architecture, or the GGUF format, is of this kind."""
        if weights.gguf:
            return self.gguf and not is_default_for(weights.folder / weights.gguf)
        return has_architecture(weights, *self.endings, but=self.but)

    def open(self, address: str | Weights, request: ModelRequest) -> Model:
        """Open the model at that address, or the located weights."""
        prepare_precision(request.precision, request.device)  # before anything imports torch
        options = self.options_type.of(request.options)
        weights = located(address, options)
        if request.screens and is_large(weights) and request.device in ("auto", "cpu"):
            lower_precision("cpu")  # likewise
        return self.model_type(
            weights.name,
            weights.digest,
            lambda: load(weights, options, self.auto_class),
            request,
            weights.origin,
        )
