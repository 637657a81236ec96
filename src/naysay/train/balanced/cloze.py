"""What a model puts at a blank, and how often that is right, by part and polarity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transformers import TrainerCallback

from naysay.probes import BLANK
from naysay.train.balanced.corpus import PARTS, POLARITIES, BalancedCorpus, Question, Statement

CELLS = tuple(f"{part} {polarity}" for part in PARTS for polarity in POLARITIES)
"""Where accuracy is looked at, in the order of showing."""
_AT_ONCE = 256


def cloze(model: Any, tokenizer: Any, questions: Sequence[Question]) -> list[bool]:
    """Whether each answer is the word that the model ranks first of all."""
    texts = [question.text.replace(BLANK, tokenizer.mask_token) for question in questions]
    wanted = tokenizer.convert_tokens_to_ids([question.answer for question in questions])
    return _first(model, tokenizer, texts, wanted, masked=True)


def judged(model: Any, tokenizer: Any, statements: Sequence[Statement]) -> list[bool]:
    """Whether the model calls each statement what it is."""
    texts = [statement.text for statement in statements]
    return _first(model, tokenizer, texts, [int(s.true) for s in statements], masked=False)


def _first(
    model: Any, tokenizer: Any, texts: Sequence[str], wanted: Sequence[int], *, masked: bool
) -> list[bool]:
    import torch

    training, right = model.training, []
    model.eval()
    with torch.inference_mode():
        for start in range(0, len(texts), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            batch = tokenizer(list(texts[part]), padding=True, return_tensors="pt")
            batch = batch.to(model.device)
            logits = model(**batch).logits
            if masked:
                logits = logits[batch["input_ids"] == tokenizer.mask_token_id]
            right += (logits.argmax(-1).cpu() == torch.tensor(wanted[part])).tolist()
    model.train(training)
    return right


def by_cell(items: Sequence[Question | Statement], right: Sequence[bool]) -> dict[str, list[bool]]:
    """The answers of each part and polarity."""
    found: dict[str, list[bool]] = {cell: [] for cell in CELLS}
    for item, one in zip(items, right, strict=True):
        found[f"{item.part} {item.polarity}"].append(one)
    return found


class Curve(TrainerCallback):  # type: ignore[misc]
    """Cloze accuracy every so many steps, in the trainer's log beside the loss."""

    def __init__(self, corpus: BalancedCorpus, tokenizer: Any, every: int) -> None:
        self._corpus, self._tokenizer, self._every = corpus, tokenizer, every
        self._pending: dict[str, float] = {}

    def on_step_end(
        self, args: Any, state: Any, control: Any, model: Any = None, **given: Any
    ) -> None:
        """Ask all questions where it is time."""
        if state.global_step % self._every and state.global_step < state.max_steps:
            return
        questions = self._corpus.questions
        cells = by_cell(questions, cloze(model, self._tokenizer, questions))
        self._pending = {cell: sum(right) / len(right) for cell, right in cells.items()}
        control.should_log = True

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **given: Any) -> None:
        """Put the accuracies beside the loss."""
        if self._pending and logs is not None:
            logs.update(self._pending)
            state.log_history[-1].update(self._pending)
            self._pending = {}
