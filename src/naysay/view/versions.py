"""The versions of a sentence that are tried: with and without *not*, and a word of degree."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from naysay.core.errors import SpecError
from naysay.core.probes import BLANK
from naysay.data.intensification import intensified_pair, intensifier_of
from naysay.data.languages import LANGUAGES
from naysay.data.negation import negation_pair
from naysay.run.inquiry import with_blank


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """What a reader asks."""

    client: str
    model: str
    text: str
    other: str = ""
    """A second sentence, for models that compare sentences."""
    negate: bool = False
    intensify: bool = False
    language: str = "en"
    words: str = ""
    """Words to show in any case, comma-separated."""


@dataclass(frozen=True)
class Versions:
    """The versions of a sentence by their labels, the plain one first."""

    texts: dict[str, str]
    note: str = ""
    """What could not be added to the sentence; empty if all could."""


def versions_of(asked: Question) -> Versions:
    """Return the versions that are to be asked; a rule that does not apply is left out.

    Nobody has typed a whole sentence at once, so the plain version is always asked.
    """
    text = with_blank(asked.text)
    if text.count(BLANK) > 1:
        raise SpecError("the sentence has several blanks: mark one")
    LANGUAGES.get(asked.language)
    word, missing = intensifier_of(asked.language), []
    plain, with_word = text, ""
    if asked.intensify:
        try:
            pair = intensified_pair(text, asked.language)
            plain, with_word = pair.without, pair.intensified
        except SpecError:
            missing.append(f"no place for “{word}”" if word else "no word of degree")
    found = {"without": plain, f"with “{word}”": with_word} if with_word else {"": plain}
    if asked.negate:
        try:
            pairs = [negation_pair(one, asked.language) for one in (plain, with_word) if one]
            labels = ("", f"with “{word}”")[: len(pairs)]
            found = {}
            for label, negation in zip(labels, pairs, strict=True):
                found[label or "without negation"] = negation.without
                found[f"{label} and negation" if label else "with negation"] = negation.negated
        except SpecError:
            missing.insert(0, "no negation to add or remove")
    note = f"The rules found {' and '.join(missing)} in this sentence." if missing else ""
    return Versions(found, note)
