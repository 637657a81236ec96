"""Vectors of sentences from llama.cpp, each computed by itself, so that no batch can change it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from naysay.core.errors import ModelError
from naysay.models.llama_cpp.library import library, load_model, new_context, processors, run
from naysay.models.llama_cpp.tokenizer import Tokenizer

_POOLINGS = {1: "mean", 2: "cls", 3: "last token"}
_MOST = 2048  # tokens; memory grows with the longest text


class Encoder:
    """An embedder in llama.cpp, with the tokenizer and the pooling of its file."""

    device = "cpu"

    def __init__(self, name: str, path: Path) -> None:
        self._name, self._library = name, library()
        self._model = load_model(path)
        self.tokenizer = Tokenizer(name, self._model, None)
        self.longest = min(int(self._library.llama_model_n_ctx_train(self._model)), _MOST)
        self.parameters = int(self._library.llama_model_n_params(self._model))
        self._size = int(self._library.llama_model_n_embd(self._model))
        self._context = new_context(
            self._model, cells=self.longest, sequences=1, tokens=self.longest,
            threads=processors(), embeds=True,
        )  # fmt: skip
        found = int(self._library.llama_pooling_type(self._context))
        if found not in _POOLINGS:
            raise ModelError(
                f"{name} does not say how the vectors of tokens become that of a sentence, so it "
                "is no embedder"
            )
        self.pooling = _POOLINGS[found]

    def length(self, text: str) -> int:
        """Return the number of tokens of a text, with the special ones."""
        return len(self.tokenizer.encode(text))

    def vector(self, text: str) -> Any:
        """Return the vector of a text; what is too long is cut before its last token."""
        import numpy as np

        ids = self.tokenizer.encode(text)
        if len(ids) > self.longest:
            ids = [*ids[: self.longest - 1], ids[-1]]
        memory = self._library.llama_get_memory(self._context)
        self._library.llama_memory_clear(memory, False)
        n = len(ids)
        run(self._context, ids, range(n), [[0]] * n, [True] * n)
        numbers = self._library.llama_get_embeddings_seq(self._context, 0)
        return np.ctypeslib.as_array(numbers, (self._size,)).astype(np.float64)

    def close(self) -> None:
        """Release the model."""
        self._library.llama_free(self._context)
        self._library.llama_model_free(self._model)
