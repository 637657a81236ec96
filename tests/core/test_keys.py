from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from naysay.core.keys import content_key, draw_share, seeded_order

WORDS = st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=30)
JSON = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=6)


@given(WORDS, st.integers())
def test_an_order_is_a_permutation_that_ignores_the_order_given(
    words: list[str], seed: int
) -> None:
    order = seeded_order(words, seed)
    assert sorted(order) == sorted(words)
    assert seeded_order(reversed(words), seed) == order


@given(WORDS, WORDS, st.integers())
def test_words_keep_their_order_when_others_come_or_go(
    words: list[str], others: list[str], seed: int
) -> None:
    union = seeded_order(dict.fromkeys([*words, *others]), seed)
    assert [word for word in union if word in words] == seeded_order(words, seed)


def test_seeds_and_units_give_different_orders() -> None:
    words = [str(number) for number in range(50)]
    orders = {tuple(seeded_order(words, seed, unit)) for seed in range(5) for unit in "ab"}
    assert len(orders) == 10


def test_every_place_is_equally_likely() -> None:
    words = ["a", "b", "c", "d"]
    first = [seeded_order(words, seed)[0] for seed in range(4000)]
    assert all(900 < first.count(word) < 1100 for word in words)


@given(JSON)
def test_a_key_depends_on_content_alone(value: dict[str, int | str]) -> None:
    assert content_key(value) == content_key(dict(reversed(value.items())))
    assert content_key(value) != content_key({**value, "one more": 1})


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_a_drawn_share_lies_in_the_unit_interval(parts: list[str]) -> None:
    assert 0 <= draw_share(*parts) < 1
    assert draw_share(*parts) == draw_share(*parts)
