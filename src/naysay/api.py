"""What Python users call; `import naysay` offers it under the same names.

All of it works without a terminal: results are objects, progress shows in notebooks and on
terminals, and errors are exceptions below `NaysayError`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from naysay.core.console import Progress, Silent, in_notebook, suited_progress
from naysay.core.errors import RunError
from naysay.run.evaluation import Evaluation
from naysay.run.evaluation import evaluate as _evaluate
from naysay.run.evaluation import judge as _judge
from naysay.run.manifest import Manifest
from naysay.run.store import find_run, find_runs

if TYPE_CHECKING:
    from naysay.analysis.comparison import Comparison
    from naysay.analysis.gate import Gate

__all__ = ["Evaluation", "compare", "evaluate", "gate", "judge", "report", "runs"]

Run = Evaluation | Manifest | str | Path
"""A run: what `evaluate` returned, its folder, its folder's name, or the beginning of its key."""


def evaluate(
    model: Any = None,
    suites: str | Sequence[str] | None = None,
    *,
    language: str | None = None,
    limit: int | str | None = None,
    seed: int = 0,
    precision: str = "fp32",
    out: str | Path = "runs",
    data_dir: str | Path | None = None,
    device: str = "auto",
    token_budget: int = 2048,
    shard_size: int = 25,
    tokenizer: Any = None,
    progress: Progress | None = None,
    tables: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Any,
) -> Evaluation:
    """Run suites on a model, measure, and save the figures in the run's folder; as `naysay run`.

    `model` is a name, a folder, a loaded transformers model (with its `tokenizer`), a
    SentenceTransformer, a CrossEncoder, anything with `encode(sentences)`, or anything that offers
    what `naysay.core.protocols.Model` asks for; a small model that comes with naysay if not given.
    `suites` are all that fit if not given. `limit` counts units, or is "all". `options` are those
    of suites and adapters, as `naysay run --help` lists them (`cap=5`, `pooling="mean"`); `tables`
    holds options for one suite or adapter only, by its name.
    """
    from naysay.reports.formats import save

    if progress is None:
        shown = in_notebook() or sys.stderr.isatty()
        progress = suited_progress() if shown else Silent()
    evaluation = _evaluate(
        model, suites, tokenizer=tokenizer, progress=progress, tables=tables, language=language,
        limit=limit, seed=seed, precision=precision, out=out, data_dir=data_dir, device=device,
        token_budget=token_budget, shard_size=shard_size, **options,
    )  # fmt: skip
    save(evaluation)
    return evaluation


def judge(run: Run, out: str | Path = "runs", **judging: Any) -> Evaluation:
    """Judge and measure a finished run again, without the model; writes nothing.

    `judging` are options of judging, such as `repetition="prefix"`; the run's own if not given.
    """
    return _judge(_manifest(run, out), **judging)


def compare(
    runs: Sequence[Run], out: str | Path = "runs", *, suites: Sequence[str] | None = None,
    **judging: Any,
) -> Comparison:  # fmt: skip
    """Compare runs with the first of them, on the items that all of them have."""
    from naysay.analysis.comparison import compare as compare_runs

    found = [_named(run) for run in runs]
    return compare_runs(found, Path(out), suites=suites, **judging)


def gate(run: Run, baseline: Run | None = None, out: str | Path = "runs", **rules: Any) -> Gate:
    """Check a run against a baseline run, published figures, floors or hard items.

    `baseline` may be "published". `rules` are those of `naysay gate`: `rule`, `margin`, `coverage`,
    `suites`, `floors`, `hard`, `as_model`.
    """
    from naysay.analysis.gate import gate as check

    return check(_named(run), None if baseline is None else _named(baseline), Path(out), **rules)


def report(
    runs: Sequence[Run] | None = None, path: str | Path | None = None, out: str | Path = "runs"
) -> str | Path:
    """Write runs as one page: .html, .md, .tex, .csv or .parquet; Markdown as text without a path.

    All finished runs in the folder `out` if none is named.
    """
    from naysay.reports.formats import writer_for
    from naysay.reports.markdown import markdown

    found = [_manifest(run, out) for run in runs] if runs else _finished(Path(out))
    evaluations = [_judge(manifest) for manifest in found]
    if path is None:
        return markdown(evaluations)
    path = Path(path)
    writer_for(path)(evaluations, path)
    return path


def runs(out: str | Path = "runs") -> list[Manifest]:
    """The runs in a folder, oldest first; a manifest says what was asked, of what, and when."""
    return find_runs(Path(out))


def _named(run: Any) -> Manifest | str:
    """A run as the commands take it, where a model's name stands for its newest run."""
    if isinstance(run, Evaluation):
        return run.manifest
    return run if isinstance(run, Manifest) else str(run)


def _manifest(run: Any, out: str | Path) -> Manifest:
    if isinstance(run, Evaluation):
        return run.manifest
    return run if isinstance(run, Manifest) else find_run(str(run), Path(out))


def _finished(out: Path) -> list[Manifest]:
    found = [manifest for manifest in find_runs(out) if manifest.finished]
    if not found:
        raise RunError(f"no finished run in {out}: make one with naysay run, or give --runs")
    return sorted(found, key=lambda manifest: (manifest.started, manifest.folder.name))
