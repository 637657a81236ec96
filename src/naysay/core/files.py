"""Reading files that others may have put there: regular ones only, and no more than fits.

A pipe, a device or a socket in place of a file would be waited for, or never end. What is refused
is an `OSError` or a `ValueError`, as for a file that cannot be read for any other reason, so a
reader needs one handler for all of them.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from naysay.core.objects import ObjectPath


class IrregularFileError(OSError):
    """Something that is no regular file, or too large to be read as one."""

    def __str__(self) -> str:
        return str(self.strerror)


LARGEST = 1 << 30
"""How many bytes a file has at most that is read as a whole."""


def opened(path: Path) -> io.BufferedReader | io.BytesIO:
    """Open a regular file for reading its bytes; refuse anything else without waiting for it."""
    if isinstance(path, ObjectPath):
        stream: io.BytesIO = path.open("rb")
        return stream
    _check(path, path.stat())
    # It may have been replaced since, so opening does not wait either.
    number = os.open(path, os.O_RDONLY | _AT_ONCE)
    try:
        _check(path, os.fstat(number))
    except OSError:
        os.close(number)
        raise
    return os.fdopen(number, "rb")


_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def _check(path: Path, state: os.stat_result) -> None:
    if stat.S_ISDIR(state.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(state.st_mode):
        raise IrregularFileError(errno.EINVAL, "it is not a regular file", str(path))


def irregular(folder: Path) -> Path | None:
    """Return something in a folder, or one below, that a library would wait for, if any."""
    found = (path for pattern in ("*", "*/*") for path in sorted(folder.glob(pattern)))
    odd = (path for path in found if not (path.is_file() or path.is_dir()))
    return next((path for path in odd if path.exists()), None)


def read_bytes(path: Path) -> bytes:
    """Read the bytes of a regular file."""
    with opened(path) as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise IrregularFileError(errno.EFBIG, f"it is larger than {LARGEST:,} bytes", str(path))
    return content


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Read the text of a regular file; all ends of lines become `\\n`."""
    return io.TextIOWrapper(io.BytesIO(read_bytes(path)), encoding=encoding).read()


_DEEP_KEY = re.compile(r"^(?:[^=\n.]*\.){500}", re.MULTILINE)


def read_toml(path: Path, encoding: str = "utf-8", **options: Any) -> dict[str, Any]:
    """Read a TOML file; one that is nested too deeply is as invalid as any other."""
    text = read_text(path, encoding)
    try:
        if _DEEP_KEY.search(text):  # it would be parsed, in a time that grows with its square
            raise RecursionError
        return tomllib.loads(text, **options)
    except RecursionError:
        raise tomllib.TOMLDecodeError("it is nested too deeply") from None
