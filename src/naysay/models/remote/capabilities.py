"""What a server can do, in words and for the programs that ask it."""

from __future__ import annotations

from dataclasses import dataclass, field

from naysay.core.probes import (
    AnswerQuestion,
    ChooseClosest,
    ChooseWord,
    Complete,
    ContinuedText,
    ContrastFills,
    FillBlank,
    RankWords,
    WordList,
)
from naysay.models.remote.tokens import Splitter

ECHO, PROMPT_LOGPROBS, FORCED, LISTED = "echo", "prompt_logprobs", "forced", "listed"
"""The ways to get the likelihood of a given text."""
WAYS = (PROMPT_LOGPROBS, ECHO, FORCED)
"""In the order in which they are tried."""
BATCH = "embeddings in a batch"
NO_CONTINUATION = (
    "a chat answers a message, and its log-probabilities are those of the answer; how likely a "
    "given text is, it does not tell"
)
BIAS = 100.0  # makes a token certain to be chosen
RANKED = 200
"""With so many alternatives, words are ranked among them."""


@dataclass
class Capabilities:
    """What a server can do."""

    model: str
    depth: int = 0
    """How many alternatives it returns for the next token; 0 without completions."""
    deep: int = 0
    """The same where as many as possible are wanted."""
    likelihood: str | None = None
    """How the likelihood of a given text is found, None if it is not."""
    splitter: Splitter | None = None
    chat_depth: int | None = None
    """The same in a chat; 0 without log-probabilities, None without a chat."""
    chat_limit: str = "max_tokens"
    """What the chat calls the number of tokens to generate."""
    embeds: bool = False
    witness: tuple[tuple[str, float], ...] = ()
    """How it continues a known text: tokens and their log-probabilities."""
    reasons: dict[str, str] = field(default_factory=dict)
    """By way of asking: why it is not used."""

    @property
    def ranks(self) -> bool:
        """Whether words can be ranked: there are many of them, and whole ones can be told."""
        return self.deep >= RANKED and self.splitter is not None and self.splitter.ids

    @property
    def embeds_together(self) -> bool:
        """Whether several texts can be embedded in one request without a change."""
        return BATCH not in self.reasons

    def line(self) -> str:
        """Return one line that says all this."""
        parts = []
        if self.depth:
            deep = f" ({self.deep:,} for ranks)" if self.ranks else ""
            parts.append(f"next token with {_alternatives(self.depth)}{deep}")
        elif "completions" in self.reasons:
            parts.append(f"no next token ({self.reasons['completions']})")
        ways = {
            ECHO: "likelihoods by echo", PROMPT_LOGPROBS: "likelihoods by prompt_logprobs",
            FORCED: "likelihoods by forcing one token after another",
            LISTED: "likelihoods of tokens among the alternatives only",
        }  # fmt: skip
        if self.likelihood is not None:
            other = self.reasons.get(ECHO) if self.likelihood in (FORCED, LISTED) else None
            parts.append(ways[self.likelihood] + (f" (echo: {other})" if other else ""))
        elif self.depth:
            tried = [f"{way}: {why}" for way in WAYS if (why := self.reasons.get(way))]
            parts.append(f"no likelihoods of given texts ({'; '.join(tried)})")
        if self.chat_depth is not None:
            with_ = f" with {_alternatives(self.chat_depth)}" if self.chat_depth else ""
            parts.append(f"chat{with_ or ' without log-probabilities'}")
        alone = "" if self.embeds_together else f", one text at a time ({self.reasons[BATCH]})"
        parts.append(f"embeddings{alone}" if self.embeds else "no embeddings")
        return "; ".join(parts)


def _alternatives(depth: int) -> str:
    return "1 alternative" if depth == 1 else f"{depth} alternatives"


def abilities(found: Capabilities) -> tuple[frozenset[type], dict[type, str]]:
    """Return what a server can be asked, and for everything else the reason."""
    answers: set[type] = set()
    lacks: dict[type, str] = {}
    chat_only = (
        "a chat answers a message instead of continuing a text, so its first word is not the "
        "word at the blank"
    )
    no_next = found.reasons.get("completions", "it was not asked for next tokens (--endpoint)")
    if found.chat_depth is not None and not found.depth:
        no_next = f"{chat_only}; completions: {no_next}"
    if found.depth:
        answers.add(FillBlank)
        deep = (
            f"naysay gets the {found.deep:,} likeliest tokens from this server, and this needs the "
            "whole vocabulary"
        )
        lacks |= {RankWords: deep, ContrastFills: deep, WordList: deep}
        if found.ranks:
            answers.add(RankWords)
            del lacks[RankWords]
    else:
        lacks |= dict.fromkeys((FillBlank, RankWords, ContrastFills, WordList), no_next)
    if found.likelihood is not None:
        answers.add(Complete)
        if found.likelihood != LISTED:
            answers.add(ChooseWord)
    elif found.depth:
        tried = "; ".join(f"{way}: {why}" for way, why in found.reasons.items() if way in WAYS)
        why = f"the server does not tell how likely a given text is ({tried})"
        lacks |= {Complete: why, ChooseWord: why, ContinuedText: why}
    else:
        lacks |= {Complete: no_next, ChooseWord: no_next, ContinuedText: no_next}
    if found.chat_depth is None:
        why = found.reasons.get("chat", "it was not asked for (--endpoint)")
        lacks[AnswerQuestion] = f"no chat: {why}"
    else:
        answers.add(AnswerQuestion)
    if found.chat_depth:
        answers.add(Complete)
        lacks.pop(Complete, None)
    if found.chat_depth is not None and not found.depth:
        lacks[ContinuedText] = NO_CONTINUATION
        if not found.chat_depth:
            lacks[Complete] = f"{NO_CONTINUATION}, and this one tells no log-probabilities at all"
    if ChooseWord not in answers:
        lacks.setdefault(
            ChooseWord, "the server tells no probability of tokens outside its alternatives"
        )
    if found.embeds:
        answers.add(ChooseClosest)
    else:
        lacks[ChooseClosest] = "no embeddings: " + found.reasons.get("embeddings", "not asked for")
    return frozenset(answers), lacks
