"""What a server can do, found out by asking it, and whether its numbers can be believed.

Many servers take a parameter and ignore it, or answer it wrongly. So each way of asking is tried on
a known sentence, and is used only if its numbers agree with those of another way. The measure of
all are the next tokens: the server continues a text, and says how probable each token was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import ServerError, ServerRefusalError
from naysay.models.remote.capabilities import (
    BATCH,
    BIAS,
    ECHO,
    FORCED,
    LISTED,
    PROMPT_LOGPROBS,
    Capabilities,
)
from naysay.models.remote.client import Reply
from naysay.models.remote.embedding import batch_fault
from naysay.models.remote.replies import (
    NextToken,
    TokenScore,
    UnreadableReplyError,
    echoed,
    next_tokens,
    prompt_length,
    prompt_tokens,
    said,
)
from naysay.models.remote.self_test import (
    SAME,
    UnverifiedError,
    check_given,
    check_next,
    check_spaces,
)
from naysay.models.remote.session import Session
from naysay.models.remote.tokens import EchoSplitter, SplitToken, echo_query, find_splitter

_KNOWN = (
    "The first thing that I saw was",
    "My grandmother used to tell us about",
    "When they opened the old box they found",
)
"""Beginnings of sentences that go on in many ways, so that their tokens' probabilities differ."""
_LENGTH = 6  # tokens by which they are continued
_DEPTHS = (20, 5, 1)  # alternatives that servers return at most, by their kind
_LETTER = 3  # tokens of a single letter, with those that begin and end a text
_NEW_LIMIT = "max_completion_tokens"  # as newer models of OpenAI call max_tokens
_DEEP = (1000, 500, 200)  # as many of these as a server returns are wanted for ranks


@dataclass(frozen=True)
class KnownText:
    """A text and how the server continues it, with the log-probability of each token."""

    text: str
    tokens: tuple[NextToken, ...]

    @property
    def whole(self) -> str:
        """The text with its continuation."""
        return self.text + "".join(token.text for token in self.tokens)


class Explorer:
    """Asks a server a few small questions to find out what it can do."""

    def __init__(self, session: Session, model: str) -> None:
        self._session = session
        self.found = Capabilities(model)
        self._known: list[KnownText] = []

    def explore(self, endpoint: str | None) -> Capabilities:
        """Try all endpoints, or only the one that is wanted."""
        if endpoint in (None, "completions"):
            self._completions()
        if endpoint in (None, "chat"):
            self._chat()
        if endpoint in (None, "embeddings"):
            self._embeddings()
        return self.found

    def _refuse(self, way: str, error: Exception) -> None:
        """Note why a way is not used."""
        refused = isinstance(error, ServerRefusalError)
        text = f"{error.status} {error.words}".strip() if refused else str(error)  # type: ignore[attr-defined]
        self.found.reasons[way] = text if len(text) <= 120 else f"{text[:119]}…"

    def _complete(self, body: Mapping[str, Any]) -> Reply:
        body = {"model": self.found.model, "temperature": 0, **body}
        return self._session.try_out("completions", body)

    def _completions(self) -> None:
        try:
            depth = self._find_depth()
        except ServerError as error:
            if not isinstance(error, ServerRefusalError | UnreadableReplyError):
                raise
            self._refuse("completions", error)
            return
        self.found.depth = depth
        self.found.deep = self._find_deep()
        self.found.splitter = find_splitter(self._session, self.found.model)
        for way, check in (
            (PROMPT_LOGPROBS, self._check_prompt_logprobs),
            (ECHO, self._check_echo),
            (FORCED, self._check_forced),
        ):
            try:
                self._verify(check)
            except (ServerRefusalError, UnreadableReplyError) as error:
                self._refuse(way, error)
            else:
                self.found.likelihood = way
                return
        if self._takes_numbers(self._known[0]):
            self.found.likelihood = LISTED

    def _verify(self, check: Callable[[KnownText], None]) -> None:
        """Check a way on the first known text by which it can be verified."""
        for number in range(len(_KNOWN)):
            if number == len(self._known):
                self._known.append(self._continued(_KNOWN[number], self.found.depth))
            try:
                check(self._known[number])
                return
            except UnverifiedError:
                if number + 1 == len(_KNOWN):
                    raise

    def _find_depth(self) -> int:
        """Continue the first known text; return how many alternatives the server gives."""
        last: ServerError | None = None
        for depth in _DEPTHS:
            try:
                known = self._continued(_KNOWN[0], depth)
                again = self._continued(_KNOWN[0], depth)
            except ServerRefusalError as error:
                last = error
                continue
            check_next(known.tokens, again.tokens)
            check_spaces(known.tokens)
            self._check_bare()
            self._known = [known]
            self.found.witness = tuple((token.text, token.logprob) for token in known.tokens)
            return min(len(token.top) for token in known.tokens)
        assert last is not None
        raise last

    def _check_bare(self) -> None:
        """Refuse a server that wraps texts into a chat before it continues them, as Ollama does."""
        count = prompt_length(self._complete({"prompt": "a", "max_tokens": 1}))
        if count is not None and count > _LETTER:
            raise UnreadableReplyError(
                f"it does not continue texts, but answers them as messages: a single letter is "
                f"{count} tokens for it"
            )

    def _find_deep(self) -> int:
        """How many alternatives the server gives if asked for many; most have a limit."""
        for deep in _DEEP:
            try:
                body = {"prompt": _KNOWN[0], "max_tokens": 1, "logprobs": deep}
                return max(self.found.depth, len(next_tokens(self._complete(body))[0].top))
            except (ServerRefusalError, UnreadableReplyError, IndexError):
                continue
        return self.found.depth

    def _continued(self, text: str, depth: int) -> KnownText:
        body = {"prompt": text, "max_tokens": _LENGTH, "logprobs": depth}
        return KnownText(text, tuple(next_tokens(self._complete(body))))

    def _check_echo(self, known: KnownText) -> None:
        query = echo_query(self.found.model, known.whole)
        found = echoed(self._session.try_out(query.path, query.body), known.whole)
        size = len(known.tokens)
        if len(found) <= size:
            raise UnreadableReplyError("it returns no log-probabilities of the prompt")
        if [text for text, _ in found[-size:]] != [token.text for token in known.tokens]:
            raise UnverifiedError("it splits its own words in another way")
        check_given([logprob for _, logprob in found], known.tokens)
        if self.found.splitter is None:
            self.found.splitter = EchoSplitter(self._session, self.found.model)

    def _check_prompt_logprobs(self, known: KnownText) -> None:
        if self.found.splitter is None or not self.found.splitter.ids:
            raise UnreadableReplyError("it has no endpoint that splits texts into tokens")
        reply = self._complete({"prompt": known.whole, "max_tokens": 1, "prompt_logprobs": 1})
        found = prompt_tokens(reply)
        start, split = self.found.splitter.split([known.text, known.whole])
        if [token for _, token in split][1:] != [token for token, _ in found][1:]:
            raise UnreadableReplyError("it returns other tokens than those of the text")
        if len(split) != len(start) + len(known.tokens):
            raise UnverifiedError("it splits its own words in another way")
        check_given([logprob for _, logprob in found], known.tokens)

    def _takes_numbers(self, known: KnownText) -> bool:
        """Whether a prompt of token numbers is answered like its text."""
        splitter = self.found.splitter
        if splitter is None or not splitter.ids:
            self.found.reasons[FORCED] = "it has no endpoint that splits texts into tokens"
            return False
        [split] = splitter.split([known.text])
        try:
            numbers = [number for _, number in split]
            [token, *_] = next_tokens(
                self._complete({"prompt": numbers, "max_tokens": 1, "logprobs": self.found.depth})
            )
        except (ServerRefusalError, UnreadableReplyError, ValueError):
            self.found.reasons[FORCED] = "it takes no token numbers as a prompt"
            return False
        first = known.tokens[0]
        if token.text == first.text and abs(token.logprob - first.logprob) < SAME:
            return True
        self.found.reasons[FORCED] = "it answers token numbers differently from their text"
        return False

    def _check_forced(self, known: KnownText) -> None:
        """Whether a token that is forced by a bias gets the log-probability it has without one."""
        if not self._takes_numbers(known):
            raise UnreadableReplyError(self.found.reasons[FORCED])
        assert self.found.splitter is not None
        [split] = self.found.splitter.split([known.text])
        checked = 0
        for score in known.tokens[0].top[1:][-2:]:
            number = score.id if score.id is not None else self._number_of(score, known, split)
            if number is None:
                continue
            body = {
                "prompt": [token for _, token in split], "max_tokens": 1,
                "logprobs": self.found.depth, "logit_bias": {str(number): BIAS},
            }  # fmt: skip
            [token] = next_tokens(self._complete(body))
            if token.text != score.text:
                raise UnreadableReplyError("it ignores logit_bias")
            if abs(token.logprob - score.logprob) > SAME:
                raise UnreadableReplyError("a bias changes its log-probabilities")
            checked += 1
        if not checked:
            raise UnverifiedError("forcing a token could not be verified")

    def _number_of(
        self, score: TokenScore, known: KnownText, split: Sequence[SplitToken]
    ) -> int | None:
        """The number of a token, found by splitting the text that it continues."""
        assert self.found.splitter is not None
        [longer] = self.found.splitter.split([known.text + score.text])
        own = longer[len(split) :]
        return own[0][1] if longer[: len(split)] == list(split) and len(own) == 1 else None

    def _chat(self) -> None:
        """Whether a chat tells log-probabilities, or at least answers."""
        for depth in (*_DEPTHS, 0):
            extra = {"logprobs": True, "top_logprobs": depth} if depth else {}
            try:
                self._try_chat(depth, extra)
                return
            except ServerRefusalError as error:
                self._refuse("chat", error)
                if error.status in (404, 405, 501):
                    return
            except UnreadableReplyError as error:
                self._refuse("chat", error)
                return

    def _try_chat(self, depth: int, extra: Mapping[str, Any]) -> None:
        question = "Which is a colour, A: red, or B: run? Answer A or B."
        body = {
            "model": self.found.model, "messages": [{"role": "user", "content": question}],
            "temperature": 0, **extra,
        }  # fmt: skip

        def ask() -> Reply:
            limited = {**body, self.found.chat_limit: 1}
            return self._session.try_out("chat/completions", limited)

        try:
            reply = ask()
        except ServerRefusalError as error:
            if _NEW_LIMIT not in error.words:
                raise
            self.found.chat_limit = _NEW_LIMIT
            reply = ask()
        said(reply)
        self.found.chat_depth = 0  # it answers, whatever its log-probabilities are
        if depth:
            first = next_tokens(reply)
            check_next(first, next_tokens(ask()))
            self.found.chat_depth = len(first[0].top)

    def _embeddings(self) -> None:
        try:
            fault = batch_fault(self._session, self.found.model)
        except (ServerRefusalError, UnreadableReplyError) as error:
            self._refuse("embeddings", error)
            return
        self.found.embeds = True
        if fault is not None:
            self.found.reasons[BATCH] = fault
