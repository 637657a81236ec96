"""Answers in words: the likeliest token, one after another, in the model's chat template.

Each token is that of a text alone: of tokens whose logits are equal up to rounding the first in the
vocabulary is taken, and where the batch could have decided, the text is computed by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from naysay.core.errors import NotAskableError
from naysay.core.probes import AnswerQuestion, Response
from naysay.models.lm.engine import Engine
from naysay.models.lm.likelihood import chats, conversation
from naysay.models.lm.questions import Question
from naysay.models.lm.reading import SAME
from naysay.models.lm.words import Words


@dataclass
class _Speech:
    """An answer on its way."""

    prompt: tuple[int, ...]
    limit: int
    said: list[int] = field(default_factory=list)
    finished: bool = False

    @property
    def question(self) -> Question:
        """The next token after what was said."""
        ids = (*self.prompt, *self.said)
        return Question(ids, len(ids) - 1)

    @property
    def goes_on(self) -> bool:
        return not self.finished and len(self.said) < self.limit


def answer_questions(
    engine: Engine, words: Words, probes: Sequence[AnswerQuestion]
) -> list[Response]:
    """Return the answers in the order of the probes; equal questions are answered once."""
    if not chats(words):
        raise NotAskableError(
            f"{words.name} has no chat template, so it does not answer questions in words: use an "
            "instruction-tuned model, or a suite that asks for the word at a blank"
        )
    asked = {(probe.prompt, probe.limit): probe for probe in probes}
    found: dict[tuple[str, int], Response] = {}
    keys = list(asked)
    for start in range(0, len(keys), engine.texts_at_once):
        part = keys[start : start + engine.texts_at_once]
        speeches = [_Speech(_tokens(words, prompt), limit) for prompt, limit in part]
        _decode(engine, words, speeches)
        for key, speech in zip(part, speeches, strict=True):
            text = words.tokenizer.decode(speech.said, clean_up_tokenization_spaces=False)
            found[key] = Response(text.strip(), speech.finished)
    return [found[probe.prompt, probe.limit] for probe in probes]


def _tokens(words: Words, prompt: str) -> tuple[int, ...]:
    shown = conversation(words, prompt)
    return tuple(words.tokenizer([shown], add_special_tokens=False)["input_ids"][0])


def _decode(engine: Engine, words: Words, speeches: Sequence[_Speech]) -> None:
    """Let all of them speak until they end, or as long as they may."""
    ends = words.ends
    while going := [speech for speech in speeches if speech.goes_on]:
        chosen = _next_tokens(engine, [speech.question for speech in going])
        for speech in going:
            token = chosen[speech.question]
            speech.finished = token in ends
            if not speech.finished:
                speech.said.append(token)


def _next_tokens(engine: Engine, questions: Sequence[Question]) -> dict[Question, int]:
    """Return the likeliest token of each question."""
    # Imported here because reading the options of adapters must not import numpy.
    from naysay.models.lm.logits import best, first_above
    from naysay.models.lm.readouts import NEAR

    found: dict[Question, int] = {}
    for batch, logits in engine.passes(questions):
        values, _ = best(logits, 2)
        tokens = first_above(logits, values[:, 0] - SAME)
        for row, question in enumerate(batch):
            token = tokens[row]
            if len(batch) > 1 and values[row, 0] - values[row, 1] < NEAR[engine.precision]:
                alone = engine.logits([question])
                [token] = first_above(alone, best(alone, 1)[0][:, 0] - SAME)
            found[question] = token
    return found
