"""Whether a configuration describes a model of about the size of its weights.

A library builds what the configuration says before it looks at the weights: millions of layers take
hours, and a table of a billion rows takes all memory. So the model is first built without memory.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from naysay.core.errors import WeightsError
from naysay.models.files import Weights
from naysay.models.files.trust import DEEPEST, read_json

_SPARE = 100_000_000
"""Numbers that need not be stored, such as masks."""
_GGUF_MOST = {
    b"block_count": DEEPEST, b"embedding_length": 1_000_000, b"feed_forward_length": 10_000_000,
    b"vocab_size": 100_000_000, b"context_length": 100_000_000,
}  # fmt: skip
_GGUF_SIZE = re.compile(
    rb"\.(" + b"|".join(_GGUF_MOST) + rb")([\x04\x05\x0a\x0b])\0\0\0(.{8})", re.DOTALL
)
"""A size in the header of a GGUF file: its name, the type of its number, and the number."""
_HEAD = 1 << 26  # bytes, more than any header has
_PER_BYTE, _PER_BYTE_QUANTISED = 2, 16


def check_size(weights: Weights, auto_class: str, given: dict[str, Any], place: Path) -> None:
    """Refuse a configuration that describes far more parameters than the files can hold."""
    import torch
    import transformers

    if weights.modules:
        place = place / weights.modules[0][1]
    if weights.gguf:
        _check_header(weights)
        return
    if not (place / "config.json").is_file():
        return  # sentences made of word vectors
    for folder in weights.places:
        if folder not in (weights.folder, place):
            _check_module(weights, folder)
    config = transformers.AutoConfig.from_pretrained(str(place), **given)
    layers = getattr(config, "num_hidden_layers", None)
    if isinstance(layers, int) and layers > DEEPEST:
        raise WeightsError(
            f"{weights.name} describes a model of {layers:,} layers, which cannot be"
        )
    with torch.device("meta"):
        model = _class_of(auto_class)(config)
    described = sum(t.numel() for t in (*model.parameters(), *model.buffers()))
    quantised = getattr(config, "quantization_config", None)
    _check_stored(weights, described, _PER_BYTE_QUANTISED if quantised else _PER_BYTE)


def _check_header(weights: Weights) -> None:
    """Refuse a GGUF file with sizes that no model has; to parse all of it would take seconds."""
    for file in weights.weight_files:
        with file.open("rb") as stream:
            head = stream.read(_HEAD)
        for found in _GGUF_SIZE.finditer(head):
            key, wide = found[1], found[2] in b"\x0a\x0b"
            value = int.from_bytes(found[3][: 8 if wide else 4], "little")
            if value > _GGUF_MOST[key]:
                raise WeightsError(
                    f"{weights.name} says {key.decode()} = {value:,}, which cannot be"
                )


def _check_module(weights: Weights, folder: Path) -> None:
    """Refuse a module of a sentence model whose largest table cannot be in its files."""
    path = folder / "config.json"
    config = read_json(path) if path.is_file() else {}
    sizes = [n for n in config.values() if type(n) is int] if isinstance(config, dict) else []
    _check_stored(weights, math.prod(sorted(sizes)[-2:]), _PER_BYTE)


def _check_stored(weights: Weights, described: int, per_byte: int) -> None:
    stored = sum(file.stat().st_size for file in weights.weight_files)
    if described > _SPARE + stored * per_byte:
        raise WeightsError(
            f"{weights.name} describes a model of {described:,} numbers, but its weights have "
            f"{stored:,} bytes: they do not belong together"
        )


def _class_of(auto_class: str) -> Any:
    """Return what builds a model from its configuration."""
    import transformers

    found = getattr(transformers, auto_class)
    return getattr(found, "from_config", None) or found
