"""Short names for several runs, no two the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from naysay.core.options import declarations
from naysay.core.spec import RunSpec
from naysay.run.manifest import Manifest

_OPTIONS = ("language", "readout", "items", "lexicon", "precision", "seed", "limit")
"""The options that distinguish runs of one model best; the others come after these."""
_NO_DIFFERENCE = (
    "model", "out", "data_dir", "device", "token_budget", "shard_size", "allow_pickle",
    "trust_remote_code",
)  # fmt: skip
"""Options that do not change what is asked."""


def run_labels(manifests: Sequence[Manifest], specs: Sequence[RunSpec]) -> list[str]:
    """A label for each run.

    It is the model's name, without folders where that is enough. Runs of one model also get the
    options in which they differ, or the run's key. A run that is given twice gets a number.
    """
    names = [str(manifest.model["name"]) for manifest in manifests]
    short = [_last_part(name) for name in names]
    if len(set(short)) < len(set(names)):
        short = names
    facts = [_facts(*run) for run in zip(manifests, specs, strict=True)]
    labels = [
        f"{name} ({', '.join(parts)})" if (parts := _differing(k, names, facts)) else name
        for k, name in enumerate(short)
    ]
    counts = Counter(labels)
    return [
        f"{label} ({number})" if counts[label] > 1 else label
        for number, label in enumerate(labels, 1)
    ]


def _last_part(name: str) -> str:
    """A model's name without folders, if it is made of folders.

    >>> _last_part("google-bert/bert-base-cased"), _last_part("</i> a model")
    ('bert-base-cased', '</i> a model')
    """
    last = name.rstrip("/").rpartition("/")[2]
    return last if re.fullmatch(r"[\w.:-]+", last) else name


def _facts(manifest: Manifest, spec: RunSpec) -> list[str]:
    """What can distinguish a run, in the same order for all runs."""
    own = [name for options in spec.options.values() for name in options.as_dict()]
    named = dict.fromkeys((*_OPTIONS, *declarations(RunSpec), *own))
    facts = [f"{n} {_shown(spec.value(n))}" for n in named if n not in _NO_DIFFERENCE]
    return [*facts, f"run {manifest.key[:8]}"]


def _shown(value: Any) -> str:
    if value is None:
        return "default"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _differing(run: int, names: Sequence[str], facts: Sequence[Sequence[str]]) -> list[str]:
    """The facts that distinguish a run from the others of its model, no more than are needed."""
    alike = [k for k, name in enumerate(names) if name == names[run]]
    parts = []
    for place, fact in enumerate(facts[run]):
        same = [k for k in alike if facts[k][place] == fact]
        if len(same) < len(alike):
            parts.append(fact)
            alike = same
    return parts
