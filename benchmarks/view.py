"""The view over a run of a million rows, and over a folder of 500 runs.

Makes both from a small run of a rule-based model, starts no browser, and asks a real server.
Times of pages are held against a bare DuckDB query for the same rows, in the same process.

    python benchmarks/view.py [FOLDER]
"""

from __future__ import annotations

import hashlib
import json
import resource
import shutil
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from naysay import evaluate
from naysay.core.protocols import Table
from naysay.run.store import parquet_of, read_rows
from naysay.view.folder import RunFolder
from naysay.view.server import listening, make_server
from naysay.view.site import Site
from naysay.view.trial import Trial

ROWS, SHARDS, RUNS = 1_000_000, 25, 500
SECONDS, HOME, RATIO, MEGABYTES = 1.0, 2.0, 5.0, 1000.0
"""The limits: seconds of a page, of the leaderboard, times a bare query, and memory."""
SUITE = "scnt"
FILTERS = {
    "first page": ("", "TRUE"),
    "last page": ("page=99999999", "TRUE"),
    "verb": ("is.verb=run", "verb = 'run'"),
    "condition and verb": (
        "is.condition=CpTn&is.verb=sing",
        "condition = 'CpTn' AND verb = 'sing'",
    ),
    "profession": ("is.profession=a+surgeon", "profession = 'a surgeon'"),
    "text": ("q=happy+to", "contains(lower(text), 'happy to')"),
    "text that no row has": ("q=zebra+crossing", "contains(lower(text), 'zebra crossing')"),
    "wrong": ("verdict=wrong", "condition = 'CpTn' AND form = answer"),
}


def repeated(rows: Table, number: int) -> Table:
    """The rows as those of other names, so that no unit occurs twice."""
    plain = {n: rows[n].cast("string") if pa.types.is_dictionary(rows[n].type) else rows[n]
             for n in rows.column_names}  # fmt: skip
    for name, by, part in (("unit", "-", number), ("name", "", number % 40), ("text", " ", number)):
        plain[name] = pc.binary_join_element_wise(plain[name], str(part), by)
    return pa.table(plain)


def make_large_run(small: Path, folder: Path) -> Path:
    """A run of a million rows, of the first suite of a small one."""
    target = folder / "large"
    if target.exists():
        return target
    record = json.loads((small / "manifest.json").read_text())
    files = sorted(file for file in record["shards"] if file.startswith(f"{SUITE}/"))
    rows = pa.concat_tables([read_rows(small / file) for file in files])
    each = -(-ROWS // (SHARDS * len(rows)))
    shutil.copytree(small, target, ignore=shutil.ignore_patterns("*.parquet"))
    record["shards"], record["planned"] = {}, {SUITE: SHARDS}
    for shard in range(SHARDS):
        parts = pa.concat_tables([repeated(rows, shard * each + k) for k in range(each)])
        arrays = [c.combine_chunks().dictionary_encode() if pa.types.is_string(c.type) else c
                  for c in parts.columns]  # fmt: skip
        content = parquet_of(pa.table(arrays, names=parts.column_names))
        file = f"{SUITE}/{shard:05}.parquet"
        (target / file).write_bytes(content)
        sha256 = hashlib.sha256(content).hexdigest()
        record["shards"][file] = {
            "suite": SUITE, "sha256": sha256, "units": each, "rows": len(parts),
            "questions": len(parts), "seconds": 1.0,
        }  # fmt: skip
    (target / "manifest.json").write_text(json.dumps(record))
    return target


def make_many_runs(small: Path, folder: Path) -> Path:
    """A folder of 500 runs, each of a model of its own."""
    if folder.exists():
        return folder
    record = json.loads((small / "manifest.json").read_text())
    for number in range(RUNS):
        target = folder / f"run-{number:03}"
        shutil.copytree(small, target)
        record["model"]["name"] = f"model-{number}"
        record["key"] = hashlib.sha256(str(number).encode()).hexdigest()[:16]
        (target / "manifest.json").write_text(json.dumps(record))
    return folder


class Asked:
    """A server over a folder, and the time that its pages take."""

    def __init__(self, folder: Path) -> None:
        self.site, self._trial, self._place = Site(RunFolder(folder)), Trial(), listening()
        self._server = make_server(self.site, self._trial, self._place)
        run = {"target": self._server.run, "kwargs": {"sockets": [self._place]}}
        self._thread = threading.Thread(**run)  # type: ignore[arg-type]
        self._thread.start()

    def page(self, path: str) -> float:
        begun = time.perf_counter()
        host, port = self._place.getsockname()
        connection = HTTPConnection(host, port, timeout=600)
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()[-300:]
        answer.read()
        connection.close()
        return time.perf_counter() - begun

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._trial.close()
        self.site.close()


def bare(files: list[str], condition: str) -> float:
    """The time of the two queries that a page needs: how many rows, and the first of them."""
    connection = duckdb.connect()
    begun = time.perf_counter()
    source = "read_parquet(?)"
    connection.execute(f"SELECT count(*) FROM {source} WHERE {condition}", [files]).fetchall()
    connection.execute(f"SELECT * FROM {source} WHERE {condition} LIMIT 50", [files]).fetchall()
    return time.perf_counter() - begun


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="naysay-view-"))
    small = evaluate("known:random", SUITE, limit=40, out=folder / "small").folder
    large = make_large_run(small, folder / "one")
    tiny = evaluate("known:random", SUITE, limit=4, out=folder / "small").folder
    many = make_many_runs(tiny, folder / "many")
    failed: list[str] = []

    def say(what: str, seconds: float, limit: float, more: str = "") -> None:
        print(f"{what:28} {seconds:7.3f} s{more}", flush=True)
        if seconds > limit:
            failed.append(what)

    asked = Asked(large.parent)
    items = f"/items/{large.name}/{SUITE}"
    files = [str(path) for path in sorted((large / SUITE).glob("*.parquet"))]
    say("first page, cold", asked.page(items), SECONDS)
    table: Any = asked.site.database.table(asked.site.folder.find(large.name), SUITE)
    begun = time.perf_counter()
    table.judging.result()
    print(f"{'rows judged after':28} {time.perf_counter() - begun:7.3f} s, in the background")
    bare(files, "TRUE")
    for what, (query, condition) in FILTERS.items():
        spent = min(asked.page(f"{items}?{query}") for _ in range(3))
        least = min(bare(files, condition) for _ in range(3))
        say(what, spent, SECONDS, f"   {spent / least:5.1f} times a bare query ({least:.3f} s)")
        if spent > RATIO * least and spent > 0.1:
            failed.append(f"{what}: ratio")
    asked.close()
    asked = Asked(many)
    say(f"home, {RUNS} runs, not judged", asked.page("/"), HOME)
    for run in asked.site.folder.runs():
        asked.site.verdicts.wait(run)
    say(f"home, {RUNS} runs, judged", asked.page("/"), HOME)
    say("home again", asked.page("/"), HOME)
    asked.close()
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'memory at most':28} {megabytes:7.0f} MB")
    if megabytes > MEGABYTES:
        failed.append("memory")
    if failed:
        sys.exit(f"a limit is exceeded: {', '.join(failed)}")


if __name__ == "__main__":
    main()
