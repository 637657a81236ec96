"""The findings of all runs: judged in the background, one run at a time, and remembered.

Judging a run takes from a fraction of a second to a few seconds, so a page shows what is known and
fills up. Findings are kept in the user's cache under a key of all that they depend on.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from naysay.core import VERSION
from naysay.core.errors import NaysayError
from naysay.core.keys import content_key
from naysay.core.paths import cache_folder, write_bytes
from naysay.core.records import Finding
from naysay.run.evaluation import Evaluation, judge
from naysay.run.manifest import NAME, Manifest
from naysay.suites import SUITES
from naysay.view.folder import SeenRun, leads_out

_FORMAT = 1  # of the cached files


@dataclass(frozen=True)
class Judged:
    """What is known of a run: its findings, why they cannot be had, or neither as yet."""

    evaluation: Evaluation | None = None
    problem: str = ""

    @property
    def pending(self) -> bool:
        """Whether the run is yet to be judged."""
        return self.evaluation is None and not self.problem


PENDING = Judged()


class Verdicts:
    """Judges runs in a thread of its own, the last asked for first."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Judged] = {}
        self._waiting: dict[tuple[str, str], SeenRun] = {}
        self._change = threading.Condition()
        self._closed = False
        self.count = 0
        """How many runs have been judged, so that a page sees that there is more to show."""
        self._thread = threading.Thread(target=self._work, name="verdicts", daemon=True)
        self._thread.start()

    def of(self, runs: Iterable[SeenRun]) -> dict[str, Judged]:
        """Return what is known of these runs now, by their names in addresses."""
        found = {}
        with self._change:
            for run in runs:
                name = run.slug, run.stamp
                if run.manifest is None:
                    found[run.slug] = Judged(problem=run.broken)
                elif not run.finished:
                    found[run.slug] = Judged(problem=unfinished(run))
                elif (known := self._known.get(name)) is not None:
                    found[run.slug] = known
                else:
                    found[run.slug] = PENDING
                    self._waiting.setdefault(name, run)
            self._change.notify_all()
        return found

    def wait(self, run: SeenRun) -> Judged:
        """Judge a run now, in this thread, unless that was done."""
        if run.manifest is None or not run.finished:
            return self.of([run])[run.slug]
        name = run.slug, run.stamp
        with self._change:
            known = self._known.get(name)
        if known is None:
            known = judged(run)
            self._keep(name, known)
        return known

    def close(self) -> None:
        """End the thread, after the run that it judges."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._thread.join()

    def _keep(self, name: tuple[str, str], known: Judged) -> None:
        with self._change:
            # Of a run that has changed since, what was known is of no use.
            for older in [one for one in self._known if one[0] == name[0]]:
                del self._known[older]
            self._known[name] = known
            self._waiting.pop(name, None)
            self.count += 1

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._waiting and not self._closed:
                    self._change.wait()
                if self._closed:
                    return
                name, run = next(reversed(self._waiting.items()))
            self._keep(name, judged(run))


def unfinished(run: SeenRun) -> str:
    """Say how far a run is."""
    done, planned = run.progress
    return f"not finished: {done} of {planned or '?'} shards"


def judged(run: SeenRun) -> Judged:
    """Judge a finished run, or take its findings from the cache."""
    try:
        manifest = run.read()
        check_files(manifest)
        file = _cached(run, manifest)
        findings = _remembered(file)
        if findings is None:
            evaluation = judge(manifest)
            _remember(file, evaluation.findings)
            return Judged(evaluation)
        model = str(manifest.model["name"])
        return Judged(
            Evaluation(manifest.key, manifest.folder, model, findings, manifest, manifest.run_spec)
        )
    except NaysayError as error:
        return Judged(problem=str(error))
    except Exception as error:  # one run must not take the others with it
        return Judged(
            problem=f"{run.folder.name} cannot be judged: {type(error).__name__}: {error}"
        )


def check_files(manifest: Manifest) -> None:
    """Refuse a run one of whose files is a link out of its folder."""
    for file in (*manifest.shards, *manifest.files):
        if manifest.path(file).is_symlink() or manifest.path(file).parent.is_symlink():
            raise LinkedFileError(leads_out(manifest.folder, file) or f"{file} is a link")


class LinkedFileError(NaysayError):
    """A file of a run is a link, which is not followed."""


def _cached(run: SeenRun, manifest: Manifest) -> Path:
    """Where the findings are kept; another place if anything that they depend on changes."""
    content = (run.folder / NAME).read_bytes()
    files = [
        (file, state.st_size, state.st_mtime_ns)
        for file in (*manifest.shards, *manifest.files)
        for state in (manifest.path(file).stat(),)
    ]
    versions = {suite: SUITES.get(suite).version for suite in manifest.planned}
    key = content_key([_FORMAT, VERSION, hashlib.sha256(content).hexdigest(), files, versions], 32)
    return cache_folder() / "view" / f"{key}.json"


def _remembered(file: Path) -> tuple[Finding, ...] | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=tuple[Finding, ...])
    except (OSError, msgspec.MsgspecError):
        return None


def _remember(file: Path, findings: tuple[Finding, ...]) -> None:
    try:
        write_bytes(file, msgspec.json.encode(findings))
    except (NaysayError, TypeError, ValueError):
        return  # without a cache it is judged again next time
