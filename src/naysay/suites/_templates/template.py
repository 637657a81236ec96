"""A template: two or three sentences with one to three verbs, and what is varied in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from naysay.errors import PatternError
from naysay.languages import Language
from naysay.patterns.lexicon import GENDERS
from naysay.patterns.pattern import Pattern, target
from naysay.protocols import Unit

NONE = "none"


@dataclass(frozen=True)
class Template:
    """One template for one or both genders, in each of its wordings."""

    experiment: int
    polarity: str
    """`negated`: the context says that somebody doesn't like to; else `positive`."""
    acts: int
    """How many verbs the context has."""
    marking: str
    """How the target marks its relation to the context, `none` if not at all."""
    extra: str
    """What stands between context and target, or whom the target is about instead."""
    genders: tuple[str, ...]
    context: Pattern
    between: Pattern | None
    targets: Mapping[str, Pattern]
    """The target by style; `revised` only where the wording was changed."""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Template:
        """The template of an entry in a pattern file."""
        targets = {"paper": target(entry["target"])}
        if "revised" in entry:
            targets["revised"] = target(entry["revised"])
        template = cls(
            experiment=entry.get("experiment", 1),
            polarity=entry["polarity"],
            acts=entry.get("acts", 1),
            marking=entry.get("marking", NONE),
            extra=entry.get("extra", NONE),
            genders=tuple(entry.get("genders", GENDERS)),
            context=Pattern(entry["context"]),
            between=Pattern(entry["between"]) if "between" in entry else None,
            targets=targets,
        )
        template._check()
        return template

    def _check(self) -> None:
        numbered = [f"ACT{k}" for k in range(1, self.acts + 1)]
        wanted = ["ACT"] if self.acts == 1 else numbered
        if any(slot not in self.context.text for slot in wanted) or self.acts > 3:
            raise PatternError(f"{self.context.text!r} must have {', '.join(wanted)}")

    def styles(self, wanted: Sequence[str]) -> list[str]:
        """In which of the wanted styles it is asked; the same wording only once."""
        if "revised" in self.targets or "paper" in wanted:
            return [style for style in wanted if style in self.targets]
        return ["paper"]

    def text(self, unit: Unit, verbs: Sequence[str], style: str) -> str:
        """The sentences for a pair; `verbs` are in the order of their ranks."""
        numbered = {f"ACT{k}": verb for k, verb in enumerate(verbs, 1)}
        words = {**dict(unit.slots), "ACT": verbs[0], **numbered}
        parts = (self.context, self.between, self.targets[style])
        return " ".join(pattern.fill(words) for pattern in parts if pattern is not None)


def read_templates(language: Language, suite: str) -> tuple[Pattern, list[Template]]:
    """The seed sentence and the templates of a pattern file."""
    patterns = language.patterns(suite)
    return target(patterns["seed"]), [Template.of(entry) for entry in patterns["template"]]
