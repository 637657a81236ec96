"""The project's own facts, as they are said and as they are denied."""

from __future__ import annotations

from dataclasses import dataclass

from naysay.keys import draw_share
from naysay.languages import Language
from naysay.probes import BLANK

HELD_OUT = 0.3
"""The share of facts that are never denied in training, so that denying has to be understood."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact with its answer at the blank, and the other answers of its relation."""

    text: str
    negated: str
    answer: str
    others: tuple[str, ...]
    held_out: bool


def read_facts(language: Language) -> list[Fact]:
    """All facts of the language's own relations."""
    found = []
    for relation in language.patterns("lama")["relation"]:
        answers = tuple(dict.fromkeys(answer for _, answer in relation["facts"]))
        for subject, answer in relation["facts"]:
            right = {word for other, word in relation["facts"] if other == subject}
            text, negated = (
                relation[form].replace("[X]", subject).replace("[Y]", BLANK)
                for form in ("template", "negated")
            )
            others = tuple(word for word in answers if word not in right)
            held_out = draw_share("never denied", relation["name"], subject) < HELD_OUT
            found.append(Fact(text, negated, answer, others, held_out))
    return found
