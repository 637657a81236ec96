"""Which output of a classifier says that two sentences mean the same."""

from __future__ import annotations

import re
from collections.abc import Mapping

from naysay.errors import ModelError

# Of the models on the hub, in any case and with any signs between words.
_SAME = ("entailment", "entail", "entails", "paraphrase", "equivalent", "duplicate", "same")


def same_label(name: str, labels: Mapping[int, str], wanted: str | None) -> int:
    """The number of the label that means "the same"; refuses to guess.

    `wanted` is what the user said, a label or its number.

    >>> same_label("m", {0: "contradiction", 1: "entailment", 2: "neutral"}, None)
    1
    """
    listed = ", ".join(f"{number} = {label}" for number, label in sorted(labels.items()))
    if wanted is not None:
        found = [n for n, label in labels.items() if wanted in (str(n), label)]
        if len(found) != 1:
            raise ModelError(f"{name} has no label {wanted!r}; its labels are {listed}")
        return found[0]
    if len(labels) == 1:
        return next(iter(labels))
    found = [number for number, label in labels.items() if _plain(label) in _SAME]
    if len(found) != 1:
        raise ModelError(
            f"{name}: which of its labels says that two sentences mean the same? Its config.json "
            f"has {listed}. Say it with --label."
        )
    return found[0]


def _plain(label: str) -> str:
    return re.sub(r"[^a-z]", "", label.lower().removeprefix("is_"))
