"""A few items out of many: as many wrong as right ones, and of every kind some.

Each item draws its place by its own key. So the choice depends on the rows and the seed alone,
whatever the shards are in which the rows come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import TypeVar

from naysay.examples.item import Item
from naysay.keys import draw

_Kind = tuple[object, ...]
T = TypeVar("T")


class Sample:
    """Takes items as they come and keeps no more of each kind than could be chosen."""

    def __init__(self, count: int, seed: int) -> None:
        self._count, self._seed = count, seed
        self._kinds: dict[_Kind, list[tuple[int, Item]]] = {}
        self.seen = 0

    def add(self, items: Iterable[Item]) -> None:
        """Take these items, but for those that have nothing to ask or to show."""
        for item in items:
            if not item.main:
                continue
            self.seen += 1
            kept = self._kinds.setdefault(_kind(item), [])
            kept.append((draw(self._seed, "examples", item.key), item))
            if len(kept) >= 2 * self._count:
                self._trim(kept)

    def _trim(self, kept: list[tuple[int, Item]]) -> None:
        kept.sort(key=_place)
        del kept[self._count :]

    def chosen(self) -> list[Item]:
        """The items: wrong and right in turn, and of each the kinds in turn; spare ones last."""
        for kept in self._kinds.values():
            self._trim(kept)
        groups = {
            group: list(self._of_each_kind(*group))
            for group in ((spare, right) for spare in (False, True) for right in (False, True))
        }
        ordered = chain(
            *(in_turn([groups[spare, False], groups[spare, True]]) for spare in (False, True))
        )
        return list(islice(ordered, self._count))

    def _of_each_kind(self, spare: bool, right: bool) -> Iterator[Item]:
        kinds = [kept for kind, kept in self._kinds.items() if kind[:2] == (spare, right)]
        kinds.sort(key=lambda kept: _place(kept[0]))
        return (item for _, item in in_turn(kinds))


def in_turn(lists: Sequence[Sequence[T]]) -> Iterator[T]:
    """The first of each list, then the second of each that has one, and so on.

    >>> list(in_turn([[1, 2, 3], [4], [5, 6]]))
    [1, 4, 5, 2, 6, 3]
    """
    missing = object()
    for several in zip_longest(*lists, fillvalue=missing):
        yield from (one for one in several if one is not missing)  # type: ignore[misc]


def _kind(item: Item) -> _Kind:
    pattern = tuple((side.label, side.verdict) for side in item.main)
    return item.spare, item.right, item.facet, pattern


def _place(drawn: tuple[int, Item]) -> tuple[int, str]:
    return drawn[0], drawn[1].key
