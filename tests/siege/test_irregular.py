"""Pipes, devices and sockets where files are expected, and files that nest without end.

Nothing is waited for: a command ends in one line, or leaves out what it cannot read.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mutation import no_hang

from conftest import Outcome, refused, write
from naysay import evaluate
from naysay.core.errors import NaysayError
from naysay.core.files import read_bytes, read_text, read_toml
from naysay.data.languages import Language

Naysay = Callable[..., Outcome]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="no pipes among files there"),
]
NOT_REGULAR = "not a regular file"


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


@pytest.fixture
def listening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("s")
        yield tmp_path / "s"


def test_only_regular_files_are_read(tmp_path: Path, listening: Path) -> None:
    for path in (pipe(tmp_path / "p"), listening, Path("/dev/zero")):
        for read in (read_bytes, read_text, read_toml):
            with no_hang(), pytest.raises(OSError, match=NOT_REGULAR):
                read(path)
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path)
    assert read_text(write(tmp_path / "t", "a\r\nb")) == "a\nb"


def test_a_file_that_is_too_large_is_not_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("naysay.core.files.LARGEST", 3)
    assert read_bytes(write(tmp_path / "a", "123")) == b"123"
    with pytest.raises(OSError, match="larger than 3 bytes"):
        read_bytes(write(tmp_path / "b", "1234"))


def test_a_run_with_a_pipe_does_not_stop_the_others(naysay: Naysay, tmp_path: Path) -> None:
    run = evaluate("known:aware", "scnt", limit=5, out=tmp_path / "runs").folder
    (tmp_path / "runs" / "odd").mkdir()
    pipe(tmp_path / "runs" / "odd" / "manifest.json")
    with no_hang():
        for words in (("ls", "runs"), ("report",), ("published", "scnt"), ("judge", "known:aware")):
            told = naysay(*words)
            assert told.code == 0 and "known:aware" in told.out, told.err
    for file in ("scnt-fit.json", "scnt/00000.parquet"):
        copy = tmp_path / "copies" / file.replace("/", "-")
        shutil.copytree(run, copy)
        (copy / file).unlink()
        pipe(copy / file)
        with no_hang():
            refused(naysay("judge", copy))


@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("run", "-m", "known:aware", "-t", "semantoneg", "--items"),
        ("run", "-m", "known:aware", "-t", "lama", "--items"),
        ("run", "-m", "known:aware", "-t", "scnt", "--lexicon"),
        ("run", "-t", "scnt", "-m"),
        ("build", "negation", "-o", "o.jsonl", "--pairs"),
        ("build", "negation", "-o", "o.jsonl", "--review"),
        ("train", "extract", "-o", "o.txt", "--corpus"),
        ("gate", "known:aware", "--baseline", "published", "--hard"),
    ],
    ids=lambda words: "-".join((words[0], words[-1].strip("-"))),
)
def test_an_option_that_names_a_pipe(
    naysay: Naysay, tmp_path: Path, words: tuple[str, ...]
) -> None:
    evaluate("known:aware", "scnt", limit=5, out=tmp_path / "runs")
    pipe(tmp_path / "p.toml")
    before = sorted(path.name for path in tmp_path.iterdir())
    with no_hang():
        told = naysay(*words, tmp_path / "p.toml")
    assert told.code == 2 and told.out == "", told
    assert "Traceback" not in told.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "file", ["config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json"]
)
def test_a_pipe_in_a_model_folder(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path, file: str
) -> None:
    pytest.importorskip("torch")
    folder = tmp_path / "model"
    shutil.copytree(tiny_bert, folder)
    (folder / file).unlink(missing_ok=True)
    pipe(folder / file)
    with no_hang():
        refused(naysay("run", "-m", folder, "-t", "scnt", "--limit", "2"), file, NOT_REGULAR)


DEEP = "x = " + "[" * 50_000
ALSO_DEEP = "x" + ".x" * 50_000 + " = 1"


@pytest.mark.parametrize("text", [DEEP, ALSO_DEEP, "[" + "x." * 50_000 + "x]"])
def test_toml_without_end(naysay: Naysay, tmp_path: Path, text: str) -> None:
    file = write(tmp_path / "deep.toml", text)
    for words in (
        ("run", file),
        ("run", "-m", "known:aware", "-t", "scnt", "--lexicon", file),
        ("run", "-m", "known:aware", "-t", "lama", "--items", file),
    ):
        with no_hang():
            refused(naysay(*words), "deep.toml")


def test_a_language_without_its_files(tmp_path: Path) -> None:
    language = Language(tmp_path / "xx")
    for read in (lambda: language.pronouns, lambda: language.lexicon, lambda: language.about):
        with pytest.raises(NaysayError, match="xx"):
            read()
    pipe(tmp_path / "language.toml")
    with no_hang(), pytest.raises(NaysayError, match=NOT_REGULAR):
        assert Language(tmp_path).about
