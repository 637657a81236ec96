"""Linear layers in fp32 by oneDNN, where that is faster than what torch does by itself.

On a processor torch multiplies fp32 matrices by MKL, which uses half the width of the vectors of
processors that are not Intel's. oneDNN, which comes with torch as well, uses all of it. Which of
the two is faster is tried once on a machine, in a child process: see `processor`.
"""

from __future__ import annotations

from typing import Any

import torch

from naysay.models.lm.processor import linear_speed

WORTHWHILE = 1.2
"""The gain in speed from which on oneDNN is used."""
LARGE = 10_000_000
"""Parameters; smaller models are fast anyway, and the trial of the processor takes seconds."""


def product(rows: Any, weight: Any, bias: Any = None) -> Any:
    """Return `rows @ weight.T + bias` as oneDNN computes it, without gradients."""
    return torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")


class _Product(torch.autograd.Function):  # type: ignore[misc]
    """The same with gradients, which oneDNN computes, too."""

    @staticmethod
    def forward(context: Any, rows: Any, weight: Any, bias: Any) -> Any:
        context.save_for_backward(rows, weight)
        return product(rows, weight, bias)

    @staticmethod
    def backward(context: Any, gradient: Any) -> tuple[Any, Any, Any]:
        rows, weight = context.saved_tensors
        needs_rows, needs_weight, needs_bias = context.needs_input_grad
        flat = gradient.flatten(0, -2)
        of_rows = product(gradient, weight.t().contiguous()) if needs_rows else None
        of_weight = None
        if needs_weight:
            of_weight = product(flat.t().contiguous(), rows.flatten(0, -2).t().contiguous())
        return of_rows, of_weight, flat.sum(0) if needs_bias else None


class OneDnnLinear(torch.nn.Linear):  # type: ignore[misc]
    """A linear layer that oneDNN multiplies if everything is in fp32 on the processor."""

    def forward(self, rows: Any) -> Any:
        """Return the product; as any linear layer does in other types and on other devices."""
        weight = self.weight
        if (
            not rows.dtype == weight.dtype == torch.float32
            or not rows.device.type == weight.device.type == "cpu"
            or torch.is_autocast_enabled("cpu")
            or rows.dim() < 2
            or rows.numel() == 0
        ):
            return super().forward(rows)
        if torch.is_grad_enabled() and (rows.requires_grad or weight.requires_grad):
            return _Product.apply(rows, weight, self.bias)
        return product(rows, weight, self.bias)


def speed_up(model: Any) -> list[Any]:
    """Let oneDNN multiply in all linear layers of a model if it is faster here; return them."""
    layers = [layer for layer in model.modules() if type(layer) is torch.nn.Linear]
    size = sum(int(weight.numel()) for weight in model.parameters())
    if not layers or size < LARGE or layers[0].weight.device.type != "cpu":
        return []
    if (linear_speed() or 0.0) < WORTHWHILE:
        return []
    for layer in layers:
        layer.__class__ = OneDnnLinear
    return layers


def slow_down(layers: list[Any]) -> None:
    """Let torch multiply in these layers again."""
    for layer in layers:
        layer.__class__ = torch.nn.Linear
