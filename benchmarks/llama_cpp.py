"""A GGUF file in llama.cpp and through transformers: speed, agreement, first answer, memory.

Both answer the same questions, in turns; the ratio of their times is what counts, since other load
on the machine affects both alike. Processor time is counted apart, over all threads: it shows what
waiting for other processes hides. A child process measures the first answer and the peak of memory.
OMP_NUM_THREADS limits the threads of both.

    OMP_NUM_THREADS=1 python benchmarks/llama_cpp.py [FILE.gguf or alias] [--questions 240] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

from naysay.core.keys import seeded_order
from naysay.core.probes import FillBlank
from naysay.core.protocols import ModelRequest
from naysay.core.spec import RunSpec
from naysay.models import open_model
from naysay.models.files import locate
from naysay.run.plan import setting_of
from naysay.suites.scnt import SUITE

VERBS_PER_PAIR = 20
BATCH = 60
FIRST = """
import re, sys, time
begun = time.perf_counter()
from naysay.core.probes import FillBlank
from naysay.core.protocols import ModelRequest
from naysay.models import open_model
open_model(sys.argv[1], ModelRequest()).ask([FillBlank("She is happy to \\u25a2.")])
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(time.perf_counter() - begun, peak)
"""


def questions(number: int) -> list[FillBlank]:
    """Return questions of the suite, grouped by pair, as a run asks them."""
    pairs = -(-number // VERBS_PER_PAIR)
    setting = setting_of(RunSpec(model="", suites=(SUITE.name,), limit=pairs))
    items = SUITE.items(setting)
    conditions = ("CpTp", "CpTn", "CnTp", "CnTn")
    return [
        FillBlank(items.text(conditions[place % len(conditions)], unit, verb), words=(verb,))
        for unit in SUITE.units(setting)
        for place, verb in enumerate(
            seeded_order(setting.lexicon.verbs, 0, unit.key)[:VERBS_PER_PAIR]
        )
    ][:number]


def first_answer(name: str) -> dict[str, float]:
    """Return the seconds until the first answer of a new process, and its peak of memory in MB."""
    command = [sys.executable, "-c", FIRST, name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak = map(float, done.stdout.split())
    return {"first_answer_s": round(seconds, 2), "peak_mb": round(peak)}


def main() -> None:
    """Measure, and print a line per way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", default="smollm2")
    parser.add_argument("--questions", type=int, default=240)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    weights = locate(options.model)
    asked = questions(options.questions)
    kinds = ("llama", "causal")
    wall, cpu = dict.fromkeys(kinds, 0.0), dict.fromkeys(kinds, 0.0)
    answers: dict[str, list[str]] = {kind: [] for kind in kinds}
    models = {kind: open_model(f"{kind}:{options.model}", ModelRequest()) for kind in kinds}
    for model in models.values():
        model.ask(asked[:1])  # load it
    for start in range(0, len(asked), BATCH):
        for kind in kinds if start // BATCH % 2 else kinds[::-1]:
            begun = time.perf_counter(), time.process_time()
            fills = models[kind].ask(asked[start : start + BATCH])
            wall[kind] += time.perf_counter() - begun[0]
            cpu[kind] += time.process_time() - begun[1]
            answers[kind] += [fill.top[0].word for fill in fills]
    same = sum(one == other for one, other in zip(*answers.values(), strict=True))
    found = {
        "file_mb": round(weights.files[0].stat().st_size / 1e6),
        "same_first_word": round(same / len(asked), 4),
        "threads": os.environ.get("OMP_NUM_THREADS", "as many as processors"),
        "speed_of_llama_relative_to_causal": {
            "processor_time": round(cpu["causal"] / cpu["llama"], 2),
            "wall_time": round(wall["causal"] / wall["llama"], 2),
        },
        **{
            kind: {
                "questions_per_processor_s": round(len(asked) / cpu[kind], 1),
                "questions_per_s": round(len(asked) / wall[kind], 1),
                **first_answer(f"{kind}:{options.model}"),
            }
            for kind in kinds
        },
    }
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name.replace('_', ' ')}: {value}")


if __name__ == "__main__":
    main()
