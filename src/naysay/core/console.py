"""Progress output of a running command: plain lines, a progress bar, or nothing."""

from __future__ import annotations

import sys
import time
from typing import Any, Protocol, TextIO


def notify(text: str) -> None:
    """Print a message to standard error; standard output is reserved for results."""
    print(text, file=sys.stderr, flush=True)


_SILENCE = 30.0  # seconds without output before a line is written anyway


class Progress(Protocol):
    """Receives the progress of a run."""

    def start(self, title: str, units: int, done: int) -> None:
        """Start a suite of `units` units, `done` of which are already on disk."""

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

    def start(self, title: str, units: int, done: int) -> None:
        """Do nothing."""

    def asked(self, questions: int) -> None:
        """Do nothing."""

    def advanced(self, units: int) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""


class Lines:
    """Prints plain lines, for logs: one per shard, and one after every long silence."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._title, self._units, self._done, self._resumed = "", 0, 0, 0
        self._questions, self._begun, self._spoken = 0, 0.0, 0.0

    def start(self, title: str, units: int, done: int) -> None:
        """Print the size of the suite and how much of it is already done."""
        self._title, self._units, self._done, self._resumed = title, units, done, done
        self._questions, self._begun = 0, time.monotonic()
        self._spoken = self._begun
        kept = f", {done:,} already done" if done else ""
        self.note(f"{title}: {units:,} units{kept}")

    def asked(self, questions: int) -> None:
        """Count the questions, and print a line after a long silence."""
        self._questions += questions
        if time.monotonic() - self._spoken > _SILENCE:
            self._say()

    def advanced(self, units: int) -> None:
        """Print the progress."""
        self._done += units
        self._say()

    def _say(self) -> None:
        self._spoken = time.monotonic()
        seconds = max(self._spoken - self._begun, 1e-9)
        fresh = self._done - self._resumed
        left = seconds / fresh * (self._units - self._done) if fresh else None
        self.note(
            f"{self._title}: {self._done:,} of {self._units:,} units, {self._questions:,} "
            f"questions, {self._questions / seconds:,.0f}/s"
            + (f", about {spoken_time(left)} left" if left else "")
        )

    def note(self, text: str) -> None:
        """Print the line."""
        print(text, file=self._stream, flush=True)

    def stop(self) -> None:
        """Do nothing; no resource is open."""


class Bar:
    """Shows a progress bar with rate and time left, for terminals."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[detail]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        self._task: Any = None
        self._questions, self._begun, self._resumed = 0, 0.0, 0

    def start(self, title: str, units: int, done: int) -> None:
        """Open a bar for the suite."""
        self._bar.start()
        self._questions, self._begun, self._resumed = 0, time.monotonic(), done
        self._task = self._bar.add_task(title, total=units, completed=done, detail="")

    def asked(self, questions: int) -> None:
        """Update the rate, and the time left once a shard is done."""
        self._questions += questions
        self._show()

    def advanced(self, units: int) -> None:
        """Move the bar."""
        self._bar.advance(self._task, units)
        self._show()

    def _show(self) -> None:
        task = self._bar.tasks[self._task]
        seconds = max(time.monotonic() - self._begun, 1e-9)
        fresh = task.completed - self._resumed
        left = seconds / fresh * ((task.total or 0) - task.completed) if fresh else None
        tail = f", about {spoken_time(left)} left" if left else ""
        detail = f"{self._questions:,} questions, {self._questions / seconds:,.0f}/s{tail}"
        self._bar.update(self._task, detail=detail)

    def note(self, text: str) -> None:
        """Print the text above the bar."""
        self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def stop(self) -> None:
        """Stop updating the bar and leave it on screen."""
        self._bar.stop()


def suited_progress() -> Progress:
    """Return a bar on a terminal or in a notebook, and plain lines elsewhere."""
    return Bar() if in_notebook() or sys.stderr.isatty() else Lines(sys.stderr)


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
