"""A model's files in a local folder, found by name, and checked before anything is read."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from naysay.errors import HubError, WeightsError, near_names
from naysay.keys import content_key, file_digest
from naysay.weights import wheels
from naysay.weights.hub import ONLY_PICKLES, download

_SAFE, _PICKLED = ("*.safetensors",), ("pytorch_model*.bin",)
_TOKENIZER = ("*token*.json", "vocab*", "merges.txt", "*.model", "*.codes", "*.py")


@dataclass(frozen=True)
class Weights:
    """Where a model's files are, and what they say about it."""

    name: str
    folder: Path
    gguf: str | None = None
    """The file's name, if the model is one GGUF file."""
    revision: str | None = None
    config: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def files(self) -> list[Path]:
        """The files that can change an answer: weights, configuration, tokenizer, own code."""
        if self.gguf:
            return [self.folder / self.gguf]
        patterns = (*(_SAFE if self.is_safe else _PICKLED), "config.json", *_TOKENIZER)
        return sorted({path for pattern in patterns for path in self.folder.glob(pattern)})

    @property
    def is_safe(self) -> bool:
        """Whether the weights can be read without unpickling."""
        return bool(self.gguf) or any(self.folder.glob(_SAFE[0]))

    @property
    def digest(self) -> str:
        """A hash of the content of all those files."""
        return content_key([[path.name, file_digest(path)] for path in self.files])


def locate(name: str, *, allow_pickle: bool = False) -> Weights:
    """The files of a model: an alias, a folder, a GGUF file, or a name on the hub."""
    if name in wheels.WHEELS:
        folder = wheels.folder_of(name)
        if folder is None:
            raise WeightsError(f"{name} is not here yet; get it with: naysay models get {name}")
        return from_folder(name, folder, allow_pickle=allow_pickle)
    path = _path(name)
    if path.is_file():
        if path.suffix != ".gguf":
            raise WeightsError(
                f"{path} is a file, but not a .gguf; give the folder that has the model's "
                "config.json, tokenizer and weights"
            )
        return Weights(name, path.parent, gguf=path.name)
    if path.is_dir():
        return from_folder(name, path, allow_pickle=allow_pickle)
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise WeightsError(f"there is no folder or file {name}")
    try:
        folder, revision = download(name, allow_pickle=allow_pickle)
    except HubError as error:
        raise HubError(f"{error}{_near(name)}") from error
    return from_folder(name, folder, allow_pickle=allow_pickle, revision=revision)


def _path(name: str) -> Path:
    """The path that a name may be; one that cannot be a path leads nowhere."""
    try:
        path = Path(name).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError):  # too long, nobody's home, a null character
        return Path(os.devnull) / "nowhere"
    return path


def _near(name: str) -> str:
    """A word about names that work without the hub and look like this one."""
    near = near_names(name, [*wheels.WHEELS, "known:aware", "known:blind", "known:random"])
    return f" Did you mean {' or '.join(near)}?" if near else ""


def from_folder(
    name: str, folder: Path, *, allow_pickle: bool = False, revision: str | None = None
) -> Weights:
    """The model in a folder; refuses what is not there or not safe to read."""
    ggufs = sorted(folder.glob("*.gguf"))
    if len(ggufs) > 1:
        listed = ", ".join(path.name for path in ggufs)
        raise WeightsError(f"{folder} has several GGUF files ({listed}): give one of them")
    if ggufs and not any(folder.glob(_SAFE[0])):
        return Weights(name, folder, gguf=ggufs[0].name, revision=revision)
    weights = Weights(name, folder, revision=revision, config=_config(folder))
    if weights.is_safe:
        return weights
    if not any(path for pattern in _PICKLED for path in folder.glob(pattern)):
        raise WeightsError(f"{folder} has no weights: no .safetensors and no .gguf file is in it")
    if not allow_pickle:
        raise WeightsError(ONLY_PICKLES.format(name=name))
    return weights


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    if not path.is_file():
        raise WeightsError(f"{folder} has no config.json, so it is not a transformers model")
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise WeightsError(f"{path} cannot be read: {error}") from error
    if not isinstance(config, dict):
        raise WeightsError(f"{path} does not hold a model's configuration")
    return config
