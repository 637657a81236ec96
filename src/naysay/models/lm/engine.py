"""The forward pass: batches of equal length, and the head at one position of each text only.

Every transformers language model has a body and a head. A hook on the body keeps one position of
each text, so that the head computes logits for that position alone. The head always runs in fp32:
in bf16 the best words of a large vocabulary would tie. Causal models compute shared prefixes once.
On loading, the fast paths are compared with a plain forward pass on a few texts; if they disagree,
the plain pass is used and the user is notified.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import ModelError, TooLongError
from naysay.core.probes import Fill, Guess

_WORTH_SHARING = 0.9  # of the tokens; smaller savings are lost to the second pass


@dataclass(frozen=True, slots=True, order=True)
class Question:
    """A tokenized text and the position to predict, or several consecutive ones."""

    ids: tuple[int, ...]
    place: int
    count: int = 1


Prepared = tuple[Question, tuple[int | None, ...]]
"""A question, and the tokens to score; None for a word that is not a single token."""


def longest_text(model: Any) -> int | None:
    """How many tokens a text may have, if a transformers model has a limit."""
    limit = getattr(model.config, "max_position_embeddings", None)
    if not isinstance(limit, int) or limit < 1:
        return None
    embeddings = getattr(model.base_model, "embeddings", None)
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    # RoBERTa and its kin count positions from behind their padding index.
    return limit if padding is None else limit - padding - 1


def batches(questions: Iterable[Question], token_budget: int) -> Iterator[list[Question]]:
    """Yield the distinct questions, shortest first, in batches within the budget.

    The questions of a batch have equal lengths and numbers of positions. Texts with shared
    prefixes are adjacent. A text longer than the budget is a batch by itself.

    >>> two, one = Question((5, 6), 0), Question((5,), 0)
    >>> [len(batch) for batch in batches([two, one, two], 4096)]
    [1, 1]
    """
    by_form: dict[tuple[int, int], set[Question]] = {}
    for question in questions:
        by_form.setdefault((len(question.ids), question.count), set()).add(question)
    for form in sorted(by_form):
        group = sorted(by_form[form])
        size = max(1, token_budget // form[0])
        for start in range(0, len(group), size):
            yield group[start : start + size]


def shared_length(batch: Sequence[Question]) -> int:
    """Return the length of the prefixes to compute once per batch; 0 if that saves too little.

    The predicted position cannot be shared: the head runs after the prefix.

    >>> shared_length([Question((1, 2, 3, word), 3) for word in range(9)])
    3
    """
    length, n = len(batch[0].ids), len(batch)
    costs = {0: n * length}
    for shared in range(1, min(question.place for question in batch) + 1):
        distinct = len({question.ids[:shared] for question in batch})
        costs[shared] = distinct * shared + n * (length - shared)
    best = min(costs, key=lambda shared: costs[shared])
    return best if costs[best] < _WORTH_SHARING * costs[0] else 0


class Engine:
    """A loaded model that computes logits at the positions of questions."""

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
                    "this model's head cannot be run separately, which bf16 requires: use fp32"
                )
            _untie(model)
            self._body.to(dtype=torch.bfloat16)

    @property
    def longest(self) -> int | None:
        """The maximum number of tokens of a text, if the model has a limit."""
        return longest_text(self._model)

    def passes(self, questions: Collection[Question]) -> Iterator[tuple[list[Question], Any]]:
        """Yield the distinct questions in batches, with the logits at their positions, in fp32."""
        import torch

        self._check_length(questions)
        for batch in batches(questions, self._budget):
            with torch.inference_mode():
                logits = self.logits(batch)
            yield batch, logits

    def logits(self, batch: Sequence[Question]) -> Any:
        """Return the logits at each question's position (batch × vocabulary) from one pass.

        For questions with several positions: batch × positions × vocabulary.
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
        """Compute each distinct prefix once, then the rest of every text."""
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

    def _check_length(self, questions: Collection[Question]) -> None:
        limit = self.longest
        longest = max((len(question.ids) for question in questions), default=0)
        if limit is not None and longest > limit:
            raise TooLongError(f"a text has {longest} tokens, but the model takes at most {limit}")


def _flat(logits: Any) -> Any:
    """Drop the dimension of positions if there is only one."""
    return logits[:, 0] if logits.shape[1] == 1 else logits


def _untie(model: Any) -> None:
    """Give the head its own copy of weights that are tied to the embeddings.

    The body may be converted to bf16, the head must not.
    """
    import torch

    head = model.get_output_embeddings()
    shared: Any = model.get_input_embeddings().weight
    if head is not None and head.weight is shared:
        head.weight = torch.nn.Parameter(shared.detach().clone(), requires_grad=False)


SAME = 1e-5
"""Logits closer than this are equal; of equals the first in the vocabulary wins."""


TIE = 1e-3
"""A runner-up closer than this is flagged: in another batch it could have come first."""


class Reading:
    """The best words and the normaliser of each row of a batch of logits."""

    def __init__(
        self,
        logits: Any,
        depth: int,
        wanted: Sequence[tuple[int, int]],
        among: Sequence[int] | None = None,
    ) -> None:
        """Read the top `depth` words of each row, and the scores of the wanted (row, token) pairs.

        With `among`, words are identified by their index in it.
        """
        import torch

        self.counted = logits
        if among is not None:
            self.counted = logits.index_select(1, torch.tensor(among, device=logits.device))
        best = torch.topk(self.counted, min(depth + 1, self.counted.shape[-1]), dim=-1)
        equal = self.counted >= best.values[:, :1] - SAME
        # However many are equal, the first of them in the vocabulary wins.
        self._first: list[int] = equal.int().argmax(dim=-1).tolist()
        self._norms: list[float] = torch.logsumexp(logits, dim=-1).tolist()
        self._scores: list[list[float]] = best.values.tolist()
        self._pieces: list[list[int]] = best.indices.tolist()
        # All at once: reading single numbers from a device would synchronise each time.
        rows, pieces = zip(*wanted, strict=True) if wanted else ((), ())
        scores = logits[list(rows), list(pieces)].tolist() if wanted else []
        self._wanted = dict(zip(wanted, scores, strict=True))

    def fill(
        self, row: int, top_k: int, wanted: Sequence[int | None], read_back: Callable[[int], str]
    ) -> Fill:
        """Return the answer of one row: its `top_k` best words and the wanted tokens' scores."""
        scores, norm = self._scores[row], self._norms[row]
        ranked = rank(scores, self._pieces[row])
        if ranked[0][1] != self._first[row]:
            ranked.insert(0, (scores[0], self._first[row]))
        ranked = ranked[:top_k]
        return Fill(
            top=tuple(Guess(read_back(piece), score - norm) for score, piece in ranked),
            scores=tuple(
                None if piece is None else self._wanted[row, piece] - norm for piece in wanted
            ),
            tie=len(scores) > 1 and scores[0] - scores[1] < TIE,
        )


def rank(scores: Sequence[float], pieces: Sequence[int]) -> list[tuple[float, int]]:
    """Sort best first; scores that are equal up to rounding are sorted by vocabulary index.

    >>> rank([2.0, 1.9999999, 1.0], [30, 7, 5])
    [(1.9999999, 7), (2.0, 30), (1.0, 5)]
    """
    ranked: list[tuple[float, int]] = []
    rest = list(zip(scores, pieces, strict=True))
    while rest:
        equals = [entry for entry in rest if rest[0][0] - entry[0] <= SAME]
        ranked += sorted(equals, key=lambda entry: entry[1])
        rest = rest[len(equals) :]
    return ranked
