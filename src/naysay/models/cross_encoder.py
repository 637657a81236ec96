"""Cross-encoders: sentence-pair classifiers, such as those for NLI and similarity.

Both orders of a pair are scored, since two sentences that mean the same entail each other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from naysay.core.errors import ModelError
from naysay.core.probes import ChooseClosest, Closest
from naysay.models.lm.batch_sizes import BatchSizes
from naysay.models.lm.finite import diverged, first_fault
from naysay.models.sentence.loading import CrossEncoderOptions, load_cross_encoder
from naysay.models.sentence.sentence_model import (
    SentenceAdapter,
    SentenceModel,
    closest,
    equal_lengths,
    forget_oldest,
)

# Labels of models on the hub, compared without case and punctuation.
_SAME = ("entailment", "entail", "entails", "paraphrase", "equivalent", "duplicate", "same")


def same_label(name: str, labels: Mapping[int, str], wanted: str | None) -> int:
    """Return the number of the label that means "the same"; raise an error if it is unclear.

    `wanted` is the user's choice, a label or its number.

    >>> same_label("m", {0: "contradiction", 1: "entailment", 2: "neutral"}, None)
    1
    """
    listed = ", ".join(f"{number} = {label}" for number, label in sorted(labels.items()))
    if wanted is not None:
        found = [n for n, label in labels.items() if wanted in (str(n), label)]
        if len(found) != 1:
            raise ModelError(f"{name} has no label {wanted!r}; its labels are {listed}")
        return found[0]
    if len(labels) == 1:
        return next(iter(labels))
    found = [number for number, label in labels.items() if _plain(label) in _SAME]
    if len(found) != 1:
        raise ModelError(
            f"{name}: cannot determine which label says that two sentences mean the same; its "
            f"config.json has {listed}. Choose one with --label."
        )
    return found[0]


def _plain(label: str) -> str:
    return re.sub(r"[^a-z]", "", label.lower().removeprefix("is_"))


Pair = tuple[str, str]
_REMEMBERED = 200_000  # pairs whose scores are cached, so that each is computed once


class CrossEncoderModel(SentenceModel):
    """Scores a pair by its label for "the same", averaged over both orders."""

    kind = "cross_encoder"

    @cached_property
    def _labels(self) -> dict[int, str]:
        labels = getattr(self._model.config, "id2label", None) or {}
        named = {int(number): str(label) for number, label in labels.items()}
        return {k: named.get(k, f"LABEL_{k}") for k in range(self._model.num_labels)}

    @cached_property
    def _same(self) -> int:
        return same_label(self.name, self._labels, self._request.options.get("label"))

    @property
    def _scale(self) -> str:
        return "score" if len(self._labels) == 1 else self._labels[self._same].lower()

    @cached_property
    def _scores(self) -> dict[Pair, tuple[float, bool]]:
        return {}

    def notes(self) -> list[str]:
        """Return the labels and which one is used as "the same"."""
        mapping = ", ".join(f"{k} = {label}" for k, label in self._labels.items())
        same = f"{self._labels[self._same]!r} is used for the same meaning"
        return [f"labels: {mapping}; {same}"]

    def choose(self, probes: Sequence[ChooseClosest]) -> list[Closest]:
        """Return the scores of the text with each option, averaged over both orders."""
        pairs = {
            pair: None
            for probe in probes
            for option in probe.options
            for pair in ((probe.text, option), (option, probe.text))
        }
        self._read([pair for pair in pairs if pair not in self._scores])
        answers = [self._closest(probe) for probe in probes]
        forget_oldest(self._scores, _REMEMBERED)
        return answers

    def _closest(self, probe: ChooseClosest) -> Closest:
        text, raw, cut = probe.text, [], False
        for option in probe.options:
            (there, cut_there), (back, cut_back) = (
                self._scores[pair] for pair in ((text, option), (option, text))
            )
            raw.append((there + back) / 2)
            cut = cut or cut_there or cut_back
        shown = [self._shown(score) for score in raw]
        return closest(shown, self._scale, self._request.precision, decisive=raw, cut=cut)

    def _shown(self, score: float) -> float:
        """Return a probability, or the model's activation of its single score."""
        import torch

        if len(self._labels) > 1:
            return math.exp(score)
        return float(self._model.activation_fn(torch.tensor([score])))

    def _read(self, pairs: list[Pair]) -> None:
        model = self._model
        ids = model.tokenizer(pairs, truncation=False, verbose=False)["input_ids"] if pairs else []
        lengths = {pair: len(pieces) for pair, pieces in zip(pairs, ids, strict=True)}
        longest = model.get_max_seq_length()
        groups = equal_lengths(pairs, lengths.__getitem__)
        for batch, scores in self._sizes.batches(groups, self._sames):
            bad = [pair for pair, s in zip(batch, scores, strict=True) if not math.isfinite(s)]
            if bad:
                raise self._refused(bad[0])
            for pair, score in zip(batch, scores, strict=True):
                self._scores[pair] = score, bool(longest) and lengths[pair] > longest

    def _sames(self, batch: list[Pair]) -> list[float]:
        """Return the score of sameness of each pair."""
        import torch

        with torch.inference_mode():
            logits = self._logits(batch)
            if len(self._labels) > 1:
                logits = logits.log_softmax(dim=-1)
            found: list[float] = logits[:, self._same].tolist()
        return found

    @cached_property
    def _sizes(self) -> BatchSizes:
        request = self._request
        return BatchSizes(request.token_budget, request.batch_size, str(self._model.device))

    def _refused(self, pair: Pair) -> ModelError:
        part = first_fault(self._model, lambda: self._logits([pair]))
        return diverged(self.name, " / ".join(pair), part, self._request.precision)

    def _logits(self, batch: list[Pair]) -> Any:
        """Return what the model says about each pair, before any activation."""
        from sentence_transformers.util import batch_to_device

        model = self._model
        features = batch_to_device(model.preprocess(batch), model.device)
        return model(features)["scores"].float().reshape(len(batch), -1)

    def facts(self) -> dict[str, Any]:
        """Return the facts of any sentence model, and the labels."""
        labels = {str(k): label for k, label in self._labels.items()}
        return {**super().facts(), "labels": labels, "same": self._labels[self._same]}


ADAPTER = SentenceAdapter(
    kind="cross_encoder",
    prefixes=("cross_encoder", "cross"),
    options_type=CrossEncoderOptions,
    sentence_type="CrossEncoder",
    endings=("ForSequenceClassification",),
    summary="any sentence-pair classifier: inference (NLI), similarity (STS), paraphrase",
    model_type=CrossEncoderModel,
    load=load_cross_encoder,
)
