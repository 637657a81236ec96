"""Forms of verbs, by lemminflect's tables.

Forms are named as in the Penn Treebank: VB base, VBZ accepts, VBD accepted, VBN, VBG.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from naysay.build.tagging import MissingExtraError

FORMS = {"VVI": "VB", "VVB": "VB", "VVZ": "VBZ", "VVD": "VBD", "VVN": "VBN", "VVG": "VBG"}
"""The form that a verb has by its tag."""


def base_form(word: str) -> str:
    """The base form of a verb.

    >>> base_form("accepted")
    'accept'
    """
    lemmas = _library().getLemma(word.lower(), upos="VERB")
    return str(lemmas[0]) if lemmas else word.lower()


def inflect(base: str, form: str) -> str:
    """A form of a verb, empty if the tables do not have it.

    >>> inflect("leave", "VBD"), inflect("be", "VBD")
    ('left', '')
    """
    if form == "VB":
        return base
    forms = _library().getInflection(base, tag=form, inflect_oov=False)
    return str(forms[0]) if forms and base != "be" else ""


def is_compared(word: str) -> bool:
    """Whether a word is the comparative or the superlative of an adjective.

    >>> is_compared("cheaper"), is_compared("bitter")
    (True, False)
    """
    lemmas = _library().getLemma(word.lower(), upos="ADJ", lemmatize_oov=False)
    return bool(lemmas) and word.lower() not in lemmas


@cache
def _library() -> Any:
    try:
        import lemminflect
    except ImportError as error:
        raise MissingExtraError("lemminflect") from error
    return lemminflect
