"""Which device a model runs on, and whether bf16 pays there."""

from __future__ import annotations

from pathlib import Path

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


def bf16_is_fast(device: str) -> bool:
    """Whether the device multiplies bf16 by itself; emulated, it is slower than fp32."""
    if not device.startswith("cpu"):
        return True
    try:
        features = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return True  # cannot tell, so say nothing
    return "bf16" in features
