"""Balance: no word may stand in more than so many groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from naysay.build.groups import Group
from naysay.keys import draw


def balanced(groups: Sequence[Group], per_word: int | None, seed: int) -> list[bool]:
    """For each group, whether it stays.

    Groups are taken in an order drawn from the seed and their sentences, so that the order of the
    input does not matter. A group stays while both its words have room.
    """
    if per_word is None:
        return [True] * len(groups)
    order = sorted(
        range(len(groups)),
        key=lambda place: (draw(seed, *groups[place].content), groups[place].content),
    )
    used: Counter[tuple[str, str]] = Counter()
    stays = [False] * len(groups)
    for place in order:
        group = groups[place]
        words = [(group.word_class, group.word), (group.word_class, group.antonym)]
        if all(used[word] < per_word for word in words):
            used.update(words)
            stays[place] = True
    return stays
