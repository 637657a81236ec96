"""What every command prints on a terminal of 80 columns, kept in `captures/`.

Nothing may be wider, and nothing cut. After a wanted change, write the files anew and read the
difference:

    NAYSAY_CAPTURES=write pytest tests/cli/test_captures.py
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import naysay as api
from conftest import Outcome
from naysay.cli import command_names
from naysay.core import console

HERE = Path(__file__).parent / "captures"
WIDTH = 80
MODELS, SUITES = ("known:blind", "known:random"), ("scnt", "gh22", "semantoneg", "lama")
"""Whose runs are in the folder before each command; both take no weights."""
SCENES = {
    "run": "run -m known:aware -t scnt,gh22,semantoneg,lama --limit 10 --runs new",
    "run-several": "run -m known:aware -m known:blind -t scnt --limit 10 --runs new",
    "run-full": "run -m known:random -t scnt --limit 10 --full --runs new",
    "run-scin": "run -m known:random -t scin --limit 10 --runs new",
    "run-likelihood": "run -m known:random -t scnt --limit 10 --readout likelihood --runs new",
    "run-chat": "run -m known:blind -t scnt_chat,lama_chat --limit 10 --runs new",
    "run-default": "run -t scnt --runs new",
    "ask": "ask 'Mary is a nurse who likes to run. She is happy to ___.' --negate",
    "build": "build semantoneg --pairs pairs.tsv -o groups.jsonl",
    "calibrate": "calibrate --rules-only --limit 10 --runs new -o calibration.html",
    "judge": "judge known:blind",
    "judge-full": "judge known:random --full",
    "show": "show known:blind -t scnt",
    "show-all": "show known:random",
    "show-gh22": "show known:random -t gh22",
    "show-lama": "show known:blind -t lama",
    "show-semantoneg": "show known:blind -t semantoneg",
    "show-triplet": "show --triplet Jessica,dancer,smoke -m known:aware -m known:blind",
    "compare": "compare known:random known:blind",
    "gate": "gate known:blind --baseline known:random",
    "missed": "missed known:blind known:random",
    "published": "published",
    "published-scnt": "published scnt",
    "published-gh22": "published gh22",
    "published-gh22-full": "published gh22 --full",
    "published-scin": "published scin",
    "published-lama": "published lama",
    "published-lama_misprimed": "published lama_misprimed",
    "published-semantoneg": "published semantoneg",
    "ls-suites": "ls suites",
    "ls-models": "ls models",
    "ls-languages": "ls languages",
    "ls-data": "ls data",
    "ls-runs": "ls runs",
    "data": "data ls",
    "data-check": "data check",
    "report": "report known:blind -o report.md",
    "help": "--help",
    **{f"help-{name.replace(' ', '-')}": f"{name} --help" for name in command_names()},
}
CUT = re.compile(r"[^\s,([“]…(?=\s|$)")
"""Letters before an ellipsis: what a terminal shows of a word that it cuts."""
CHANGING = {
    r"\b[0-9a-f]{16}\b": "0123456789abcdef",
    r"\b[0-9a-f]{8}\b": "01234567",
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\+00:00)?": "2026-01-01 00:00",
    r"\b[\d,.]+ s\b": "0.0 s",
    r"[\d,]+/s": "0/s",
}
"""What differs from run to run, and what stands for it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of runs that the commands find."""
    place = tmp_path_factory.mktemp("captures")
    (place / "pairs.tsv").write_text(
        "The whole street was not open at night.\tAt night the whole street was closed.\n"
        "They serve a good soup here.\tThe soup that they serve here is good.\n",
        encoding="utf-8",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NAYSAY_DATA", raising=False)
        patch.setenv("NAYSAY_CACHE", str(place / "cache"))
        for model in MODELS:
            api.evaluate(model, SUITES, limit=10, out=place / "runs")
    return place


@pytest.mark.parametrize("name", SCENES)
def test_a_command_prints_what_was_captured(
    name: str, folder: Path, naysay: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    for wait in ("_FIRST", "_PATIENCE", "_SILENCE"):  # a slow machine says no more than a fast one
        monkeypatch.setattr(console, wait, float("inf"))
    ended = naysay(*shlex.split(SCENES[name]))
    text = steady(f"$ naysay {SCENES[name]}\n{ended.out}{ended.err}")
    for line in ended.out.splitlines():
        assert line == line.rstrip(), f"ends in spaces: {line!r}"
    for line in text.splitlines():
        assert len(line) <= WIDTH or line.startswith("naysay: "), f"too wide: {line}"
        assert not CUT.search(line), f"cut: {line}"
    file = HERE / f"{name}.txt"
    if os.environ.get("NAYSAY_CAPTURES") == "write":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def steady(text: str) -> str:
    """The text without what differs from run to run, and without spaces at the ends of lines."""
    for pattern, constant in CHANGING.items():
        text = re.sub(pattern, constant, text)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_there_is_a_capture_of_every_command() -> None:
    shown = {scene.partition(" -")[0] for scene in SCENES.values()}
    assert all(any(f"{one} ".startswith(f"{name} ") for one in shown) for name in command_names())
    assert {file.stem for file in HERE.glob("*.txt")} == set(SCENES)
