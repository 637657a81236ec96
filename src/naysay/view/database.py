"""The connection to the rows of all runs; what takes long is done in its background threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from naysay.suites import SUITES
from naysay.view.folder import SeenRun, UnknownRunError
from naysay.view.outcomes import Outcomes
from naysay.view.rows import Filters, RowTable

_KEPT = 8  # suites whose values and outcomes are remembered
_MEMORY = "400MB"


class Database:
    """A connection that reads the folder of runs and nothing else."""

    def __init__(self, folder: Path) -> None:
        import duckdb

        self._connection = duckdb.connect(":memory:", config={"memory_limit": _MEMORY})
        # A row's text cannot make it read other files, nor load code, nor write.
        for statement in (
            f"SET allowed_directories = ['{str(folder).replace(chr(39), 2 * chr(39))}']",
            "SET enable_external_access = false",
            "SET autoinstall_known_extensions = false",
            "SET lock_configuration = true",
        ):
            self._connection.execute(statement)
        self._tables: OrderedDict[tuple[str, str, str], RowTable] = OrderedDict()
        self._judging = ThreadPoolExecutor(1, "outcomes")
        self._counting = ThreadPoolExecutor(1, "counts")
        self._count: Future[Any] | None = None
        self._lock = threading.Lock()

    def table(self, run: SeenRun, suite: str) -> RowTable:
        """Return the rows of one of the run's suites."""
        manifest = run.read()
        if suite not in manifest.planned:
            raise UnknownRunError(f"{run.folder.name} has no suite {suite!r}")
        name = run.slug, run.stamp, suite
        with self._lock:
            found = self._tables.pop(name, None)
            if found is None:
                found = RowTable(self._connection, manifest, SUITES.get(suite))
            self._tables[name] = found
            while len(self._tables) > _KEPT:
                self._tables.popitem(last=False)
        return found

    def judge(self, table: RowTable) -> None:
        """Have the rows of a finished run judged in the background, unless that was begun."""
        with self._lock:
            if table.judging is None and table.manifest.finished is not None:
                table.judging = self._judging.submit(Outcomes.of, table.manifest, table.suite)

    def count(self, table: RowTable, filters: Filters) -> None:
        """Have what a page left out counted in the background, in place of what still waits."""
        with self._lock:
            if self._count is not None:
                self._count.cancel()
            self._count = self._counting.submit(table.count_all, filters)

    def close(self) -> None:
        """Close the connection, after the run that is being judged."""
        self._judging.shutdown(cancel_futures=True)
        self._counting.shutdown(cancel_futures=True)
        self._connection.close()
