"""Rule-based models without weights: the positive, negative and chance control.

`known:aware` never fills a contradiction, `known:blind` always repeats, and `known:random` repeats
at random. Every suite must separate them exactly, so naysay's own tests use them as fakes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from naysay.core.errors import ModelError, UnknownNameError
from naysay.core.keys import content_key, draw, draw_share
from naysay.core.options import Options
from naysay.core.probes import (
    Answer,
    AnswerQuestion,
    Choice,
    ChooseClosest,
    ChooseWord,
    Closest,
    Complete,
    Completion,
    Contrast,
    ContrastFills,
    Fill,
    FillBlank,
    Guess,
    Pieces,
    Probe,
    Ranking,
    RankWords,
    Response,
    WordList,
)
from naysay.core.protocols import Model, ModelRequest
from naysay.core.spec import DEFAULT_LANGUAGE
from naysay.data.languages import LANGUAGES, Language
from naysay.models._rules import (
    Likeness,
    Reader,
    Recall,
    never_contradict,
    recall_fact,
    recall_prime,
    same_meaning,
    word_overlap,
)

_VERSION = 4  # raise when a rule's answers change
_CERTAIN, _NEVER = 0.0, -99.0
_OTHERWISE = (
    "rest",
    "wait",
    "stay",
    "sit",
)  # used instead of the expected words; at least one is not expected


class KnownModel:
    """Fills the blank with the first expected word or not, and compares sentences, by a rule.

    Its vocabulary is that of the language's lexicon, in a rotation that depends on the text.
    """

    kind = "known"
    answers = frozenset(
        {
            FillBlank, RankWords, ChooseWord, ChooseClosest, Complete, ContrastFills,
            AnswerQuestion,
        }
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        fits: Reader,
        identity: Sequence[object],
        vocabulary: Sequence[str] = _OTHERWISE,
        fillers: Sequence[str] = _OTHERWISE,
        likeness: Likeness = word_overlap,
        recall: Recall = recall_prime,
    ) -> None:
        self.name = name
        self._recall = recall
        self._fits = fits
        self._likeness = likeness
        self._vocabulary, self._fillers = vocabulary, fillers
        # English fillers came before there were others; keys with them stay as they were.
        others = [] if tuple(fillers) == _OTHERWISE else [list(fillers)]
        self.digest = content_key(["known", _VERSION, *identity, list(vocabulary), *others])

    def prepare(self) -> None:
        """Do nothing; there is nothing to load."""

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Repeat the first expected word or answer with another one; or rank the vocabulary."""
        return [self._answer(probe) for probe in probes]

    def _answer(self, probe: Probe[Any]) -> Any:
        match probe:
            case FillBlank(among=WordList() as among):
                return self._fill_among(probe.text, probe.words, among, probe.top_k)
            case ContrastFills():
                return self._contrast(probe)
            case FillBlank():
                word = self._word(probe, self._fillers)
                scores = tuple(_CERTAIN if asked == word else _NEVER for asked in probe.words)
                return Fill((Guess(word, _CERTAIN),), scores)
            case ChooseWord():
                return Choice(self._word(probe, probe.candidates), _CERTAIN)
            case RankWords():
                return self._rank(probe)
            case ChooseClosest():
                scores = self._likeness(probe)
                best, second = sorted(scores, reverse=True)[:2]
                return Closest(scores, "likeness", tie=best == second)
            case Complete(about=ChooseClosest(text="")):
                return Completion((_CERTAIN,) * len(probe.options))  # nothing to compare with
            case Complete():
                return Completion(self._likeness(probe.about))
            case AnswerQuestion(about=ChooseClosest() as about):
                scores = self._likeness(about)
                return Response(about.options[scores.index(max(scores))], finished=True)
            case AnswerQuestion():
                return Response(self._answer(probe.about).best, finished=True)
        raise TypeError(f"a known model cannot be asked {type(probe).__name__}")

    def _fill_among(self, text: str, words: Sequence[str], among: WordList, top_k: int) -> Fill:
        """Return the rule's answer, followed by other words, each much less likely."""
        answer = self._recall(text, words)
        rest = (word for word in among.words if word not in (answer, *words))
        top = [answer, *islice(rest, top_k)] if answer else list(islice(rest, top_k + 1))
        guesses = tuple(Guess(word, _CERTAIN - 3.0 * k) for k, word in enumerate(top[:top_k]))
        scores = tuple(
            next((guess.logprob for guess in guesses if guess.word == word), _NEVER)
            for word in words
        )
        return Fill(guesses, scores)

    def _contrast(self, probe: ContrastFills) -> Contrast:
        """Return a correlation of 1 for texts with the same answer, and of 0 otherwise."""
        first, second = (
            self._fill_among(text, words, probe.among, probe.top_k)
            for text, words in ((probe.first, probe.words), (probe.second, probe.second_words))
        )
        return Contrast(1.0 if first.best == second.best else 0.0, first, second)

    def _word(self, probe: FillBlank | ChooseWord, others: Sequence[str]) -> str:
        if probe.words and self._fits(probe.text, probe.said or probe.words):
            return probe.words[0]
        return next((other for other in others if other not in probe.words), others[0])

    def _rank(self, probe: RankWords) -> Ranking:
        size = len(self._vocabulary)
        begin = draw(probe.text)
        words = [self._vocabulary[(begin + k) % size] if k < size else None for k in probe.ranks]
        return Ranking(tuple(words), self._vocabulary[begin % size])

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Return every word as a single token, since the model has no tokenizer."""
        return {word: Pieces((word,)) for word in words}

    def facts(self) -> dict[str, Any]:
        """Return that the model needs no device and has no parameters."""
        return {"device": "none", "parameters": 0}

    def close(self) -> None:
        """Do nothing; there is nothing to release."""


class KnownAdapter:
    """Opens `known:aware`, `known:blind`, `known:random` and `known:random:RATE:SEED`."""

    kind = "known"
    prefixes = ("known",)
    options_type = Options
    summary = "rule-based controls without weights: known:aware, known:blind, known:random"

    def recognises(self, weights: object) -> bool:
        """Return False; the model has no files."""
        return False

    def open(self, address: str, request: ModelRequest) -> Model:
        """Open the rule of that name, with the words of the request's language."""
        name = f"known:{address}"
        language = LANGUAGES.get(request.language)
        rule = _rule(name, *address.split(":"), language=language)
        return KnownModel(
            name, rule.fits, rule.identity, language.lexicon.verbs, _fillers(language),
            rule.likeness, rule.recall,
        )  # fmt: skip


def _fillers(language: Language) -> tuple[str, ...]:
    """Words of the language, as they stand at a blank, for who says none of the expected ones."""
    if language.code == DEFAULT_LANGUAGE:
        return _OTHERWISE
    forms = map(language.lexicon.form, language.lexicon.verbs)
    return tuple(islice(filter(None, forms), len(_OTHERWISE)))


@dataclass(frozen=True)
class _Rule:
    """How a known model answers, and everything that its answers depend on."""

    fits: Reader
    likeness: Likeness
    recall: Recall
    identity: tuple[object, ...]


def _rule(name: str, rule: str, *numbers: str, language: Language) -> _Rule:
    if rule == "random":
        rate, seed = _rate_and_seed(name, numbers)

        def fits(text: str, words: Sequence[str]) -> bool:
            return draw_share(seed, text) < rate

        return _Rule(
            fits,
            lambda probe: tuple(draw_share(seed, probe.text, option) for option in probe.options),
            lambda text, words: words[0] if words and fits(text, words) else None,
            (rule, rate, seed),
        )
    if rule == "blind" and not numbers:
        return _Rule(lambda text, words: True, word_overlap, recall_prime, (rule,))
    if rule == "aware" and not numbers:
        known = {key: value for key, value in language.about.items() if key != "name"}
        return _Rule(
            never_contradict(language), same_meaning(language), recall_fact(language), (rule, known)
        )
    raise UnknownNameError("known model", name.removeprefix("known:"), ["aware", "blind", "random"])


def _rate_and_seed(name: str, numbers: Sequence[str]) -> tuple[float, int]:
    try:
        rate = float(numbers[0]) if numbers else 0.5
        seed = int(numbers[1]) if len(numbers) > 1 else 0
        if not 0 <= rate <= 1 or len(numbers) > 2:
            raise ValueError
    except ValueError:
        raise ModelError(
            f"{name!r}: write known:random, known:random:RATE or known:random:RATE:SEED, "
            "with a rate from 0 to 1 and a whole number as seed"
        ) from None
    return rate, seed


ADAPTER = KnownAdapter()
