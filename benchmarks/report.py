"""How long the report of ten runs with a million rows takes, how much memory, and how large it is.

Makes the runs first, if they are not there, with known models: half a minute or two.

    python benchmarks/report.py [FOLDER]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from naysay import evaluate

RUNS, PAIRS, SUITES = 10, 485, ("scnt", "gh22")
SECONDS, MEGABYTES, PAGE = 30.0, 1000.0, 5.0
"""What is promised: at most so much time and memory, and a page of at most so many megabytes."""


def make_runs(folder: Path) -> tuple[list[str], int]:
    """Ten runs of different coins; returns their folders and how many rows they have."""
    evaluations = [
        evaluate(f"known:random:0.5:{seed}", SUITES, limit=PAIRS, out=folder)
        for seed in range(RUNS)
    ]
    rows = sum(evaluation.manifest.counts["rows"] for evaluation in evaluations)
    return [str(evaluation.folder) for evaluation in evaluations], rows


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="naysay-report-"))
    runs, rows = make_runs(folder)
    page = folder / "report.html"
    begun = time.perf_counter()
    # A process of its own, as a user would start it, so that its memory is its own.
    command = [sys.executable, "-m", "naysay", "report", *runs, "-o", str(page)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    spent = time.perf_counter() - begun
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    computing = usage.ru_utime + usage.ru_stime
    megabytes, size = usage.ru_maxrss / 1024, page.stat().st_size / 1e6
    print(f"{len(runs)} runs, {rows:,} rows: {page}")
    print(f"time    {spent:6.1f} s  ({computing:.1f} s of computing; promised: {SECONDS:.0f})")
    print(f"memory  {megabytes:6.0f} MB (promised: {MEGABYTES:.0f})")
    print(f"page    {size:6.2f} MB (promised: {PAGE:.0f})")
    if spent > SECONDS or megabytes > MEGABYTES or size > PAGE:
        sys.exit("a promise is broken")


if __name__ == "__main__":
    main()
