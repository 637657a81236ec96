"""The steps of training on negation; finished steps are skipped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from naysay.core.console import Progress, notify
from naysay.core.errors import RunError
from naysay.core.protocols import ModelRequest
from naysay.models.lm.engine import longest_text
from naysay.models.lm.processor import prepare_precision
from naysay.run.evaluation import Evaluation, evaluate
from naysay.train.checkpoints import claim, read_record, write_sections
from naysay.train.extraction.rules import AS_GIVEN
from naysay.train.negation.settings import NegationSettings, Start, find_start
from naysay.train.negation.texts import LossChange, Texts, loss_change, prepare, token_losses
from naysay.train.trainer import Trained, finished, fit

if TYPE_CHECKING:
    from naysay.analysis import Comparison
    from naysay.analysis.unpaired import OwnItemsTable


def leak_notice(found: Mapping[str, Any]) -> str:
    """Summarise the leakage of test items into the corpus.

    >>> leak_notice({"leaks": []})
    'No leakage: no sentence of the corpus resembles a test item.'
    """
    leaks = found["leaks"]
    if not leaks:
        return "No leakage: no sentence of the corpus resembles a test item."
    exact, other = (sum(int(leak[kind]) for leak in leaks) for kind in ("exact", "other"))
    suites = sorted({suite.strip() for leak in leaks for suite in str(leak["suite"]).split(",")})
    return (
        f"LEAKAGE: the corpus has {exact:,} test sentences, and {other:,} sentences with a test's "
        f"pattern but other words ({', '.join(suites)}). None of them is used for training."
    )


def leak_lines(found: Mapping[str, Any]) -> list[str]:
    """Return a line for each pattern found, with its counts and examples."""
    return [
        f"{leak['pattern']} ({leak['suite']}): {leak['exact']:,} exact, {leak['other']:,} similar; "
        f"for example: {' / '.join(leak['examples'])}"
        for leak in found["leaks"]
    ]


@dataclass(frozen=True)
class NegationResult:
    """The trained model's folder, the tests before and after, and the change of the loss."""

    folder: Path
    model: str
    kind: str
    sentences: int
    """The number of training sentences."""
    extraction: dict[str, Any]
    trained: Trained
    before: Evaluation
    after: Evaluation
    comparison: Comparison | None
    """The comparison on the items of both runs; None if they share none."""
    incomparable: str | None
    """Why there is no comparison."""
    own_items: tuple[OwnItemsTable, ...]
    """Figures on each one's own items, where these depend on the model."""
    changes: tuple[LossChange, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {
            "folder": str(self.folder),
            "model": self.model,
            "kind": self.kind,
            "sentences": self.sentences,
            "extraction": self.extraction,
            "training": self.trained.as_dict(),
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "comparison": None if self.comparison is None else self.comparison.as_dict(),
            "incomparable": self.incomparable,
            "own_items": [table.as_dict() for table in self.own_items],
            "losses": [change.as_dict() for change in self.changes],
        }


_WITHOUT, _WITH, _GIVEN = "without negation", "with negation", "like those for training"
_SECTION, _LOSSES = "negation", "losses"


def train_negation(
    settings: NegationSettings, *, progress: Callable[[], Progress] | None = None
) -> NegationResult:
    """Extract sentences from the corpus, test the model, train it, test it again and compare.

    The same call resumes an interrupted one. `progress` is called once per test.
    """
    request = ModelRequest(
        device=settings.plan.device,
        options=settings.model_options(),
    )
    prepare_precision(settings.plan.precision, settings.plan.device)  # before torch is imported
    start = find_start(settings.model, request)
    folder = settings.folder
    settings.check_place()
    folder.mkdir(parents=True, exist_ok=True)
    claim(folder, _SECTION, settings.identity(start.weights.digest), settings.upgraded)
    texts = prepare(settings)
    notify(texts.summary)
    notify(leak_notice(texts.about))
    before = _tested(settings, start.tested_as or settings.model, progress)
    trained, changes = _trained(settings, start, request, texts)
    after = _tested(settings, f"{start.kind}:{folder}", progress)
    comparison, incomparable = _compared(before, after)
    result = NegationResult(
        folder=folder,
        model=settings.model,
        kind=start.kind,
        sentences=len(texts.training),
        extraction=texts.about,
        trained=trained,
        before=before,
        after=after,
        comparison=comparison,
        incomparable=incomparable,
        own_items=_on_own_items(before, after),
        changes=changes,
    )
    record = result.as_dict()
    sections = ("before", "after", "comparison", "own_items")
    write_sections(folder, **{name: record[name] for name in sections})
    return result


def _tested(
    settings: NegationSettings, model: str, progress: Callable[[], Progress] | None
) -> Evaluation:
    shown = progress() if progress is not None else None
    return evaluate(model, settings.suites, progress=shown, **settings.testing())


def _compared(before: Evaluation, after: Evaluation) -> tuple[Comparison | None, str | None]:
    """Compare the two runs on their common items; return the reason if that is impossible."""
    from naysay.analysis import compare

    try:
        return compare([before.manifest, after.manifest]), None
    except RunError as error:
        return None, f"Before and after cannot be compared: {error}"


def _on_own_items(before: Evaluation, after: Evaluation) -> tuple[OwnItemsTable, ...]:
    from naysay.analysis.unpaired import own_items_tables

    later = {finding.suite: finding for finding in after.findings}
    return tuple(
        table
        for finding in before.findings
        if finding.suite in later
        for table in own_items_tables(finding, later[finding.suite])
    )


def _trained(
    settings: NegationSettings, start: Start, request: ModelRequest, texts: Texts
) -> tuple[Trained, tuple[LossChange, ...]]:
    """Train, and measure the loss on both kinds of held-out sentences before and after."""
    folder, plan = settings.folder, settings.plan
    done, losses = finished(folder), read_record(folder).get(_LOSSES)
    if done is not None and losses is not None:
        notify(f"{folder}: already trained")
        return done, tuple(LossChange(**change) for change in losses)
    model, tokenizer = start.load(request)
    # Saved before its first use, which would change the saved files.
    tokenizer.save_pretrained(folder)
    length = min(plan.max_length, longest_text(model) or plan.max_length)
    like_training = _GIVEN if settings.rule == AS_GIVEN else _WITH
    trials = {_WITHOUT: texts.plain, like_training: texts.negated}
    trials = {name: sentences for name, sentences in trials.items() if sentences}

    def measured() -> dict[str, Any]:
        notify(f"loss on {sum(map(len, trials.values())):,} held-out sentences …")
        return {
            name: token_losses(model, tokenizer, sentences, start.kind, length, plan.seed)
            for name, sentences in trials.items()
        }

    before = measured()
    trained = fit(
        model,
        _examples(settings, tokenizer, texts.training, length),
        _collator(start.kind, tokenizer, length, plan.seed),
        plan,
        folder,
        evaluation=texts.negated,
        callbacks=_callbacks(settings, tokenizer),
    )
    after = measured()
    changes = tuple(loss_change(name, before[name], after[name]) for name in trials)
    write_sections(folder, **{_LOSSES: [change.as_dict() for change in changes]})
    return trained, changes


def _collator(kind: str, tokenizer: Any, length: int, seed: int) -> Any:
    from naysay.train.collation import CausalCollator, MaskedCollator

    if kind == "masked":
        return MaskedCollator(tokenizer, length, seed)
    return CausalCollator(tokenizer, length)


def _examples(settings: NegationSettings, tokenizer: Any, texts: list[str], length: int) -> Any:
    from naysay.train.collation import packed

    return packed(tokenizer, texts, length) if settings.pack else texts


def _callbacks(settings: NegationSettings, tokenizer: Any) -> list[Any]:
    if settings.watch is None:
        return []
    from naysay.train.callback import NegationCallback

    limit = settings.test_limit
    return [
        NegationCallback(
            settings.suites,
            every=settings.watch,
            limit=limit if isinstance(limit, int) else 20,
            file=watch_file(settings.folder),
            tokenizer=tokenizer,
            seed=settings.plan.seed,
        )
    ]


def watch_file(folder: Path) -> Path:
    """Return the file of the tests during training, one per line."""
    return folder / "watch.jsonl"
