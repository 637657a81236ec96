"""The two-level bootstrap: groups are drawn, and then observations within them.

Facts of one relation are alike, and there are few relations; so the relations are drawn with
replacement, and for each that is drawn its facts are drawn with replacement too (Davison and
Hinkley 1997, section 3.8). A group's own means in draws of its observations are made once, in a
bank; each time the group is drawn one of them is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from naysay.keys import draw
from naysay.stats.bootstrap import DRAWS
from naysay.stats.intervals import Floats


class Nested:
    """Observations of several kinds in named groups, ready for means over any choice of groups."""

    def __init__(self, groups: Mapping[str, Floats], *, seed: int, draws: int = DRAWS) -> None:
        """Take the observations of each group (observations × kinds)."""
        self._seed, self._draws = seed, draws
        self._groups = dict(groups)
        self._banks: dict[str, Floats] = {}

    def means(self, group: str) -> Floats:
        """The means of one group, by kind."""
        found: Floats = self._groups[group].mean(axis=0)
        return found

    def bank(self, group: str) -> Floats:
        """The group's means in draws of its own observations (draws × kinds)."""
        if group not in self._banks:
            values = self._groups[group]
            # By its own name: another choice of groups leaves its draws as they are.
            rng = np.random.default_rng([self._seed, draw("nested", group)])
            picks = rng.integers(len(values), size=(self._draws, len(values)))
            self._banks[group] = np.stack(
                [column[picks].mean(axis=1) for column in values.T], axis=1
            )
        return self._banks[group]

    def drawn(self, groups: Sequence[str], weights: Sequence[float]) -> Floats:
        """The weighted mean over the groups in each draw (draws × kinds).

        A single group is not drawn itself, since there is no other to draw.
        """
        if len(groups) == 1:
            return self.bank(groups[0])
        rng = np.random.default_rng([self._seed, draw("groups", *groups)])
        count = len(groups)
        picked = rng.integers(count, size=(self._draws, count))
        which = rng.integers(self._draws, size=(self._draws, count))
        banks = np.stack([self.bank(group) for group in groups])
        weight = np.asarray(weights, dtype=float)[picked]
        weight /= weight.sum(axis=1, keepdims=True)
        found: Floats = np.einsum("dg,dgk->dk", weight, banks[picked, which])
        return found
