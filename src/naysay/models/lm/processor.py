"""What this processor can do in bf16, tried in a child process before it is done in this one.

A processor may announce instructions that its hypervisor forbids (AMX inside small virtual
machines): the first bf16 multiplication then ends the process with *Illegal instruction*. No
exception is raised, so nothing but a trial in another process can tell. Where the trial dies,
oneDNN, the library that multiplies for torch, is limited to an older instruction set, by an
environment variable that it reads once, before its first multiplication.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from naysay.core.console import tell
from naysay.core.errors import ModelError, RunError
from naysay.core.keys import content_key
from naysay.core.paths import cache_folder, write_json

LIMIT = "ONEDNN_MAX_CPU_ISA"
LIMITS = ("AVX512_CORE_BF16", "AVX512_CORE", "AVX2")
"""What is tried in turn where the processor's own choice dies, the fastest first."""
_SECONDS = 300
_VERSION = 1  # raised when the trial asks for something else

_TRIAL = """
import json, time
import torch

torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True).eval()
with torch.inference_mode():
    best = {}
    for dtype in (torch.float32, torch.bfloat16):
        matrix, text = torch.randn(384, 384, dtype=dtype), torch.randn(8, 32, 256, dtype=dtype)
        layer.to(dtype)
        times = []
        for _ in range(12):
            begun = time.perf_counter()
            matrix @ matrix
            layer(text)
            times.append(time.perf_counter() - begun)
        best[dtype] = min(times)
layer.float().train()
with torch.autocast("cpu", dtype=torch.bfloat16):
    loss = layer(torch.randn(4, 16, 256)).float().square().mean()
loss.backward()
print(json.dumps(best[torch.float32] / best[torch.bfloat16]))
"""


@dataclass(frozen=True)
class LowPrecision:
    """How bf16 goes on this processor."""

    limit: str | None
    """The instruction set that oneDNN must be limited to, None if it needs no limit."""
    speed: float | None
    """How many times as fast as fp32 it was in the trial; None if every trial died."""
    death: str | None = None
    """How the trial without a limit ended, None if it ended well."""


def prepare_precision(precision: str, device: str) -> None:
    """Make sure that this process survives the precision on the device; refuse it otherwise.

    To be called before torch is imported where possible: after that, a limit comes too late.
    """
    if precision == "fp32" or not device.startswith(("auto", "cpu")):
        return
    found = low_precision()
    if found.speed is None:
        raise ModelError(
            f"--precision {precision} cannot be used on this processor: a trial {found.death}, "
            f"also with {LIMIT} at {', '.join(LIMITS)}. Use --precision fp32."
        )
    if found.limit is not None and os.environ.get(LIMIT) != found.limit:
        if "torch" in sys.modules:
            raise ModelError(
                f"--precision {precision} needs {LIMIT}={found.limit} on this processor (without "
                f"it, a trial {found.death}), and torch is imported already: set it before "
                "Python starts, or use fp32."
            )
        os.environ[LIMIT] = found.limit
        tell(f"{precision} runs with {LIMIT}={found.limit} here: without it, a trial {found.death}")


def bf16_speed(device: str) -> float | None:
    """How many times as fast as fp32 bf16 is here; None where it was not measured."""
    return low_precision().speed if device.startswith("cpu") else None


@cache
def low_precision() -> LowPrecision:
    """What the trials said, now or at an earlier time on this machine."""
    file = cache_folder() / "processor.json"
    key = _key()
    known = _read(file)
    if key not in known:
        known[key] = _tried()
        with contextlib.suppress(RunError):  # a cache that cannot be written only costs time
            write_json(file, {each: asdict(found) for each, found in known.items()})
    return known[key]


def _tried() -> LowPrecision:
    tell("trying bf16 in a process of its own, once on this machine …")
    speed, death = _trial(None)
    if speed is not None:
        return LowPrecision(None, speed)
    for limit in LIMITS:
        speed, _ = _trial(limit)
        if speed is not None:
            return LowPrecision(limit, speed, death)
    return LowPrecision(None, None, death)


def _trial(limit: str | None) -> tuple[float | None, str | None]:
    """How many times as fast as fp32 bf16 was, or how the trial ended."""
    environment = os.environ if limit is None else {**os.environ, LIMIT: limit}
    try:
        ended = subprocess.run(
            [sys.executable, "-c", _TRIAL],
            capture_output=True, text=True, timeout=_SECONDS, env=environment, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"did not end within {_SECONDS} s"
    except OSError as error:
        return None, f"could not be started ({error.strerror})"
    if ended.returncode < 0:
        return None, f"was killed by {signal.Signals(-ended.returncode).name}"
    if ended.returncode:
        reason = (ended.stderr.strip().splitlines() or ["no reason given"])[-1]
        return None, f"failed ({reason})"
    return float(json.loads(ended.stdout)), None


def _key() -> str:
    """What the outcome depends on: machine, processor, torch, and oneDNN's limit as it is set."""
    try:
        torch_version = version("torch")
    except PackageNotFoundError:
        torch_version = "none"
    limits = [os.environ.get(name) for name in (LIMIT, LIMIT.replace("ONEDNN", "DNNL"))]
    return content_key(
        [_VERSION, platform.node(), _processor(), torch_version, *limits, content_key(_TRIAL)], 16
    )


def _processor() -> list[str]:
    """The processor's name and what it announces."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return [platform.processor(), platform.machine()]
    return sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})


def _read(file: Path) -> dict[str, LowPrecision]:
    """What earlier trials said; a file that cannot be read is made anew."""
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        return {key: LowPrecision(**found) for key, found in stored.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
