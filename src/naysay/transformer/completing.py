"""Answers to `Complete`: how likely each option is after the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from naysay.errors import NotAskableError
from naysay.probes import Complete, Completion
from naysay.transformer.batches import Question
from naysay.transformer.choosing import logprobs
from naysay.transformer.engine import Engine
from naysay.transformer.words import Words

_Asked = tuple[Question, tuple[int, ...]]


def complete(engine: Engine, words: Words, probes: Sequence[Complete]) -> list[Completion]:
    """The log-likelihoods in the order of the probes; what several of them ask is run once."""
    asked = [_questions(words, probe) for probe in probes]
    wanted: dict[Question, dict[tuple[int, ...], None]] = {}
    for questions in asked:
        for question, pieces in questions:
            wanted.setdefault(question, {})[pieces] = None
    scored = logprobs(engine, wanted)
    return [
        Completion(tuple(scored[question][pieces] for question, pieces in questions))
        for questions in asked
    ]


def _questions(words: Words, probe: Complete) -> list[_Asked]:
    begin, options = completions(words, probe)
    return [(Question(ids[:-1], begin - 1, len(ids) - begin), ids[begin:]) for ids in options]


def chats(words: Words) -> bool:
    """Whether the tokenizer knows how a conversation is written."""
    return bool(getattr(words.tokenizer, "chat_template", None))


def completions(words: Words, probe: Complete) -> tuple[int, list[tuple[int, ...]]]:
    """Where the options begin, and the pieces of the prompt with each option after it."""
    chat = probe.cue is not None and chats(words)
    if chat:
        shown = _conversation(words, probe.prompt)
        texts = [shown + option for option in probe.options]
    else:
        shown = probe.prompt if probe.cue is None else f"{probe.prompt}\n{probe.cue}"
        texts = [f"{shown} {option}" for option in probe.options]
    encoded = words.tokenizer([shown, *texts], add_special_tokens=not chat)["input_ids"]
    prompt, *options = [tuple(words.without_end(ids)) for ids in encoded]
    # Where a piece reaches over the end of the prompt, all options are scored from there.
    shared = min(_shared(prompt, ids) for ids in options)
    if not shared:
        raise NotAskableError(f"{words.name} has no piece before the answer to {shown!r}")
    return shared, options


def _shared(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    pairs = zip(one, other, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _conversation(words: Words, prompt: str) -> str:
    # Some templates put today's date into the text, or a room for thoughts before the answer.
    return str(
        words.tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True,
            date_string="1 January 2026", enable_thinking=False,
        )
    )  # fmt: skip
