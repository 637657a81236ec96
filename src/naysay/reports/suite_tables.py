"""One table for each suite, as a paper prints it: models by conditions, published rows below.

Its columns are the figures that decide. Runs in different languages, and answers by likelihood,
have tables of their own, since their figures are about different things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from naysay.core.measures import BY_LIKELIHOOD
from naysay.core.numbers import amount, plain_number
from naysay.core.records import Estimate, Finding
from naysay.core.spec import DEFAULT_LANGUAGE
from naysay.reports.overview import labelled
from naysay.reports.tables import NONE, deciding, interval, printed
from naysay.run.evaluation import Evaluation
from naysay.suites import SUITES
from naysay.suites.published import PrintedFigure, measure_of, papers

MANY = 12
"""How many published models a table lists; of more it has the range."""
_SOURCE = re.compile(r"[;,]? ?\b(?:Table|Figure|Section)s? \d+(?:(?:,| and| to) \d+)*")
_KEY = re.compile(r"@\w+\{\s*([^,\s]+)\s*,")
_RULES = "known"


@dataclass(frozen=True)
class SuiteColumn:
    """A figure that decides: its name, what it is in words, its unit, and which figure it is."""

    name: str
    words: str
    unit: str
    key: tuple[str, str, str]
    """Its table, condition and metric."""


@dataclass(frozen=True)
class SuiteRow:
    """A model with a figure for each column; an interval is empty if there is none."""

    model: str
    figures: tuple[str, ...]
    intervals: tuple[str, ...] = ()
    rule_based: bool = False


@dataclass(frozen=True)
class SuiteTable:
    """One suite in one language."""

    suite: str
    language: str
    title: str
    """What the test is called."""
    quantity: str
    """What is measured; empty if the columns are of several kinds, as their words say."""
    columns: tuple[SuiteColumn, ...]
    rows: tuple[SuiteRow, ...]
    published: tuple[SuiteRow, ...]
    citation: str
    """The key of its paper."""
    notes: tuple[str, ...] = ()
    by_likelihood: bool = False

    @property
    def name(self) -> str:
        """The suite's name, with what distinguishes tables of one suite."""
        parts = [self.suite.replace("_", "-")] + (
            [] if self.language == DEFAULT_LANGUAGE else [self.language]
        )
        return "-".join([*parts, *(["likelihood"] if self.by_likelihood else [])])


def suite_tables(evaluations: Sequence[Evaluation]) -> list[SuiteTable]:
    """The tables of all suites, in the order in which the runs have them."""
    groups: dict[tuple[str, str, bool], list[tuple[str, Evaluation, Finding]]] = {}
    for label, evaluation in labelled(evaluations):
        for finding in evaluation.findings:
            by_likelihood = any(table.endswith(BY_LIKELIHOOD) for table in finding.titles)
            place = finding.suite, str(evaluation.spec.language), by_likelihood
            groups.setdefault(place, []).append((label, evaluation, finding))
    return [
        table for place, having in groups.items() if (table := _table(*place, having)) is not None
    ]


def _table(
    suite: str,
    language: str,
    by_likelihood: bool,
    having: Sequence[tuple[str, Evaluation, Finding]],
) -> SuiteTable | None:
    columns: dict[str, SuiteColumn] = {}
    titles: dict[str, None] = {}
    rows = []
    for label, evaluation, finding in having:
        own = {one.name: one for one in deciding(finding)}
        for one in own.values():
            e = one.estimate
            key = e.table.removesuffix(BY_LIKELIHOOD), e.condition, e.metric
            columns.setdefault(one.name, SuiteColumn(one.name, one.words, e.unit, key))
            titles[finding.titles[e.table].removesuffix(BY_LIKELIHOOD)] = None
        found = {name: one.estimate for name, one in own.items()}
        rows.append((label, found, evaluation.manifest.model.get("kind") == _RULES))
    if not columns:
        return None
    card = SUITES.get(suite).card
    beside = [finding for _, _, finding in having if _is_comparable(finding)]
    published, range_notes = _published(suite, language, columns, having) if beside else ((), ())
    entry = _KEY.search(card.citation)
    return SuiteTable(
        suite, language, card.title, _quantity(list(titles)), tuple(columns.values()),
        tuple(_row(label, found, columns, rules) for label, found, rules in rows),
        published, entry[1] if entry else "",
        (_sample(suite, having), *range_notes, *_notes(having, bool(published))),
        by_likelihood,
    )  # fmt: skip


def _quantity(titles: Sequence[str]) -> str:
    """What the one table measures, without its place in the paper.

    >>> _quantity(["Drop of repetition (Table 6)"]), _quantity(["Shares (macro; Tables 2 and 3)"])
    ('Drop of repetition', 'Shares (macro)')
    """
    return _SOURCE.sub("", titles[0]).replace(" ()", "") if len(titles) == 1 else ""


def _row(
    label: str, found: Mapping[str, Estimate], columns: Mapping[str, SuiteColumn], rules: bool
) -> SuiteRow:
    figures, bounds = [], []
    for name in columns:
        e = found.get(name)
        figures.append(NONE if e is None or e.value is None else plain_number(e.value, e.unit))
        bounds.append("" if e is None or e.low is None else interval(e))
    return SuiteRow(label, tuple(figures), tuple(bounds), rules)


def _is_comparable(finding: Finding) -> bool:
    """Whether any of its deciding figures is about the same thing as the paper's."""
    return any(finding.why_not(one.estimate) is None for one in deciding(finding))


def _published(
    suite: str,
    language: str,
    columns: Mapping[str, SuiteColumn],
    having: Sequence[tuple[str, Evaluation, Finding]],
) -> tuple[tuple[SuiteRow, ...], tuple[str, ...]]:
    """The paper's rows for the same figures; of a long list the range only."""
    paper = papers().get(suite)
    if paper is None or paper["paper"]["language"] != language:
        return (), ()
    places = {column.key: name for name, column in columns.items()}
    found: dict[str, dict[str, PrintedFigure]] = {}
    for row in paper["row"]:
        name = places.get((row["table"], row["condition"], measure_of(row)))
        if name is not None:
            for model, value in row["values"].items():
                found.setdefault(model, {})[name] = PrintedFigure.of(row, value)
    if len(found) <= MANY:
        rows = (
            SuiteRow(model, tuple(own[n].shown if n in own else NONE for n in columns))
            for model, own in found.items()
        )
        return tuple(rows), ()
    same = tuple(_same(having, columns))
    return same, tuple(_ranges(found, columns))


def _same(
    having: Sequence[tuple[str, Evaluation, Finding]], columns: Mapping[str, SuiteColumn]
) -> Iterator[SuiteRow]:
    """What the paper prints for the tested models themselves."""
    for label, _, finding in having:
        own = {one.name: one.estimate for one in deciding(finding)}
        if any(e.published is not None for e in own.values()):
            figures = (printed(own[n]).removesuffix(" %") if n in own else NONE for n in columns)
            yield SuiteRow(label, tuple(figures))


def _ranges(
    found: Mapping[str, Mapping[str, PrintedFigure]], columns: Mapping[str, SuiteColumn]
) -> Iterator[str]:
    for name in columns:
        own = sorted((f[name] for f in found.values() if name in f), key=lambda f: f.value)
        if own:
            yield (
                f"The {len(own)} published models have {own[0].shown} to {own[-1].shown} "
                f"({name}, median {own[len(own) // 2].shown})."
            )


def _notes(having: Sequence[tuple[str, Evaluation, Finding]], published: bool) -> dict[str, None]:
    """What must be said of the published figures, and of runs that are about something else."""
    notes: dict[str, None] = {}
    if not published:
        return notes
    others: dict[str, list[str]] = {}
    differing: dict[str, list[str]] = {}
    for label, _, finding in having:
        estimates = [one.estimate for one in deciding(finding)]
        whys = dict.fromkeys(why for e in estimates if (why := finding.why_not(e)))
        for why in whys:
            others.setdefault(why, []).append(label)
        if any(e.published is not None for e in estimates):
            tables = dict.fromkeys(e.table for e in estimates)
            said = (note for table in tables for note in finding.published_notes.get(table, ()))
            notes |= dict.fromkeys(said)
        elif not whys:
            found = [d.text for d in finding.differences if any(map(d.is_about, estimates))]
            if found:
                differing.setdefault(" ".join(dict.fromkeys(found)), []).append(label)
    for why, labels in others.items():
        verb = "is" if len(labels) == 1 else "are"
        listed = ", ".join(labels)
        notes[f"{listed} {verb} not to be compared with the published rows: {why}"] = None
    for text, labels in differing.items():
        notes[f"{', '.join(labels)}, not as in the paper: {text}"] = None
    return notes


def _sample(suite: str, having: Sequence[tuple[str, Evaluation, Finding]]) -> str:
    """How much each run asked, and of which items, where a suite has several sets."""
    units = SUITES.get(suite).unit_name
    parts: dict[str, list[str]] = {}
    for label, evaluation, _ in having:
        items = getattr(evaluation.spec.options.get(suite), "items", None)
        of = f" of {items}" if items else ""
        asked = f"{amount(evaluation.manifest.units.get(suite, 0), units)}{of}"
        parts.setdefault(asked, []).append(label)
    listed = (f"{asked} ({', '.join(labels)})" for asked, labels in parts.items())
    return f"Asked: {'; '.join(listed)}."
