"""Atomic file writes, lock files, and the cache directory."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from naysay.core.errors import NaysayError, RunError
from naysay.core.objects import ObjectPath


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file next to `path`, then rename it into place.

    In an object store a put is whole by itself.
    """
    if isinstance(path, ObjectPath):
        with tempfile.TemporaryDirectory() as folder:
            write(alone := Path(folder) / path.name)
            write_bytes(path, alone.read_bytes())
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(beside)
        flush(beside)
        beside.replace(path)
    except OSError as error:
        raise RunError(
            f"cannot write {path}: {error.strerror or error}. "
            "Make it writable, free some space, or choose another place."
        ) from error
    finally:
        # Must not hide the error, which a read-only folder would repeat here.
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def remove_parts(folder: Path) -> None:
    """Delete what killed processes left behind; a living process may still be writing its own."""
    for part in folder.rglob(".*.part"):
        process = part.name.split(".")[-2]
        if not (process.isdecimal() and _is_alive(int(process))):
            with contextlib.suppress(OSError):
                part.unlink()


def _is_alive(process: int) -> bool:
    if os.name != "posix":  # elsewhere the question would stop the process
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # of another user
        return True
    return process != os.getpid()


def remove_tree(folder: Path) -> None:
    """Delete a folder with all that is in it, as far as possible."""
    if not isinstance(folder, ObjectPath):
        shutil.rmtree(folder, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        folder.remove()


def flush(path: Path) -> None:
    """Flush the file's content to disk."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    if isinstance(path, ObjectPath):
        try:
            path.write_bytes(content)
        except OSError as error:
            raise RunError(f"cannot write {path}: {error}") from error
        return
    write_whole(path, lambda beside: _write(beside, content))


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_bytes(path, text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file atomically; what is not a finite number becomes null."""
    # json.dumps takes thirty times as long, and manifests are written for every shard.
    compact = msgspec.json.encode(value, enc_hook=_plain)
    write_text(path, msgspec.json.format(compact, indent=1).decode() + "\n")


def _plain(value: Any) -> Any:
    """A number or text of a class of its own, as it is written in JSON."""
    for kind in (float, int, str):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


try:
    import fcntl
except ImportError:  # Windows has no fcntl; users must avoid concurrent runs there
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def locked(file: Path, busy: NaysayError | None = None) -> Iterator[None]:
    """Hold the lock file; raise `busy` if another process holds it, or wait if that is not given.

    A link in its place is not followed: its target belongs to somebody else.
    """
    never = getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(file, os.O_RDWR | os.O_CREAT | never, 0o666), "r+b") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (fcntl.LOCK_NB if busy else 0))
            except OSError:
                if busy is None:
                    raise
                raise busy from None
        yield


def user_path(name: str) -> Path:
    """Return the path that a user typed; `~` is the home folder, unless there is no such user."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def cache_folder() -> Path:
    """Return the directory for downloads: NAYSAY_CACHE, else the user's cache directory."""
    if given := os.environ.get("NAYSAY_CACHE"):
        return Path(given)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "naysay"
    try:
        return Path.home() / ".cache" / "naysay"
    except RuntimeError:  # a user without a name or a home, as in some containers
        return _private_folder(getattr(os, "getuid", int)())


def _private_folder(user: int) -> Path:
    """A folder in the place for temporary files, which is everybody's, that is this user's alone.

    Whoever knows the name could have made it before, to put other weights there.
    """
    folder = Path(tempfile.gettempdir()) / f"naysay-{user}"
    try:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        state = folder.lstat()
    except OSError:  # read-only: what is written there says so
        return folder
    own = stat.S_ISDIR(state.st_mode) and state.st_uid == user and not state.st_mode & 0o077
    if not own and os.name == "posix":
        raise RunError(
            f"the cache {folder} is not a folder of this user alone, so nothing in it is "
            "trusted: name another folder in NAYSAY_CACHE"
        )
    return folder
