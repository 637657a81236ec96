"""What more workers give: a simulation of the pool with measured times, and with failures.

Shard times are drawn from those of a run; a worker first loads the model, and each shard is written
by one driver, whose time is measured here with as many shards in the manifest. Workers are lost at
random: the shard that they had is asked again, by another worker that has to load the model.

    python benchmarks/placement.py RUN [--questions 1000000] [--load 10] [--start 10] [--lives 4]

`--lives` is the mean time between losses of a worker, in hours; spot nodes have a few.
"""

from __future__ import annotations

import argparse
import heapq
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from naysay.core.paths import write_bytes
from naysay.run.manifest import Manifest, read_manifest

WORKERS = (1, 2, 8, 64, 256, 1024)
TRIES = 20


def driver_seconds(manifest: Manifest, shards: int, size: int) -> float:
    """How long the driver takes for a shard, when a run of this size is half done."""
    record = next(iter(manifest.shards.values()))
    with tempfile.TemporaryDirectory() as folder:
        half = {f"suite/{k:05d}.parquet": record for k in range(max(1, shards // 2))}
        written = replace(manifest, folder=Path(folder), shards=half)
        begun, rounds = time.perf_counter(), 20
        for k in range(rounds):
            written.save()
            write_bytes(Path(folder) / f"{k}.parquet", bytes(size))
    return (time.perf_counter() - begun) / rounds


def simulate(
    times: list[float], workers: int, *, load: float, start: float, driver: float, life: float,
    seed: int,
) -> tuple[float, int]:  # fmt: skip
    """Return the seconds until the last shard is written, and how many workers were lost."""
    drawn = random.Random(seed)
    waiting = sorted(times)  # the largest is at the end
    free = [(start + load, k) for k in range(min(workers, len(times)))]
    heapq.heapify(free)
    written = lost = 0
    clock = 0.0
    while waiting:
        now, worker = heapq.heappop(free)
        shard = waiting.pop()
        until_lost = drawn.expovariate(1 / life) if life else float("inf")
        if until_lost < shard:
            lost += 1
            waiting.append(shard)
            heapq.heappush(free, (now + until_lost + load, worker))
            continue
        heapq.heappush(free, (now + shard, worker))
        # One driver writes one shard after another.
        clock = max(clock, now + shard) + driver
        written += 1
    return clock, lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--questions", type=int, default=1_000_000)
    parser.add_argument("--load", type=float, default=10.0)
    parser.add_argument("--start", type=float, default=10.0)
    parser.add_argument("--lives", type=float, default=4.0)
    given = parser.parse_args()
    manifest = read_manifest(given.run)
    known = [(s["seconds"], s["questions"]) for s in manifest.shards.values()]
    each = sum(questions for _, questions in known) / len(known)
    count = max(1, round(given.questions / each))
    sizes = [manifest.path(file).stat().st_size for file in manifest.shards]
    driver = driver_seconds(manifest, count, sum(sizes) // len(sizes))
    seconds = sum(took for took, _ in known) / len(known)
    print(
        f"{manifest.model['name']}: {len(known)} measured shards of {each:,.0f} questions and "
        f"{seconds:.1f} s; {count:,} shards for {given.questions:,} questions; "
        f"the driver takes {1000 * driver:.1f} ms for each"
    )
    for life in (0.0, given.lives * 3600):
        print(f"\n{'no losses' if not life else f'a worker is lost every {given.lives:g} h'}")
        print("workers      hours    ×    per worker    lost")
        single = 0.0
        for workers in WORKERS:
            found = [
                simulate(
                    [random.Random((seed, k).__hash__()).choice(known)[0] for k in range(count)],
                    workers, load=given.load, start=given.start, driver=driver, life=life,
                    seed=seed,
                )
                for seed in range(TRIES if count < 5000 else 3)
            ]  # fmt: skip
            mean = sum(took for took, _ in found) / len(found)
            lost = sum(gone for _, gone in found) / len(found)
            single = single or mean
            gain = single / mean
            print(
                f"{workers:7,} {mean / 3600:10.2f} {gain:6.1f} {100 * gain / workers:9.0f} % "
                f"{lost:9.1f}"
            )


if __name__ == "__main__":
    main()
