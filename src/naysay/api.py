"""What Python users call; `import naysay` offers it under the same names.

All of it works without a terminal: results are objects, progress shows in notebooks and on
terminals, and errors are exceptions below `NaysayError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from naysay.core.console import Progress, Silent, counted, has_bars, suited_progress
from naysay.core.errors import RunError
from naysay.core.spec import AUTO
from naysay.run.evaluation import Evaluation
from naysay.run.evaluation import evaluate as _evaluate
from naysay.run.evaluation import judge as _judge
from naysay.run.inquiry import Inquiry, inquire
from naysay.run.lookup import find_each, find_run
from naysay.run.manifest import Manifest
from naysay.run.store import find_runs

if TYPE_CHECKING:
    from naysay.analysis.comparison import Comparison
    from naysay.analysis.gate import Gate
    from naysay.train.embedder import EmbedderResult

__all__ = [
    "Evaluation", "ask", "compare", "evaluate", "gate", "judge", "report", "runs", "teach",
]  # fmt: skip

Run = Evaluation | Manifest | str | Path
"""A run: what `evaluate` returned, its folder, the beginning of its key, or its model's name."""


def evaluate(
    model: Any = None,
    suites: str | Sequence[str] | None = None,
    *,
    language: str | None = None,
    limit: int | str | None = None,
    seed: int = 0,
    precision: str = AUTO,
    out: str | Path = "runs",
    data_dir: str | Path | None = None,
    device: str = "auto",
    token_budget: int = 2048,
    batch_size: int | None = None,
    shard_size: int = 25,
    executor: str = "local",
    address: str | None = None,
    workers: int | None = None,
    cpus_per_worker: int = 1,
    gpus_per_worker: float = 0.0,
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
        progress = suited_progress() if has_bars() else Silent()
    evaluation = _evaluate(
        model, suites, tokenizer=tokenizer, progress=progress, tables=tables, language=language,
        limit=limit, seed=seed, precision=precision, out=out, data_dir=data_dir, device=device,
        token_budget=token_budget, batch_size=batch_size, shard_size=shard_size,
        executor=executor, address=address, workers=workers, cpus_per_worker=cpus_per_worker,
        gpus_per_worker=gpus_per_worker, **options,
    )  # fmt: skip
    save(evaluation)
    return evaluation


def ask(
    sentences: str | Sequence[str],
    models: Any = None,
    *,
    negate: bool = False,
    sentence: int | None = None,
    top: int = 5,
    words: str | Sequence[str] = (),
    language: str = "en",
    precision: str = AUTO,
    device: str = "auto",
    tokenizer: Any = None,
    **options: Any,
) -> Inquiry:
    """Ask models for the word at a blank, or how similar sentences are; as `naysay ask`.

    `models` is one or several of what `evaluate` takes; the two small controls that come with
    naysay if not given. `negate` asks with and without the negation, which is added to or removed
    from the first sentence that a rule can change, or the given one. `options` are adapters'.
    """
    several = models if isinstance(models, list | tuple) else () if models is None else [models]
    return inquire(
        [sentences] if isinstance(sentences, str) else list(sentences), several, negate=negate,
        sentence=sentence, top=top, words=[words] if isinstance(words, str) else list(words),
        language=language, precision=precision, device=device, tokenizer=tokenizer, options=options,
    )  # fmt: skip


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
    runs: Sequence[Run] | None = None, path: str | Path | None = None, out: str | Path = "runs",
    *, full: bool = False,
) -> str | Path:  # fmt: skip
    """Write runs as one page: .html, .md, .tex, .csv or .parquet; Markdown as text without a path.

    All finished runs in the folder `out` if none is named. LaTeX has one table for each suite, or
    if `full`, all tables.
    """
    from naysay.reports.formats import writer_for
    from naysay.reports.markdown import markdown

    named = [_named(run) for run in runs or ()]
    found = find_each(named, Path(out)) if named else _finished(Path(out))
    evaluations = [_judge(one) for one in counted(found, "judging runs", lines=False)]
    if path is None:
        return markdown(evaluations)
    path = Path(path)
    writer_for(path, full=full)(evaluations, path)
    return path


def teach(
    model: Any,
    out: str | Path | None = None,
    *,
    frames: str | Path | None = None,
    pairs: str | Path | None = None,
    general: str | Path | None = None,
    items: str | Path | None = None,
    data_dir: str | Path | None = None,
    **settings: Any,
) -> EmbedderResult:
    """Teach a sentence embedder negation, and test it before and after; as `naysay train embedder`.

    `model` is a name, a folder or a SentenceTransformer, which is copied. `settings` are the others
    of the command, such as `steps`, `lr`, `seed`, `keep` and `pooling`. The trained model is in the
    result's `folder`. The same call resumes an interrupted one.
    """
    from naysay.core.extras import need

    need("hf", "naysay.teach")
    from naysay.reports.embedder import save
    from naysay.train.embedder import train_embedder
    from naysay.train.embedder.settings import settings_of

    places = {"out": out, "frames": frames, "pairs": pairs, "general": general, "items": items,
              "data_dir": data_dir}  # fmt: skip
    paths = {name: None if path is None else Path(path) for name, path in places.items()}
    result = train_embedder(settings_of(model, {**paths, **settings}))
    save(result, f"naysay.teach({result.model!r}, …)")
    return result


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
