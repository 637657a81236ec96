"""The suite: each fact as it is, negated, and beside another fact of the same relation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from naysay.errors import NotAskableError, NoUsableWordError
from naysay.lama import Fault
from naysay.probes import BLANK, Contrast, ContrastFills, Fill, FillBlank, WordList
from naysay.protocols import Model, Setting, Table, Unit
from naysay.records import Finding, Fit
from naysay.spec import RunSpec
from naysay.suites._base import PatternSuite
from naysay.suites.lama.source import ITEM_SETS, source_of

_DIGITS = 6
_TOP = 10
FRAME = f"to {BLANK}."
"""Where a word has to be one piece."""
ASKED, BLANK_INSIDE, NOT_NEGATED = "yes", "the blank is not at the end", "no negated question"


@dataclass(frozen=True, slots=True)
class Row:
    """One fact, what the model says of it, and how alike its orders of words are.

    `asked` says whether it was, or why not. Scores depend on rounding in their last digits.
    """

    unit: str
    corpus: str
    relation: str
    kind: str
    subject: str
    answer: str
    listed: bool
    """Whether the answer is one of the words that count, for this model."""
    query: str
    negated: str
    negation: str
    other: str
    asked: str
    said: str
    said_negated: str
    said_other: str
    in_top: bool
    """Whether the answer is among the first ten words."""
    likely: float
    likely_negated: float
    """The probability of the first word."""
    rho: float
    rho_other: float
    ranked: bool
    ranked_other: bool
    """Whether the words were ranked at all: they are not if all are equally likely."""
    tie: bool


class FactSuite(PatternSuite):
    """What suites over facts have in common."""

    patterns = "lama"
    sources = ("items",)
    item_sets = ITEM_SETS
    unit_name = "facts"

    def check(self, setting: Setting) -> None:
        """Refuse facts that are not there or cannot be read."""
        source_of(setting)

    def digest(self, setting: Setting) -> str:
        """A hash of the facts and the words that count."""
        return source_of(setting).digest

    def units(self, setting: Setting) -> Sequence[Unit]:
        """The facts: all, or equally many of each relation, drawn by the seed."""
        return source_of(setting).drawn(setting.spec, self.default_limit)

    def fit(self, model: Model, setting: Setting) -> Fit:
        """The words of the vocabulary that are one piece for the model.

        Where a tokenizer has small letters only, words are taken in these.
        """
        source = source_of(setting)
        used, left_out = _usable(model, source.vocabulary)
        if not used:
            raise NoUsableWordError(f"no word of the vocabulary is one piece for {model.name}")
        about: dict[str, Any] = {
            "items": source.name,
            "digest": source.digest,
            "read": dict(source.read),
            "sizes": {name: len(facts) for name, facts in source.relations.items()},
            "left_to_right": _reads_left_to_right(model),
            "faults": [
                [f.corpus, f.relation, f.what, f.count, f.example]
                for f in (*source.faults, *self.more_faults(setting))
            ],
            "templates": [
                [f"{t.corpus} {t.relation}", t.positive, t.negated or "–", t.negation]
                for t in source.templates
            ],
        }
        return Fit(used, left_out, about)

    def more_faults(self, setting: Setting) -> tuple[Fault, ...]:
        """What else was found wrong in files that this suite reads."""
        return ()


class NegatedFacts(FactSuite):
    """Negated LAMA of Kassner and Schütze (2020)."""

    name = "lama"
    version = 1
    default_limit = 2000
    grain = 10
    options = ("limit", "seed", "corpora")
    summary = "facts and their negation: is the answer another one, and the order of all words?"
    needs = frozenset({ContrastFills, FillBlank})
    row_type = Row
    judged = (
        "unit", "corpus", "relation", "kind", "answer", "listed", "negation", "asked", "said",
        "said_negated", "said_other", "in_top", "likely", "likely_negated", "rho", "rho_other",
        "ranked", "ranked_other", "tie",
    )  # fmt: skip
    folder = Path(__file__).parent

    def probe(
        self, model: Model, units: Iterable[Unit], setting: Setting, fit: Fit
    ) -> Iterator[Row]:
        """The fact against its negation, and against another fact; a text is run once."""
        among, listed = word_list(fit.used), frozenset(fit.used)
        units = list(units)
        asked = [self._contrasts(unit, among, listed, fit) for unit in units]
        # A fact's two questions stand side by side, so that what they share is run once.
        answers = iter(model.ask([probe for pair in asked for probe in pair if probe]))
        for unit, pair in zip(units, asked, strict=True):
            negated, other = (next(answers) if probe else None for probe in pair)
            yield _row(unit, negated, other, wanted_word(unit["answer"], listed), fit)

    def _contrasts(
        self, unit: Unit, among: WordList, listed: frozenset[str], fit: Fit
    ) -> list[ContrastFills | None]:
        """The fact against its negation and against another fact, None where it cannot be asked."""
        query = unit["query"]
        words = _listed_words(unit["answer"], listed)
        pairs = (
            (unit["negated"], words),
            (unit["other"], _listed_words(unit["other_answer"], listed)),
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
            "agrees": pc.equal(said, negated),
            "agrees_other": pc.equal(said, other),
            "right": same_word(said, wanted),
            "right_negated": same_word(negated, wanted),
        }
        for name, column in columns.items():
            rows = rows.append_column(name, column)
        return rows

    def measure(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Finding:
        """Correlation and agreement by corpus, with their control; precision; certainty."""
        from naysay.suites.lama.figures import measure

        return measure(self.name, verdicts, spec, fit)


def _row(
    unit: Unit, negated: Contrast | None, other: Contrast | None, wanted: str | None, fit: Fit
) -> Row:
    known = negated or other
    first = known.first if known else Fill(())
    top = [guess.word for guess in first.top]
    reason = ASKED if negated else (NOT_NEGATED if known or not unit["negated"] else BLANK_INSIDE)
    if not known and fit.about["left_to_right"] and goes_on(unit["query"]):
        reason = BLANK_INSIDE
    rho, rho_other = (None if one is None else one.rho for one in (negated, other))
    return Row(
        unit=unit.key,
        **{k: unit[k] for k in ("corpus", "relation", "kind", "subject", "query", "negated")},
        answer=wanted or unit["answer"],
        listed=wanted is not None,
        negation=unit["negation"],
        other=unit["other"],
        asked=reason,
        said=top[0] if top else "",
        said_negated=negated.second.best if negated else "",
        said_other=other.second.best if other else "",
        in_top=wanted in top,
        likely=_probability(first),
        likely_negated=_probability(negated.second) if negated else 0.0,
        rho=round(rho or 0.0, _DIGITS),
        rho_other=round(rho_other or 0.0, _DIGITS),
        ranked=rho is not None,
        ranked_other=rho_other is not None,
        tie=first.tie or bool(negated and negated.second.tie),
    )


def _probability(fill: Fill) -> float:
    return round(math.exp(fill.top[0].logprob), _DIGITS) if fill.top else 0.0


def same_word(said: Any, wanted: Any) -> Any:
    """Whether the words are the same, in small or capital letters."""
    import pyarrow.compute as pc

    return pc.equal(pc.utf8_lower(said), pc.utf8_lower(wanted))


@lru_cache(maxsize=2)
def word_list(words: tuple[str, ...]) -> WordList:
    """The words as one list, the same for every shard."""
    return WordList(words)


def wanted_word(answer: str, listed: frozenset[str]) -> str | None:
    """The answer as it stands in the list, None if it does not."""
    return next((word for word in (answer, answer.lower()) if word in listed), None)


def _listed_words(answer: str, listed: frozenset[str]) -> tuple[str, ...]:
    wanted = wanted_word(answer, listed)
    return (wanted,) if wanted else ()


def goes_on(text: str) -> bool:
    """Whether words follow the blank."""
    return re.search(r"\w", text.partition(BLANK)[2]) is not None


def _reads_left_to_right(model: Model) -> bool:
    try:
        model.ask([FillBlank(f"{BLANK} is here.")])
    except NotAskableError:
        return True
    return False


def _usable(
    model: Model, words: Sequence[str]
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    cuts = model.single_pieces(words, FRAME)
    used: dict[str, None] = {}
    left_out = []
    for word in words:
        problem = cuts[word].problem
        if problem is None:
            used[word] = None
        elif problem == f"reads back as {word.lower()!r}":
            used[word.lower()] = None
        else:
            left_out.append((word, problem))
    return tuple(used), tuple(left_out)


SUITE = NegatedFacts()
