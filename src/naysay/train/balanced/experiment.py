"""The experiment: pretrain on the corpus, test at the blanks, then fine-tune on truth values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from naysay.core.keys import content_key
from naysay.stats.clusters import Clustering, Figure, spread
from naysay.stats.intervals import share_interval
from naysay.train.balanced.corpus import PARTS, BalancedCorpus, Statement
from naysay.train.collation import MaskedCollator, filled, numbered
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
    copies: int
    """How many copies of the training sentences are concatenated and fill the sequences."""
    every: int
    """Steps between two points of the learning curve."""

    def with_pieces(self, pieces: int) -> Settings:
        """Return the settings with subjects of so many tokens, and room for as many sentences."""
        more = pieces - self.pieces
        longest = self.pieces + len(("is", "not", "a", ".", "[SEP]"))
        sentences = (self.pretraining.max_length - 1) // longest
        pretraining = self.pretraining.max_length + sentences * more
        return replace(
            self,
            pieces=pieces,
            pretraining=replace(self.pretraining, max_length=pretraining),
            finetuning=replace(self.finetuning, max_length=self.finetuning.max_length + more),
        )

    @property
    def described(self) -> str:
        """The settings in words."""
        plan, size = self.pretraining, self.size
        length = f"{plan.steps:,} steps" if plan.steps else f"{plan.epochs:,.0f} epochs"
        cut = "one token" if self.pieces == 1 else f"{self.pieces} tokens"
        return (
            f"A BERT of {size.layers} layers, {size.width} wide, dropout {size.dropout:g}; "
            f"{length} of {plan.batch} sequences of up to {plan.max_length} tokens, filled with "
            f"{self.copies} copies of the training sentences, learning rate {plan.lr:g}; "
            f"subjects of {cut}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


SMALL = Settings(
    Size(width=64, layers=2, positions=16, deviation=0.1),
    pieces=1,
    pretraining=TrainingPlan(
        steps=2400, batch=256, lr=2e-3, warmup=100, scheduler="constant_with_warmup",
        save_every=500, max_length=7,
    ),
    finetuning=TrainingPlan(epochs=6, batch=32, lr=5e-4, save_every=500, max_length=7),
    copies=10,
    every=100,
)  # fmt: skip
"""Finishes in minutes on two cores; sequences hold one sentence, which is learnt sooner."""
PAPER = Settings(
    Size(width=768, layers=12, positions=512, dropout=0.1),
    pieces=1,
    pretraining=TrainingPlan(
        epochs=2000, batch=512, lr=6e-5, warmup=0.01, weight_decay=0.01, save_every=1000,
        max_length=13,
    ),
    finetuning=TrainingPlan(
        epochs=20, batch=32, lr=4e-5, warmup=0.1, save_every=1000, max_length=7
    ),
    copies=10,
    every=500,
)  # fmt: skip
"""BERT-base with the sizes that the paper prints (Tables 6 and 7).

The longest sentence has 5 tokens, `x is not a .`: 7 hold one with its special tokens, and 13 two.
"""


@dataclass(frozen=True)
class Share:
    """A share of right answers, with its confidence interval over subjects."""

    right: int
    n: int
    low: float
    high: float

    @classmethod
    def of(cls, answers: Sequence[tuple[str, bool]]) -> Share:
        """Compute the share of right answers, each given with its subject."""
        subjects, codes = np.unique([subject for subject, _ in answers], return_inverse=True)
        values = np.array([right for _, right in answers], dtype=np.float64)
        figure = Figure(Clustering({"subjects": codes}), np.arange(len(values)), values)
        found = share_interval(float(values.mean()), spread(figure), len(values))
        assert found.low is not None and found.high is not None, f"{len(subjects)} subjects"
        return cls(int(values.sum()), len(values), found.low, found.high)

    @property
    def value(self) -> float:
        """The share."""
        return self.right / self.n

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self) | {"value": self.value}


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
        filled(tokenizer, corpus.copies(settings.copies), plan.max_length),
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
        {cell: Share.of(right) for cell, right in answers.items()},
        {cell: Share.of(right) for cell, right in verdicts.items()},
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
