"""Progress output of a running command: plain lines, a progress bar, or nothing."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import textwrap
import time
import unicodedata
from collections.abc import Collection, Iterator
from typing import Any, Protocol, TextIO, TypeVar, cast

from naysay.core.numbers import amount


def notify(text: str) -> None:
    """Print a message to standard error; standard output is reserved for results."""
    print(fitted(visible(text), sys.stderr), file=sys.stderr, flush=True)


def fitted(text: str, stream: TextIO) -> str:
    """Return the text with lines broken between words on a terminal; a log gets them whole."""
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    lines = (
        textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]
        for line in text.split("\n")
    )
    return "\n".join(part for line in lines for part in line)


def visible(text: str) -> str:
    """Return the text with signs that steer a terminal written out, except ends of lines.

    The names of models, runs and files come from others, and so does what models answer.

    >>> visible("a\\x1b[2Jb"), visible("one\\ntwo")
    ('a\\\\x1b[2Jb', 'one\\ntwo')
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign == "\n" or not _steers(sign) else _written_out(sign)
        for sign in text
    )


def _steers(sign: str) -> bool:
    """Whether a sign is a control character, or sets the direction of text."""
    return unicodedata.category(sign) in ("Cc", "Cf") and sign not in "\t\u200c\u200d"


def _written_out(sign: str) -> str:
    """A sign as its number; after the first ones in a way that leaves JSON what it says."""
    if sign < " ":
        return f"\\x{ord(sign):02x}"
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[k : k + 2].hex()}" for k in range(0, len(units), 2))


_FILLED_UP = re.compile(r" +(?=\n)")


class PlainStream:
    """Standard output or error, on which nobody's text steers the terminal.

    All that a command prints passes through here. What rich writes does not: its own signs are
    meant, and the texts in it are made visible before it gets them.
    """

    def __init__(self, stream: TextIO, *kept: str) -> None:
        """Write to the stream; `kept` are signs that stay, such as those of progress bars."""
        self.rich_proxied_file = stream  # the name by which rich finds the stream itself
        self._kept = re.compile(f"({'|'.join(map(re.escape, kept))})") if kept else None

    def write(self, text: str) -> int:
        """Write the text, with signs that steer a terminal written out."""
        parts = self._kept.split(text) if self._kept else [text]
        # What was split at is at every second place.
        plain = (part if k % 2 else visible(part) for k, part in enumerate(parts))
        self.rich_proxied_file.write("".join(plain))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


class TrimmedStream:
    """A stream without the spaces with which rich fills up the lines of its tables."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text without spaces at the ends of its lines."""
        self._stream.write(_FILLED_UP.sub("", text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def plain_streams() -> Iterator[None]:
    """Let nothing that is printed steer the terminal; bars may go back to their line's start."""
    trimmed = cast(TextIO, TrimmedStream(sys.stdout))
    out, err = PlainStream(trimmed), PlainStream(sys.stderr, "\r", "\x1b[K", "\x1b[A")
    with (
        contextlib.redirect_stdout(cast(TextIO, out)),
        contextlib.redirect_stderr(cast(TextIO, err)),
    ):
        yield


_SILENCE = 30.0  # seconds without output before a line is written anyway
_FIRST = 3.0  # seconds after which the first estimate is written
_PATIENCE = 5.0  # seconds of other work before a line is written
_UNKNOWN = 100.0  # questions per unit of a suite that does not say how many it asks


class Progress(Protocol):
    """Receives the progress of a run."""

    def start(self, title: str, units: int, done: int, per_unit: float | None = None) -> None:
        """Start a suite of `units` units, `done` of which are already on disk.

        `per_unit` is how many questions a unit usually takes, if that is known.
        """

    def asked(self, questions: int) -> None:
        """Report that more questions were answered."""

    def advanced(self, units: int) -> None:
        """Report that more units are on disk."""

    def note(self, text: str) -> None:
        """Show a message to the user."""

    def stop(self) -> None:
        """End the run, finished or not."""


class Silent:
    """Discards all progress."""

    def start(self, title: str, units: int, done: int, per_unit: float | None = None) -> None:
        """Do nothing."""

    def asked(self, questions: int) -> None:
        """Do nothing."""

    def advanced(self, units: int) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""


class Tally:
    """Counts the questions of a suite, and estimates how many there will be.

    At first a unit is expected to take as many as is typical; then as many as those that are done.
    """

    def __init__(self, units: int, done: int, per_unit: float | None) -> None:
        self.units, self.done = units, done
        self.asked = 0
        self._typical, self._resumed = per_unit or _UNKNOWN, done
        self._whole = 0  # questions of finished shards
        self._begun = time.monotonic()

    def ask(self, questions: int) -> None:
        """Count questions."""
        self.asked += questions

    def advance(self, units: int) -> None:
        """Count units that are done, and with them all questions so far."""
        self.done += units
        self._whole = self.asked

    @property
    def total(self) -> int:
        """How many questions are expected in this session; more than asked until all is done."""
        fresh = self.done - self._resumed
        mean = self._whole / fresh if fresh else self._typical
        expected = self._whole + mean * (self.units - self.done)
        return max(round(expected), self.asked + (self.done < self.units))

    @property
    def share(self) -> float:
        """The part of the suite's questions that is asked, with those of earlier sessions."""
        earlier = self._resumed * self._typical
        whole = earlier + self.total
        return (earlier + self.asked) / whole if whole else 1.0

    @property
    def rate(self) -> float:
        """Questions per second."""
        return self.asked / max(time.monotonic() - self._begun, 1e-9)

    def __str__(self) -> str:
        if self.done == self.units:
            asked = amount(self.asked, "questions")
            return f"{asked}, {self.rate:,.0f}/s" if self.asked else "already done"
        left = (self.total - self.asked) / self.rate if self.asked else 0
        tail = f", {spoken_time(left)} left" if left >= 1 else ""
        return f"{self.asked:,} of ~{self.total:,}, {self.rate:,.0f}/s{tail}"


class Lines:
    """Prints plain lines, for logs: one per shard, and one after every long silence.

    Before the first shard is done, it prints an estimate of the time as soon as there is one.
    """

    def __init__(self, stream: TextIO, run: str = "") -> None:
        """Print to the stream; `run` is before each line, where several runs share it."""
        self._stream, self._run = stream, run
        self._title, self._tally = "", Tally(0, 0, None)
        self._due = 0.0

    def start(self, title: str, units: int, done: int, per_unit: float | None = None) -> None:
        """Print the size of the suite and how much of it is already done."""
        self._title, self._tally = title, Tally(units, done, per_unit)
        self._due = time.monotonic() + _FIRST
        kept = f", {done:,} already done" if done else ""
        about = (
            f", about {amount(self._tally.total, 'questions')}" if per_unit and done < units else ""
        )
        self.note(f"{title}: {amount(units, 'units')}{kept}{about}")

    def asked(self, questions: int) -> None:
        """Count the questions, and print a line at first and after a long silence."""
        self._tally.ask(questions)
        if time.monotonic() >= self._due:
            self._say()

    def advanced(self, units: int) -> None:
        """Print the progress."""
        self._tally.advance(units)
        self._say()

    def _say(self) -> None:
        self._due = time.monotonic() + _SILENCE
        tally = self._tally
        self.note(f"{self._title}: {tally.done:,} of {amount(tally.units, 'units')}, {tally}")

    def note(self, text: str) -> None:
        """Print the line."""
        print(visible(self._run + text), file=self._stream, flush=True)

    def stop(self) -> None:
        """Do nothing; no resource is open."""


class Bar:
    """Shows a progress bar that moves with the questions, for terminals; it fits 80 columns."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=12),
            TaskProgressColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            console=_bar_console(),
        )
        self._task: Any = None
        self._tally = Tally(0, 0, None)

    def start(self, title: str, units: int, done: int, per_unit: float | None = None) -> None:
        """Open a bar for the suite."""
        self._bar.start()
        self._tally = Tally(units, done, per_unit)
        self._task = self._bar.add_task(visible(title), total=1.0, detail="")
        self._show()

    def asked(self, questions: int) -> None:
        """Move the bar."""
        self._tally.ask(questions)
        self._show()

    def advanced(self, units: int) -> None:
        """Correct the estimate by what the finished units took."""
        self._tally.advance(units)
        self._show()

    def _show(self) -> None:
        self._bar.update(self._task, completed=self._tally.share, detail=str(self._tally))

    def note(self, text: str) -> None:
        """Print the text above the bar."""
        self._bar.console.print(visible(text), markup=False, highlight=False, soft_wrap=True)

    def stop(self) -> None:
        """Stop updating the bar and leave it on screen."""
        self._bar.stop()


def _bar_console() -> Any:
    """A console of rich on standard error itself.

    While a bar is shown, rich puts a stream of its own before standard error, and would find the
    `PlainStream` behind it, which writes out the signs that draw the bar.
    """
    from rich.console import Console

    return Console(file=getattr(sys.stderr, "rich_proxied_file", sys.stderr), stderr=True)


T = TypeVar("T")


def counted(items: Collection[T], doing: str, *, lines: bool = True) -> Iterator[T]:
    """Yield the items, and show how many are done: on a bar, or in lines if it takes long.

    Without `lines`, nothing is shown where there is no terminal and no notebook.
    """
    if has_bars():
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=24))
        more = (MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, *more, console=_bar_console(), transient=True) as bar:
            yield from bar.track(items, description=doing)
        return
    spoken = time.monotonic()
    for number, item in enumerate(items, 1):
        yield item
        if lines and number < len(items) and time.monotonic() - spoken > _PATIENCE:
            spoken = time.monotonic()
            notify(f"{doing}: {number:,} of {len(items):,}")


def suited_progress() -> Progress:
    """Return a bar on a terminal or in a notebook, and plain lines elsewhere."""
    return Bar() if has_bars() else Lines(sys.stderr)


def has_bars() -> bool:
    """Return whether a bar can be shown: on a terminal or in a notebook."""
    return in_notebook() or sys.stderr.isatty()


def in_notebook() -> bool:
    """Return whether this is a notebook: standard error is not a terminal there, but bars work."""
    shell = sys.modules.get("IPython")
    kernel = shell.get_ipython() if shell is not None else None
    return type(kernel).__name__ == "ZMQInteractiveShell"


def spoken_time(seconds: float) -> str:
    """Format a duration.

    >>> spoken_time(75), spoken_time(4000)
    ('1 min 15 s', '1 h 06 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
