"""GGUF files in llama.cpp: causal language models and embedders whose weights stay quantised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from naysay.core.console import notify
from naysay.core.errors import ModelError, SpecError
from naysay.core.options import flag
from naysay.core.probes import ChooseClosest, Closest
from naysay.core.protocols import Model, ModelRequest
from naysay.models.causal import CausalModel
from naysay.models.embedder import Vectors
from naysay.models.files import Weights, located
from naysay.models.files.gguf import Header, read_header
from naysay.models.llama_cpp import is_default_for
from naysay.models.llama_cpp.library import library
from naysay.models.lm.finite import UNTOLD, diverged
from naysay.models.lm.loading import usable
from naysay.models.lm.words import Words
from naysay.models.sentence.loading import EmbedderOptions
from naysay.models.sentence.sentence_model import SentenceModel

_VERSION = 1  # raise when the way of asking the same weights changes
_TEMPLATE = "tokenizer.chat_template"


class LlamaModel(CausalModel):
    """A causal model that llama.cpp runs in this process."""

    kind = "llama"

    def settings(self, request: ModelRequest) -> list[str]:
        """Return the version of this way of asking, beside that of all language models."""
        return [f"llama.cpp {_VERSION}"]

    @cached_property
    def _loaded(self) -> tuple[Any, Words]:
        from naysay.models.llama_cpp.engine import LlamaEngine
        from naysay.models.llama_cpp.tokenizer import Tokenizer

        notify(f"loading {self.name} …")
        path, header = self._load()
        engine = LlamaEngine(path, large_blocks=header.has_large_blocks)
        if engine.unsuited:
            raise ModelError(
                f"{self.name} {engine.unsuited}, which naysay does not support in llama.cpp: use "
                f"-m causal:{self.name}"
            )
        with usable(self.name):
            tokenizer = Tokenizer(self.name, engine.model, header.metadata.get(_TEMPLATE))
            words = Words(tokenizer, self.name, masks=False)
        notify(f"{self.name}: causal model in llama.cpp on cpu")
        return engine, words

    def facts(self) -> dict[str, Any]:
        """Return the facts of any causal model, and that llama.cpp ran it."""
        _, header = self._load()
        return {**super().facts(), "library": "llama.cpp", "precision": header.precision}

    def close(self) -> None:
        """Release the weights."""
        if "_loaded" in self.__dict__:
            self._loaded[0].close()
        super().close()


class LlamaEmbedder(SentenceModel):
    """An embedder that llama.cpp runs in this process, with the pooling of its file."""

    kind = "llama"

    @cached_property
    def _model(self) -> Any:
        from naysay.models.llama_cpp.encoder import Encoder

        notify(f"loading {self.name} …")
        return Encoder(self.name, self._load()[0])

    @cached_property
    def _vectors(self) -> Vectors:
        encoder, prompt = self._model, self._prompt
        return Vectors(
            lambda texts: [encoder.vector(prompt + text) for text in texts],
            lambda texts: [encoder.length(prompt + text) for text in texts],
            longest=encoder.longest,
            token_budget=self._request.token_budget,
            refused=lambda text: diverged(self.name, text, UNTOLD),
        )

    @property
    def _prompt(self) -> str:
        return str(self._request.options.get("prompt") or "")

    def notes(self) -> list[str]:
        """Return how sentences are encoded, and with which prompt."""
        lines = [f"encoding: llama.cpp → {self._model.pooling} pooling"]
        return [*lines, f"prompt before each sentence: {self._prompt!r}"] if self._prompt else lines

    def choose(self, probes: Sequence[ChooseClosest]) -> list[Closest]:
        """Return the cosines between the text and its options."""
        return self._vectors.choose(probes, self._request.precision)

    def facts(self) -> dict[str, Any]:
        """Return size, origin, and how sentences are encoded."""
        return {
            "device": self._model.device, "parameters": self._model.parameters, **self._origin,
            "library": "llama.cpp", "precision": self._load()[1].precision,
            "pooling": self._model.pooling, "prompt": self._prompt or None,
        }  # fmt: skip

    def close(self) -> None:
        """Release the weights."""
        if "_model" in self.__dict__:
            self._model.close()
        super().close()


@dataclass(frozen=True)
class LlamaAdapter:
    """Opens GGUF files."""

    kind: str = LlamaModel.kind
    prefixes: tuple[str, ...] = ("llama",)
    summary: str = "a .gguf file in llama.cpp: a causal language model, or an embedder"
    options_type: type[EmbedderOptions] = EmbedderOptions

    def recognises(self, weights: Weights) -> bool:
        """Return whether it is a GGUF file that llama.cpp runs by default."""
        return weights.gguf is not None and is_default_for(weights.folder / weights.gguf)

    def open(self, address: str | Weights, request: ModelRequest) -> Model:
        """Open the file at that address, or the located one, after a check of its header."""
        options = self.options_type.of(request.options)
        weights = located(address, options)
        if not weights.gguf:
            raise ModelError(f"{weights.name} is no GGUF file, and llama.cpp reads nothing else")
        library()
        if request.precision != "fp32" or not request.device.startswith(("auto", "cpu")):
            raise ModelError(
                f"{weights.name}: llama.cpp runs a file as it is stored, on the CPU. For "
                f"--precision {request.precision} on {request.device} use -m causal:{weights.name}"
            )
        path = weights.folder / weights.gguf
        header = read_header(path)
        _check_options(weights.name, header, options)
        model_type = LlamaEmbedder if header.embeds else LlamaModel
        return model_type(
            weights.name, weights.digest, lambda: (path, header), request, weights.origin
        )


def _check_options(name: str, header: Header, options: EmbedderOptions) -> None:
    """Refuse options that this file cannot follow."""
    if options.pooling:
        raise SpecError(f"{flag('pooling')}: {name} has its own pooling, if it is an embedder")
    if options.prompt is not None and not header.embeds:
        raise SpecError(f"{flag('prompt')} is for embedders, but {name} predicts tokens")


ADAPTER = LlamaAdapter()
