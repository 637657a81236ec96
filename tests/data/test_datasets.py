"""Data sets: what is known of them, where they are looked for, and what the commands say."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome
from naysay.core.errors import BrokenPluginError, DatasetError, UnknownNameError
from naysay.data.datasets import DATASETS, check, find, require
from naysay.data.datasets.catalogue import dataset_from
from toy_data import BIG, CONTENT, SMALL, Server, files_under, installed, pins, put, serving

Naysay = Callable[..., Outcome]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def toy(server: Server, tmp_path: Path) -> Iterator[Path]:
    """The place of a set of two files in the cache; nothing is there yet."""
    with installed(tmp_path / "plugin", pins(CONTENT, server.url)):
        yield tmp_path / "cache" / "data" / "Toy"


def test_the_named_folder_comes_first_then_naysay_data_then_the_cache(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find("toy", None) is None
    put(toy)
    assert find("toy", None) == require("toy", None) == toy
    given, named = tmp_path / "given", tmp_path / "named"
    monkeypatch.setenv("NAYSAY_DATA", str(given))
    assert find("toy", None) == toy  # NAYSAY_DATA lacks it
    (given / "Toy").mkdir(parents=True)
    assert find("toy", None) == given / "Toy"
    (named / "Toy").mkdir(parents=True)
    assert find("toy", named) == named / "Toy"


def test_a_named_folder_without_the_set_is_an_error_and_nothing_else_is_used(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(toy)
    monkeypatch.setenv("NAYSAY_DATA", str(toy.parent))
    assert find("toy", tmp_path) is None
    with pytest.raises(DatasetError, match=f"{tmp_path} has no Toy.*{tmp_path}/Toy/lists/a b.txt"):
        require("toy", tmp_path)
    with pytest.raises(DatasetError, match=f"{tmp_path}/no does not exist.*naysay data get toy"):
        require("toy", tmp_path / "no")
    with pytest.raises(DatasetError, match=re.escape(f"(did you mean --data-dir {toy.parent}?)")):
        require("toy", toy)


def test_half_a_set_in_the_cache_does_not_count(toy: Path) -> None:
    put(toy, {SMALL: CONTENT[SMALL]})
    assert find("toy", None) is None
    with pytest.raises(DatasetError, match=r"has 1 of 2 files\).*naysay data get toy"):
        require("toy", None)
    assert check("toy", None) == [f"{BIG} is missing"]


def test_a_set_of_one_file_says_exactly_what_to_put_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = DATASETS.get("semantoneg").files
    monkeypatch.setenv("NAYSAY_DATA", str(tmp_path))
    with pytest.raises(DatasetError) as raised:
        require("semantoneg", None)
    text = str(raised.value)
    place = tmp_path / "cache" / "data" / "SemAntoNeg" / "SemAntoNeg_v1.0.json"
    address = file.address(DATASETS.get("semantoneg").url)
    for part in (
        f"({tmp_path}, which has no SemAntoNeg)", "naysay data get semantoneg.",
        f"download {address} elsewhere and put it at {place}; its SHA-256 is {file.sha256}",
    ):  # fmt: skip
        assert part in text
    assert address.endswith("/6b059edbfc60dfb0872d863adecbeddd6121e8d3/SemAntoNeg_v1.0.json")
    assert "\n" not in text


def test_a_set_of_many_files_says_where_they_are_and_which_are_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(DatasetError) as raised:
        require("lama", None)
    for part in (
        "18 files (23.5 MB)", str(tmp_path / "cache" / "data" / "LAMA"), DATASETS.get("lama").url,
        "common_vocab_cased.txt is https://raw.githubusercontent.com/princeton-nlp/OptiPrompt/",
        "naysay data check lama",
    ):  # fmt: skip
        assert part in str(raised.value)


def test_check_finds_what_is_altered_or_missing(toy: Path) -> None:
    put(toy)
    assert check("toy", None) == []
    altered = bytes(len(CONTENT[BIG]))
    put(toy, {SMALL: b"one\n", BIG: altered})
    digests = [hashlib.sha256(data).hexdigest() for data in (altered, CONTENT[BIG])]
    assert check("toy", None) == [
        f"{SMALL} has 4 bytes, not 8",
        f"{BIG} has the SHA-256 {digests[0]}, not {digests[1]}",
    ]
    (toy / SMALL).unlink()
    assert check("toy", None)[0] == f"{SMALL} is missing"
    with pytest.raises(DatasetError, match="naysay data get gh22"):
        check("gh22", None)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a path upwards": ({"path": "a/../../b"}, "lead out"),
    "an absolute path": ({"path": "/etc/passwd"}, "lead out"),
    "a path of Windows": ({"path": "..\\b"}, "lead out"),
    "a drive": ({"path": "C:b"}, "lead out"),
    "a dot": ({"path": "."}, "lead out"),
    "an empty path": ({"path": ""}, "lead out"),
    "an origin upwards": ({"from": "../b"}, "lead out"),
    "a local address": ({"url": "file:///etc/passwd"}, "only http and https"),
    "half a checksum": ({"sha256": "abc"}, "SHA-256"),
    "no size": ({"size": 0}, "size"),
}


@pytest.mark.parametrize(("change", "said"), BAD.values(), ids=BAD)
def test_a_description_is_refused_with(change: dict[str, Any], said: str) -> None:
    data = pins({"a": b"x"}, "https://example.invalid/")
    dataset_from("toy", data)
    data["file"][0] |= change
    with pytest.raises(DatasetError, match=said):
        dataset_from("toy", data)


@pytest.mark.parametrize("change", [{"folder": "a/b"}, {"folder": ".."}, {"url": "ftp://x"}])
def test_a_description_stays_in_its_folder_and_on_the_web(change: dict[str, str]) -> None:
    with pytest.raises(DatasetError):
        dataset_from("toy", pins({"a": b"x"}, "https://example.invalid/") | change)


def test_a_description_that_lacks_something_is_named(tmp_path: Path) -> None:
    data = pins({"a": b"x"}, "https://example.invalid/")
    del data["licence"]
    with installed(tmp_path / "plugin", data), pytest.raises(BrokenPluginError, match="licence"):
        DATASETS.get("toy")


@pytest.mark.parametrize("name", DATASETS.names())
def test_a_shipped_description_is_complete(name: str) -> None:
    dataset = DATASETS.get(name)
    assert dataset.title and dataset.licence and "/" in dataset.source
    assert re.search(r"\d{4}", dataset.paper)
    assert dataset.note.endswith(".") and dataset.url.startswith("https://")


@pytest.mark.parametrize("name", DATASETS.names())
def test_the_catalogue_matches_upstreams_files(name: str, upstream_data: Path) -> None:
    if DATASETS.get(name).on_request and find(name, upstream_data) is None:
        pytest.skip(f"{upstream_data} has no {name}")
    assert check(name, upstream_data) == []
    folder = require(name, upstream_data)
    assert {file.path for file in DATASETS.get(name).files} == files_under(folder).keys()


def test_a_set_on_request_is_not_part_of_all(
    toy: Path, naysay: Naysay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []

    def get(name: str, **_: Any) -> Path:
        fetched.append(name)
        return tmp_path

    monkeypatch.setattr("naysay.data.datasets.get", get)
    ended = naysay("data", "get", "all")
    assert "toy" in fetched and "lama_negated" not in fetched
    assert "lama_negated: not part of all" in ended.err
    naysay("data", "get", "lama_negated")
    assert fetched[-1] == "lama_negated"


def test_pins_are_made_from_a_folder(tmp_path: Path) -> None:
    put(tmp_path, {**CONTENT, "lists/.big.bin.part": b"x"})
    command = [sys.executable, str(ROOT / "scripts" / "pin_dataset.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert tomllib.loads(done.stdout)["file"] == pins(CONTENT, "")["file"]


def test_the_list_says_where_sets_are_and_how_to_get_them(
    naysay: Naysay, toy: Path, server: Server
) -> None:
    listed = naysay("data", "ls")
    assert listed.out == naysay("ls", "data").out
    names = [line.split()[0] for line in listed.out.splitlines() if not line.startswith(" ")]
    assert names == sorted([*DATASETS.names()])
    toys = " ".join(naysay("data", "ls", "toy").out.split())
    assert "300 kB in 2 files; licence: CC0" in toys
    assert toys.endswith("not downloaded; get it with: naysay data get toy")
    put(toy, {SMALL: CONTENT[SMALL]})
    assert "incomplete, 1 of its files" in naysay("data", "ls", "toy").out
    put(toy)
    assert "".join(naysay("data", "ls", "toy").out.split()).endswith(str(toy))
    assert "not in other" in naysay("data", "ls", "toy", "--data-dir", "other").out


def test_get_says_licence_and_progress_and_prints_the_folder(
    naysay: Naysay, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = naysay("data", "get", "toy")
    assert (ended.code, ended.out) == (0, f"{toy}\n")
    assert "licence: CC0" in ended.err and f"2/2 {BIG}" in ended.err
    assert naysay("data", "path", "toy").out == f"{toy}\n"
    other = put(tmp_path / "given" / "Toy")
    monkeypatch.setenv("NAYSAY_DATA", str(other.parent))
    assert f"naysay reads {other}" in naysay("data", "get", "toy").err


def test_all_are_gotten_from_a_data_folder(
    naysay: Naysay, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server
) -> None:
    monkeypatch.setattr(DATASETS, "names", lambda: ["toy"])
    server.files = {f"Toy/{path}": data for path, data in CONTENT.items()}
    assert naysay("data", "get", "all", "--from", server.url).out == f"{toy}\n"
    assert files_under(toy) == CONTENT


def test_check_says_one_line_per_set_and_ends_with_1_if_something_is_wrong(
    naysay: Naysay, toy: Path
) -> None:
    ended = naysay("data", "check")
    assert ended.code == 0
    assert ended.out.splitlines()[-1] == "toy: not downloaded; get it with: naysay data get toy"
    assert len(ended.out.splitlines()) == len(DATASETS.names())
    put(toy)
    assert naysay("data", "check").out.splitlines()[-1] == "toy: 2 files, identical to upstream"
    (toy / SMALL).write_bytes(b"x")
    ended = naysay("data", "check", "toy")
    assert ended.code == 1
    assert ended.out == f"toy: 1 of 2 files differ from upstream\n  {SMALL} has 1 bytes, not 8\n"
    assert naysay("data", "check").code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("path", "semantoneg"), "naysay data get semantoneg"),
        (("check", "semantoneg"), "naysay data get semantoneg"),
        (("path", "semanto"), "did you mean semantoneg"),
        (("get", "semanto"), "did you mean semantoneg"),
        (("gett", "semantoneg"), "did you mean get"),
        (("get",), "needs the name of a data set"),
        (("path",), "needs the name of a data set"),
        (("ls", "--from", "x"), "--from is an option of naysay data get"),
        (("get", "gh22", "--data-dir", "x"), "NAYSAY_CACHE"),
        (("get", "gh22", "--from", "nowhere"), "no folder nowhere"),
        (("path", "gh22", "--data-dir", "x"), "the data folder x does not exist"),
    ],
)
def test_bad_input_gets_a_clear_error(naysay: Naysay, words: tuple[str, ...], said: str) -> None:
    ended = naysay("data", *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines()[-1].startswith("naysay: ") and said in ended.err


def test_an_unknown_set_is_refused_with_the_near_one() -> None:
    with pytest.raises(UnknownNameError, match="unknown data set 'lame'; did you mean lama"):
        find("lame", None)
