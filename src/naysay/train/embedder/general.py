"""General sentences: what they mean to the model must not change in training.

By default they are WordNet's examples and definitions. Those with a negation are left out, since
their meaning is to change, and so are those with an opposed word of a test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from naysay.core.errors import DatasetError
from naysay.core.files import read_text
from naysay.core.keys import content_key, seeded_order
from naysay.train.embedder.guard import TestContent

_OWN = Path(__file__).parent / "general.txt"
_NEGATED = re.compile(
    r"\b(?:not|no|never|without|nor|neither|none|nobody|nothing|nowhere|hardly|barely|scarcely|"
    r"seldom|rarely|cannot)\b|n['’]t\b",
    re.IGNORECASE,
)
_LONGEST = 40  # words; what is longer is cut, since training takes the time of its longest text
_APART = 1000  # sentences of either of the two parts that are not trained on
_FEWEST = 60


@dataclass(frozen=True)
class GeneralSentences:
    """Sentences to train with, to choose the step by, and to measure what changed."""

    training: list[str]
    development: list[str]
    test: list[str]
    negated: int
    """How many were left out for their negation."""
    leaks: int
    """How many were left out for an opposed word of a test."""

    @property
    def digest(self) -> str:
        """A hash of all sentences and their parts."""
        return content_key([self.training, self.development, self.test])


def general_sentences(path: Path | None, content: TestContent, seed: int) -> GeneralSentences:
    """Read and divide the sentences of a file, one per line; those that come with naysay if None.

    The sentences to measure with may have a test's words, since no training sees them.
    """
    try:
        lines = read_text(path or _OWN, "utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"general sentences in {path} cannot be read: {error}") from error
    found = dict.fromkeys(
        " ".join(line.split()[:_LONGEST]) for line in lines if line.strip() and line[0] != "#"
    )
    plain = [text for text in found if not _NEGATED.search(text)]
    ordered = seeded_order(plain, seed, "general")
    apart = min(_APART, len(ordered) // 4)
    test, rest = ordered[:apart], ordered[apart:]
    clean = [text for text in rest if not content.has_word_of(text)]
    development, training = clean[:apart], clean[apart:]
    if len(training) < _FEWEST:
        raise DatasetError(
            f"{path or _OWN} has {len(training):,} general sentences to train with, without those "
            f"with a negation or a test's words and those kept apart; {_FEWEST} or more are needed"
        )
    return GeneralSentences(
        training, development, test, len(found) - len(plain), len(rest) - len(clean)
    )
