"""Likelihoods: answers to `ChooseWord` and `Complete`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from naysay.core.errors import NotAskableError
from naysay.core.probes import Choice, ChooseWord, Complete, Completion
from naysay.models.lm.engine import Engine
from naysay.models.lm.questions import Passes, Question, shared_length
from naysay.models.lm.search import Contest
from naysay.models.lm.words import Words

_PROBES = 256  # whose candidates are in memory at the same time
_TOGETHER = 512  # tokens; contests with few words left are finished in the same passes


def choose_words(engine: Engine, words: Words, probes: Sequence[ChooseWord]) -> list[Choice]:
    """Return the choices in the order of the probes."""
    parts = (probes[start : start + _PROBES] for start in range(0, len(probes), _PROBES))
    return [choice for part in parts for choice in _choices(engine, words, part)]


def _choices(engine: Engine, words: Words, probes: Sequence[ChooseWord]) -> list[Choice]:
    contests = [_contest(words, probe) for probe in probes]
    _round(engine, engine.passes, contests)
    for group in _groups(contests):
        passes = engine.remembering()
        while _round(engine, passes, group):
            pass
    return [contest.choice() for contest in contests]


def _contest(words: Words, probe: ChooseWord) -> Contest:
    frame, spelled = words.spell(probe.text, probe.candidates)
    if not spelled:
        raise NotAskableError(
            f"none of the candidates can be tokenized at the blank of {probe.text!r}"
        )
    return Contest.of(frame, spelled.items())


def _groups(contests: Iterable[Contest]) -> Iterator[list[Contest]]:
    """Yield the contests that are not decided, as many together as make passes of a good size."""
    group: list[Contest] = []
    size = 0
    for contest in contests:
        if not (more := contest.size):
            continue
        if group and size + more > _TOGETHER:
            yield group
            group, size = [], 0
        group.append(contest)
        size += more
    if group:
        yield group


def _round(engine: Engine, passes: Passes, contests: Sequence[Contest]) -> bool:
    """Score the next tokens of all contests; return whether there were any."""
    wanted: dict[Question, dict[tuple[int, ...], None]] = {}
    due = [contest.due() for contest in contests]
    for questions in due:
        for question, tokens in questions.items():
            wanted.setdefault(question, {}).update({(token,): None for token in tokens})
    scored = logprobs(engine, wanted, passes)
    for contest, questions in zip(contests, due, strict=True):
        for question, tokens in questions.items():
            contest.learn(question, {token: scored[question][token,] for token in tokens})
        contest.advance()
    return bool(wanted)


def logprobs(
    engine: Engine,
    wanted: Mapping[Question, Iterable[tuple[int, ...]]],
    passes: Passes | None = None,
) -> dict[Question, dict[tuple[int, ...], float]]:
    """Return the summed log-probabilities of the wanted tokens at each question's positions."""
    # Imported here because reading the options of adapters must not import numpy.
    from naysay.models.lm.logits import log_sums

    found = {}
    for batch, logits in (passes or engine.passes)(list(wanted)):
        norms = log_sums(logits)
        for row, question in enumerate(batch):
            steps = list(wanted[question])
            if question.count == 1:
                scores = (logits[row, [piece for (piece,) in steps]] - norms[row]).tolist()
            else:
                places = list(range(question.count))
                scores = [
                    float((logits[row, places, list(step)] - norms[row]).sum()) for step in steps
                ]
            engine.refuse_unless([all(map(math.isfinite, scores))], [question])
            found[question] = dict(zip(steps, scores, strict=True))
    return found


_Asked = tuple[Question, tuple[int, ...]]


def complete(engine: Engine, words: Words, probes: Sequence[Complete]) -> list[Completion]:
    """Return the log-likelihoods in the order of the probes; equal inputs are run once."""
    asked = [_questions(words, probe) for probe in probes]
    wanted: dict[Question, dict[tuple[int, ...], None]] = {}
    for questions in asked:
        for question, pieces in questions:
            wanted.setdefault(question, {})[pieces] = None
    scored = _by_steps(engine, wanted) if engine.grows_tree(wanted) else logprobs(engine, wanted)
    return [
        Completion(tuple(scored[question][pieces] for question, pieces in questions))
        for questions in asked
    ]


def _by_steps(
    engine: Engine, wanted: Mapping[Question, Iterable[tuple[int, ...]]]
) -> dict[Question, dict[tuple[int, ...], float]]:
    """Score one token after another, so that texts share what they have in common."""
    steps: dict[Question, dict[tuple[int, ...], None]] = {}
    paths: dict[_Asked, list[_Asked]] = {}
    for question, options in wanted.items():
        for pieces in options:
            places = range(question.place, question.place + question.count)
            before = [Question(question.ids[: place + 1], place) for place in places]
            path: list[_Asked] = [(q, (piece,)) for q, piece in zip(before, pieces, strict=True)]
            for step, piece in path:
                steps.setdefault(step, {})[piece] = None
            paths[question, pieces] = path
    scored = logprobs(engine, steps)
    found: dict[Question, dict[tuple[int, ...], float]] = {}
    for (question, pieces), path in paths.items():
        found.setdefault(question, {})[pieces] = sum(scored[step][piece] for step, piece in path)
    return found


def _questions(words: Words, probe: Complete) -> list[_Asked]:
    begin, options = completions(words, probe)
    return [(Question(ids[:-1], begin - 1, len(ids) - begin), ids[begin:]) for ids in options]


def chats(words: Words) -> bool:
    """Return whether the tokenizer has a chat template."""
    return bool(getattr(words.tokenizer, "chat_template", None))


def completions(words: Words, probe: Complete) -> tuple[int, list[tuple[int, ...]]]:
    """Return where the options begin, and the tokens of the prompt with each option appended."""
    chat = probe.cue is not None and chats(words)
    if chat:
        shown = conversation(words, probe.prompt)
        texts = [shown + option for option in probe.options]
    else:
        shown = probe.prompt if probe.cue is None else f"{probe.prompt}\n{probe.cue}"
        texts = [f"{shown} {option}" for option in probe.options]
    encoded = words.tokenizer([shown, *texts], add_special_tokens=not chat)["input_ids"]
    prompt, *options = [tuple(words.without_end(ids)) for ids in encoded]
    # If a token spans the end of the prompt, all options are scored from that token on.
    shared = min(shared_length(prompt, ids) for ids in options)
    if not shared:
        raise NotAskableError(f"{words.name} has no token before the answer to {shown!r}")
    return shared, options


def conversation(words: Words, prompt: str) -> str:
    """Write a question as the model's chats are written, up to the beginning of the answer."""
    # Some templates insert today's date, or a section for reasoning before the answer.
    return str(
        words.tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True,
            date_string="1 January 2026", enable_thinking=False,
        )
    )  # fmt: skip
