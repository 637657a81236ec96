"""The peak of the processor: the fastest multiplication of matrices, and what a pass uses of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from naysay.bench.turns import clock_of
from naysay.core.errors import ModelError
from naysay.models.lm.processor import linear_speed, prepare_precision

_REPEATS, _LEAST = 30, 3
_SECONDS = 1.0  # after which there are no more, where a precision is emulated
_ROWS, _WIDTH = 1024, 768  # of the largest multiplication in a layer of BERT-base


def multiply_peak(precision: str) -> float | None:
    """Return the most GF/s in fp32 or bf16; None where this processor cannot multiply in it.

    In fp32 it is that of MKL or oneDNN, whichever is faster.
    """
    try:
        prepare_precision(precision, "cpu")
    except ModelError:
        return None
    import torch

    from naysay.models.lm.linear_layers import product

    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    left = torch.randn(_ROWS, _WIDTH, dtype=dtype)
    right = torch.randn(4 * _WIDTH, _WIDTH, dtype=dtype)
    ways = [torch.nn.functional.linear]
    if precision == "fp32" and linear_speed() is not None:
        ways.append(product)
    operations: float = 2 * _ROWS * _WIDTH * 4 * _WIDTH
    with torch.inference_mode():
        return max(operations / _fastest(lambda: way(left, right)) / 1e9 for way in ways)  # noqa: B023


def _fastest(way: Callable[[], object]) -> float:
    times: list[float] = []
    clock = clock_of()[1]
    while len(times) < _LEAST or (len(times) < _REPEATS and sum(times) < _SECONDS):
        begun = clock()
        way()
        times.append(clock() - begun)
    return min(times)


def layer_operations(model: Any, tokens: float) -> float:
    """Return the operations of the layers of a BERT on a text of so many tokens, head left out.

    Each weight is a multiplication and an addition per token. In the last layer only keys and
    values, a sixth of its weights, are needed at all tokens, the rest at one.
    """
    layers = list(model.bert.encoder.layer)
    each: int = sum(p.numel() for p in layers[0].parameters())
    return 2 * each * ((len(layers) - 1) * tokens + tokens / 6 + 5 / 6)
