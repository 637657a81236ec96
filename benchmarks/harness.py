"""What everything but the model costs: questions per second, memory, selection, start-up.

A model by rule answers at once, so the time that is left is naysay's own: making the sentences,
keeping the rows, writing Parquet, judging and measuring.

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

MODEL = "known:random:0.22"  # repeats about as many verbs as bert-base-cased does
SUITE = "scnt"
FEW, MANY = 1_000, 100_000  # triplets of name, profession and verb
STARTS = 5


def timed_run(
    pairs: int, out: Path, *, exhaustive: bool = False, seed: int = 0
) -> tuple[Evaluation, float]:
    """A run made from nothing in `out`, and its seconds from the call to the written report."""
    begun = time.perf_counter()
    done = evaluate(MODEL, SUITE, limit=pairs, exhaustive=exhaustive, seed=seed, out=out)
    return done, time.perf_counter() - begun


def figures(done: Evaluation, table: str) -> dict[str, float | None]:
    """The values of one table of the suite, by condition and metric."""
    return {f"{e.condition} {e.metric}": e.value for e in done if e.table == table}


def tested(done: Evaluation) -> int:
    """How many questions the selection asked, with those whose answers were not needed."""
    selected = next(int(e.value or 0) for e in done if e.metric == "selected")
    return done.manifest.counts["questions"] - len(TESTS) * selected


def verbs_of(done: Evaluation) -> int:
    """How many verbs there are to ask."""
    return next(int(e.value or 0) for e in done if e.metric == "verbs")


def peak_megabytes() -> float | None:
    """The most memory this process has held so far; None where the system does not tell.

    `ru_maxrss` would do on more systems, but on Linux it counts what the parent held.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def in_fresh_process(pairs: int) -> dict[str, object]:
    """What an exhaustive run of so many pairs needs, measured in a process of its own."""
    command = [sys.executable, __file__, "--alone", str(pairs)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    report: dict[str, object] = json.loads(done.stdout)
    return report


def alone(pairs: int) -> None:
    """The fresh process: run, and report on standard output."""
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
    """The median time of a fresh Python process, in milliseconds."""
    times = []
    for _ in range(STARTS):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - begun)
    return 1000 * statistics.median(times)


def show(what: str, value: str) -> None:
    """One line of the table."""
    print(f"{what:<52} {value:>14}", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=300, help="pairs of the timed run")
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        alone(options.alone)
        return

    with tempfile.TemporaryDirectory() as folder:
        warm, _ = timed_run(5, Path(folder))
        # Another seed each time is another run; the best of three is the least disturbed one.
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
        shown = f"{memory:,.0f} MB" if isinstance(memory, float) else "not told"
        show(f"peak memory, {pairs[size] * verbs:,} triplets, all asked", shown)

    with tempfile.TemporaryDirectory() as folder:
        lazy, _ = timed_run(pairs[MANY], Path(folder))
    every = fresh[MANY]["tested"]
    assert isinstance(every, int)
    show(f"selection questions, {pairs[MANY]} pairs, exhaustive", f"{every:,}")
    show(f"selection questions, {pairs[MANY]} pairs, lazy", f"{tested(lazy):,}")
    show("share of the questions that lazy selection asks", f"{100 * tested(lazy) / every:.1f} %")
    same = figures(lazy, "drops") == fresh[MANY]["drops"]
    show("both give the same drops", "yes" if same else "NO")

    show(
        f"naysay --help, median of {STARTS} starts",
        f"{start_up('-c', 'from naysay.cli import main; main()', '--help'):,.0f} ms",
    )
    show("  of which Python itself", f"{start_up('-c', ''):,.0f} ms")


if __name__ == "__main__":
    main()
