"""The Dockerfile: a linter reads it, and what it copies is enough to build naysay from."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COPIED = [
    source
    for line in re.findall(r"^COPY (?!--from)(.+)$", TEXT, re.M)
    for source in line.split()[:-1]
]


def test_a_linter_finds_nothing(tmp_path: Path) -> None:
    beside = Path(sys.executable).with_name("hadolint")
    hadolint = str(beside) if beside.exists() else shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("hadolint is not installed")
    found = subprocess.run(
        [hadolint, "--no-color", ROOT / "Dockerfile"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (found.returncode, found.stdout + found.stderr) == (0, "")


def test_the_builder_gets_what_is_copied_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in lines
    assert sorted(line[1:] for line in lines if line.startswith("!")) == sorted(COPIED)
    assert all((ROOT / source).exists() for source in COPIED)


def test_it_does_not_run_as_root_and_installs_extras_that_exist() -> None:
    last = TEXT.rpartition("FROM ")[2]
    assert re.search(r"^USER [1-9]\d*$", last, re.M)
    extras = re.search(r"'\.\[(.+)\]'", TEXT)
    assert extras is not None
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras[1].split(",")) <= set(declared["optional-dependencies"])


@pytest.mark.slow
def test_naysay_is_built_from_what_is_copied(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", "77")
    build = tmp_path / "build"
    build.mkdir()
    for source in COPIED:
        if (ROOT / source).is_dir():
            unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / source, build / source, ignore=unwanted)
        else:
            shutil.copy(ROOT / source, build / source)
    subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
            "--no-index", "--wheel-dir", tmp_path, build,
        ],
        check=True,
    )  # fmt: skip
    [wheel] = tmp_path.glob("naysay-*.whl")
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("naysay/")}
    source = ROOT / "src"
    modules = {str(path.relative_to(source)) for path in source.glob("naysay/**/*.py")}
    assert modules <= inside
    assert "naysay/models/files/mini/mini-aware/model.safetensors" in inside
