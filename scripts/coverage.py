"""Measure how often naysay's 95 % intervals contain the true value, in simulated sets.

Usage: python scripts/coverage.py [--sets 2000] [--only PART] > table.md

Answers are drawn from a logistic model whose clusters (names, professions, verbs, pairs, relations,
adjectives) have effects of their own, so the true share is known. The intervals come from naysay's
own functions. Everything is seeded by the name of the cell. A cell in bold is outside of what
docs/coverage.md asks for. The table on that page is the output of this script.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from naysay.core.keys import draw
from naysay.core.measures import balanced_weights
from naysay.stats.association import auc_interval
from naysay.stats.clusters import Clustering, Codes, Figure, Floats, crossed, renumbered, spread
from naysay.stats.difference import paired_difference
from naysay.stats.intervals import difference_interval, share_interval
from naysay.stats.nested_shares import NestedShares

RATES = (0.005, 0.05, 0.2, 0.5, 0.8, 0.95, 0.995)
CHANGES = ((0.05, 0.05), (0.5, 0.5), (0.95, 0.95), (0.05, 0.1), (0.5, 0.6), (0.8, 0.9))
AREAS = (0.5, 0.8, 0.95)
SHARED = 0.7
"""The correlation of the clusters' effects in the two figures of a difference."""
NAMES, PROFESSIONS, VERBS, ASKED = 200, 91, 600, 20
EFFECTS = {"names": 0.3, "professions": 0.5, "verbs": 0.8, "pairs": 0.3}
"""Standard deviations on the scale of log-odds."""
ADJECTIVES = [
    552, 264, 200, 188, 160, 152, 152, 136, 96, 92, 72, 64, 52, 52, 48, 48, 48, 40, 36, 32, 32,
    *[28] * 4, *[24] * 4, 20, 20, *[16] * 9, 12, 12, *[8] * 10, *[4] * 35,
]  # fmt: skip
"""How many items of SemAntoNeg each of its 87 clusters of adjectives has."""
Bounds = tuple[float | None, float | None]


@dataclass
class World:
    """Rows in clusters, and how much the clusters of each kind differ."""

    kinds: Mapping[str, Codes]
    effects: Mapping[str, float]
    clustering: Clustering
    """The clusters that the intervals know of."""
    rows: Codes = field(init=False)

    def __post_init__(self) -> None:
        self.rows = np.arange(len(self.clustering))

    def leanings(self, rng: np.random.Generator) -> dict[str, Floats]:
        """What each cluster adds to the log-odds of its answers."""
        return {
            kind: rng.normal(0, self.effects[kind], int(code.max()) + 1)
            for kind, code in self.kinds.items()
        }

    def answers(
        self, rate: float, leanings: Mapping[str, Floats], rng: np.random.Generator
    ) -> Floats:
        """Answers of 0 and 1, of which there would be this rate over all clusters."""
        odds = np.full(len(self.rows), intercept(rate, math.hypot(*self.effects.values())))
        for kind, code in self.kinds.items():
            odds += leanings[kind][code]
        drawn: Floats = (rng.random(len(odds)) < expit(odds)).astype(float)
        return drawn

    def two(self, rates: tuple[float, float], rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Answers to two questions about the same rows, with effects that are partly shared."""
        one, own = self.leanings(rng), self.leanings(rng)
        other = {
            kind: SHARED * one[kind] + math.sqrt(1 - SHARED**2) * own[kind] for kind in self.kinds
        }
        return self.answers(rates[0], one, rng), self.answers(rates[1], other, rng)


@cache
def intercept(rate: float, deviation: float) -> float:
    """The log-odds around which answers have this rate, with normal effects."""
    at, weights = np.polynomial.hermite_e.hermegauss(101)
    weights = weights / weights.sum()
    return float(brentq(lambda x: weights @ expit(x + deviation * at) - rate, -40, 40))


def pairs_and_verbs(pairs: int, kinds: Sequence[str], rng: np.random.Generator) -> World:
    """Names and professions that cross, each pair asked about some of the verbs."""
    drawn = rng.permutation(NAMES * PROFESSIONS)[:pairs]
    verbs = np.concatenate([rng.permutation(VERBS)[:ASKED] for _ in range(pairs)])
    name, profession = (np.repeat(code, ASKED) for code in np.divmod(drawn, PROFESSIONS))
    return crossing({"names": name, "professions": profession, "verbs": verbs}, kinds)


def frequent_verbs(pairs: int, kinds: Sequence[str], rng: np.random.Generator) -> World:
    """Pairs with one of 40 verbs each, some of which are very frequent, as predicted verbs are."""
    drawn = rng.permutation(NAMES * PROFESSIONS)[:pairs]
    often = 1 / np.arange(1, 41) ** 1.5
    name, profession = np.divmod(drawn, PROFESSIONS)
    verbs = rng.choice(40, size=pairs, p=often / often.sum())
    return crossing({"names": name, "professions": profession, "verbs": verbs}, kinds)


def crossing(every: Mapping[str, Codes], kinds: Sequence[str]) -> World:
    """Answers about names, professions and verbs, of which the intervals know some."""
    codes = {kind: renumbered(code) for kind, code in every.items()}
    codes["pairs"] = crossed(codes["names"], codes["professions"])
    return World(codes, EFFECTS, Clustering({kind: codes[kind] for kind in kinds}))


def facts(relations: int, effect: float, rng: np.random.Generator) -> World:
    """Facts in relations of unequal sizes."""
    code = np.repeat(np.arange(relations), rng.integers(50, 300, relations))
    kinds = {"relations": code}
    return World(kinds, {"relations": effect}, Clustering(kinds))


def adjectives(effect: float, rng: np.random.Generator) -> World:
    """Items in SemAntoNeg's clusters of adjectives."""
    kinds = {"adjectives": np.repeat(np.arange(len(ADJECTIVES)), ADJECTIVES)}
    return World(kinds, {"adjectives": effect}, Clustering(kinds))


def share(world: World, values: Floats) -> Bounds:
    """The interval of a share in which each row counts once."""
    figure = Figure(world.clustering, world.rows, values)
    found = share_interval(figure.mean, spread(figure), len(figure))
    return found.low, found.high


def macro_share(world: World, values: Floats) -> Bounds:
    """The interval of a share in which each relation counts once."""
    code = world.kinds["relations"]
    names = [str(number) for number in range(int(code.max()) + 1)]
    found = NestedShares(
        "", {"known": values}, (names, code), np.ones(len(code), bool), kind="relations", sizes={}
    ).mean("", "", "", "known", names).estimate  # fmt: skip
    assert found.low is not None and found.high is not None
    return found.low / 100, found.high / 100


def drawn_relations(rng: np.random.Generator, world: World, values: Floats) -> Bounds:
    """The middle 95 % of 500 draws of relations and of facts within them, for contrast."""
    sizes = np.bincount(world.kinds["relations"])
    means = np.bincount(world.kinds["relations"], weights=values) / sizes
    drawn = rng.integers(len(sizes), size=(500, len(sizes)))
    macro = (rng.binomial(sizes[drawn], means[drawn]) / sizes[drawn]).mean(axis=1)
    low, high = np.percentile(macro, [2.5, 97.5])
    return float(low), float(high)


def difference(world: World, one: Floats, other: Floats) -> Bounds:
    """The interval of the difference of two conditions."""
    figures = [Figure(world.clustering, world.rows, values) for values in (other, one)]
    found = difference_interval((figures[0].mean, figures[1].mean), spread(*figures))
    return found.low, found.high


def macro_difference(world: World, one: Floats, other: Floats) -> Bounds:
    """The interval of the difference of two runs, in which each relation counts once."""
    weights = balanced_weights(world.kinds["relations"])
    found = paired_difference(other - one, world.kinds, weights=weights)
    return found.low, found.high


@dataclass(frozen=True)
class Scenario:
    """Worlds of one kind, and how their intervals are made."""

    name: str
    build: Callable[[np.random.Generator], World]
    share: Callable[[World, Floats], Bounds] = share
    difference: Callable[[World, Floats, Floats], Bounds] = difference
    rates: Sequence[float] = RATES
    changes: Sequence[tuple[float, float]] = CHANGES
    areas: Sequence[float] = ()
    few: bool = False
    """Whether there are fewer than 20 clusters."""
    each: int = 20
    """How many sets have the same rows; their effects and answers are always drawn anew."""
    part: float = 1.0
    """The part of all sets that is simulated."""

    def worlds(self, sets: int, cell: object) -> Iterator[tuple[World, np.random.Generator]]:
        """A world for each set of a cell."""
        rng = np.random.default_rng(draw("coverage", self.name, cell))
        world = self.build(rng)
        for number in range(self.sets(sets)):
            if number and number % self.each == 0:
                world = self.build(rng)
            yield world, rng

    def sets(self, sets: int) -> int:
        """How many sets are simulated of each cell."""
        return round(self.part * sets)

    def shares(self, sets: int, rate: float) -> float:
        """The coverage of a share, in percent."""
        return covered(
            (self.share(world, world.answers(rate, world.leanings(rng), rng)), rate)
            for world, rng in self.worlds(sets, rate)
        )

    def differences(self, sets: int, rates: tuple[float, float]) -> float:
        """The coverage of the difference of two shares, in percent."""
        return covered(
            (self.difference(world, *world.two(rates, rng)), rates[1] - rates[0])
            for world, rng in self.worlds(sets, rates)
        )

    def area(self, sets: int, area: float) -> float:
        """The coverage of an area under the curve, in percent.

        Scores of both kinds are normal. Clusters make up as much of their variance as they do for
        answers, and the two scores of a row share a part of it.
        """
        return covered(
            (scores(world, area, rng), area) for world, rng in self.worlds(sets, f"area {area}")
        )


def scores(world: World, area: float, rng: np.random.Generator) -> Bounds:
    """The interval of the area under the curve of scores in one kind of cluster."""
    [(kind, code)] = world.kinds.items()
    one, own = world.leanings(rng)[kind], world.leanings(rng)[kind]
    other = SHARED * one + math.sqrt(1 - SHARED**2) * own
    logistic = math.pi / math.sqrt(3)  # the deviation of answers on the scale of log-odds
    apart = float(ndtri(area)) * math.sqrt(2) * math.hypot(world.effects[kind], logistic)
    high, low = (side[code] + rng.normal(0, logistic, len(code)) for side in (one, other))
    found = auc_interval(high + apart, low, code, kind)
    return found.low, found.high


def covered(found: Iterator[tuple[Bounds, float]]) -> float:
    """The part of intervals that contain the truth, in percent; none contains nothing."""
    held = [
        low is not None and high is not None and low <= truth <= high
        for (low, high), truth in found
    ]
    return 100 * sum(held) / len(held)


def scenarios() -> list[Scenario]:
    """All scenarios: naysay's own intervals first, then the old ways."""
    kinds = ("names", "professions", "verbs")
    two = ((0.5, 0.5), (0.5, 0.6))
    made = [
        Scenario("10 pairs", partial(pairs_and_verbs, 10, kinds), few=True),
        Scenario("50 pairs", partial(pairs_and_verbs, 50, kinds)),
        Scenario("200 pairs", partial(pairs_and_verbs, 200, kinds)),
        Scenario("3,000 pairs", partial(pairs_and_verbs, 3000, kinds), each=10**6,
                 changes=((0.05, 0.05), *two, (0.8, 0.9))),
        Scenario("18,200 pairs", partial(pairs_and_verbs, NAMES * PROFESSIONS, kinds), each=10**6,
                 part=0.5, rates=RATES[:4], changes=two),
    ]  # fmt: skip
    made.append(
        Scenario("200 pairs, frequent verbs", partial(frequent_verbs, 200, kinds), few=True)
    )
    for effect in (0.8, 1.0):
        made += [
            Scenario(
                f"{count} relations, effect {effect}", partial(facts, count, effect), macro_share,
                macro_difference, few=count < 20, areas=AREAS,
            )
            for count in (5, 12, 41)
        ]  # fmt: skip
    made += [
        Scenario(f"87 clusters of adjectives, effect {e}", partial(adjectives, e), areas=AREAS)
        for e in (0.8, 1.0)
    ]
    middle = {"rates": (0.05, 0.2, 0.5), "changes": ()}
    wrong = ("pairs", "verbs")
    made += [
        Scenario(f"old: {n:,} pairs taken as independent", partial(pairs_and_verbs, n, wrong),
                 each=20 if n == 200 else 10**6, **middle)  # type: ignore[arg-type]
        for n in (200, 3000)
    ]  # fmt: skip
    made += [
        Scenario(
            f"old: {count} relations drawn with replacement", partial(facts, count, 1.0),
            partial(drawn_relations, np.random.default_rng(count)), few=count < 20,
            **middle,  # type: ignore[arg-type]
        )
        for count in (5, 12, 41)
    ]  # fmt: skip
    return made


def cell(coverage: float | None, few: bool) -> str:
    """A coverage, in bold where it is outside of what is wanted."""
    if coverage is None:
        return ""
    low, high = (94, 99) if few else (93.5, 96.5)
    inside = low <= round(coverage, 1) <= high
    return f"{coverage:.1f}" if inside else f"**{coverage:.1f}**"


def table(
    title: str,
    columns: Mapping[object, str],
    chosen: Sequence[Scenario],
    measured: Callable[[Scenario], Mapping[object, float]],
    sets: int,
) -> None:
    """Print one table."""
    lines = [f"| {title} | sets | {' | '.join(columns.values())} |"]
    lines.append("|---|---:|" + "---:|" * len(columns))
    for scenario in chosen:
        found = measured(scenario)
        if found:
            cells = [cell(found.get(column), scenario.few) for column in columns]
            lines.append(f"| {scenario.name} | {scenario.sets(sets):,} | {' | '.join(cells)} |")
    if len(lines) > 2:
        print("\n".join(lines), end="\n\n", flush=True)


def percent(rate: float) -> str:
    """A rate as it stands at the head of a column."""
    return f"{100 * rate:g} %"


def main(arguments: Sequence[str]) -> None:
    """Simulate, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sets", type=int, default=2000, help="simulated sets of each cell")
    parser.add_argument("--only", default="", help="only scenarios whose name has this in it")
    options = parser.parse_args(arguments)
    chosen = [one for one in scenarios() if options.only in one.name]

    def timed(title: str, measure: Callable[[], Mapping[object, float]]) -> Mapping[object, float]:
        begun = time.perf_counter()
        found = measure()
        print(f"{title}: {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True)
        return found

    sets = options.sets
    table(
        "shares", {rate: percent(rate) for rate in RATES}, chosen,
        lambda s: timed(s.name, lambda: {r: s.shares(sets, r) for r in s.rates}), sets,
    )  # fmt: skip
    table(
        "paired differences",
        {change: " → ".join(map(percent, change)) for change in CHANGES}, chosen,
        lambda s: timed(s.name, lambda: {c: s.differences(sets, c) for c in s.changes}), sets,
    )  # fmt: skip
    table(
        "areas under the curve", {area: f"{area:g}" for area in AREAS}, chosen,
        lambda s: timed(s.name, lambda: {a: s.area(sets, a) for a in s.areas}), sets,
    )  # fmt: skip
    errors = " and ".join(
        f"{100 * math.sqrt(0.95 * 0.05 / count):.1f} points with {count:,} sets"
        for count in sorted({one.sets(sets) for one in chosen})
    )
    print(f"The standard error of a coverage of 95 % is {errors}.")


if __name__ == "__main__":
    main(sys.argv[1:])
