"""Speed and memory of extracting sentences from a corpus, on one core.

The corpus consists of sentences of many forms with naysay's names, professions and verbs, a tenth
of them negated, and of docstrings of Python's standard library. It is compared with `grep -c`,
which only counts lines with a negation, and with a plain Python loop over sentences.

    python benchmarks/extraction.py [--megabytes 300] [--few 50] [--rounds 3]

Rates are per CPU second, since other work on the machine would distort wall-clock time, which is
printed, too.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from naysay.data.languages import LANGUAGES
from naysay.train.extraction import extract, leak_patterns
from naysay.train.extraction.rules import wording

LOOP_MEGABYTES = 5  # the plain loop is slow, and its rate does not depend on the size
PLAIN = (
    "{name} is {prof} from the old town and used to {verb} every morning before work.",
    "In the summer {name} and {other} would {verb} for hours, then {verb2} until it got dark.",
    "When {name} was young, {prof} told the children how to {verb} and when to {verb2}.",
    "The book is about {prof} who learns to {verb} with the help of {name} and {other}.",
    "Yesterday {name} met {prof} at the station.",
    "“We will {verb} tomorrow,” said {name}, and {other} agreed.",
    "{name} had been {prof} for twenty years; all of them had been good ones, it seems.",
    "Most people who {verb} at night also {verb2} in the morning, as {prof} once explained.",
)
NEGATED = (
    "{name} wanted to {verb}, but {other} did not think that {prof} should ever {verb2} there.",
    "Although {name} can't {verb}, it is said that no {verb2} was ever as fine, said {prof}.",
    "{name} never wanted to be {prof} and would not {verb} for anybody in the whole country.",
    "There was nothing left to do, so {name} went on to {verb} with {other} and {prof}.",
    "No {verb} was ever like that of {name}, {prof} from the other side of the river.",
    "{name} isn't {prof}.",
    "Neither {name} nor {other} could {verb}.",
    "It won't be {name} who has to {verb} and {verb2} when {prof} comes to town.",
)


def main() -> None:
    """Create the corpus, run the benchmark and print the results."""
    parser = argparse.ArgumentParser(
        description="Benchmark the extraction of sentences from a corpus."
    )
    parser.add_argument("--megabytes", type=int, default=300, help="size of the corpus")
    parser.add_argument(
        "--few", type=int, default=50, help="size of the smaller corpus, for memory"
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the median is printed")
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        alone(given.alone)
        return
    with tempfile.TemporaryDirectory() as folder:
        many, few = Path(folder) / "many.txt", Path(folder) / "few.txt"
        write_corpus(many, given.megabytes)
        write_corpus(few, given.few)
        measure(many, given.rounds)
        for file in (few, many):
            command = [sys.executable, __file__, "--alone", str(file)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            show(f"peak memory, {file.stat().st_size / 1e6:,.0f} MB", f"{done.stdout.strip()} MB")


def measure(corpus: Path, rounds: int) -> None:
    """Time the three methods in turn; print the median of each."""
    patterns = leak_patterns()
    out = corpus.with_name("sentences.txt")

    def ours() -> float:
        done = extract([corpus], out, held_out=corpus.with_name("free.txt"), patterns=patterns)
        return done.bytes / 1e6

    ways: dict[str, Callable[[], float]] = {
        "naysay": ours,
        "grep -c": lambda: grep(corpus),
        "plain loop": lambda: loop(corpus),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    clock: list[float] = []
    for _ in range(rounds):
        for name, way in ways.items():
            begun, started = processor_seconds(), time.perf_counter()
            megabytes = way()
            rates[name].append(megabytes / (processor_seconds() - begun))
            if name == "naysay":
                clock.append(megabytes / (time.perf_counter() - started))
    print(extract([corpus], out, patterns=patterns).summary.split("\n\n")[0], end="\n\n")
    medians = {name: statistics.median(found) for name, found in rates.items()}
    for name, rate in medians.items():
        show(f"{name}, on one core, median of {rounds}", f"{rate:,.1f} MB/s")
        if name != "naysay":
            show(f"  speed of naysay relative to {name}", f"{medians['naysay'] / rate:.2f}")
    show("naysay, wall clock", f"{statistics.median(clock):,.1f} MB/s")


def grep(corpus: Path) -> float:
    """Count the lines with a negation, and nothing else."""
    pattern = r"\b(not|cannot|never|neither|nor|none|nobody|nothing|nowhere|no)\b|n't\b"
    command = ["grep", "-ciE", pattern, str(corpus)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "LC_ALL": "C"})
    return corpus.stat().st_size / 1e6


def loop(corpus: Path) -> float:
    """Split and search one sentence at a time; without leaks and held-out sentences."""
    rule = wording("en").rule("strict")
    read, kept = 0, set()
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            read += len(line.encode())
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z\"“'])", line.strip()):
                if all(rule.found(sentence)) and len(sentence) > 64:
                    kept.add(sentence)
            if read > LOOP_MEGABYTES * 1_000_000:
                break
    return read / 1e6


def alone(corpus: Path) -> None:
    """Run in a separate process and print its peak memory."""
    extract([corpus], corpus.with_name("alone.txt"), held_out=corpus.with_name("alone-free.txt"))
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    peak = next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
    print(f"{peak:,.0f}")


def write_corpus(file: Path, megabytes: int) -> None:
    """Write paragraphs of one to six sentences, one per line; a seventh are docstrings."""
    draw = random.Random(0)
    texts = list(documentation())
    sentences = made(draw)
    left = megabytes * 1_000_000
    with file.open("w", encoding="utf-8") as lines:
        while left > 0:
            if draw.random() < 1 / 7:
                line = draw.choice(texts)
            else:
                line = " ".join(next(sentences) for _ in range(draw.randint(1, 6)))
            left -= lines.write(line + "\n")


def made(draw: random.Random) -> Iterator[str]:
    """Yield sentences with the lexicon's words."""
    lexicon = LANGUAGES.get("en").lexicon
    names = [name for of_gender in lexicon.names.values() for name in of_gender]
    while True:
        forms = NEGATED if draw.random() < 0.1 else PLAIN
        yield draw.choice(forms).format(
            name=draw.choice(names),
            other=draw.choice(names),
            prof=draw.choice(lexicon.professions["female"]),
            verb=draw.choice(lexicon.verbs),
            verb2=draw.choice(lexicon.verbs),
        )


def documentation() -> Iterator[str]:
    """Yield paragraphs of the docstrings of Python's standard library."""
    for file in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                for part in (ast.get_docstring(node) or "").split("\n\n"):
                    if len(part) > 80 and ">>>" not in part:
                        yield " ".join(part.split())


def processor_seconds() -> float:
    """Return the CPU time of this process and its children."""
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def show(what: str, value: str) -> None:
    """Print one line of the table."""
    print(f"{what:<52} {value:>14}", flush=True)


if __name__ == "__main__":
    main()
