"""The forward pass in llama.cpp: every shared beginning of the texts is computed once.

The texts of a batch form a tree. Each token of it is computed once, for all the texts that it
belongs to, and stays in memory: a later question that begins with the same tokens continues there.

llama.cpp rounds the numbers between quantised layers to 8 bits, so that the last digit of a sum can
decide over one of 255 steps, and differences grow to whole units. An answer must not depend on
what else is asked. So everything is computed such that sums have the same terms in the same order:

- at most `_AT_ONCE` tokens at a time, since flash attention sums more of them in tiles;
- never one token alone, nor one output alone, and of files with blocks of 256 (Q4_K, Q6_K) never
  fewer than 8: other kernels compute fewer rows;
- memory is filled from its beginning to its end, then cleared as a whole, so that a text's tokens
  lie in its own order, in which flash attention reads them and skips all others.

Flash attention has its keys and values in fp16, whatever the file has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from naysay.core.errors import TooLongError
from naysay.models.llama_cpp.library import library, load_model, new_context, processors, run
from naysay.models.lm.finite import UNTOLD, NotFiniteError
from naysay.models.lm.questions import Passes, Question

_AT_ONCE = 48  # tokens; flash attention of llama.cpp works in tiles from 64 on
_FEWEST, _FEWEST_OF_LARGE_BLOCKS = 2, 8  # tokens, and outputs if there are any
_LOGITS = 1 << 23  # numbers that are computed before they are handed on, and kept by llama.cpp
_MEMORY, _MOST_CELLS, _FEWEST_CELLS = 96 << 20, 1024, 512  # bytes and tokens of keys and values
_MOST_TEXTS = 256  # that a context of llama.cpp can hold
_COMPANION = 0
"""The text of the tokens that accompany others, where these would be too few."""

Ids = tuple[int, ...]


@dataclass
class _Node:
    """A token of the tree of texts: which ones it belongs to, and whose logits it has."""

    token: int
    position: int
    owners: list[int] = field(default_factory=list)
    rows: list[tuple[int, int]] = field(default_factory=list)
    """Rows of the batch, and which of their positions."""


class LlamaEngine:
    """A model in llama.cpp that computes logits at the positions of questions."""

    device, precision = "cpu", "fp32"
    head_apart = shares_prefixes = True
    screening = None
    texts_at_once = 8
    """How many answers are decoded together: so many that what is computed stays in memory."""

    def __init__(
        self, path: Path, threads: int | None = None, *, large_blocks: bool = False
    ) -> None:
        """Load a file; `large_blocks` says whether some of its numbers are in blocks of 256."""
        self._fewest = _FEWEST_OF_LARGE_BLOCKS if large_blocks else _FEWEST
        self._library = library()
        self.model = load_model(path)
        self._threads = threads or processors()
        self._context: int | None = None
        vocabulary = self._library.llama_model_get_vocab(self.model)
        self._size = int(self._library.llama_vocab_n_tokens(vocabulary))
        self._most_texts = max(8, min(_MOST_TEXTS, _LOGITS // self._size))
        self.parameters = int(self._library.llama_model_n_params(self.model))
        self._cells = self._used = self._companions = 0
        self._texts = 1  # the first is the companion's
        self._live: dict[Ids, int] = {}
        """The beginnings that are in memory, and a text that has each of them."""

    @property
    def longest(self) -> int | None:
        """The maximum number of tokens of a text, if the model has a limit."""
        limit = int(self._library.llama_model_n_ctx_train(self.model))
        return limit if limit > 0 else None

    @property
    def unsuited(self) -> str | None:
        """Why texts cannot share their beginnings in this model; None if they can."""
        if self._library.llama_model_has_encoder(self.model):
            return "has an encoder"
        if self._library.llama_model_is_recurrent(self.model):
            return "is recurrent"
        return "is partly recurrent" if self._library.llama_model_is_hybrid(self.model) else None

    def passes(self, questions: Collection[Question]) -> Iterator[tuple[list[Question], Any]]:
        """Yield the distinct questions in batches, with the logits at their positions, in fp32.

        The questions of a batch have equal numbers of positions, and neighbours share beginnings.
        """
        self._check_length(questions)
        for count in sorted({question.count for question in questions}):
            asked = sorted({question for question in questions if question.count == count})
            size = max(1, _LOGITS // (self._size * count))
            for start in range(0, len(asked), size):
                batch = asked[start : start + size]
                yield batch, self.logits(batch)

    def grows_tree(self, questions: Collection[Question]) -> bool:
        """Return False: beginnings are shared whatever the number of a text's positions."""
        return False

    def remembering(self) -> Passes:
        """Return the way to run questions: beginnings that are in memory are never run again."""
        return self.passes

    def logits(self, batch: Sequence[Question]) -> Any:
        """Return the logits at each question's position (batch × vocabulary).

        For questions with several positions: batch × positions × vocabulary.
        """
        import numpy as np

        count = batch[0].count
        found = np.empty((len(batch), count, self._size), dtype=np.float32)
        self._open(max(len(question.ids) for question in batch))
        for rows in self._groups(batch):
            self._run({row: batch[row] for row in rows}, found)
        self.refuse_unless(np.isfinite(found.max(axis=-1)).all(axis=-1).tolist(), batch)
        return found[:, 0] if count == 1 else found

    def refuse_unless(self, finite: Sequence[bool], batch: Sequence[Question]) -> None:
        """Refuse the first question for which no finite number was read."""
        if not all(finite):
            raise NotFiniteError(batch[list(finite).index(False)].ids, UNTOLD)

    def _groups(self, batch: Sequence[Question]) -> Iterator[list[int]]:
        """Yield rows whose questions fit into memory together, and clear it where they do not."""
        rows: list[int] = []
        new: set[tuple[int, Ids]] = set()
        for row, question in enumerate(batch):
            more = self._missing(question) - new
            if not self._fits(len(rows) + 1, len(new) + len(more)):
                if rows:
                    yield rows
                rows, new = [], set()
                more = self._missing(question)
                if not self._fits(1, len(more)):
                    self._clear()
                    more = self._missing(question)
            rows.append(row)
            new |= more
        yield rows

    def _fits(self, texts: int, tokens: int) -> bool:
        cells = self._used + tokens + self._fewest - 1  # with their companions
        return self._texts + texts <= self._most_texts and cells <= self._cells

    def _beginning(self, question: Question) -> int:
        """Return how many of its tokens are in memory, of those before the predicted position."""
        known = question.place
        while known and question.ids[:known] not in self._live:
            known -= 1
        return known

    def _missing(self, question: Question) -> set[tuple[int, Ids]]:
        """Return the tokens to compute, each by where its text leaves memory, and its beginning."""
        known = self._beginning(question)
        return {(known, question.ids[:end]) for end in range(known + 1, len(question.ids) + 1)}

    def _run(self, questions: dict[int, Question], found: Any) -> None:
        """Compute the questions of some rows, and put their logits into the array."""
        memory = self._library.llama_get_memory(self._context)
        nodes: dict[tuple[int, Ids], _Node] = {}
        ended: dict[int, Ids] = {}
        for row, question in questions.items():
            text, known = self._texts, self._beginning(question)
            self._texts += 1
            ended[text] = question.ids
            if known:
                source = self._live[question.ids[:known]]
                self._library.llama_memory_seq_cp(memory, source, text, 0, known)
            for place in range(known, len(question.ids)):
                token = question.ids[place]
                node = nodes.setdefault((known, question.ids[: place + 1]), _Node(token, place))
                node.owners.append(text)
                if 0 <= place - question.place < question.count:
                    node.rows.append((row, place - question.place))
        # A text's tokens must follow each other, whatever its neighbours are.
        tokens = [nodes[key] for key in sorted(nodes)]
        parts = -(-len(tokens) // _AT_ONCE)
        for part in range(parts):
            begin, end = (len(tokens) * k // parts for k in (part, part + 1))
            self._decode(tokens[begin:end], found)
        for text, ids in ended.items():
            for known in range(1, len(ids) + 1):
                self._live.setdefault(ids[:known], text)

    def _decode(self, nodes: Sequence[_Node], found: Any) -> None:
        """Compute some tokens with their companions, and as many outputs as needed, or none."""
        import numpy as np

        nodes = list(nodes)
        while len(nodes) < self._fewest:
            nodes.append(_Node(nodes[0].token, self._companions, [_COMPANION]))
            self._companions += 1
        outputs = [bool(node.rows) for node in nodes]
        while 0 < sum(outputs) < self._fewest:
            outputs[outputs.index(False)] = True
        run(
            self._context or 0,
            [node.token for node in nodes],
            [node.position for node in nodes],
            [node.owners for node in nodes],
            outputs,
        )
        self._used += len(nodes)
        if not any(outputs):
            return
        logits = np.ctypeslib.as_array(
            self._library.llama_get_logits(self._context), (sum(outputs), self._size)
        )
        computed = [node for node, output in zip(nodes, outputs, strict=True) if output]
        for node, numbers in zip(computed, logits, strict=True):
            for row, position in node.rows:
                found[row, position] = numbers

    def _open(self, length: int) -> None:
        """Open a context that has room for a text of that length."""
        needed = length + self._fewest
        if self._context is not None and needed <= self._cells:
            return
        self.close_context()
        cells = max(needed, _FEWEST_CELLS, min(_MOST_CELLS, _MEMORY // self._cell_bytes))
        self._cells = -(-cells // 256) * 256
        self._context = new_context(
            self.model, cells=self._cells, sequences=self._most_texts, tokens=_AT_ONCE,
            threads=self._threads,
        )  # fmt: skip
        self._forget()

    @property
    def _cell_bytes(self) -> int:
        """An upper limit of the bytes of one token's keys and values."""
        numbers = self._library.llama_model_n_embd(self.model)
        heads = self._library.llama_model_n_head(self.model)
        shared = self._library.llama_model_n_head_kv(self.model)
        layers = self._library.llama_model_n_layer(self.model)
        return max(1, int(2 * 2 * layers * numbers * shared / max(heads, 1)))

    def _clear(self) -> None:
        self._library.llama_memory_clear(self._library.llama_get_memory(self._context), False)
        self._forget()

    def _forget(self) -> None:
        self._live.clear()
        self._used = self._companions = 0
        self._texts = 1

    def close_context(self) -> None:
        """Release the memory of texts."""
        if self._context is not None:
            self._library.llama_free(self._context)
        self._context = None

    def close(self) -> None:
        """Release the model."""
        self.close_context()
        self._library.llama_model_free(self.model)

    def _check_length(self, questions: Collection[Question]) -> None:
        limit = self.longest
        longest = max((len(question.ids) for question in questions), default=0)
        if limit is not None and longest > limit:
            raise TooLongError(f"a text has {longest} tokens, but the model takes at most {limit}")
