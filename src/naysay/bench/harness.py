"""Cost of everything but the model: running, judging, reporting, repeating, starting.

A rule-based model answers instantly, so the time is naysay's own: creating the sentences, storing
the rows, writing Parquet, judging and measuring. Which suites are judged and repeated at full size,
and within which bounds, their benchmarks say.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from naysay.bench.processes import MODEL, Spent, measured
from naysay.bench.questions import source, timed_suites
from naysay.bench.results import Quantities, Quantity, Result
from naysay.bench.sizes import Sizes
from naysay.core.console import counted
from naysay.run.evaluation import Evaluation, evaluate

TITLE = "The harness without a model"


def measure(sizes: Sizes, folder: Path, rounds: int) -> list[Result]:
    """Make the runs, and measure what is done with them; the best round of each counts."""
    limit: int | str = sizes.judged_pairs or "all"
    made = folder / "runs"
    judged = {suite.name: b.judged for suite, b in timed_suites() if b.judged}
    repeated = {suite.name: b.repeated for suite, b in timed_suites() if b.repeated}
    whole = sorted({*judged, *repeated})
    several = whole or [source()[0].name]
    steps: list[Callable[[], Evaluation]] = [
        *(partial(evaluate, MODEL, name, limit=limit, out=made) for name in whole),
        *(
            partial(
                evaluate, f"known:random:0.5:{seed}", several, limit=sizes.report_pairs,
                out=folder / "reported",
            )
            for seed in range(sizes.report_runs)
        ),
    ]  # fmt: skip
    done = [step() for step in counted(steps, "harness: making runs")]
    runs, reported = dict(zip(whole, done, strict=False)), done[len(whole) :]
    page = str(folder / "report.html")
    folders = [str(one.folder) for one in reported]

    def repeat(name: str) -> Spent:
        words = ["run", "-m", MODEL, "-t", name, "--limit", str(limit), "--runs", str(made)]
        return measured("command", *words)

    works: dict[str, Callable[[], Spent]] = {
        **{f"judge {n}": partial(measured, "judge", str(runs[n].folder)) for n in judged},
        "report": partial(measured, "command", "report", *folders, "-o", page),
        **{f"repeat {n}": partial(repeat, n) for n in repeated},
        "run": partial(measured, "run", source()[0].name, str(sizes.report_pairs)),
        "help": partial(measured, "command", "--help"),
    }
    best: dict[str, Spent] = {}
    for name in counted([name for _ in range(rounds) for name in works], "harness"):
        spent = works[name]()
        if name not in best or spent.whole < best[name].whole:
            best[name] = spent
    found = [
        Quantity(
            name="questions a second, figures included",
            value=best["run"].counted / best["run"].seconds,
        )
    ]
    for name, bounds in judged.items():
        spent, asked = best[f"judge {name}"], runs[name].manifest.counts["questions"]
        found += [
            Quantity(
                name=f"judging {asked:,} answers of {name}", value=spent.seconds, unit="s",
                most=bounds.seconds,
            ),
            Quantity(name="the processor's part of it", value=spent.processor, unit="s"),
            Quantity(
                name=f"peak memory of judging {name}", value=spent.megabytes, unit="MB",
                most=bounds.megabytes,
            ),
        ]  # fmt: skip
    for name, bounds in repeated.items():
        tested = next((int(e.value or 0) for e in runs[name] if e.metric == "selected"), 0)
        what = f"{tested:,} triplets" if tested else f"{runs[name].manifest.counts['rows']:,} rows"
        spent = best[f"repeat {name}"]
        found += [
            Quantity(
                name=f"naysay run repeated, {what} of {name}", value=spent.whole, unit="s",
                most=bounds.seconds,
            ),
            Quantity(name="the processor's part of that", value=spent.processor, unit="s"),
        ]  # fmt: skip
    rows = sum(one.manifest.counts["rows"] for one in reported)
    report = best["report"]
    found += [
        Quantity(name=f"report of {rows:,} rows", value=report.whole, unit="s", most=10.0),
        Quantity(name="peak memory of the report", value=report.megabytes, unit="MB"),
        Quantity(name="naysay --help", value=1000 * best["help"].whole, unit="ms"),
    ]
    return [
        Quantities(
            name="harness",
            title="naysay's own work",
            quantities=tuple(found),
            notes=("Each in a process of its own; the report, the repeated run and the help with "
                   "the start of Python, the others without.",),
        )
    ]  # fmt: skip
