"""How a fact becomes a query: templates, the blank, and the space before the last sign."""

from __future__ import annotations

import re

from naysay.probes import BLANK

MASK = "[MASK]"
"""The blank in upstream's files."""

WORDINGS = {
    "paper": {
        "place_of_birth": "[X] was born in the city of [Y] .",
        "date_of_birth": "[X] (born [Y]).",
        "place_of_death": "[X] died in the city of [Y] .",
    },
    "lama": {
        "place_of_birth": "[X] was born in [Y] .",
        "date_of_birth": "[X] (born [Y]).",
        "place_of_death": "[X] died in [Y] .",
    },
}
"""The templates of Google-RE, as Kassner and Schütze print and release them, and as LAMA has them.

They are in no file. LAMA's are those of its scripts; the paper's examples and its released rows all
have "the city of".
"""

UNUSED = frozenset({"P54", "P69", "P102", "P166", "P1923"})
"""Relations of T-REx that relations.jsonl lists and that LAMA has no facts for: 5 of 46."""

_LAST_SIGN = re.compile(r"\s+([.?!])$")


def filled(template: str, subject: str) -> str:
    """A template with its subject, the object masked.

    >>> filled("[X] died in [Y] .", "Ann Lee")
    'Ann Lee died in [MASK] .'
    """
    return template.replace("[Y]", MASK).replace("[X]", subject)


def recovered(sentence: str, subject: str) -> str:
    """The template of a sentence, as far as the subject can be told.

    >>> recovered("Ann Lee died in [MASK] .", "Ann Lee")
    '[X] died in [Y] .'
    """
    return sentence.replace(subject, "[X]").replace(MASK, "[Y]")


def shown(text: str, *, spaces: bool) -> str:
    """A text of upstream's as models see it: with our blank, and as people write.

    Spaces before the last sign, around the text and beside another space are taken out; with
    `spaces` they stay where upstream has them.

    >>> shown("Ann  Lee died in [MASK] .", spaces=False)
    'Ann Lee died in ▢.'
    >>> shown("Ann  Lee died in [MASK] .", spaces=True)
    'Ann  Lee died in ▢ .'
    """
    text = text.replace(MASK, BLANK)
    return text if spaces else _LAST_SIGN.sub(r"\1", " ".join(text.split()))


def is_damaged(text: str) -> bool:
    """Whether letters beyond ASCII were read in the wrong encoding, as upstream once did.

    >>> is_damaged("Jos√© Lee"), is_damaged("José Lee")
    (True, False)
    """
    try:
        return text.encode("mac_roman").decode() != text
    except UnicodeError:
        return False
