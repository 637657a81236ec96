"""How data sets arrive over a network that fails: whole, as pinned, or not at all."""

from __future__ import annotations

import hashlib
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from naysay.core.errors import DatasetError
from naysay.data.datasets import find, get, transfer
from toy_data import (
    BIG,
    CONTENT,
    HALF,
    SMALL,
    Server,
    files_under,
    installed,
    part_of,
    pins,
    put,
    serving,
    silent,
)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def toy(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The place of a set of two files in the cache; nothing is there yet."""
    monkeypatch.setattr(transfer, "PAUSES", (0, 0, 0))
    with installed(tmp_path / "plugin", pins(CONTENT, server.url)):
        yield tmp_path / "cache" / "data" / "Toy"


def test_a_set_arrives_whole_and_is_not_fetched_twice(toy: Path, server: Server) -> None:
    lines: list[str] = []
    assert get("toy", report=lines.append) == toy
    assert files_under(toy) == CONTENT
    assert server.asked == [(SMALL, 0), (BIG, 0)]
    assert lines == [f"toy: 1/2 {SMALL}, 8 B", f"toy: 2/2 {BIG}, 300 kB"]
    assert get("toy", report=lines.append) == toy
    assert len(server.asked) == 2
    assert lines[-1] == "toy: 2 of 2 files already downloaded"


def test_a_spoilt_file_is_fetched_again(toy: Path, server: Server) -> None:
    put(toy, {**CONTENT, SMALL: b"one\ntwo!"})
    get("toy", report=silent)
    assert files_under(toy) == CONTENT
    assert server.asked == [(SMALL, 0)]


def test_a_download_that_breaks_off_is_resumed(toy: Path, server: Server) -> None:
    server.faults = ["", "breaks off", "breaks off", "503"]
    get("toy", report=silent)
    assert files_under(toy) == CONTENT
    assert server.asked[1:] == [(BIG, 0), (BIG, HALF), (BIG, HALF + 1000), (BIG, HALF + 1000)]


def test_what_breaks_off_too_often_is_kept_for_the_next_time(toy: Path, server: Server) -> None:
    server.faults = ["", *["breaks off"] * 4]
    with pytest.raises(DatasetError, match=r"153,000 of 300,000 bytes are kept.*data get toy$"):
        get("toy", report=silent)
    assert files_under(toy).keys() == {SMALL, "lists/.big.bin.part"}
    server.asked.clear()
    get("toy", report=silent)
    assert server.asked == [(BIG, 153_000)]
    assert files_under(toy) == CONTENT


@pytest.mark.parametrize("fault", ["ignores ranges", "416", "sends another part"])
def test_a_server_that_cannot_resume_sends_all_again(toy: Path, server: Server, fault: str) -> None:
    server.faults = ["", "breaks off", fault]
    get("toy", report=silent)
    assert files_under(toy) == CONTENT
    assert server.asked[-1] == (BIG, HALF if fault == "ignores ranges" else 0)


def test_an_answer_without_a_length_is_resumed_too(toy: Path, server: Server) -> None:
    server.faults = ["", "has no length"]
    get("toy", report=silent)
    assert server.asked[1:] == [(BIG, 0), (BIG, HALF)]
    assert files_under(toy) == CONTENT


def test_a_server_that_falls_silent_is_given_up(
    toy: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "TIMEOUT", 0.1)
    server.faults = ["", *["stalls"] * 4]
    with pytest.raises(DatasetError, match="4 attempts failed; the last one broke off: timed out"):
        get("toy", report=silent)


def test_a_server_that_drips_is_given_up(
    toy: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "PATIENCE", 0.1)
    server.faults = ["", *["drips"] * 4]
    with pytest.raises(DatasetError, match=r"4 attempts failed; the last one sent \d+ bytes in"):
        get("toy", report=silent)


def test_a_wrong_beginning_costs_one_more_download(toy: Path, server: Server) -> None:
    put(toy, {"lists/.big.bin.part": b"x" * 1000})
    lines: list[str] = []
    get("toy", report=lines.append)
    assert files_under(toy) == CONTENT
    assert server.asked == [(SMALL, 0), (BIG, 1000), (BIG, 0)]
    assert any("resumed but is corrupt" in line for line in lines)


@pytest.mark.parametrize("size", [300_000, 300_001])
def test_a_part_that_was_not_renamed_needs_no_trust(toy: Path, server: Server, size: int) -> None:
    put(toy, {**CONTENT, "lists/.big.bin.part": bytes(size)})
    (toy / BIG).unlink()
    get("toy", report=silent)
    assert files_under(toy) == CONTENT
    put(toy, {"lists/.big.bin.part": CONTENT[BIG]})
    (toy / BIG).unlink()
    server.asked.clear()
    get("toy", report=silent)
    assert files_under(toy) == CONTENT and not server.asked


FAULTS = {
    "is altered": "has the SHA-256 {altered}, not {pinned}",
    "is shorter": "has 299,900 bytes, not 300,000",
    "never ends": "has more than 300,000 bytes",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_is_not_as_pinned_is_refused_and_deleted(
    toy: Path, server: Server, fault: str
) -> None:
    data = CONTENT[BIG]
    said = FAULTS[fault].format(
        altered=hashlib.sha256(data[:-1] + bytes([data[-1] ^ 1])).hexdigest(),
        pinned=hashlib.sha256(data).hexdigest(),
    )
    server.faults = ["", fault]
    with pytest.raises(DatasetError, match=f"{server.url}/{BIG} is not .*{said}.*me/toy @1"):
        get("toy", report=silent)
    assert files_under(toy) == {SMALL: CONTENT[SMALL]}
    assert find("toy", None) is None


def test_no_more_than_a_byte_too_much_is_kept(toy: Path, server: Server) -> None:
    server.faults = ["never ends"]
    toy.mkdir(parents=True)
    transfer.fill(toy / "part", f"{server.url}/{BIG}", 300_000)
    assert (toy / "part").stat().st_size == 300_001


def test_a_file_that_is_gone_is_named(toy: Path, server: Server) -> None:
    del server.files[BIG]
    with pytest.raises(
        DatasetError, match=rf"{BIG} does not exist \(HTTP 404\).*me/toy @1.*--from"
    ):
        get("toy", report=silent)


def test_a_refusal_is_not_asked_again(toy: Path, server: Server) -> None:
    server.faults = ["403"]
    with pytest.raises(DatasetError, match="refused: HTTP 403"):
        get("toy", report=silent)
    assert len(server.asked) == 1


def test_no_other_kind_of_address_is_followed(toy: Path, server: Server) -> None:
    server.faults = ["redirects away"]
    with pytest.raises(DatasetError, match="ftp"):
        get("toy", report=silent)
    assert files_under(toy) == {}


def test_without_a_network_the_error_says_what_to_bring(toy: Path, server: Server) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        mirror = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(DatasetError) as raised:
            get("toy", source=mirror, report=silent)
    text = str(raised.value)
    assert "cannot be reached" in text and "data get toy --from FOLDER" in text
    assert f"2 files (300 kB) from {server.url}" in text and str(toy) in text


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "Ctrl-C"])
def test_an_interrupted_process_leaves_a_part_that_is_resumed(
    server: Server, tmp_path: Path, number: signal.Signals
) -> None:
    # Larger than the buffers between two sockets, so that much of it must have been written.
    data = random.Random(8).randbytes(20_000_000)
    server.files[BIG] = data
    server.faults = ["stalls"]
    with installed(tmp_path / "plugin", pins({BIG: data}, server.url)):
        command = [sys.executable, "-m", "naysay", "data", "get", "toy"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert server.sent.wait(60)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert process.returncode
        assert ("interrupted" in said) == (number == signal.SIGINT)
        assert "Traceback" not in said
        toy = tmp_path / "cache" / "data" / "Toy"
        assert list(files_under(toy)) == ["lists/.big.bin.part"]
        left = part_of(toy).stat().st_size
        assert 1_000_000 < left < len(data)
        server.asked.clear()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"{toy}\n"
    assert server.asked == [(BIG, left)]
    assert files_under(toy) == {BIG: data}


def test_two_processes_do_not_write_one_set(toy: Path, server: Server) -> None:
    server.faults = ["stalls"]
    command = [sys.executable, "-m", "naysay", "data", "get", "toy"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as other:
        assert server.sent.wait(60)
        with pytest.raises(DatasetError, match="another process is downloading the data set 'toy'"):
            get("toy", report=silent)
        other.kill()


def test_a_mirror_and_a_folder_are_held_to_the_same_checksums(
    server: Server, tmp_path: Path
) -> None:
    content = {"lists/b.txt": b"here\n"}
    data = pins(content, "https://example.invalid/", **{"from": "old/lists/b.txt"})
    places = {
        "upstream's layout": {"old/lists/b.txt": b"here\n"},
        "a data folder's layout": content,
    }
    with installed(tmp_path / "plugin", data):
        for k, (layout, files) in enumerate(places.items()):
            server.files = dict(files)
            folder = put(tmp_path / layout, files)
            data_folder = put(tmp_path / f"{layout} inside" / "Toy", files).parent
            for source in (server.url, f"{server.url}/", str(folder), str(data_folder)):
                with pytest.MonkeyPatch.context() as patch:
                    patch.setenv("NAYSAY_CACHE", str(tmp_path / f"cache {k} {hash(source)}"))
                    assert files_under(get("toy", source=source, report=silent)) == content
        server.files = {"lists/b.txt": b"hers\n"}
        put(folder, {"lists/b.txt": b"hers\n"})
        for source in (server.url, str(folder)):
            with pytest.raises(DatasetError, match="is not the pinned file"):
                get("toy", source=source, report=silent)
    assert files_under(tmp_path / "cache" / "data" / "Toy") == {}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere", "there is no folder nowhere"),
        ("ftp://127.0.0.1/x", "begins with http:// or https://"),
        ("http://127.0.0.1:port/x", "is not an address"),
        (".", "has no lists/a b.txt"),
    ],
)
def test_a_source_that_is_none_is_named(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetError, match=re.escape(said)):
        get("toy", source=source, report=silent)


def test_a_cache_that_cannot_be_written_is_named(toy: Path) -> None:
    toy.parent.mkdir(parents=True)
    toy.write_text("a file where the folder should be")
    with pytest.raises(DatasetError, match=f"{toy}.*NAYSAY_CACHE"):
        get("toy", report=silent)
