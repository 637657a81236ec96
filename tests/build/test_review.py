"""Review files and files of pairs without a group: what is written, read, refused and counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Outcome, refused, write
from naysay.build.review import read_review, write_review
from naysay.build.shapes import DOUBTS
from naysay.data.items import CLASSES, NEGATORS, Group, read_items

Naysay = Callable[..., Outcome]
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "paraphrases.tsv"
FRAMES = ROOT / "src" / "naysay" / "suites" / "semantoneg" / "frames.toml"


WORDS = st.sampled_from(["hot", "cold", "high-class", "éclair"])
TEXT = st.text(alphabet=st.sampled_from("aB \"'=,.;é’|↔"), max_size=12)


def tidy(start: str) -> st.SearchStrategy[str]:
    """Sentences that begin in the same way, without needless spaces."""
    return TEXT.map(lambda text: " ".join(f"{start} {text}".split()))


GROUPS = st.builds(
    Group,
    plain_a=tidy("is a"),
    negated_a=tidy("is not a"),
    plain_b=tidy("is b"),
    negated_b=tidy("is not b"),
    word=WORDS.map(lambda word: f"un{word}"),
    antonym=WORDS,
    word_class=st.sampled_from(CLASSES),
    negator=st.sampled_from(NEGATORS),
    doubts=st.lists(st.sampled_from(sorted(DOUBTS)), unique=True).map(tuple),
    notes=st.lists(st.sampled_from(["article changed", "later sense"]), unique=True).map(tuple),
    source=tidy('"'),
)


@settings(deadline=None)
@given(st.lists(st.tuples(GROUPS, st.booleans()), max_size=5))
def test_a_review_file_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Group, bool]]
) -> None:
    file = tmp_path_factory.mktemp("review") / "set.review.tsv"
    groups, stays = [group for group, _ in rows], [stay for _, stay in rows]
    file.write_text(write_review(groups, stays), encoding="utf-8")
    reviewed = read_review(file)
    assert reviewed.read == len(rows)
    assert reviewed.kept == [group for group, stay in rows if stay]


def test_an_unedited_review_file_gives_the_same_set(naysay: Naysay, tmp_path: Path) -> None:
    for source, given_ in (("--pairs", EXAMPLE), ("--frames", FRAMES)):
        first, again = tmp_path / f"{source}1.jsonl", tmp_path / f"{source}2.jsonl"
        assert naysay("build", "semantoneg", source, given_, "--per-word", 3, "-o", first).code == 0
        review = tmp_path / f"{source}1.review.tsv"
        ended = naysay("build", "semantoneg", "--review", review, "-o", again)
        assert ended.code == 0
        assert first.read_bytes() == again.read_bytes()
        assert not (tmp_path / f"{source}2.review.tsv").exists()


def test_what_a_person_changes_in_the_review_counts(naysay: Naysay, tmp_path: Path) -> None:
    naysay("build", "semantoneg", "--pairs", EXAMPLE, "-o", "set.jsonl")
    review = tmp_path / "set.review.tsv"
    head, *rows = review.read_text(encoding="utf-8").splitlines()
    rows[1] = rows[1].replace("plan", "idea")
    rows[2] = rows[1]
    rows[4] = rows[4].replace("yes\t", "no\t", 1)
    # As spreadsheets save it.
    text = "\ufeff" + "\r\n".join([head, *rows, ""])
    review.write_bytes(text.encode())
    ended = naysay("build", "semantoneg", "--review", review, "-o", "set.jsonl")
    assert ended.code == 0
    for line in (r"rows read +16", r"not kept +10", r"duplicates removed +1", r"items written +20"):
        assert re.search(line, ended.out)
    items = read_items(tmp_path / "set.jsonl")
    assert items[0].text == "This isn't a good idea."
    assert len(items) == 20


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (0, "maybe", "line 3: keep is 'maybe'; write yes or no"),
        (1, "pronoun", "line 3: class is 'pronoun'"),
        (2, "seldom", "line 3: negator is 'seldom'"),
        (4, "good", "line 3: 'good' is its own antonym"),
        (9, " ", "line 3: plain_b must not be empty"),
        (9, "this is a good plan.", "line 3: the four sentences are not different"),
        (11, "a\tb", "line 3: there are 13 columns, not 12"),
    ],
)
def test_a_malformed_row_is_named(
    naysay: Naysay, tmp_path: Path, column: int, value: str, said: str
) -> None:
    naysay("build", "semantoneg", "--pairs", EXAMPLE, "-o", "set.jsonl")
    review = tmp_path / "set.review.tsv"
    rows = [line.split("\t") for line in review.read_text(encoding="utf-8").splitlines()]
    rows[2][column] = value
    review.write_text("\n".join("\t".join(row) for row in rows), encoding="utf-8")
    refused(naysay("build", "semantoneg", "--review", review, "-o", "new.jsonl"), said)
    assert not (tmp_path / "new.jsonl").exists()


def test_a_review_that_was_edited_is_not_overwritten(naysay: Naysay, tmp_path: Path) -> None:
    build = ("build", "semantoneg", "--pairs", EXAMPLE, "-o", "set.jsonl")
    assert naysay(*build).code == 0
    assert naysay(*build).code == 0  # what is written again is the same
    review = tmp_path / "set.review.tsv"
    edited = review.read_text(encoding="utf-8").replace("yes\t", "no\t", 1)
    review.write_text(edited, encoding="utf-8")
    refused(naysay(*build), "set.review.tsv already exists", "--no-review")
    assert review.read_text(encoding="utf-8") == edited
    assert naysay(*build, "--no-review").code == 0
    assert review.read_text(encoding="utf-8") == edited


OLD_REVIEW = """\
keep	class	negator	word	antonym	flags	plain_a	negated_a	plain_b	negated_b	source
yes	adjective	not	safe	unsafe	later sense, modal verb	It may be safe.	It may not be safe.	\
It may be unsafe.	It may not be unsafe.	by hand
"""


def test_an_older_review_file_with_one_column_of_flags_is_read(
    naysay: Naysay, tmp_path: Path
) -> None:
    review = write(tmp_path / "old.review.tsv", OLD_REVIEW)
    [group] = read_review(review).kept
    assert (group.doubts, group.notes) == (("modal verb",), ("later sense",))
    assert naysay("build", "semantoneg", "--review", review, "-o", "set.jsonl").code == 0
    assert len(read_items(tmp_path / "set.jsonl")) == 4


def test_a_review_file_is_written_even_if_every_group_is_doubtful(
    naysay: Naysay, tmp_path: Path
) -> None:
    pairs = write(tmp_path / "pairs.tsv", "You mustn't be unkind.\tYou have to be kind.\n")
    build = ("build", "semantoneg", "--pairs", pairs, "-o", "set.jsonl")
    ended = naysay(*build)
    assert ended.code == 0
    assert "not written: set.jsonl, because every group is doubtful" in ended.out
    assert "write yes under keep for the groups that are right in set.review.tsv" in ended.out
    assert not (tmp_path / "set.jsonl").exists()
    review = tmp_path / "set.review.tsv"
    [_, row] = review.read_text(encoding="utf-8").splitlines()
    assert row.split("\t")[:7] == [
        "no", "adjective", "not", "unkind", "kind", "modal verb", "confirmed by the pair",
    ]  # fmt: skip
    again = ("build", "semantoneg", "--review", review, "-o", "set.jsonl")
    refused(naysay(*again), "no group is left", details=True)
    review.write_text(review.read_text(encoding="utf-8").replace("no\t", "yes\t", 1), "utf-8")
    assert naysay(*again).code == 0
    review.unlink()
    refused(naysay(*build, "--no-review"), "no group is left", details=True)


def test_pairs_without_a_group_are_written_with_true_reasons(
    naysay: Naysay, tmp_path: Path
) -> None:
    reasons = {
        "The door isn't locked.": "word after the negator is not read as an adjective",
        "Aren't the doors open?": "subject after the negator",
        "Why isn't Anna happy?": "subject after the negator",
        "I don't believe she is honest.": "word after the negator is not read as an adjective",
        "My scarf isn't purple.": "no antonym in WordNet",
    }
    lines = [f"{text}\tThat is how it is." for text in reasons]
    pairs = write(tmp_path / "pairs.tsv", "\n".join([*lines, "It isn't legal.\tIt is illegal."]))
    ended = naysay("build", "semantoneg", "--pairs", pairs, "-o", "set.jsonl")
    assert "pairs without a group, with reasons: set.dropped.tsv\n" in ended.out
    head, *rows = (tmp_path / "set.dropped.tsv").read_text(encoding="utf-8").splitlines()
    assert head == "reason\tsentence1\tsentence2"
    assert rows == [f"{reasons[line.split(chr(9))[0]]}\t{line}" for line in lines]
