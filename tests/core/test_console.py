"""Where progress is shown: on terminals, in notebooks, and as lines elsewhere."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from naysay.core import console
from naysay.core.console import Bar, Lines, Tally, counted, fitted, in_notebook, suited_progress


def kernel(name: str) -> object:
    return type(name, (), {})()


@pytest.mark.parametrize(
    ("shell", "shown"),
    [("ZMQInteractiveShell", True), ("TerminalInteractiveShell", False), (None, False)],
)
def test_a_notebook_gets_a_bar(
    monkeypatch: pytest.MonkeyPatch, shell: str | None, shown: bool
) -> None:
    found = None if shell is None else kernel(shell)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: found))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    assert in_notebook() == shown
    assert isinstance(suited_progress(), Bar if shown else Lines)


def test_without_ipython_there_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not in_notebook()


class Clock:
    """A clock that is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("naysay.core.console.time.monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_questions_are_estimated_then_measured(clock: Clock) -> None:
    tally = Tally(100, 0, 20)
    assert (tally.total, tally.share) == (2000, 0)
    clock.now += 10
    tally.ask(100)
    assert (tally.total, tally.share, tally.rate) == (2000, 0.05, 10)
    assert str(tally) == "100 of ~2,000, 10/s, 3 min 10 s left"
    tally.ask(200)
    tally.advance(25)
    assert (tally.total, tally.share) == (1200, 0.25)  # 12 for each unit
    tally.ask(1500)  # more than expected: there are still units to come
    assert tally.total == 1801 and tally.share < 1
    tally.advance(75)
    assert (tally.total, tally.share) == (1800, 1) and str(tally) == "1,800 questions, 180/s"


def test_a_resumed_suite_begins_where_it_was() -> None:
    tally = Tally(100, 50, 20)
    assert (tally.total, tally.share) == (1000, 0.5)
    done = Tally(100, 100, None)
    assert done.share == 1 and str(done) == "already done"


def test_lines_estimate_before_the_first_shard(clock: Clock) -> None:
    stream = io.StringIO()
    lines = Lines(stream)
    lines.start("scnt", 50, 0, 200)
    clock.now += 1
    lines.asked(100)
    assert stream.getvalue() == "scnt: 50 units, about 10,000 questions\n"
    clock.now += 3
    lines.asked(300)
    estimate = "scnt: 0 of 50 units, 400 of ~10,000, 100/s, 1 min 36 s left"
    assert stream.getvalue().splitlines()[1:] == [estimate]
    lines.asked(100)
    assert len(stream.getvalue().splitlines()) == 2
    clock.now += 31
    lines.asked(100)
    assert len(stream.getvalue().splitlines()) == 3


def test_one_unit_is_not_units() -> None:
    stream = io.StringIO()
    lines = Lines(stream)
    lines.start("scnt", 1, 0, 200)
    lines.asked(1)
    lines.advanced(1)
    first, last = stream.getvalue().splitlines()
    assert first == "scnt: 1 unit, about 200 questions"
    assert last.startswith("scnt: 1 of 1 unit, 1 question, ")


def test_other_work_is_counted_if_it_takes_long(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(seconds: float, lines: bool = True) -> str:
        for _ in counted(range(4), "judging runs", lines=lines):
            clock.now += seconds
        return capsys.readouterr().err

    assert work(0.1) == work(9, lines=False) == ""
    assert work(3) == "judging runs: 2 of 4\n"


def test_other_work_has_a_bar_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "has_bars", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert list(counted("abc", "drawing charts")) == ["a", "b", "c"]
    drawn = capsys.readouterr().err
    assert "drawing charts" in drawn
    assert drawn.endswith("\x1b[1A\x1b[2K")  # its line is erased when the work is done


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_lines_are_broken_between_words_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "naysay: unknown run known-blind-0123456789 in runs\nsecond line"
    assert fitted(text, io.StringIO()) == text
    broken = fitted(text, _Terminal())
    assert broken.split() == text.split()
    assert broken.splitlines()[1] == "known-blind-0123456789"
    assert broken.splitlines()[-1] == "second line"
