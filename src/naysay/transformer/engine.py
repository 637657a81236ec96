"""The forward pass: equal-length batches, and the head at one place of each text only.

Every transformers language model is a body and a head. A hook on the body keeps one position of
each text, so that whatever head follows computes a vocabulary for that place alone. The head always
runs in fp32: in bf16 the best words of a large vocabulary would tie. Causal models compute the
beginning that texts share once. On loading, a few texts are run the plain way too; a model that
does not agree is run the plain way, and says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from naysay.errors import ModelError, TooLongError
from naysay.transformer.batches import Question, batches, shared_length
from naysay.transformer.reading import TIE


class Engine:
    """A loaded model that answers questions about one place each."""

    def __init__(
        self, model: Any, device: str, precision: str, token_budget: int, *, causal: bool
    ) -> None:
        import torch

        self.device = device
        self.precision = precision
        self._budget = token_budget
        self._places: Any = None
        self._model = model.eval().to(device=device, dtype=torch.float32)
        self._body = model.base_model
        self.parameters = sum(int(p.numel()) for p in model.parameters())
        self.head_apart = self.shares_prefixes = False
        if self._body is not model:
            self._body.register_forward_hook(self._keep_one_place)
            sample = self._sample()
            plain = self._plain_logits(sample)
            self.head_apart = self._agrees(self._head_at_place, sample, plain)
            if causal and self.head_apart:
                self.shares_prefixes = self._agrees(self._after_shared_prefix, sample, plain)
        if precision == "bf16":
            if not self.head_apart:
                raise ModelError(
                    "this model's head cannot be run apart, which bf16 needs: use fp32"
                )
            _untie(model)
            self._body.to(dtype=torch.bfloat16)

    @property
    def longest(self) -> int | None:
        """How many tokens a text may have, if the model has a limit."""
        limit = getattr(self._model.config, "max_position_embeddings", None)
        if not isinstance(limit, int) or limit < 1:
            return None
        embeddings = getattr(self._body, "embeddings", None)
        padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
        # RoBERTa and its kin count positions from behind their padding index.
        return limit if padding is None else limit - padding - 1

    def passes(self, questions: Collection[Question]) -> Iterator[tuple[list[Question], Any]]:
        """The distinct questions in batches, each with the logits at its places, in fp32."""
        import torch

        self._check_length(questions)
        for batch in batches(questions, self._budget):
            with torch.inference_mode():
                logits = self.logits(batch)
            yield batch, logits

    def logits(self, batch: Sequence[Question]) -> Any:
        """The logits at each question's place (batch × vocabulary) from one pass.

        Where questions have several places, these come between (batch × places × vocabulary).
        """
        if self.shares_prefixes and shared_length(batch):
            return self._after_shared_prefix(batch)
        return self._head_at_place(batch) if self.head_apart else self._plain_logits(batch)

    def _plain_logits(self, batch: Sequence[Question]) -> Any:
        import torch

        rows = torch.arange(len(batch), device=self.device).unsqueeze(1)
        with torch.inference_mode():
            logits = self._model(**self._inputs(batch)).logits
        return _flat(logits[rows, self._places_of(batch)].float())

    def _head_at_place(self, batch: Sequence[Question]) -> Any:
        return self._run_kept(self._inputs(batch), self._places_of(batch))

    def _after_shared_prefix(self, batch: Sequence[Question]) -> Any:
        """Compute each distinct beginning once, then the rest of every text after it."""
        import torch

        shared = shared_length(batch)
        beginnings = sorted({question.ids[:shared] for question in batch})
        number = {beginning: k for k, beginning in enumerate(beginnings)}
        ids = torch.tensor(beginnings, device=self.device)
        cache = self._body(input_ids=ids, use_cache=True).past_key_values
        chosen = [number[question.ids[:shared]] for question in batch]
        cache.batch_select_indices(torch.tensor(chosen, device=self.device))
        rest = torch.tensor([question.ids[shared:] for question in batch], device=self.device)
        inputs = {"input_ids": rest, "past_key_values": cache, "use_cache": True}
        return self._run_kept(inputs, self._places_of(batch) - shared)

    def _run_kept(self, inputs: dict[str, Any], places: Any) -> Any:
        import torch

        self._places = places
        try:
            with torch.inference_mode():
                return _flat(self._model(**inputs).logits.float())
        finally:
            self._places = None

    def _keep_one_place(self, module: Any, given: Any, output: Any) -> Any:
        if self._places is None:
            return output
        import torch

        hidden = output[0]
        rows = torch.arange(len(hidden), device=hidden.device).unsqueeze(1)
        kept = hidden[rows, self._places].float()
        if isinstance(output, tuple):
            return (kept, *output[1:])
        output.last_hidden_state = kept
        return output

    def _inputs(self, batch: Sequence[Question]) -> dict[str, Any]:
        import torch

        ids = torch.tensor([question.ids for question in batch], device=self.device)
        inputs: dict[str, Any] = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        if getattr(self._model.config, "use_cache", None):
            inputs["use_cache"] = False  # nothing is generated, so no cache is kept
        return inputs

    def _places_of(self, batch: Sequence[Question]) -> Any:
        import torch

        places = [range(q.place, q.place + q.count) for q in batch]
        return torch.tensor([list(row) for row in places], device=self.device)

    def _sample(self) -> list[Question]:
        """Texts of which some begin alike, to try the fast ways on.

        Their tokens come from all over the vocabulary, since the first are often special ones.
        """
        vocabulary = self._model.get_input_embeddings().num_embeddings
        beginnings = ((1, 2, 3, 4), (5, 6, 7, 8))
        texts = [(*beginning, end, end + 1) for beginning in beginnings for end in range(9, 12)]
        return [
            Question(tuple(number * 1009 % vocabulary for number in text), len(text) - 1)
            for text in texts
        ]

    def _agrees(self, way: Any, sample: Sequence[Question], plain: Any) -> bool:
        import torch

        try:
            with torch.inference_mode():
                logits = way(sample)
        except Exception:  # whatever this architecture does otherwise, the plain way is there
            return False
        # Nearer than what is flagged as a tie: then the way of computing cannot change an answer
        # without the answer saying so.
        return logits.shape == plain.shape and float((logits - plain).abs().max()) < TIE

    def _check_length(self, questions: Collection[Question]) -> None:
        limit = self.longest
        longest = max((len(question.ids) for question in questions), default=0)
        if limit is not None and longest > limit:
            raise TooLongError(f"a text has {longest} tokens, but the model takes at most {limit}")


def _flat(logits: Any) -> Any:
    """Without the middle one of three dimensions where it is one place only."""
    return logits[:, 0] if logits.shape[1] == 1 else logits


def _untie(model: Any) -> None:
    """Give the head its own copy of weights it shares with the embeddings.

    The body may go to bf16; the head must not follow.
    """
    import torch

    head = model.get_output_embeddings()
    shared: Any = model.get_input_embeddings().weight
    if head is not None and head.weight is shared:
        head.weight = torch.nn.Parameter(shared.detach().clone(), requires_grad=False)
