"""A BERT that is trained faster: its head is run at the asked places alone."""

from __future__ import annotations

from typing import Any

from torch.nn.functional import cross_entropy
from transformers import BertForMaskedLM
from transformers.modeling_outputs import MaskedLMOutput

from naysay.train.collation import IGNORED


class SparseMaskedLM(BertForMaskedLM):  # type: ignore[misc]
    """The same model with the same loss; what is predicted elsewhere would be thrown away."""

    def forward(self, input_ids: Any, labels: Any = None, **given: Any) -> Any:
        """The loss at the labelled places, or everything if nothing is labelled."""
        if labels is None:
            return super().forward(input_ids=input_ids, **given)
        given.pop("num_items_in_batch", None)  # the trainer's, for losses that are sums
        hidden = self.bert(input_ids=input_ids, **given).last_hidden_state
        asked = labels != IGNORED
        logits = self.cls(hidden[asked])
        return MaskedLMOutput(loss=cross_entropy(logits, labels[asked]), logits=logits)

    def plain(self) -> BertForMaskedLM:
        """The model as transformers knows it."""
        model = BertForMaskedLM(self.config)
        model.load_state_dict(self.state_dict())
        return model.eval()
