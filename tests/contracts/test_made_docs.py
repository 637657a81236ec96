"""Pictures, tables and figures in the docs are those of the stored results."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def docs(scripts: Callable[[str], Any]) -> Any:
    return scripts("docs")


@pytest.fixture
def copied(docs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pages and pictures in another folder, where they may be changed."""
    (tmp_path / "docs").mkdir()
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.*")]:
        shutil.copy(path, tmp_path / path.relative_to(ROOT))
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    return tmp_path


@pytest.mark.slow
def test_nothing_is_stale(docs: Any) -> None:
    assert list(docs.made(write=False)) == []
    assert list(docs.untrue_texts()) == []


@pytest.mark.slow
def test_what_is_stale_is_found_and_made_again(docs: Any, copied: Path) -> None:
    page, drawn = copied / "docs" / "scnt.md", copied / "docs" / "smollm2.svg"
    good = page.read_text(encoding="utf-8")
    bad = re.sub(r"(\| CnTp \| )\d+", r"\g<1>11", good, count=1)
    assert bad != good
    page.write_text(bad, encoding="utf-8")
    drawn.unlink()
    assert set(docs.made(write=False)) == {"stale: docs/smollm2.svg", "stale: docs/scnt.md"}
    assert page.read_text(encoding="utf-8") == bad
    assert set(docs.made(write=True)) == {"made: docs/smollm2.svg", "made: docs/scnt.md"}
    assert page.read_text(encoding="utf-8") == good
    assert list(docs.made(write=False)) == []


@pytest.mark.slow
def test_a_sentence_with_another_figure_is_found(docs: Any, copied: Path) -> None:
    page = copied / "README.md"
    text = page.read_text(encoding="utf-8")
    changed = re.sub(r"\d+( to\s+\d+ % of the contradictions)", r"12\1", text)
    assert changed != text
    page.write_text(changed, encoding="utf-8")
    [found] = docs.untrue_texts()
    assert found.startswith("README.md does not say: It stops repeating the verb in ")


@pytest.mark.slow
def test_a_picture_of_other_words_is_stale(
    docs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = tmp_path / "page.txt"
    words.write_text("smollm2\npasses both tests\n", encoding="utf-8")
    monkeypatch.setattr(docs, "words_of", lambda picture: words)
    assert list(docs.taken(write=False)) == ["stale: docs/page.png"]
    monkeypatch.setattr(docs.shutil, "which", lambda name: None)
    [said] = docs.taken(write=True)
    assert "Chromium is not installed" in said and "passes" in words.read_text(encoding="utf-8")


def test_what_the_first_screen_shows_is_kept(docs: Any) -> None:
    from naysay.reports.page import page
    from naysay.reports.sections import Prose, Section

    def kept(title: str = "Title", lead: str = "Lead", next_one: str = "Other") -> str:
        sections = [Section("At a glance", (Prose(("Words.",)),), "glance"), Section(next_one)]
        return str(docs.glance(page(title, sections, lead=lead)))

    before = kept()
    assert {"Title", "Lead", "Other", "Words."} <= set(before.splitlines())
    assert before not in (kept(title="New"), kept(lead="New"), kept(next_one="New"))
    made = page("Title", [Section("At a glance", (), "glance")])
    restyled = made.replace("<style>", "<style>.model { padding: 1px }", 1)
    assert docs.glance(made) != docs.glance(restyled)


def test_every_table_is_in_a_page_and_every_marker_is_closed(docs: Any) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in docs.pages())
    made = re.findall(r"<!-- made: (.+?) -->", text)
    measured = [name for name in made if name.startswith("bench")]  # on another machine, perhaps
    assert sorted({*made} - {*measured}) == sorted(docs.WANTED["table"])
    assert measured and all(map(docs.measured, measured))
    assert len(made) == len({*made})
    assert text.count("<!-- made: ") == text.count("<!-- end -->")


def test_the_stored_runs_are_those_that_the_pages_name(docs: Any) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in docs.pages())
    for name, command in docs.WANTED["run"].items():
        assert command in text, command
        if docs.is_stored(name):
            assert set(command.split()) <= set(docs.result(name).spec.command().split())


def test_all_rows_are_stored(docs: Any) -> None:
    assert [name for name in docs.WANTED["run"] if not docs.is_stored(name)] == []
