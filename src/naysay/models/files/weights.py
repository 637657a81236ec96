"""A model's files: their location, and their metadata without loading the weights."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from naysay.core.errors import HubError, WeightsError, near_names
from naysay.core.files import irregular
from naysay.core.keys import content_key, file_digest
from naysay.core.options import PLACE, Options, option
from naysay.models.files.hub import ONLY_PICKLES, download
from naysay.models.files.trust import read_json, safe_weights
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


_PICKLED = ("pytorch_model*.bin",)
_MODULES = "modules.json"  # sentence-transformers' list of modules
_TEXT = (
    "*.json", "*.jinja", "merges*", "*.model", "*.codes", "*.py", "*.bpe", "*.spm", "*.tiktoken",
    "vocab*", "dict.txt", "*.tokenizer",
)  # fmt: skip
"""Whatever configures a model, its tokenizer or its chats; other files are not read."""
_RECORDS = (
    "training.json", "trainer_state.json", "all_results.json", "train_results.json",
    "eval_results.json",
)  # fmt: skip
"""What trainings write about themselves beside a model; nothing that loads it reads them."""
_TEMPLATES = "additional_chat_templates"
_FILE_TYPES = ("safetensors", "bin", "pt", "pth", "ckpt", "onnx")
KNOWN = ("known:aware", "known:blind", "known:random")
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
        places = [*self.places, self.folder / _TEMPLATES]
        found = (path for place in places for path in _found(place, _TEXT))
        text = [path for path in found if path.name not in _RECORDS]
        return sorted({*self.weight_files, *text})

    @cached_property
    def modules(self) -> list[tuple[str, str]]:
        """The classes and folders of a sentence-transformers model; empty for other models."""
        return [] if self.gguf else _modules_of(self.folder)

    @property
    def places(self) -> list[Path]:
        """The model's folder, and the folders of its modules."""
        folders = {self.folder / path for _, path in self.modules}
        self._check_inside(self.folder, folders)
        # Modules may have modules of their own, in folders below theirs.
        inside = set(folders) - {self.folder}
        if any(kind.endswith(".Router") for kind, _ in self.modules):
            inside.add(self.folder)
        below = {path for f in inside for path in f.rglob("*") if path.is_dir()}
        self._check_inside(self.folder, below)
        for folder in inside | below:
            self._check_inside(folder, {folder / path for _, path in _modules_of(folder)})
        return sorted({self.folder, *folders, *below})

    def _check_inside(self, place: Path, folders: set[Path]) -> None:
        """Refuse folders of modules that are elsewhere, whether by name or by a link."""
        root = self.folder.resolve()
        for folder in sorted(folders):
            if not folder.resolve().is_relative_to(root):
                raise WeightsError(f"{place / _MODULES} leads out of its folder, to {folder}")

    @property
    def weight_files(self) -> list[Path]:
        """In each folder the safetensors files, or the pickles if there are none."""
        if self.gguf:
            return [self.folder / self.gguf]
        found = [safe_weights(place) or _found(place, _PICKLED) for place in self.places]
        return [path for paths in found for path in paths]

    @property
    def is_safe(self) -> bool:
        """Whether the weights can be read without unpickling."""
        files = self.weight_files
        return bool(files) and all(path.suffix in (".safetensors", ".gguf") for path in files)

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
        files = sorted(map(self._named, self.weight_files))
        hashes = {name: self._hashes[name] for name in files}
        quantised = (self.config.get("quantization_config") or {}).get("quant_method")
        return {
            "revision": self.revision, "hub": self.hub, "weights": hashes,
            **({"quantised": str(quantised)} if quantised else {}),
        }  # fmt: skip


def located(address: str | Weights, options: WeightsOptions) -> Weights:
    """Return the weights themselves, or locate those at the address."""
    if isinstance(address, Weights):
        return address
    return locate(address, allow_pickle=options.allow_pickle, revision=options.revision)


def locate(name: str, *, allow_pickle: bool = False, revision: str | None = None) -> Weights:
    """Locate the files of a model: an alias, a folder, a GGUF file, or a name on the hub.

    `revision`, or `@REVISION` after a name on the hub, is a branch, a tag or a commit there.
    """
    found = _locate_here(name, allow_pickle=allow_pickle)
    if found is not None:
        if revision is not None:
            raise WeightsError(
                f"--revision {revision} is for models on the hub, but {name} is on this machine "
                f"({found.folder}): drop it"
            )
        return found
    hub_name, at, suffix = name.partition("@")
    if at and (revision is not None or not suffix):
        raise WeightsError(f"{name}: give the revision once, as NAME@REVISION or --revision")
    if revision := suffix or revision:
        name = f"{hub_name}@{revision}"  # what is compared is called by it, however it was asked
    try:
        hub, folder, commit = _download(hub_name, allow_pickle=allow_pickle, revision=revision)
    except HubError as error:
        raise HubError(f"{error}{_near(hub_name)}") from error
    return from_folder(name, folder, allow_pickle=allow_pickle, revision=commit, hub=hub)


def _locate_here(name: str, *, allow_pickle: bool) -> Weights | None:
    """Locate a model on this machine; None if the name can only be one on the hub."""
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
    if _is_file(name):
        raise WeightsError(f"there is no file {name}.{_near(name)}")
    if _is_path(name):
        raise WeightsError(f"there is no folder or file {name}.{_near(name)}")
    return None


def _download(name: str, *, allow_pickle: bool, revision: str | None) -> tuple[str, Path, str]:
    """Return the full name under which the hub has the model, its folder and its commit."""
    try:
        return name, *download(name, allow_pickle=allow_pickle, revision=revision)
    except HubError:
        if "/" in name:
            raise
        owned = f"{_OWNER}/{name}"
        with contextlib.suppress(HubError):
            return owned, *download(owned, allow_pickle=allow_pickle, revision=revision)
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


def _modules_of(folder: Path) -> list[tuple[str, str]]:
    path = folder / _MODULES
    try:
        listed = read_json(path) if path.is_file() else []
        return [(str(module["type"]), str(module["path"])) for module in listed]
    except (TypeError, KeyError) as error:
        raise WeightsError(f"{path} cannot be read: {error}") from error


def _found(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    return [path for pattern in patterns for path in folder.glob(pattern) if path.is_file()]


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
    """Suggest similar names that work without the hub: aliases, and what the folder contains."""
    path = _path(name)
    with contextlib.suppress(OSError):
        beside = [each for each in path.parent.iterdir() if each.is_dir() or _is_gguf(each)]
        # Stricter than for aliases: a folder has many names that are no models.
        if near := near_names(path.name, [each.name for each in beside], cutoff=0.7):
            listed = " or ".join(name.rpartition("/")[0] + "/" * ("/" in name) + n for n in near)
            return f" Did you mean {listed}?"
    near = [] if _is_path(name) else near_names(name, [*WHEELS, *SHIPPED, *KNOWN])
    return f" Did you mean {' or '.join(near)}?" if near else ""


def _is_path(name: str) -> bool:
    """Whether the name can only be a path."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1


def _is_file(name: str) -> bool:
    """Whether the name can only be a file's; names on the hub may have dots, too.

    >>> [_is_file(name) for name in ("x.gguf", "models/x.bin", "owner/model-2.5-7B", "x.bin")]
    [True, True, False, False]
    """
    suffix = name.rpartition(".")[2].lower()
    return suffix == "gguf" or (("/" in name or "\\" in name) and suffix in _FILE_TYPES)


def _is_gguf(path: Path) -> bool:
    return path.suffix == ".gguf" and path.is_file()


def from_folder(
    name: str, folder: Path, *, allow_pickle: bool = False, revision: str | None = None,
    hub: str | None = None,
) -> Weights:  # fmt: skip
    """Return the model in a folder; refuse weights that are missing or unsafe to load."""
    if odd := irregular(folder):
        raise WeightsError(f"{odd} is not a regular file, so nothing in {folder} is read")
    ggufs = sorted(folder.glob("*.gguf"))
    if len(ggufs) > 1:
        listed = ", ".join(path.name for path in ggufs)
        raise WeightsError(f"{folder} has several GGUF files ({listed}): give one of them")
    if ggufs and not safe_weights(folder):
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
    config = read_json(path)
    if not isinstance(config, dict):
        raise WeightsError(f"{path} does not hold a model's configuration")
    if other := config.get("transformers_weights"):
        raise WeightsError(
            f"{path} names other weights than the folder's model.safetensors "
            f"(transformers_weights = {other!r}): remove the entry"
        )
    return config


@dataclass(frozen=True, kw_only=True)
class WeightsOptions(Options):
    """Options of all adapters that load weights from files."""

    allow_pickle: bool = option(
        False, "Load pickled weights (.bin), which can run code.", role=PLACE
    )
    trust_remote_code: bool = option(False, "Run code shipped with the model.", role=PLACE)
    revision: str | None = option(
        None, "Branch, tag or commit on the hub, as NAME@REVISION.", role=PLACE
    )


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
    about = read_json(path) if path.is_file() else {}
    recorded = about.get("model_type") if isinstance(about, dict) else None
    return str(recorded or "SentenceTransformer")
