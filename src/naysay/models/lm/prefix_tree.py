"""Texts of a causal model as a tree: every token is computed once, after those that precede it.

All tokens of the tree are one sequence for the model. A mask lets each of them see its own text
alone, and its position is its place in that text, so that its keys and values are those of the text
by itself. They stay in memory: a later question that begins with the same tokens continues there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any

from naysay.models.lm.batch_sizes import BatchSizes
from naysay.models.lm.questions import Question

Ids = tuple[int, ...]
Forward = Callable[[dict[str, Any], Any], Any]
"""Runs the model on inputs, and returns the logits at some places (texts × places × vocabulary)."""

_MOST_TOKENS = 2048  # in memory: every token is compared with all of them
_MOST_LOGITS = 1 << 25  # numbers
_ROOT = -1


class PrefixTree:
    """The tokens of some texts that are in memory, and the way to compute more of them."""

    def __init__(
        self, forward: Forward, device: str, number_type: Any, vocabulary: int, sizes: BatchSizes,
        *, at_once: int, remembers: bool = True,
    ) -> None:  # fmt: skip
        """Begin with no token; at most `at_once` tokens are computed in a pass.

        A tree that does not remember keeps of each pass what the next one continues.
        """
        self._forward, self._device, self._type = forward, device, number_type
        self._sizes, self._at_once, self._remembers = sizes, at_once, remembers
        self._most_questions = max(1, _MOST_LOGITS // vocabulary)
        self.farthest: Question
        """The question of the last pass whose text begins the farthest before its end."""
        self._clear()

    @property
    def size(self) -> int:
        """How many tokens are in memory."""
        return self._computed

    def _clear(self) -> None:
        self._cache: Any = None
        self._computed = 0
        """How many of the nodes are in memory."""
        self._tokens: list[int] = []
        self._parents: list[int] = []
        self._depths: list[int] = []
        self._roots: list[int] = []
        """Where the text of each node begins."""
        self._children: dict[tuple[int, int], int] = {}
        """By node and token, the node of that token after it."""

    def passes(self, questions: Collection[Question]) -> Iterator[tuple[list[Question], Any]]:
        """Yield the questions in batches, with the logits after the token at their place.

        A question whose token is in memory from before is computed again: logits are not kept.
        """
        # In the order of their texts, what shares a beginning is adjacent.
        waiting = sorted(set(questions), key=_text)
        start = 0
        while start < len(waiting):
            nodes = self._grow(waiting, start)
            batch = waiting[start : start + len(nodes)]
            new, kept = len(self._tokens) - self._computed, self._computed
            # What is kept of other texts takes memory, too, and can be dropped.
            alone = len(batch) == 1 and kept < len(_text(batch[0]))
            logits = self._sizes.attempt(partial(self._compute, nodes), 1 if alone else 2, new)
            if logits is None:
                self._clear()  # a failed pass leaves some layers of it in memory
                continue
            far = max(range(len(nodes)), key=lambda k: nodes[k] - self._roots[nodes[k]])
            self.farthest = batch[far]
            yield batch, logits
            start += len(batch)

    def _grow(self, waiting: Sequence[Question], start: int) -> list[int]:
        """Add the texts of as many questions as fit into a pass, at least one; return their nodes.

        If the memory is full, all is forgotten but what the first of them continues.
        """
        first = _text(waiting[start])
        if not self._remembers or self._computed + len(first) > _MOST_TOKENS:
            self._forget_all_but(first)
        most = min(self._at_once, self._sizes.tokens)
        nodes: list[int] = []
        texts = 0
        last: Ids = ()
        for question in waiting[start : start + self._most_questions]:
            text = _text(question)
            texts += text[: len(last)] != last or not nodes
            if nodes and self._sizes.texts is not None and texts > self._sizes.texts:
                break
            size = len(self._tokens)
            node = self._add(text)
            new = len(self._tokens) - self._computed
            if nodes and (new > most or len(self._tokens) > _MOST_TOKENS):
                self._cut_back(size)
                break
            nodes.append(node)
            last = text
        return nodes

    def _add(self, text: Ids) -> int:
        """Add what is missing of a text, and return the node of its last token, which is new."""
        node = _ROOT
        for token in text[:-1]:
            found = self._children.get((node, token))
            node = self._new(node, token) if found is None else found
        found = self._children.get((node, text[-1]))
        if found is not None and found >= self._computed:
            return found
        return self._new(node, text[-1])

    def _new(self, parent: int, token: int) -> int:
        node = len(self._tokens)
        self._tokens.append(token)
        self._parents.append(parent)
        self._depths.append(0 if parent == _ROOT else self._depths[parent] + 1)
        self._roots.append(node if parent == _ROOT else self._roots[parent])
        self._children.setdefault((parent, token), node)
        return node

    def _cut_back(self, size: int) -> None:
        """Drop the last nodes, none of which is computed."""
        for node in range(size, len(self._tokens)):
            key = self._parents[node], self._tokens[node]
            if self._children[key] == node:
                del self._children[key]
        for numbers in (self._tokens, self._parents, self._depths, self._roots):
            del numbers[size:]

    def _forget_all_but(self, text: Ids) -> None:
        """Keep in memory only the beginning of a text, as far as it is there."""
        import torch

        path: list[int] = []
        node = _ROOT
        for token in text[:-1]:
            if (found := self._children.get((node, token))) is None:
                break
            path.append(node := found)
        cache = self._cache
        self._clear()
        if not path:
            return
        chosen = torch.tensor(path, device=self._device)
        for layer in cache.layers:
            if layer.is_initialized:
                layer.keys = layer.keys.index_select(-2, chosen)
                layer.values = layer.values.index_select(-2, chosen)
        self._cache = cache
        self._add(text[: len(path)])
        self._computed = len(path)

    def _compute(self, nodes: Sequence[int]) -> Any:
        """Compute the nodes that are not in memory, and return the logits of some of them."""
        import torch
        from transformers import DynamicCache

        if self._cache is None:
            self._cache = DynamicCache()
        old, size = self._computed, len(self._tokens)
        mask = torch.zeros((size - old, size), dtype=self._type)
        mask.masked_fill_(torch.from_numpy(~self._seen()), torch.finfo(self._type).min)
        inputs = {
            "input_ids": self._row(self._tokens[old:]),
            "position_ids": self._row(self._depths[old:]),
            "attention_mask": mask.to(self._device)[None, None],
            "past_key_values": self._cache,
            "use_cache": True,
        }
        logits = self._forward(inputs, self._row([node - old for node in nodes]))
        self._computed = size
        return logits.reshape(len(nodes), -1)

    def _seen(self) -> Any:
        """Return which nodes each new one sees: those of its own text."""
        # Imported here because reading the options of adapters must not import numpy.
        import numpy as np

        old, size = self._computed, len(self._tokens)
        seen = np.zeros((size - old, size), dtype=np.bool_)
        for row, node in enumerate(range(old, size)):
            seen[row, node] = True
            parent = self._parents[node]
            if parent >= old:
                seen[row] |= seen[parent - old]
                continue
            while parent != _ROOT:
                seen[row, parent] = True
                parent = self._parents[parent]
        return seen

    def _row(self, numbers: Sequence[int]) -> Any:
        import torch

        return torch.tensor([list(numbers)], device=self._device)


def _text(question: Question) -> Ids:
    """Return the tokens that count for a question: a causal model sees none behind its place."""
    return question.ids[: question.place + 1]
