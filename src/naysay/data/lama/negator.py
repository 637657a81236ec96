"""Negating an English statement, if that is easy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from naysay.data.lama.verbs import FORMS, REPORTING, Form, is_participle
from naysay.data.languages import LANGUAGES

_TOKEN = re.compile(r"\[\w+\]|▢\w*|\w+(?:[.'’&-]\w+)*|[^\w\s]")
_PARENTHESIS = re.compile(r"\((?=(?:born|built|made|\w+ed)\b)")
_BE = {"am", "is", "are", "was", "were"}
_MODALS = {"can", "could", "will", "would", "shall", "should", "may", "might", "must"}
_HAVE_AND_DO = {
    "has": Form("have", "s"), "have": Form("have", "base"), "had": Form("have", "past"),
    "does": Form("do", "s"), "do": Form("do", "base"), "did": Form("do", "past"),
}  # fmt: skip
_CLAUSE_WORDS = {
    "that", "which", "who", "whom", "whose", "when", "where", "while", "because", "if", "although",
    "though", "unless", "whereas", "whether", "what", "why", "how", "whatever", "whenever", "but",
}  # fmt: skip
_SUBJECTS = {"i", "you", "he", "she", "we", "they"}
_PLURALS = {"people", "men", "women", "children", "mice", "police", "i", "you", "we", "they"}
_BEFORE_NOUNS = {
    "a", "an", "the", "this", "these", "those", "my", "your", "his", "her", "its", "our", "their",
    "some", "any", "each", "every", "all", "many", "several", "few", "another", "other", "more",
    "much", "one", "two", "three", "first", "most", "very", "and", "or", "be", "been", "being",
    "of", "in", "on", "at", "by", "for", "with", "from", "to", "into", "onto", "over", "under",
    "about", "after", "before", "during", "between", "among", "through", "against", "as", "like",
    "near", "off", "along", "within", "upon", "via", "per", "than", "despite",
}  # fmt: skip
"""Words that are never directly followed by a finite verb."""
_ADVERBS = {"also", "always", "often", "usually"}
_SUPPORT = {"s": "does", "past": "did", "base": "do"}


class _Token(NamedTuple):
    word: str
    start: int
    end: int
    name: bool
    """Whether it is capitalised (except the first word) or a blank."""

    @property
    def adverb(self) -> bool:
        return self.word in _ADVERBS or self.word.endswith("ly")


@cache
def _negators() -> frozenset[str]:
    return frozenset(LANGUAGES.get("en").negation["negators"])


def negators(text: str) -> int:
    """Return the number of negators in a text.

    >>> negators("It isn't so, and it never was."), negators("It is in Nottingham.")
    (2, 0)
    """
    words = re.findall(r"[a-z]+(?:['’]t\b)?", text.lower())
    negating = _negators()
    return sum(word in negating or word.endswith(("n't", "n’t")) for word in words)


def is_negation(plain: str, negated: str) -> bool:
    """Return whether a text has more negators than another one.

    >>> is_negation("[X] is in [Y] .", "[X] is not in [Y] .")
    True
    """
    return negators(negated) > negators(plain)


_FEW_WORDS = 4
_PATTERNS = (
    "is a type of", "is made of", "is part of", "are made of", "can be made of", "are a type of",
    "are a part of",
)  # fmt: skip


def is_in_subset(text: str) -> bool:
    """Return whether a sentence of ConceptNet is easy to negate by the paper's rule (A.1.1).

    It has at most four words, or one of seven phrases. The paper counts tokens; separated by
    spaces, with the final sign as part of the last one, they are as many as in its released rows.

    >>> is_in_subset("Birds can [MASK]."), is_in_subset("A bird can learn to [MASK].")
    (True, False)
    >>> is_in_subset("A very old house is made of [MASK].")
    True
    """
    return len(text.split()) <= _FEW_WORDS or any(phrase in text for phrase in _PATTERNS)


def negate(text: str) -> str | None:
    """Negate a statement; return None if that is not easy.

    It is easy if there is one clause, with no negation in it, and this clause has

    - one form of "be" or one modal: "not" comes after it ("can" becomes "cannot"); or
    - "has", "have" or "had" before a participle: "not" comes after it; or
    - one finite verb that `verbs.py` knows, "have" and "do" among them: it is negated
      with a form of "do"; or
    - no finite verb but a participle in parentheses, "(born ▢)": "not" comes before it.

    It counts as several clauses, and so as not easy, if there is a second finite verb, a word such
    as "that", "who", "when" or "but", a personal pronoun that begins another clause, a verb of
    saying or thinking next to the verb, a semicolon, a colon or a question mark. Capitalised words
    are names (except the first one), and names are neither verbs nor such words. A word that may be
    a noun or a verb is not a verb after an article, a preposition and the like; a base form is a
    verb only after a plural.

    >>> negate("Birds can ▢.")
    'Birds cannot ▢.'
    >>> negate("[X] died in the city of [Y] .")
    '[X] did not die in the city of [Y] .'
    >>> negate("Anna Lee (born ▢).")
    'Anna Lee (not born ▢).'
    >>> negate("The ship that sank was the ▢.") is None
    True
    """
    if negators(text) or re.search(r"[;?]|:\s", text):
        return None
    tokens = _tokens(text)
    if any(token.word in _CLAUSE_WORDS and not token.name for token in tokens):
        return None
    auxiliaries = [k for k in range(1, len(tokens)) if _is_auxiliary(tokens, k)]
    verbs = [(k, form) for k in range(1, len(tokens)) if (form := _finite_form(tokens, k))]
    if len(auxiliaries) == 1:
        return _with_not(text, tokens, auxiliaries[0])
    if auxiliaries or len(verbs) > 1:
        return None
    if verbs:
        return _with_do(text, tokens, *verbs[0])
    if len(_PARENTHESIS.findall(text)) == 1:
        return _PARENTHESIS.sub("(not ", text)
    return None


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    for match in _TOKEN.finditer(text):
        word = match[0]
        name = word[0] in "[▢" or (bool(found) and word != word.lower())
        found.append(_Token(word.lower(), match.start(), match.end(), name))
    return found


def _is_auxiliary(tokens: Sequence[_Token], place: int) -> bool:
    """Return whether there is a finite "be", a modal, or "have" before a participle."""
    token = tokens[place]
    if token.name:
        return False
    if token.word in _MODALS:
        return tokens[place - 1].word not in _BEFORE_NOUNS
    return token.word in _BE or _is_perfect(tokens, place)


def _is_perfect(tokens: Sequence[_Token], place: int) -> bool:
    form = _HAVE_AND_DO.get(tokens[place].word)
    after = next((token for token in tokens[place + 1 :] if not token.adverb), None)
    if form is None or form.base != "have" or after is None or after.name:
        return False
    return is_participle(after.word) and _is_finite(tokens, place)


def _is_finite(tokens: Sequence[_Token], place: int) -> bool:
    """Return whether neither "to" nor a modal comes before a verb."""
    before = {token.word for token in tokens[max(0, place - 2) : place]}
    return tokens[place - 1].word != "to" and not before & _MODALS


def _with_not(text: str, tokens: Sequence[_Token], place: int) -> str | None:
    """Insert "not" after the auxiliary; return None if there is another finite verb."""
    before = [k for k in range(1, place) if tokens[k].word in _HAVE_AND_DO and not tokens[k].name]
    if any(_is_finite(tokens, k) for k in before) or _second_clause(tokens, place):
        return None
    token = tokens[place]
    return f"{text[: token.end]}{'not' if token.word == 'can' else ' not'}{text[token.end :]}"


def _second_clause(tokens: Sequence[_Token], verb: int) -> bool:
    """Return whether there is a clause besides that of the verb.

    It may be a verb of saying before it ("He said it was …"), a personal pronoun that is not its
    subject ("Things you own are …"), or another verb joined to it ("… and dropped it").
    """
    for k, token in enumerate(tokens[1:-1], 1):
        before, after = tokens[k - 1], tokens[k + 1]
        if token.name:
            continue
        if k < verb and token.word in REPORTING and before.word not in _BEFORE_NOUNS:
            return True
        own = k < verb and all(between.adverb for between in tokens[k + 1 : verb])
        ended = after.word in _BEFORE_NOUNS or not after.word[:1].isalpha()
        if token.word in _SUBJECTS and not own and not ended:
            return True
        if before.adverb:
            before = tokens[k - 2]
        joined = any(form.kind != "base" for form in FORMS.get(token.word, ()))
        if k > verb and joined and before.word in ("and", "or"):
            return True
    return False


def _finite_form(tokens: Sequence[_Token], place: int) -> Form | None:
    """Return the form of a finite verb, None if the word is not one here."""
    token = tokens[place]
    earlier = [before for before in tokens[:place] if not before.adverb] or list(tokens[:1])
    before, after = earlier[-1], tokens[place + 1] if place + 1 < len(tokens) else token
    if token.name or before.word in _BEFORE_NOUNS | _MODALS or not _is_finite(tokens, place):
        return None
    if token.word in _HAVE_AND_DO:
        return _HAVE_AND_DO[token.word]
    if token.word == "like" and not (after.word == "to" or after.name):
        return None  # "Fruits like apples …"
    joined = len(earlier) > 1 and earlier[-2].word == "and"
    plural = before.word in _PLURALS or joined or (before.word.endswith("s") and not before.name)
    for form in FORMS.get(token.word, ()):
        if form.kind == "base" and plural and not _is_likeness(before.word, token.word):
            return form
        if form.kind != "base" and not (plural and token.word == form.base):
            # "chains made of silver", "a book read by all": not a finite verb.
            return None if form.kind == "past" and after.word in ("of", "by", "out") else form
    return None


def _is_likeness(before: str, word: str) -> bool:
    return word == "like" and before in ("tastes", "smells", "looks", "sounds", "feels")


def _with_do(text: str, tokens: Sequence[_Token], place: int, form: Form) -> str | None:
    """Insert "do not" before the verb and its adverbs."""
    if _second_clause(tokens, place):
        return None
    first = place
    while first > 1 and tokens[first - 1].adverb:
        first -= 1
    between = text[tokens[first].start : tokens[place].start]
    support = f"{_SUPPORT[form.kind]} not {between}{form.base}"
    return f"{text[: tokens[first].start]}{support}{text[tokens[place].end :]}"
