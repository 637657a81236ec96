"""The steps of teaching an embedder; finished steps are skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from naysay.core.console import notify
from naysay.models.lm.processor import prepare_precision
from naysay.train.checkpoints import claim, read_record, write_sections
from naysay.train.embedder.figures import (
    Change,
    Vectors,
    changes,
    encoded,
    kept_shares,
    share_right,
    texts_of,
)
from naysay.train.embedder.frontier import Tradeoff, along
from naysay.train.embedder.general import GeneralSentences, general_sentences
from naysay.train.embedder.groups import Parts, denials, framed_pairs, given_groups, lessons, parted
from naysay.train.embedder.guard import Screened, screened
from naysay.train.embedder.settings import EmbedderSettings, Start, find_start
from naysay.train.embedder.trials import ItemSet, Trials, find_trials, own_sets
from naysay.train.trainer import Trained, finished, fit

_SECTION, _FIGURES, _MATERIAL, _TRADEOFFS = "embedder", "figures", "material", "tradeoffs"
_TOLD = 300  # development sentences whose neighbours are watched


@dataclass(frozen=True)
class EmbedderResult:
    """The trained embedder's folder, what it was trained on, and what changed."""

    folder: Path
    model: str
    licence: str
    material: dict[str, Any]
    """Counts of groups and general sentences, and of what was left out for a test."""
    trained: Trained
    changes: tuple[Change, ...]
    tradeoffs: tuple[Tradeoff, ...]
    """What more and less of the learned change would give, in order."""
    strength: float
    shuffled: bool

    @property
    def curve(self) -> list[dict[str, Any]]:
        """The development part in the course of training: step, loss, right, kept."""
        merged: dict[int, dict[str, Any]] = {}
        for entry in self.trained.history:
            if "eval_loss" in entry or "right" in entry:
                merged.setdefault(int(entry["step"]), {"step": int(entry["step"])}).update(entry)
        return [
            {"step": step, "loss": entry.get("eval_loss"), "right": entry.get("right"),
             "kept": entry.get("kept")}
            for step, entry in sorted(merged.items())
        ]  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        return {
            "folder": str(self.folder),
            "model": self.model,
            "licence": self.licence,
            "material": self.material,
            "training": self.trained.as_dict(),
            "changes": [change.as_dict() for change in self.changes],
            "tradeoffs": [point.as_dict() for point in self.tradeoffs],
            "strength": self.strength,
            "curve": self.curve,
            "shuffled": self.shuffled,
        }


@dataclass(frozen=True)
class Material:
    """All sentences of a training, and its tests."""

    trials: Trials
    screening: Screened
    parts: Parts
    general: GeneralSentences

    @property
    def sets(self) -> list[ItemSet]:
        """All items that are tested, upstream's first."""
        return [*self.trials.given, *own_sets(self.trials, self.parts.training)]

    def as_dict(self) -> dict[str, Any]:
        """Return the counts."""
        parts, general = self.parts, self.general
        words = {(group.word, group.antonym) for group in parts.training}
        return {
            "groups": len(parts.training),
            "pairs": len(words),
            "negators": sorted({group.negator for group in parts.training}),
            "development": len(parts.development),
            "general": len(general.training),
            "left_out": dict(self.screening.left_out),
            "left_out_examples": list(self.screening.examples),
            "general_left_out": {"negation": general.negated, "test word": general.leaks},
            "checked": [
                f"{one.name} ({len(one.items):,} items)" for one in self.trials.given
            ] + [f"{self.trials.own_name} (the half for testing)"],
            "not_checked": list(self.trials.missing),
        }  # fmt: skip


def leak_notice(material: dict[str, Any]) -> str:
    """Say how many groups were left out for a test, and which tests were looked at."""
    reasons = material["left_out"]
    count = sum(reasons.values())
    told = ", ".join(f"{number:,} for a {reason}" for reason, number in sorted(reasons.items()))
    checked = ", ".join(material["checked"])
    why = f" ({told})" if told else ""
    return f"Left out for the tests: {count:,} groups{why}. Checked: {checked}."


def missing_notice(material: dict[str, Any]) -> str:
    """Say which data sets are not here, and how to get them; empty if all are."""
    missing = material["not_checked"]
    if not missing:
        return ""
    commands = "; ".join(f"naysay data get {name}" for name in missing)
    return (
        f"Not downloaded, so neither checked for leaks nor tested: {', '.join(missing)}. "
        f"Get it with: {commands}"
    )


def train_embedder(settings: EmbedderSettings) -> EmbedderResult:
    """Test the embedder, teach it, test it again and compare.

    The same call resumes an interrupted one.
    """
    prepare_precision(settings.plan.precision, settings.plan.device)  # before torch is imported
    start = find_start(settings)
    folder = settings.folder
    settings.check_place()
    trials = find_trials(settings.items, settings.data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    claim(folder, _SECTION, settings.identity(start.digest, trials.digest))
    record = read_record(folder)
    done, figures = finished(folder), record.get(_FIGURES)
    if done is not None and figures is not None:
        notify(f"{folder}: already trained")
        found = [Change(**change) for change in figures]
        points = [Tradeoff(**point) for point in record[_TRADEOFFS]]
        return _result(settings, start, record[_MATERIAL], done, found, points)
    material = prepare(settings, trials)
    counts = material.as_dict()
    notify(
        f"{counts['groups']:,} groups of {counts['pairs']:,} pairs of opposites to train on, "
        f"{counts['development']:,} to choose the step by, {counts['general']:,} general sentences"
    )
    for line in (leak_notice(counts), missing_notice(counts)):
        if line:
            notify(line)
    write_sections(folder, **{_MATERIAL: counts})
    trained, changed, points = _trained(settings, start, material)
    sections = {_TRADEOFFS: [point.as_dict() for point in points]}
    write_sections(folder, **sections, **{_FIGURES: [change.as_dict() for change in changed]})
    return _result(settings, start, counts, trained, changed, points)


def _result(
    settings: EmbedderSettings, start: Start, material: dict[str, Any], trained: Trained,
    changed: Sequence[Change], tradeoffs: Sequence[Tradeoff],
) -> EmbedderResult:  # fmt: skip
    return EmbedderResult(
        settings.folder, start.name, start.licence, material, trained, tuple(changed),
        tuple(tradeoffs), settings.strength, settings.shuffle,
    )  # fmt: skip


def prepare(settings: EmbedderSettings, trials: Trials) -> Material:
    """Make the groups and read the general sentences, without what is a test's."""
    seed, content = settings.plan.seed, trials.content
    given = settings.frames is not None or settings.pairs is not None
    groups = given_groups(settings.frames, settings.pairs) if given else framed_pairs(seed)
    screening = screened(groups, content)
    general = general_sentences(settings.general, content, seed)
    return Material(trials, screening, parted(screening.groups), general)


def _trained(
    settings: EmbedderSettings, start: Start, material: Material
) -> tuple[Trained, list[Change], list[Tradeoff]]:
    from naysay.models.lm.linear_layers import speed_up
    from naysay.models.lm.loading import choose_device
    from naysay.train.embedder.objective import GroupCollator, Objective, default_prompt
    from naysay.train.embedder.sparing import sparing_optimizer

    notify(f"loading {start.name} …")
    embedder = start.load().to(choose_device(settings.plan.device))
    speed_up(embedder)
    sets, similarity, general = material.sets, material.trials.similarity, material.general
    texts = texts_of(sets, similarity, general.test)
    notify(f"testing on {len(set(texts)):,} sentences …")
    before = encoded(embedder, texts)
    objective = Objective(embedder, settings.temperature, settings.keep, settings.strength)
    parts = material.parts
    count = settings.plan.draws(len(parts.training))
    decisive = {"temperature": settings.temperature, "keep": settings.keep}
    collate = GroupCollator(
        embedder, denials(general.training, material.trials.content, settings.plan.seed),
        general.training, general.development, settings.general_batch,
        settings.plan.seed, count, settings.shuffle, decisive,
    )  # fmt: skip
    trained = fit(
        objective,
        lessons(parts, count, settings.plan.seed),
        collate,
        settings.plan,
        settings.folder,
        evaluation=[list(group.sentences) for group in parts.development],
        callbacks=[_watch(objective, material)],
        optimizer=sparing_optimizer(
            embedder, general.training, default_prompt(embedder), settings.plan
        ),
    )
    notify("testing again …")

    def compared(model: Any) -> list[Change]:
        return changes(before, encoded(model, texts), sets, similarity, general.test)

    changed = compared(objective.taught)
    points = [Tradeoff.of(settings.strength, changed)]
    for strength, model in along(objective.untouched, objective.taught, settings.strength):
        points.append(Tradeoff.of(strength, compared(model)))
    return trained, changed, sorted(points, key=lambda point: point.strength)


def _watch(objective: Any, material: Material) -> Any:
    """Return a callback that logs how the development part fares at each evaluation."""
    from transformers import TrainerCallback

    from naysay.train.callback import unmoved

    groups, general = material.parts.development, material.general.development[:_TOLD]
    texts = [*(text for group in groups for text in group.sentences), *general]
    untouched: list[Vectors] = []

    class Watch(TrainerCallback):  # type: ignore[misc]
        def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            with unmoved(objective):
                if not untouched:
                    untouched.append(encoded(objective.untouched, general))
                vectors = encoded(objective.taught, texts)
            figures = {
                "right": share_right(vectors, groups),
                "kept": float(kept_shares(untouched[0], vectors, general).mean()),
            }
            # Beside the loss of this evaluation, which is the last entry.
            state.log_history[-1].update(figures)

    return Watch()
