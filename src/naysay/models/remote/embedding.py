"""Embeddings of sentences: many in one request if that changes nothing, each kept on its own."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.core.errors import ServerRefusalError
from naysay.models.remote.client import Reply
from naysay.models.remote.replies import UnreadableReplyError, vectors
from naysay.models.remote.self_test import cosine
from naysay.models.remote.session import Query, Session

TEXTS_AT_ONCE = 32
"""Sentences that are sent together."""
TRIALS = (
    "It is so.",
    "The tree is green.",
    "She isn't happy about the soup, which was cold when it came.",
    "No.",
)
"""Sentences by which a server is tried, of several lengths."""
_STEADY = 1 - 1e-3  # the cosine of two vectors of the same text
_APART = 1 - 1e-6  # of two texts, at most


def batch_fault(session: Session, model: str) -> str | None:
    """Return why texts cannot be sent together, None if they can.

    In a batch llama.cpp sums in another order, and where activations are rounded to 8 bits, that
    turns a vector by several degrees. Then a text's vector would depend on its neighbours, but one
    that is asked for by itself is always the same. A server with which it is not is refused.
    """

    def embedded(texts: Sequence[str]) -> list[list[float]]:
        body = {"model": model, "input": list(texts)}
        return vectors(session.try_out("embeddings", body), len(texts))

    def alone() -> list[list[float]]:
        return [embedded([text])[0] for text in TRIALS]

    first = alone()
    if not all(map(any, first)) or len(set(map(len, first))) > 1:
        raise UnreadableReplyError("its embeddings are empty or of different lengths")
    if any(cosine(first[0], other) > _APART for other in first[1:]):
        raise UnreadableReplyError("its embeddings do not depend on the text")
    try:
        if _agree(first, embedded(TRIALS)):
            return None
        fault = "in a batch they differ"
    except (ServerRefusalError, UnreadableReplyError):
        fault = "it takes no batches"
    if not _agree(first, alone()):
        raise UnreadableReplyError("its embeddings of the same text differ from time to time")
    return fault


def _agree(one: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> bool:
    return all(
        len(a) == len(b) and cosine(a, b) >= _STEADY for a, b in zip(one, other, strict=True)
    )


def embeddings(
    session: Session, model: str, texts: Sequence[str], *, together: bool
) -> list[list[float]]:
    """Return the vector of each text; one that was asked for before is not asked for again.

    Requests depend on what is still missing, so each vector is kept under the name of its own text.
    Unless texts may be sent together, there is one in a request, and one request at a time: servers
    put requests that they have at the same time into one batch.
    """
    names = {text: Query("embeddings", {"model": model, "input": [text]}).key for text in texts}
    known = session.known(list(names.values()))
    missing = [text for text in names if names[text] not in known]
    size = TEXTS_AT_ONCE if together else 1
    parts = [missing[k : k + size] for k in range(0, len(missing), size)]

    def keep(number: int, reply: Reply) -> None:
        part = parts[number]
        for text, vector in zip(part, vectors(reply, len(part)), strict=True):
            known[names[text]] = {"data": [{"index": 0, "embedding": vector}]}
            session.keep(names[text], known[names[text]])

    queries = [Query("embeddings", {"model": model, "input": part}) for part in parts]
    session.send(queries, keep, in_turn=not together)
    return [vectors(known[names[text]], 1)[0] for text in texts]
