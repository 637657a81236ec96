"""What an embedder is trained for: to tell negations from paraphrases, and else to stay as it is.

Each sentence of a group must be nearer to its paraphrase than to the two others, as in a test with
three options, and sentences of any words must come apart from their negations. The untouched model
itself knows where a negated sentence belongs: "not wet" is drawn to the place where that model has
"dry". General sentences must stay where they are. The plain ones of a group are free: opposites
have to come apart, too, since many lie so close that no negation fits between them. What must stay
counts less at first: the model has to leave the place where all four sentences of a group are
alike, which takes some freedom. There is no dropout, whose noise would count as movement.

What is tested and saved is the mean of the weights of all steps from then on: steps move general
sentences to and fro, which a mean undoes, and what they learn of negation is the same in all.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cosine_similarity, cross_entropy, normalize

from naysay.core.keys import content_key
from naysay.train.embedder.frontier import weakened
from naysay.train.plan import TrainingItem

SIZE = 4
"""Sentences of a group: plain and negated, with either word."""
_TOGETHER = 22  # texts that are encoded at a time
_DENIED = 8  # sentences of any words in a batch, each with its negation
_NEAREST, _DENIAL = 0.65, 1.0
"""How near a sentence and its negation may be, and the weight of what is nearer."""
_DRAWN = 1.0  # the weight of negated sentences' way to where they belong
_FIRST = 0.1  # the share of the weight of what must stay, at the beginning
_GROWN = 0.3  # the part of the training after which it counts fully, and weights enter the mean
_STATED, _NEGATED = [0, 2], [1, 3]
"""The plain sentences of a group, and their negations."""
_PAIRINGS = ((3, 2, 1, 0), (1, 0, 3, 2), (2, 3, 0, 1))
"""The paraphrase of each sentence of a group; the others are for the shuffled control."""


def default_prompt(embedder: Any) -> str | None:
    """Return the text that the model puts before each sentence where none is named."""
    found: str | None = (embedder.prompts or {}).get(embedder.default_prompt_name or "")
    return found or None


@dataclass(frozen=True)
class GroupCollator:
    """Makes a batch of groups and as many general sentences, drawn by the seed, as it should."""

    embedder: Any
    denials: Sequence[tuple[str, str]]
    """Sentences of any words, and their negations."""
    general: Sequence[str]
    development: Sequence[str]
    """General sentences for evaluations."""
    count: int
    """General sentences of a batch."""
    seed: int
    total: int
    """Groups of the whole training, by which the collator knows how far it is."""
    shuffled: bool
    """Whether the paraphrase of a sentence is drawn at random: a control that learns nothing."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What else decides the weights."""

    @property
    def digest(self) -> str:
        """A hash of all that a batch depends on but the groups."""
        numbers = [self.count, self.seed, self.shuffled, default_prompt(self.embedder)]
        texts = [list(map(list, self.denials)), list(self.general), list(self.development)]
        return content_key([numbers, *texts, self.settings])

    def __call__(self, items: Sequence[TrainingItem]) -> dict[str, Any]:
        """Return the features of all sentences, and the number of each group's pairing."""
        training = items[0].epoch >= 0
        rng = np.random.default_rng([self.seed, items[0].epoch + 1, items[0].index])
        among = self.general if training else self.development
        texts = [text for item in items for text in item.value]
        texts += _drawn(rng, among, self.count)
        denied = _drawn(rng, self.denials, _DENIED)
        texts += [plain for plain, _ in denied] + [negated for _, negated in denied]
        pairings = np.zeros(len(items), np.int64)
        if self.shuffled:
            pairings = rng.integers(len(_PAIRINGS), size=len(items))
        features = self.embedder.preprocess(texts, prompt=default_prompt(self.embedder))
        progress = items[0].index / self.total if training else 1.0
        return {
            **features,
            "labels": torch.from_numpy(pairings),
            "progress": torch.tensor(progress, dtype=torch.float32),
            "denied": torch.tensor(len(denied)),
        }


def _moved(now: Any, then: Any) -> Any:
    """Return how far vectors are from where they should be, on average."""
    return (1 - cosine_similarity(now, then, dim=-1)).mean()


def _vectors(embedder: Any, features: dict[str, Any]) -> Any:
    """Return the vectors of all texts, of length 1.

    Texts of similar length are encoded together, since most of a batch would be padding else.
    """
    mask = features.get("attention_mask")
    if mask is None or mask.dim() != 2 or len(mask) < 2 * _TOGETHER:
        return normalize(embedder(dict(features))["sentence_embedding"], dim=1)
    order = torch.argsort(mask.sum(1), stable=True)
    parts = []
    for rows in order.split(_TOGETHER):
        columns = mask[rows].any(0)
        part = {
            name: value[rows][:, columns]
            if torch.is_tensor(value) and value.shape == mask.shape
            else value
            for name, value in features.items()
        }
        parts.append(embedder(part)["sentence_embedding"])
    return normalize(torch.cat(parts)[torch.argsort(order)], dim=1)


def _drawn(rng: np.random.Generator, among: Sequence[Any], count: int) -> list[Any]:
    places = rng.choice(len(among), min(count, len(among)), replace=False)
    return [among[int(place)] for place in places]


class Objective(torch.nn.Module):  # type: ignore[misc]
    """A SentenceTransformer with its loss, as the training loop takes it."""

    accepts_loss_kwargs = False

    def __init__(
        self, embedder: Any, temperature: float, keep: float, strength: float = 1.0
    ) -> None:
        super().__init__()
        self.embedder = embedder
        self._temperature, self._keep = temperature, keep
        self._strength = strength
        # In a list, so that it is neither trained nor saved.
        self._untouched = [copy.deepcopy(embedder).eval().requires_grad_(False)]
        self.mean = copy.deepcopy(embedder).eval().requires_grad_(False)
        self.register_buffer("averaged", torch.zeros((), dtype=torch.int64))
        self.config = SimpleNamespace()

    def train(self, mode: bool = True) -> Objective:
        """Train without dropout: the embedder itself always works as in use."""
        super().train(mode)
        self.embedder.eval()
        self.mean.eval()
        return self

    @property
    def dtype(self) -> Any:
        """The type of the weights."""
        return next(self.parameters()).dtype

    @property
    def untouched(self) -> Any:
        """The model as it was before training."""
        return self._untouched[0]

    @property
    def taught(self) -> Any:
        """The model that the training has led to: that of the mean weights, if there are any."""
        return self.mean if int(self.averaged) else self.embedder

    def _average(self) -> None:
        """Let the weights of this step enter the mean."""
        self.averaged += 1
        with torch.no_grad():
            for mean, weight in zip(
                self.mean.parameters(), self.embedder.parameters(), strict=True
            ):
                mean.lerp_(weight, 1.0 / int(self.averaged))

    def forward(self, labels: Any, progress: Any, denied: Any, **features: Any) -> dict[str, Any]:
        """Return the loss of a batch: that within groups, and the weighted change of the rest."""
        if self.training and float(progress) >= _GROWN:
            self._average()
        own = _vectors(self.embedder if self.training else self.taught, features)
        with torch.no_grad():
            before = _vectors(self.untouched.to(own.device), features)
        count, apart = SIZE * len(labels), int(denied)
        parts = [count, len(own) - count - 2 * apart, apart, apart]
        grouped, general, plain, denials = own.split(parts)
        then, same, stated, _ = before.split(parts)
        groups, places = (vectors.unflatten(0, (-1, SIZE)) for vectors in (grouped, then))
        moved = _moved(torch.cat([general, plain]), torch.cat([same, stated]))
        if not self.training:  # a step is chosen by its errors, since losses grow with confidence
            return {"loss": self._errors(groups) + moved}
        weight = self._keep * (_FIRST + (1 - _FIRST) * (progress / _GROWN).clamp(max=1.0))
        partners = torch.tensor(_PAIRINGS, device=own.device)[labels][:, _NEGATED]
        belong = places.gather(1, partners[..., None].expand(-1, -1, places.shape[2]))
        drawn = _moved(groups[:, _NEGATED], belong)
        near = cosine_similarity(groups[:, _STATED], groups[:, _NEGATED], dim=-1).flatten()
        near = torch.cat([cosine_similarity(plain, denials), near])
        denial = (near - _NEAREST).clamp(min=0.0).mean() * (0.0 if labels.any() else _DENIAL)
        loss = self._contrast(groups, labels) + weight * moved + _DRAWN * drawn + denial
        return {"loss": loss}

    def _errors(self, groups: Any) -> Any:
        """The share of sentences whose paraphrase is not the nearest of the group."""
        near = groups @ groups.transpose(1, 2) - 2 * torch.eye(SIZE, device=groups.device)
        right = near.argmax(2) == torch.tensor(_PAIRINGS[0], device=groups.device)
        return 1 - right.float().mean()

    def _contrast(self, groups: Any, labels: Any) -> Any:
        """The loss of choosing the paraphrase among the other sentences of the group."""
        device = groups.device
        scores = groups @ groups.transpose(1, 2) / self._temperature
        itself = torch.eye(SIZE, dtype=torch.bool, device=device)
        paraphrase = torch.tensor(_PAIRINGS, device=device)[labels]
        return cross_entropy(
            scores.masked_fill(itself, -torch.inf).flatten(0, 1), paraphrase.flatten()
        )

    def save_pretrained(self, folder: Path) -> None:
        """Write the model as sentence-transformers reads it; the card is written elsewhere.

        From then on the weights are those that are written.
        """
        weakened(self.untouched, self.taught, self._strength)
        self._strength = 1.0
        self.taught.save_pretrained(str(folder), create_model_card=False)

    def take_weights(self, folder: Path) -> None:
        """Load the weights of a finished model, or of a checkpoint."""
        from safetensors.torch import load_file
        from sentence_transformers import SentenceTransformer

        if (folder / "modules.json").is_file():
            saved = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
            for one in (self.embedder, self.mean):
                one.load_state_dict(saved.state_dict())
            self._strength = 1.0  # they were weakened before they were written
        else:
            self.load_state_dict(load_file(str(folder / "model.safetensors")))
        self.eval()
