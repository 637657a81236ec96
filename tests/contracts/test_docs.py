"""What the documentation says is true: its commands run, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import Outcome
from naysay.cli import command_names

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(?:<!-- not run: (?P<why>.+?) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)```", re.S)


@dataclass(frozen=True)
class Block:
    page: str
    kind: str
    text: str
    why_not: str | None


BLOCKS = [
    Block(page.name, match["kind"], match["text"], match["why"])
    for page in PAGES
    for match in BLOCK.finditer(page.read_text(encoding="utf-8"))
]
RUN = [block for block in BLOCKS if block.why_not is None]
COMMANDS = [
    pytest.param(block, id=f"{block.page}-{k}")
    for k, block in enumerate(block for block in RUN if block.kind == "bash")
]
PROGRAMS = [
    pytest.param(block, id=f"{block.page}-{k}")
    for k, block in enumerate(block for block in RUN if block.kind == "python")
]


@pytest.mark.parametrize("block", COMMANDS)
def test_commands_run(naysay: Callable[..., Outcome], block: Block) -> None:
    for line in block.text.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == "naysay"
        ended = naysay(*words)
        assert ended.code == 0, (line, ended.err)
        assert ended.out


@pytest.mark.parametrize("block", PROGRAMS)
def test_programs_run(
    block: Block,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block.text, block.page, "exec"), {})
    assert capsys.readouterr().out


def test_what_is_not_run_is_the_lesser_part() -> None:
    assert len(COMMANDS) >= 4 and PROGRAMS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_that_are_named_exist(naysay: Callable[..., Outcome], page: Path) -> None:
    known = "".join(naysay(*command.split(), "--help").out for command in command_names())
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page.read_text(encoding="utf-8")))
    # The options of the benchmarks and of pip are their own.
    foreign = set(
        re.findall(
            r"(?:benchmarks/\w+\.py|pip install) (--[a-z-]+)", page.read_text(encoding="utf-8")
        )
    )
    assert {option for option in named - foreign if option not in known} == set()
