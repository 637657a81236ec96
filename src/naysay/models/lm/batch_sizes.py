"""How large batches are: halved where memory does not suffice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from naysay.core.console import notify
from naysay.core.errors import ModelError

_NO_MEMORY = ("not enough memory", "out of memory", "allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")
"""What plain errors say where there is no memory; a processor's are reported so."""


class BatchSizes:
    """How many tokens and texts the next batch may have at most; no answer depends on it."""

    def __init__(self, tokens: int, texts: int | None, device: str) -> None:
        self.tokens, self.texts = max(1, tokens), texts
        self._device = device

    def attempt(self, run: Callable[[], Any], texts: int, tokens: int) -> Any | None:
        """Return what a pass of so many texts and tokens gives.

        None if there is not enough memory for it: batches are then half as large from now on.
        """
        import torch

        try:
            with torch.inference_mode():
                return run()
        except (RuntimeError, MemoryError) as error:  # torch.OutOfMemoryError is a RuntimeError
            if not lacks_memory(error):
                raise
            if texts == 1:
                raise ModelError(
                    f"there is not enough memory on {self._device} for one text of {tokens} tokens"
                ) from error
        # Here, not above: an error that is being handled keeps the tensors of the failed pass.
        if tokens // 2 < self.tokens:
            self.tokens = tokens // 2
            notify(
                f"not enough memory on {self._device}: batches of at most {self.tokens} tokens "
                "from now on"
            )
        return None


def lacks_memory(error: Exception) -> bool:
    """Return whether memory was the reason of an error."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return any(text in str(error) for text in _NO_MEMORY)
