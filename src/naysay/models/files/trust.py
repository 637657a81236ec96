"""Whether a model's folder is only data: no code, no pickles, no part replaced behind our back.

Libraries import what a configuration names: classes of modules, activations, tokenizers. Some of it
they refuse, some they replace by a default with a warning that is easily missed, and some they run.
So every JSON file of the folder is read here before a library sees it. `--trust-remote-code` skips
this check.
"""

from __future__ import annotations

import importlib
import json
import math
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from naysay.core.errors import ModelError, WeightsError
from naysay.core.files import read_text

_DOTTED = re.compile(r"\S*\.\S*")  # Python imports names that are no identifiers, too
_ACTIVATES = re.compile(r"activation|function|_f(n|ct)$|_act$", re.IGNORECASE)
_NAMES_CODE = re.compile(rf"{_ACTIVATES.pattern}|^types?$|_class$|^class", re.IGNORECASE)
"""Keys whose value a library may import."""
_ELSEWHERE = (
    "tokenizer_name_or_path", "base_model_name_or_path", "allow_all_kernels", "use_kernels",
)  # fmt: skip
"""Keys by which a model would not be what its folder holds, or would load code."""
_GIVEN_ON = re.compile(r"(model|tokenizer|processor|config|load|loading)_(kw)?args")
"""Tables that a library hands on as they are, to functions that write files or load others."""
_METHODS = ("forward", "get_text_features")
"""The methods of a model by which a text becomes a vector."""
_IMPLEMENTATIONS = ("eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention")
_WORDS = ("vocab", "added_tokens_decoder", "merges")
"""Keys whose entries are words, not names of code."""
_HARMLESS = re.compile(r"torch\.(float|bfloat|int|uint)\d+")
_OWN = "sentence_transformers."
_LARGEST = 1 << 26  # bytes; the vocabulary of a tokenizer has at most half of it
DEEPEST = 2_000
"""Layers, more than any model has; each is built by itself, so more would take hours."""
_LIMITS = (
    (re.compile(r"num_.*layers|n_layers?|num_hidden_groups"), DEEPEST),
    (re.compile(r"num_labels"), 1_000_000),
    (
        re.compile(
            r".*hidden_size|.*embd|.*intermediate_size|vocab_size|.*dimension|.*features"
            r"|max_position.*|n_positions|max_seq.*"
        ),
        100_000_000,
    ),
)
"""Sizes that no model has, by the names under which configurations give them."""
_ADAPTER = "adapter_config.json"


def check_data_only(name: str, folder: Path, places: list[Path]) -> None:
    """Refuse a folder that names code of its own, or parts that a library would replace."""
    for file in sorted({path for place in places for path in place.glob("*.json")}):
        if not file.is_file():
            continue
        where = file.relative_to(folder) if file.is_relative_to(folder) else file
        if file.name == _ADAPTER:  # read only where another library is installed
            raise _refused(name, f"takes a part from elsewhere ({where})")
        for key, value in _entries(read_json(file)):
            if key == "auto_map" and value:
                raise _refused(name, f"ships its own code ({where}: auto_map)")
            if key in _ELSEWHERE and value:
                raise _refused(name, f"takes a part from elsewhere ({where}: {key} = {value})")
            of_sentences = file.name.startswith("sentence_")
            if of_sentences and _GIVEN_ON.fullmatch(key) and value:
                raise _refused(name, f"gives a library options of its own ({where}: {key})")
            if of_sentences and key == "method" and value not in _METHODS:
                raise _refused(name, f"calls a method by name ({where}: {key} = {value})")
            if key.endswith("_implementation") and not _is_usual(value):
                raise _refused(name, f"asks for code of others ({where}: {key} = {value})")
            if isinstance(value, str) and _NAMES_CODE.search(key) and _DOTTED.fullmatch(value):
                _check_class(name, where, key, value)
            most = next((most for keys, most in _LIMITS if keys.fullmatch(key)), math.inf)
            if isinstance(value, int | float) and value > most:
                raise WeightsError(f"{name}: {where} says {key} = {value:,}, which cannot be")


def _is_usual(value: Any) -> bool:
    """Whether an implementation of a layer is one of transformers' own; others are downloaded."""
    return value is None or value in _IMPLEMENTATIONS


def _check_class(name: str, where: Path, key: str, dotted: str) -> None:
    """Refuse a class that is neither a part of sentence-transformers nor an activation of torch."""
    import torch

    if _HARMLESS.fullmatch(dotted):
        return
    found = _class_of(dotted) if dotted.startswith(("torch.nn.", _OWN)) else None
    if found is not None and issubclass(found, torch.nn.Module):
        activations = (torch.nn.Identity.__module__, torch.nn.Tanh.__module__)
        # Other parts are no activations: a dropout would answer at random.
        if not _ACTIVATES.search(key) or found.__module__ in activations:
            return
    raise _refused(name, f"names {dotted} ({where}: {key}), which is not a known part of a model")


def _class_of(dotted: str) -> type | None:
    package, _, attribute = dotted.rpartition(".")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # older folders have former names
            found = getattr(importlib.import_module(package), attribute)
    except (ImportError, AttributeError):
        return None
    return found if isinstance(found, type) else None


def _refused(name: str, why: str) -> ModelError:
    return ModelError(f"{name} {why}. If you trust it, add --trust-remote-code.")


def _entries(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value with its key, however deep; what has no key of its own has its parent's."""
    if isinstance(value, dict):
        for inner, entry in value.items():
            yield inner, entry
            if inner not in _WORDS:
                # A table of types has names of its own choice as keys.
                yield from _entries(entry, "type" if inner == "types" else inner)
            if key == "type":
                yield "type", entry
    elif isinstance(value, list):
        for entry in value:
            yield key, entry
            yield from _entries(entry, key)


def read_json(file: Path) -> Any:
    """The content of a JSON file; refuse one that is too large or too deep to be what it says."""
    try:
        if file.stat().st_size > _LARGEST:
            raise WeightsError(f"{file} is too large to be read")
        return json.loads(read_text(file))
    except (OSError, ValueError, RecursionError) as error:
        raise WeightsError(f"{file} cannot be read: {error or type(error).__name__}") from error


def safe_weights(place: Path) -> list[Path]:
    """The safetensors files of a folder that a library would load; none if it would not.

    It loads `model.safetensors`, or what the index beside it lists. A file of any other name is no
    reason to believe that no pickle is read.
    """
    whole, index = place / "model.safetensors", place / "model.safetensors.index.json"
    if whole.is_file():
        return [whole]
    if not index.is_file():
        return []
    listed = read_json(index)
    files = listed.get("weight_map") if isinstance(listed, dict) else None
    if not isinstance(files, dict):
        raise WeightsError(f"{index} lists no files")
    named = sorted(set(map(str, files.values())))
    wrong = [file for file in named if not re.fullmatch(r"[\w.-]+\.safetensors", file)]
    if wrong:
        raise WeightsError(f"{index} lists {wrong[0]!r}, which is no safetensors file beside it")
    missing = [file for file in named if not (place / file).is_file()]
    if missing:
        raise WeightsError(f"{place} lacks {missing[0]}, which its index lists")
    return [place / file for file in named]
