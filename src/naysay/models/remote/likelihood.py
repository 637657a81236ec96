"""How likely given texts are: by echo, by `prompt_logprobs`, or by forcing token after token.

A text is scored from the first token in which it differs from its prompt, as models in this process
are. A token whose log-probability the server does not tell makes the score None, never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from naysay.core.errors import NotAskableError, ServerError
from naysay.models.remote.capabilities import BIAS, ECHO, FORCED, LISTED, Capabilities
from naysay.models.remote.replies import NextToken, echoed, next_tokens, prompt_tokens
from naysay.models.remote.session import Query, Session
from naysay.models.remote.tokens import EchoSplitter, Splitter, SplitToken, echo_query


@dataclass(frozen=True, slots=True)
class GivenText:
    """A text and how much of it is only the prompt."""

    text: str
    tokens: tuple[SplitToken, ...]
    begin: int
    """The first token that is scored; it has at least one before it."""


class Likelihoods:
    """Scores texts after prompts in the way that the server was found to answer rightly."""

    def __init__(self, session: Session, found: Capabilities) -> None:
        self._session, self._found = session, found

    @property
    def _splitter(self) -> Splitter:
        if self._found.likelihood == ECHO:  # its own tokens, with or without one at the beginning
            return EchoSplitter(self._session, self._found.model)
        assert self._found.splitter is not None
        return self._found.splitter

    def of_options(
        self, questions: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[float | None, ...]]:
        """Return the score of each text after its prompt; all texts begin with the prompt.

        If a token spans the end of the prompt, all texts of the prompt are scored from it on.
        """
        flat = [text for prompt, texts in questions for text in (prompt, *texts)]
        split = iter(self._splitter.split(flat))
        given: list[GivenText] = []
        for prompt, texts in questions:
            start, options = next(split), [next(split) for _ in texts]
            begin = min(_shared(start, option) for option in options)
            if not begin:
                raise NotAskableError(f"the server has no token before the answer to {prompt!r}")
            given += [
                GivenText(text, tuple(option), begin)
                for text, option in zip(texts, options, strict=True)
            ]
        scores = iter(self.of_texts(given))
        return [tuple(next(scores) for _ in texts) for _, texts in questions]

    def of_words(
        self, questions: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[float | None, ...]]:
        """Return the score of each text from the end of its prompt on; None if a token spans it."""
        flat = [text for prompt, texts in questions for text in (prompt, *texts)]
        split = iter(self._splitter.split(flat))
        given: dict[tuple[int, str], GivenText] = {}
        for k, (_, texts) in enumerate(questions):
            start = next(split)
            for text in texts:
                tokens = next(split)
                if tokens[: len(start)] == start and len(tokens) > len(start) > 0:
                    given[k, text] = GivenText(text, tuple(tokens), len(start))
        scores = dict(zip(given, self.of_texts(list(given.values())), strict=True))
        return [
            tuple(scores.get((k, text)) for text in texts) for k, (_, texts) in enumerate(questions)
        ]

    def of_texts(self, texts: Sequence[GivenText]) -> list[float | None]:
        """Return the summed log-probabilities of the tokens from `begin` on."""
        if self._found.likelihood in (FORCED, LISTED):
            return self._step_by_step(texts)
        echo = self._found.likelihood == ECHO
        model = self._found.model
        queries = [
            echo_query(model, given.text)
            if echo
            else Query("completions", {
                "model": model, "prompt": given.text, "max_tokens": 1, "temperature": 0,
                "prompt_logprobs": 1,
            })
            for given in texts
        ]  # fmt: skip
        found: list[float | None] = []
        for given, reply in zip(texts, self._session.ask(queries), strict=True):
            if echo:
                logprobs = [logprob for _, logprob in echoed(reply, given.text)]
            else:
                tokens = prompt_tokens(reply)
                if [k for k, _ in tokens][1:] != [k for _, k in given.tokens][1:]:
                    raise ServerError(
                        f"the server returned other tokens than those of {given.text!r}"
                    )
                logprobs = [logprob for _, logprob in tokens]
            if len(logprobs) != len(given.tokens) or None in logprobs[given.begin :]:
                raise ServerError(
                    f"the server left out log-probabilities of {given.text!r}: "
                    f"{len(logprobs)} for {len(given.tokens)} tokens"
                )
            found.append(sum(value for value in logprobs[given.begin :] if value is not None))
        return found

    def _step_by_step(self, texts: Sequence[GivenText]) -> list[float | None]:
        """Ask for each token after those before it; all of them are known, so all at once."""
        places = [(given, k) for given in texts for k in range(given.begin, len(given.tokens))]
        replies = self._session.ask([self._step(given, k) for given, k in places])
        sums: dict[int, float | None] = {id(given): 0.0 for given in texts}
        for (given, k), reply in zip(places, replies, strict=True):
            text, number = given.tokens[k]
            tokens = next_tokens(reply)
            if not tokens:
                raise ServerError(f"the server continued {given.text!r} with no token")
            logprob = self._logprob(tokens[0], text, number)
            total = sums[id(given)]
            sums[id(given)] = None if logprob is None or total is None else total + logprob
        return [sums[id(given)] for given in texts]

    def _step(self, given: GivenText, place: int) -> Query:
        body = {
            "model": self._found.model,
            "prompt": [number for _, number in given.tokens[:place]],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": self._found.depth,
        }
        if self._found.likelihood == FORCED:
            body["logit_bias"] = {str(given.tokens[place][1]): BIAS}
            body["logprobs"] = 1
        return Query("completions", body)

    def _logprob(self, token: NextToken, text: str, number: int | None) -> float | None:
        if self._found.likelihood == FORCED:
            right = token.id == number if token.id is not None else token.text == text
            if not right:
                raise ServerError(f"the server did not take the token {text!r} that was forced")
            return token.logprob
        for score in token.top:
            if score.id == number if score.id is not None else score.text == text:
                return score.logprob
        return None


def _shared(one: Sequence[SplitToken], other: Sequence[SplitToken]) -> int:
    pairs = zip(one, other, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
