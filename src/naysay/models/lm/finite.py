"""Models whose numbers are not finite, as after a training that diverged: where it begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from naysay.core.errors import ModelError


class NotFiniteError(ModelError):
    """The model's logits are not finite numbers, as after a training that diverged."""

    def __init__(self, ids: tuple[int, ...], part: str) -> None:
        super().__init__(f"the model's logits are not finite numbers: {part}")
        self.ids, self.part = ids, part


UNTOLD = "llama.cpp does not say in which layer"


def diverged(name: str, text: object, part: str, precision: str = "fp32") -> ModelError:
    """Return the error for a model whose numbers for a text are not finite, and where it begins."""
    why = "Its training may have diverged, or the files are damaged; there is nothing to measure."
    if precision == "fp16":
        why = "fp16 has no numbers above 65,504: use --precision bf16 or fp32."
    return ModelError(f"{name} gives no finite numbers for {text!r}: {part}. {why}")


def check_weights(name: str, model: Any) -> None:
    """Refuse a model some of whose weights are not finite, whatever it would answer.

    Fused attention can turn such weights into finite numbers, and these into figures. Minus
    infinity in a bias is fine: it rules tokens out.
    """
    if (fault := _broken_weights(model, ruled_out=True)) is not None:
        raise ModelError(
            f"{name}: {fault}. Its training may have diverged, or the files are damaged; there is "
            "nothing to measure."
        )


def _broken_weights(model: Any, *, ruled_out: bool = False) -> str | None:
    for name, weight in model.named_parameters():
        fine = weight < float("inf") if ruled_out and weight.dim() == 1 else weight.isfinite()
        if not bool(fine.all()):
            owner = model.get_submodule(name.rpartition(".")[0])
            return f"the weights of {name} ({type(owner).__name__}) are not finite"
    return None


def first_fault(model: Any, forward: Callable[[], object]) -> str:
    """Say which part of a model is the first whose weights or output are not finite numbers.

    `forward` runs the model on the text in question.
    """
    import torch

    if (fault := _broken_weights(model)) is not None:
        return fault
    found: list[str] = []

    def look(name: str, module: Any, output: Any) -> None:
        first = output[0] if isinstance(output, tuple) else output
        if isinstance(first, torch.Tensor) and not found and not bool(first.isfinite().all()):
            found.append(f"they begin in {name} ({type(module).__name__})")

    hooks = [
        module.register_forward_hook(lambda m, _, output, name=name: look(name, m, output))
        for name, module in model.named_modules()
        if not any(module.children())
    ]
    try:
        with torch.inference_mode():
            forward()
    except Exception:  # a body in 16 bits does not go with its head; all layers were seen
        found.append("in no single layer")
    finally:
        for hook in hooks:
            hook.remove()
    return found[0] if found else "in no single layer"
