"""The notice about test sentences in the corpus, which comes before any training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def leak_notice(found: Mapping[str, Any]) -> str:
    """What of the tests stands in the corpus, in one sentence.

    >>> leak_notice({"leaks": []})
    'No leakage: no sentence of the corpus is like one of the tests.'
    """
    leaks = found["leaks"]
    if not leaks:
        return "No leakage: no sentence of the corpus is like one of the tests."
    exact, other = (sum(int(leak[kind]) for leak in leaks) for kind in ("exact", "other"))
    suites = sorted({suite.strip() for leak in leaks for suite in str(leak["suite"]).split(",")})
    return (
        f"LEAKAGE: of the sentences in the corpus {exact:,} are of the tests themselves, and "
        f"{other:,} have a test's pattern with other words ({', '.join(suites)}). "
        "None of them is trained on."
    )


def leak_lines(found: Mapping[str, Any]) -> list[str]:
    """Each pattern that was found, with its counts and examples."""
    return [
        f"{leak['pattern']} ({leak['suite']}): {leak['exact']:,} exact, {leak['other']:,} like it; "
        f"such as: {' / '.join(leak['examples'])}"
        for leak in found["leaks"]
    ]
