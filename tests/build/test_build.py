"""Building sets: what is made of pairs, frames and review files, checked by hand and by law."""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Outcome, refused
from naysay.build import sentences as tagging
from naysay.build.antonyms import antonyms, chosen
from naysay.build.assembly import AssemblyChoice, balanced, build_pairs
from naysay.build.negation import negations, put_in, take_out
from naysay.build.pairs import Pair, read_pairs
from naysay.build.paraphrases import Wanted, from_pairs, groups_of
from naysay.build.sentences import STEPS, LeftOut, inflect, join, split, tagged
from naysay.data.frames import article, frame_groups
from naysay.data.items import CLASSES, NEGATORS, Group, distinct, items_of

Naysay = Callable[..., Outcome]
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "paraphrases.tsv"
FRAMES = ROOT / "src" / "naysay" / "suites" / "semantoneg" / "frames.toml"
EVERYTHING = Wanted(CLASSES, NEGATORS)

# plain A, negated A, plain B, negated B, doubts, notes: every group of the example, by hand.
BY_HAND = [
    ("The soup is hot.", "The soup is not hot.", "The soup is cold.",
     "The soup is not cold.", "something in between", "confirmed by the pair"),
    ("This is a good plan.", "This isn't a good plan.", "This is a bad plan.",
     "This isn't a bad plan.", "", "several antonyms, confirmed by the pair"),
    ("It is a cheap hotel.", "It isn't a cheap hotel.",
     "It is an expensive hotel.", "It isn't an expensive hotel.",
     "before a noun, something in between", "article changed, not the word in the pair"),
    ("That was an easy exam.", "That was not an easy exam.",
     "That was a difficult exam.", "That was not a difficult exam.",
     "several meanings", "article changed, several antonyms, not the word in the pair"),
    ("You are guilty, aren't you?", "You aren't guilty, are you?", "You are innocent, aren't you?",
     "You aren't innocent, are you?", "", "question tag, confirmed by the pair"),
    ("I'm strong, aren't I?", "I'm not strong, am I?",
     "I'm weak, aren't I?", "I'm not weak, am I?",
     "something in between", "question tag, several antonyms, confirmed by the pair"),
    ("She looks happy.", "She doesn't look happy.", "She looks unhappy.",
     "She doesn't look unhappy.", "", "confirmed by the pair"),
    ("The twins seemed polite.", "The twins didn't seem polite.", "The twins seemed impolite.",
     "The twins didn't seem impolite.", "",
     "several antonyms, not the word in the pair"),
    ("Be careless with the keys.", "Don't be careless with the keys.", "Be careful with the keys.",
     "Don't be careful with the keys.", "imperative", "confirmed by the pair"),
    ("The gate can be open.", "The gate cannot be open.", "The gate can be shut.",
     "The gate cannot be shut.", "modal verb", "several antonyms, confirmed by the pair"),
    ("He will be late.", "He won't be late.", "He will be early.",
     "He won't be early.", "something in between", "confirmed by the pair"),
    ("The weather is very nice.", "The weather isn't very nice.",
     "The weather is very nasty.", "The weather isn't very nasty.",
     "mild degree word, opposites not reviewed", "confirmed by the pair"),
    ("The colour of this cheese is natural.", "The colour of this cheese is not natural.",
     "The colour of this cheese is unnatural.", "The colour of this cheese is not unnatural.",
     "opposites not reviewed", "several antonyms, not the word in the pair"),
    ("The knife is sharp.", "The knife isn't sharp.", "The knife is dull.",
     "The knife isn't dull.", "", "several antonyms, later sense, confirmed by the pair"),
    ("We’re rich.", "We’re not rich.", "We’re poor.",
     "We’re not poor.", "something in between", "several antonyms, confirmed by the pair"),
    ("No, this rumour is true.", "No, this rumour is not true.", "No, this rumour is false.",
     "No, this rumour is not false.", "", "several antonyms, confirmed by the pair"),
]  # fmt: skip
NOT_READ = "word after the negator is not read as a word of the class"
# Why each other pair of the example gives nothing, by its first sentence.
LEFT_OUT = {
    "The lake is deep.": "no negation",
    "The road isn't safe.": "negation on both sides",
    "He is not tall and he can't swim.": "two negations",
    "Nobody is perfect.": "negator not asked for",
    "That is not water.": NOT_READ,
    "My brother is not singing.": NOT_READ,
    "The parcel was not delivered.": NOT_READ,
    "The new model is not cheaper.": "comparative or superlative",
    "The film wasn't too bad.": "degree word",
    "The bridge is not strong enough.": "degree word",
    "It isn't always easy.": "adverb before the word",
    "The water isn't clear and warm.": "several words joined",
    "She isn't the first.": "ordinal or the same",
    "The sky is not purple.": "no antonym in WordNet",
    "He isn't calm.": "no antonym in the first sense",
    "The sample is not liquid.": "several opposites",
    "The tea isn't hot, it's cold.": "antonym in the sentence already",
    "The shop isn't open yet.": "needs the negation",
    "It ain't true what she says.": "cannot be taken out",
}


def made(
    text: str, wanted: Wanted = EVERYTHING, other: str = "Yes, that is so."
) -> tuple[str, ...]:
    """What a single sentence becomes: plain A, plain B, negated B; or why it does not."""
    try:
        [group] = groups_of(Pair(text, other), wanted)
    except LeftOut as left_out:
        return (left_out.reason,)
    assert group.negated_a == text
    return group.plain_a, group.plain_b, group.negated_b


# The example.


def test_the_examples_groups_are_those_written_by_hand() -> None:
    found = from_pairs(read_pairs(EXAMPLE).pairs)
    groups = distinct(found.groups)
    assert [
        (*group.sentences, ", ".join(group.doubts), ", ".join(group.notes)) for group in groups
    ] == BY_HAND
    assert len(found.groups) - len(groups) == 2  # one repeated, one with the words exchanged
    assert {(group.word_class, group.negator) for group in groups} == {("adjective", "not")}


def test_each_pair_of_the_example_is_left_out_for_its_reason() -> None:
    told = {}
    for pair in read_pairs(EXAMPLE).pairs:
        try:
            groups_of(pair, Wanted())
        except LeftOut as left_out:
            told[pair.one] = left_out.reason
    assert told == LEFT_OUT


def test_counts_add_up() -> None:
    pairs = read_pairs(EXAMPLE).pairs
    rng = random.Random(7)
    for wanted in (Wanted(), EVERYTHING, replace(EVERYTHING, senses="all")):
        sample = rng.sample(pairs, 20)
        kept = 0
        for pair in sample:
            try:
                kept += bool(groups_of(pair, wanted))
            except LeftOut:
                continue
        found = from_pairs(sample, wanted)
        assert found.read == 20 == kept + found.left_out.total()
    known = {reason for reasons in STEPS.values() for reason in reasons}
    assert set(LEFT_OUT.values()) <= known


def test_the_summary_counts_every_reason_and_every_step() -> None:
    summary = build_pairs(EXAMPLE, AssemblyChoice(per_word=1)).summary
    counted = {
        (len(line) - len(line.lstrip()), *re.split(r"  +", line.strip()))
        for line in summary.splitlines()
    }
    assert len(counted) == len(summary.splitlines())
    assert {line for line in counted if line[0] == 0} == {
        (0, "pairs read", "37"),
        (0, "pairs of four tokens or more", "37"),
        (0, "pairs with a negation on one side", "35"),
        (0, "pairs with a negator and an adjective", "24"),
        (0, "pairs with an antonym", "20"),
        (0, "pairs whose negation can be taken out", "18"),
        (0, "groups", "18"),
        (0, "groups in the set", "6"),
        (0, "items written", "24"),
    }
    reasons = Counter(LEFT_OUT.values())
    reasons["word after the negator is not read as an adjective"] = reasons.pop(NOT_READ)
    told = {label: int(count) for depth, label, count in counted if depth}
    # Twelve doubts about ten groups: each is counted.
    doubts = {
        "imperative": 1, "modal verb": 1, "mild degree word": 1, "before a noun": 1,
        "something in between": 5, "opposites not reviewed": 2, "several meanings": 1,
    }  # fmt: skip
    assert told == {
        **reasons,
        "duplicates removed": 2,
        "doubtful, only in the review file (one may have several doubts)": 10,
        **doubts,
    }


# Single sentences.


# Sentence => plain A | plain B | negated B, or why there is no group. "…" stands for the
# sentence itself with the words exchanged in which plain A and plain B differ.
SENTENCES = """
Isn't it nice? => Is it nice? | Is it nasty? | Isn't it nasty?
Aren't I lucky? => Am I lucky? | Am I unlucky? | Aren't I unlucky?
Do you not feel fit? => Do you feel fit? | Do you feel unfit? | Do you not feel unfit?
Not bad, Tom! => Bad, Tom! | Good, Tom! | Not good, Tom!
NOT A CHEAP ONE => A CHEAP ONE | AN EXPENSIVE ONE | NOT AN EXPENSIVE ONE
Well...not true. => Well...true. | Well...false. | Well...not false.
Please don't be late. => Please be late. | Please be early. | Please don't be early.
I shan’t be dry, shall I? => I shall be dry, shan’t I? | I shall be wet, shan’t I? | …
It doesn't look safe. => It looks safe. | It looks dangerous. | It doesn't look dangerous.
He didn't seem to be ill. => He seemed to be ill. | He seemed to be well. | …
He's never late, is he? => He's always late, isn't he? | He's always early, isn't he? | …
No longer rich, he left. => Now rich, he left. | Now poor, he left. | No longer poor, he left.
That's hardly an easy job. => That's an easy job. | That's a difficult job. | …
He left without good reason. => He left with good reason. | He left with bad reason. | …
We tried without success. => We tried with success. | We tried with failure. | …
She didn't accept it. => She accepted it. | She rejected it. | She didn't reject it.
He doesn't remember her. => He remembers her. | He forgets her. | He doesn't forget her.
They won't win. => They will win. | They will lose. | They won't lose.
They never open it. => They always open it. | They always close it. | They never close it.
He no longer loves her. => He now loves her. | He now hates her. | He no longer hates her.
It has not increased. => It has increased. | It has decreased. | It has not decreased.
She did not drive slowly. => She drove slowly. | She drove quickly. | She did not drive quickly.
I did not read it and I'm not sad. => two negations
It isn't that easy. => degree word
He didn't give up. => verb with a particle
She needn't be polite. => cannot be taken out
It's hard, if not impossible. => cannot be taken out
I'm not sure whether he came. => needs the negation
It isn't true, isn't it? => question tag
It is not the same thing. => ordinal or the same
He didn't get hot water. => word after the negator is not read as a word of the class
"""


@pytest.mark.parametrize("line", SENTENCES.strip().splitlines())
def test_a_sentence_becomes(line: str) -> None:
    text, becomes = line.split(" => ")
    *plain, negated = made(text)
    if becomes.endswith("…"):
        one, other = (sentence.split() for sentence in plain)
        exchanged = dict(zip(one, other, strict=True))
        assert negated == " ".join(exchanged.get(word, word) for word in text.split())
        negated = "…"
    assert " | ".join([*plain, negated]) == becomes


def test_a_prefix_negates_where_it_is_asked_for() -> None:
    pair = Pair("The lane seems unclean.", "The lane seems dirty.")
    [group] = groups_of(pair, EVERYTHING)
    assert group.sentences == (
        "The lane seems clean.",
        "The lane seems unclean.",
        "The lane seems dirty.",
        "The lane does not seem dirty.",
    )
    assert (group.word, group.antonym, group.negator) == ("clean", "dirty", "prefix")
    with pytest.raises(LeftOut, match="no negation"):
        groups_of(pair, Wanted())
    tag = "It was an incorrect reply, wasn't it?"
    [group] = groups_of(Pair(tag, "It was a wrong reply, wasn't it?"), EVERYTHING)
    assert group.sentences[2:] == (
        "It was a wrong reply, wasn't it?",
        "It was not a wrong reply, was it?",
    )


def test_the_first_sense_alone_is_used_unless_the_pair_tells_another() -> None:
    assert [a.word for a in antonyms("natural", "adjective")][-2:] == ["sharp", "flat"]
    by_word = {
        "natural": "unnatural", "hard": "easy", "right": "wrong", "lucky": "unlucky",
        "good": "bad", "late": "early",
    }  # fmt: skip
    for word, antonym in by_word.items():
        assert [a.word for a in chosen(word, "adjective", "first", set())] == [antonym]
    told = chosen("natural", "adjective", "first", {"artificial"})
    assert [(a.word, a.sense) for a in told] == [("artificial", 2)]
    assert len(chosen("natural", "adjective", "all", {"artificial"})) == 5
    for word, reason in (
        ("fine", "no antonym in the first sense"),
        ("liquid", "several opposites"),
        ("purple", "no antonym in WordNet"),
    ):
        with pytest.raises(LeftOut, match=f"^{reason}$"):
            chosen(word, "adjective", "first", set())


def test_without_the_extra_the_command_says_how_to_install_it(
    naysay: Naysay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "HanTa", None)
    tagging._tagger.cache_clear()
    refused(
        naysay("build", "semantoneg", "--pairs", EXAMPLE, "-o", "set.jsonl"),
        "pip install 'naysay[build]'",
    )
    assert naysay("build", "semantoneg", "--frames", FRAMES, "-o", "set.jsonl").code == 0


# Laws.

BINARY = [
    (word, antonyms(word, "adjective")[0].word)
    for word in (
        "hot", "cold", "old", "easy", "honest", "useful", "usual", "open", "cheap", "expensive",
        "ugly", "beautiful", "important", "equal", "able", "early", "late", "united", "awake",
    )
]  # fmt: skip


@given(st.text(alphabet=st.sampled_from("aBn't’ .,-…!?’scano \t😀é3"), max_size=40))
def test_tokens_keep_the_text(text: str) -> None:
    assert join(split(text)) == text
    tags = tagged(text)
    assert join(tags) == text


@given(
    st.sampled_from(["I am", "You're", "She is", "It was", "They were", "He will be", "We can be",
                     "It has been", "She looks", "They seemed", "We feel"]),
    st.sampled_from(["happy", "very sad", "a rich man", "an old man"]),
    st.sampled_from([".", " today.", "!"]),
)  # fmt: skip
def test_what_is_put_in_can_be_taken_out(head: str, rest: str, end: str) -> None:
    plain = f"{head} {rest}{end}"
    tokens = tagged(plain)
    place = next(k for k, token in enumerate(tokens) if token.tag == "AJ0")
    negated = join(tokens, put_in(tokens, place))
    again = tagged(negated)
    [negation] = negations(again)
    change = take_out(again, negation)
    texts = dict(change.texts)
    if change.verb is not None:
        texts[change.verb] = inflect(again[change.verb].word, change.form)
    assert negated != plain
    assert join(again, texts) == plain


@given(st.sampled_from(BINARY), st.sampled_from(["is", "was", "would be"]), st.booleans())
def test_negated_sentences_are_the_plain_ones_with_not(
    words: tuple[str, str], be: str, whole: bool
) -> None:
    word, antonym = words
    rest = f"{article(word)} {word} thing." if whole else f"{word}."
    aux, *infinitive = be.split()
    text = " ".join(["It", aux, "not", *infinitive, rest])
    [group] = groups_of(Pair(text, f"It is {antonym}."), Wanted())
    assert len(set(group.sentences)) == 4
    for plain, negated in (group.sentences[:2], group.sentences[2:]):
        assert negated.replace(" not", "", 1) == plain
    right = "an" if antonym[0] in "aeiou" and not antonym.startswith("us") else "a"
    assert not whole or f" {right} {antonym} thing." in group.plain_b


def test_the_paraphrase_is_the_option_with_both_changes() -> None:
    group = distinct(from_pairs(read_pairs(EXAMPLE).pairs).groups)[2]
    a, not_a, b, not_b = group.sentences
    items = items_of([group])
    assert {item.text: item.options[2] for item in items} == {
        not_a: b,
        b: not_a,
        not_b: a,
        a: not_b,
    }
    assert {item.text: item.options[0] for item in items} == {
        not_a: not_b,
        b: a,
        not_b: not_a,
        a: b,
    }
    assert [item.idx for item in items] == [0, 1, 2, 3]
    assert {(item.pair, item.as_json()["label"]) for item in items} == {(("cheap", "expensive"), 2)}


def test_balance_keeps_to_its_limit_whatever_the_order() -> None:
    groups = distinct(frame_groups(FRAMES))
    shuffled = random.Random(3).sample(groups, len(groups))

    def kept(of: list[Group], per_word: int, seed: int) -> set[tuple[str, ...]]:
        stays = balanced(of, per_word, seed)
        return {group.content for group, stay in zip(of, stays, strict=True) if stay}

    one = kept(groups, 2, seed=0)
    assert one == kept(shuffled, 2, seed=0)
    assert one != kept(groups, 2, seed=1)
    used = Counter[tuple[str, str]]()
    for group in groups:
        if group.content in one:
            used.update((group.word_class, word) for word in (group.word, group.antonym))
    assert max(used.values()) == 2
    for group in groups:  # nothing is left out that had room
        words = [(group.word_class, word) for word in (group.word, group.antonym)]
        assert group.content in one or max(used[word] for word in words) == 2
