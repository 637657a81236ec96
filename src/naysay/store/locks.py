"""A place held by one process at a time; the system lets go of it however the process ends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from naysay.errors import NaysayError

try:
    import fcntl
except ImportError:  # not on Windows; there two processes on one place are the user's to avoid
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def locked(file: Path, busy: NaysayError) -> Iterator[None]:
    """Hold the lock file; raises `busy` if another process does."""
    with file.open("w") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise busy from None
        yield
