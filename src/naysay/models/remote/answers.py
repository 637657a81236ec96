"""The answers to probes, each asked in a way that is right for the server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from naysay.core.errors import NotAskableError, ServerError
from naysay.core.probes import (
    BLANK,
    AnswerQuestion,
    Choice,
    ChooseWord,
    Complete,
    Completion,
    Fill,
    FillBlank,
    Guess,
    Response,
)
from naysay.models.remote.capabilities import NO_CONTINUATION, Capabilities
from naysay.models.remote.client import Reply
from naysay.models.remote.likelihood import Likelihoods
from naysay.models.remote.replies import NextToken, ends, next_tokens, read_back, said
from naysay.models.remote.session import Query, Session

TIE = 0.01
"""Words closer than this could change places: servers batch questions in ways that vary."""
_AT_ONCE = 8  # candidates that are scored together after the first


def next_query(model: str, text: str, depth: int) -> Query:
    """Ask for the token that follows a text."""
    body = {"model": model, "prompt": text, "max_tokens": 1, "temperature": 0, "logprobs": depth}
    return Query("completions", body)


def next_token(reply: Reply) -> NextToken:
    """Return the only token of an answer."""
    found = next_tokens(reply)
    if not found or not found[0].top:
        raise ServerError("the server answered without a token")
    return found[0]


def fill_blanks(session: Session, found: Capabilities, probes: Sequence[FillBlank]) -> list[Fill]:
    """Return the likeliest next tokens; a word outside the server's list has no score."""
    if any(probe.among is not None for probe in probes):
        raise NotAskableError(
            f"the server returns the {found.depth} likeliest tokens, but words of a list are "
            "compared over the whole vocabulary"
        )
    texts = [text_before(probe.text) for probe in probes]
    depths = [found.depth if probe.top_k <= found.depth else found.deep for probe in probes]
    asked = zip(texts, depths, strict=True)
    replies = session.ask([next_query(found.model, text, depth) for text, depth in asked])
    return [_fill(probe, reply) for probe, reply in zip(probes, replies, strict=True)]


def _fill(probe: FillBlank, reply: Reply) -> Fill:
    if ends(reply):
        return Fill((), (None,) * len(probe.words))
    token = next_token(reply)
    guesses = [Guess(read_back(score.text), score.logprob) for score in token.top]
    listed = {score.text: score.logprob for score in reversed(token.top)}
    lead = " " if probe.text.partition(BLANK)[0].strip() else ""
    scores = tuple(listed.get(f"{lead}{word}") for word in probe.words)
    tie = len(guesses) > 1 and guesses[0].logprob - guesses[1].logprob < TIE
    return Fill(tuple(guesses[: probe.top_k]), scores, tie=tie)


def text_before(text: str) -> str:
    """Return the text before a blank at its end."""
    before, _, after = text.partition(BLANK)
    if re.search(r"\w", after):
        raise NotAskableError(
            f"the server predicts the next token, so the blank must end the text, but in {text!r} "
            "words follow it. Use --readout likelihood."
        )
    if not before.strip():
        raise NotAskableError("the server needs a text before the blank")
    return before.rstrip()


@dataclass
class _Contest:
    """The candidates of a question: bounds of their scores first, scores where they matter."""

    probe: ChooseWord
    prompt: str
    texts: dict[str, str]
    """By candidate."""
    bounds: dict[str, float]
    """What the score of a candidate that is not yet scored cannot exceed."""
    scores: dict[str, float] = field(default_factory=dict)

    def due(self) -> list[str]:
        """The candidates to score next, most promising first; none if the winner is certain."""
        best = max(self.scores.values(), default=float("-inf"))
        left = [word for word in self.bounds if self.bounds[word] >= best - TIE]
        left.sort(key=lambda word: -self.bounds[word])
        return left[: _AT_ONCE if self.scores else 1]

    def take(self, scores: Mapping[str, float | None]) -> None:
        """Note scores; a word that merges with the text around it has none, and drops out."""
        for word, score in scores.items():
            del self.bounds[word]
            if score is not None:
                self.scores[word] = score

    def choice(self) -> Choice:
        """The winner; of equals the first in the list of candidates."""
        if not self.scores:
            raise NotAskableError(
                f"none of the candidates can be scored at the blank of {self.probe.text!r}"
            )
        best = max(self.scores.values())
        near = [
            word for word in self.probe.candidates if self.scores.get(word, best - 1) > best - TIE
        ]
        winner = next(word for word in near if self.scores[word] == best)
        return Choice(winner, best, tie=len(near) > 1)


def choose_words(
    session: Session, found: Capabilities, probes: Sequence[ChooseWord]
) -> list[Choice]:
    """Return the likeliest candidates, exactly, although most are never scored.

    A word is no more probable than its first token, and a token outside the server's list no more
    than the last one in it. A candidate whose bound is below the best score cannot win.
    """
    prompts = [probe.text.partition(BLANK)[0].rstrip() for probe in probes]
    if not all(prompts):
        raise NotAskableError("the server needs a text before the blank")
    replies = session.ask([next_query(found.model, prompt, found.deep) for prompt in prompts])
    contests = [
        _contest(probe, prompt, next_token(reply))
        for probe, prompt, reply in zip(probes, prompts, replies, strict=True)
    ]
    likelihoods = Likelihoods(session, found)
    while asked := [(contest, due) for contest in contests if (due := contest.due())]:
        scored = likelihoods.of_words(
            [(contest.prompt, [contest.texts[word] for word in due]) for contest, due in asked]
        )
        for (contest, due), scores in zip(asked, scored, strict=True):
            contest.take(dict(zip(due, scores, strict=True)))
    return [contest.choice() for contest in contests]


def _contest(probe: ChooseWord, prompt: str, token: NextToken) -> _Contest:
    before, _, after = probe.text.partition(BLANK)
    after = after if re.search(r"\w", after) else ""  # punctuation is not part of the question
    texts = {word: f"{before}{word}{after}" for word in probe.candidates}
    contest = _Contest(probe, prompt, texts, {})
    for word, text in texts.items():
        rest = text[len(prompt) :]
        first = [score.logprob for score in token.top if score.text and rest.startswith(score.text)]
        exact = [score.logprob for score in token.top if score.text == rest]
        if exact:
            contest.scores[word] = exact[0]
        else:
            contest.bounds[word] = max([*first, token.floor])
    return contest


def complete(session: Session, found: Capabilities, probes: Sequence[Complete]) -> list[Completion]:
    """Return the log-likelihoods of the options as continuations of a text."""
    asked = []
    for probe in probes:
        shown = probe.prompt if probe.cue is None else f"{probe.prompt}\n{probe.cue}"
        asked.append((shown, [f"{shown} {option}" for option in probe.options]))
    return [Completion(scores) for scores in Likelihoods(session, found).of_options(asked)]


def chat_query(
    found: Capabilities, question: str, limit: int, extra: Mapping[str, Any] = MappingProxyType({})
) -> Query:
    """Ask a question in a chat, for an answer of so many tokens at most."""
    messages = [{"role": "user", "content": question}]
    body = {"model": found.model, "messages": messages, found.chat_limit: limit, "temperature": 0}
    return Query("chat/completions", {**body, **extra})


def answer_in_words(
    session: Session, found: Capabilities, probes: Sequence[AnswerQuestion]
) -> list[Response]:
    """Return what the chat answers; no log-probabilities are needed."""
    queries = [chat_query(found, probe.prompt, probe.limit) for probe in probes]
    return [said(reply) for reply in session.ask(queries)]


def answer_in_chat(
    session: Session, found: Capabilities, probes: Sequence[Complete]
) -> list[Completion]:
    """Return the log-probability of each option as the first token of a chat's answer."""
    for probe in probes:
        if probe.cue is None:
            raise NotAskableError(NO_CONTINUATION)
    extra = {"logprobs": True, "top_logprobs": found.chat_depth}
    queries = [chat_query(found, probe.prompt, 1, extra) for probe in probes]
    answers = []
    for probe, reply in zip(probes, session.ask(queries), strict=True):
        listed = {score.text: score.logprob for score in reversed(next_token(reply).top)}
        answers.append(Completion(tuple(listed.get(option) for option in probe.options)))
    return answers
