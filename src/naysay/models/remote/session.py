"""Many questions to one server: some at a time, each once, and all to the same model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import ServerError
from naysay.core.keys import content_key
from naysay.models.remote.cache import AnswerCache
from naysay.models.remote.client import Client, Reply
from naysay.models.remote.replies import (
    UnreadableReplyError,
    echoed,
    ends,
    next_tokens,
    prompt_tokens,
    said,
    vectors,
)

_KEPT = ("choices", "data", "tokens", "token_strs", "prompt", "usage", "prompt_logprobs")
"""What is kept of an answer."""


@dataclass(frozen=True)
class Query:
    """A request: a path below the address, or below the server's root, and a body."""

    path: str
    body: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The question's name in the cache."""
        return content_key([self.path, self.body])

    def check(self, reply: Reply) -> None:
        """Raise an error if an answer lacks what was asked for."""
        if "prompt_logprobs" in self.body:
            prompt_tokens(reply)
        elif "echo" in self.body:
            echoed(reply, str(self.body["prompt"]))
        elif "logprobs" in self.body and not ends(reply):
            next_tokens(reply)
        elif "messages" in self.body and "logprobs" not in self.body:
            said(reply)
        elif "input" in self.body:
            vectors(reply, len(self.body["input"]))


Mark = tuple[str | None, str | None]
"""The model and the fingerprint that an answer names."""


class Session:
    """Asks a server, remembers its answers, and stops if another model answers."""

    def __init__(self, client: Client, concurrency: int) -> None:
        self.client = client
        self._concurrency = concurrency
        self._cache: AnswerCache | None = None
        self.marks: dict[str, Mark] = {}
        """By path: how its first answer names the model."""

    def use(self, cache: AnswerCache) -> None:
        """Look answers up in this cache from now on, and keep them there."""
        self._cache = cache

    def try_out(self, path: str, body: Mapping[str, Any]) -> Reply:
        """Ask while the server is being explored: not from the cache, and not for long."""
        reply = self.client.post(path, body, tries=2, explores=True)
        self.check_model(path, reply)
        return reply

    def ask(self, queries: Sequence[Query]) -> list[Reply]:
        """Return the answers in the order of the queries; equal queries are sent once."""
        keys = [query.key for query in queries]
        wanted = dict(zip(keys, queries, strict=True))
        found = self.known(list(wanted))
        missing = {key: query for key, query in wanted.items() if key not in found}
        names = list(missing)

        def keep(number: int, reply: Reply) -> None:
            found[names[number]] = reply
            self.keep(names[number], reply)

        self.send(list(missing.values()), keep)
        return [found[key] for key in keys]

    def known(self, keys: Sequence[str]) -> dict[str, Reply]:
        """Return the answers that were kept, by key."""
        return {} if self._cache is None else self._cache.find(keys)

    def keep(self, key: str, reply: Reply) -> None:
        """Keep an answer."""
        if self._cache is not None:
            self._cache.keep(key, reply)

    def send(
        self, queries: Sequence[Query], keep: Callable[[int, Reply], None], *, in_turn: bool = False
    ) -> None:
        """Send the queries, some at a time; `keep` takes each answer as soon as it is there.

        With `in_turn`, each waits for the answer to the one before.
        """
        if in_turn or len(queries) < 2 or self._concurrency == 1:
            for number, query in enumerate(queries):
                keep(number, self._answer(query))
            return
        with ThreadPoolExecutor(self._concurrency) as pool:
            futures = [
                pool.submit(lambda number, query: keep(number, self._answer(query)), number, query)
                for number, query in enumerate(queries)
            ]
            try:
                done, _ = wait(futures, return_when=FIRST_EXCEPTION)
                failed = [future for future in done if future.exception() is not None]
            except BaseException:  # interrupted
                self._stop(futures)
                raise
            if failed:
                # Answers that are under way still arrive, and are kept.
                self._stop(futures)
                raise failed[0].exception()  # type: ignore[misc]

    def _stop(self, futures: Sequence[Future[None]]) -> None:
        self.client.stop()
        for future in futures:
            future.cancel()

    def _answer(self, query: Query) -> Reply:
        reply = self.client.post(query.path, query.body)
        self.check_model(query.path, reply)
        try:
            query.check(reply)
        except UnreadableReplyError as error:
            # Nothing is kept of it, so that the question can be asked again.
            raise ServerError(
                f"{self.client.address.url} answered in a way that cannot be used: {error}. All "
                "answers so far are kept; the same command resumes the run."
            ) from error
        return {name: reply[name] for name in _KEPT if name in reply}

    def check_model(self, path: str, reply: Reply) -> None:
        """Refuse an answer of another model than the first one to this path."""
        mark = _text(reply.get("model")), _text(reply.get("system_fingerprint"))
        first = self.marks.setdefault(path, mark)
        if mark != first:
            raise ServerError(
                f"{self.client.address.url} changed during the run: {_named(first)} became "
                f"{_named(mark)}. What the first one answered is kept; the same command starts a "
                "run of its own for the new one."
            )

    def close(self) -> None:
        """Close the cache."""
        if self._cache is not None:
            self._cache.close()


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _named(mark: Mark) -> str:
    model, fingerprint = mark
    return f"{model or 'a model without a name'} (fingerprint {fingerprint or 'none'})"
