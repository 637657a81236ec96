"""Steps that spare general sentences: weights move where those sentences hardly reach.

A weight matrix acts on vectors, and those of general sentences lie along some directions far more
than along others. A change across the rare ones is felt by sentences that differ from them, such as
negated ones, and by few others. So a matrix is trained as W + X P, where P shrinks a direction the
more, the more general sentences use it: P = (L / (C + L))^½, with C the second moment of what they
bring to the matrix, and L a small part of its mean. X is not kept anywhere: AdamW is given the
gradient of X, which is that of W times P, and its step goes into W times P.

Embeddings, biases and the scales of normalisation have no such directions. They stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from naysay.models.lm.linear_layers import OneDnnLinear, product
from naysay.train.plan import TrainingPlan

_SPARED = 0.01
"""L, as a share of the mean of C's diagonal: with more, general sentences move more; with less,
learning is slower."""
_SENTENCES = 1000  # of which C is made
_ROWS = 64


class SparingAdamW(torch.optim.AdamW):  # type: ignore[misc]
    """AdamW in the coordinates that a matrix for each weight leads to."""

    def __init__(self, ways: Mapping[Any, Any], times: Any = torch.matmul, **given: Any) -> None:
        """Take each weight's way, a symmetric matrix, and what multiplies matrices here."""
        self._ways, self._times = list(ways.items()), times
        super().__init__(list(ways), **given)

    def step(self, closure: Any = None) -> Any:
        """Take a step along the directions of each weight that may change."""
        with torch.no_grad():
            moved = [(*pair, pair[0].clone()) for pair in self._ways if pair[0].grad is not None]
            for weight, way, _ in moved:
                weight.grad = self._times(weight.grad, way)
            loss = super().step(closure)
            for weight, way, before in moved:
                weight.copy_(before + self._times(weight - before, way))
        return loss


def sparing_optimizer(
    embedder: Any, general: Sequence[str], prompt: str | None, plan: TrainingPlan
) -> torch.optim.Optimizer | None:
    """Return the optimiser of an embedder's linear layers, and freeze all other weights.

    Where there are no such layers, all weights are trained in the usual way: None.
    """
    linear = [layer for layer in embedder.modules() if isinstance(layer, torch.nn.Linear)]
    if not linear:
        return None
    moments = _moments(embedder, linear, general[:_SENTENCES], prompt)
    embedder.requires_grad_(False)
    ways = {
        layer.weight.requires_grad_(True): _way(moment).to(layer.weight.dtype)
        for layer, moment in moments.items()
    }
    times = product if isinstance(linear[0], OneDnnLinear) else torch.matmul
    return SparingAdamW(ways, times, lr=plan.lr, weight_decay=plan.weight_decay)


def _way(moment: Any) -> Any:
    """Return P, the matrix that shrinks the directions that general sentences use."""
    used, directions = torch.linalg.eigh(moment.double())
    least = _SPARED * moment.diagonal().mean().double().clamp(min=1e-12)
    shrunk = (least / (used.clamp(min=0.0) + least)).sqrt()
    return (directions * shrunk) @ directions.T


def _moments(
    embedder: Any, linear: Sequence[Any], general: Sequence[str], prompt: str | None
) -> dict[Any, Any]:
    """Return for each linear layer the second moment of what general sentences bring to it."""
    moments: dict[Any, Any] = {}
    counts: dict[Any, int] = {}

    def note(layer: Any, given: tuple[Any, ...]) -> None:
        vectors = given[0].detach().flatten(0, -2).float()
        moments[layer] = moments.get(layer, 0.0) + vectors.T @ vectors
        counts[layer] = counts.get(layer, 0) + len(vectors)

    hooks = [layer.register_forward_pre_hook(note) for layer in linear]
    try:
        with torch.no_grad():
            for features in _unpadded(embedder, general, prompt):
                embedder(features)
    finally:
        for hook in hooks:
            hook.remove()
    return {layer: moment / counts[layer] for layer, moment in moments.items()}


def _unpadded(embedder: Any, texts: Sequence[str], prompt: str | None) -> Iterator[dict[str, Any]]:
    """Yield the features of texts of equal length, since padding brings nothing of a sentence."""
    device = next(embedder.parameters()).device
    alike: dict[int, list[str]] = {}
    for text in texts:
        length = embedder.preprocess([text], prompt=prompt)["input_ids"].shape[-1]
        alike.setdefault(length, []).append(text)
    for _, found in sorted(alike.items()):
        for start in range(0, len(found), _ROWS):
            features = embedder.preprocess(found[start : start + _ROWS], prompt=prompt)
            yield {
                name: value.to(device) if torch.is_tensor(value) else value
                for name, value in features.items()
            }
