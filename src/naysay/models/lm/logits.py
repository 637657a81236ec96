"""What is read from a batch of logits, in torch or in numpy.

Engines that run in torch keep their logits where they are, often on a GPU; other engines have them
in memory, and must not need torch to read them. Each reading of one position per row is made here,
once for each of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def columns(logits: Any, chosen: Sequence[int]) -> Any:
    """Return the logits of some tokens, in that order."""
    if isinstance(logits, np.ndarray):
        return logits[:, chosen]
    import torch

    return logits.index_select(1, torch.tensor(chosen, device=logits.device))


def best(logits: Any, depth: int) -> tuple[Any, Any]:
    """Return the highest logits of each row, highest first, and their columns, as arrays.

    >>> values, pieces = best(np.array([[1.0, 3.0, 2.0]]), 2)
    >>> pieces.tolist()
    [[1, 2]]
    """
    depth = min(depth, logits.shape[-1])
    if isinstance(logits, np.ndarray):
        found = np.argpartition(logits, -depth, axis=-1)[:, -depth:]
        values = np.take_along_axis(logits, found, axis=-1)
        order = np.lexsort((found, -values), axis=-1)
        return np.take_along_axis(values, order, axis=-1), np.take_along_axis(found, order, axis=-1)
    import torch

    top = torch.topk(logits, depth, dim=-1)
    return top.values.cpu().numpy(), top.indices.cpu().numpy()


def first_above(logits: Any, least: Any) -> list[int]:
    """Return the first column of each row whose logit is not below the row's limit."""
    if not isinstance(logits, np.ndarray):
        import torch

        least = torch.from_numpy(least).to(logits.device)
    return _places((logits >= least[:, None]) * 1)


def highest(logits: Any) -> list[int]:
    """Return the column of the highest logit of each row."""
    return _places(logits)


def _places(numbers: Any) -> list[int]:
    found: list[int] = numbers.argmax(-1).tolist()
    return found


def log_sums(logits: Any) -> Any:
    """Return log Σ exp over the tokens, of each row or of each position of each row."""
    if not isinstance(logits, np.ndarray):
        return logits.logsumexp(dim=-1)
    top = logits.max(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # all tokens of a row may be ruled out
        sums = np.exp(logits - top).sum(axis=-1, dtype=np.float64)
        return np.where(np.isneginf(top[..., 0]), top[..., 0], np.log(sums) + top[..., 0])


def kept(logits: Any, pieces: Sequence[int], *, others: bool = False) -> Any:
    """Return the logits with all but these tokens ruled out, or with these ruled out.

    Logits may have more columns than the tokenizer has tokens.
    """
    size = logits.shape[-1]
    keep = np.full(size, others)
    keep[[piece for piece in pieces if piece < size]] = not others
    if isinstance(logits, np.ndarray):
        return np.where(keep, logits, np.float32("-inf"))
    import torch

    return logits.masked_fill(torch.from_numpy(~keep).to(logits.device), float("-inf"))


def as_array(logits: Any) -> Any:
    """Return the logits as a numpy array."""
    return logits if isinstance(logits, np.ndarray) else logits.cpu().numpy()
