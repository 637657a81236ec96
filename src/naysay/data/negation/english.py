"""English: *not* after an auxiliary, a form of *do* before any other verb.

Adding is the work of LAMA's negator, which knows what is easy to negate; here its *not* is
contracted, as in speech and in the tests, and a relative clause at the end counts as easy too.
"""

from __future__ import annotations

import re

from naysay.data.lama.negator import negate, negators
from naysay.data.lama.verbs import FORMS, is_participle, past, past_of, third_person

STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
"""Stems of auxiliaries before "n't" that differ from the auxiliary itself."""
NEEDY = {
    "any", "anyone", "anybody", "anything", "anywhere", "anymore", "ever", "yet", "either",
    "until", "whatsoever", "at all", "let alone",
}  # fmt: skip
"""Words that need a negation before them."""
FIXED_BEFORE = {"if", "whether", "or", "why", "than", "ai", "need", "dare"}
"""Words before "not" that have no counterpart without it: "if not impossible"."""

_CONTRACTED = re.compile(
    r"\b(is|are|was|were|do|does|did|has|have|had|could|would|should|will|can) ?not\b", re.I
)
_SHORT = {"will not": "won't", "cannot": "can't", "can not": "can't"}
_SHORT_BE = re.compile(
    r"^(?P<subject>i|you|we|they|he|she|it|that|there)['’](?P<be>m|re|s) (?P<next>\w+)", re.I
)
_BE = {"m": "am", "re": "are", "s": "is"}
_QUANTIFIED = re.compile(
    r"(?:all|each|every|some|many|most|much|few|several|both|only|even|half|no|neither|nobody|none)"
    r"(?:one|body|thing)?\b",
    re.I,
)
"""Words that a negation of the verb does not reach: "some birds can't fly" denies nothing."""
_LIKE = re.compile(r"^(I|You|We|They) like ", re.I)
_RELATIVE = re.compile(r",? (?:who|which|that) ")
_NOT = re.compile(r"\b(?P<stem>\w+?)(?P<short>n['’]t)\b|(?<=\bcan)not\b| not\b", re.I)
_DEGREE = re.compile(r" (?:only|just|merely|simply|solely|least|to mention|to say)\b")
_NEVER = re.compile(r" (?:never|no longer)\b", re.I)
_AFTER_DO = re.compile(r"(?P<between>(?: \w+ly| even| really| always| also)* )(?P<verb>[a-z]+)\b")
_IRREGULAR = {"have": "has", "do": "does"}


class EnglishNegator:
    """Adds and removes "not"; of "never" and "no longer" it only removes."""

    def add(self, sentence: str) -> str | None:
        """Negate the one clause, or the relative clause at the end.

        >>> EnglishNegator().add("She is happy to ▢."), EnglishNegator().add("They like it.")
        ("She isn't happy to ▢.", "They don't like it.")
        >>> EnglishNegator().add("Mary is an architect who likes to run.")
        "Mary is an architect who doesn't like to run."
        >>> EnglishNegator().add("It's raining."), EnglishNegator().add("It's gone.")
        ("It isn't raining.", None)
        >>> EnglishNegator().add("Some birds can fly.")
        """
        if _QUANTIFIED.match(sentence):
            return None
        sentence = _SHORT_BE.sub(_with_be, sentence)
        if (negated := negate(sentence)) is not None:
            return _contracted(negated)
        if _LIKE.match(sentence) and negate(_LIKE.sub(r"\1 love ", sentence)):
            # The negator takes "like" for a preposition unless "to" follows.
            return _LIKE.sub(r"\1 don't like ", sentence)
        parts = _RELATIVE.split(sentence)
        # The main clause must be complete without the relative one, which is then the end.
        if len(parts) != 2 or negators(sentence) or negate(parts[0]) is None:
            return None
        subject = next((s for s in ("He", "They") if negate(f"{s} {parts[1]}")), None)
        clause = negate(f"{subject} {parts[1]}") if subject else None
        if subject is None or clause is None:
            return None
        changed = _contracted(clause).removeprefix(f"{subject} ")
        return sentence[: len(sentence) - len(parts[1])] + changed

    def remove(self, sentence: str) -> str | None:
        """Remove the only negation; a verb after "do" takes the form that "do" had.

        >>> EnglishNegator().remove("She doesn't really like to ▢.")
        'She really likes to ▢.'
        >>> EnglishNegator().remove("It can't be.") , EnglishNegator().remove("It isn't any good.")
        ('It can be.', None)
        """
        if negators(sentence) != 1 or "?" in sentence:
            return None
        found = _NOT.search(sentence) or _NEVER.search(sentence)
        if found is None:
            return None
        before, after = sentence[: found.start()], sentence[found.end() :]
        if _is_needed(after) or _DEGREE.match(after):
            return None
        if found.re is _NEVER:
            return before + after if before and not _is_needed(before) else None
        if found["stem"]:
            stem = found["stem"].lower()
            if stem in FIXED_BEFORE:
                return None
            before += _like(found["stem"], STEMS.get(stem, stem))
        auxiliary = re.search(r"\w+$", before)
        if auxiliary is None or auxiliary[0].lower() in FIXED_BEFORE:
            return None
        if auxiliary[0].lower() in ("do", "does", "did"):
            return _without_support(before[: auxiliary.start()], auxiliary[0].lower(), after)
        return before + after


def _contracted(text: str) -> str:
    """Contract "not", except after words where nobody does.

    >>> _contracted("It is not here."), _contracted("I am not here.")
    ("It isn't here.", 'I am not here.')
    """

    def short(found: re.Match[str]) -> str:
        return _like(found[0], _SHORT.get(found[0].lower(), f"{found[1].lower()}n't"))

    return _CONTRACTED.sub(short, text, count=1)


def _with_be(found: re.Match[str]) -> str:
    """Write out a short form of "be"; before a participle it may be one of "have"."""
    if found["be"].lower() == "s" and (is_participle(found["next"]) or found["next"] == "got"):
        return found[0]
    return f"{found['subject']} {_BE[found['be'].lower()]} {found['next']}"


def _like(model: str, word: str) -> str:
    return word.capitalize() if model[:1].isupper() else word


def _is_needed(after: str) -> bool:
    words = f" {' '.join(re.findall(r'[a-z]+', after.lower()))} "
    return any(f" {word} " in words for word in NEEDY)


def _without_support(before: str, support: str, after: str) -> str | None:
    """Put the verb into the form of the removed "do"; an order has no subject and loses "do"."""
    verb = _AFTER_DO.match(after)
    if verb is None:
        return None
    form = _inflected(verb["verb"], support)
    if form is None:
        return None
    rest = f"{verb['between'].lstrip()}{form}{after[verb.end() :]}"
    return before + rest if before.strip() else rest[:1].upper() + rest[1:]


def _inflected(base: str, support: str) -> str | None:
    """Return the verb in the form of "do"; None for a past that no table knows.

    >>> _inflected("run", "does"), _inflected("run", "did"), _inflected("frob", "did")
    ('runs', 'ran', None)
    """
    if support == "do":
        return base
    if support == "does":
        return _IRREGULAR.get(base) or third_person(base)
    if base in ("have", "do"):
        return {"have": "had", "do": "did"}[base]
    known = any(form == (base, "base") for form in FORMS.get(base, ()))
    return past_of(base) or past(base) if known else None
