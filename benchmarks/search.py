"""Whether best-first search chooses the word that scoring every word to its end chooses.

Sentences of the first suite that brings any for `naysay bench`, each with words drawn for its
blank, are asked of a causal or masked model of transformers, by the search and by scoring each
token of each word.

    python benchmarks/search.py causal:smollm2 [--choices 2000] [--words 100]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from naysay.bench.questions import masked_questions, source_setting
from naysay.core.keys import seeded_order
from naysay.core.probes import Choice, ChooseWord
from naysay.core.protocols import ModelRequest
from naysay.models import open_model
from naysay.models.lm.engine import Engine
from naysay.models.lm.language_model import LanguageModel
from naysay.models.lm.likelihood import choose_words, logprobs
from naysay.models.lm.questions import Question
from naysay.models.lm.reading import TIE
from naysay.models.lm.search import SAME
from naysay.models.lm.words import Words

_TOGETHER = 8  # choices that are scored in one call


def probes(choices: int, words: int) -> list[ChooseWord]:
    """Sentences with a blank, each with words of its own to choose from."""
    verbs = source_setting().lexicon.verbs
    return [
        ChooseWord(question.text, tuple(seeded_order(verbs, 0, question.text)[:words]))
        for question in masked_questions(choices)
    ]


def tokens_of(words: Words, probe: ChooseWord) -> Iterator[tuple[str, Question, int]]:
    """Each token of each word, with the question that scores it."""
    frame, spelled = words.spell(probe.text, probe.candidates)
    for word, pieces in spelled.items():
        tokens = pieces if frame.mask is not None else (*pieces, *frame.after)
        for done, token in enumerate(tokens):
            place = len(frame.before) + done
            question = Question((*frame.before, *tokens[:done]), place - 1)
            if frame.mask is not None:
                masked = (frame.mask,) * (len(tokens) - done)
                question = Question((*frame.before, *tokens[:done], *masked, *frame.after), place)
            yield word, question, token


def exhaustive(engine: Engine, words: Words, asked: list[ChooseWord]) -> list[Choice]:
    """The choices if every token of every word is scored."""
    wanted: dict[Question, dict[tuple[int, ...], None]] = {}
    for probe in asked:
        for _, question, token in tokens_of(words, probe):
            wanted.setdefault(question, {})[token,] = None
    scored = logprobs(engine, wanted)
    found = []
    for probe in asked:
        scores: dict[str, float] = {}
        for word, question, token in tokens_of(words, probe):
            scores[word] = scores.get(word, 0.0) + scored[question][token,]
        best = max(scores.values())
        winner = next(word for word, score in scores.items() if score >= best - SAME)
        near = sum(score >= best - TIE for score in scores.values())
        found.append(Choice(winner, scores[winner], tie=near > 1))
    return found


def main() -> None:
    """Ask both ways, and print what is the same."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model")
    options.add_argument("--choices", type=int, default=2000)
    options.add_argument("--words", type=int, default=100)
    given = options.parse_args()
    name, choices, words = given.model, given.choices, given.words
    model = open_model(name, ModelRequest(precision="fp32", device="cpu"))
    if not isinstance(model, LanguageModel):
        raise SystemExit(f"{name} is not a causal or masked model of transformers")
    engine, cutter = model._loaded
    computed = [0, 0]
    way = 0

    def count(_: object, given: tuple[object, ...], __: object) -> None:
        computed[way] += given[0].numel()  # type: ignore[attr-defined]

    engine._model.get_input_embeddings().register_forward_hook(count)
    asked = probes(choices, words)
    same = ties = 0
    for start in range(0, len(asked), _TOGETHER):
        part = asked[start : start + _TOGETHER]
        way = 0
        found = choose_words(engine, cutter, part)
        way = 1
        expected = exhaustive(engine, cutter, part)
        same += sum(
            (a.best, a.tie) == (b.best, b.tie) for a, b in zip(found, expected, strict=True)
        )
        ties += sum(choice.tie for choice in expected)
        if start % (25 * _TOGETHER) == 0:
            print(f"{start + len(part):,} choices: {same:,} the same", file=sys.stderr, flush=True)
    print(
        f"{name}: {same:,} of {len(asked):,} choices among {words} words are the same, ties "
        f"included ({ties:,}); tokens computed: {computed[0]:,} by the search, {computed[1]:,} "
        f"by scoring every word, {computed[1] / computed[0]:.1f} times as many"
    )


if __name__ == "__main__":
    main()
