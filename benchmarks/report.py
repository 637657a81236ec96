"""Time, memory and size of the report of ten runs with a million rows.

Creates the runs first, if necessary, with rule-based models: half a minute to two minutes.

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
"""The limits: seconds, megabytes of memory, and megabytes of the page."""


def make_runs(folder: Path) -> tuple[list[str], int]:
    """Create ten runs with different seeds; return their folders and number of rows."""
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
    # In a separate process, as a user would start it, to measure its own memory.
    command = [sys.executable, "-m", "naysay", "report", *runs, "-o", str(page)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    spent = time.perf_counter() - begun
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    computing = usage.ru_utime + usage.ru_stime
    megabytes, size = usage.ru_maxrss / 1024, page.stat().st_size / 1e6
    print(f"{len(runs)} runs, {rows:,} rows: {page}")
    print(f"time    {spent:6.1f} s  ({computing:.1f} s of CPU time; limit: {SECONDS:.0f})")
    print(f"memory  {megabytes:6.0f} MB (limit: {MEGABYTES:.0f})")
    print(f"page    {size:6.2f} MB (limit: {PAGE:.0f})")
    if spent > SECONDS or megabytes > MEGABYTES or size > PAGE:
        sys.exit("a limit is exceeded")


if __name__ == "__main__":
    main()
