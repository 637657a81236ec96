"""The procedure: ask each pair once for the model's own verbs, then all templates with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from naysay.core.errors import PatternError
from naysay.core.examples import Example
from naysay.core.measures import Wanted
from naysay.core.options import JUDGED, option
from naysay.core.probes import ChooseWord, FillBlank, Ranking, RankWords
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.languages import Language
from naysay.data.lexicon import GENDERS, Lexicon
from naysay.data.pattern import Pattern, target
from naysay.suites.base import BaseSuite, PatternOptions, ask, fit_note, fitting, unspelled
from naysay.suites.pairs import available_pairs, drawn_pairs, gender_of
from naysay.suites.protocol import Setting, Unit

NONE = "none"
MISPRIMED, REFERENT = 2, 3
"""The experiments with a misprime, and with a target about another person than the context."""
WANTED: Mapping[str, Wanted] = {"negated": "low", "positive": "high"}
"""How often a model that understands *not* repeats the verb, by the polarity of the context."""


def wanted(experiment: int, polarity: str) -> Wanted | None:
    """The same by experiment; None where the target is about another person."""
    return None if experiment == REFERENT else WANTED[polarity]


PAPER, RELEASED, BEFORE = STYLES = ("paper", "released", "before")
"""The wording of the paper's tables, of the released files, and before the proposals on style."""


@dataclass(frozen=True)
class Template:
    """One template for one or both genders, in each of its wordings."""

    experiment: int
    polarity: str
    """`negated` if the context says that somebody doesn't like to do something, or `positive`."""
    acts: int
    """How many verbs the context has."""
    marking: str
    """How the target marks its relation to the context, `none` if not at all."""
    extra: str
    """What stands between context and target, or whom the target is about instead."""
    genders: tuple[str, ...]
    between: Pattern | None
    wordings: Mapping[str, tuple[Pattern, Pattern]]
    """Context and target by style; others than the paper's only where they differ from it."""

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Template:
        """The template of an entry in a pattern file."""
        wordings = {
            style: (
                Pattern(changed.get("context", entry["context"])),
                target(changed.get("target", entry["target"])),
            )
            for style in STYLES
            if (changed := {} if style == PAPER else entry.get(style)) is not None
        }
        template = cls(
            experiment=entry.get("experiment", 1),
            polarity=entry["polarity"],
            acts=entry.get("acts", 1),
            marking=entry.get("marking", NONE),
            extra=entry.get("extra", NONE),
            genders=tuple(entry.get("genders", GENDERS)),
            between=Pattern(entry["between"]) if "between" in entry else None,
            wordings=wordings,
        )
        template._check()
        return template

    def _check(self) -> None:
        numbered = [f"ACT{k}" for k in range(1, self.acts + 1)]
        wanted = ["ACT"] if self.acts == 1 else numbered
        for context, _ in self.wordings.values():
            if any(slot not in context.text for slot in wanted) or self.acts > 3:
                raise PatternError(f"{context.text!r} must have {', '.join(wanted)}")

    def styles(self, wanted: Sequence[str]) -> list[str]:
        """In which of the wanted styles it is asked; the same wording only once."""
        return list(dict.fromkeys(s if s in self.wordings else PAPER for s in wanted))

    def text(self, unit: Unit, verbs: Sequence[str], style: str) -> str:
        """The sentences for a pair; `verbs` are in the order of their ranks."""
        numbered = {f"ACT{k}": verb for k, verb in enumerate(verbs, 1)}
        words = {**dict(unit.slots), "ACT": verbs[0], **numbered}
        context, asked = self.wordings[style]
        parts = (context, self.between, asked)
        return " ".join(pattern.fill(words) for pattern in parts if pattern is not None)


def read_templates(language: Language, suite: str) -> tuple[Pattern, list[Template]]:
    """The seed sentence and the templates of a pattern file."""
    patterns = language.patterns(suite)
    return target(patterns["seed"]), [Template.of(entry) for entry in patterns["template"]]


SEED = "seed"


@dataclass(frozen=True, slots=True)
class TemplateRow:
    """One question and its answer, or one that could not be asked.

    The seed sentence has a row for each rank, with the verb of that rank. Its answer is the model's
    first guess of all, word or not.
    """

    unit: str
    gender: str
    name: str
    profession: str
    experiment: int
    polarity: str
    acts: int
    marking: str
    extra: str
    style: str
    rank: int
    verb: str
    """The verb of the rank itself."""
    verbs: str
    """All verbs of the text in the order of their ranks, separated by spaces."""
    usable: bool
    """Whether all of them are words; if not, the question was not asked."""
    text: str
    answer: str
    tie: bool


@dataclass(frozen=True, kw_only=True)
class TemplateOptions(PatternOptions):
    """What suites of templates read."""

    raw_ranks: bool = option(False, "Rank every token, not only words.")
    repetition: str = option(
        "exact", "Answer that repeats the verb.",
        choices=("exact", "prefix"), role=JUDGED,
    )  # fmt: skip


T = TypeVar("T", bound=TemplateOptions)


class TemplateSuite(BaseSuite[T]):
    """What suites of templates have in common."""

    name: str
    version: int
    folder: Path
    needs = frozenset({FillBlank, RankWords})
    row_type = TemplateRow
    judged: tuple[str, ...] = (
        "unit", "gender", "experiment", "polarity", "acts", "marking", "extra", "style", "rank",
        "verb", "verbs", "usable", "answer", "tie",
    )  # fmt: skip

    def ranks(self, spec: RunSpec) -> tuple[int, ...]:
        """At which ranks the model's verbs are taken."""
        return (0,)

    def styles(self, spec: RunSpec) -> tuple[str, ...]:
        """In which wordings the templates are asked."""
        return ("paper",)

    def check(self, setting: Setting) -> None:
        """Refuse templates that cannot be read."""
        read_templates(setting.language, self.patterns)

    def units(self, setting: Setting) -> Sequence[Unit]:
        """The pairs of name and profession: all, or a sample drawn by the seed."""
        return drawn_pairs(setting, self.default_limit)

    def fit(self, model: Model, setting: Setting) -> Fit:
        """The verbs are the model's own; by likelihood, they compete with those of the lexicon."""
        about = {"available": available_pairs(setting)}
        # A model that does not tell words of these ranks is refused here.
        model.ask(self._seeds(setting.units[:1], setting))
        if self.options(setting.spec).readout != "likelihood":
            return Fit((), about=about)
        seed, _ = read_templates(setting.language, self.patterns)
        example = seed.fill(dict(setting.units[0].slots))
        cuts = model.single_pieces(setting.lexicon.verbs, example)
        fit = fitting(setting.lexicon.verbs, {v: unspelled(cut) for v, cut in cuts.items()})
        return replace(fit, about={**about, "verbs": setting.lexicon.verb_list})

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[TemplateRow]:
        """Ask the seed sentence of each pair once, then all templates with its verbs."""
        spec, options = setting.spec, self.options(setting.spec)
        _, templates = read_templates(setting.language, self.patterns)
        pairs = list(units)
        seeds = self._seeds(pairs, setting)
        rows = [
            row
            for unit, asked, ranking in zip(pairs, seeds, model.ask(seeds), strict=True)
            for row in self._rows(unit, asked, ranking, templates, spec)
        ]
        listed = fit.used if options.readout == "likelihood" else None
        questions = [_question(row, listed) for row in rows if _is_question(row)]
        answers = iter(ask(model, questions))
        for row in rows:
            if _is_question(row):
                answer = next(answers)
                row = replace(row, answer=answer.best, tie=answer.tie)  # noqa: PLW2901
            yield row

    def _seeds(self, units: Sequence[Unit], setting: Setting) -> list[RankWords]:
        """The seed sentence of each pair, for verbs of as many ranks as the templates have."""
        seed, templates = read_templates(setting.language, self.patterns)
        most = max(template.acts for template in templates)
        deep = sorted({rank + k for rank in self.ranks(setting.spec) for k in range(most)})
        raw = self.options(setting.spec).raw_ranks
        return [RankWords(seed.fill(dict(unit.slots)), tuple(deep), raw=raw) for unit in units]

    def _rows(
        self,
        unit: Unit,
        asked: RankWords,
        ranking: Ranking,
        templates: Sequence[Template],
        spec: RunSpec,
    ) -> Iterator[TemplateRow]:
        """The pair's rows, those of the templates still without their answers."""
        found = dict(zip(asked.ranks, ranking.words, strict=True))
        for rank in self.ranks(spec):
            words = [found[k] or "" for k in sorted(found) if k >= rank]
            blank = TemplateRow(
                unit=unit.key, gender=gender_of(unit), name=unit["NAME"], profession=unit["PROF"],
                experiment=0, polarity=SEED, acts=1, marking="", extra="", style="", rank=rank,
                verb=words[0], verbs=words[0], usable=is_word(words[0]), text=asked.text,
                answer=ranking.first, tie=False,
            )  # fmt: skip
            yield blank
            for template in templates:
                if blank.gender not in template.genders:
                    continue
                verbs = words[: template.acts]
                usable = all(map(is_word, verbs))
                for style in template.styles(self.styles(spec)):
                    yield replace(
                        blank, experiment=template.experiment, polarity=template.polarity,
                        acts=template.acts, marking=template.marking, extra=template.extra,
                        style=style, verbs=" ".join(verbs), usable=usable,
                        text=template.text(unit, verbs, style) if usable else "", answer="",
                    )  # fmt: skip

    def notes(self, spec: RunSpec, fit: Fit) -> list[str]:
        """Notes on the word list, which only the readout by likelihood has."""
        readout = self.options(spec).readout
        return [fit_note(self.name, fit, readout)] if readout == "likelihood" else []

    def judge(self, rows: Table) -> Table:
        """Repetition: the answer is one of the verbs (`exact`), or begins like one (`prefix`)."""
        import numpy as np
        import pyarrow as pa

        # Many rows have the same verbs and answer: each such pair is judged once.
        (used, verbs), (said, answers) = (_numbered(rows, c) for c in ("verbs", "answer"))
        pairs, number = np.unique(verbs * (len(said) + 1) + answers, return_inverse=True)
        exact, alike = np.zeros(len(pairs), dtype=bool), np.zeros(len(pairs), dtype=bool)
        for k, pair in enumerate(pairs.tolist()):
            words, answer = used[pair // (len(said) + 1)].split(" "), said[pair % (len(said) + 1)]
            exact[k] = answer in words
            alike[k] = exact[k] or any(begins_like(word, answer) for word in words)
        return rows.append_column("exact", pa.array(exact[number])).append_column(
            "prefix", pa.array(alike[number])
        )

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Pairs with their verbs, after contexts of both polarities."""
        from naysay.suites._templates.examples import pairs_with_verbs

        options = self.options(spec)
        return pairs_with_verbs(verdicts, options.readout, options.repetition, fit)


def _numbered(rows: Table, column: str) -> tuple[list[str], Any]:
    """The distinct values of a column, and the number of each row's value."""
    import numpy as np

    encoded = rows[column].dictionary_encode().unify_dictionaries().combine_chunks()
    return encoded.dictionary.to_pylist(), np.asarray(encoded.indices, dtype=np.int64)


def _is_question(row: TemplateRow) -> bool:
    return row.usable and row.polarity != SEED


def _question(row: TemplateRow, listed: Sequence[str] | None) -> FillBlank | ChooseWord:
    """For the model's first word, or for the likeliest of the listed words and the row's own."""
    verbs = tuple(row.verbs.split(" "))
    if listed is None:
        return FillBlank(row.text, words=verbs, only_best=True)
    return ChooseWord(row.text, tuple(dict.fromkeys((*verbs, *listed))), words=verbs)


def is_word(text: str) -> bool:
    """Whether a guess is a word of letters, and not a fragment, a sign or a special token."""
    return text.isalpha()


def begins_like(verb: str, said: str) -> bool:
    """Whether a word begins like the verb without its last letter, as the released code has it.

    >>> begins_like("read", "reading"), begins_like("read", "real"), begins_like("read", "run")
    (True, True, False)
    """
    stem = verb[:-1] or verb
    begin, rest = said[: len(stem)], said[len(stem) :]
    return begin.lower() == stem.lower() and rest[:1].isascii() and rest[:1].isalpha()
