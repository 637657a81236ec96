"""What the suites say of people and verbs, and whether who minds negation would repeat the verb."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from naysay.languages import Language
from naysay.patterns.lexicon import GENDERS
from naysay.patterns.pattern import Pattern, target
from naysay.probes import BLANK
from naysay.suites._templates.template import read_templates

OTHERS = ("same-gender", "other-gender")
SUBJECTS = ("pronoun", "name", *OTHERS)
_TEMPLATES = ("gh22", "scnt_table2")


@dataclass(frozen=True, slots=True)
class Wording:
    """Sentences of which the last has a blank for a verb."""

    parts: tuple[Pattern, ...]
    acts: int
    """How many verbs are said before the blank."""
    repeats: bool
    """Whether one of these is what fits."""
    subject: str = "pronoun"
    """Whom the last sentence is about."""
    genders: tuple[str, ...] = GENDERS

    def fill(self, words: Mapping[str, str]) -> str:
        """The text with its blank."""
        return " ".join(part.fill(words) for part in self.parts)


def people(language: Language) -> dict[str, list[Wording]]:
    """The wordings by family: with a pronoun, with names, and templates."""
    plain = list(_contexts_and_targets(language))
    return {
        "pronouns": [wording for wording in plain if wording.subject == "pronoun"],
        "names": [wording for wording in plain if wording.subject != "pronoun"],
        "templates": [w for suite in _TEMPLATES for w in _templates(language, suite)],
    }


def opening(language: Language) -> Wording:
    """The sentence at whose blank a model says its own verbs: nothing is said before it."""
    seed, _ = read_templates(language, _TEMPLATES[0])
    return Wording((seed,), 0, repeats=False)


def _contexts_and_targets(language: Language) -> Iterator[Wording]:
    """Each context before each target; it is a contradiction where one of them alone is negated."""
    read = language.patterns("scnt")
    for context, said in read["contexts"].items():
        for targets in read["targets"].values():
            for label, asked in targets.items():
                for subject in SUBJECTS:
                    same = (context == "Cn") == (label == "Tn")
                    parts = (Pattern(said), target(asked))
                    yield Wording(parts, 1, same or subject in OTHERS, subject)


def _templates(language: Language, suite: str) -> Iterator[Wording]:
    """The templates in all their wordings; of somebody else the same may be true."""
    _, templates = read_templates(language, suite)
    for template in templates:
        repeats = template.polarity == "positive" or template.experiment == 3
        for asked in template.targets.values():
            parts = tuple(part for part in (template.context, template.between, asked) if part)
            assert sum(part.text.count(BLANK) for part in parts) == 1
            yield Wording(parts, template.acts, repeats, genders=template.genders)
