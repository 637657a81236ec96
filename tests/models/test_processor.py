"""A processor that announces what it cannot do is found out before it ends the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from naysay.core.errors import ModelError
from naysay.models.lm import processor
from naysay.models.lm.processor import LIMIT, LIMITS, LowPrecision, low_precision

DYING = """
import importlib.abc, importlib.machinery, os, signal, sys


class Forbidden(importlib.abc.MetaPathFinder):
    'Multiplying in bf16 is an illegal instruction, unless oneDNN was limited before torch came.'

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        limited = os.environ.get({limit!r}) in {enough!r}
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            if not limited:
                forbid(module)

        spec.loader.exec_module = exec_module
        return spec


def forbid(torch):
    def dies(*tensors, **named):
        if any(getattr(each, "dtype", None) == torch.bfloat16 for each in tensors):
            os.kill(os.getpid(), signal.SIGILL)
        return real(*tensors, **named)

    real = torch.nn.functional.linear
    torch.nn.functional.linear = dies


sys.meta_path.insert(0, Forbidden())
"""
RUN = ["run", "-m", "mini-aware", "-t", "scnt", "--limit", "3", "--precision", "bf16"]


def naysay_on(
    folder: Path, enough: tuple[str, ...], *words: str
) -> subprocess.CompletedProcess[str]:
    """The command line on a processor that survives bf16 under these limits only."""
    (folder / "sitecustomize.py").write_text(
        DYING.format(limit=LIMIT, enough=enough), encoding="utf-8"
    )
    environment = {name: value for name, value in os.environ.items() if name != LIMIT}
    paths = [str(folder), *filter(None, [environment.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, "-m", "naysay", *words],
        capture_output=True, text=True, cwd=folder, check=False,
        env={**environment, "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip


@pytest.fixture
def fresh() -> object:
    processor._outcome.cache_clear()
    yield
    processor._outcome.cache_clear()


@pytest.mark.slow
def test_where_bf16_kills_the_process_a_limit_keeps_it_alive(tmp_path: Path) -> None:
    ended = naysay_on(tmp_path, LIMITS[1:], *RUN, "--json")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["estimates"]
    assert f"bf16 runs with {LIMIT}={LIMITS[1]} here" in ended.stderr
    assert "killed by SIGILL" in ended.stderr
    [known] = json.loads((tmp_path / "cache" / "processor.json").read_text("utf-8")).values()
    assert known["limit"] == LIMITS[1] and known["speed"] > 0
    again = naysay_on(tmp_path, LIMITS[1:], *RUN, "--json")
    assert again.stdout == ended.stdout and "testing bf16" not in again.stderr


@pytest.mark.slow
def test_where_no_limit_helps_bf16_is_refused_in_one_line(tmp_path: Path) -> None:
    ended = naysay_on(tmp_path, (), *RUN)
    assert ended.returncode == 2 and ended.stdout == ""
    [refusal] = [line for line in ended.stderr.splitlines() if "cannot be used" in line]
    assert "killed by SIGILL" in refusal and "fp32" in refusal
    assert not (tmp_path / "runs").exists()


def test_a_limit_that_comes_too_late_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    assert torch
    monkeypatch.delenv(LIMIT, raising=False)
    monkeypatch.setattr(
        processor, "low_precision", lambda precision: LowPrecision("AVX2", 0.5, "was killed")
    )
    with pytest.raises(ModelError, match="set it before Python starts"):
        processor.prepare_precision("bf16", "cpu")
    monkeypatch.setenv(LIMIT, "AVX2")
    processor.prepare_precision("bf16", "cpu")


@pytest.mark.parametrize(
    ("trial", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "killed by SIGILL"),
        ("raise SystemError('no such kernel')", "no such kernel"),
        ("print(2.5)", None),
    ],
)
@pytest.mark.usefixtures("fresh")
def test_the_trial_tells_how_it_ended(
    monkeypatch: pytest.MonkeyPatch, trial: str, said: str | None
) -> None:
    monkeypatch.setattr(processor, "_TRIAL", trial)
    found = low_precision()
    assert found.speed == (2.5 if said is None else None)
    assert said is None or said in str(found.death)


@pytest.mark.usefixtures("fresh")
def test_a_broken_cache_is_made_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "cache" / "processor.json"
    file.parent.mkdir()
    file.write_text('{"what": 1}', encoding="utf-8")
    monkeypatch.setattr(processor, "_TRIAL", "print(1.5)")
    assert low_precision() == LowPrecision(None, 1.5)
    assert "1.5" in file.read_text("utf-8") and "what" not in file.read_text("utf-8")


def test_fp32_and_other_devices_try_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "low_precision", lambda precision: pytest.fail("it was tried"))
    processor.prepare_precision("fp32", "cpu")
    processor.prepare_precision("bf16", "cuda:0")


def test_a_processor_that_cannot_is_no_matter_beside_an_accelerator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dead = LowPrecision(None, None, "was killed by SIGILL")
    monkeypatch.setattr(processor, "low_precision", lambda precision: dead)
    for precision in ("bf16", "fp16"):
        monkeypatch.setattr(processor, "_has_accelerator", lambda: False)
        for device in ("auto", "cpu"):
            with pytest.raises(ModelError, match=f"--precision {precision} cannot be used on this"):
                processor.prepare_precision(precision, device)
        monkeypatch.setattr(processor, "_has_accelerator", lambda: True)
        processor.prepare_precision(precision, "auto")
        with pytest.raises(ModelError, match="Use --precision fp32"):
            processor.prepare_precision(precision, "cpu")
