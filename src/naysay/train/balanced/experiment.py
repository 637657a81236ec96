"""The experiment: pretrain on the corpus, test at the blanks, then fine-tune on truth values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from naysay.core.keys import content_key
from naysay.stats.intervals import wilson
from naysay.train.balanced.corpus import PARTS, BalancedCorpus, Statement
from naysay.train.collation import MaskedCollator, numbered
from naysay.train.from_scratch import Size, bert, classifier, wordpiece
from naysay.train.plan import TrainingItem
from naysay.train.trainer import Trained, TrainingPlan, fit


@dataclass(frozen=True)
class Settings:
    """The size of the BERT, its training, and how often it is tested."""

    size: Size
    pieces: int
    pretraining: TrainingPlan
    finetuning: TrainingPlan
    every: int
    """Steps between two points of the learning curve."""

    @property
    def described(self) -> str:
        """The settings in words."""
        plan, size = self.pretraining, self.size
        length = f"{plan.steps:,} steps" if plan.steps else f"{plan.epochs:,.0f} epochs"
        cut = "one token" if self.pieces == 1 else f"{self.pieces} tokens"
        return (
            f"A BERT of {size.layers} layers, {size.width} wide, dropout {size.dropout:g}; "
            f"{length} of {plan.batch} sentences, learning rate {plan.lr:g}; subjects of {cut}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


SMALL = Settings(
    Size(width=128, layers=2, positions=16),
    pieces=3,
    pretraining=TrainingPlan(
        steps=600, batch=340, lr=1e-3, scheduler="constant", save_every=100, max_length=13
    ),
    finetuning=TrainingPlan(epochs=40, batch=32, lr=5e-4, save_every=400, max_length=13),
    every=25,
)
"""Finishes in minutes on two cores."""
PAPER = Settings(
    Size(width=768, layers=12, positions=512, dropout=0.1),
    pieces=1,
    pretraining=TrainingPlan(
        epochs=2000, batch=512, lr=6e-5, warmup=0.01, weight_decay=0.01, save_every=50,
        max_length=13,
    ),
    finetuning=TrainingPlan(epochs=20, batch=32, lr=4e-5, warmup=0.1, save_every=50, max_length=7),
    every=20,
)  # fmt: skip
"""BERT-base with the sizes that the paper prints (Tables 6 and 7)."""


@dataclass(frozen=True)
class Share:
    """A share of right answers, with its confidence interval over subjects."""

    right: int
    n: int

    @property
    def value(self) -> float:
        """The share."""
        return self.right / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval: each subject is tested once per cell."""
        return wilson(self.right, self.n)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        low, high = self.interval
        return {"right": self.right, "n": self.n, "value": self.value, "low": low, "high": high}


@dataclass(frozen=True)
class Result:
    """The result of one seed."""

    seed: int
    cloze: Mapping[str, Share]
    classifier: Mapping[str, Share]
    curve: Sequence[Mapping[str, float]]
    """Step, loss and the four accuracies."""
    pretraining: Trained
    finetuning: Trained

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {
            "seed": self.seed,
            "cloze": {cell: share.as_dict() for cell, share in self.cloze.items()},
            "classifier": {cell: share.as_dict() for cell, share in self.classifier.items()},
            "loss": {"pretraining": self.pretraining.loss, "finetuning": self.finetuning.loss},
            "curve": [dict(point) for point in self.curve],
        }


def run_seed(seed: int, settings: Settings, out: Path) -> Result:
    """Run the experiment with one seed, or resume it."""
    from naysay.train.balanced.corpus import CELLS, Curve, by_cell, cloze, judged

    corpus = BalancedCorpus(seed, settings.pieces)
    tokenizer = wordpiece(corpus.vocabulary)
    model = bert(tokenizer, settings.size, seed)
    plan = settings.pretraining
    trained = fit(
        model,
        corpus.training,
        MaskedCollator(tokenizer, plan.max_length, seed),
        _seeded(plan, seed),
        out / "pretrained",
        callbacks=[Curve(corpus, tokenizer, settings.every)],
    )
    answers = by_cell(corpus.questions, cloze(model, tokenizer, corpus.questions))
    tuned, finetuning = _finetuned(model, tokenizer, corpus, settings, out / "finetuned", seed)
    verdicts = by_cell(corpus.statements, judged(tuned, tokenizer, corpus.statements))
    return Result(
        seed,
        {cell: Share(sum(right), len(right)) for cell, right in answers.items()},
        {cell: Share(sum(right), len(right)) for cell, right in verdicts.items()},
        [point for point in trained.history if set(CELLS) <= set(point)],
        trained,
        finetuning,
    )


@dataclass(frozen=True, eq=False)
class TruthVerdicts:
    """Collates statements with their truth values."""

    tokenizer: Any
    max_length: int

    @property
    def digest(self) -> str:
        """A hash of everything that affects a batch, besides the statements."""
        return content_key(["verdicts", self.max_length, sorted(self.tokenizer.get_vocab())])

    def __call__(self, items: Sequence[TrainingItem]) -> dict[str, Any]:
        """Return the batch, padded to its longest statement."""
        import torch

        texts = numbered(self.tokenizer, [item.value[0] for item in items], self.max_length)
        batch = dict(self.tokenizer.pad({"input_ids": texts}, return_tensors="pt"))
        return batch | {"labels": torch.tensor([int(item.value[1]) for item in items])}


def _finetuned(
    pretrained: Any, tokenizer: Any, corpus: BalancedCorpus, settings: Settings, out: Path,
    seed: int,
) -> tuple[Any, Trained]:  # fmt: skip
    """Fine-tune the pretrained body with a new head on true and false statements."""
    model = classifier(tokenizer, settings.size, seed, labels=2)
    # The pooling layer above the body is new, too: pretraining does not use it.
    model.bert.load_state_dict(pretrained.bert.state_dict(), strict=False)
    plan = settings.finetuning
    seen: list[Statement] = [s for s in corpus.statements if s.part == PARTS[0]]
    trained = fit(
        model,
        [[statement.text, statement.true] for statement in seen],
        TruthVerdicts(tokenizer, plan.max_length),
        _seeded(plan, seed),
        out,
    )
    return model, trained


def _seeded(plan: TrainingPlan, seed: int) -> TrainingPlan:
    return replace(plan, seed=seed)
