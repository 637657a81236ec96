"""How the server's tokenizer splits a text, found out over HTTP.

llama.cpp and vLLM have an endpoint for it. A server that echoes the prompt shows its tokens. Any
other still counts them: a word is one token if the text has one token more with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from naysay.core.errors import NotAskableError, ServerError
from naysay.core.probes import BLANK, Pieces
from naysay.models.remote.replies import echoed, plain_token, prompt_length
from naysay.models.remote.session import Query, Session

SplitToken = tuple[str, int | None]
"""A token's text, and its number if the server tells it."""
_LETTER = "a"
"""A text of one token, apart from those that the server adds."""
_MOST_COUNTED = 2_000
"""How many words are counted one by one; each costs a question."""


class Splitter(Protocol):
    """Splits texts into the server's tokens."""

    how: str
    """In words, for the manifest."""
    ids: bool
    """Whether tokens have numbers."""

    def split(self, texts: Sequence[str], *, special: bool = True) -> list[list[SplitToken]]:
        """Return the tokens of each text; `special` adds those at the beginning of a text."""


class LlamaSplitter:
    """llama.cpp's `/tokenize`."""

    how, ids = "llama.cpp's /tokenize", True

    def __init__(self, session: Session) -> None:
        self._session = session

    def split(self, texts: Sequence[str], *, special: bool = True) -> list[list[SplitToken]]:
        """Return the tokens with their texts and numbers."""
        queries = [
            Query("/tokenize", {"content": text, "add_special": special, "with_pieces": True})
            for text in texts
        ]
        return [
            [(_piece(token["piece"]), int(token["id"])) for token in reply["tokens"]]
            for reply in self._session.ask(queries)
        ]


class VllmSplitter:
    """vLLM's `/tokenize`."""

    how, ids = "vLLM's /tokenize", True

    def __init__(self, session: Session, model: str) -> None:
        self._session, self._model = session, model

    def split(self, texts: Sequence[str], *, special: bool = True) -> list[list[SplitToken]]:
        """Return the tokens with their numbers, and their texts where the server gives them."""
        queries = [
            Query(
                "/tokenize",
                {
                    "model": self._model, "prompt": text, "add_special_tokens": special,
                    "return_token_strs": True,
                },
            )
            for text in texts
        ]  # fmt: skip
        found = []
        for reply in self._session.ask(queries):
            ids: list[int | None] = [int(token) for token in reply["tokens"]]
            named = reply.get("token_strs") or [""] * len(ids)
            found.append([(plain_token(text), k) for text, k in zip(named, ids, strict=True)])
        return found


class EchoSplitter:
    """The tokens that a server echoes."""

    how, ids = "echo", False

    def __init__(self, session: Session, model: str) -> None:
        self._session, self._model = session, model

    def split(self, texts: Sequence[str], *, special: bool = True) -> list[list[SplitToken]]:
        """Return the tokens of the prompt."""
        shown = list(texts) if special else [_LETTER, *texts]
        replies = self._session.ask([echo_query(self._model, text) for text in shown])
        found: list[list[SplitToken]] = [
            [(token, None) for token, _ in echoed(reply, text)]
            for text, reply in zip(shown, replies, strict=True)
        ]
        if special:
            return found
        letter, *others = found
        return [tokens[len(letter) - 1 :] for tokens in others]


def echo_query(model: str, text: str) -> Query:
    """Ask for the log-probabilities of a text's own tokens, and one token more."""
    body = {
        "model": model, "prompt": text, "max_tokens": 1, "temperature": 0, "logprobs": 1,
        "echo": True,
    }  # fmt: skip
    return Query("completions", body)


def find_splitter(session: Session, model: str) -> LlamaSplitter | VllmSplitter | None:
    """Return the server's own tokenizer, None if it has no endpoint for it."""
    text = "It is so."
    bodies: dict[str, dict[str, Any]] = {
        "llama": {"content": text, "add_special": True, "with_pieces": True},
        "vllm": {"model": model, "prompt": text},
    }
    for kind, body in bodies.items():
        try:
            tokens = session.try_out("/tokenize", body).get("tokens")
        except ServerError:
            continue
        if not isinstance(tokens, list) or not tokens:
            continue
        if kind == "llama" and isinstance(tokens[0], dict) and {"id", "piece"} <= set(tokens[0]):
            return LlamaSplitter(session)
        if kind == "vllm" and all(isinstance(token, int) for token in tokens):
            return VllmSplitter(session, model)
    return None


def word_pieces(splitter: Splitter, words: Sequence[str], before: str) -> dict[str, Pieces]:
    """Return the tokens of each word after the text `before`, or on its own if that is empty."""
    shown = before.rstrip()
    texts = [f"{before}{word}" for word in words]
    if shown:
        start, *found = splitter.split([shown, *texts])
    else:
        start, found = [], splitter.split(texts, special=False)
    return {word: _judged(word, start, all_) for word, all_ in zip(words, found, strict=True)}


def _judged(word: str, start: list[SplitToken], tokens: list[SplitToken]) -> Pieces:
    if tokens[: len(start)] != start:
        return Pieces((), "merges with the text before it", spelled=False)
    own = [text for text, _ in tokens[len(start) :]]
    if len(own) == 1:
        # Vocabularies write other letters than ASCII in bytes, so only plain words are compared.
        wrong = own[0].strip() not in ("", word) and word.isascii()
        return Pieces(tuple(own), f"reads back as {own[0]!r}" if wrong else None)
    return Pieces(tuple(own), f"{len(own)} pieces: {' '.join(own)}")


def counted_pieces(
    session: Session, queries: Sequence[Query], words: Sequence[str], *, less: int = 0
) -> dict[str, Pieces]:
    """Return which words are one token: the first query is without a word, then one for each.

    `less` says how many tokens of the first one are not part of the others.
    """
    if len(words) > _MOST_COUNTED:
        raise NotAskableError(
            f"the server has no endpoint that splits texts into tokens, and {len(words):,} words "
            "would have to be counted one by one"
        )
    start, *lengths = [prompt_length(reply) for reply in session.ask(queries)]
    found = {}
    for word, length in zip(words, lengths, strict=True):
        if start is None or length is None:
            raise NotAskableError(
                "the server neither splits texts into tokens nor counts them (usage.prompt_tokens)"
            )
        own = length - start + less
        problem = None if own == 1 else f"{own} pieces"
        found[word] = Pieces((word,) * max(own, 0), problem, spelled=own > 0)
    return found


def before_blank(text: str) -> str:
    """Return the text before the blank, with the space that ends it."""
    return text.partition(BLANK)[0]


def _piece(piece: object) -> str:
    """The text of a llama.cpp token; bytes that are no text are sent as numbers."""
    if isinstance(piece, list):
        return bytes(piece).decode("utf-8", "replace")
    return plain_token(piece)
