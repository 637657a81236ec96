"""Cost of everything but the model: running, judging, reporting, repeating, starting.

A rule-based model answers instantly, so the time is naysay's own: creating the sentences, storing
the rows, writing Parquet, judging and measuring.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from naysay.bench.processes import MODEL, Spent, measured
from naysay.bench.results import Quantities, Quantity, Result
from naysay.bench.sizes import Sizes
from naysay.core.console import counted
from naysay.run.evaluation import Evaluation, evaluate

TITLE = "The harness without a model"
JUDGED, REPEATED = "gh22", "scnt"


def measure(sizes: Sizes, folder: Path, rounds: int) -> list[Result]:
    """Make the runs, and measure what is done with them; the best round of each counts."""
    limit: int | str = sizes.judged_pairs or "all"
    made = folder / "runs"
    steps: list[Callable[[], Evaluation]] = [
        lambda: evaluate(MODEL, JUDGED, limit=limit, out=made),
        lambda: evaluate(MODEL, REPEATED, limit=limit, out=made),
        *(
            partial(
                evaluate,
                f"known:random:0.5:{seed}", (REPEATED, JUDGED), limit=sizes.report_pairs,
                out=folder / "reported",
            )
            for seed in range(sizes.report_runs)
        ),
    ]  # fmt: skip
    judged, repeated, *reported = [step() for step in counted(steps, "harness: making runs")]
    runs = [str(one.folder) for one in reported]
    rows = sum(one.manifest.counts["rows"] for one in reported)
    page = str(folder / "report.html")
    repeat = ["run", "-m", MODEL, "-t", REPEATED, "--limit", str(limit), "--runs", str(made)]
    works = {
        "judge": lambda: measured("judge", str(judged.folder)),
        "report": lambda: measured("command", "report", *runs, "-o", page),
        "repeat": lambda: measured("command", *repeat),
        "run": lambda: measured("run", REPEATED, str(sizes.report_pairs)),
        "help": lambda: measured("command", "--help"),
    }
    best: dict[str, Spent] = {}
    turns = [name for _ in range(rounds) for name in works]
    for name in counted(turns, "harness"):
        spent = works[name]()
        if name not in best or spent.whole < best[name].whole:
            best[name] = spent
    run, judging = best["run"], best["judge"]
    tested = next(int(e.value or 0) for e in repeated if e.metric == "selected")
    asked = judged.manifest.counts["questions"]
    judges = f"judging {asked:,} answers of {JUDGED}"
    selected = f"naysay run repeated, {tested:,} triplets"
    found = (
        Quantity(name="questions a second, figures included", value=run.counted / run.seconds),
        Quantity(name=judges, value=judging.seconds, unit="s", most=5.0),
        Quantity(name="peak memory of judging", value=judging.megabytes, unit="MB", most=300.0),
        Quantity(name=f"report of {rows:,} rows", value=best["report"].whole, unit="s", most=10.0),
        Quantity(name="peak memory of the report", value=best["report"].megabytes, unit="MB"),
        Quantity(name=selected, value=best["repeat"].whole, unit="s", most=1.0),
        Quantity(name="naysay --help", value=1000 * best["help"].whole, unit="ms"),
    )  # fmt: skip
    return [
        Quantities(
            name="harness",
            title="naysay's own work",
            quantities=found,
            notes=("Each in a process of its own; the report, the repeated run and the help with "
                   "the start of Python, the others without.",),
        )
    ]  # fmt: skip
