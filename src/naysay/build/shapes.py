"""The shapes of sentences in which a negated antonym is a paraphrase.

"The soil is not dry" means "The soil is wet", but "Do not be dry", "Nobody who is not dry is here"
and "not a dry wine" do not become paraphrases in this way. Only the shapes listed here are kept
without a review: a definite subject, "be" or a verb of appearance, a reviewed pair of opposites,
and nothing after it that interacts with the negation. Whatever else there is, is a doubt. That the
other sentence of the pair contains the antonym settles which antonym is meant and no other doubt.
"""

from __future__ import annotations

from collections.abc import Sequence

from naysay.build.negation import BE, Negation, is_inverted, question_tag
from naysay.build.opposites import allowed_after, fixed_with, opposite_doubt
from naysay.build.sentences import Token
from naysay.build.targets import Target
from naysay.data.negation.english import STEMS

DOUBTS = {
    "no definite subject": "a general or quantified statement: All rooms are not clean.",
    "imperative": "Don't be late does not ask you to be early.",
    "question": "Isn't it nice? means that it is.",
    "modal verb": "What must not be true need not be false.",
    "tense or change": "Who didn't get well need not have got ill.",
    "several clauses": "It is not useful but cheap. I know he is not ill.",
    "word with scope": "It was not open for long. It is only not safe here.",
    "mild degree word": "What is not very nice need not be very nasty.",
    "before a noun": "That is not a big deal, and not a hot dog.",
    "words after it": "We are not short of money.",
    "fixed expression": "It is not an easy chair. He is not right in the head.",
    "something in between": "Who is not rich need not be poor.",
    "opposites not reviewed": "A phone that is not broken is hardly called unbroken.",
    "several meanings": "A film that is not dull need not be sharp.",
    "event or state": "A pot that was not covered has not been uncovered.",
    "not confirmed": "Who did not buy a thing has not sold it.",
}
"""The reasons for not keeping a group until a person has reviewed it, each with an example."""

_OPENERS = {"no", "yes", "well", "oh", "yeah", "sorry", "okay", "ok", "sadly", "unfortunately"}
_DEFINITE = {"the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our",
             "their"}  # fmt: skip
_PRONOUNS = {"i", "you", "he", "she", "it", "we", "they", "this", "that", "these", "those"}
_NOUN_TAGS = {"AT0", "DT0", "DPS", "AJ0", "NN0", "NN1", "NN2", "NP0", "POS", "PRF", "PRP", "CRD"}
_SCOPE = {
    "all", "every", "each", "both", "most", "many", "much", "more", "less", "some", "any",
    "several", "few", "little", "everybody", "everyone", "everything", "everywhere", "somebody",
    "someone", "something", "nobody", "nothing", "anything", "one", "two", "three", "four", "five",
    "six", "seven", "eight", "nine", "ten", "only", "even", "just", "also", "too", "either",
    "neither", "still", "already", "again", "once", "twice", "always", "often", "sometimes",
    "usually", "rarely", "seldom", "ever", "never", "yet", "anymore", "until", "till", "since",
    "long", "enough", "else", "merely", "simply", "necessarily", "exactly", "quite", "almost",
    "nearly", "probably", "perhaps", "maybe", "possibly", "certainly", "surely", "then", "so",
    "as", "than", "such", "whatever", "whoever", "half", "dozen",
}  # fmt: skip
"""Words that interact with a negation in the same clause."""
_APPEARANCE = {"look", "seem", "feel", "sound", "taste", "smell", "appear"}
_STATES = {"will", "would", "'ll", *BE}
"""Auxiliaries that say of a state that it holds, not that it began or may hold."""
_CHANGES = {
    "been", "get", "getting", "become", "becoming", "stay", "staying", "remain", "remaining",
}  # fmt: skip
_TIMES = {"today", "tonight", "tomorrow", "yesterday", "here", "there", "now", "outside", "inside",
          "indoors", "outdoors", "upstairs", "downstairs"}  # fmt: skip
_PERIODS = {
    "morning", "afternoon", "evening", "night", "week", "month", "year", "time", "spring", "summer",
    "autumn", "winter", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    "sunday",
}  # fmt: skip
_SPANS = {
    "second", "minute", "hour", "day", "week", "month", "year", "decade", "century", "season",
    "while", "age", "weekend", *_PERIODS,
}  # fmt: skip
"""What a state lasts: what was not safe for a month was not dangerous for a month."""
_PLACES = {"in", "at"}
"""Prepositions of places and times, which are not part of what the adjective says."""
_INFINITIVE, _EXTRAPOSED, _NOUN = "to do", "it to", "noun"


def doubts(
    tokens: Sequence[Token], negation: Negation, target: Target, antonym: str, confirmed: bool
) -> tuple[str, ...]:
    """Return what speaks against keeping a group without a review, in the order of `DOUBTS`.

    The antonym is confirmed if it occurs in the other sentence of the pair.
    """
    found = _sentence_doubts(tokens, negation, target)
    found.add(opposite_doubt(target.word, antonym, target.word_class, confirmed) or "")
    if target.is_mild:
        found.add("mild degree word")
    if negation.kind == "without":
        found.add("" if confirmed else "not confirmed")
    elif target.word_class == "adjective":
        allowed = allowed_after(target.word, antonym)
        if allowed is None and (target.is_participle or target.word.endswith("ed")):
            found.add("event or state")
        found |= _context_doubts(tokens, target.place, antonym, allowed or frozenset())
    return tuple(doubt for doubt in DOUBTS if doubt in found)


def prefix_doubts(
    tokens: Sequence[Token], place: int, stem: str, antonym: str, confirmed: bool
) -> tuple[str, ...]:
    """Return the doubts about a group whose negation is a prefix: "The caller was impolite"."""
    found = _scope_doubts(tokens, place)
    verb = next((k for k, token in enumerate(tokens) if token.tag.startswith("V")), 0)
    if not _is_definite(tokens[_opened(tokens) : verb]) or tokens[verb].word not in BE:
        found.add("no definite subject")
    found.add(opposite_doubt(stem, antonym, "adjective", confirmed) or "")
    found |= _context_doubts(tokens, place, antonym, allowed_after(stem, antonym) or frozenset())
    return tuple(doubt for doubt in DOUBTS if doubt in found)


def _at(tokens: Sequence[Token], place: int) -> Token:
    return tokens[place] if 0 <= place < len(tokens) else Token("")


def _opened(tokens: Sequence[Token]) -> int:
    """Return the position after "No," and the like, or after "But"."""
    if _at(tokens, 0).word in _OPENERS and _at(tokens, 1).word == ",":
        return 2
    return 1 if _at(tokens, 0).word in ("but", "and", "so") else 0


def _end(tokens: Sequence[Token]) -> int:
    """Return the position of the final punctuation, or of the question tag before it."""
    if tag := question_tag(tokens):
        return tag.start
    end = len(tokens)
    while end and (not tokens[end - 1].text or tokens[end - 1].word in ".!?…"):
        end -= 1
    return end


def _sentence_doubts(tokens: Sequence[Token], negation: Negation, target: Target) -> set[str]:
    found = _scope_doubts(tokens, target.place)
    subject, finite = _subject(tokens, negation)
    auxiliary = STEMS.get(finite.word, finite.word)
    asks = any(token.word == "?" for token in tokens) and not question_tag(tokens)
    if asks or is_inverted(tokens, negation):
        return found | {"question"}
    if not subject or subject[0].word == "please":
        return found | {"imperative" if auxiliary == "do" else "no definite subject"}
    if not _is_definite(subject):
        found.add("several clauses" if _has_verb(subject) else "no definite subject")
    if target.word_class != "adjective" or negation.kind == "without":
        if finite.tag == "VM0" or auxiliary in STEMS.values():
            found.add("modal verb")
        return found
    between = {token.word for token in tokens[negation.end : target.place]}
    if auxiliary in ("do", "does", "did"):
        holds = bool(between & _APPEARANCE)
    else:
        holds = auxiliary in _STATES and not between & _CHANGES
    if finite.tag == "VM0" and auxiliary not in _STATES:
        found.add("modal verb")
    elif not holds:
        found.add("tense or change")
    return found


def _subject(tokens: Sequence[Token], negation: Negation) -> tuple[Sequence[Token], Token]:
    """Return the words before the finite verb, and that verb."""
    verb = negation.start - 1
    before = _at(tokens, verb)
    if negation.kind != "not" and not (before.tag.startswith("V") or before.word in BE):
        verb = negation.start  # "They never open it."
    return tokens[_opened(tokens) : max(verb, 0)], _at(tokens, verb)


def _scope_doubts(tokens: Sequence[Token], place: int) -> set[str]:
    """Return doubts about words anywhere in the sentence except the target."""
    start, end = _opened(tokens), _end(tokens)
    found = set()
    for k in range(start, end):
        token = tokens[k]
        if k == place:
            continue
        if token.tag in ("CJC", "CJS", "CJT", "DTQ", "PNQ", "AVQ", "ITJ") or (
            token.word and not token.word[-1].isalnum()
        ):
            found.add("several clauses")
        elif token.word in _SCOPE:
            found.add("word with scope")
    return found


def _has_verb(tokens: Sequence[Token]) -> bool:
    return any(token.tag.startswith("V") for token in tokens)


def _is_definite(subject: Sequence[Token]) -> bool:
    """Return whether a subject is a pronoun, a name, or begins with a definite article."""
    if not subject:
        return False
    if len(subject) == 1 and subject[0].word in _PRONOUNS:
        return True
    first = subject[0]
    named = first.tag == "NP0" and first.text[:1].isupper()
    return (named or first.word in _DEFINITE) and all(
        token.tag in _NOUN_TAGS or token.word in ("'s", "'") for token in subject
    )


def _context_doubts(
    tokens: Sequence[Token], adjective: int, antonym: str, allowed: frozenset[str]
) -> set[str]:
    """Return doubts about an adjective's noun or complement."""
    place, end = adjective + 1, _end(tokens)
    found = set()
    after = {_singular(token.word) for token in tokens[place:end]}
    if after & fixed_with(tokens[adjective].word, antonym):
        found.add("fixed expression")
    if _at(tokens, place).tag[:2] in ("NN", "NP", "AJ", "CR") and place < end:
        article = _at(tokens, adjective - 1).word in ("a", "an")
        plain = _at(tokens, place + 1).tag[:2] not in ("NN", "AJ", "VV")
        if not (article and plain and _NOUN in allowed):
            found.add("before a noun")
        place += 1
    if not _ends_well(tokens, place, end, allowed):
        found.add("words after it")
    return found


def _ends_well(tokens: Sequence[Token], place: int, end: int, allowed: frozenset[str]) -> bool:
    """Return whether the words after an adjective go with its antonym, too."""
    rest = tokens[place:end]
    if not rest:
        return True
    first = rest[0].word
    if first in _TIMES:
        return _ends_well(tokens, place + 1, end, allowed)
    if first in ("this", "last", "that", "next") and _at(rest, 1).word in _PERIODS:
        return _ends_well(tokens, place + 2, end, allowed)
    if _has_verb(rest[1:]) and first != "to":
        return False
    if first == "to" and _at(rest, 1).tag[:1] == "V":
        extraposed = _EXTRAPOSED in allowed and tokens[_opened(tokens)].word == "it"
        return _INFINITIVE in allowed or extraposed
    if first in ("for", "in") and _is_span(rest[1:]):
        return False
    return first in allowed or _is_place(rest)


def _singular(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


def _is_span(phrase: Sequence[Token]) -> bool:
    """Return whether it is a length of time: "a month", "years"; but not "winter", "the summer"."""
    last = phrase[-1].word if phrase else ""
    if _singular(last) not in _SPANS:
        return False
    dated = last in _PERIODS and (len(phrase) == 1 or phrase[0].word in _DEFINITE)
    return not dated


def _is_place(phrase: Sequence[Token]) -> bool:
    """Return whether it is a place or time: "in the garden", "in winter", "on Monday".

    "On" with other nouns often belongs to the adjective: easy on the eye.
    """
    preposition, first = phrase[0].word, _at(phrase, 1)
    named = first.tag == "NP0" or _singular(first.word) in _PERIODS or first.word.isdigit()
    definite = first.word in _DEFINITE and preposition in _PLACES
    whole = all(token.tag in _NOUN_TAGS for token in phrase[2:])
    return (definite or (named and preposition in {*_PLACES, "on"})) and whole
