"""The suite's program: pairs, usable verbs, selection, the four test conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from naysay.errors import NoUsableWordError
from naysay.languages import Language
from naysay.probes import Fill, FillBlank
from naysay.protocols import Card, Model, Setting, Table, Unit
from naysay.records import Finding, Fit
from naysay.spec import RunSpec
from naysay.suites._card import read_card
from naysay.suites._pairs import drawn_pairs, gender_of
from naysay.suites.scnt.conditions import PATTERNS, SELECTION, TESTS, Items
from naysay.suites.scnt.selection import Walk, select


@dataclass(frozen=True, slots=True)
class Row:
    """One question and its answer."""

    unit: str
    gender: str
    name: str
    profession: str
    subject: str
    """Whom the target is about: `pronoun`, `name`, `same-gender` or `other-gender`."""
    verb: str
    place: int
    """The verb's place in the pair's seeded order, from 0."""
    condition: str
    text: str
    answer: str
    tie: bool


class SelfContainedNegTest:
    """The Self-Contained Neg Test of Kletz, Amsili and Candito (2023)."""

    name = "scnt"
    version = 2
    default = True
    patterns = PATTERNS
    options: tuple[str, ...] = ("limit", "seed", "exhaustive", "cap", "one_piece", "predicate")
    judging: tuple[str, ...] = ()
    summary = "minimal pairs: does the model give a verb up where repeating it is a contradiction?"
    needs = frozenset({FillBlank})
    row_type = Row
    judged = ("unit", "subject", "verb", "condition", "answer", "tie")
    folder = Path(__file__).parent

    @cached_property
    def card(self) -> Card:
        """Paper, citation, licences, departures."""
        return read_card(self.folder)

    def speaks(self, language: Language) -> bool:
        """Whether the language has this suite's patterns."""
        return language.has_patterns(self.patterns)

    def check(self, setting: Setting) -> None:
        """Refuse a predicate that the language does not have."""
        Items.of(setting.language, setting.spec.predicate)

    def units(self, setting: Setting) -> Sequence[Unit]:
        """The pairs of name and profession: all, or a sample drawn by the seed."""
        return drawn_pairs(setting)

    def askings(self, unit: Unit, setting: Setting) -> list[tuple[str, Unit]]:
        """The subjects that the target is asked with, each with the pair that has it."""
        return [("pronoun", unit)]

    def fit(self, model: Model, setting: Setting) -> Fit:
        """The verbs that are one piece for the model at the blank."""
        verbs = setting.lexicon.verbs
        items = Items.of(setting.language, setting.spec.predicate)
        example = items.text(SELECTION, self.units(setting)[0], verbs[0])
        cuts = [model.single_pieces(verbs, example)]
        if setting.spec.one_piece == "bare":
            cuts.append(model.single_pieces(verbs, example, bare=True))
        problems = {
            verb: next((cut[verb].problem for cut in cuts if cut[verb].problem), None)
            for verb in verbs
        }
        used = tuple(verb for verb, problem in problems.items() if problem is None)
        left_out = tuple((verb, problem) for verb, problem in problems.items() if problem)
        if not used:
            shown = "; ".join(f"{verb}: {problem}" for verb, problem in left_out[:3])
            raise NoUsableWordError(
                f"none of the {len(verbs)} verbs is one piece for {model.name} at the blank of "
                f"{example!r} ({shown}). Is it a model of this language? Give --language, or "
                "another word list with --lexicon."
            )
        return Fit(used, left_out)

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[Row]:
        """Select by CpTp, then ask what was selected in the four test conditions."""
        spec = setting.spec
        items = Items.of(setting.language, spec.predicate)
        asked = [asking for unit in units for asking in self.askings(unit, setting)]
        pairs = [pair for _, pair in asked]
        walks = select(
            model, items, pairs, fit.used, spec.seed, spec.cap, exhaustive=spec.exhaustive
        )
        tests = [
            items.probe(condition, walk.unit, walk.verbs[place])
            for walk in walks
            for place in walk.selected
            for condition in TESTS
        ]
        tested = iter(zip(tests, model.ask(tests), strict=True))
        for (subject, _), walk in zip(asked, walks, strict=True):
            for place, step in enumerate(walk.steps):
                yield _row(walk, subject, place, SELECTION, *step)
            for place in walk.selected:
                for condition in TESTS:
                    yield _row(walk, subject, place, condition, *next(tested))

    def judge(self, rows: Table) -> Table:
        """Repetition: the model's first word is the verb itself."""
        import pyarrow.compute as pc

        verb, answer = (rows[column].cast("string") for column in ("verb", "answer"))
        return rows.append_column("repeats", pc.equal(verb, answer))

    def measure(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Finding:
        """Tables 5 and 6 with intervals, control-adjusted drops, McNemar, and the verdict."""
        from naysay.suites.scnt.figures import measure

        return measure(self.name, verdicts, spec, fit)


def _row(
    walk: Walk, subject: str, place: int, condition: str, probe: FillBlank, answer: Fill
) -> Row:
    unit = walk.unit
    return Row(
        unit=unit.key,
        gender=gender_of(unit),
        subject=subject,
        name=unit["NAME"],
        profession=unit["PROF"],
        verb=walk.verbs[place],
        place=place,
        condition=condition,
        text=probe.text,
        answer=answer.best,
        tie=answer.tie,
    )


SUITE = SelfContainedNegTest()
