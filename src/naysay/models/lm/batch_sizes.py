"""How large batches are: as large as is fastest here, and halved where memory does not suffice.

The fastest size is found with three trials, which are batches of the questions themselves: a
quarter, a half, and all of the budget of tokens. No answer depends on it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from naysay.core.console import notify
from naysay.core.errors import ModelError
from naysay.models.lm.questions import batch_length

Input = TypeVar("Input")
Output = TypeVar("Output")

_TRIALS = (4, 2, 1)  # parts of the budget
_FULL = 0.75  # of a budget; a batch with fewer tokens is no trial of it
_NEARLY = 0.95  # of the speed of the fastest; the largest batches of these are chosen
_NO_MEMORY = ("not enough memory", "out of memory", "allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")
"""What plain errors say where there is no memory; a processor's are reported so."""


class BatchSizes:
    """How many tokens and texts the next batch may have at most."""

    def __init__(self, tokens: int, texts: int | None, device: str) -> None:
        """Take the most that a batch may have; a number of texts is taken as it is."""
        self.tokens, self.texts = max(1, tokens), texts
        self._device = device
        self._untried = [max(1, tokens // part) for part in _TRIALS] if texts is None else []
        self._speeds: dict[int, float] = {}
        """Tokens per second, by the budget that was tried."""
        self._warm = False

    def batches(
        self, groups: Iterable[tuple[int, Sequence[Input]]], run: Callable[[list[Input]], Output]
    ) -> Iterator[tuple[list[Input], Output]]:
        """Run groups of inputs, each with the number of tokens of its inputs, batch by batch."""
        for length, group in groups:
            start = 0
            while start < len(group):
                budget = self._untried[0] if self._untried else self.tokens
                size = batch_length(length, min(budget, self.tokens), self.texts)
                batch = list(group[start : start + size])
                begun = time.perf_counter()
                output = self.attempt(lambda: run(batch), len(batch), len(batch) * length)  # noqa: B023
                if output is None:
                    continue
                if self._untried:
                    self._time(budget, len(batch) * length, begun)
                yield batch, output
                start += len(batch)

    def _time(self, budget: int, tokens: int, begun: float) -> None:
        """Note how fast a batch was, and choose the budget after the last trial.

        The first pass of a model prepares its weights, and is none.
        """
        if self._warm and tokens >= _FULL * budget:
            _finish(self._device)
            self._speeds[budget] = tokens / (time.perf_counter() - begun)
            del self._untried[0]
        self._warm = True
        if not self._untried and self._speeds:
            fastest = max(self._speeds.values())
            good = [tried for tried, speed in self._speeds.items() if speed >= _NEARLY * fastest]
            self.tokens = min(self.tokens, max(good))

    def attempt(self, run: Callable[[], Output], texts: int, tokens: int) -> Output | None:
        """Return what a pass of so many texts and tokens gives.

        None if there is not enough memory for it: batches are then half as large from now on.
        """
        try:
            return run()
        except (RuntimeError, MemoryError) as error:  # torch.OutOfMemoryError is a RuntimeError
            if not lacks_memory(error):
                raise
            if texts == 1:
                raise ModelError(
                    f"there is not enough memory on {self._device} for one text of {tokens} tokens"
                ) from error
        # Here, not above: an error that is being handled keeps the tensors of the failed pass.
        self._untried = []
        if tokens // 2 < self.tokens:
            self.tokens = tokens // 2
            notify(
                f"not enough memory on {self._device}: batches of at most {self.tokens} tokens "
                "from now on"
            )
        return None


def lacks_memory(error: Exception) -> bool:
    """Return whether memory was the reason of an error.

    >>> lacks_memory(RuntimeError("DefaultCPUAllocator: can't allocate memory"))
    True
    >>> lacks_memory(RuntimeError("index out of range"))
    False
    """
    torch = sys.modules.get("torch")  # what has not been imported has not failed
    known = (MemoryError, torch.OutOfMemoryError) if torch else (MemoryError,)
    return isinstance(error, known) or any(text in str(error) for text in _NO_MEMORY)


def _finish(device: str) -> None:
    """Wait until a device has computed everything, as it does not by itself."""
    torch = sys.modules.get("torch")
    if torch and device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif torch and device.startswith("mps"):
        torch.mps.synchronize()
