"""The header of a GGUF file: its metadata, and a check before a native library maps the file.

llama.cpp is written in C++: what Python refuses with an exception may end the process there. So the
whole header is read here first, and every string, array and tensor must lie inside the file.
"""

from __future__ import annotations

import mmap
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

from naysay.core.errors import WeightsError

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_ENTRIES, _MOST_TENSORS = 1 << 16, 1 << 20
_MOST_DIMENSIONS, _DEEPEST = 4, 4
_STRING, _ARRAY = 8, 9
_SCALARS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q",
    12: "<d",
}  # fmt: skip
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 36), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8),
    28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36),
    41: (128, 18), 42: (64, 18),
}  # fmt: skip
"""Numbers per block, and bytes per block, of each type of tensor."""
_LARGE = 256  # numbers in a block of the K-quants and their kin
_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 10: "Q2_K",
    11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K", 30: "BF16",
}  # fmt: skip
"""The names of the common types of tensors; rarer ones go by their number."""


@dataclass(frozen=True)
class Length:
    """An array of the metadata, of which only the length is kept: vocabularies are long."""

    entries: int


@dataclass(frozen=True)
class Tensor:
    """The shape, type and place of a tensor."""

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True)
class Header:
    """The metadata of a GGUF file, and its tensors."""

    metadata: Mapping[str, Any]
    tensors: tuple[Tensor, ...]

    @cached_property
    def architecture(self) -> str:
        """The name of the architecture, as llama.cpp knows it."""
        return str(self.metadata.get("general.architecture", ""))

    def of_architecture(self, name: str) -> Any:
        """Return a number that the architecture declares; None if it does not."""
        return self.metadata.get(f"{self.architecture}.{name}")

    @property
    def embeds(self) -> bool:
        """Whether the model makes vectors of texts rather than predict tokens.

        Encoders of the BERT family have no tokens to predict; other embedders say how they pool.
        """
        pooling = self.of_architecture("pooling_type")
        return "bert" in self.architecture or self.architecture == "t5encoder" or bool(pooling)

    @property
    def precision(self) -> str:
        """The type that most of the numbers are stored in: Q4_1, F16, …"""
        sizes: Counter[int] = Counter()
        for tensor in self.tensors:
            sizes[tensor.kind] += prod(tensor.shape)
        kind = sizes.most_common(1)[0][0] if sizes else 0
        return _TYPES.get(kind, f"type {kind}")

    @property
    def has_large_blocks(self) -> bool:
        """Whether some numbers are in blocks of 256: Q4_K, Q6_K and their kin."""
        return any(_BLOCKS[tensor.kind][0] == _LARGE for tensor in self.tensors)

    @property
    def keeps_a_state(self) -> bool:
        """Whether it reads texts by a state (Mamba, RWKV, hybrids) or an encoder (T5).

        Such models cannot share the beginnings of texts, or predict tokens in another way.
        """
        state = any(name.startswith(f"{self.architecture}.ssm.") for name in self.metadata)
        return state or self.architecture.startswith(("rwkv", "t5"))


MISREAD = "gemma3"
"""The architectures of which transformers misreads GGUF files begin so."""


def read_header(path: Path) -> Header:
    """Read the header; refuse a file that is damaged, cut short, or not what it says."""
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise WeightsError(f"{path} cannot be loaded: it does not begin with 'GGUF'")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                return _Reader(view).header()
    except OSError as error:
        raise WeightsError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, struct.error, KeyError) as error:
        raise WeightsError(f"{path} cannot be loaded: it is damaged ({error})") from error


class _Reader:
    def __init__(self, view: mmap.mmap) -> None:
        self._view, self._size, self._at = view, len(view), len(_MAGIC)

    def header(self) -> Header:
        version = self._number("<I")
        if version not in _VERSIONS:
            raise ValueError(f"version {version} of the format is unknown")
        tensors, entries = self._number("<Q"), self._number("<Q")
        if tensors > _MOST_TENSORS or entries > _MOST_ENTRIES:
            raise ValueError(f"it says that it has {tensors:,} tensors and {entries:,} entries")
        metadata: dict[str, Any] = {}
        for _ in range(entries):
            name = self._string()
            if name in metadata:
                raise ValueError(f"{name} is there twice")
            metadata[name] = self._value(self._number("<I"))
        found = tuple(self._tensor() for _ in range(tensors))
        self._check(found, metadata.get("general.alignment", 32))
        return Header(metadata, found)

    def _number(self, form: str) -> Any:
        size = struct.calcsize(form)
        self._need(size)
        [number] = struct.unpack_from(form, self._view, self._at)
        self._at += size
        return number

    def _need(self, size: int) -> None:
        if size > self._size - self._at:
            raise ValueError(f"it ends inside its header, after {self._size:,} bytes")

    def _string(self) -> str:
        size = self._number("<Q")
        self._need(size)
        text = self._view[self._at : self._at + size]
        self._at += size
        return text.decode("utf-8", errors="replace")

    def _value(self, kind: int, depth: int = 0) -> Any:
        if kind == _STRING:
            return self._string()
        if kind != _ARRAY:
            return self._number(_form(kind))
        inner, entries = self._number("<I"), self._number("<Q")
        if inner == _ARRAY and depth >= _DEEPEST:
            raise ValueError("its arrays are nested too deep")
        if inner in (_STRING, _ARRAY):
            for _ in range(entries):
                if inner == _STRING:
                    size = self._number("<Q")
                    self._need(size)
                    self._at += size
                else:
                    self._value(_ARRAY, depth + 1)
        else:
            size = struct.calcsize(_form(inner)) * entries
            self._need(size)
            self._at += size
        return Length(entries)

    def _tensor(self) -> Tensor:
        name, dimensions = self._string(), self._number("<I")
        if dimensions > _MOST_DIMENSIONS:
            raise ValueError(f"{name} has {dimensions} dimensions")
        shape = tuple(self._number("<Q") for _ in range(dimensions))
        return Tensor(name, shape, self._number("<I"), self._number("<Q"))

    def _check(self, tensors: tuple[Tensor, ...], alignment: Any) -> None:
        """Refuse tensors that leave the file, overlap the header, or have a size that cannot be."""
        if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
            raise ValueError(f"its alignment is {alignment}")
        begin = -(-self._at // alignment) * alignment
        if len({tensor.name for tensor in tensors}) < len(tensors):
            raise ValueError("two tensors have the same name")
        for tensor in tensors:
            if tensor.kind not in _BLOCKS:
                raise ValueError(f"{tensor.name} is of the unknown type {tensor.kind}")
            numbers, size = _BLOCKS[tensor.kind]
            if not tensor.shape or min(tensor.shape) < 1 or tensor.shape[0] % numbers:
                raise ValueError(f"{tensor.name} cannot have the shape {tensor.shape}")
            last = begin + tensor.offset + prod(tensor.shape) // numbers * size
            if tensor.offset % alignment or last > self._size:
                raise ValueError(
                    f"{tensor.name} ends at byte {last:,}, but the file has {self._size:,}"
                )


def _form(kind: int) -> str:
    if kind not in _SCALARS:
        raise ValueError(f"an entry is of the unknown type {kind}")
    return _SCALARS[kind]
