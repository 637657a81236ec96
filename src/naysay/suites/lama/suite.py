"""The suite: each fact as it is, negated, and beside another fact of the same relation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from naysay.core.errors import NotAskableError, NoUsableWordError
from naysay.core.examples import Example
from naysay.core.measures import Analysis
from naysay.core.options import option
from naysay.core.probes import BLANK, ContrastFills, FillBlank, WordList
from naysay.core.protocols import Model, Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.lexicon import Lexicon
from naysay.suites.base import SourceOptions, SourceSuite
from naysay.suites.lama.rows import (
    FactRow,
    goes_on,
    listed_words,
    row_of,
    usable,
    wanted_word,
    word_list,
)
from naysay.suites.lama.source import ITEM_SETS, FactSource, source_of
from naysay.suites.protocol import Setting, Unit

_TOP = 10


@dataclass(frozen=True, kw_only=True)
class FactOptions(SourceOptions):
    """What suites over facts read."""

    corpora: tuple[str, ...] | None = option(None, "Corpora: google_re, trex, conceptnet, squad.")
    conceptnet: str = option("easy", "Facts of ConceptNet.", choices=("easy", "all"))


F = TypeVar("F", bound=FactOptions)


class FactSuite(SourceSuite[F]):
    """What suites over facts have in common."""

    patterns = "lama"
    item_sets = ITEM_SETS
    unit_name = "facts"

    def source(self, setting: Setting) -> FactSource:
        """The facts that the spec asks for, and the words that count."""
        options = self.options(setting.spec)
        easy = options.conceptnet == "easy"
        return source_of(setting, options.items, options.corpora, easy=easy)

    def units(self, setting: Setting) -> Sequence[Unit]:
        """The facts: all, or equally many of each relation, drawn by the seed."""
        return self.source(setting).drawn(setting.spec, self.default_limit)

    def fit(self, model: Model, setting: Setting) -> Fit:
        """The words of the vocabulary that are one piece for the model.

        Where a tokenizer has small letters only, words are taken in these.
        """
        source = self.source(setting)
        used, left_out = usable(model, source.vocabulary)
        if not used:
            raise NoUsableWordError(f"no word of the vocabulary is one piece for {model.name}")
        about: dict[str, Any] = {
            "available": len(source.facts),
            "items": source.name,
            "digest": source.digest,
            "read": dict(source.read),
            "sizes": {name: len(facts) for name, facts in source.relations.items()},
            "left_to_right": _reads_left_to_right(model),
            "faults": [[f.corpus, f.relation, f.what, f.count, f.example] for f in source.faults],
            "templates": [
                [f"{t.corpus} {t.relation}", t.positive, t.negated or "–", t.negation]
                for t in source.templates
            ],
        }
        return Fit(used, left_out, about)


class NegatedFacts(FactSuite[FactOptions]):
    """Negated LAMA of Kassner and Schütze (2020)."""

    name = "lama"
    questions_per_unit = 2
    version = 2
    default_limit = 2000
    grain = 10
    options_type = FactOptions
    summary = "facts and their negation: do the answer and the ranking of all words change?"
    needs = frozenset({ContrastFills, FillBlank})
    row_type = FactRow
    judged = (
        "unit", "corpus", "relation", "kind", "answer", "listed", "negation", "asked", "said",
        "said_negated", "said_other", "in_top", "likely", "likely_negated", "rho", "rho_other",
        "ranked", "ranked_other", "tie",
    )  # fmt: skip
    folder = Path(__file__).parent

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[FactRow]:
        """The fact against its negation, and against another fact; a text is run once."""
        among, listed = word_list(fit.used), frozenset(fit.used)
        units = list(units)
        asked = [self._contrasts(unit, among, listed, fit) for unit in units]
        # A fact's two questions stand side by side, so that what they share is run once.
        answers = iter(model.ask([probe for pair in asked for probe in pair if probe]))
        for unit, pair in zip(units, asked, strict=True):
            negated, other = (next(answers) if probe else None for probe in pair)
            yield row_of(unit, negated, other, wanted_word(unit["answer"], listed), fit)

    def _contrasts(
        self, unit: Unit, among: WordList, listed: frozenset[str], fit: Fit
    ) -> list[ContrastFills | None]:
        """The fact against its negation and against another fact, None where it cannot be asked."""
        query = unit["query"]
        words = listed_words(unit["answer"], listed)
        pairs = (
            (unit["negated"], words),
            (unit["other"], listed_words(unit["other_answer"], listed)),
        )
        return [
            ContrastFills(query, second, among, words, others, _TOP)
            if second and not (fit.about["left_to_right"] and (goes_on(query) or goes_on(second)))
            else None
            for second, others in pairs
        ]

    def judge(self, rows: Table) -> Table:
        """With whether answers agree, and whether they are right."""
        import pyarrow.compute as pc

        said, wanted = pc.cast(rows["said"], "string"), pc.cast(rows["answer"], "string")
        negated, other = (pc.cast(rows[f"said_{k}"], "string") for k in ("negated", "other"))
        columns = {
            # No answer at all, where a causal model ends no word, is not the same answer.
            "agrees": pc.and_(pc.equal(said, negated), pc.not_equal(said, "")),
            "agrees_other": pc.equal(said, other),
            # The answer is spelled as the model's words are, so equal texts are equal words.
            "right": pc.equal(said, wanted),
            "right_negated": pc.equal(negated, wanted),
        }
        for name, column in columns.items():
            rows = rows.append_column(name, column)
        return rows

    def examples(
        self, verdicts: Table, spec: RunSpec, fit: Fit, lexicon: Lexicon | None = None
    ) -> Iterator[Example]:
        """Facts as they are and negated."""
        from naysay.suites.lama.examples import facts

        return facts(verdicts, fit)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Agreement and ρ by corpus, with their control; right answers; certainty; the verdict."""
        from naysay.suites.lama.analysis import analyse

        return analyse(self.name, verdicts, spec, fit)


def _reads_left_to_right(model: Model) -> bool:
    try:
        model.ask([FillBlank(f"{BLANK} is here.")])
    except NotAskableError:
        return True
    return False


SUITE = NegatedFacts()
