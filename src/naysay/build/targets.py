"""Finding the word after a negator that is replaced by its antonym."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from naysay.build.antonyms import antonyms, prefixed
from naysay.build.negation import (
    CLAUSE_STARTS,
    MILD,
    STRONG,
    Negation,
    is_inverted,
    question_tag,
)
from naysay.build.sentences import FORMS, LeftOut, Token, base_form, is_compared

_COPULAS = {
    "look", "looks", "looked", "looking", "feel", "feels", "felt", "feeling",
    "seem", "seems", "seemed", "sound", "sounds", "sounded", "sounding",
    "taste", "tastes", "tasted", "tasting", "smell", "smells", "smelled", "smelling",
    "get", "gets", "got", "getting", "become", "becomes", "became", "becoming",
    "stay", "stays", "stayed", "staying", "remain", "remains", "remained", "remaining",
    "appear", "appears", "appeared", "appearing",
}  # fmt: skip
_BE = {"be", "been", "being", "going", "gonna"}
_ARTICLES = {"a", "an", "the"}
_ORDERED = {"same", "only", "last", "next", "other"}
_MANNER = {"well", "badly", "early", "late", "often", "fast", "hard"}


@dataclass(frozen=True)
class Target:
    """A word with its class and base form."""

    place: int
    word_class: str
    word: str
    form: str = ""
    """The form of a verb, as a Penn Treebank tag."""
    is_mild: bool = False
    """Whether a mild degree word precedes it."""
    is_participle: bool = False


def find_target(tokens: Sequence[Token], negation: Negation, classes: Sequence[str]) -> Target:
    """Return the word after the negator, of the first class that matches."""
    for word_class, find in _FINDERS.items():
        if word_class in classes and (target := find(tokens, negation)):
            return target
    if _has_subject_after(tokens, negation):
        raise LeftOut("subject after the negator")
    raise LeftOut("word after the negator is not read as a word of the class")


def _has_subject_after(tokens: Sequence[Token], negation: Negation) -> bool:
    """Return whether a noun separates the negator from its adjective: "Isn't the shop open?"."""
    asks = any(token.word == "?" for token in tokens) and not question_tag(tokens)
    after = _at(tokens, negation.end)
    starts = after.tag in ("AT0", "DT0", "DPS", "NP0", "NN1", "NN2", "PNP", "PNI")
    before = _at(tokens, negation.start - 2) if negation.start > 1 else Token("", "", "PUN")
    return asks and starts and before.tag in CLAUSE_STARTS


def _start(tokens: Sequence[Token], negation: Negation) -> int:
    return negation.end + (1 if is_inverted(tokens, negation) else 0)


def _at(tokens: Sequence[Token], place: int) -> Token:
    return tokens[place] if place < len(tokens) else Token("")


def _adjective(tokens: Sequence[Token], negation: Negation) -> Target | None:
    place = _start(tokens, negation)
    copula, the, mild = False, False, False
    while (token := _at(tokens, place)).text:
        to_be = token.word == "to" and _at(tokens, place + 1).word == "be"
        if (token.word in _BE or token.word in _COPULAS or to_be) and negation.kind != "without":
            copula = copula or token.word in _COPULAS
        elif token.word in _ARTICLES:
            the = token.word == "the"
        elif token.word in MILD:
            mild = True
        else:
            break
        place += 1
    after = _at(tokens, place + 1)
    if token.tag == "ORD" or (the and token.word in _ORDERED):
        raise LeftOut("ordinal or the same")
    if token.tag in ("AJC", "AJS") or (token.tag == "AV0" and is_compared(token.word)):
        raise LeftOut("comparative or superlative")
    if token.tag != "AJ0" and after.tag in ("AJ0", "AJC", "AV0", "AT0"):
        if token.word in STRONG:
            raise LeftOut("degree word")
        if token.tag == "AV0" and after.tag in ("AJ0", "AT0"):
            raise LeftOut("adverb before the word")
    participle = _is_participle(token) and after.word != "by"
    if token.tag != "AJ0" and not participle:
        return None
    if copula and after.tag[:2] in ("NN", "NP", "AJ"):  # "didn't get hot water"
        return None
    _check_following(tokens, place)
    return Target(place, "adjective", token.word, is_mild=mild, is_participle=participle)


def _is_participle(token: Token) -> bool:
    """Return whether a participle is also an adjective, as "un-" shows: locked, unlocked."""
    return token.tag in ("VVN", "VVD") and any(
        antonym.own and prefixed(token.word, antonym.word)
        for antonym in antonyms(token.word, "adjective")
    )


def _check_following(tokens: Sequence[Token], place: int) -> None:
    after, second = _at(tokens, place + 1), _at(tokens, place + 2)
    asks = after.word in ("if", "whether") or after.tag in ("AVQ", "DTQ", "PNQ")
    if asks and tokens[place].word in ("sure", "certain", "convinced"):  # nobody is sure whether
        raise LeftOut("needs the negation")
    if after.word == "enough":
        raise LeftOut("degree word")
    joined = after.word in ("and", "or") and second.tag[:2] in ("AJ", "AV", "VV", "NN")
    if joined or (after.word == "," and second.tag[:2] == "AJ"):
        raise LeftOut("several words joined")


def _verb(tokens: Sequence[Token], negation: Negation) -> Target | None:
    place = _start(tokens, negation)
    while _at(tokens, place).word in MILD:
        place += 1
    token = _at(tokens, place)
    if token.tag not in FORMS or token.word in _COPULAS:
        return None
    after = _at(tokens, place + 1)
    if after.tag == "AVP":
        raise LeftOut("verb with a particle")
    _check_following(tokens, place)
    return Target(place, "verb", base_form(token.word), FORMS[token.tag])


def _adverb(tokens: Sequence[Token], negation: Negation) -> Target | None:
    place = _start(tokens, negation)
    if _at(tokens, place).tag not in FORMS:
        return None
    for k in range(place + 1, len(tokens)):
        token, after = tokens[k], _at(tokens, k + 1)
        if token.tag in ("PUN", "CJC", "CJS", "CJT", "DTQ", "AVQ", "PNQ"):
            break
        manner = token.word.endswith("ly") or token.word in _MANNER
        if token.tag == "AV0" and manner and after.tag[:2] not in ("AJ", "VV", "NN"):
            if tokens[k - 1].word in STRONG or after.word == "enough":
                raise LeftOut("degree word")
            _check_following(tokens, k)
            return Target(k, "adverb", token.word, is_mild=tokens[k - 1].word in MILD)
    return None


def _noun(tokens: Sequence[Token], negation: Negation) -> Target | None:
    place = negation.end + (_at(tokens, negation.end).word in _ARTICLES)
    token, after = _at(tokens, place), _at(tokens, place + 1)
    if negation.kind != "without" or token.tag != "NN1" or after.tag[:2] == "NN":
        return None
    _check_following(tokens, place)
    return Target(place, "noun", token.word)


_FINDERS = {"adjective": _adjective, "adverb": _adverb, "verb": _verb, "noun": _noun}
