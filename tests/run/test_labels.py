"""Labels of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from naysay.run.manifest import Manifest
from naysay.run.options import spec_of
from naysay.run.store import run_labels


def labels(*runs: tuple[str, str, dict[str, Any]]) -> list[str]:
    specs = [
        spec_of(
            model,
            options.get("suites", ("scnt", "gh22")),
            {k: v for k, v in options.items() if k != "suites"},
        )
        for model, _, options in runs
    ]
    manifests = [
        Manifest(folder=Path(), key=key, spec={}, model={"name": model}, shard_size=1)
        for model, key, _ in runs
    ]
    return run_labels(manifests, specs)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([("a/bert", "k", {}), ("b/gpt", "l", {})], ["bert", "gpt"]),
        ([("a/bert", "k", {}), ("b/bert", "l", {})], ["a/bert", "b/bert"]),
        ([("m", "k", {}), ("m", "k", {})], ["m (1)", "m (2)"]),
        ([("m", "k", {}), ("m", "l", {})], ["m (run k)", "m (run l)"]),
        ([("m", "k", {"seed": 1}), ("m", "l", {})], ["m (seed 1)", "m (seed 0)"]),
        # What no suite of a run reads distinguishes it from no other.
        (
            [
                ("m", "k", {"suites": ("scnt", "lama"), "items": "facts", "limit": 10}),
                ("m", "l", {"suites": ("scnt",), "limit": 7}),
            ],
            ["m (limit 10)", "m (limit 7)"],
        ),
        # Where and how a run was made changes no row, so it distinguishes nothing.
        ([("m", "k", {"device": "cpu"}), ("m", "l", {})], ["m (run k)", "m (run l)"]),
        (
            [("m", "k", {"style": ("released",)}), ("m", "l", {"style": ("paper",)})],
            ["m (style released)", "m (style paper)"],
        ),
        (
            [("m", "k", {"seed": 1}), ("m", "l", {}), ("m", "n", {"suites": ("gh22",)})],
            ["m (seed 1)", "m (seed 0, suites scnt, gh22)", "m (seed 0, suites gh22)"],
        ),
    ],
)
def test_labels_are_short_and_distinct(
    runs: list[tuple[str, str, dict[str, Any]]], expected: list[str]
) -> None:
    assert labels(*runs) == expected
