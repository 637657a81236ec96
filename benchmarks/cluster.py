"""Workers on a Ray cluster against one process: the same bytes, and how much sooner.

Runs are made in processes of their own, in turns, with one thread each.

    python benchmarks/cluster.py same [--model NAME]     all suites; 1, 2 and 4 workers
    python benchmarks/cluster.py speed [--model smollm2] [--suite scnt] [--limit 40] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from naysay.models.files.wheels import folder_of

RAY = ("--executor", "ray", "--workers")
TEMPLATES = ("-t", "scnt,scnt_controls,scnt_table2,gh22", "--limit", "4")
FACTS = ("-t", "lama,lama_misprimed", "--items", "facts", "--limit", "24")
ITEMS = ("--items", "antoneg", "--limit", "120")
SAME = {
    "known:random": (
        TEMPLATES, FACTS, ("-t", "scin", "--limit", "4"),
        ("-t", "semantoneg,semantoneg_likelihood,semantoneg_prompted", *ITEMS),
    ),
    "mini-aware": (TEMPLATES, FACTS),
    "minilm": (("-t", "semantoneg", *ITEMS),),
    "smollm2": (("-t", "scnt", "--limit", "2"), ("-t", "semantoneg_likelihood", *ITEMS)),
}  # fmt: skip
"""Models and suites, with at least two shards; the last two are asked if their weights are here."""
TIMED = """
import json, os, sys, time
import naysay, psutil
from naysay.core.console import Silent

def used():
    own = psutil.Process()
    workers = [p for p in own.children(recursive=True) if p.name().startswith("ray::Worker")]
    return {p.pid: sum(p.cpu_times()[:2]) for p in workers or [own]}

class Clock(Silent):
    def start(self, *given): self.begun, self.before = time.perf_counter(), used()
    def advanced(self, units): self.ended, self.after = time.perf_counter(), used()

if __name__ == "__main__":
    clock, begun = Clock(), time.perf_counter()
    model, suite, limit, workers, out = sys.argv[1:]
    place = {"executor": "ray", "workers": int(workers)} if int(workers) else {}
    run = naysay.evaluate(
        model, suite, limit=int(limit), shard_size=1, out=out, progress=clock, **place
    )
    print(json.dumps({
        "questions": run.manifest.counts["questions"],
        "whole": round(time.perf_counter() - begun, 1),
        "asking": round(clock.ended - clock.begun, 1),
        "busiest": round(max(s - clock.before.get(p, 0) for p, s in clock.after.items()), 1),
    }))
"""
"""Seconds: of the command, from the first question to the last row, and of processor time of the
process with most, which says on a busy machine how long it would be on an idle one."""


def child(*words: str) -> str:
    """What a process with one thread prints."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def shards(folder: Path) -> dict[str, bytes]:
    found = sorted(folder.glob("*/*/*.parquet"))
    return {str(file.relative_to(folder)): file.read_bytes() for file in found}


def same(chosen: str | None) -> None:
    for model, commands in SAME.items():
        if chosen not in (None, model):
            continue
        if model in ("minilm", "smollm2") and folder_of(model) is None:
            print(f"{model}: not here (naysay models get {model})")
            continue
        for words in commands:
            with tempfile.TemporaryDirectory() as folder:
                run = ("-m", "naysay", "run", "-m", model, *words, "--shard-size", "1")
                child(*run, "--runs", f"{folder}/0")
                wanted = shards(Path(folder) / "0")
                for workers in ("1", "2", "4"):
                    child(*run, "--runs", f"{folder}/{workers}", *RAY, workers)
                    found = shards(Path(folder) / workers)
                    differ = [name for name in wanted if found.get(name) != wanted[name]]
                    if differ or len(found) != len(wanted):
                        sys.exit(f"{model} {words}: {workers} workers differ in {differ}")
            print(f"{model} {words[1]}: {len(wanted)} shards, the same bytes 4 times", flush=True)


def speed(model: str, suite: str, limit: int, rounds: int, against: list[int]) -> None:
    times: dict[int, list[dict[str, float]]] = {workers: [] for workers in (0, *against)}
    for number in range(rounds):
        for workers in times:
            with tempfile.TemporaryDirectory() as out:
                told = child("-c", TIMED, model, suite, str(limit), str(workers), out)
            times[workers].append(json.loads(told))
            load = os.getloadavg()[0]
            print(
                f"round {number + 1}, {workers} workers: {told.strip()}, load {load:.1f}",
                flush=True,
            )
    for what in ("asking", "busiest", "whole"):
        middle = {k: statistics.median(one[what] for one in found) for k, found in times.items()}
        for workers, seconds in middle.items():
            ratios = [a[what] / b[what] for a, b in zip(times[0], times[workers], strict=True)]
            print(
                f"{what:7} {workers or 'no':>3} workers {seconds:8.1f} s  "
                f"{statistics.median(ratios):.2f} × (rounds: "
                f"{', '.join(f'{ratio:.2f}' for ratio in ratios)})"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("same", "speed"))
    parser.add_argument("--model")
    parser.add_argument("--suite", default="scnt")
    parser.add_argument("--limit", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    given = parser.parse_args()
    begun = time.perf_counter()
    if given.what == "same":
        same(given.model)
    else:
        speed(given.model or "smollm2", given.suite, given.limit, given.rounds, given.workers)
    print(f"{time.perf_counter() - begun:.0f} s")
