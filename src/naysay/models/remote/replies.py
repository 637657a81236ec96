"""Reading log-probabilities from answers, in the forms that servers send them.

Servers send the next tokens either as parallel lists (the form of the completions API, which vLLM
and others use) or as a list of records (the form of the chat API, which llama.cpp uses for both).
What cannot be right is refused here, wherever it occurs: a missing value is not a probability of 1
or 0, and probabilities do not add up to more than 1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import ServerError
from naysay.core.probes import Response
from naysay.models.remote.client import Reply

_ROUNDING = 1e-3  # a log-probability may be this much above 0, by rounding
_MOST = 1.01  # what probabilities may add up to, by rounding
_SPACES = "▁Ġ"  # how vocabularies write a leading space


class UnreadableReplyError(ServerError):
    """An answer lacks what was asked for, or has numbers that cannot be right."""


@dataclass(frozen=True, slots=True)
class TokenScore:
    """A token and its log-probability."""

    text: str
    logprob: float
    id: int | None = None


@dataclass(frozen=True, slots=True)
class NextToken:
    """A generated token with its log-probability, and the likeliest tokens there, best first."""

    text: str
    logprob: float
    top: tuple[TokenScore, ...]
    id: int | None = None

    @property
    def floor(self) -> float:
        """No token outside the list is more probable than this."""
        listed = sum(math.exp(token.logprob) for token in self.top)
        rest = math.log(max(1.0 - listed, 0.0) + _ROUNDING)
        return min(self.top[-1].logprob, rest, 0.0) if self.top else 0.0


def next_tokens(reply: Reply) -> list[NextToken]:
    """Return the generated tokens of an answer; raise an error if it has no log-probabilities."""
    found = _logprobs(reply)
    content = found.get("content")
    if isinstance(content, Sequence) and not isinstance(content, str):
        return [_from_record(record) for record in content]
    texts, logprobs, tops = (
        found.get(name) for name in ("tokens", "token_logprobs", "top_logprobs")
    )
    if not isinstance(texts, list) or not isinstance(logprobs, list):
        raise UnreadableReplyError("the answer has no log-probabilities")
    tops = tops if isinstance(tops, list) else [None] * len(texts)
    if not len(texts) == len(logprobs) == len(tops):
        raise UnreadableReplyError("the answer has another number of log-probabilities than tokens")
    return [
        _checked(NextToken(plain_token(text), _number(logprob), _ranked(top or {})))
        for text, logprob, top in zip(texts, logprobs, tops, strict=True)
    ]


def ends(reply: Reply) -> bool:
    """Return whether the text ends here, and the server shows no token for that."""
    choice = _choice(reply)
    found = choice.get("logprobs")
    shown = isinstance(found, Mapping) and (found.get("content") or found.get("tokens"))
    text = choice.get("text") or (choice.get("message") or {}).get("content")
    return choice.get("finish_reason") == "stop" and not shown and not text


def said(reply: Reply) -> Response:
    """Return what a chat answers in words; a message may have no content, as where it was filtered.

    What a model thinks before it answers comes in other fields, and is not part of the answer.
    """
    choice = _choice(reply)
    message = choice.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(message, Mapping) or not isinstance(content, str | None):
        raise UnreadableReplyError("the answer has no message")
    return Response((content or "").strip(), choice.get("finish_reason") == "stop")


def echoed(reply: Reply, text: str) -> list[tuple[str, float | None]]:
    """Return the tokens of a prompt that was echoed; the first one has no log-probability.

    One more was generated, unless that is the end of the text, which some servers do not show.
    """
    tokens = _echoed(reply)
    for size in (len(tokens) - 1, len(tokens)):
        if "".join(token for token, _ in tokens[:size]).endswith(text):
            return tokens[:size]
    # Letters that are split into bytes cannot be compared.
    return tokens[: prompt_length(reply) or len(tokens) - 1]


def _echoed(reply: Reply) -> list[tuple[str, float | None]]:
    found = _logprobs(reply)
    content = found.get("content")
    if isinstance(content, list):
        texts: Any = [record.get("token") for record in content if isinstance(record, Mapping)]
        logprobs: Any = [record.get("logprob") for record in content if isinstance(record, Mapping)]
    else:
        texts, logprobs = found.get("tokens"), found.get("token_logprobs")
    if not isinstance(texts, list) or not isinstance(logprobs, list) or len(texts) != len(logprobs):
        raise UnreadableReplyError("the answer has no log-probabilities of the prompt")
    return [
        (plain_token(text), None if logprob is None else _number(logprob))
        for text, logprob in zip(texts, logprobs, strict=True)
    ]


def prompt_tokens(reply: Reply) -> list[tuple[int, float | None]]:
    """Return the tokens of the prompt with their log-probabilities, as vLLM's `prompt_logprobs`.

    Each position lists the token of the prompt first; the first position has None.
    """
    listed = _choice(reply).get("prompt_logprobs", reply.get("prompt_logprobs"))
    if not isinstance(listed, list) or not listed:
        raise UnreadableReplyError("the answer has no log-probabilities of the prompt")
    found: list[tuple[int, float | None]] = []
    for position in listed:
        if position is None:
            found.append((-1, None))
            continue
        try:
            name, entry = next(iter(position.items()))
            found.append((int(name), _number(entry["logprob"])))
        except (AttributeError, StopIteration, KeyError, TypeError, ValueError):
            raise UnreadableReplyError("its prompt_logprobs cannot be read") from None
    return found


def prompt_length(reply: Reply) -> int | None:
    """Return how many tokens the server counted in the prompt, None if it does not say."""
    usage = reply.get("usage")
    count = usage.get("prompt_tokens") if isinstance(usage, Mapping) else None
    return count if isinstance(count, int) and count > 0 else None


def vectors(reply: Reply, count: int) -> list[list[float]]:
    """Return the embeddings in the order of the texts."""
    data = reply.get("data")
    if not isinstance(data, list) or len(data) != count:
        have = len(data) if isinstance(data, list) else 0
        raise UnreadableReplyError(f"expected {count} embeddings, found {have}")
    found: dict[int, list[float]] = {}
    for place, record in enumerate(data):
        vector = record.get("embedding") if isinstance(record, Mapping) else None
        if not isinstance(vector, list) or not vector:
            raise UnreadableReplyError("the answer has no embedding")
        if isinstance(vector[0], list):
            raise UnreadableReplyError(
                "it returns a vector for each token instead of one for the text: start it with a "
                "pooling, such as --pooling mean"
            )
        found[int(record.get("index", place))] = [_finite(value) for value in vector]
    if set(found) != set(range(count)):
        raise UnreadableReplyError("the embeddings' numbers are not those of the texts")
    return [found[place] for place in range(count)]


def plain_token(text: Any) -> str:
    """Return a token as it stands in a text; vocabularies write a leading space in other ways.

    >>> plain_token("Ġrun"), plain_token("▁run"), plain_token(" run")
    (' run', ' run', ' run')
    """
    if not isinstance(text, str):
        raise UnreadableReplyError("the answer has a token that is no text")
    return f" {text[1:]}" if text[:1] and text[0] in _SPACES else text


def read_back(token: str) -> str:
    """Return the word of a token after another word; `##` marks a continuation, as elsewhere.

    >>> read_back(" run"), read_back("ning"), read_back(".")
    ('run', '##ning', '.')
    """
    if token.startswith((" ", "\u00a0")) or not re.search(r"\w", token):
        return token.strip() or repr(token)
    return f"##{token}"


def _choice(reply: Reply) -> Mapping[str, Any]:
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise UnreadableReplyError("the answer has no choices")
    return choices[0]


def _logprobs(reply: Reply) -> Mapping[str, Any]:
    found = _choice(reply).get("logprobs")
    if not isinstance(found, Mapping):
        raise UnreadableReplyError("the answer has no log-probabilities")
    return found


def _from_record(record: Any) -> NextToken:
    if not isinstance(record, Mapping):
        raise UnreadableReplyError("the answer has no log-probabilities")
    top = record.get("top_logprobs") or []
    scores = [
        TokenScore(plain_token(each.get("token")), _number(each.get("logprob")), each.get("id"))
        for each in top
    ]
    return _checked(
        NextToken(
            plain_token(record.get("token")),
            _number(record.get("logprob")),
            tuple(sorted(scores, key=lambda score: -score.logprob)),
            record.get("id"),
        )
    )


def _ranked(top: Any) -> tuple[TokenScore, ...]:
    if not isinstance(top, Mapping):
        raise UnreadableReplyError("its top_logprobs cannot be read")
    scores = [TokenScore(plain_token(text), _number(value)) for text, value in top.items()]
    return tuple(sorted(scores, key=lambda score: -score.logprob))


def _checked(token: NextToken) -> NextToken:
    total = sum(math.exp(score.logprob) for score in token.top)
    if total > _MOST:
        raise UnreadableReplyError(
            f"its probabilities add up to {total:.2f}, which is more than 1: they are not "
            "log-probabilities over the vocabulary"
        )
    return token


def _number(value: Any) -> float:
    number = _finite(value)
    if number > _ROUNDING:
        raise UnreadableReplyError(f"a log-probability of {number:g} is above 0")
    return min(number, 0.0)


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UnreadableReplyError(f"expected a number, found {value!r}")
    return float(value)
