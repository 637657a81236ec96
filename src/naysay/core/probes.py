"""Probes: questions to a model, each typed by its answer.

A probe says what is asked, not how: the blank is a placeholder, which each adapter replaces by a
mask token or at which it cuts the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

BLANK = "▢"

Answer = TypeVar("Answer")


class Probe(Generic[Answer]):
    """A question whose answer is an `Answer`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Guess:
    """A candidate word. A token that continues a word is written `##token`."""

    word: str
    logprob: float


@dataclass(frozen=True, eq=False)
class WordList:
    """The only words that count as answers; each is a single token of the model.

    Lists compare by identity, so that long ones are cheap to compare.
    """

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fill:
    """The answer to `FillBlank`: the best guesses, best first, and the scores of the asked words.

    `scores[i]` is the log-probability of `words[i]`, None if it is not a single token here.
    `tie` is set if the runner-up is so close that rounding could have decided.
    """

    top: tuple[Guess, ...]
    scores: tuple[float | None, ...] = ()
    tie: bool = False

    @property
    def best(self) -> str:
        """The word the model ranks first; empty if there is none."""
        return self.top[0].word if self.top else ""


@dataclass(frozen=True, slots=True)
class FillBlank(Probe[Fill]):
    """Which word does the model put at the blank?

    `words` are the words of interest: they are scored, and the first one that is a single token
    here is used to tokenize the filled sentence.

    >>> FillBlank("She is happy to ▢.", words=("run",)).text
    'She is happy to ▢.'
    """

    text: str
    words: tuple[str, ...] = ()
    top_k: int = 1
    said: tuple[str, ...] = ()
    """The forms of the words earlier in the text, if they differ."""
    among: WordList | None = None
    """If given, only these words count as guesses; probabilities are over the whole vocabulary.

    A causal model's next token counts as a word only if the word ends after it.
    """
    whole: int = 1
    """Of how many guesses that is checked; what follows them in `top` are tokens as they are."""
    only_best: bool = False
    """Whether only the best word counts, so that its log-probability may be rounded to 16 bits."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """The answer to `ContrastFills`: the correlation between the two rankings of the words.

    `rho` is Spearman's rank correlation over the listed words, ties included; None if all words
    of a text are equally likely.
    """

    rho: float | None
    first: Fill
    second: Fill


@dataclass(frozen=True, slots=True)
class ContrastFills(Probe[Contrast]):
    """Does the model rank the listed words at the two blanks in the same order?"""

    first: str
    second: str
    among: WordList
    words: tuple[str, ...] = ()
    """The words of interest at the first blank."""
    second_words: tuple[str, ...] = ()
    """The words of interest at the second blank."""
    top_k: int = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer to `ChooseWord`: the likeliest word and its log-likelihood.

    `tie` is set if the runner-up is so close that rounding could have decided.
    """

    best: str
    logprob: float
    tie: bool = False


@dataclass(frozen=True, slots=True)
class ChooseWord(Probe[Choice]):
    """Which of the candidates is likeliest at the blank? They may have any number of tokens.

    A causal model scores the text from the blank on; if only punctuation follows the blank, that is
    the word alone. A masked model scores the word's tokens from left to right, each with the
    following ones masked and the rest of the text visible.
    """

    text: str
    candidates: tuple[str, ...]
    words: tuple[str, ...] = ()
    """The candidates of interest."""
    said: tuple[str, ...] = ()
    """The forms of these words earlier in the text, if they differ."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to `RankWords`: the word at each requested rank, None if there are no more.

    `first` is the model's top token, whether or not it is a word.
    """

    words: tuple[str | None, ...]
    first: str


@dataclass(frozen=True, slots=True)
class RankWords(Probe[Ranking]):
    """Which words does the model put at these ranks? Ranks count from 0.

    Only whole words of letters count whose tokenization is exactly that token; with `raw`, every
    token of the vocabulary counts.
    """

    text: str
    ranks: tuple[int, ...]
    raw: bool = False


@dataclass(frozen=True, slots=True)
class Closest:
    """The answer to `ChooseClosest`: the score of each option, higher is closer.

    `tie` is set if the best two are so close that rounding could have decided; `cut` if a sentence
    was truncated.
    """

    scores: tuple[float, ...]
    scale: str
    """What the scores are: cosine, entailment, …"""
    tie: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ChooseClosest(Probe[Closest]):
    """Which of the options is closest to the text in meaning?"""

    text: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer to `Complete`: the log-likelihood of each option after the prompt.

    None means that it is not known: a server tells the probabilities of few tokens only.
    """

    logprobs: tuple[float | None, ...]

    @property
    def known(self) -> bool:
        """Whether all of them are known."""
        return None not in self.logprobs


@dataclass(frozen=True, slots=True)
class Complete(Probe[Completion]):
    """How likely is each option as a continuation of the prompt?

    With a `cue` the prompt is a question: a model with a chat template is asked through it, any
    other model sees the cue on a separate line. `about` states what the options stand for, in
    order; models that do not read prompts use it instead.
    """

    prompt: str
    options: tuple[str, ...]
    about: ChooseClosest
    cue: str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to `AnswerQuestion`: what the model says, and whether it ended by itself."""

    text: str
    finished: bool


@dataclass(frozen=True, slots=True)
class AnswerQuestion(Probe[Response]):
    """What does an instruction model answer in words, with its likeliest tokens one by one?

    The question is put to it through its chat template. `about` is a question with the same answer
    that is not put in words; models that do not read prompts answer that instead.
    """

    prompt: str
    about: FillBlank | ChooseWord | ChooseClosest
    limit: int = 16
    """How many tokens the answer may have: enough to see that it is not one word."""


class ContinuedText:
    """What a suite uses that asks `Complete` without a cue: the likelihood of a given text.

    It is no probe. A suite names it among the `uses` that a model may lack.
    """


@dataclass(frozen=True, slots=True)
class Pieces:
    """How a tokenizer splits a word in a sentence."""

    pieces: tuple[str, ...]
    problem: str | None = None
    """Why the word is not a single token that decodes to itself; None if it is."""
    spelled: bool = True
    """Whether the word can be scored token by token, without unknown or merged tokens."""

    @property
    def single(self) -> bool:
        """Whether the word is a single token that decodes to itself."""
        return self.problem is None
