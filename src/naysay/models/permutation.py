"""XLNet, the permutation language model: the blank is a target that no token sees.

XLNet was trained to predict tokens in random order, each from the tokens that come earlier in that
order. Asked for the blank alone, it predicts it from all the others: the permutation mask hides the
blank from every token, itself included, and the target mapping names it as the one to predict. What
a plain forward pass returns at a mask token is something else: the model's reading of that token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import ModelError
from naysay.core.options import option
from naysay.core.protocols import Model, ModelRequest
from naysay.models.files import Weights, located
from naysay.models.files.weights import WeightsOptions, has_architecture
from naysay.models.lm.engine import Engine
from naysay.models.lm.loading import PERMUTATION, load
from naysay.models.lm.processor import prepare_precision
from naysay.models.lm.questions import Question
from naysay.models.masked import MaskedModel

_CLASSIFIES = 2  # the segment of the token at the end of each text


@dataclass(frozen=True, kw_only=True)
class PermutationOptions(WeightsOptions):
    """Options of permutation language models."""

    padding_text: str | None = option(None, "Text before every question.")


class PermutationEngine(Engine):
    """Hides the masks and the predicted positions from all tokens, and computes these alone."""

    def __init__(
        self, model: Any, device: str, token_budget: int, batch_size: int | None = None,
        *, mask: int, last: int, padding: Sequence[int] = (),
    ) -> None:  # fmt: skip
        """Take the model, its mask token, the token that ends a text, and the padding's tokens."""
        self._mask, self._last, self._padding = mask, last, tuple(padding)
        self.added = len(self._padding)
        super().__init__(model, device, "fp32", token_budget, batch_size, causal=False)

    def _inputs(self, batch: Sequence[Question]) -> dict[str, Any]:
        import torch

        texts = [(*self._padding, *question.ids) for question in batch]
        ids = torch.tensor(texts, device=self.device)
        length = ids.shape[1]
        places = super()._places_of(batch) + self.added
        targets = torch.nn.functional.one_hot(places, length)
        hidden = (ids == self._mask) | targets.any(dim=1)
        return {
            "input_ids": ids,
            "token_type_ids": torch.where(ids == self._last, _CLASSIFIES, 0),
            "perm_mask": hidden.unsqueeze(1).expand(-1, length, -1).float(),
            "target_mapping": targets.float(),
            "use_mems": False,
        }

    def _places_of(self, batch: Sequence[Question]) -> Any:
        """Return the positions among the targets, since nothing else is computed."""
        import torch

        places = torch.arange(batch[0].count, device=self.device)
        return places.expand(len(batch), -1)


class PermutationModel(MaskedModel):
    """Answers with the word predicted for the blank from all other tokens."""

    kind = "permutation"

    def settings(self, request: ModelRequest) -> list[str]:
        """Return the text before every question, if there is one."""
        text = request.options.get("padding_text")
        return [str(text)] if text else []

    def engine(self, model: Any, tokenizer: Any, device: str) -> Engine:
        """Return an engine that puts the padding's tokens before each text."""
        request = self._request
        if request.precision != "fp32":
            raise ModelError(
                f"{self.name}: transformers computes the target of an XLNet in fp32 only, not in "
                f"{request.precision}: use --precision fp32"
            )
        padding = [
            token
            for text in self.settings(request)
            for token in tokenizer(text, add_special_tokens=False)["input_ids"]
        ]
        last = tokenizer.cls_token_id
        return PermutationEngine(
            model, device, request.token_budget, request.batch_size,
            mask=tokenizer.mask_token_id, last=-1 if last is None else last, padding=padding,
        )  # fmt: skip


@dataclass(frozen=True)
class PermutationAdapter:
    """Opens XLNet by hub name or folder."""

    kind: str = PermutationModel.kind
    prefixes: tuple[str, ...] = ("permutation",)
    summary: str = "XLNet, by hub name or folder, with a permutation mask"
    options_type: type[PermutationOptions] = PermutationOptions

    def recognises(self, weights: Weights) -> bool:
        """Return whether the configured architecture is XLNet with its head."""
        return has_architecture(weights, PERMUTATION)

    def open(self, address: str | Weights, request: ModelRequest) -> Model:
        """Open the model at that address, or the located weights."""
        prepare_precision(request.precision, request.device)  # before anything imports torch
        options = self.options_type.of(request.options)
        weights = located(address, options)
        return PermutationModel(
            weights.name,
            weights.digest,
            lambda: load(weights, options, PERMUTATION),
            request,
            weights.origin,
        )


ADAPTER = PermutationAdapter()
