"""Why a pair gives no group; each reason belongs to the step at which a pair ends."""

from __future__ import annotations

STEPS = {
    "with a negation on one side": (
        "no negation",
        "negation on both sides",
    ),
    "with a negator and a word of the class": (
        "two negations",
        "negator not asked for",
        "no word of the class after the negator",
        "comparative or superlative",
        "degree word",
        "adverb before the word",
        "several words joined",
        "ordinal or the same",
        "verb with a particle",
    ),
    "with an antonym": (
        "no antonym",
        "no antonym in the first sense",
        "several opposites",
        "antonym in the sentence already",
    ),
    "whose negation can be taken out": (
        "needs the negation",
        "cannot be taken out",
        "cannot be negated",
        "cannot be inflected",
        "question tag",
    ),
}
"""What is known of the pairs that pass a step, and why the others do not pass it."""
_ALL = {reason for reasons in STEPS.values() for reason in reasons}


class LeftOut(Exception):  # noqa: N818, it is no error but an answer
    """This pair gives no group, for one of the reasons above."""

    def __init__(self, reason: str) -> None:
        assert reason in _ALL, reason
        super().__init__(reason)
        self.reason = reason
