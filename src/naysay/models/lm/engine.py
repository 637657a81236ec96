"""The forward pass: batches of equal length, and the head at one position of each text only.

Every transformers language model has a body and a head. A hook on the body keeps one position of
each text, so that the head computes logits for that position alone. In models built like BERT, a
hook behind the last attention does so, since nothing after it looks at other positions. The head
always runs in fp32: in 16 bits the best words of a large vocabulary would tie. Causal models
compute the tokens that texts share once, in a tree. A batch for which there is no memory is halved.
On loading, the fast paths are compared with a plain forward pass on a few texts; if they disagree,
the plain pass is used and the user is notified.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from naysay.core.console import notify
from naysay.core.errors import ModelError, TooLongError, WeightsError
from naysay.models.lm.batch_sizes import BatchSizes
from naysay.models.lm.finite import NotFiniteError, first_fault
from naysay.models.lm.prefix_tree import PrefixTree
from naysay.models.lm.questions import Passes, Question, equal_lengths, shares_much
from naysay.models.lm.reading import TIE

if TYPE_CHECKING:
    from naysay.models.lm.screening import Screening


def longest_text(model: Any) -> int | None:
    """How many tokens a text may have, if a transformers model has a limit."""
    limit = getattr(model.config, "max_position_embeddings", None)
    if not isinstance(limit, int) or limit < 1:
        return None
    embeddings = getattr(model.base_model, "embeddings", None)
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    # RoBERTa and its kin count positions from behind their padding index.
    return limit if padding is None else limit - padding - 1


_FEWEST_AT_ONCE = 256  # tokens of a tree in a pass
_ROUNDING = {"fp32": TIE, "bf16": 1.0, "fp16": 0.2}
"""How far logits of two ways may lie apart; half of a text makes a larger difference."""


class Engine:
    """A loaded model that computes logits at the positions of questions."""

    added = 0
    """The number of tokens that it adds to each text."""
    texts_at_once = 64
    """How many answers are decoded together."""
    screening: Screening | None = None
    """Reads first words in low precision where that is faster."""

    def __init__(
        self, model: Any, device: str, precision: str, token_budget: int,
        batch_size: int | None = None, *, causal: bool,
    ) -> None:  # fmt: skip
        import torch

        from naysay.models.lm.linear_layers import slow_down, speed_up

        self.device = device
        self.precision = precision
        self._sizes = BatchSizes(token_budget, batch_size, device)
        self._places: Any = None
        self._tried: tuple[int, ...] = (0, 0)  # the largest text and tree that were tried
        self._is_kept = False  # whether a text's positions were dropped before the end of the body
        self._model = model.eval().to(device=device, dtype=torch.float32)
        self._body = model.base_model
        self.parameters = sum(int(p.numel()) for p in model.parameters())
        self.head_apart = self.shares_prefixes = False
        if self._body is not model:
            sample = self._sample()
            plain = self._plain_logits(sample)
            self._check_finite(sample, plain)
            if (quick := speed_up(model)) and not self._agrees(self._plain_logits, sample, plain):
                slow_down(quick)
            self._body.register_forward_hook(self._keep_one_place)
            self.head_apart = self._agrees(self._head_at_place, sample, plain)
            if self.head_apart and (attention := _last_attention(self._body)) is not None:
                hook = attention.register_forward_hook(self._keep_one_attended)
                if not self._agrees(self._head_at_place, sample, plain):
                    hook.remove()
            if causal and self.head_apart:
                self.shares_prefixes = self._agrees(self._in_tree, sample, plain)
        if precision != "fp32":
            if not self.head_apart:
                raise ModelError(
                    f"this model's head cannot be run separately, which {precision} requires: "
                    "use fp32"
                )
            _untie(model)
            self._body.to(dtype=low_type(precision))

    @property
    def longest(self) -> int | None:
        """The maximum number of tokens of a text, if the model has a limit."""
        return longest_text(self._model)

    def passes(self, questions: Collection[Question]) -> Iterator[tuple[list[Question], Any]]:
        """Yield the distinct questions in batches, with the logits at their positions, in fp32."""
        self._check_length(questions)
        one_each = all(question.count == 1 for question in questions)
        if one_each and self.grows_tree(questions):
            yield from self._checked(self._in_trees(self._tree(remembers=False), questions))
        else:
            yield from self._checked(self._batches(questions))

    def grows_tree(self, questions: Collection[Question]) -> bool:
        """Return whether the tokens that these texts share are computed once."""
        return self.shares_prefixes and shares_much(questions)

    def _batches(self, questions: Collection[Question]) -> Iterator[tuple[list[Question], Any]]:
        """Run texts of the same length together, so that none is padded."""
        groups = ((len(group[0].ids) + self.added, group) for group in equal_lengths(questions))
        yield from self._sizes.batches(groups, self.logits)

    def remembering(self) -> Passes:
        """Return a way to run questions in which a beginning that was run before is not run again.

        Models for which that is impossible run the questions as they always do.
        """
        if not self.shares_prefixes:
            return self.passes
        tree = self._tree()

        def passes(questions: Collection[Question]) -> Iterator[tuple[list[Question], Any]]:
            self._check_length(questions)
            shares = self.shares_prefixes  # it may have been found that trees do not hold
            passes = self._in_trees(tree, questions) if shares else self._batches(questions)
            yield from self._checked(passes)

        return passes

    def _checked(
        self, passes: Iterator[tuple[list[Question], Any]]
    ) -> Iterator[tuple[list[Question], Any]]:
        for batch, logits in passes:
            self._check_finite(batch, logits)
            yield batch, logits

    def _in_trees(
        self, tree: PrefixTree, questions: Collection[Question]
    ) -> Iterator[tuple[list[Question], Any]]:
        """Run questions in a tree; the plain way from the moment at which its answers differ."""
        left = set(questions)
        for batch, logits in tree.passes(questions):
            if not self._holds(tree, batch, logits):
                self.shares_prefixes = False
                notify("texts that share their beginnings are computed one by one from now on")
                yield from self._batches(left)
                return
            left.difference_update(batch)
            yield batch, logits

    def _holds(self, tree: PrefixTree, batch: Sequence[Question], logits: Any) -> bool:
        """Return whether the answers are the plain ones, for two texts; others count as tried.

        In a model that looks back over a window only, they are so up to some length, which its
        configuration may not tell. So it is tried anew whenever a text, or a tree, in which what a
        text continues may be far away, is twice as large.
        """
        import torch

        longest = max(batch, key=lambda question: question.place)
        sizes = longest.place + 1, tree.size
        if all(size <= tried for size, tried in zip(sizes, self._tried, strict=True)):
            return True
        self._tried = tuple(
            max(tried, 1 << (size - 1).bit_length())
            for size, tried in zip(sizes, self._tried, strict=True)
        )
        most = _ROUNDING[self.precision]
        return all(
            torch.allclose(
                logits[batch.index(question)], self._head_at_place([question])[0], rtol=0, atol=most
            )
            for question in {longest, tree.farthest}
        )

    def _tree(self, *, remembers: bool = True) -> PrefixTree:
        table = self._model.get_input_embeddings()
        return PrefixTree(
            self._run_kept, self.device, self._body.dtype, table.num_embeddings, self._sizes,
            # Attention to so many tokens costs a sixth of what the rest of a layer costs.
            at_once=max(_FEWEST_AT_ONCE, table.embedding_dim), remembers=remembers,
        )  # fmt: skip

    def _in_tree(self, batch: Sequence[Question]) -> Any:
        """Compute some of the texts, and then the others, which continue what they share."""
        import torch

        tree = self._tree(remembers=False)
        found = {
            question: row
            for part in (batch[:2], batch[2:])
            for questions, rows in tree.passes(part)
            for question, row in zip(questions, rows, strict=True)
        }
        return torch.stack([found[question] for question in batch])

    def logits(self, batch: Sequence[Question]) -> Any:
        """Return the logits at each question's position (batch × vocabulary) from one pass.

        For questions with several positions: batch × positions × vocabulary.
        """
        return self._head_at_place(batch) if self.head_apart else self._plain_logits(batch)

    def _plain_logits(self, batch: Sequence[Question]) -> Any:
        import torch

        rows = torch.arange(len(batch), device=self.device).unsqueeze(1)
        with torch.inference_mode():
            logits = self._model(**self._inputs(batch)).logits
        return _flat(logits[rows, self._places_of(batch)].float())

    def _head_at_place(self, batch: Sequence[Question]) -> Any:
        return self._run_kept(self._inputs(batch), self._places_of(batch))

    def _run_kept(self, inputs: dict[str, Any], places: Any) -> Any:
        import torch

        self._places, self._is_kept = places, False
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
        kept = (hidden if self._is_kept else hidden[rows, self._places]).float()
        if isinstance(output, tuple):
            return (kept, *output[1:])
        output.last_hidden_state = kept
        return output

    def _keep_one_attended(self, module: Any, given: Any, output: Any) -> Any:
        if self._places is None:
            return output
        import torch

        hidden = output[0]
        rows = torch.arange(len(hidden), device=hidden.device).unsqueeze(1)
        self._is_kept = True
        return (hidden[rows, self._places], *output[1:])

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
        """Return texts with shared prefixes, to check the fast paths on.

        Their tokens are spread over the vocabulary, since the first ones are often special.
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
        except Exception:  # an unusual architecture; the plain pass still works
            return False
        # Below the tie threshold, the fast path cannot change an answer without the answer being
        # flagged as a tie.
        return logits.shape == plain.shape and float((logits - plain).abs().max()) < TIE

    def _check_finite(self, batch: Sequence[Question], logits: Any) -> None:
        """Refuse logits from which no answer follows.

        The largest one tells: it is not a number if any is not, and infinite if any is, or if all
        are minus infinity. Some tokens of minus infinity are fine; models rule out tokens so.
        """
        finite = logits.amax(dim=-1).isfinite().reshape(len(batch), -1).all(dim=-1)
        self.refuse_unless(finite.tolist(), batch)

    def refuse_unless(self, finite: Sequence[bool], batch: Sequence[Question]) -> None:
        """Refuse the first question for which no finite number was read."""
        if all(finite):
            return
        question = batch[list(finite).index(False)]
        inputs = self._inputs([question])
        part = first_fault(self._model, lambda: self._model(**inputs))
        raise NotFiniteError(question.ids, part)

    def _check_length(self, questions: Collection[Question]) -> None:
        limit = self.longest
        longest = max((len(question.ids) for question in questions), default=0)
        rows = self._model.get_input_embeddings().num_embeddings
        last = max((max(question.ids, default=0) for question in questions), default=0)
        if last >= rows:
            raise WeightsError(
                f"the tokenizer has a token {last:,}, but the model has {rows:,} tokens: they do "
                "not belong together"
            )
        if limit is not None and longest > limit:
            raise TooLongError(f"a text has {longest} tokens, but the model takes at most {limit}")


def _last_attention(body: Any) -> Any:
    """Return the last attention of a model built like BERT, its residual included, or None."""
    layers = getattr(getattr(body, "encoder", None), "layer", None)
    attention = getattr(layers[-1], "attention", None) if layers else None
    # With `self` and `output` inside, what was added and normalised comes out of it.
    return attention if hasattr(attention, "self") and hasattr(attention, "output") else None


def low_type(precision: str) -> Any:
    """Return torch's type for bf16 or fp16."""
    import torch

    return {"bf16": torch.bfloat16, "fp16": torch.float16}[precision]


def _flat(logits: Any) -> Any:
    """Drop the dimension of positions if there is only one."""
    return logits[:, 0] if logits.shape[1] == 1 else logits


def _untie(model: Any) -> None:
    """Give the head its own copy of weights that are tied to the embeddings.

    The body may be converted to 16 bits, the head must not.
    """
    import torch

    head = model.get_output_embeddings()
    shared: Any = model.get_input_embeddings().weight
    if head is not None and head.weight is shared:
        head.weight = torch.nn.Parameter(shared.detach().clone(), requires_grad=False)
