r"""Cleaning text and splitting it into sentences, vectorised.

A sentence ends at the end of a line, or at a full stop, exclamation or question mark that is
followed by space and then by a capital, a quotation mark or an opening bracket. Closing quotation
marks and brackets may come between. No sentence ends after the full stop of a listed abbreviation,
of a single capital ("J. Smith", but not "I"), or of a letter after a full stop ("e.g.").

All of this is arithmetic on arrays of bytes: a Python loop over sentences would dominate the time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]

_MARGIN = 16  # line ends around a chunk, so that looking ahead and behind never leaves it
_BROKEN = "\ufffd".encode()
_SPACES = bytes.maketrans(bytes(range(32)), b" " * 10 + b"\n" + b" " * 21)
_SPACE, _NEWLINE = 0x20, 0x0A
_STOP = ord(".")
_HARD_SPACE = "\u00a0".encode()


def _table(characters: bytes) -> NDArray[np.bool_]:
    table = np.zeros(256, bool)
    table[list(characters)] = True
    return table


_CAPITALS = _table(bytes(range(ord("A"), ord("Z") + 1)))
_LETTERS = _CAPITALS | _table(bytes(range(ord("a"), ord("z") + 1)))
_CLOSERS = _table(b"\"')]")
_OPENERS = _CAPITALS | _table(b"\"'([")
_OPENING = _table(b"\"'(")
_QUOTES = ("“", "‘")
_OTHER_CLOSERS = ("”", "’", "»")
_MAY_FOLLOW = _CLOSERS | _table(b" " + bytes(sign.encode()[0] for sign in _OTHER_CLOSERS))
_OTHER_OPENERS = ("“", "‘", "„", "‚", "«", "¿", "¡")
# Two-byte capitals: the first byte, and the range of the second.
_OTHER_CAPITALS = ((0xC3, 0x80, 0x9E), (0xCE, 0x86, 0xAB), (0xD0, 0x80, 0xAF))


def clean(piece: bytes, *, wrapped: bool) -> tuple[bytes, int]:
    """Normalise white space; return the text and its number of broken characters.

    Invalid UTF-8 becomes the replacement character; control characters, such as NUL and the
    carriage return, become spaces. In wrapped text only blank lines remain line ends.

    >>> clean(b"So  it\\r\\nis \\xff.\\r\\n\\r\\nYes.", wrapped=True)
    (b'So it is \\xef\\xbf\\xbd.\\nYes.\\n', 1)
    """
    broken = 0
    if not piece.isascii():
        if not _is_utf8(piece):
            before = piece.count(_BROKEN)
            piece = piece.decode(errors="replace").encode()
            broken = piece.count(_BROKEN) - before
        piece = _without_hard_spaces(piece)
    piece = _squeezed(piece if piece.endswith(b"\n") else piece + b"\n")
    if wrapped:
        # Runs of line ends separate paragraphs; single line ends become spaces.
        lines = piece.strip(b"\n").split(b"\n\n")
        parts = (line.strip(b"\n").replace(b"\n", b" ") for line in lines)
        piece = b"\n".join(part for part in parts if part) + b"\n"
    return piece, broken


def _is_utf8(text: bytes) -> bool:
    """Return whether the text is valid UTF-8; Arrow checks this without creating a string."""
    import pyarrow as pa

    offsets = np.array([0, len(text)], np.int32)
    array = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(offsets), pa.py_buffer(text)])
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _without_hard_spaces(text: bytes) -> bytes:
    """Replace no-break spaces by plain spaces."""
    plain = np.frombuffer(text, np.uint8)
    places = np.flatnonzero(plain[:-1] == _HARD_SPACE[0])
    return text.replace(_HARD_SPACE, b" ") if (plain[places + 1] == _HARD_SPACE[1]).any() else text


def _squeezed(text: bytes) -> bytes:
    """Remove control characters and repeated spaces."""
    plain = np.frombuffer(text, np.uint8)
    if np.count_nonzero(plain < _SPACE) > text.count(b"\n"):
        text = text.translate(_SPACES)
        plain = np.frombuffer(text, np.uint8)
    space = plain <= _SPACE
    double = np.flatnonzero(space[1:] & space[:-1])
    empty_lines = (plain[double] == _NEWLINE) & (plain[double + 1] == _NEWLINE)
    if empty_lines.all() and not text.startswith(b" "):
        return text
    single = plain == _SPACE
    kept = ~single
    kept[1:] |= ~space[:-1]
    plain = plain[kept]
    # One space may be left at the end of a line.
    kept = plain != _SPACE
    kept[:-1] |= plain[1:] != _NEWLINE
    squeezed: bytes = plain[kept].tobytes()
    return squeezed


@dataclass(frozen=True)
class Sentences:
    """The sentences of a chunk of clean text, by their start and end positions."""

    padded: bytes
    starts: Places
    ends: Places

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, number: int) -> str:
        return self.padded[self.starts[number] : self.ends[number]].decode()

    @cached_property
    def array(self) -> Any:
        """All sentences as an Arrow array, each with the white space after it."""
        import pyarrow as pa

        offsets = np.append(self.starts, len(self.padded) - _MARGIN).astype(np.int32)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.padded)]
        return pa.Array.from_buffers(pa.string(), len(self), buffers)

    def split(self, abbreviations: Sequence[str]) -> tuple[Sentences, Places]:
        """Split the lines of a chunk into sentences; return these and the line of each."""
        found = sentences_in(self.padded[_MARGIN:-_MARGIN], abbreviations)
        return found, np.searchsorted(self.starts, found.starts, side="right") - 1

    def begins(self) -> NDArray[np.uint64]:
        """Return the first eight bytes of each sentence, after an opening quote or bracket."""
        plain = np.frombuffer(self.padded, np.uint8)
        starts = self.starts + _OPENING[plain[self.starts]]
        other = np.flatnonzero(plain[self.starts] >= 0x80)
        starts[other] += _sign_lengths(plain, starts[other], _QUOTES)
        return _eight(plain, starts)

    def digests(self) -> NDArray[np.uint64]:
        """Return a hash of each sentence's length and first, middle and last eight bytes."""
        plain, lengths = np.frombuffer(self.padded, np.uint8), self.ends - self.starts
        places = (self.starts, self.starts + lengths // 2 - 4, self.ends - 8)
        digest = lengths.astype(np.uint64)
        for place in places:
            digest = (digest ^ _eight(plain, place)) * np.uint64(0x9E3779B97F4A7C15)
            digest ^= digest >> np.uint64(29)
        return digest


def _eight(plain: Bytes, places: Places) -> NDArray[np.uint64]:
    """Return the eight bytes from each position on, as one number."""
    view: NDArray[np.uint64] = np.ndarray((len(plain) - 7,), "<u8", plain, 0, (1,))
    taken: NDArray[np.uint64] = view[places]
    return taken


class Batch:
    """The sentences of several chunks, to be searched together."""

    def __init__(self, pieces: Sequence[Sentences]) -> None:
        self.pieces = pieces
        self._ends = list(accumulate(len(piece) for piece in pieces))

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, number: int) -> str:
        piece = bisect_right(self._ends, number)
        return self.pieces[piece][number - self._ends[piece] + len(self.pieces[piece])]

    @cached_property
    def array(self) -> Any:
        """All sentences as an Arrow array in chunks."""
        import pyarrow as pa

        return pa.chunked_array([piece.array for piece in self.pieces], pa.string())

    @cached_property
    def lengths(self) -> Places:
        """The number of bytes of each sentence."""
        return np.concatenate([piece.ends - piece.starts for piece in self.pieces])

    def begins(self) -> NDArray[np.uint64]:
        """Return the first eight bytes of each sentence."""
        return np.concatenate([piece.begins() for piece in self.pieces])

    def digests(self) -> NDArray[np.uint64]:
        """Return a hash of each sentence; for a short one it also depends on its neighbours."""
        return np.concatenate([piece.digests() for piece in self.pieces])


def sentences_in(text: bytes, abbreviations: Sequence[str]) -> Sentences:
    """Split clean text into sentences.

    >>> found = sentences_in(b"Dr. Lee ran. J. Doe didn't!\\nWhy? (I know.)\\n", ["Dr"])
    >>> [found[k] for k in range(len(found))]
    ['Dr. Lee ran.', "J. Doe didn't!", 'Why?', '(I know.)']
    """
    padded, plain, lines = _lines(text)
    begins = np.concatenate((lines, _after_marks(plain, abbreviations)))
    # Two sorted runs: a stable sort merges them in one pass.
    begins.sort(kind="stable")
    return _between(padded, begins)


def lines_in(text: bytes) -> Sentences:
    """Take each line of clean text as a sentence.

    >>> found = lines_in(b"It ran. It hid.\\nWhy?\\n")
    >>> [found[k] for k in range(len(found))]
    ['It ran. It hid.', 'Why?']
    """
    padded, _, lines = _lines(text)
    return _between(padded, lines)


def _lines(text: bytes) -> tuple[bytes, Bytes, Places]:
    """Return the text with margins, as bytes and as an array, and where its lines begin."""
    padded = b"\n" * _MARGIN + text + b"\n" * _MARGIN
    plain = np.frombuffer(padded, np.uint8)
    return padded, plain, np.flatnonzero(plain[_MARGIN - 1 : -_MARGIN] == _NEWLINE) + _MARGIN


def _between(padded: bytes, begins: Places) -> Sentences:
    """Return the sentences between these places, without empty ones."""
    starts, ends = begins[:-1], begins[1:] - 1
    there = ends > starts
    return Sentences(padded, starts[there], ends[there])


def _after_marks(plain: Bytes, abbreviations: Sequence[str]) -> Places:
    """Return where sentences begin that follow another one on the same line."""
    marks = (plain == _STOP) | (plain == ord("!")) | (plain == ord("?"))
    places = np.flatnonzero(marks)
    places = places[_MAY_FOLLOW[plain[places + 1]]]
    nexts = places + 1
    closed = np.flatnonzero(plain[nexts] != _SPACE)
    for _ in range(2):
        nexts[closed] += _closing(plain, nexts[closed])
    good = plain[nexts] == _SPACE
    places, nexts = places[good], nexts[good] + 1
    good = _OPENERS[plain[nexts]]
    other = np.flatnonzero(plain[nexts] >= 0x80)
    if len(other):
        good[other] = _opens(plain, nexts[other])
    ends: Places = nexts[good]
    return ends[~_abbreviated(plain, places[good], abbreviations)]


def _closing(plain: Bytes, places: Places) -> Places:
    """Return the length of the closing quote or bracket at each position, 0 if there is none."""
    return _CLOSERS[plain[places]] + _sign_lengths(plain, places, _OTHER_CLOSERS)


def _opens(plain: Bytes, places: Places) -> NDArray[np.bool_]:
    """Return where non-ASCII text begins with a capital or opening punctuation."""
    good = _sign_lengths(plain, places, _OTHER_OPENERS) > 0
    first, second = plain[places], plain[places + 1]
    for byte, low, high in _OTHER_CAPITALS:
        good |= (first == byte) & (second >= low) & (second <= high)
    return good


def _sign_lengths(plain: Bytes, places: Places, signs: Sequence[str]) -> Places:
    """Return the length of the sign at each position if it is one of these, else 0."""
    lengths = np.zeros(len(places), np.int64)
    for sign in signs:
        found = np.ones(len(places), bool)
        for k, byte in enumerate(sign.encode()):
            found &= plain[places + k] == byte
        lengths[found] = len(sign.encode())
    return lengths


def _abbreviated(plain: Bytes, places: Places, abbreviations: Sequence[str]) -> NDArray[np.bool_]:
    """Return which of these full stops belong to an abbreviation."""
    before = plain[places - 1]
    single = _LETTERS[before] & ~_LETTERS[plain[places - 2]]
    initial = single & _CAPITALS[before] & (before != ord("I"))
    lettered = single & (plain[places - 2] == _STOP)
    listed = np.zeros(len(places), bool)
    eight = _eight(plain, places - 8)
    for length in {len(word) for word in abbreviations}:
        ends = eight >> np.uint64(8 * (8 - length))
        alike = np.zeros(len(places), bool)
        for word in abbreviations:
            if len(word) == length:
                alike |= ends == np.uint64(int.from_bytes(word.encode(), "little"))
        listed |= alike & ~_LETTERS[plain[places - 1 - length]]
    shortened: NDArray[np.bool_] = (plain[places] == _STOP) & (initial | lettered | listed)
    return shortened
