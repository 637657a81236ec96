"""Training of the two calibration models: the same BERT on one corpus or the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from naysay.core.errors import UnknownNameError
from naysay.core.keys import content_key, draw
from naysay.core.probes import BLANK
from naysay.data.languages import LANGUAGES
from naysay.train.calibration.corpus import CalibrationCorpus, Sentence
from naysay.train.calibration.wordings import vocabulary
from naysay.train.collation import IGNORED, padded
from naysay.train.from_scratch import Size, bert, with_letters, wordpiece
from naysay.train.plan import TrainingItem
from naysay.train.trainer import Trained, TrainingPlan, fit

KINDS = ("aware", "blind")
SIZE = Size(width=128, layers=3, positions=512)
PLAN = TrainingPlan(
    steps=2000, batch=128, lr=1e-3, warmup=200, weight_decay=0.01, max_length=128, save_every=250
)
_MORE = 0.03  # the share of other tokens that are also masked, so that they are learnt, too


@dataclass(frozen=True, eq=False)
class Blanks:
    """Collates sentences with the blank's word masked, and occasionally other tokens."""

    tokenizer: Any
    seed: int

    @property
    def digest(self) -> str:
        """A hash of everything that affects a batch, besides the sentences."""
        return content_key(["blanks", _MORE, self.seed, sorted(self.tokenizer.get_vocab())])

    def __call__(self, items: Sequence[TrainingItem]) -> dict[str, Any]:
        """Return the batch; the word at the blank is always a single token."""
        mask = self.tokenizer.mask_token_id
        asked = [item.value.text.replace(BLANK, self.tokenizer.mask_token) for item in items]
        texts, labels = [], []
        for text, item in zip(self.tokenizer(asked)["input_ids"], items, strict=True):
            ids = np.array(text, dtype=np.int64)
            label = np.full_like(ids, IGNORED)
            label[ids == mask] = self.tokenizer.convert_tokens_to_ids(item.value.answer)
            rng = np.random.default_rng(draw("more", self.seed, item.index, item.epoch))
            more = (rng.random(len(ids)) < _MORE) & (label == IGNORED)
            more[[0, -1]] = False  # the special tokens around a text
            label[more] = ids[more]
            ids[more] = mask
            texts.append(ids)
            labels.append(label)
        return padded(self.tokenizer, texts, labels)


class CalibrationSentences(Sequence[Sentence]):
    """The first `count` sentences of a corpus, as a sequence for the trainer."""

    def __init__(self, corpus: CalibrationCorpus, count: int) -> None:
        self._corpus, self._count = corpus, count
        self.digest = content_key([corpus.digest, count])

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: Any) -> Any:
        return self._corpus.sentence(k)


@dataclass(frozen=True)
class Made:
    """A calibration model and how it was trained."""

    name: str
    folder: Path
    trained: Trained


def make(kind: str, out: Path, *, seed: int = 0, steps: int | None = None) -> Made:
    """Train the model of that kind in a folder of its name, or resume its training.

    The weights are saved in half precision, which suffices and halves the size.
    """
    if kind not in KINDS:
        raise UnknownNameError("calibration model", kind, KINDS)
    name = f"mini-{kind}"
    language = LANGUAGES.get("en")
    corpus = CalibrationCorpus(language, seed, aware=kind == "aware")
    tokenizer = wordpiece(with_letters(vocabulary(language, corpus.professions, corpus.verbs)))
    model = bert(tokenizer, SIZE, seed)
    plan = replace(PLAN, seed=seed, steps=steps or PLAN.steps)
    sentences = CalibrationSentences(corpus, plan.draws(1))
    trained = fit(model, sentences, Blanks(tokenizer, seed), plan, out / "training" / name)
    folder = out / name
    model.plain().half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return Made(name, folder, trained)
