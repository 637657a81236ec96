"""Questions to a model, each typed by its answer.

A probe says what is asked, never how: the blank is a mark of our own, and each adapter turns it
into a mask token or cuts the text before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

BLANK = "▢"

Answer = TypeVar("Answer")


class Probe(Generic[Answer]):
    """A question that is answered by an `Answer`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Guess:
    """A word the model could put there. A piece that continues a word is written `##piece`."""

    word: str
    logprob: float


@dataclass(frozen=True, eq=False)
class WordList:
    """Words that alone count as answers; each is one piece for the model that is asked.

    Two lists are the same only if they are one object, so that a long one is cheap to compare.
    """

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fill:
    """The answer to `FillBlank`: the best guesses, best first, and the scores of the asked words.

    `scores[i]` is the log-probability of `words[i]`, None where it is not one piece in this place.
    `tie` says that the runner-up is so near that rounding could have decided.
    """

    top: tuple[Guess, ...]
    scores: tuple[float | None, ...] = ()
    tie: bool = False

    @property
    def best(self) -> str:
        """The word the model ranks first."""
        return self.top[0].word


@dataclass(frozen=True, slots=True)
class FillBlank(Probe[Fill]):
    """Which word does the model put at the blank?

    `words` are those the asker looks for: they are scored, and the first one that is a single
    piece in this place shows the tokenizer what a filled blank looks like.

    >>> FillBlank("She is happy to ▢.", words=("run",)).text
    'She is happy to ▢.'
    """

    text: str
    words: tuple[str, ...] = ()
    top_k: int = 1
    said: tuple[str, ...] = ()
    """How the words stand earlier in the text, where that is otherwise."""
    among: WordList | None = None
    """Where only these words count as guesses; probabilities are of the whole vocabulary."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """The answer to `ContrastFills`: how alike the two orders of the words are.

    `rho` is Spearman's rank correlation over the listed words, ties included; None where all words
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
    """Those that the asker looks for at the first blank."""
    second_words: tuple[str, ...] = ()
    """Those at the second."""
    top_k: int = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer to `ChooseWord`: the likeliest word and its log-likelihood.

    `tie` says that the runner-up is so near that rounding could have decided.
    """

    best: str
    logprob: float
    tie: bool = False


@dataclass(frozen=True, slots=True)
class ChooseWord(Probe[Choice]):
    """Which of the candidates is likeliest at the blank? They may have any number of pieces.

    A causal model scores the text from the blank on; where nothing but signs follow the blank, that
    is the word alone. A masked model scores the word's pieces from left to right, each with those
    after it masked and the rest of the text in sight.
    """

    text: str
    candidates: tuple[str, ...]
    words: tuple[str, ...] = ()
    """Those of the candidates that the asker looks for."""
    said: tuple[str, ...] = ()
    """How these stand earlier in the text, where that is otherwise."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to `RankWords`: the word at each asked rank, None where there are no more.

    `first` is what the model ranks first of everything it could say, word or not.
    """

    words: tuple[str | None, ...]
    first: str


@dataclass(frozen=True, slots=True)
class RankWords(Probe[Ranking]):
    """Which words does the model rank so high at the blank? Ranks count from 0.

    Counted are whole words of letters that the tokenizer cuts into the very piece; with `raw`,
    every piece of the vocabulary is counted, whatever it is.
    """

    text: str
    ranks: tuple[int, ...]
    raw: bool = False


@dataclass(frozen=True, slots=True)
class Closest:
    """The answer to `ChooseClosest`: how near each option is, the higher the nearer.

    `tie` says that the best two are so near that rounding could have decided; `cut` that the model
    did not see a sentence to its end.
    """

    scores: tuple[float, ...]
    scale: str
    """What the scores are: cosine, entailment, …"""
    tie: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ChooseClosest(Probe[Closest]):
    """Which of the options is nearest to the text in meaning?"""

    text: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer to `Complete`: the log-likelihood of each option after the prompt."""

    logprobs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Complete(Probe[Completion]):
    """How likely is each option as what follows the prompt?

    With a `cue` the prompt is a question to be answered: a model that has a chat template is asked
    through it, another one gets the cue on a line of its own. `about` says what the options stand
    for, in their order; models that do not read prompts go by it.
    """

    prompt: str
    options: tuple[str, ...]
    about: ChooseClosest
    cue: str | None = None


@dataclass(frozen=True, slots=True)
class Pieces:
    """How a tokenizer cuts a word in its place in a sentence."""

    pieces: tuple[str, ...]
    problem: str | None = None
    """Why it is not one piece that reads back as the word itself, None if it is."""
    spelled: bool = True
    """Whether the word can be scored piece by piece, with nothing unknown or merged in it."""

    @property
    def single(self) -> bool:
        """Whether the word is one piece that reads back as the word itself."""
        return self.problem is None
