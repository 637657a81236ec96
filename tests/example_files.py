"""What tests of examples share: the files that runs write, and a short list of verbs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import COMMON_VERBS
from naysay.run.evaluation import Evaluation

CHANCE = "known:random:0.6"


def file_of(run: Evaluation, suite: str) -> Path:
    return run.folder / f"{suite}-examples.json"


def examples_of(run: Evaluation, suite: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file_of(run, suite).read_text(encoding="utf-8"))
    return found


def sides_of(run: Evaluation, suite: str) -> list[dict[str, Any]]:
    return [side for one in examples_of(run, suite)["examples"] for side in one["sides"]]


def few_verbs(folder: Path) -> str:
    """A list of a few verbs, so that no walk is long."""
    listed = ", ".join(f'"{verb}"' for verb in COMMON_VERBS)
    (folder / "few.toml").write_text(f"[verbs]\nwords = [{listed}]", encoding="utf-8")
    return str(folder / "few.toml")
