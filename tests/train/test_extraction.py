"""Sentences with negation and contrast from a corpus, whatever it looks like."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Outcome
from naysay.core.errors import DatasetError, NaysayError, SpecError, UnknownNameError
from naysay.train.extraction import Extraction, extract, leak_patterns
from naysay.train.extraction import corpus as corpus_module
from naysay.train.extraction.corpus import Corpus, CorpusReading, Seen, key_of
from naysay.train.extraction.harvest import Draw
from naysay.train.extraction.rules import wording
from naysay.train.extraction.sentences import clean, sentences_in

EN = wording("en")
TAIL = " and that is all there is to say of the whole long story."
KEPT = "He did not want to leave the house, but in the end he had to do so."
FREE = "She took the early train to the coast and walked along the beach all day."
SCNT = leak_patterns(["scnt"])


def test_a_log_says_how_much_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from naysay.cli.train.extract import ReadingLines

    now = 0.0
    monkeypatch.setattr("naysay.cli.train.extract.time.monotonic", lambda: now)
    lines = ReadingLines()
    for now, done in ((1.0, 10), (11.0, 250), (12.0, 260), (40.0, 1000)):  # noqa: B007
        lines(done * 1_000_000, 1_000_000_000)
    assert capsys.readouterr().err == "reading: 250 of 1,000 MB (25%), 33 s left\n"


def run(
    folder: Path, text: str | bytes, name: str = "corpus.txt", **options: Any
) -> tuple[list[str], Extraction]:
    """Extract from one file; the kept sentences and the outcome."""
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    options = {"patterns": (), **options}
    done = extract([file], folder / "out.txt", **options)
    return (folder / "out.txt").read_text(encoding="utf-8").splitlines(), done


def test_wrapped_lines_are_joined(tmp_path: Path) -> None:
    text = (
        "He did not want to leave\r\nthe house, but in the end he\r\nhad to do so.\r\n \r\nNo.\r\n"
    )
    assert run(tmp_path, text)[0] == []
    assert run(tmp_path, text, wrapped=True)[0] == [KEPT]


def test_what_is_kept_is_told(tmp_path: Path) -> None:
    text = f"{KEPT} {FREE}\nNot so but short.\n{KEPT.upper()}\nIt is not so.\nBut it is.\n"
    kept, done = run(tmp_path, text)
    assert kept == [KEPT]
    assert (done.lines, done.sentences, done.bytes) == (5, 6, len(text))
    assert (done.with_negation, done.with_both) == (4, 3)
    assert (done.too_short, done.duplicates, done.kept) == (1, 1, 1)
    assert [(e.sentence, e.negation, e.contrast) for e in done.examples] == [
        (KEPT, ("not",), ("but",))
    ]
    assert "1 kept" in done.summary and "[not, but]" in done.summary
    assert json.loads(json.dumps(done.as_dict()))["kept"] == 1


def test_64_characters_are_too_few_and_65_are_not(tmp_path: Path) -> None:
    base = "é is not so, but "
    for length, kept in ((64, 0), (65, 1)):
        text = base + "x" * (length - len(base) - 1) + "."
        assert len(text) == length
        assert run(tmp_path, text)[1].kept == kept


def test_what_only_the_other_rule_keeps_has_a_reason(tmp_path: Path) -> None:
    inside = "There was no bread with butter on the old table in the house by the sea."
    only = "It isn't only cheap but good" + TAIL
    never = "He never came although" + TAIL
    text = "\n".join([inside, only, never])
    kept, done = run(tmp_path, text)
    assert kept == [never] and done.other_rule == "paper"
    assert [(e.sentence, e.reason) for e in done.other_examples] == [
        (inside, "“but” occurs only inside “butter”"),
        (only, "“n't only” does not count as a negation"),
    ]
    assert "kept only by the rule paper:" in done.summary
    kept, done = run(tmp_path, text, rule="paper")
    assert kept == [inside, only] and done.other_rule == "strict"
    assert [(e.sentence, e.reason) for e in done.other_examples] == [
        (never, "“never” does not count as a negation here")
    ]


def test_substrings_count_inside_words(tmp_path: Path) -> None:
    inside = "Another piece of bread with butter was on the table of the old house."
    assert run(tmp_path, inside, rule="substring")[0] == [inside]
    for rule in ("strict", "paper"):
        assert run(tmp_path, inside, rule=rule)[0] == []


def test_the_papers_rule_counts_characters_and_case(tmp_path: Path) -> None:
    text = ["x" * n + " no but" for n in (57, 58)]
    assert [len(one) for one in text] == [64, 65]
    kept, done = run(tmp_path, "\n".join([*text, text[1].upper()]), rule="paper")
    assert kept == text[1:] and (done.too_short, done.with_both) == (1, 2)


def test_sentences_are_taken_as_given(tmp_path: Path) -> None:
    leak = "So it goes. Mary is an architect who doesn't like to run."
    lines = ["Short.", FREE, KEPT, KEPT, f"{KEPT} {FREE}", leak, "last without a stop"]
    kept, done = run(tmp_path, "\n".join([*lines, "", "  "]), rule="none", patterns=None)
    assert kept == [line for line in lines if line != leak]  # duplicates stay, too
    assert (done.sentences, done.leaked, done.duplicates, done.kept) == (7, 1, 0, 6)
    assert "each line taken as a sentence (rule: none): 1 like test items" in done.summary
    assert done.other_examples == () and done.other_rule is None
    drawn, done = run(tmp_path, "\n".join(lines), rule="none", limit=3, keep_leaks=True)
    assert len(drawn) == 3 and done.not_drawn == 4


_LINES = st.lists(
    st.sampled_from(
        [KEPT, FREE, KEPT.upper(), "Dr. Lee did not", "come. But she", "never will", "“No.” Yes!",
         "Although it isn’t so" + TAIL, "x" * 90, "é" * 40 + " ", "\0\0", "", " ", "\r", "\t.",
         "Mary is a nurse who likes to run."]
    ),
    max_size=12,
)  # fmt: skip
_ENDS = st.sampled_from(["\n", "\r\n", " ", "\n\n", "\n \n", ". ", ""])


@given(st.lists(st.tuples(_LINES, _ENDS), max_size=4), st.binary(max_size=6), st.booleans())
@settings(max_examples=60, deadline=None)
def test_where_blocks_end_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    parts: list[tuple[list[str], str]],
    broken: bytes,
    wrapped: bool,
) -> None:
    folder = tmp_path_factory.mktemp("blocks")
    text = b"".join(end.join(lines).encode() + end.encode() + broken for lines, end in parts)
    (folder / "corpus.txt").write_bytes(text)
    results = []
    for size in (64, 129, 1000, 1 << 20):
        done = extract(
            [folder / "corpus.txt"], folder / "out.txt", held_out=folder / "free.txt",
            wrapped=wrapped, block=size, patterns=SCNT, held_out_size=2,
        )  # fmt: skip
        files = [(folder / name).read_bytes() for name in ("out.txt", "free.txt")]
        results.append((files, replace(done, seconds=0)))
    assert all(result == results[0] for result in results[1:])


@given(
    st.lists(st.sampled_from(["word", "So.", "é" * 9, " " * 30, "\n", "\n\n", "x" * 45, "\0"])),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_where_long_lines_are_cut_depends_on_the_line_alone(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], wrapped: bool
) -> None:
    file = tmp_path_factory.mktemp("cuts") / "corpus.txt"
    file.write_text(" ".join(parts), encoding="utf-8", newline="\n")
    results = []
    for size in (7, 64, 1 << 20):
        reading, found = CorpusReading(), []
        for piece in Corpus((file,), wrapped, size, longest=40).pieces(reading):
            text, broken = clean(piece, wrapped=wrapped)
            sentences = sentences_in(text, EN.abbreviations)
            found += [sentences[k] for k in range(len(sentences))]
            assert broken == 0
        results.append((found, reading))
    assert all(result == results[0] for result in results[1:])
    letters = "".join(" ".join(parts).replace("\0", " ").split())
    assert "".join("".join(results[0][0]).split()) == letters


@pytest.mark.parametrize("wrapped", [False, True])
def test_space_around_a_line_does_not_make_it_long(tmp_path: Path, wrapped: bool) -> None:
    file = tmp_path / "corpus.txt"
    gap = b" " * 90 + b"\n" + b" " * 90 + b"\n\n" * 30
    file.write_bytes(b" " * 30 + b"x" * 40 + gap + b"y" * 40)
    for size in (7, 64, 1000):
        reading = CorpusReading()
        pieces = list(Corpus((file,), wrapped, size, longest=40).pieces(reading))
        assert b"".join(pieces).split() == [b"x" * 40, b"y" * 40] and reading.cut == 0


def test_a_line_without_end_is_read_in_pieces(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    with file.open("wb") as stream:
        for k in range(40_000):
            stream.write(
                f"Number {k} is not so long, but it goes on and on and on and on. ".encode()
            )
        stream.write(b"a" * 2_500_000 + b" " * 2_500_000 + b"b")
    reading = CorpusReading()
    sizes = [len(piece) for piece in Corpus((file,), block=1 << 16).pieces(reading)]
    assert max(sizes) <= corpus_module.LONGEST + (1 << 16)
    assert reading.cut >= 4 and reading.lines == 1
    done = extract([file], tmp_path / "out.txt", patterns=())
    assert done.kept == 40_000 - done.too_short and done.cut == reading.cut
    assert "overlong lines were split" in done.summary


def test_broken_bytes_are_counted_and_replaced(tmp_path: Path) -> None:
    kept, done = run(tmp_path, b"\xef\xbb\xbf" + KEPT.encode().replace(b"house", b"h\xffu\xc3se"))
    assert kept == [KEPT.replace("house", "h�u�se")]
    assert done.broken == 2 and "2 characters were not valid UTF-8" in done.summary


def test_packed_files_are_read(tmp_path: Path) -> None:
    plain, done = run(tmp_path, f"{KEPT}\n{FREE}\n" * 50)
    packed, other = run(tmp_path, gzip.compress(f"{KEPT}\n{FREE}\n".encode() * 50), "corpus.txt.gz")
    assert packed == plain == [KEPT] and other.sentences == done.sentences == 100
    codec = pa.Codec("zstd")
    text = f"{KEPT}\n{FREE}\n".encode() * 50
    zst, last = run(tmp_path, codec.compress(text, asbytes=True), "corpus.txt.zst")
    assert zst == plain and last.bytes == done.bytes


def test_a_packed_file_that_ends_too_soon_is_an_error(tmp_path: Path) -> None:
    packed = gzip.compress((KEPT * 500).encode())
    for broken in (packed[:-20], b"\x1f\x8bno gzip at all", packed[:30] + b"xxx" + packed[33:]):
        with pytest.raises(DatasetError, match=r"corpus\.gz cannot be read"):
            run(tmp_path, broken, "corpus.gz")
        assert not (tmp_path / "out.txt").exists()


def test_files_are_read_in_their_order(tmp_path: Path) -> None:
    files = []
    for k in range(3):
        files.append(tmp_path / f"{k}.txt")
        files[-1].write_text(f"Text {k}: {KEPT}", encoding="utf-8")  # without a line end
    told: list[tuple[int, int]] = []
    report = lambda done, total: told.append((done, total))  # noqa: E731
    done = extract(files[::-1], tmp_path / "o", patterns=(), progress=report)
    assert (tmp_path / "o").read_text().splitlines() == [f"Text {k}: {KEPT}" for k in (2, 1, 0)]
    assert done.lines == 3
    total = sum(file.stat().st_size for file in files)
    assert told[-1] == (total, total) and told == sorted(told)


def test_out_is_whole_or_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, _ = run(tmp_path, f"{KEPT}\n")
    before = sorted(path.name for path in tmp_path.iterdir())

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    for limit in (None, 1):
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, f"Other: {KEPT}\n", progress=stop, limit=limit)
        assert (tmp_path / "out.txt").read_text().splitlines() == kept
        assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_limit_draws_by_the_seed_and_keeps_the_order(tmp_path: Path) -> None:
    lines = [f"It is not number {k}, but" + TAIL for k in range(200)]
    everything, _ = run(tmp_path, "\n".join(lines))
    assert everything == lines
    drawn, done = run(tmp_path, "\n".join(lines), limit=50)
    assert done.kept == len(drawn) == 50 and done.not_drawn == 150
    assert [line for line in lines if line in drawn] == drawn != lines[:50]
    again, _ = run(tmp_path, "\n".join(lines[::-1]), limit=50)
    assert again == drawn[::-1]
    other, _ = run(tmp_path, "\n".join(lines), limit=50, seed=1)
    assert set(other) != set(drawn)
    fewer, shown = run(tmp_path, "\n".join(lines), limit=20)
    assert set(fewer) < set(drawn)
    assert {example.sentence for example in shown.examples} <= set(fewer)
    assert run(tmp_path, "\n".join(lines), limit=900)[0] == lines


@pytest.mark.parametrize("rule", ["strict", "substring", "paper"])
def test_what_is_held_out_has_no_negation(tmp_path: Path, rule: str) -> None:
    bad = [
        "Another bit of butter was put on the table by the man in the old house.",
        "Not only was the butter good, the bread was good as well, and so was tea.",
        "The man went to the house without a word and sat down at the old table.",
        "Mary is a nurse who likes to run, and she has done so for many years by now.",
        "“No,” said the man and sat down at the table in the old house by the sea.",
    ]
    free = [f"Of {k} it is so: {FREE}" for k in range(300)]
    text = [*free, *bad, KEPT, *free]
    options: dict[str, Any] = {"rule": rule, "held_out": tmp_path / "free", "patterns": SCNT}
    kept, done = run(tmp_path, "\n".join(text), held_out_size=1000, **options)
    held = (tmp_path / "free").read_text(encoding="utf-8").splitlines()
    assert set(held) == {*free} | ({bad[0]} if rule != "substring" else set())
    assert len(held) == done.held_out and not set(held) & set(kept)
    run(tmp_path, "\n".join(text[::-1]), held_out_size=40, block=256, **options)
    few = (tmp_path / "free").read_text(encoding="utf-8").splitlines()
    assert few == held[:40]
    run(tmp_path, "\n".join(text), held_out_size=40, seed=1, **options)
    assert (tmp_path / "free").read_text(encoding="utf-8").splitlines() != few


def test_leaks_are_left_out_unless_they_are_wanted(tmp_path: Path) -> None:
    leak = "Mary is an architect who doesn't like to run, but she does it every single day."
    text = f"{leak}\n{KEPT}\nMary is an architect who likes to run.\nShe is happy to conjure.\n"
    kept, done = run(tmp_path, text, patterns=None)
    assert kept == [KEPT] and done.leaked == 1
    assert {(one.pattern, one.exact, one.other) for one in done.leaks} == {
        ("NAME is PROF who doesn't like to ACT.", 1, 0),
        ("NAME is PROF who likes to ACT.", 1, 0),
        ("SUBJ is happy to ▢.", 0, 1),
    }
    assert "leakage: 2 test sentences, and 1 sentence with" in done.summary
    kept, done = run(tmp_path, text, patterns=None, keep_leaks=True)
    assert kept == [leak, KEPT] and done.leaked == 0 and len(done.leaks) == 3


@given(st.lists(st.lists(st.integers(0, 30), max_size=8)), st.integers(1, 5))
@settings(deadline=None)
def test_what_was_seen_is_remembered(batches: list[list[int]], new: int) -> None:
    import numpy as np

    seen, plain = Seen(new), set()
    for batch in batches:
        fresh = seen.add(np.array(batch, np.uint64))
        for key, is_fresh in zip(batch, fresh, strict=True):
            assert is_fresh == (key not in plain)
            plain.add(key)
    assert len(seen) == len(plain)


def test_case_and_apostrophes_make_no_other_sentence() -> None:
    assert key_of("It isn't so.") == key_of("it ISN’T so.") != key_of("It is so.")


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from("abcdefgh"))), st.integers(0, 5))
def test_the_smallest_numbers_are_drawn(offers: list[tuple[int, str]], size: int) -> None:
    numbers = {sentence: number for number, sentence in offers}  # each sentence has one number
    distinct = {number: sentence for sentence, number in numbers.items()}
    draw = Draw(size)
    for sentence, number in numbers.items():
        if distinct[number] == sentence:
            draw.offer(number, sentence)
            draw.offer(number, sentence)
    assert list(draw) == [distinct[number] for number in sorted(distinct)[:size]]


def test_bad_input_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text(KEPT, encoding="utf-8")
    out = tmp_path / "o"
    cases: list[tuple[type[NaysayError], str, Callable[[], object]]] = [
        (DatasetError, "no corpus given", lambda: extract([], out)),
        (DatasetError, "corpus file .* does not exist", lambda: extract([tmp_path / "x"], out)),
        (SpecError, "would be overwritten", lambda: extract([file], file)),
        (SpecError, "cannot both go", lambda: extract([file], out, held_out=out)),
        (SpecError, "limit must be", lambda: extract([file], out, limit=0)),
        (SpecError, "seed must be", lambda: extract([file], out, seed=-1)),
        (UnknownNameError, "did you mean strict", lambda: extract([file], out, rule="strickt")),
        (UnknownNameError, "language of extr", lambda: extract([file], out, language="xx")),
    ]
    for kind, said, call in cases:
        with pytest.raises(kind, match=said):
            call()
    assert file.read_text(encoding="utf-8") == KEPT and not out.exists()


def test_the_command_tells_what_it_found(naysay: Callable[..., Outcome], tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"{name[0]} {KEPT}\n{FREE}\n", encoding="utf-8")
    words = ("train", "extract", "--corpus", "a.txt", "b.txt", "-o", "s.txt")
    ended = naysay(*words, "--held-out", "free.txt")
    assert ended.code == 0, ended.err
    for piece in ("2 kept", "[not, but]", "written: s.txt", "no sentence resembles"):
        assert piece in ended.out
    assert (tmp_path / "s.txt").read_text().splitlines() == [f"a {KEPT}", f"b {KEPT}"]
    assert (tmp_path / "free.txt").read_text().splitlines() == [FREE]
    printed = json.loads(naysay(*words, "--limit", 1, "--json").out)
    assert (printed["kept"], printed["not_drawn"], printed["rule"]) == (1, 1, "strict")
    ended = naysay("train", "extract", "--corpus", "c.txt", "-o", "s.txt")
    assert ended.code == 2 and "corpus file c.txt does not exist" in ended.err
