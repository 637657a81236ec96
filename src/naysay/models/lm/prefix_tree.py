"""Texts of a causal model as a tree: every token is computed once, after those that precede it.

All tokens of the tree are one sequence for the model. A mask lets each of them see its own text
alone, and its position is its place in that text, so that its keys and values are those of the text
by itself. They stay in memory: a later question that begins with the same tokens continues there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from naysay.models.lm.questions import Question

Ids = tuple[int, ...]
Forward = Callable[[dict[str, Any], Any], Any]
"""Runs the model on inputs, and returns the logits at some places (texts × places × vocabulary)."""

_MOST_TOKENS = 2048  # in memory: every token is compared with all of them
_MOST_LOGITS = 1 << 25  # numbers


class PrefixTree:
    """The tokens of some texts that are in memory, and the way to compute more of them."""

    def __init__(
        self, forward: Forward, device: str, number_type: Any, vocabulary: int,
        token_budget: int, batch_size: int | None = None,
    ) -> None:  # fmt: skip
        self._forward, self._device, self._type = forward, device, number_type
        most = max(1, _MOST_LOGITS // vocabulary)
        self._most_questions = most if batch_size is None else min(most, batch_size)
        self._budget = max(1, token_budget)
        self._clear()

    def _clear(self) -> None:
        self._places: dict[Ids, int] = {}
        """The beginnings that are in memory, and where the last token of each is."""
        self._cache: Any = None

    def passes(self, questions: Collection[Question]) -> Iterator[tuple[list[Question], Any]]:
        """Yield the questions in batches, with the logits after the last token of each.

        A question whose last token is in memory from before is computed again: logits are not kept.
        """
        batch: list[Question] = []
        new: dict[Ids, None] = {}  # in the order of their texts: no token precedes its parent
        for question in sorted(set(questions)):
            assert question.count == 1, "one position at a time"
            missing = self._missing(question, new)
            if batch and (
                len(batch) == self._most_questions or len(new) + len(missing) > self._budget
            ):
                yield batch, self._computed(batch, list(new))
                batch, new = [], {}
                missing = self._missing(question, new)
            if len(self._places) + len(new) + len(missing) > _MOST_TOKENS:
                if batch:
                    yield batch, self._computed(batch, list(new))
                self._clear()
                batch, new = [], {}
                missing = self._missing(question, new)
            batch.append(question)
            new.update(dict.fromkeys(missing))
        if batch:
            yield batch, self._computed(batch, list(new))

    def _missing(self, question: Question, new: Collection[Ids]) -> list[Ids]:
        """Return the beginnings of the text that are not in memory; its whole is never."""
        ids = question.ids[: question.place + 1]
        known = len(ids) - 1
        while known and ids[:known] not in self._places and ids[:known] not in new:
            known -= 1
        missing = [ids[:end] for end in range(known + 1, len(ids) + 1)]
        return [beginning for beginning in missing if beginning not in new]

    def _computed(self, batch: Sequence[Question], new: Sequence[Ids]) -> Any:
        """Compute the new tokens, and return the logits of the batch's questions."""
        import torch
        from transformers import DynamicCache

        if self._cache is None:
            self._cache = DynamicCache()
        old = self._cache.get_seq_length()
        here = {beginning: old + number for number, beginning in enumerate(new)}
        seen = torch.zeros((len(new), old + len(new)), dtype=torch.bool)
        for row, beginning in enumerate(new):
            path = [
                here[part] if part in here else self._places[part]
                for part in (beginning[:end] for end in range(1, len(beginning) + 1))
            ]
            seen[row, path] = True
        mask = torch.zeros(seen.shape, dtype=self._type)
        mask.masked_fill_(~seen, torch.finfo(self._type).min)
        inputs = {
            "input_ids": self._row([beginning[-1] for beginning in new]),
            "position_ids": self._row([len(beginning) - 1 for beginning in new]),
            "attention_mask": mask.to(self._device)[None, None],
            "past_key_values": self._cache,
            "use_cache": True,
        }
        wanted = [here[question.ids[: question.place + 1]] - old for question in batch]
        logits = self._forward(inputs, self._row(wanted))
        self._places.update(here)
        return logits.reshape(len(batch), -1)

    def _row(self, numbers: Sequence[int]) -> Any:
        import torch

        return torch.tensor([list(numbers)], device=self._device)
