"""`naysay open` and `report --open`: from a run to an opened page in two commands."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome, refused

Cli = Callable[..., Outcome]
RUN = ("run", "-m", "known:blind", "-t", "scnt", "--limit", 3)


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """A browser that notes what it is to open."""
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def at_the_shell(folder: Path, browser: Path, *words: str) -> str:
    """Run a command in a process of its own, since a process chooses its browser once."""
    done = subprocess.run(
        [sys.executable, "-m", "naysay", *words],
        cwd=folder, env={**os.environ, "BROWSER": str(browser)}, check=True, capture_output=True,
        text=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.slow
def test_a_page_is_two_commands_away(naysay: Cli, tmp_path: Path, browser: Path) -> None:
    assert naysay(*RUN).code == 0
    out = at_the_shell(tmp_path, browser, "open")
    assert out == "written: report.html\nopened: report.html\n"
    out = at_the_shell(tmp_path, browser, "report", "--open", "-o", "mine.html")
    assert out == "written: mine.html\nopened: mine.html\n"
    assert at_the_shell(tmp_path, browser, "open") == "opened: mine.html\n"  # the newest
    opened = (tmp_path / "opened").read_text().split()
    assert opened == [(tmp_path / name).as_uri() for name in ("report.html", *2 * ["mine.html"])]


def test_without_a_screen_it_says_where_the_page_is(naysay: Cli, tmp_path: Path) -> None:
    naysay(*RUN)
    ended = naysay("report", "--open")
    assert ended.code == 0
    path = tmp_path / "report.html"
    assert ended.out.splitlines()[1:] == [f"no screen here; open it in a browser: {path}"]
    before = path.read_bytes()
    ended = naysay("open")
    assert ended.code == 0
    assert ended.out == f"no screen here; open it in a browser: {path}\n"
    assert path.read_bytes() == before


def test_a_page_older_than_a_run_is_made_anew(naysay: Cli, tmp_path: Path) -> None:
    naysay(*RUN)
    naysay("report", "-o", "report.html")
    os.utime(tmp_path / "report.html", (0, 0))
    naysay("run", "-m", "known:aware", "-t", "scnt", "--limit", 3)
    assert naysay("open").out.startswith("written: report.html\n")
    assert "known:aware" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_other_files_are_neither_opened_nor_overwritten(naysay: Cli, tmp_path: Path) -> None:
    refused(naysay("open"), "no finished run in runs")
    naysay(*RUN)
    (tmp_path / "report.html").write_text("<p>Mine.</p>", encoding="utf-8")
    refused(naysay("open"), "report.html is not a page of naysay's", "naysay report --open -o")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "<p>Mine.</p>"
    refused(naysay("open", "none.html"), "none.html does not exist")
    refused(naysay("report", "--open", "-o", "tables.tex"), "tables.tex is none")
