"""Trials of bf16, fp16 and oneDNN on this CPU, in a child process before they are used in this one.

A CPU may announce instructions that its hypervisor forbids (AMX inside small virtual machines): the
first multiplication in bf16 or fp16 then kills the process with *Illegal instruction*. No exception
is raised, so only a trial in another process can detect it. If the trial crashes, oneDNN, torch's
math library, is limited to an older instruction set by an environment variable, which it reads
once, before its first multiplication.
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

from naysay.core.console import notify
from naysay.core.errors import ModelError, RunError
from naysay.core.keys import content_key
from naysay.core.paths import cache_folder, write_json

LIMIT = "ONEDNN_MAX_CPU_ISA"
LIMITS = ("AVX512_CORE_BF16", "AVX512_CORE", "AVX2")
"""Limits to try in turn if the default crashes, fastest first."""
_SECONDS = 300
_VERSION = 1  # raise when the trial changes

_TRIAL = """
import json, sys, time
import torch

low = {"bf16": torch.bfloat16, "fp16": torch.float16}[sys.argv[1]]

torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True).eval()
with torch.inference_mode():
    best = {}
    for dtype in (torch.float32, low):
        matrix, text = torch.randn(384, 384, dtype=dtype), torch.randn(8, 32, 256, dtype=dtype)
        layer.to(dtype)
        times = []
        for _ in range(12):
            begun = time.perf_counter()
            matrix @ matrix
            layer(text)
            times.append(time.perf_counter() - begun)
        best[dtype] = min(times)
if low is torch.bfloat16:  # models are trained in it, too
    layer.float().train()
    with torch.autocast("cpu", dtype=low):
        loss = layer(torch.randn(4, 16, 256)).float().square().mean()
    loss.backward()
print(json.dumps(best[torch.float32] / best[low]))
"""
_LINEAR = "oneDNN"
_LINEAR_TRIAL = """
import json, time
import torch

torch.manual_seed(0)
rows, weight, bias = torch.randn(512, 768), torch.randn(1024, 768), torch.randn(1024)
ways = (
    lambda: torch.nn.functional.linear(rows, weight, bias),
    lambda: torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], ""),
)
with torch.inference_mode():
    best = [float("inf")] * 2
    for _ in range(20):
        for k, way in enumerate(ways):
            begun = time.process_time()
            way()
            best[k] = min(best[k], time.process_time() - begun)
    torch.testing.assert_close(ways[0](), ways[1](), rtol=1e-4, atol=1e-3)
print(json.dumps(best[0] / best[1]))
"""


@dataclass(frozen=True)
class LowPrecision:
    """The outcome of the trials of one precision on this CPU."""

    limit: str | None
    """The instruction set that oneDNN must be limited to; None if no limit is needed."""
    speed: float | None
    """The speed relative to fp32 in the trial; None if every trial crashed."""
    death: str | None = None
    """How the trial without a limit failed; None if it succeeded."""


def prepare_precision(precision: str, device: str) -> None:
    """Make sure that this process can use the precision on the device; refuse it otherwise.

    Call this before importing torch if possible: after that, a limit has no effect.
    """
    if precision == "fp32" or not device.startswith(("auto", "cpu")):
        return
    found = low_precision(precision)
    if found.speed is None:
        if device == "auto" and _has_accelerator():
            return  # the model will not run on the processor
        raise ModelError(
            f"--precision {precision} cannot be used on this processor: a trial {found.death}, "
            f"also with {LIMIT} set to {', '.join(LIMITS)}. Use --precision fp32."
        )
    if found.limit is not None and os.environ.get(LIMIT) != found.limit:
        if "torch" in sys.modules:
            raise ModelError(
                f"--precision {precision} needs {LIMIT}={found.limit} on this processor (without "
                f"it, a trial {found.death}), but torch is already imported: set it before "
                "Python starts, or use fp32."
            )
        os.environ[LIMIT] = found.limit
        notify(
            f"{precision} runs with {LIMIT}={found.limit} here: without it, a trial {found.death}"
        )


def lower_precision(device: str) -> str | None:
    """Return the precision that may be worth trying in place of fp32 on a device, if any.

    Call this before importing torch if possible, and on the processor only.
    """
    if not device.startswith(("auto", "cpu")):
        import torch

        brain = device.startswith("cuda") and torch.cuda.is_bf16_supported()
        return "bf16" if brain else "fp16"
    found = low_precision("bf16")
    if found.speed is None or found.speed < 1:
        return None
    if found.limit is not None and os.environ.get(LIMIT) != found.limit:
        if "torch" in sys.modules:
            return None
        prepare_precision("bf16", device)
    return "bf16"


def _has_accelerator() -> bool:
    from naysay.models.lm.loading import choose_device

    return choose_device("auto") != "cpu"


def low_speed(precision: str, device: str) -> float | None:
    """Return the speed of bf16 or fp16 relative to fp32 on this machine; None if not measured."""
    if precision == "fp32" or not device.startswith("cpu"):
        return None
    return low_precision(precision).speed


def linear_speed() -> float | None:
    """Return the speed of oneDNN relative to torch's own choice in fp32; None if it fails."""
    return _outcome(_LINEAR).speed


def low_precision(precision: str = "bf16") -> LowPrecision:
    """Return the outcome of the trials of bf16 or fp16."""
    return _outcome(precision)


@cache
def _outcome(tried: str) -> LowPrecision:
    """Return the outcome of the trials, cached per machine."""
    file = cache_folder() / "processor.json"
    key = _key(tried)
    known = _read(file)
    if key not in known:
        known[key] = _linear_tried() if tried == _LINEAR else _tried(tried)
        with contextlib.suppress(RunError):  # a cache that cannot be written only costs time
            write_json(file, {each: asdict(found) for each, found in known.items()})
    return known[key]


def _tried(precision: str) -> LowPrecision:
    notify(f"testing {precision} in a separate process, once on this machine …")
    speed, death = _trial(precision, None)
    if speed is not None:
        return LowPrecision(None, speed)
    for limit in LIMITS:
        speed, _ = _trial(precision, limit)
        if speed is not None:
            return LowPrecision(limit, speed, death)
    return LowPrecision(None, None, death)


def _linear_tried() -> LowPrecision:
    speed, death = _trial(_LINEAR, None)
    return LowPrecision(None, speed, death)


def _trial(tried: str, limit: str | None) -> tuple[float | None, str | None]:
    """Return the speed relative to fp32, or how the trial failed."""
    environment = os.environ if limit is None else {**os.environ, LIMIT: limit}
    try:
        ended = subprocess.run(
            [sys.executable, "-c", _script(tried), tried],
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


def _script(tried: str) -> str:
    return _LINEAR_TRIAL if tried == _LINEAR else _TRIAL


def _key(tried: str) -> str:
    """Return a key of what the outcome depends on: machine, CPU, torch, trial and limit."""
    try:
        torch_version = version("torch")
    except PackageNotFoundError:
        torch_version = "none"
    limits = [os.environ.get(name) for name in (LIMIT, LIMIT.replace("ONEDNN", "DNNL"))]
    trial = [tried, content_key(_script(tried))]
    return content_key(
        [_VERSION, platform.node(), _processor(), torch_version, *limits, *trial], 16
    )


def _processor() -> list[str]:
    """Return the CPU's name and the features it announces."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return [platform.processor(), platform.machine()]
    return sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})


def _read(file: Path) -> dict[str, LowPrecision]:
    """Read the outcomes of earlier trials; an unreadable file counts as empty."""
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        return {key: LowPrecision(**found) for key, found in stored.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
