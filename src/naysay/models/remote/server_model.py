"""A model behind an address: what it answers, what it refuses and why, and what it costs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

from naysay.core.console import notify
from naysay.core.errors import NotAskableError, ServerError, SpecError
from naysay.core.keys import content_key
from naysay.core.probes import (
    BLANK,
    Answer,
    AnswerQuestion,
    ChooseClosest,
    ChooseWord,
    Complete,
    FillBlank,
    Pieces,
    Probe,
    RankWords,
)
from naysay.core.protocols import ModelRequest
from naysay.models.embedder import Vectors
from naysay.models.remote.answers import (
    answer_in_chat,
    answer_in_words,
    choose_words,
    complete,
    fill_blanks,
    next_query,
    text_before,
)
from naysay.models.remote.cache import AnswerCache
from naysay.models.remote.capabilities import FORCED, LISTED, Capabilities, abilities
from naysay.models.remote.embedding import TEXTS_AT_ONCE, embeddings
from naysay.models.remote.identity import ServerIdentity
from naysay.models.remote.ranks import RankReader
from naysay.models.remote.session import Session
from naysay.models.remote.tokens import before_blank, counted_pieces, word_pieces

_VERSION = 1  # raise when the way of asking the same server changes
_WITNESS = "witness"
_DRIFT = 0.3  # log-probabilities change less with batches and kernels, and more with weights
_MANY = 2**20  # texts per call
_LETTERS = 4  # per token, about
_FREE = 1_000  # questions that are asked without asking the user first


class ServerModel:
    """Answers probes by asking a server, in the best way that was found to be right."""

    kind = "server"

    def __init__(
        self,
        session: Session,
        identity: ServerIdentity,
        found: Capabilities,
        request: ModelRequest,
        *,
        yes: bool,
    ) -> None:
        self.name = identity.name
        self._session, self._identity, self._found = session, identity, found
        self._request, self._yes = request, yes
        embeds = found.embeds if found.embeds_together else "alone"
        ways = [found.depth, found.deep, found.likelihood, found.chat_depth, embeds]
        self.digest = content_key([self.kind, _VERSION, identity.content(session.marks), ways])
        self.answers, self.lacks = abilities(found)
        cache = AnswerCache(self.digest)
        self._check_witness(cache)
        session.use(cache)

    def _check_witness(self, cache: AnswerCache) -> None:
        """Refuse other weights under the same name: they continue a known text differently."""
        now = [list(step) for step in self._found.witness]
        if not now:
            return
        before = cache.find([_WITNESS]).get(_WITNESS)
        if before is None:
            cache.keep(_WITNESS, {"continuation": now})
            return
        (text, logprob), (other, was) = now[0], before["continuation"][0]
        if abs(logprob - was) > _DRIFT:
            cache.close()
            raise ServerError(
                f"{self.name} continues a known text unlike before ({other!r} with {was:.2f}, now "
                f"{text!r} with {logprob:.2f}): it has other weights under the same name. Serve "
                f"them under another name, or delete {cache.path} and the runs made with it"
            )

    def prepare(self) -> None:
        """Do nothing; the server has its model loaded."""

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Answer probes of one kind."""
        if not probes:
            return []
        kind = type(probes[0])
        if kind not in self.answers:
            raise NotAskableError(f"{self.name}: {self.lacks.get(kind, 'cannot answer this')}")
        return self._answered(probes)

    def _answered(self, probes: Sequence[Any]) -> list[Any]:
        session, found = self._session, self._found
        match probes[0]:
            case FillBlank():
                return fill_blanks(session, found, probes)
            case ChooseWord():
                return choose_words(session, found, probes)
            case ChooseClosest():
                return self._vectors.choose(probes, self._request.precision)
            case Complete(cue=cue) if found.chat_depth and (
                cue is not None or not found.likelihood
            ):
                return answer_in_chat(session, found, probes)
            case Complete():
                return complete(session, found, probes)
            case RankWords():
                return self._ranks.rank(probes)
            case AnswerQuestion():
                return answer_in_words(session, found, probes)
        raise TypeError(f"a server cannot be asked {type(probes[0]).__name__}")

    @cached_property
    def _ranks(self) -> RankReader:
        return RankReader(self._session, self._found)

    @cached_property
    def _vectors(self) -> Vectors:
        found = self._found
        embed = partial(embeddings, self._session, found.model, together=found.embeds_together)
        # The texts of a call are divided there, so that several requests go out at a time.
        return Vectors(
            embed,
            lambda texts: [1] * len(texts),
            longest=None,
            token_budget=_MANY,
            refused=lambda text: ServerError(f"{self.name} has no finite vector for {text!r}"),
        )

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Return the tokens of each word at the blank, as the server splits or counts them."""
        if not self._found.depth:
            return {word: Pieces((), "no blank is filled", spelled=False) for word in words}
        listed = list(dict.fromkeys(words))
        if self._found.splitter is not None:
            return word_pieces(self._found.splitter, listed, "" if bare else before_blank(text))
        # A letter is one token, so a word on its own has as many more as the count exceeds its.
        start, lead = ("a", "") if bare else (text_before(text), before_blank(text))
        texts = [start, *(f"{lead}{word}" for word in listed)]
        queries = [next_query(self._found.model, each, self._found.depth) for each in texts]
        return counted_pieces(self._session, queries, listed, less=int(bare))

    def price(self, probe: Probe[Any]) -> tuple[float, float]:
        """Return about how many requests and tokens a probe costs."""
        match probe:
            case FillBlank(text=text) | RankWords(text=text):
                return 1, _size(text) + 1
            case ChooseWord(text=text):
                return 3, 3 * _size(text)
            case ChooseClosest():
                texts = (probe.text, *probe.options)
                size = TEXTS_AT_ONCE if self._found.embeds_together else 1
                return len(texts) / size, sum(map(_size, texts))
            case Complete(prompt=prompt, options=options):
                if self._found.chat_depth and probe.cue is not None:
                    return 1, _size(prompt) + 1
                sizes = [_size(option) for option in options]
                if self._found.likelihood in (FORCED, LISTED):
                    return sum(sizes), sum(size * (_size(prompt) + size / 2) for size in sizes)
                return len(options), sum(_size(prompt) + size for size in sizes)
            case AnswerQuestion(prompt=prompt, limit=limit):
                return 1, _size(prompt) + limit
        return 0, 0

    def confirm(self, requests: float, tokens: float) -> None:
        """Say what is about to be asked; beyond this machine, ask before asking much."""
        address = self._session.client.address
        about = f"about {requests:,.0f} questions ({tokens:,.0f} tokens) to {address.url}"
        notify(f"{about}, less what was asked before")
        if address.is_loopback or self._yes or requests <= _FREE:
            return
        if sys.stdin.isatty() and sys.stderr.isatty():
            print("Ask them? [y/N] ", end="", file=sys.stderr, flush=True)
            if sys.stdin.readline().strip().lower() in ("y", "yes"):
                return
            raise SpecError("nothing was asked; --limit draws fewer units")
        raise SpecError(f"{about} may cost money: allow it with --yes, or ask less with --limit")

    def facts(self) -> dict[str, Any]:
        """Return what the server says of itself, marked as such, and how it is asked."""
        found = self._found
        split = "counts of tokens" if found.splitter is None else found.splitter.how
        return {
            **self._identity.facts(self._session.marks),
            "asked": {
                "alternatives": found.depth,
                "likelihood": found.likelihood,
                "tokens": split if found.depth else None,
                "chat": found.chat_depth,
                "embeddings": found.embeds,
                "not_used": dict(found.reasons),
            },
        }

    def close(self) -> None:
        """Close the cache of answers."""
        self._session.close()


def _size(text: str) -> int:
    return max(1, len(text.replace(BLANK, "")) // _LETTERS)
