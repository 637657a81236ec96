"""docs/fidelity.md has every table and figure that the papers' files name, and real options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from naysay.core.options import flag
from naysay.core.registry import suite_folders
from naysay.reports.leaderboard import all_papers
from naysay.run.options import declared_options

PAGE = (Path(__file__).parents[2] / "docs" / "fidelity.md").read_text(encoding="utf-8")
SECTIONS: dict[str, str] = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S))
LAST = {"scnt": 9, "gh22": 4, "scin": 5, "semantoneg": 8, "lama": 7}
"""How many tables each paper has."""


def section_of(suite: str) -> str:
    about = all_papers()[suite]["paper"]
    first = about["authors"].split(",")[0].split()[-1]
    [title] = [title for title in SECTIONS if first in title]
    return str(SECTIONS[title])


def tables_in(text: str) -> set[int]:
    """The numbers of the tables that stand in the first column."""
    found: set[int] = set()
    for cell in re.findall(r"^\| ([^|]+) \|", text, re.M):
        for listed in re.findall(r"Tables? ((?:\d+(?:, | to )?)+)", cell):
            ends = [int(number) for number in re.findall(r"\d+", listed)]
            found |= set(range(ends[0], ends[-1] + 1)) if " to " in listed else set(ends)
    return found


@pytest.mark.parametrize(("suite", "last"), LAST.items())
def test_every_table_of_a_paper_has_its_line(suite: str, last: int) -> None:
    assert tables_in(section_of(suite)) == set(range(1, last + 1))


@pytest.mark.parametrize("suite", all_papers())
def test_every_source_of_a_printed_figure_is_named(suite: str) -> None:
    text = section_of(suite)
    for row in all_papers()[suite]["row"]:
        for number in re.findall(r"Tables? (\d+)", row["source"]):
            assert int(number) in tables_in(text), row["source"]


def test_every_option_exists() -> None:
    known = {flag(name) for name in declared_options()} | {
        "--limit", "--corpus", "--paper", "--rule", "--triplet", "--table", "--full",
        "--pairs",
    }  # fmt: skip
    used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    assert used <= known
    suites = {
        name for listed in re.findall(r"-t ([a-z0-9_,]+)", PAGE) for name in listed.split(",")
    }
    assert suites <= set(suite_folders())
