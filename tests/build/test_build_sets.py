"""Sets from frames, the command line, and the data behind them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome, refused, write
from naysay.build.antonyms import antonyms
from naysay.build.pairs import Pair, read_pairs
from naysay.core.errors import DatasetError
from naysay.data.frames import article, frame_groups, from_frames
from naysay.data.items import CLASSES, NEGATORS, digest, distinct, read_items

Naysay = Callable[..., Outcome]
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "paraphrases.tsv"
FRAMES = ROOT / "src" / "naysay" / "suites" / "semantoneg" / "frames.toml"


# Frames.

SMALL_FRAMES = """
licence = "mine"
[[noun]]
words = ["hope", "despair"]
contexts = ["I read {with} {word}."]
[[adverb]]
words = ["slowly", "quickly"]
verb = ["drove", "drive"]
contexts = ["I {verb} {word}."]
negators = ["not"]
[[verb]]
words = ["accept", "reject"]
past = ["accepted", "rejected"]
contexts = ["I {verb} it."]
negators = ["not", "never", "no longer"]
[[prefix]]
words = ["happy", "unhappy", "sad"]
contexts = ["He {was} {a} {word} man."]
[[adjective]]
words = ["easy", "hard"]
contexts = ["It {is} {a} {word} job."]
negators = ["not", "hardly"]
[[adjective]]
words = ["early", "late"]
contexts = ["They {are} {word}."]
negators = ["not", "never", "no longer", "hardly"]
"""
FRAMES_BY_HAND = """
It is an easy job. | It is not an easy job. | It is a hard job. | It is not a hard job.
It is an easy job. | It is hardly an easy job. | It is a hard job. | It is hardly a hard job.
They are early. | They are not early. | They are late. | They are not late.
They are always early. | They are never early. | They are always late. | They are never late.
They are now early. | They are no longer early. | They are now late. | They are no longer late.
They are early. | They are hardly early. | They are late. | They are hardly late.
He was a happy man. | He was an unhappy man. | He was a sad man. | He was not a sad man.
I accepted it. | I did not accept it. | I rejected it. | I did not reject it.
I always accepted it. | I never accepted it. | I always rejected it. | I never rejected it.
I now accepted it. | I no longer accepted it. | I now rejected it. | I no longer rejected it.
I drove slowly. | I did not drive slowly. | I drove quickly. | I did not drive quickly.
I read with hope. | I read without hope. | I read with despair. | I read without despair.
"""


def test_frames_are_expanded_in_the_order_of_the_tables(tmp_path: Path) -> None:
    groups = frame_groups(write(tmp_path / "frames.toml", SMALL_FRAMES))
    told = [" | ".join(group.sentences) for group in groups]
    assert told == FRAMES_BY_HAND.strip().splitlines()
    assert [(g.word, g.antonym, g.word_class, g.negator) for g in groups][5:] == [
        ("early", "late", "adjective", "hardly"),
        ("happy", "sad", "adjective", "prefix"),
        ("accept", "reject", "verb", "not"),
        ("accept", "reject", "verb", "never"),
        ("accept", "reject", "verb", "no longer"),
        ("slowly", "quickly", "adverb", "not"),
        ("hope", "despair", "noun", "without"),
    ]


def test_items_of_frames_are_numbered_and_distinct(tmp_path: Path) -> None:
    twice = SMALL_FRAMES + SMALL_FRAMES.replace('licence = "mine"', "")
    items = from_frames(write(tmp_path / "frames.toml", twice))
    assert digest(items) == digest(from_frames(write(tmp_path / "once.toml", SMALL_FRAMES)))
    assert [item.idx for item in items] == list(range(4 * 12 - 2))


def test_the_shipped_frames_can_be_built() -> None:
    items = from_frames(FRAMES)
    groups = distinct(frame_groups(FRAMES))
    prefixes = sum(group.negator == "prefix" for group in groups)
    assert len(items) == 4 * len(groups) - 2 * prefixes > 3000
    assert {item.word_class for item in items} == set(CLASSES)
    assert {item.negator for item in items} == set(NEGATORS)
    for item in items:
        for sentence in item.sentences:
            assert not re.search(r"[{}]|  |\ba [aeio]|\ban [^aeiouh]", sentence), sentence


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"easy", "hard"', '"easy"', "[[adjective]] entry 1: words must have 2 texts, not 1"),
        ('"easy", "hard"', '"easy", "easy"', "words must be a list of different texts"),
        ("{are} {word}", "are {word}", "[[adjective]] entry 2: context 'They are {word}.' must"),
        ("{verb} it.", "{verb} {thing}.", "[[verb]] entry 1: context"),
        ('"no longer"]', '"seldom"]', "negator 'seldom' is not one of"),
        ("past = ", "future = ", "it has contexts, future, negators, words, not contexts"),
        (
            "{a} {word} man",
            "{word} {a} .",
            "[[prefix]] entry 1: context 'He {was} {word} {a} ..'",
        ),
        ("[[noun]]", "[[pronoun]]", "tables ['pronoun']; known: adjective, prefix"),
        ("[[noun]]", "[noun]", "noun must be written as [[noun]]"),
        ("[[noun]]", "[[noun", "cannot be read as frames"),
    ],
)
def test_a_wrong_frame_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SMALL_FRAMES
    file = write(tmp_path / "frames.toml", SMALL_FRAMES.replace(old, new))
    with pytest.raises(DatasetError, match=re.escape(said)):
        from_frames(file)


# Files and options.


def test_pairs_are_read_from_tsv_and_json_lines(tmp_path: Path) -> None:
    wanted = [Pair("It is not hot.", "It is cold."), Pair("#1 is not bad.", "Good.")]
    tsv = "# comment\n\nIt is  not hot.\tIt is cold.\r\n #1 is not bad.\tGood.\n"
    assert read_pairs(write(tmp_path / "pairs.tsv", tsv)).pairs == wanted
    lines = [["It is not hot.", "It is cold."], {"id": 7, "a": "#1 is not bad.", "b": "Good."}]
    text = "\n".join(map(json.dumps, lines))
    assert read_pairs(write(tmp_path / "pairs.jsonl", text)).pairs == wanted


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("p.tsv", "one\ttwo\nonly one", "line 2 is not a pair"),
        ("p.tsv", "one\ttwo\tthree", "line 1 is not a pair"),
        ("p.tsv", "one\t ", "a sentence is empty"),
        ("p.tsv", "# nothing\n", "has no pairs"),
        ("p.jsonl", '["one"]', "line 1 is not a pair"),
        ("p.jsonl", '["one", 2]', "it has 1 texts"),
        ("p.jsonl", '{"a": "one", "b": "two", "c": "three"}', "it has 3 texts"),
        ("p.jsonl", "one\ttwo", "line 1 is not a pair"),
    ],
)
def test_a_line_that_is_no_pair_is_named(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(DatasetError, match=re.escape(said)):
        read_pairs(write(tmp_path / name, text))
    with pytest.raises(DatasetError, match="cannot be read"):
        read_pairs(tmp_path / "missing")


def test_the_command_line_refuses_what_does_not_fit(naysay: Naysay, tmp_path: Path) -> None:
    start = ("build", "semantoneg", "-o", "set.jsonl")
    pairs = (*start, "--pairs", EXAMPLE)
    refused(naysay("build", "semantone", "-o", "x"), "unknown kind of set", "mean semantoneg?")
    refused(naysay(*start), "exactly one of --pairs, --frames and --review")
    refused(naysay(*pairs, "--frames", FRAMES), "exactly one of")
    refused(naysay(*start, "--frames", FRAMES, "--senses", "all"), "--senses requires --pairs")
    refused(naysay(*pairs, "--senses", "some"), "unknown choice of senses 'some'")
    refused(
        naysay(*pairs, "--classes", "adjective,nuon"), "unknown class 'nuon'; did you mean noun"
    )
    refused(naysay(*pairs, "--negators", "no more"), "unknown negator 'no more'")
    assert list(tmp_path.iterdir()) == []
    refused(
        naysay(*pairs, "--negators", "hardly"),
        "no group is left", "negator not asked for", "with reasons: set.dropped.tsv", details=True,
    )  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["set.dropped.tsv"]


def test_classes_and_negators_choose_among_frames(naysay: Naysay, tmp_path: Path) -> None:
    file = write(tmp_path / "frames.toml", SMALL_FRAMES)
    ended = naysay(
        "build", "semantoneg", "--frames", file, "-o", "set.jsonl",
        "--classes", "adjective, verb", "--negators", "no longer,prefix",
    )  # fmt: skip
    assert ended.code == 0
    assert re.search(r"groups +12\n +not asked for +9\n", ended.out)
    items = read_items(tmp_path / "set.jsonl")
    assert {(item.word_class, item.negator) for item in items} == {
        ("adjective", "no longer"),
        ("adjective", "prefix"),
        ("verb", "no longer"),
    }


def test_groups_left_out_by_balance_are_in_the_review(naysay: Naysay, tmp_path: Path) -> None:
    file = write(tmp_path / "frames.toml", SMALL_FRAMES)
    ended = naysay("build", "semantoneg", "--frames", file, "-o", "set.jsonl", "--per-word", 1)
    assert re.search(r"left out by balance +6\n", ended.out)
    rows = (tmp_path / "set.review.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(rows) == 12
    assert sum(row.startswith("no\t") and "left out by balance" in row for row in rows) == 6


# Data.


def test_articles_go_by_sound() -> None:
    told = {
        "a": "useful one-sided European unique ubiquitous usual unanimous hot union unicorn UFO",
        "an": "honest hour unimportant unidentified unintelligent urgent utter MP X-ray 8th evil",
    }
    for right, words in told.items():
        assert {word: article(word) for word in words.split()} == dict.fromkeys(
            words.split(), right
        )


WORDNET_HEAD = "  1 WordNet 3.0 Copyright 2006 by Princeton University.\n"
WORDNET = {
    "data.adj": "\n".join([
        "00000001 00 a 02 fat 0 Plump 0 001 ! 00000002 a 0101 | having flesh",
        "00000002 00 a 01 thin(p) 0 001 ! 00000001 a 0101 | lacking flesh",
        "00000003 00 a 02 fatty 0 fat 1 001 ! 00000004 a 0101 | containing fat",
        "00000004 00 a 02 nonfat 0 fat_free 0 001 ! 00000003 a 0101 | without fat",
        "00000005 00 a 01 right 0 001 ! 00000006 a 0101 | on one side",
        "00000006 00 a 01 left 0 001 ! 00000005 a 0101 | on the other side",
        "00000007 00 a 01 right 1 001 ! 00000008 a 0101 | correct",
        "00000008 00 a 01 wrong 0 001 ! 00000007 a 0101 | not correct",
    ]),
    "index.adj": "\n".join([
        "fat a 2 1 ! 2 0 00000001 00000003", "fat_free a 1 1 ! 1 0 00000004",
        "fatty a 1 1 ! 1 0 00000003", "left a 1 1 ! 1 0 00000006",
        "nonfat a 1 1 ! 1 0 00000004", "plump a 1 1 ! 1 0 00000001",
        "right a 2 1 ! 2 0 00000005 00000007", "thin a 1 1 ! 1 0 00000002",
        "wrong a 1 1 ! 1 0 00000008",
    ]),
}  # fmt: skip


def test_antonyms_are_derived_by_sense(tmp_path: Path) -> None:
    for name in ("adj", "verb", "adv", "noun"):
        for kind in ("data", "index"):
            text = WORDNET.get(f"{kind}.{name}", "")
            write(tmp_path / f"{kind}.{name}", WORDNET_HEAD + text)
    command = [sys.executable, str(ROOT / "scripts" / "derive_antonyms.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told = done.stdout.split("[adjective]\n")[1].split("\n\n[verb]")[0]
    assert told.splitlines() == [
        'fat = "1:thin 2~nonfat"',
        'fatty = "1:nonfat"',
        'nonfat = "1:fatty"',
        'right = "1:wrong"',
        'thin = "1:fat"',
        'wrong = "1:right"',
    ]
    write(tmp_path / "data.adj", "WordNet 3.1\n")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "is not from WordNet 3.0" in done.stderr


def test_antonyms_name_their_source_and_are_mutual_in_the_first_sense() -> None:
    text = (ROOT / "src" / "naysay" / "build" / "antonyms.toml").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in text
    for word_class in CLASSES:
        for word in ("hot", "accept", "slowly", "success"):
            for antonym in antonyms(word, word_class):
                if antonym.own:
                    assert word in [a.word for a in antonyms(antonym.word, word_class)]
