"""Taking a negation out of a sentence, and putting one in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from naysay.build.auxiliaries import BE, STEMS, SUPPORT
from naysay.build.degrees import MILD
from naysay.build.inflection import FORMS, base_form, inflect
from naysay.build.negators import Negation
from naysay.build.question_tags import flipped, question_tag
from naysay.build.reasons import LeftOut
from naysay.build.sentences import Token, like

_REPLACED = {"never": "always", "no longer": "now", "without": "with", "hardly": ""}
# "if not impossible" and "needn't be late" have no counterpart without the negation.
_FIXED_BEFORE = {"if", "whether", "or", "why", "than", "ai", "need", "dare"}
_NEEDY = {
    "any", "anyone", "anybody", "anything", "anywhere", "anymore", "ever", "yet", "either",
    "until", "whatsoever", "at all", "let alone",
}  # fmt: skip
"""Words that want a negation before them."""
_SUBJECT_TAGS = {"PNP", "EX0"}
_SUBJECTS = {"this", "that", "these", "those"}
_CLAUSE_STARTS = {"PUN", "PUQ", "CJC", "CJS", "AVQ", "DTQ", "PNQ", "ITJ"}


@dataclass(frozen=True)
class Change:
    """What changes if a sentence gets the other polarity."""

    texts: dict[int, str]
    """The new text of some tokens; an empty one takes the token out."""
    verb: int | None = None
    """The verb that takes over the form of an auxiliary, and that form."""
    form: str = ""


def is_inverted(tokens: Sequence[Token], negation: Negation) -> bool:
    """Whether the subject follows the negator, as in "Isn't it nice?"."""
    after = tokens[negation.end : negation.end + 1]
    subject = any(t.tag in _SUBJECT_TAGS or t.word in _SUBJECTS for t in after)
    before = tokens[negation.start - 2].tag if negation.start > 1 else "PUN"
    return tokens[negation.start].word == "n't" and subject and before in _CLAUSE_STARTS


def take_out(tokens: Sequence[Token], negation: Negation) -> Change:
    """The change that takes a negation out; a question tag follows."""
    following = [token.word for token in tokens[negation.end :]]
    if _NEEDY & {*following, *map(" ".join, pairwise(following))}:
        raise LeftOut("needs the negation")
    change = (
        _without_not(tokens, negation) if negation.kind == "not" else _replaced(tokens, negation)
    )
    if tag := question_tag(tokens):
        if tag.negation is not None:
            raise LeftOut("question tag")
        if not _is_imperative(tokens, negation):
            change.texts.update(flipped(tokens, tag))
    return change


def put_in(tokens: Sequence[Token], place: int) -> dict[int, str]:
    """The changes that put "not" before what stands at a place; a question tag follows."""
    texts: dict[int, str] = {}
    for k in range(place - 1, -1, -1):
        token = tokens[k]
        before = tokens[k - 1] if k else Token("")
        if token.word in BE or token.tag in ("VM0", "VHZ", "VHB", "VHD"):
            texts[k] = f"{token.text} not"
            break
        if token.tag in ("VVZ", "VVD", "VVB") and before.tag not in ("VM0", "TO0"):
            support = next(do for do, form in SUPPORT.items() if form == FORMS[token.tag])
            texts[k] = like(token.text, f"{support} not {base_form(token.text)}")
            break
        if token.tag not in ("AT0", "VBI", "VBN", "VVI", "VVN") and token.word not in MILD:
            raise LeftOut("cannot be negated")
    else:
        raise LeftOut("cannot be negated")
    if tag := question_tag(tokens):
        if tag.negation is None:
            raise LeftOut("question tag")
        texts.update(flipped(tokens, tag))
    return texts


def _is_imperative(tokens: Sequence[Token], negation: Negation) -> bool:
    """Whether it is "Don't …" or "Never …" with no subject before."""
    start = negation.start
    if negation.kind == "not" and start and tokens[start - 1].word == "do":
        start -= 1
    elif negation.kind != "never":
        return False
    return start == 0 or tokens[start - 1].word in (",", "please", "and", "so", "but")


def _without_not(tokens: Sequence[Token], negation: Negation) -> Change:
    place = negation.start
    texts = {place: ""}
    before = tokens[place - 1] if place else Token("")
    if before.word in _FIXED_BEFORE:
        raise LeftOut("cannot be taken out")
    if is_inverted(tokens, negation):
        if before.word == "are" and tokens[negation.end].word == "i":
            texts[place - 1] = like(before.text, "am")
    elif before.word in SUPPORT:
        return _without_support(tokens, place, texts)
    if before.word in STEMS and tokens[place].word == "n't":
        texts[place - 1] = like(before.text, STEMS[before.word])
    return Change(texts)


def _without_support(tokens: Sequence[Token], place: int, texts: dict[int, str]) -> Change:
    form = SUPPORT[tokens[place - 1].word]
    verb = place + 1
    while verb < len(tokens) and tokens[verb].tag == "AV0":
        verb += 1
    if verb == len(tokens) or not tokens[verb].tag.startswith("V"):
        raise LeftOut("cannot be taken out")
    if not inflect(tokens[verb].word, form):
        raise LeftOut("cannot be inflected")
    return Change({**texts, place - 1: ""}, verb, form)


def _replaced(tokens: Sequence[Token], negation: Negation) -> Change:
    first = tokens[negation.start]
    after = tokens[negation.end : negation.end + 1]
    # "Never have I been …": the order of words belongs to the negator.
    if (
        negation.start == 0
        and any(t.tag[:2] in ("VB", "VH", "VD", "VM") for t in after)
        and (after[0].tag[-1] != "I")
    ):
        raise LeftOut("cannot be taken out")
    texts = dict.fromkeys(range(negation.start, negation.end), "")
    texts[negation.start] = like(first.text, _REPLACED[negation.kind])
    return Change(texts)
