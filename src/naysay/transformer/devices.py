"""Which device a model runs on."""

from __future__ import annotations

from naysay.errors import ModelError


def choose_device(wanted: str) -> str:
    """The device that was asked for, or the best there is."""
    import torch

    if wanted != "auto":
        try:
            torch.empty(1, device=wanted)
        except (RuntimeError, AssertionError) as error:
            reason = str(error).splitlines()[0]
            raise ModelError(f"device {wanted!r} cannot be used: {reason}") from error
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
