"""A or an, by the sound of the word that follows."""

from __future__ import annotations

import re

# Spelled with a vowel, spoken with the consonant of "you" or "one".
_CONSONANT = re.compile(
    r"eu|ewe|ouija|once|one(?:$|s|-|time|ness)|u(?:$|-)|"
    r"u(?:biq|fo|gan|k[eru]|nanim(?!ated)|nary|r[aeiou]|s[aeiu]|t[ai]|te[nr]|top|v)|"
    r"uni(?:$|[abcfopqstvx]|l(?!l)|di[mr]|mod|n[ou])"
)
_SILENT_H = re.compile(r"heir|honest|honou?r|hour(?!i)")
_LETTER = re.compile(r"[AEFHILMNORSXaefhilmnorsx](?:-|$)|[AEFHILMNORSX][A-Z.]")
_NUMBER = re.compile(r"8|1[18](?:\D|\d{3}(?!\d)|$)")  # eight, eleven, eighteen and their thousands


def article(word: str) -> str:
    """The indefinite article of a word.

    Letters that are spelled out go by their names.

    >>> [article(word) for word in ("evil", "useful", "honest", "unimportant", "one-sided", "MP")]
    ['an', 'a', 'an', 'an', 'a', 'an']
    """
    if len(word) > 1 and word.isupper():
        return "an" if _LETTER.match(word) else "a"
    lower = word.lower()
    if _LETTER.match(word) or _NUMBER.match(lower) or _SILENT_H.match(lower):
        return "an"
    return "an" if lower[:1] in tuple("aeiou") and not _CONSONANT.match(lower) else "a"
