"""Time of ρ over 21,018 words, relative to the model's forward passes.

Facts and their negations go through a random BERT-base; ranks and correlations are computed from
its logits. Both parts are timed in one run, and each ρ of a sample is compared with scipy's.

    python benchmarks/correlation.py [--facts 1000]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
import transformers
from scipy.stats import spearmanr

from naysay.stats.association import centred_ranks, correlations

WORDS = 21_018
LENGTH = 10  # tokens; about the length of a LAMA query
BATCH = 200


def main() -> None:
    """Run the benchmark, compare with scipy, and print the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--facts", type=int, default=1000)
    facts = options.parse_args().facts
    torch.manual_seed(0)
    model = transformers.BertForMaskedLM(transformers.BertConfig()).eval()
    rng = np.random.default_rng(0)
    vocabulary = model.config.vocab_size
    among = torch.from_numpy(rng.choice(vocabulary, WORDS, replace=False))
    passing = ranking = 0.0
    worst = 0.0
    for start in range(0, facts, BATCH):
        size = min(BATCH, facts - start)
        sides: list[Any] = []
        for _ in range(2):
            ids = torch.from_numpy(rng.integers(1000, vocabulary, size=(size, LENGTH)))
            begun = time.perf_counter()
            with torch.inference_mode():
                hidden = model.bert(ids).last_hidden_state[:, -2]
                logits = model.cls(hidden)
            passing += time.perf_counter() - begun
            sides.append(logits)
        begun = time.perf_counter()
        ranks = [centred_ranks(logits.index_select(1, among).numpy()) for logits in sides]
        rhos = correlations(*ranks)
        ranking += time.perf_counter() - begun
        if start == 0:
            one, other = (logits[:, among].numpy() for logits in sides)
            for k in range(min(size, 20)):
                worst = max(worst, abs(rhos[k] - spearmanr(one[k], other[k]).statistic))
    print(f"{facts:,} facts, 2 questions each of {LENGTH} tokens, {WORDS:,} words")
    print(f"forward passes of BERT-base {passing:.1f} s, ranks and ρ {ranking:.2f} s")
    print(f"ρ takes {100 * ranking / passing:.1f} % of that; largest error to scipy {worst:.1e}")


if __name__ == "__main__":
    main()
