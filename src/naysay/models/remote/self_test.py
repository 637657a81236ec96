"""Whether a server's numbers can be right.

Some servers echo a prompt with zeros in place of log-probabilities, or with those of the token
before, and a likelihood that is summed from them looks like any other. So the log-probabilities of
a given text are compared with those of the same tokens when the server generated them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from naysay.models.remote.replies import NextToken, UnreadableReplyError

SAME = 0.05
"""Log-probabilities of the same token that differ by less are the same: servers compute in low
precision, and in batches that differ."""


class UnverifiedError(UnreadableReplyError):
    """A way of asking could not be checked by this text; another one may do."""


def check_next(first: Sequence[NextToken], again: Sequence[NextToken]) -> None:
    """Refuse next tokens that cannot be right: not the best ones, without spaces, or unsteady."""
    if not first or any(not token.top for token in first):
        raise UnreadableReplyError("the answer has no log-probabilities of alternatives")
    if all(token.logprob == 0 for token in first):
        raise UnreadableReplyError("all its log-probabilities are 0")
    begin = first[0]
    if len({score.logprob for score in begin.top}) == 1 < len(begin.top):
        raise UnreadableReplyError("all its alternatives are equally probable")
    if abs(begin.logprob - begin.top[0].logprob) > SAME:
        raise UnreadableReplyError("at temperature 0 it does not choose its best token")
    if [token.text for token in first[:1]] != [token.text for token in again[:1]] or not _agree(
        [score.logprob for score in begin.top[:3]], [s.logprob for s in again[0].top[:3]]
    ):
        raise UnreadableReplyError("the same question has different answers at temperature 0")


def check_spaces(tokens: Sequence[NextToken]) -> None:
    """Refuse tokens after a word that come without their leading spaces, as some servers do."""
    words = [score.text for token in tokens for score in token.top if score.text.strip().isalpha()]
    if words and not any(word.startswith(" ") for word in words):
        raise UnreadableReplyError(
            "its tokens come without the spaces before words, so that a word cannot be told from "
            "the rest of one"
        )


def _agree(one: Sequence[float], other: Sequence[float]) -> bool:
    return len(one) == len(other) and all(
        abs(a - b) < SAME for a, b in zip(one, other, strict=True)
    )


def _varies(logprobs: Sequence[float]) -> bool:
    """Whether neighbours differ so much that a shift by one token would be seen."""
    pairs = pairwise(logprobs)
    return sum(abs(one - other) > 4 * SAME for one, other in pairs) >= 2


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors; a zero vector has 0 with any."""
    norm = math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))
    return sum(a * b for a, b in zip(one, other, strict=True)) / norm if norm else 0.0


def check_given(found: Sequence[float | None], generated: Sequence[NextToken]) -> None:
    """Compare log-probabilities of a given text's tokens with those of its end as generated."""
    wanted = [token.logprob for token in generated]
    size = len(wanted)
    if any(logprob is None for logprob in found[-size:]):
        raise UnreadableReplyError("its log-probabilities of the prompt are missing")
    given = [0.0 if logprob is None else logprob for logprob in found]
    if _agree(given[-size:], wanted):
        if not _varies(wanted):
            raise UnverifiedError("its log-probabilities cannot be verified")
        return
    if all(logprob > -1e-6 for logprob in given[-size:]):
        raise UnreadableReplyError("its log-probabilities of the prompt are all zero")
    if _agree(given[-size - 1 : -1], wanted) or _agree(given[-size + 1 :], wanted[:-1]):
        raise UnreadableReplyError("its log-probabilities are shifted by one token")
    place = max(range(size), key=lambda k: abs(given[k - size] - wanted[k]))
    raise UnreadableReplyError(
        f"its log-probabilities are wrong: {given[place - size]:.2f} for "
        f"{generated[place].text!r}, which has {wanted[place]:.2f} as next token"
    )
