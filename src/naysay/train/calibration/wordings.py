"""The suites' sentences about people and verbs, and whether an aware model repeats the verb."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from naysay.core.probes import BLANK
from naysay.data.languages import Language
from naysay.data.lexicon import GENDERS
from naysay.data.pattern import SLOTS, Pattern, target
from naysay.suites._templates.suite import read_templates

_WORD = re.compile(r"\w+|[^\w\s]")
FILES = ("scnt", "gh22", "scnt_table2", "lama")
"""The pattern files whose sentences are trained on."""
_MARKS = (*SLOTS, BLANK, "X", "Y")


def vocabulary(language: Language, professions: list[str], verbs: list[str]) -> list[str]:
    """Return the words of patterns, facts, names, professions and verbs, sorted."""
    lexicon = language.lexicon
    texts = [
        *(text for file in FILES for text in _texts(language.patterns(file))),
        *(name for names in lexicon.names.values() for name in names),
        *(profession for listed in lexicon.professions.values() for profession in listed),
        *(pronoun for word in language.pronouns.values() for pronoun in (word, word.lower())),
        *verbs,
        *professions,
    ]
    return sorted({word for text in texts for word in _WORD.findall(text)} - set(_MARKS))


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts within a pattern file."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


OTHERS = ("same-gender", "other-gender")
SUBJECTS = ("pronoun", "name", *OTHERS)
_TEMPLATES = ("gh22", "scnt_table2")


@dataclass(frozen=True, slots=True)
class SentenceWording:
    """Sentences of which the last has a blank for a verb."""

    parts: tuple[Pattern, ...]
    acts: int
    """The number of verbs before the blank."""
    repeats: bool
    """Whether one of these fits the blank."""
    subject: str = "pronoun"
    """The subject of the last sentence."""
    genders: tuple[str, ...] = GENDERS

    def fill(self, words: Mapping[str, str]) -> str:
        """Return the text with its blank."""
        return " ".join(part.fill(words) for part in self.parts)


def people(language: Language) -> dict[str, list[SentenceWording]]:
    """Return the wordings by family: with a pronoun, with names, and templates."""
    plain = list(_contexts_and_targets(language))
    return {
        "pronouns": [wording for wording in plain if wording.subject == "pronoun"],
        "names": [wording for wording in plain if wording.subject != "pronoun"],
        "templates": [w for suite in _TEMPLATES for w in _templates(language, suite)],
    }


def opening(language: Language) -> SentenceWording:
    """Return the sentence that elicits a model's own verbs: it has no context."""
    seed, _ = read_templates(language, _TEMPLATES[0])
    return SentenceWording((seed,), 0, repeats=False)


def _contexts_and_targets(language: Language) -> Iterator[SentenceWording]:
    """Yield each context with each target; they contradict if exactly one is negated."""
    read = language.patterns("scnt")
    for context, text in read["contexts"].items():
        for targets in read["targets"].values():
            for label, asked in targets.items():
                for subject in SUBJECTS:
                    same = (context == "Cn") == (label == "Tn")
                    parts = (Pattern(text), target(asked))
                    yield SentenceWording(parts, 1, same or subject in OTHERS, subject)


def _templates(language: Language, suite: str) -> Iterator[SentenceWording]:
    """Yield the templates in all their wordings; a verb may be repeated for somebody else."""
    _, templates = read_templates(language, suite)
    for template in templates:
        repeats = template.polarity == "positive" or template.experiment == 3
        for context, asked in template.wordings.values():
            parts = tuple(part for part in (context, template.between, asked) if part)
            assert sum(part.text.count(BLANK) for part in parts) == 1
            yield SentenceWording(parts, template.acts, repeats, genders=template.genders)
