"""What the documentation says is true: its blocks run as they stand, its links lead somewhere.

All blocks of a page are typed in one folder, from top to bottom, as a reader does. A comment above
a block says what is special about it:

- `not run: WHY`: it is not run.
- `file: PATH`: it is a file of the reader's, which is in the folder from the beginning.
- `needs data`: it is run where `NAYSAY_DATA` names upstream's data.
"""

from __future__ import annotations

import gzip
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import COMMON_VERBS, Outcome
from naysay.cli import command_names, make_app
from naysay.data.languages import LANGUAGES

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(?:<!-- (?P<note>[^\n]+?) -->\n)?```(?P<kind>\w*)\n(?P<text>.*?)```", re.S)
NOTES = re.compile(r"not run: .+|file: \S+|needs data")
DATA = os.environ.get("NAYSAY_DATA")  # before each test takes it away


@dataclass(frozen=True)
class Block:
    page: str
    kind: str
    text: str
    notes: tuple[str, ...]

    @property
    def is_code(self) -> bool:
        """Whether it is for a shell or for Python; what is neither is data or output."""
        return self.kind in ("bash", "python", "")

    @property
    def is_run(self) -> bool:
        return self.is_code and not any(note.startswith("not run: ") for note in self.notes)


BLOCKS = [
    Block(page.name, match["kind"], match["text"], tuple((match["note"] or "").split("; ")))
    for page in PAGES
    for match in BLOCK.finditer(page.read_text(encoding="utf-8"))
]


def parameters() -> Iterator[object]:
    """The blocks of each page that are run here, in their order."""
    for page in PAGES:
        blocks = [block for block in BLOCKS if block.page == page.name and block.is_run]
        here = tuple(block for block in blocks if DATA or "needs data" not in block.notes)
        without = not here and bool(blocks)
        skipped = pytest.mark.skipif(without, reason="NAYSAY_DATA is not set")
        if blocks:
            yield pytest.param(here, id=page.name, marks=skipped)


def corpus(contrast: str) -> str:
    """Text of which every second sentence has a negation and a contrast."""
    pairs = [(one, other) for one in COMMON_VERBS for other in COMMON_VERBS if one != other]
    return "".join(
        f"He doesn't like to {one} in the morning at home, {contrast} she likes to {other} there.\n"
        f"In the evening they like to {one} at home, in the morning they like to {other}.\n"
        for one, other in pairs
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the pages take for granted: the repository's files and a reader's own."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    (tmp_path / "wiki.txt").write_text(corpus("but"))
    (tmp_path / "wiki.txt.gz").write_bytes(gzip.compress(corpus("but").encode(), mtime=0))
    (tmp_path / "more.txt").write_text(corpus("while"))
    (tmp_path / "path" / "to" / "set").mkdir(parents=True)
    (tmp_path / "path" / "to" / "set" / "items.json").write_text("[]\n")
    if DATA:
        (tmp_path / "path" / "to" / "data").symlink_to(DATA)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def language(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Install the package of a language that a page makes."""
    made: list[str] = []

    def install(code: str) -> None:
        (folder / code / "__init__.py").touch()
        info = folder / f"{code}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {code}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[naysay.languages]\n{code} = {code}\n")
        monkeypatch.syspath_prepend(folder)
        LANGUAGES.forget()
        made.append(code)

    yield install
    if made:
        for code in made:
            sys.modules.pop(code, None)
        monkeypatch.undo()
        LANGUAGES.forget()


def lines_of(text: str) -> list[str]:
    """The commands of a block, each on one line."""
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def expanded(word: str) -> list[str]:
    """The word as a shell would hand it on: the paths it stands for, if it is a pattern."""
    return (sorted(map(str, Path().glob(word))) or [word]) if "*" in word else [word]


@pytest.mark.slow
@pytest.mark.parametrize("blocks", list(parameters()))
def test_a_page_is_typed_from_top_to_bottom(
    blocks: tuple[Block, ...],
    naysay: Callable[..., Outcome],
    folder: Path,
    language: Callable[[str], None],
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    for name, text in files_of(blocks[0].page).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        if Path(name).name == "language.toml":
            language(str(Path(name).parent))
    if any("-m bert-base-cased" in b.text or '"bert-base-cased"' in b.text for b in blocks):
        # A BERT with random weights in the place of the hub's.
        (folder / "bert-base-cased").symlink_to(request.getfixturevalue("tiny_bert"))
    for block in blocks:
        if block.kind == "python":
            exec(compile(block.text, block.page, "exec"), {})
            assert capsys.readouterr().out
            continue
        for line in lines_of(block.text):
            words = shlex.split(line, comments=True)
            if words[0] == "naysay":
                ended = naysay(*(part for word in words[1:] for part in expanded(word)))
                assert ended.code == 0, (line, ended.err)
                assert ended.out, line
            else:
                assert words[0] == "python"
                command = f"{shlex.quote(sys.executable)} {line.removeprefix('python ')}"
                subprocess.run(command, shell=True, check=True)


def files_of(page: str) -> dict[str, str]:
    """The files that a page has the reader write."""
    return {
        note.removeprefix("file: "): block.text
        for block in BLOCKS
        for note in block.notes
        if block.page == page and note.startswith("file: ")
    }


def test_more_than_half_of_the_code_is_run() -> None:
    code = [block for block in BLOCKS if block.is_code]
    # What needs data is run on some machines only, and does not count.
    run = [block for block in code if block.is_run and "needs data" not in block.notes]
    assert len(code) > 50
    assert len(run) > len(code) / 2


def test_notes_on_blocks_are_known_ones() -> None:
    """Else a slip of the pen would change silently what is run."""
    unknown = {n for b in BLOCKS for n in b.notes if n and not NOTES.fullmatch(n)}
    assert unknown == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.fixture(scope="module")
def known_options() -> str:
    """What `--help` says of all commands."""
    from typer.testing import CliRunner

    runner, app = CliRunner(env={"COLUMNS": "120"}), make_app()
    asked = (runner.invoke(app, [*command.split(), "--help"]) for command in ("", *command_names()))
    return "".join(outcome.output for outcome in asked)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_that_are_named_exist(known_options: str, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    # The options of benchmarks, scripts, pip, docker and servers are their own.
    foreign = set(re.findall(r"(?:(?:benchmarks|scripts)/\w+\.py|pip install) (--[a-z-]+)", text))
    others = re.findall(r"docker run (.*?) naysay |((?:llama-server|vllm serve)[^`\n]*)", text)
    foreign |= {name for one in others for part in one for name in re.findall(r"--[a-z-]+", part)}
    assert {option for option in named - foreign if option not in known_options} == set()
