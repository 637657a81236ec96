"""What a training changed in the loss on given sentences: what was learned, and what was lost.

Masked models are asked for the same masked tokens before and after, all of them shown as the mask;
causal models for every token after those before it. The mean loss over tokens is the logarithm of
the perplexity, which for masked models is a pseudo-perplexity. Tokens of a sentence belong
together, so whole sentences are drawn for the interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from naysay.core.errors import DatasetError
from naysay.core.keys import file_digest, seeded_order
from naysay.stats.difference import paired_difference
from naysay.stats.intervals import Codes, Floats
from naysay.train.checkpoints import read_record, write_sections
from naysay.train.collation import IGNORED, CausalCollator, MaskedCollator
from naysay.train.negation.settings import NegationSettings
from naysay.train.plan import TrainingItem

_SECTION = "extraction"
_SENTENCES, _PLAIN = "sentences.txt", "plain.txt"
_TRIAL = 500  # sentences for a trial at most; a tenth of all if these are fewer


@dataclass(frozen=True)
class Texts:
    """The sentences to train on, two kinds to try the model on, and how they were found."""

    training: list[str]
    negated: list[str]
    """With negation and contrast like those for training, but kept apart from them."""
    plain: list[str]
    """Without any negation."""
    about: dict[str, Any]
    """What the extraction counted, and the leaks that it found."""
    summary: str


def prepare(settings: NegationSettings) -> Texts:
    """Take the sentences out of the corpus, unless that is done, and part them by the seed."""
    folder = settings.folder
    section = read_record(folder).get(_SECTION)
    if section is None or section["files"] != _digests(folder):
        section = _extract(settings)
    sentences, plain = (_lines(folder / name) for name in (_SENTENCES, _PLAIN))
    if len(sentences) < 2:
        raise DatasetError(
            f"{len(sentences)} sentences of the corpus have a negation and a contrast, are longer "
            "than 64 characters and are no test sentences; to train takes two at least. Give more "
            f"text with --corpus, or --rule paper.\n{section['summary']}"
        )
    seed = settings.plan.seed
    trial = min(_TRIAL, max(1, len(sentences) // 10))
    negated = seeded_order(sentences, seed, "trial")[:trial]
    apart = set(negated)
    return Texts(
        training=[sentence for sentence in sentences if sentence not in apart],
        negated=negated,
        plain=seeded_order(plain, seed, "trial")[:_TRIAL],
        about=section["found"],
        summary=section["summary"],
    )


def _extract(settings: NegationSettings) -> dict[str, Any]:
    from naysay.train.extraction import extract

    folder = settings.folder
    found = extract(
        list(settings.corpora),
        folder / _SENTENCES,
        rule=settings.rule,
        held_out=folder / _PLAIN,
        limit=settings.limit,
        seed=settings.plan.seed,
        wrapped=settings.wrapped,
    )
    section = {"files": _digests(folder), "found": found.as_dict(), "summary": found.summary}
    write_sections(folder, **{_SECTION: section})
    return section


def _digests(folder: Path) -> dict[str, str]:
    paths = [folder / name for name in (_SENTENCES, _PLAIN)]
    return {path.name: file_digest(path) for path in paths if path.is_file()}


def _lines(path: Path) -> list[str]:
    """The lines of a file; other characters that could end a line are part of it."""
    if not path.is_file():
        return []
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]


_BATCH = 8  # the scores of a whole vocabulary for each token: more would take much memory


@dataclass(frozen=True)
class LossChange:
    """The mean loss of a token before and after, and the difference with its interval."""

    text: str
    """What the sentences are."""
    before: float
    after: float
    change: float
    low: float | None
    high: float | None
    tokens: int
    sentences: int

    @property
    def perplexities(self) -> tuple[float, float]:
        """Before and after."""
        return math.exp(self.before), math.exp(self.after)

    @property
    def ratio(self) -> tuple[float, float | None, float | None]:
        """How many times as high the perplexity is after, with the bounds."""
        low, high = (None if b is None else math.exp(b) for b in (self.low, self.high))
        return math.exp(self.change), low, high

    def as_dict(self) -> dict[str, Any]:
        """The change as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class TokenLosses:
    """The loss of each token that was asked for, with the number of its sentence."""

    values: Floats
    sentences: Codes


def token_losses(
    model: Any, tokenizer: Any, texts: Sequence[str], kind: str, max_length: int, seed: int
) -> TokenLosses:
    """Ask the model, in fp32 and without dropout, for the tokens of all texts."""
    import torch
    from torch.nn.functional import cross_entropy

    collate = (
        MaskedCollator(tokenizer, max_length, seed, only_masks=True)
        if kind == "masked"
        else CausalCollator(tokenizer, max_length)
    )
    model.eval()
    values, sentences = [], []
    for start in range(0, len(texts), _BATCH):
        items = [
            TrainingItem(t, start + k, -1) for k, t in enumerate(texts[start : start + _BATCH])
        ]
        batch = {name: tensor.to(model.device) for name, tensor in collate(items).items()}
        labels = batch.pop("labels")
        with torch.inference_mode():
            logits = model(**batch).logits.float()
        if kind == "causal":
            logits, labels = logits[:, :-1], labels[:, 1:]
        rows, places = torch.nonzero(labels != IGNORED, as_tuple=True)
        losses = cross_entropy(logits[rows, places], labels[rows, places], reduction="none")
        values.append(losses.cpu().numpy().astype(np.float64))
        sentences.append(rows.cpu().numpy().astype(np.int64) + start)
    return TokenLosses(np.concatenate(values), np.concatenate(sentences))


def loss_change(text: str, before: TokenLosses, after: TokenLosses) -> LossChange:
    """The paired difference on the same tokens, with sentences as clusters."""
    differences = after.values - before.values
    found = None
    if np.ptp(differences) > 0:  # a training that changed nothing leaves nothing to draw
        found = paired_difference(differences, {"sentences": before.sentences}, bound=math.inf)
    return LossChange(
        text=text,
        before=float(before.values.mean()),
        after=float(after.values.mean()),
        change=float(differences.mean()),
        low=found.low if found else None,
        high=found.high if found else None,
        tokens=len(differences),
        sentences=len(np.unique(before.sentences)),
    )
