"""Training that can be interrupted anywhere; `fit` is shared by all kinds of training.

The same call on the same folder resumes from the last complete checkpoint, and does nothing if the
training is finished. A killed and resumed training ends with the same weights as an uninterrupted
one: the order of the data, masks and dropout depend on the seed and the step alone.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.core.console import notify
from naysay.core.errors import ModelError, RunError, SpecError
from naysay.core.keys import content_key
from naysay.core.paths import flush
from naysay.models.lm.processor import prepare_precision
from naysay.run.store import held
from naysay.train import checkpoints
from naysay.train.checkpoints import claim, read_record, write_sections
from naysay.train.plan import Fixed, Schedule, TrainingItem, TrainingPlan

__all__ = ["Collate", "Trained", "TrainingItem", "TrainingPlan", "finished", "fit"]

Collate = Callable[[Sequence[TrainingItem]], dict[str, Any]]
"""Makes a batch of tensors from items; its random draws are seeded with the items' numbers."""

_VERSION = 1  # raise when the same training ends with different weights
_SECTION = "fit"


@dataclass(frozen=True)
class Trained:
    """The result of a training; the weights are in the folder and in the model passed to `fit`."""

    folder: Path
    steps: int
    """The number of steps; fewer than planned if training stopped early."""
    kept_step: int
    """The step whose weights were kept: the last, or the best with early stopping."""
    loss: float
    """The mean loss over the last window of the log."""
    last_loss: float
    """The loss of the last step."""
    best_step: int | None
    """The step with the lowest evaluation loss, None without evaluation."""
    best_loss: float | None
    history: tuple[dict[str, Any], ...]
    """The log: an entry for each window and each evaluation, and those of callbacks."""
    resumed_from: int | None = None
    """The step from which this call resumed; None if it started the training."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON, without what is specific to this call."""
        names = ("steps", "kept_step", "loss", "last_loss", "best_step", "best_loss")
        return {name: getattr(self, name) for name in names} | {"history": list(self.history)}


def fit(
    model: Any,
    examples: Sequence[Any],
    collate: Collate,
    plan: TrainingPlan,
    out: Path,
    *,
    evaluation: Sequence[Any] | None = None,
    callbacks: Sequence[Any] = (),
    optimizer: Any = None,
) -> Trained:
    """Train a transformers model, resume its training, or load the trained weights.

    `examples` are texts, token ids, or anything that `collate` takes (wrapped as `TrainingItem`).
    Masked and causal collators are in `naysay.train.collation`. `evaluation` are examples to
    evaluate on every `plan.eval_every` steps. The weights, the checkpoints during training, and
    `training.json` are written to `out`. An attribute `digest` of `collate`, `examples` or
    `evaluation` identifies their content. `optimizer` takes the place of AdamW over all weights.
    """
    prepare_precision(plan.precision, plan.device)
    try:
        from naysay.train import loop
    except ImportError:
        raise ModelError(
            "training needs torch, transformers and accelerate: pip install 'naysay[hf]'"
        ) from None
    if not len(examples):
        raise SpecError("there is nothing to train on: no examples given")
    if plan.patience is not None and not evaluation:
        raise SpecError("--patience needs examples to evaluate on, but none were given")
    with held(out):
        section = claim(out, _SECTION, _identity(model, examples, collate, plan, evaluation))
        if (done := finished(out)) is not None:
            notify(f"{out}: already trained")
            _take_weights(model, out)
            return done
        trained = _train(
            loop, model, examples, collate, plan, out, evaluation, callbacks, optimizer
        )
        write_sections(out, **{_SECTION: section | {"result": trained.as_dict()}})
        if plan.keep is not None:
            shutil.rmtree(_checkpoints(out), ignore_errors=True)
    return trained


def finished(out: Path) -> Trained | None:
    """Return the finished training of a folder, None if it is not finished."""
    result = read_record(out).get(_SECTION, {}).get("result")
    if result is None:
        return None
    fields = result | {"history": tuple(result["history"])}
    return Trained(out, **fields, resumed_from=int(result["steps"]))


def _train(
    loop: Any, model: Any, examples: Sequence[Any], collate: Collate, plan: TrainingPlan,
    out: Path, evaluation: Sequence[Any] | None, callbacks: Sequence[Any], optimizer: Any,
) -> Trained:  # fmt: skip
    from naysay.models.lm.linear_layers import slow_down, speed_up
    from naysay.models.lm.loading import quiet
    from naysay.train.loop import ProgressLine

    folder, total = _checkpoints(out), plan.total(len(examples))
    last, cut = checkpoints.last_whole(folder)
    for checkpoint in cut:
        notify(f"{checkpoint} is incomplete: ignoring it")
    history = checkpoints.state_of(last)["log_history"] if last else []
    steps = checkpoints.step_of(last) if last else 0
    if last is not None:
        notify(f"{out}: resuming from step {steps:,} of {total:,}")
    going = steps < total and not loop.is_over(history, plan.patience)
    caching = getattr(model.config, "use_cache", None)
    if going:
        line = ProgressLine()
        quick = speed_up(model)
        trainer = loop.Loop(
            plan=plan,
            examples=len(examples),
            model=model,
            args=loop.arguments(plan, folder, total, evaluated=bool(evaluation)),
            data_collator=collate,
            train_dataset=Schedule(examples, plan.draws(len(examples)), plan.seed),
            eval_dataset=Fixed(evaluation) if evaluation else None,
            callbacks=[loop.Flow(plan), line, *callbacks],
            optimizers=(optimizer, None),
        )
        try:
            with quiet(streams=False), checkpoints.written(folder):
                trainer.train(resume_from_checkpoint=str(last) if last else None)
                trainer.check_weights()
        finally:
            line.clear()
            slow_down(quick)
            for name in loop.WRAPPED:
                vars(model).pop(name, None)  # restores the precision of the weights
        history, steps = trainer.state.log_history, trainer.state.global_step
    best = loop.best_of(history)
    kept = best[0] if best and plan.patience is not None else steps
    if kept != steps or not going:
        _take_weights(model, checkpoints.checkpoint_at(folder, kept))
    if caching is not None:
        model.config.use_cache = caching  # training turns it off
    with quiet(streams=False), checkpoints.written(out):
        model.eval().save_pretrained(out)
    for path in out.glob("*.safetensors"):
        flush(path)  # before the record refers to it
    losses = [entry for entry in history if "loss" in entry]
    return Trained(
        folder=out,
        steps=steps,
        kept_step=kept,
        loss=float(losses[-1]["loss"]),
        last_loss=float(losses[-1]["step_loss"]),
        best_step=best[0] if best else None,
        best_loss=best[1] if best else None,
        history=_timeless(history),
        resumed_from=checkpoints.step_of(last) if last else None,
    )


def _timeless(history: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Drop timings from the log, so that it is reproducible."""
    timed = ("_runtime", "_per_second", "total_flos", "train_loss")
    entries = [
        {name: value for name, value in entry.items() if not name.endswith(timed)}
        for entry in history
    ]
    return tuple(entry for entry in entries if set(entry) - {"step", "epoch"})


def _checkpoints(out: Path) -> Path:
    return out / "checkpoints"


def _take_weights(model: Any, folder: Path) -> None:
    """Load the weights of a folder into the model."""
    from naysay.models.lm.loading import quiet

    try:
        with quiet():
            if hasattr(model, "take_weights"):  # no model of transformers' own
                model.take_weights(folder)
                return
            saved = type(model).from_pretrained(
                str(folder), dtype=model.dtype, local_files_only=True
            )
    except OSError as error:
        raise RunError(
            f"the trained weights in {folder} cannot be read: {error}. "
            "Move the folder away and train again."
        ) from error
    model.load_state_dict(saved.state_dict())
    model.eval()


def _identity(
    model: Any,
    examples: Sequence[Any],
    collate: Collate,
    plan: TrainingPlan,
    evaluation: Sequence[Any] | None,
) -> dict[str, Any]:
    """Return everything that affects the trained weights."""
    from naysay.models.lm.loading import weights_content

    stops = bool(evaluation) and plan.patience is not None
    return {
        "version": _VERSION,
        "plan": plan.identity(evaluated=bool(evaluation)),
        "examples": _digest(examples),
        "collation": str(getattr(collate, "digest", getattr(collate, "__qualname__", ""))),
        "evaluation": _digest(evaluation) if stops and evaluation is not None else None,
        "start": weights_content(model, None),
    }


def _digest(examples: Sequence[Any]) -> str:
    if isinstance(given := getattr(examples, "digest", None), str):
        return given
    digest = hashlib.sha256()
    for place in range(len(examples)):
        value = examples[place]
        try:
            text = value if isinstance(value, str) else content_key(value)
        except TypeError:
            raise SpecError(
                f"examples of type {type(value).__name__} cannot be identified by their content: "
                "give the data an attribute `digest`"
            ) from None
        digest.update(hashlib.sha256(text.encode()).digest())
    return digest.hexdigest()
