"""Masked models: the same sentences in all ways, and how near the processor's peak naysay is."""

from __future__ import annotations

from pathlib import Path

from naysay.bench import ways
from naysay.bench.peak import layer_operations, multiply_peak
from naysay.bench.questions import masked_questions, source_setting
from naysay.bench.random_models import random_bert, saved, word_tokenizer
from naysay.bench.results import Comparison, Quantities, Quantity, Result, Target
from naysay.bench.sizes import Sizes
from naysay.bench.turns import take_turns

TITLE = "Masked models"


def measure(sizes: Sizes, folder: Path, rounds: int) -> list[Result]:
    """Time all ways on a BERT-base."""
    # Before torch is imported, since it may have to be kept from some instructions.
    peaks = {precision: [multiply_peak(precision)] for precision in ("bf16", "fp32")}
    tokenizer = word_tokenizer(source_setting())
    model = random_bert(tokenizer, sizes.layers, sizes.width)
    saved(folder, model, tokenizer)
    probes = masked_questions(sizes.sentences)
    part = max(1, len(probes) // rounds)
    # Prepared before any round, so that loading is not timed.
    own = ways.naysay_ways(folder, probes)
    timings = take_turns(
        [*ways.others(model, tokenizer, probes, loop=part, batched=None), *own], rounds, "masked"
    )
    for precision, found in peaks.items():
        found.append(multiply_peak(precision))
    tokens = sum(map(len, tokenizer([p.text for p in probes])["input_ids"])) / len(probes)
    comparison = Comparison(
        name="masked",
        title=f"{sizes.masked_model}, random weights, {len(probes):,} sentences",
        passes="sentences",
        timings=timings,
        targets=(
            Target(ways.FP32, ways.PIPELINE, 1.7),
            Target(ways.FP32, ways.CLOZE, 1.6),
        ),
        notes=(
            f"{tokens:.1f} tokens a sentence on average; batches of {ways.BATCH} in the other "
            "libraries.",
        ),
    )
    fp32, bf16 = (max((p for p in peaks[name] if p), default=None) for name in ("fp32", "bf16"))
    speed = next((t.per_second for t in timings if t.way == ways.FP32), None)
    share = None
    if fp32 and speed:
        share = 100 * speed * layer_operations(model, tokens) / 1e9 / fp32
    return [
        comparison,
        Quantities(
            name="peak",
            title="The processor's peak in multiplying matrices",
            quantities=(
                Quantity(name="fp32", value=fp32, unit="GF/s"),
                Quantity(name="bf16", value=bf16, unit="GF/s"),
                Quantity(name="layers of naysay, fp32, of the peak", value=share, unit="%"),
            ),
        ),
    ]
