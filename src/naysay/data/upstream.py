"""Word lists of the papers' authors, read from a data set; none is part of naysay.

Some of them are pickled. Unpickling can run arbitrary code. Iterating over the opcodes runs
nothing, and suffices for a list of words: every string in the order of the file.
"""

from __future__ import annotations

import pickletools
import zlib
from pathlib import Path
from typing import Any

from naysay.core.errors import DatasetError, LexiconError
from naysay.core.files import read_bytes, read_text
from naysay.data.datasets import require

_LARGEST = 1 << 24  # bytes; the longest list has a hundredth of it
# The opcodes of a pickled list of strings. PUT and GET only memoise objects.
_TEXT = {"SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "UNICODE"}
_PUT = {"MEMOIZE", "BINPUT", "LONG_BINPUT", "PUT"}
_GET = {"BINGET", "LONG_BINGET", "GET"}
_FRAME = {"PROTO", "FRAME", "MARK", "LIST", "EMPTY_LIST", "APPEND", "APPENDS", "STOP"}


def strings_in_pickle(path: Path) -> list[str]:
    """Read a pickled list of strings, written by pickle or joblib (plain or zlib).

    Raise a ValueError if the file is incomplete or contains anything but such a list.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("it is too large for a list of words")
        data = read_bytes(path)
        if data[:1] == b"x":  # joblib.dump(..., compress=n); a pickle begins with 0x80, "(" or "]"
            data = _decompressed(data)
        steps = list(pickletools.genops(data))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except Exception as error:  # genops raises errors of many types
        raise ValueError(f"{path} is not a complete pickle file: {error}") from error
    words: list[str] = []
    memo: dict[int, str | None] = {}  # by number: a string, or None for the list itself
    latest: str | None = None
    argument: Any  # its type depends on the opcode
    for code, argument, place in steps:
        if code.name in _TEXT and isinstance(argument, str):
            latest = argument
            words.append(argument)
        elif code.name in _PUT:
            memo[len(memo) if argument is None else int(argument)] = latest
        elif code.name in _GET:
            latest = memo.get(int(argument))
            if latest is None:
                raise ValueError(f"{path} refers at byte {place} to a string it does not hold")
            words.append(latest)
        elif code.name in _FRAME:
            latest = None
        else:
            raise ValueError(
                f"{path} holds more than a list of strings: opcode {code.name} at byte {place}"
            )
    if not words:
        raise ValueError(f"{path} holds no string")
    return words


def _decompressed(data: bytes) -> bytes:
    """The content of a zlib file, if it is no larger than a list of words can be."""
    stream = zlib.decompressobj()
    content = stream.decompress(data, _LARGEST)
    if stream.unconsumed_tail or not stream.eof:
        raise ValueError("it is incomplete, or too large for a list of words")
    return content


def upstream_folder(name: str, data_dir: Path | None) -> Path:
    """Return the folder of a data set with word lists."""
    try:
        return require(name, data_dir)
    except DatasetError as error:
        raise LexiconError(str(error)) from error


def upstream_lines(path: Path) -> list[str]:
    """Read the words of a file, one per line."""
    try:
        text = read_text(path, "utf-8-sig")
    except OSError as error:
        raise LexiconError(
            f"{path} cannot be read ({error.strerror}): the data folder must be laid out "
            "as upstream's repository"
        ) from error
    # Empty lines inside are kept, so that the lexicon's check can report them.
    return [line.strip() for line in text.rstrip("\n").split("\n")]
