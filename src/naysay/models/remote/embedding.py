"""Embeddings of sentences: many in one request, each kept on its own."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.models.remote.client import Reply
from naysay.models.remote.replies import vectors
from naysay.models.remote.session import Query, Session

TEXTS_AT_ONCE = 32
"""Sentences that are sent together."""


def embeddings(session: Session, model: str, texts: Sequence[str]) -> list[list[float]]:
    """Return the vector of each text; one that was asked for before is not asked for again.

    Requests depend on what is still missing, so each vector is kept under the name of its own text.
    """
    names = {text: Query("embeddings", {"model": model, "input": [text]}).key for text in texts}
    known = session.known(list(names.values()))
    missing = [text for text in names if names[text] not in known]
    parts = [missing[k : k + TEXTS_AT_ONCE] for k in range(0, len(missing), TEXTS_AT_ONCE)]

    def keep(number: int, reply: Reply) -> None:
        part = parts[number]
        for text, vector in zip(part, vectors(reply, len(part)), strict=True):
            known[names[text]] = {"data": [{"index": 0, "embedding": vector}]}
            session.keep(names[text], known[names[text]])

    session.send([Query("embeddings", {"model": model, "input": part}) for part in parts], keep)
    return [vectors(known[names[text]], 1)[0] for text in texts]
