"""Causal models: the scores of sentences that share their beginnings."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from naysay.bench.questions import continued_contexts, source_setting
from naysay.bench.random_models import causal_tokenizer, random_llama, saved, word_tokenizer
from naysay.bench.results import Comparison, Result, Target
from naysay.bench.sizes import Sizes
from naysay.bench.turns import Round, Way, attempt, spread_out, take_turns
from naysay.bench.ways import BATCH, opened
from naysay.core.probes import ChooseClosest, Complete

TITLE = "Causal models"
LOOP = "one text at a time"
MINICONS = "minicons' sentence scores"
LM_EVAL = "lm-eval's loglikelihood"
NAYSAY = "naysay, fp32"

Pair = tuple[str, str]
"""A context, and a sentence that continues it."""


def measure(sizes: Sizes, folder: Path, rounds: int) -> list[Result]:
    """Time all ways on a Llama as large as SmolLM2-135M."""
    tokenizer = causal_tokenizer(word_tokenizer(source_setting()))
    model = random_llama(sizes.causal_layers)
    saved(folder, model, tokenizer)
    pairs = continued_contexts(sizes.contexts, sizes.continuations)
    part = max(1, len(pairs) // rounds)
    ways = [
        _way(LOOP, _one_by_one(model, tokenizer), pairs, part),
        attempt(MINICONS, lambda: _way(MINICONS, _minicons(model, tokenizer), pairs, part)),
        attempt(LM_EVAL, lambda: _way(LM_EVAL, _lm_eval(model, tokenizer), pairs, part)),
        _way(NAYSAY, _naysay(opened(folder)), pairs, None),
    ]
    timings = take_turns(ways, rounds, "causal")
    return [
        Comparison(
            name="causal",
            title=(
                f"Llama as wide as SmolLM2-135M, random weights ({sizes.causal_layers} layers), "
                f"{sizes.contexts} contexts with {sizes.continuations} sentences each"
            ),
            passes="scores",
            timings=timings,
            targets=(Target(NAYSAY, MINICONS, 3.0), Target(NAYSAY, LM_EVAL, 3.0)),
            notes=(
                "The log-likelihood of each sentence after its context; answers are the same if "
                "they differ by rounding only.",
            ),
        )
    ]


def _way(
    name: str, score: Callable[[Sequence[Pair]], list[float]], pairs: list[Pair], timed: int | None
) -> Way:
    def run(number: int) -> Round:
        part = pairs if timed is None else spread_out(pairs, timed, number)
        return Round(len(part), {p: (s,) for p, s in zip(part, score(part), strict=True)})

    return Way(name, run, whole=len(pairs))


def _one_by_one(model: Any, tokenizer: Any) -> Callable[[Sequence[Pair]], list[float]]:
    import torch

    def score(pair: Pair) -> float:
        begin = len(tokenizer(pair[0])["input_ids"])
        ids = tokenizer(" ".join(pair), return_tensors="pt")["input_ids"]
        with torch.no_grad():
            scores = model(input_ids=ids).logits[0, begin - 1 : -1].log_softmax(dim=-1)
        return float(scores.gather(1, ids[0, begin:, None]).sum())

    return lambda pairs: [score(pair) for pair in pairs]


def _minicons(model: Any, tokenizer: Any) -> Callable[[Sequence[Pair]], list[float]]:
    from minicons import scorer

    ready = scorer.IncrementalLMScorer(model, "cpu", tokenizer=tokenizer)

    def score(pairs: Sequence[Pair]) -> list[float]:
        found: list[float] = []
        for start in range(0, len(pairs), BATCH):
            contexts, targets = zip(*pairs[start : start + BATCH], strict=True)
            found += ready.conditional_score(
                list(contexts), list(targets), reduction=lambda scores: scores.sum(0).item()
            )
        return found

    return score


def _lm_eval(model: Any, tokenizer: Any) -> Callable[[Sequence[Pair]], list[float]]:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    with contextlib.redirect_stderr(io.StringIO()):
        ready = HFLM(pretrained=model, tokenizer=tokenizer, batch_size=BATCH)

    def score(pairs: Sequence[Pair]) -> list[float]:
        asked = [
            Instance(request_type="loglikelihood", doc={}, idx=k, arguments=(context, f" {target}"))
            for k, (context, target) in enumerate(pairs)
        ]
        return [float(found) for found, _ in ready.loglikelihood(asked, disable_tqdm=True)]

    return score


def _naysay(model: Any) -> Callable[[Sequence[Pair]], list[float]]:
    def score(pairs: Sequence[Pair]) -> list[float]:
        asked: dict[str, list[str]] = {}
        for context, target in pairs:
            asked.setdefault(context, []).append(target)
        probes = [
            Complete(context, tuple(targets), ChooseClosest(context, tuple(targets)))
            for context, targets in asked.items()
        ]
        found = {
            (probe.prompt, target): logprob
            for probe, answer in zip(probes, model.ask(probes), strict=True)
            for target, logprob in zip(probe.options, answer.logprobs, strict=True)
        }
        return [found[pair] for pair in pairs]

    return score
