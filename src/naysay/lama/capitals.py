"""Capitals that a prime had before upstream gave it one capital at its start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from naysay.lama.faults import LOST_ACRONYM, LOST_CAPITALS, MAYBE_ACRONYM

_Spellings = dict[str, set[str]]


class Capitals:
    """The spellings of a prime among the answers of its relation, and in the common vocabulary.

    A prime is mended if all its spellings but one are ruled out, and this one has other capitals
    after its first letter. For random primes only the vocabulary counts. For the others, which are
    answers or a model's guesses at one, the answers of the relation come first; and where all of
    these have a capital, so has the prime. What is spelled in several ways still stays as it
    is, and is noted if one of them is an acronym.

    >>> answers = [("trex", "P108", "IBM"), ("trex", "P108", "Apple")]
    >>> capitals = Capitals(answers, ("gold", "YouTube", "HP", "hp", "IT", "It", "it"))
    >>> capitals.mended("Ibm", "trex", "P108"), capitals.mended("Hp", "trex", "P108")
    (('IBM', 'acronym in small letters'), ('HP', 'acronym in small letters'))
    >>> capitals.mended("Youtube", "trex", "P1"), capitals.mended("Gold", "trex", "P1")
    (('YouTube', 'capitals within the prime lost'), ('Gold', ''))
    >>> capitals.mended("It", "trex", "P108")
    ('It', 'prime may be an acronym')
    """

    def __init__(self, answers: Iterable[tuple[str, str, str]], vocabulary: Iterable[str]) -> None:
        """`answers` come with their corpus and relation before them."""
        self._answers: dict[tuple[str, str], _Spellings] = defaultdict(lambda: defaultdict(set))
        for corpus, relation, answer in answers:
            self._answers[corpus, relation][answer.lower()].add(answer)
        self._vocabulary: _Spellings = defaultdict(set)
        for word in vocabulary:
            self._vocabulary[word.lower()].add(word)
        self._names = {
            place
            for place, spellings in self._answers.items()
            if not any(word.islower() for words in spellings.values() for word in words)
        }

    def mended(
        self, prime: str, corpus: str, relation: str, *, random: bool = False
    ) -> tuple[str, str]:
        """The prime with its capitals, and the fault that was mended or could not be."""
        place = corpus, relation
        spellings = self._vocabulary.get(prime.lower(), set())
        if not random and place in self._answers:
            spellings = self._answers[place].get(prime.lower()) or spellings
            if place in self._names:
                spellings = {word for word in spellings if not word.islower()}
        if len(spellings) == 1:
            return _restored(prime, *spellings)
        doubtful = any(_is_acronym(word) and word != prime for word in spellings)
        return prime, MAYBE_ACRONYM if doubtful else ""


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def _restored(prime: str, word: str) -> tuple[str, str]:
    if prime[1:] == word[1:]:
        return prime, ""
    return word, LOST_ACRONYM if _is_acronym(word) else LOST_CAPITALS
