"""The items' outcomes: whether the paraphrase is found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from naysay.core.measures import Outcome, Strings, strings
from naysay.core.protocols import Table
from naysay.core.records import Estimate, Finding, Fit
from naysay.core.spec import RunSpec
from naysay.data.items import ROLES
from naysay.stats.shares import Mask, Shares
from naysay.suites._published import printed
from naysay.suites.semantoneg import margins
from naysay.suites.semantoneg.rows import TIE, JudgedItems
from naysay.suites.semantoneg.source import OWN_ITEMS, UPSTREAM_ITEMS

CHANCE = 100 / 3
PASS = 50.0
TITLES = {
    "accuracy": "The paraphrase is found among three sentences",
    "choices": "The sentence that is nearest",
    "kinds": "Accuracy by the words that are opposite, and by what negates",
    **margins.TITLES,
    "pairs": "Accuracy by pair of antonyms",
}
_CHOICES = {
    "paraphrase": (2, "the right one"),
    "antonym only": (0, "the sentence with the opposite word in it"),
    "polarity only": (1, "the sentence with the same words, and with or without “not”"),
    "tie": (-1, "two sentences to be equally near, which is no answer"),
}


def measure(suite: str, table: Table, spec: RunSpec, fit: Fit) -> Finding:
    """All tables and the verdict."""
    rows = JudgedItems(table)
    right = rows.true("right")
    estimates = (
        *accuracies(suite, rows, right, spec.seed),
        *chosen(suite, rows, spec.seed),
        *by_kind(suite, rows, right, spec.seed),
        *margins.measure(suite, rows, spec.seed),
        *by_pair(suite, rows, right),
    )
    notes = item_notes(rows, fit)
    if cut := int(rows.true("cut").sum()):
        notes += (f"{cut:,} items have a sentence that the model did not read to its end.",)
    comparable = bool(fit.about.get("upstream"))
    if comparable:
        notes += (_standing(suite, estimates[0]),)
    return replace(conclude(suite, estimates, TITLES, notes), comparable=comparable)


def _standing(suite: str, accuracy: Estimate) -> str:
    """Where the model stands among those of the paper."""
    others = printed(suite, accuracy.table, accuracy.condition, accuracy.metric)
    best = max(others, key=lambda name: others[name])
    # The paper prints one decimal, and so much is compared.
    better = sum(value > round(accuracy.value or 0, 1) for value in others.values())
    return (
        f"Of the {len(others)} models in the paper {better} have a higher accuracy; the highest is "
        f"{others[best]:.1f} % ({best})."
    )


def conclude(
    suite: str,
    estimates: tuple[Estimate, ...],
    titles: Mapping[str, str],
    notes: tuple[str, ...],
) -> Finding:
    """The finding with these figures; the verdict is by the accuracy on all items."""
    accuracy = next(e for e in estimates if (e.table, e.condition) == ("accuracy", "all"))
    outcome, verdict = _decide(accuracy)
    wrong = [e for e in estimates if e.table == "choices" and e.condition != "paraphrase"]
    if outcome == "fails" and wrong:
        most = max(wrong, key=lambda estimate: estimate.value or 0)
        verdict += f" Most often it takes {_CHOICES[most.condition][1]} ({most.value:.1f} %)."
    filled = {estimate.table for estimate in estimates}
    shown = {name: title for name, title in titles.items() if name in filled}
    details = frozenset({"sweep", "pairs"}) & filled
    return Finding(suite, estimates, shown, outcome, verdict, notes, details)


def accuracies(suite: str, rows: JudgedItems, right: Mask, seed: int) -> list[Estimate]:
    """The accuracy on all items, on the distinct ones if some are repeated, and by chance."""
    chosen = {"all": rows.everything}
    if rows.true("repeated").any():
        chosen["distinct"] = ~rows.true("repeated")
    shares = clustered(suite, rows, dict.fromkeys(chosen, right), chosen, seed)
    found = [shares.share("accuracy", name, "accuracy", name) for name in chosen]
    count = int(right.sum())
    found[0] = replace(found[0], note=f"{count:,} of {len(rows):,} right")
    chance = Estimate(suite, "accuracy", "chance", "accuracy", CHANCE, note="guessing")
    return [*found, chance]


def clustered(
    suite: str, rows: JudgedItems, values: Mapping[str, Mask], chosen: Mapping[str, Mask], seed: int
) -> Shares:
    """Shares over the items, drawn by their adjectives."""
    clusters = {"words": rows.linked_words}
    return Shares(suite, {k: v.astype(float) for k, v in values.items()}, clusters, chosen, seed)


def by_kind(suite: str, rows: JudgedItems, right: Mask, seed: int) -> list[Estimate]:
    """The accuracy by word class and by negator, where the items tell more than one."""
    chosen: dict[str, Mask] = {}
    for column in ("word_class", "negator"):
        labels, code = rows.words(column)
        named = {label: code == k for k, label in enumerate(labels) if label}
        chosen |= named if len(named) > 1 else {}
    shares = clustered(suite, rows, dict.fromkeys(chosen, right), chosen, seed)
    return [shares.share("kinds", name, "accuracy", name) for name in chosen]


def by_pair(suite: str, rows: JudgedItems, right: Mask) -> list[Estimate]:
    """The accuracy on each pair of antonyms; too few items for an interval."""
    pairs, code = rows.words("pair")
    counts = np.bincount(code, minlength=len(pairs))
    hits = np.bincount(code, weights=right.astype(float), minlength=len(pairs))
    order = sorted(range(len(pairs)), key=lambda k: (-counts[k], pairs[k]))
    return [
        Estimate(
            suite, "pairs", pairs[k], "accuracy", 100 * float(hits[k] / counts[k]),
            n=int(counts[k]), note=f"{int(hits[k]):,} of {int(counts[k]):,}",
        )
        for k in order if counts[k]
    ]  # fmt: skip


def chosen(suite: str, rows: JudgedItems, seed: int) -> list[Estimate]:
    """Which option won, and how often none did."""
    choice = rows.numbers("choice")
    values = {name: choice == k for name, (k, _) in _CHOICES.items()}
    shares = clustered(suite, rows, values, dict.fromkeys(values, rows.everything), seed)
    return [
        replace(
            shares.share("choices", name, "share", name),
            note=f"{int(values[name].sum()):,} items",
        )
        for name in values
    ]


def _decide(accuracy: Estimate) -> tuple[str, str]:
    """The outcome, and why."""
    if accuracy.value is None or accuracy.low is None or accuracy.high is None:
        return "not measured", "was not measured: the items are of a single pair of words."
    told = (
        f"it finds the paraphrase in {accuracy.value:.1f} % of the items "
        f"({accuracy.low:.1f} to {accuracy.high:.1f}; by chance {CHANCE:.1f})."
    )
    if accuracy.low >= PASS:
        return "passes", f"passes: {told}"
    if accuracy.high < PASS:
        return "fails", f"fails: {told}"
    return "undecided", f"is undecided: {told}"


def item_notes(rows: JudgedItems, fit: Fit) -> tuple[str, ...]:
    """Which items these are, and what is flagged."""
    told = [_items_note(rows, fit)]
    pairs = len(rows.words("pair")[0])
    told.append(
        f"{len(rows):,} items with {pairs:,} pairs of antonyms; words that are linked as antonyms "
        f"are one cluster: {len(np.unique(rows.linked_words)):,} clusters."
    )
    return tuple(told)


def _items_note(rows: JudgedItems, fit: Fit) -> str:
    name, count = fit.about["items"], int(fit.about["count"])
    drawn = "" if len(rows) == count else f", of which {len(rows):,} were drawn"
    if name == OWN_ITEMS:
        return (
            f"Items: antoneg, naysay's own ({count:,}{drawn}); the paper's figures are about other "
            "ones, which `naysay data get semantoneg` fetches."
        )
    if name == UPSTREAM_ITEMS and not fit.about["upstream"]:
        return f"Items: SemAntoNeg, but not as released ({count:,}{drawn}): no published figures."
    title = "SemAntoNeg 1.0, as released" if fit.about["upstream"] else name
    return f"Items: {title} ({count:,}{drawn})."


def outcomes(suite: str, items: Table, title: str, rows_each: int) -> Iterator[Outcome]:
    """The accuracy on all items; each has so many rows, of which the first has its sentences."""
    rows = JudgedItems(items.unify_dictionaries())
    choice = rows.numbers("choice").astype(int)
    said = pa.DictionaryArray.from_arrays(
        pa.array(np.where(choice == TIE, len(ROLES), choice), pa.int32()), [*ROLES, "tie"]
    )
    yield Outcome(
        suite, "accuracy", "all", "accuracy", title,
        keys=strings(items, "unit"), values=rows.true("right").astype(float),
        clusters={"words": _linked(rows)}, wanted="high",
        rows=np.arange(len(rows), dtype=np.int64) * rows_each, answers=said,
    )  # fmt: skip


def _linked(rows: JudgedItems) -> Strings:
    """Each item's cluster by the first of its linked words."""
    pairs, code = rows.words("pair")
    cluster_of_pair = np.zeros(len(pairs), dtype=np.int64)
    cluster_of_pair[code] = rows.linked_words
    first: dict[int, str] = {}
    for pair, cluster in zip(pairs, cluster_of_pair.tolist(), strict=True):
        first[cluster] = min(*pair.split("/"), first.get(cluster, pair))
    labels = [first[cluster] for cluster in cluster_of_pair.tolist()]
    return pa.array(labels).take(pa.array(code))
