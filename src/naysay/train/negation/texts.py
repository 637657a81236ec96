"""The sentences for training and evaluation, and the change of the loss on the latter.

Masked models predict the same masked tokens before and after, causal models every token. The mean
loss over tokens is the logarithm of the perplexity, for masked models of a pseudo-perplexity. The
interval is clustered by sentence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from naysay.core.errors import DatasetError
from naysay.core.files import read_text
from naysay.core.keys import file_digest, seeded_order
from naysay.stats.clusters import Codes, Floats
from naysay.stats.difference import paired_difference
from naysay.train.checkpoints import read_record, write_sections
from naysay.train.collation import IGNORED, CausalCollator, MaskedCollator
from naysay.train.negation.settings import NegationSettings
from naysay.train.plan import TrainingItem

_SECTION = "extraction"
_SENTENCES, _PLAIN = "sentences.txt", "plain.txt"
_TRIAL = 500  # held-out sentences at most; a tenth of all if that is fewer


@dataclass(frozen=True)
class Texts:
    """The training sentences, two kinds of held-out sentences, and the extraction's record."""

    training: list[str]
    negated: list[str]
    """Held-out sentences like those for training, so with negation and contrast."""
    plain: list[str]
    """Held-out sentences without negation."""
    about: dict[str, Any]
    """The extraction's counts and leaks."""
    summary: str


def prepare(settings: NegationSettings) -> Texts:
    """Extract the sentences from the corpus, if necessary, and split them by the seed."""
    folder = settings.folder
    section = read_record(folder).get(_SECTION)
    if section is None or section["files"] != _digests(folder):
        section = _extract(settings)
    sentences, plain = (_lines(folder / name) for name in (_SENTENCES, _PLAIN))
    if len(set(sentences)) < 2:
        raise DatasetError(
            f"--rule {settings.rule} keeps {len(set(sentences))} sentences of the corpus, "
            "test sentences apart; training needs at least two. Give more text with --corpus, or "
            f"another --rule.\n{section['summary']}"
        )
    seed = settings.plan.seed
    distinct = list(dict.fromkeys(sentences))  # a held-out sentence counts once
    trial = min(_TRIAL, max(1, len(distinct) // 10))
    negated = seeded_order(distinct, seed, "trial")[:trial]
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
    """Return the lines of a file; only a newline ends a line."""
    if not path.is_file():
        return []
    return [line for line in read_text(path).split("\n") if line]


_BATCH = 8  # small, since each token needs the logits of the whole vocabulary


@dataclass(frozen=True)
class LossChange:
    """The mean loss per token before and after, and the difference with its interval."""

    text: str
    """The kind of sentences."""
    before: float
    after: float
    change: float
    low: float | None
    high: float | None
    tokens: int
    sentences: int

    @property
    def perplexities(self) -> tuple[float, float]:
        """The perplexities before and after."""
        return math.exp(self.before), math.exp(self.after)

    @property
    def ratio(self) -> tuple[float, float | None, float | None]:
        """The ratio of the perplexities, with its bounds."""
        low, high = (None if b is None else math.exp(b) for b in (self.low, self.high))
        return math.exp(self.change), low, high

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class TokenLosses:
    """The loss of each predicted token, with the number of its sentence."""

    values: Floats
    sentences: Codes


def token_losses(
    model: Any, tokenizer: Any, texts: Sequence[str], kind: str, max_length: int, seed: int
) -> TokenLosses:
    """Compute the losses of the tokens of all texts, in fp32 and without dropout."""
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
    """Compute the paired difference on the same tokens, with sentences as clusters."""
    differences = after.values - before.values
    found = None
    if np.ptp(differences) > 0:  # nothing to bootstrap if the training changed nothing
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
