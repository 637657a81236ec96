"""Collators for masked and causal training, and a BERT whose head runs at masked tokens only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from torch.nn.functional import cross_entropy
from transformers import BertForMaskedLM
from transformers.modeling_outputs import MaskedLMOutput

from naysay.core.errors import SpecError
from naysay.core.keys import content_key, draw
from naysay.train.plan import TrainingItem

SHARE = 0.15
"""The share of tokens to predict."""
_MASKED, _REPLACED = 0.8, 0.1  # the shares of these that are masked, and replaced by another token
IGNORED = -100
"""The label of a token that is not predicted."""


@dataclass(frozen=True, eq=False)
class MaskedCollator:
    """Collates texts, or token ids, with some tokens to predict.

    15 % of all tokens are chosen, at least one in each text; of these 80 % are masked, 10 % are
    replaced and 10 % are kept. With `only_masks` all of them are masked, as in evaluations.
    """

    tokenizer: Any
    max_length: int
    seed: int = 0
    only_masks: bool = False

    @property
    def digest(self) -> str:
        """A hash of everything that affects a batch, besides the examples."""
        settings = ["masked", SHARE, self.max_length, self.seed, self.only_masks]
        return content_key([*settings, _vocabulary(self.tokenizer)])

    def __call__(self, items: Sequence[TrainingItem]) -> dict[str, Any]:
        """Return the batch, padded to its longest text."""
        texts = numbered(self.tokenizer, [item.value for item in items], self.max_length)
        special = set(self.tokenizer.all_special_ids)
        chosen = [
            self._masked(text, special, item) for text, item in zip(texts, items, strict=True)
        ]
        return padded(self.tokenizer, [ids for ids, _ in chosen], [labels for _, labels in chosen])

    def _masked(self, text: list[int], special: set[int], item: TrainingItem) -> tuple[Any, Any]:
        ids = np.array(text, dtype=np.int64)
        labels = np.full_like(ids, IGNORED)
        free = np.flatnonzero([number not in special for number in text])
        if not len(free):
            return ids, labels
        rng = np.random.default_rng(draw("mask", self.seed, item.index, item.epoch))
        lots = rng.random(len(free))
        places = free[lots < max(SHARE, float(np.nextafter(lots.min(), 1)))]
        labels[places] = ids[places]
        fates = rng.random(len(places))
        others = rng.integers(len(self.tokenizer), size=len(places))
        if self.only_masks:
            fates = np.zeros_like(fates)
        ids[places[fates < _MASKED]] = self.tokenizer.mask_token_id
        replaced = (fates >= _MASKED) & (fates < _MASKED + _REPLACED)
        ids[places[replaced]] = others[replaced]
        return ids, labels


@dataclass(frozen=True, eq=False)
class CausalCollator:
    """Collates texts, or token ids, each token to be predicted from those before it.

    The model itself shifts the labels.
    """

    tokenizer: Any
    max_length: int
    shifted: ClassVar[bool] = True
    """The first token of a text is not predicted."""

    @property
    def digest(self) -> str:
        """A hash of everything that affects a batch, besides the examples."""
        return content_key(["causal", self.max_length, _vocabulary(self.tokenizer)])

    def __call__(self, items: Sequence[TrainingItem]) -> dict[str, Any]:
        """Return the batch, padded to its longest text."""
        texts = numbered(self.tokenizer, [item.value for item in items], self.max_length)
        ids = [np.array(text, dtype=np.int64) for text in texts]
        return padded(self.tokenizer, ids, ids)


def numbered(tokenizer: Any, values: Sequence[Any], max_length: int) -> list[list[int]]:
    """Return token ids, truncated to the length; ids are passed through."""
    texts = [value for value in values if isinstance(value, str)]
    if not texts:
        return [list(value)[:max_length] for value in values]
    if len(texts) < len(values):
        raise TypeError("a batch has either texts or token ids, not both")
    found: list[list[int]] = tokenizer(texts, truncation=True, max_length=max_length)["input_ids"]
    return found


def padded(tokenizer: Any, texts: Sequence[Any], labels: Sequence[Any]) -> dict[str, Any]:
    """Pad the texts and their labels to tensors of equal length."""
    import torch

    shape = (len(texts), max(map(len, texts)))
    filler = tokenizer.pad_token_id
    ids = np.full(shape, 0 if filler is None else filler, dtype=np.int64)
    targets = np.full(shape, IGNORED, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    for row, (text, label) in enumerate(zip(texts, labels, strict=True)):
        ids[row, : len(text)], targets[row, : len(text)], mask[row, : len(text)] = text, label, 1
    arrays = {"input_ids": ids, "attention_mask": mask, "labels": targets}
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def packed(tokenizer: Any, texts: Iterable[str], max_length: int) -> list[list[int]]:
    """Concatenate the texts and split them into sequences of the full length.

    Texts are separated by the end-of-text token, if the tokenizer has one. Each sequence has the
    special tokens that the tokenizer puts around a text. The remainder is a sequence, too.
    """
    plain = tokenizer("")["input_ids"]
    ends = tokenizer.eos_token_id if tokenizer.sep_token_id is None else tokenizer.sep_token_id
    before = plain[:1] if len(plain) in (1, 2) and plain[0] != ends else []
    after = plain[-1:] if len(plain) == 2 or (plain and not before) else []
    room = max_length - len(before) - len(after)
    between = [] if ends is None else [ends]
    stream: list[int] = []
    pieces = []
    for text in texts:
        stream += tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"] + between
        while len(stream) >= room:
            pieces.append([*before, *stream[:room], *after])
            del stream[:room]
    if stream:
        pieces.append([*before, *stream, *after])
    return pieces


def filled(tokenizer: Any, texts: Iterable[str], max_length: int) -> list[list[int]]:
    """Put as many whole texts into each sequence as fit, in their order.

    A sequence is one `[CLS]`, and a `[SEP]` after each text. A text that is too long for a sequence
    is an error, since nothing is cut.
    """
    sequences: list[list[int]] = []
    room = 0
    for text in texts:
        ids = [*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.sep_token_id]
        if len(ids) > room:
            sequences.append([tokenizer.cls_token_id])
            room = max_length - 1
        if len(ids) > room:
            raise SpecError(f"{text!r} has more than {max_length} tokens, special ones included")
        sequences[-1] += ids
        room -= len(ids)
    return sequences


def _vocabulary(tokenizer: Any) -> str:
    return content_key(sorted(tokenizer.get_vocab().items()))


class SparseMaskedLM(BertForMaskedLM):  # type: ignore[misc]
    """A BERT whose head runs at labelled positions only; the loss is the same."""

    def forward(self, input_ids: Any, labels: Any = None, **given: Any) -> Any:
        """Compute the loss at the labelled positions; without labels, run the plain model."""
        if labels is None:
            return super().forward(input_ids=input_ids, **given)
        given.pop("num_items_in_batch", None)  # from the trainer, for summed losses
        hidden = self.bert(input_ids=input_ids, **given).last_hidden_state
        asked = labels != IGNORED
        logits = self.cls(hidden[asked])
        return MaskedLMOutput(loss=cross_entropy(logits, labels[asked]), logits=logits)

    def plain(self) -> BertForMaskedLM:
        """Return the model as transformers' own class."""
        model = BertForMaskedLM(self.config)
        model.load_state_dict(self.state_dict())
        return model.eval()
