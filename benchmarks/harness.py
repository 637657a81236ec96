"""Cost of everything but the model: questions per second, memory, selection, start-up.

A rule-based model answers instantly, so the remaining time is naysay's own: creating the sentences,
storing the rows, writing Parquet, judging and measuring.

    python benchmarks/harness.py [--pairs 300]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from naysay.run.evaluation import Evaluation, evaluate
from naysay.suites.scnt.selection import TESTS

MODEL = "known:random:0.22"  # repeats about as many verbs as bert-base-cased
SUITE = "scnt"
FEW, MANY = 1_000, 100_000  # triplets of name, profession and verb
STARTS = 5


def timed_run(
    pairs: int, out: Path, *, exhaustive: bool = False, seed: int = 0
) -> tuple[Evaluation, float]:
    """Return a new run in `out`, and its seconds from the call to the figures."""
    begun = time.perf_counter()
    done = evaluate(MODEL, SUITE, limit=pairs, exhaustive=exhaustive, seed=seed, out=out)
    return done, time.perf_counter() - begun


def figures(done: Evaluation, table: str) -> dict[str, float | None]:
    """Return the values of one table of the suite, by condition and metric."""
    return {f"{e.condition} {e.metric}": e.value for e in done if e.table == table}


def tested(done: Evaluation) -> int:
    """Return how many questions the selection asked, including unneeded ones."""
    selected = next(int(e.value or 0) for e in done if e.metric == "selected")
    return done.manifest.counts["questions"] - len(TESTS) * selected


def verbs_of(done: Evaluation) -> int:
    """Return the number of verbs."""
    return next(int(e.value or 0) for e in done if e.metric == "verbs")


def peak_megabytes() -> float | None:
    """Return the peak memory of this process; None if the system does not report it.

    `ru_maxrss` is more portable, but on Linux it includes the parent's memory.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def in_fresh_process(pairs: int) -> dict[str, object]:
    """Measure an exhaustive run in a separate process."""
    command = [sys.executable, __file__, "--alone", str(pairs)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    report: dict[str, object] = json.loads(done.stdout)
    return report


def alone(pairs: int) -> None:
    """Run in the separate process, and report on standard output."""
    with tempfile.TemporaryDirectory() as folder:
        done, seconds = timed_run(pairs, Path(folder), exhaustive=True)
    report = {
        "megabytes": peak_megabytes(),
        "seconds": seconds,
        "tested": tested(done),
        "drops": figures(done, "drops"),
    }
    print(json.dumps(report))


def start_up(*arguments: str) -> float:
    """Return the median time of a new Python process, in milliseconds."""
    times = []
    for _ in range(STARTS):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - begun)
    return 1000 * statistics.median(times)


def show(what: str, value: str) -> None:
    """Print one line of the table."""
    print(f"{what:<52} {value:>14}", flush=True)


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=300, help="pairs of the timed run")
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        alone(options.alone)
        return

    with tempfile.TemporaryDirectory() as folder:
        warm, _ = timed_run(5, Path(folder))
        # Each seed is a new run; the best of three is the least disturbed one.
        runs = [timed_run(options.pairs, Path(folder), seed=seed) for seed in (1, 2, 3)]
    verbs = verbs_of(warm)
    counts = runs[0][0].manifest.counts
    rates = [done.manifest.counts["questions"] / seconds for done, seconds in runs]
    show("pairs", f"{counts['units']:,}")
    show("questions", f"{counts['questions']:,}")
    show("questions per second, Parquet and figures included", f"{max(rates):,.0f}")

    pairs = {size: max(1, round(size / verbs)) for size in (FEW, MANY)}
    fresh = {size: in_fresh_process(pairs[size]) for size in (FEW, MANY)}
    for size in (FEW, MANY):
        memory = fresh[size]["megabytes"]
        shown = f"{memory:,.0f} MB" if isinstance(memory, float) else "unknown"
        show(f"peak memory, {pairs[size] * verbs:,} triplets, exhaustive", shown)

    with tempfile.TemporaryDirectory() as folder:
        lazy, _ = timed_run(pairs[MANY], Path(folder))
    every = fresh[MANY]["tested"]
    assert isinstance(every, int)
    show(f"selection questions, {pairs[MANY]} pairs, exhaustive", f"{every:,}")
    show(f"selection questions, {pairs[MANY]} pairs, lazy", f"{tested(lazy):,}")
    show("share of the questions that lazy selection asks", f"{100 * tested(lazy) / every:.1f} %")
    same = figures(lazy, "drops") == fresh[MANY]["drops"]
    show("both have the same drops", "yes" if same else "NO")

    show(
        f"naysay --help, median of {STARTS} starts",
        f"{start_up('-c', 'from naysay.cli import main; main()', '--help'):,.0f} ms",
    )
    show("  of which Python itself", f"{start_up('-c', ''):,.0f} ms")


if __name__ == "__main__":
    main()
