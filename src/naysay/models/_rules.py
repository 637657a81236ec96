"""Rules by which the known models answer.

The rules know no grammar, only the language's negators. Comparing a sentence with its options is
enough to see what changed from one to the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import takewhile

from naysay.core.probes import BLANK, ChooseClosest
from naysay.data.languages import Language

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

Reader = Callable[[str, Sequence[str]], bool]
"""Maps the text and the words mentioned before to whether one of them can fill the blank."""


def negation_in(language: Language) -> re.Pattern[str]:
    """Return a pattern that finds any of the language's negators."""
    return re.compile("|".join(map(_negator, language.about["negators"])), re.IGNORECASE)


def never_contradict(language: Language) -> Reader:
    """Return a rule that repeats a word unless that contradicts the text about the same person."""
    negated = negation_in(language)
    pronouns = {pronoun.lower() for pronoun in language.pronouns.values()}

    def fits(text: str, words: Sequence[str]) -> bool:
        *context, asked = SENTENCE_END.split(text[: text.index(BLANK)])
        mentions = [s for s in context if any(_as_word(word).search(s) for word in words)]
        if not mentions:
            return False
        person = _person(asked, context, pronouns)
        about = [sentence for sentence in mentions if _as_word(person).search(sentence)]
        # If the context is about somebody else, there is nothing to contradict.
        return not about or bool(negated.search(about[-1])) == bool(negated.search(asked))

    return fits


@cache
def _as_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b")


def _negator(word: str) -> str:
    return rf"{re.escape(word)}\b" if word.startswith(("n'", "'")) else rf"\b{re.escape(word)}\b"


def _person(asked: str, context: Sequence[str], pronouns: set[str]) -> str:
    """Return the person asked about; a pronoun refers to the person the text begins with.

    >>> _person("Unlike Bob, Cleopatra does like to ", ["Bob is a baker."], {"he", "she"})
    'Cleopatra'
    >>> _person("So, he really does like to ", ["Bob is a baker."], {"he", "she"})
    'Bob'
    """
    if pronouns & {word.lower() for word in re.findall(r"\w+", asked)}:
        return next(iter(_capitalised(context[0])), "")
    return next(reversed(_capitalised(asked)), "")


def _capitalised(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text) if word[0].isupper()]


Recall = Callable[[str, Sequence[str]], str | None]
"""Maps the text and the expected words to the answer; None if it is none of these."""
_PRIME = re.compile(r"^(\S+)\?\s")


def recall_prime(text: str, words: Sequence[str]) -> str | None:
    """Return the prime before the question, else the expected word."""
    prime = _PRIME.match(text)
    if prime:
        return prime[1]
    return words[0] if words else None


def recall_fact(language: Language) -> Recall:
    """Return a rule that gives the expected word unless the sentence with the blank is negated."""
    negated = negation_in(language)

    def recall(text: str, words: Sequence[str]) -> str | None:
        before, _, after = text.partition(BLANK)
        sentence = SENTENCE_END.split(before)[-1] + BLANK + SENTENCE_END.split(after)[0]
        return words[0] if words and not negated.search(sentence) else None

    return recall


Likeness = Callable[[ChooseClosest], tuple[float, ...]]
"""Maps a probe to the similarity of each option to the text."""
_WORD = re.compile(r"\w+(?:['’]\w+)*")


def word_overlap(probe: ChooseClosest) -> tuple[float, ...]:
    """Return the share of words in common (Jaccard index).

    >>> word_overlap(ChooseClosest("It's hot.", ("It's cold.", "It's not hot.", "It's not cold.")))
    (0.3333333333333333, 0.6666666666666666, 0.25)
    """
    text = set(_words(probe.text))
    options = [set(_words(option)) for option in probe.options]
    return tuple(len(text & words) / len(text | words) for words in options)


def same_meaning(language: Language) -> Likeness:
    """Return a rule that scores 1 if nothing changed, or both the polarity and a word, else 0."""
    about = language.about
    negators = {str(word) for word in about["negators"]}
    supports = {str(word) for word in about.get("supports", ())}
    prefixes = tuple(map(str, about.get("prefixes", ())))

    def scores(probe: ChooseClosest) -> tuple[float, ...]:
        sentences = [_split(text, negators) for text in (probe.text, *probe.options)]
        every = {word for words in sentences for word in words}
        read = [_read(words, every, negators, supports, prefixes) for words in sentences]
        in_all = set.intersection(*(words for _, words, _ in read))
        (polarity, own), *options = [(turned, words - in_all) for turned, words, _ in read]
        alike = [_alike(own, words) for _, words in options]
        turned_ones = [
            a for a, (turned, _) in zip(alike, options, strict=True) if turned != polarity
        ]
        # Among the options with the other polarity, the most similar has the same words; the others
        # have a different word. If all have the same words, a prefix negates, and the options with
        # the same polarity mean the same.
        prefixed = any(stripped for *_, stripped in read) and min(turned_ones, default=-1) >= 0
        most = max(turned_ones, default=0)
        return tuple(
            float(prefixed if turned == polarity else not prefixed and likeness < most)
            for likeness, (turned, _) in zip(alike, options, strict=True)
        )

    return scores


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def _without_tag(text: str) -> str:
    """Return the text without a question tag, whose polarity depends on the sentence's.

    >>> _without_tag("It's hot, isn't it?")
    "It's hot"
    """
    return re.sub(r",\s+[\w'’]+\s+\w+\?$", "", text)


def _split(text: str, negators: set[str]) -> list[str]:
    """Split the text into words, and contracted negators off their verbs.

    >>> _split("It isn't hot.", {"n't"})
    ['it', 'is', "n't", 'hot']
    """
    words: list[str] = []
    for word in _words(_without_tag(text)):
        ending = next((n for n in negators if n.startswith("n'") and word.endswith(n)), "")
        words += [part for part in (word.removesuffix(ending), ending) if part]
    return words


def _read(
    words: Sequence[str],
    every: set[str],
    negators: set[str],
    supports: set[str],
    prefixes: tuple[str, ...],
) -> tuple[bool, set[str], bool]:
    """Return whether the sentence is negated, its content words, and whether a prefix negates it.

    A prefix negates a word if the word without it occurs in one of the sentences.
    """
    turned, content, stripped = False, set(), False
    for word in words:
        if word in negators:
            turned = not turned
            continue
        base = next((word[len(p) :] for p in prefixes if word.startswith(p)), "")
        if len(base) > 2 and base in every:
            turned, word, stripped = not turned, base, True  # noqa: PLW2901 - read as its base
        if word not in supports:
            content.add(word)
    return turned, content, stripped


def _alike(own: set[str], others: set[str]) -> int:
    """Score the similarity of two sets of words by their shared initial letters.

    Letters of `others` that are not shared count against it. Forms of one word begin alike.

    >>> _alike({"accepted"}, {"accept"}), _alike({"accepted"}, {"reject"})
    (6, -6)
    """
    shared = sum(_beginning(word, others) for word in own)
    return shared - sum(len(other) - _beginning(other, own) for other in others)


def _beginning(word: str, others: set[str]) -> int:
    """Return the length of the longest prefix that the word shares with one of the others."""
    return max((_common(word, other) for other in others), default=0)


def _common(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], pairs))
