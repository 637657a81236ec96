"""What an embedder is taught with: groups, general sentences, and nothing of a test's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import write
from naysay.core.errors import DatasetError
from naysay.data.items import AntonymItem, Group, permutations, write_items
from naysay.train.embedder.general import general_sentences
from naysay.train.embedder.groups import framed_pairs, negator_of, parted
from naysay.train.embedder.guard import TestContent, family, frame_of, screened
from naysay.train.embedder.trials import find_trials, is_for_testing, own_sets

NOTHING = TestContent(frozenset(), frozenset(), frozenset())


def group(word: str, antonym: str, context: str = "The bus was {} this year.") -> Group:
    plain = [context.format(w) for w in (word, antonym)]
    negated = [context.format(f"not {w}") for w in (word, antonym)]
    return Group(plain[0], negated[0], plain[1], negated[1], word, antonym, "adjective", "not")


def items(word: str, antonym: str) -> list[AntonymItem]:
    return permutations(
        (f"It's {word}.", f"It's {antonym}."), (f"It's not {word}.", f"It's not {antonym}."), 0,
        pair=(word, antonym),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("planted", "reason"),
    [
        (group("hot", "cold"), "word"),
        (group("coldly", "hotly"), "family"),
        (group("wet", "dry", "The cold tea was {} today."), "word"),
        (group("wet", "dry", "It is {}."), "frame"),
        (group("wet", "dry", "It isn't {}."), "frame"),
        (group("wet", "dry"), None),
    ],
)
def test_a_planted_leak_is_caught(planted: Group, reason: str | None) -> None:
    content = TestContent.of(items("hot", "cold"))
    assert content.leak(planted) == reason
    found = screened([planted, group("loud", "silent")], content)
    assert found.left_out == ({} if reason is None else {reason: 1})
    assert found.groups[-1].word == "loud" and len(found.groups) == (1 if reason else 2)
    assert found.examples == (() if reason is None else (planted.plain_a,))


def test_families_join_words_with_the_same_root_and_no_others() -> None:
    for words in (
        ("certain", "uncertainty", "certainly"),
        ("possible", "impossibility"),
        ("safe", "unsafely", "safety"),
        ("wise", "unwise", "wisdom"),
        ("decent", "indecency"),
    ):
        assert len({family(word) for word in words}) == 1, words
    assert len({family(word) for word in ("hot", "cold", "open", "dirty", "rich")}) == 5


def test_a_frame_is_what_is_left_without_words_negation_and_articles() -> None:
    opposed = {family("good"), family("bad")}
    same = ("That's a good idea.", "That is not a bad idea", "That isn’t a good idea!")
    assert {frame_of(sentence, opposed) for sentence in same} == {"that is _ idea"}
    assert frame_of("That was a good idea.", opposed) != "that is _ idea"


def test_the_material_that_comes_with_naysay_has_nothing_of_upstreams_tests(
    upstream_data: Path,
) -> None:
    trials = find_trials(None, upstream_data)
    assert trials.missing == ()
    for one in trials.given:
        found = screened(framed_pairs(0), TestContent.of(one.items))
        assert found.count == 0, found.examples


def test_the_parts_share_no_word_and_tests_have_what_was_not_seen() -> None:
    trials = find_trials(None, None)
    assert "semantoneg" in trials.missing and "stsbenchmark" in trials.missing
    found = screened(framed_pairs(0), trials.content)
    assert found.count > 100  # the half of the suite's own words that is for testing
    parts = parted(found.groups)
    assert len(parts.training) > 4000 and len(parts.development) > 100
    trained, developed = (
        {family(w) for g in part for w in (g.word, g.antonym)}
        for part in (parts.training, parts.development)
    )
    assert not trained & developed
    tested = {family(w) for g in trials.own if is_for_testing(g) for w in (g.word, g.antonym)}
    assert not trained & tested
    sets = {one.name.partition(", ")[2]: one.items for one in own_sets(trials, parts.training)}
    assert set(sets) == {"unseen words", "unseen negators", "unseen frames"}
    assert {item.negator for item in sets["unseen negators"]} == {"no longer", "hardly", "without"}
    assert not {g.negator for g in parts.training} & {"no longer", "hardly", "without"}
    for item in sets["unseen words"]:
        assert not {family(word) for word in item.pair} & trained
    sentences = {sentence for g in parts.training for sentence in g.sentences}
    assert not sentences & {item.text for one in sets.values() for item in one}


def test_groups_depend_on_the_seed_alone() -> None:
    assert framed_pairs(1) == framed_pairs(1)
    assert framed_pairs(1) != framed_pairs(2)
    for one in framed_pairs(0)[::50]:
        assert len(set(one.sentences)) == 4
        assert not any(sign in "".join(one.sentences) for sign in "{}[]|:"[:5])


def test_negators_are_known_by_their_words() -> None:
    assert negator_of("is anything but") == "anything but"
    assert negator_of("didn't") == negator_of("not exactly") == "not"


def test_ones_own_items_are_kept_out(tmp_path: Path) -> None:
    file = write(tmp_path / "own.jsonl", write_items(items("boring", "exciting")))
    content = find_trials(file, None).content
    assert "boring" in content.words
    assert not any(
        {g.word, g.antonym} & {"boring", "exciting"}
        for g in screened(framed_pairs(0), content).groups
    )


def test_too_few_groups_are_told() -> None:
    with pytest.raises(DatasetError, match="Give more pairs of opposites"):
        parted([group("wet", "dry"), group("hot", "cold")])


def test_general_sentences_have_no_negation_and_no_test_words(tmp_path: Path) -> None:
    lines = [f"the {k}th ship left the harbour" for k in range(200)]
    planted = ["it did not rain", "we don't know", *[f"ship {k} is cold" for k in range(50)]]
    file = write(tmp_path / "general.txt", "\n".join([*lines, *planted, ""]))
    found = general_sentences(file, TestContent.of(items("hot", "cold")), 0)
    assert found.negated == 2 and 0 < found.leaks <= 50
    assert not any("cold" in text for text in found.training + found.development)
    assert not {*found.training} & {*found.development, *found.test}
    assert general_sentences(None, NOTHING, 0).digest == general_sentences(None, NOTHING, 0).digest
    with pytest.raises(DatasetError, match="60 or more are needed"):
        general_sentences(write(tmp_path / "few.txt", "one line\n"), NOTHING, 0)


def test_a_leak_in_ones_own_frames_is_counted_and_told(tmp_path: Path) -> None:
    from naysay.train.embedder import EmbedderSettings
    from naysay.train.embedder.procedure import leak_notice, prepare

    def table(words: list[str], context: str = "The {is} {word}.") -> str:
        contexts = [context.replace("The ", f"The {noun} ") for noun in ("lamp", "coat", "barn")]
        return (
            f"[[adjective]]\nwords = {json.dumps(words)}\ncontexts = {json.dumps(contexts)}\n"
            'negators = ["not", "never", "hardly"]\n'
        )

    trials = find_trials(None, None)
    tested = next(g for g in trials.own if is_for_testing(g) and g.word_class == "adjective")
    own = [[f"{a}{e}mbor", f"{a}{e}lvik"] for a in "bdfgklmnprst" for e in "aeou"]
    planted = table([tested.word, tested.antonym])
    file = write(tmp_path / "frames.toml", "\n".join([*map(table, own), planted]))
    settings = EmbedderSettings(model="any", frames=file)
    material = prepare(settings, trials).as_dict()
    assert material["left_out"] == {"word": 9}
    assert "Left out for the tests: 9 groups (9 for a word)" in leak_notice(material)
    assert material["not_checked"] == ["semantoneg", "stsbenchmark"]
