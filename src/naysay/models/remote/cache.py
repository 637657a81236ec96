"""Answers of servers on disk, so that no question is paid for twice.

There is one file for each server and model, named by their digest. An answer is written as soon as
it arrives, whatever becomes of its shard. The file holds answers by the hash of their question,
and never a key.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

from naysay.core.console import notify
from naysay.core.paths import cache_folder
from naysay.models.remote.client import Reply

_AT_ONCE = 500  # keys per query; SQLite limits the number of parameters


class AnswerCache:
    """The answers of one server, shared by all threads of this process and by other processes."""

    def __init__(self, digest: str) -> None:
        self.path = cache_folder() / "answers" / f"{digest[:32]}.sqlite"
        self._lock = threading.Lock()
        self._connection = self._open()

    def _open(self) -> sqlite3.Connection | None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                return _connected(self.path)
            except sqlite3.DatabaseError:
                aside = self.path.with_suffix(".damaged")
                self.path.replace(aside)
                notify(f"{self.path} is corrupt: moved to {aside.name}, and begun anew")
                return _connected(self.path)
        except (OSError, sqlite3.Error) as error:
            notify(f"answers cannot be kept in {self.path} ({error}): a lost shard is asked again")
            return None

    def find(self, keys: Sequence[str]) -> dict[str, Reply]:
        """Return the answers that are known, by key."""
        found: dict[str, Reply] = {}
        if self._connection is None:
            return found
        with self._lock:
            for start in range(0, len(keys), _AT_ONCE):
                part = keys[start : start + _AT_ONCE]
                marks = ",".join("?" * len(part))
                rows = self._connection.execute(
                    f"SELECT question, answer FROM answers WHERE question IN ({marks})", part
                )
                found.update((key, json.loads(answer)) for key, answer in rows)
        return found

    def keep(self, key: str, reply: Reply) -> None:
        """Write an answer; it is on disk when this returns."""
        if self._connection is None:
            return
        text = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            try:
                with self._connection:
                    self._connection.execute(
                        "INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, text)
                    )
            except sqlite3.Error as error:
                notify(f"answers can no longer be kept in {self.path} ({error})")
                self._connection = None

    def close(self) -> None:
        """Close the file."""
        with self._lock, contextlib.suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.close()
            self._connection = None


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")  # survives a crash of the process
        connection.execute(
            "CREATE TABLE IF NOT EXISTS answers (question TEXT PRIMARY KEY, answer TEXT NOT NULL)"
        )
    except sqlite3.Error:
        connection.close()
        raise
    return connection
