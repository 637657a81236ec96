"""Reading a corpus in chunks of whole lines, of any size and compression.

A file is read in blocks of fixed size. Chunks end at line ends, so the block boundaries have no
effect. An overlong line is split near a limit, after a sentence if possible.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from naysay.core.errors import DatasetError

_NEW = 1 << 20
Keys = NDArray[np.uint64]


def key_of(sentence: str) -> int:
    """Return a 64-bit hash of a sentence, regardless of case and kind of apostrophe."""
    plain = sentence.lower().replace("’", "'").encode()
    return int.from_bytes(hashlib.blake2b(plain, digest_size=8).digest(), "big")


class Seen:
    """A set of keys that only grows."""

    def __init__(self, new: int = _NEW) -> None:
        self._most = new
        self._new: set[int] = set()
        self._old: Keys = np.empty(0, np.uint64)

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    def add(self, keys: Keys) -> NDArray[np.bool_]:
        """Add keys; return which of them are new."""
        fresh = np.ones(len(keys), bool)
        if len(self._old):
            places = np.searchsorted(self._old, keys).clip(max=len(self._old) - 1)
            fresh = self._old[places] != keys
        for k, key in enumerate(keys.tolist()):
            if fresh[k]:
                fresh[k] = key not in self._new
                self._new.add(key)
        if len(self._new) > self._most:
            new = np.fromiter(self._new, np.uint64, len(self._new))
            self._new.clear()
            self._old = np.concatenate((self._old, new))
            self._old.sort()
        return fresh


BLOCK = 1 << 19
"""Bytes to read at a time; few enough to stay in the CPU cache."""
LONGEST = 1 << 20
"""A line, or a paragraph of wrapped lines, with more bytes is split."""
_SPACE = b" \t\r\v\f\0"
_LINE = re.compile(rb"\n")
_PARAGRAPH = re.compile(rb"\n[ \t\r\v\f\0]*\n")
Report = Callable[[int, int], None]
"""Receives the number of bytes read and the total."""


@dataclass
class CorpusReading:
    """Counts of what has been read so far."""

    bytes: int = 0
    lines: int = 0
    cut: int = 0
    """Number of splits in overlong lines."""


@dataclass(frozen=True)
class Corpus:
    """Files of text, read one after the other."""

    files: tuple[Path, ...]
    wrapped: bool = False
    """Whether a line may end within a sentence; then an empty line ends a paragraph."""
    block: int = BLOCK
    longest: int = LONGEST

    def check(self) -> None:
        """Refuse missing files."""
        if not self.files:
            raise DatasetError("no corpus given: name at least one plain-text file")
        for file in self.files:
            if not file.is_file():
                raise DatasetError(f"corpus file {file} does not exist")

    def pieces(self, reading: CorpusReading, report: Report | None = None) -> Iterator[bytes]:
        """Yield chunks of whole lines, or of whole paragraphs if lines are wrapped."""
        total, before = sum(file.stat().st_size for file in self.files), 0
        for file in self.files:
            try:
                with file.open("rb") as packed, _unpacked(file, packed) as plain:
                    for piece in self._pieces(plain, reading):
                        yield piece
                        if report is not None:
                            report(before + packed.tell(), total)
            except (OSError, EOFError, zlib.error) as error:
                raise DatasetError(f"the corpus file {file} cannot be read: {error}") from error
            before += file.stat().st_size

    def _pieces(self, stream: IO[bytes], reading: CorpusReading) -> Iterator[bytes]:
        pending, last = b"", b""
        while block := stream.read(self.block):
            reading.bytes += len(block)
            if not last:
                block = block.removeprefix(codecs.BOM_UTF8)
            reading.lines += block.count(b"\n")
            last = block[-1:]
            if (end := block.rfind(b"\n") + 1) and not self.wrapped:
                text, pending = b"".join((pending, memoryview(block)[:end])), block[end:]
            else:
                text = pending + block
                end = self._last_end(text)
                text, pending = text[:end], text[end:]
            if text:
                yield b"".join(self._cut(text, reading))
            unit = bytearray(pending)
            yield from self._overlong(unit, reading)
            pending = bytes(unit)
        if pending:
            yield pending + b"\n\n"
        reading.lines += last not in (b"", b"\n")

    @property
    def _ends(self) -> re.Pattern[bytes]:
        return _PARAGRAPH if self.wrapped else _LINE

    def _last_end(self, text: bytes) -> int:
        """Return the position after the last complete line or paragraph, 0 if there is none."""
        if not self.wrapped:
            return text.rfind(b"\n") + 1
        return max((match.end() for match in self._ends.finditer(text)), default=0)

    def _cut(self, text: bytes, reading: CorpusReading) -> Iterator[bytes]:
        """Yield the text with overlong lines or paragraphs split."""
        if len(text) <= self.longest:
            yield text
            return
        begun = 0
        for match in self._ends.finditer(text):
            if match.end() - begun > self.longest:
                unit = bytearray(text[begun : match.start()])
                yield from self._overlong(unit, reading)
                yield bytes(unit) + b"\n\n"
            else:
                yield text[begun : match.end()]
            begun = match.end()

    def _overlong(self, unit: bytearray, reading: CorpusReading) -> Iterator[bytes]:
        """Yield parts from the front while the rest is too long."""
        space = _SPACE + b"\n" * self.wrapped
        while True:
            # Surrounding space is not counted: how much of it has been read depends on the block
            # boundaries. Excess space is dropped except for a line end, since two of them end a
            # paragraph.
            del unit[: len(unit) - len(unit.lstrip(space))]
            length = len(unit.rstrip(space))
            spare = unit[length + self.longest + 1 :]
            unit[length + self.longest + 1 :] = b"\n" * (b"\n" in spare)
            if length <= self.longest:
                return
            place = _place(bytes(unit[: self.longest]))
            yield bytes(unit[:place]) + b"\n\n"
            reading.cut += 1
            del unit[:place]


def _place(text: bytes) -> int:
    """Return where to split: after a sentence, else at a space, else between two characters.

    >>> _place(b"It is so. It is n"), _place(b"It is"), _place("aé".encode()[:2])
    (10, 3, 1)
    """
    if place := max(text.rfind(mark + b" ") + 2 for mark in (b".", b"!", b"?")) - 1:
        return place + 1
    if place := max(text.rfind(space) for space in (b" ", b"\t", b"\n")) + 1:
        return place
    # The last character may be incomplete; then it goes with the rest.
    for back in range(1, min(4, len(text))):
        if text[-back] >= 0xC0:
            return len(text) - back
        if text[-back] < 0x80:
            break
    return len(text)


def _unpacked(file: Path, packed: IO[bytes]) -> IO[bytes]:
    """Open the file's text according to its suffix."""
    if file.suffix == ".gz":
        import gzip

        return cast(IO[bytes], gzip.GzipFile(fileobj=packed))
    if file.suffix == ".zst":
        import pyarrow as pa

        if not pa.Codec.is_available("zstd"):
            raise DatasetError(
                f"{file} cannot be read: this pyarrow does not support zstd; decompress it first"
            )
        source: Any = pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), "zstd")
        return cast(IO[bytes], source)
    return packed
