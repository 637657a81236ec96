"""Speed of a loop, transformers' pipeline and naysay on the same sentences.

Measures sentences per second of a one-sentence-at-a-time loop, of the fill-mask pipeline and of
naysay in fp32 and bf16 on a random BERT-base, together with the CPU's peak multiplication rate;
then the speed-up from shared prefixes on a random causal model. The methods take turns, and the
best round counts, so that other load on the machine affects all of them alike.

    python benchmarks/speed.py [--sentences 256] [--layers 12] [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from naysay.models.lm.processor import low_speed, prepare_precision

prepare_precision("bf16", "cpu")  # before torch is imported

import torch
import transformers

from naysay.core.keys import seeded_order
from naysay.core.probes import FillBlank
from naysay.core.spec import RunSpec
from naysay.run.plan import setting_of
from naysay.suites.scnt import SUITE
from naysay.suites.scnt.selection import SELECTION, TESTS
from random_models import save_bert, save_llama
from ways import Way, loop, naysay_way, opened, pipeline

LOOP, PIPELINE = "loop, one sentence at a time", "pipeline, batches of 64"
FP32, BF16 = "naysay, fp32", "naysay, bf16"
APART, SHARED = "each text separately", "shared prefixes once"
ROUNDS = 3
WARM_UP = 32
VERBS_PER_PAIR = 20  # as in the first step of a run
CAUSAL_LAYERS = 8


def questions(number: int, conditions: Sequence[str]) -> list[FillBlank]:
    """Return distinct questions of the suite, cycling through the conditions, grouped by pair."""
    pairs = -(-number // VERBS_PER_PAIR)
    setting = setting_of(RunSpec(model="", suites=(SUITE.name,), limit=pairs))
    items = SUITE.items(setting)
    verbs = {
        unit: seeded_order(setting.lexicon.verbs, 0, unit.key)[:VERBS_PER_PAIR]
        for unit in SUITE.units(setting)
    }
    return [
        FillBlank(items.text(conditions[place % len(conditions)], unit, verb), words=(verb,))
        for unit, chosen in verbs.items()
        for place, verb in enumerate(chosen)
    ][:number]


def take_turns(
    ways: dict[str, Way], probes: Sequence[FillBlank], slow: str = ""
) -> tuple[dict[str, float], dict[str, dict[str, str]]]:
    """Return the sentences per second of each method in its best round, and its answers by text.

    The slow method answers a different part of the sentences in each round, and all in total.
    """
    for way in ways.values():
        way(probes[:WARM_UP])
    best = dict.fromkeys(ways, 0.0)
    answers: dict[str, dict[str, str]] = {name: {} for name in ways}
    for number in range(ROUNDS):
        for name, way in ways.items():
            asked = probes[number::ROUNDS] if name == slow else probes
            begun = time.perf_counter()
            words = way(asked)
            best[name] = max(best[name], len(asked) / (time.perf_counter() - begun))
            answers[name].update((p.text, word) for p, word in zip(asked, words, strict=True))
    return best, answers


def multiply_peak(dtype: Any) -> float:
    """Return the peak GFLOP/s in the largest matrix multiplication of a layer."""
    rows, width, wide = 1024, 768, 3072
    left, right = torch.randn(rows, width, dtype=dtype), torch.randn(wide, width, dtype=dtype)
    times = []
    with torch.inference_mode():
        for _ in range(30):
            begun = time.perf_counter()
            torch.nn.functional.linear(left, right)
            times.append(time.perf_counter() - begun)
    return 2 * rows * width * wide / min(times) / 1e9


def measure_masked(folder: Path, number: int, layers: int) -> dict[str, Any]:
    """Time all methods on a BERT, and compare their words with those of the loop."""
    model, tokenizer = save_bert(folder, layers)
    probes = questions(number, (SELECTION, *TESTS))
    ways = {
        LOOP: loop(model, tokenizer),
        PIPELINE: pipeline(model, tokenizer),
        FP32: naysay_way(opened(folder, "fp32")),
        BF16: naysay_way(opened(folder, "bf16")),
    }
    peaks = [(multiply_peak(torch.float32), multiply_peak(torch.bfloat16))]
    best, answers = take_turns(ways, probes, slow=LOOP)
    peaks.append((multiply_peak(torch.float32), multiply_peak(torch.bfloat16)))
    reference = answers[LOOP]
    tokens = sum(map(len, tokenizer([p.text for p in probes])["input_ids"])) / len(probes)
    # Each weight of the layers is one multiplication and one addition per token.
    operations = 2 * tokens * sum(p.numel() for p in model.bert.encoder.parameters())
    fp32, bf16 = (max(column) for column in zip(*peaks, strict=True))
    return {
        "sentences": len(probes),
        "tokens_per_sentence": tokens,
        "distinct_answers": len(set(reference.values())),
        "per_second": best,
        "agreement": {
            name: sum(reference[text] == word for text, word in given.items()) / len(reference)
            for name, given in answers.items()
        },
        "naysay_to_pipeline": best[FP32] / best[PIPELINE],
        "peak": {"fp32": fp32, "bf16": bf16},
        "naysay_share_of_peak": best[FP32] * operations / 1e9 / fp32,
        "bf16_speed": low_speed("bf16", "cpu"),
    }


def measure_causal(folder: Path, number: int) -> dict[str, Any]:
    """Time naysay on a Llama, with shared prefixes computed once or for each text."""
    save_llama(folder, CAUSAL_LAYERS)
    shared, apart = opened(folder), opened(folder)
    assert shared.facts()["shares_prefixes"]
    apart._loaded[0].shares_prefixes = False
    ways = {APART: naysay_way(apart), SHARED: naysay_way(shared)}
    best, answers = take_turns(ways, questions(number, (SELECTION,)))
    same = sum(answers[SHARED][text] == word for text, word in answers[APART].items())
    return {"ratio": best[SHARED] / best[APART], "agreement": same / len(answers[APART])}


def show(masked: dict[str, Any], causal: dict[str, Any]) -> None:
    """Print the results as plain text."""
    speeds, peak = masked["per_second"], masked["peak"]
    print(
        f"{masked['sentences']} sentences of {masked['tokens_per_sentence']:.1f} tokens on "
        f"average; the loop predicts {masked['distinct_answers']} different words"
    )
    print(f"{'method':<30}{'sentences/s':>13}{'× loop':>9}{'same word as loop':>20}")
    for name, speed in speeds.items():
        agreement = f"{100 * masked['agreement'][name]:.1f} %"
        print(f"{name:<30}{speed:>13.1f}{speed / speeds[LOOP]:>9.2f}{agreement:>20}")
    print(f"naysay fp32 / pipeline: {masked['naysay_to_pipeline']:.2f}")
    print(f"peak multiplication: {peak['fp32']:.0f} GFLOP/s in fp32, {peak['bf16']:.0f} in bf16")
    print(f"naysay fp32 uses {100 * masked['naysay_share_of_peak']:.0f} % of that in the layers")
    if masked["bf16_speed"] < 1:
        print(
            f"bf16 runs at {masked['bf16_speed']:.2f} times the speed of fp32 on this CPU; its row"
        )
        print("says nothing about CPUs with fast bf16 instructions.")
    print(
        f"causal model, {SHARED} / {APART}: {causal['ratio']:.2f}, "
        f"same word in {100 * causal['agreement']:.1f} %"
    )


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(description="Benchmark the speed of models.")
    parser.add_argument("--sentences", type=int, default=256)
    parser.add_argument("--layers", type=int, default=12, help="layers of the BERT")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
    options = parser.parse_args()
    if options.sentences < WARM_UP:
        parser.error(f"--sentences must be at least {WARM_UP}")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        masked = measure_masked(Path(folder, "bert"), options.sentences, options.layers)
        causal = measure_causal(Path(folder, "llama"), options.sentences)
    if options.as_json:
        print(json.dumps({"masked": masked, "causal": causal}, indent=1, ensure_ascii=False))
    else:
        show(masked, causal)


if __name__ == "__main__":
    main()
