"""Speed of templates: the released procedure of Context Matters and naysay's.

The released procedure runs the seed sentence again for each template and rank, one sentence at a
time, with logits at all positions, and records gradients. naysay runs it once per pair of name and
profession, and all questions in batches. Both answer the same templates on the same random
BERT-base, and take turns.

    python benchmarks/templates.py [--pairs 6] [--layers 12] [--json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from naysay.core.console import Silent
from naysay.core.probes import BLANK, FillBlank, RankWords
from naysay.core.protocols import Model
from naysay.core.spec import RunSpec
from naysay.run.metering import Metered
from naysay.run.plan import setting_of
from naysay.suites._templates.suite import SEED, read_templates
from naysay.suites.gh22.suite import SUITE
from naysay.suites.pairs import gender_of
from naysay.suites.protocol import Setting, Unit
from random_models import save_bert
from ways import opened

DEEP = 1000  # guesses searched for words of the highest rank
ROUNDS = 2

Answers = dict[tuple[str, str], str]
"""The word at the blank, by pair and text."""


@dataclass
class Released:
    """The released procedure, without its output."""

    model: Any
    tokenizer: Any
    setting: Setting
    passes: int = 0

    def answers(self, units: Sequence[Unit]) -> Answers:
        """Return the answers to every template at every rank for these pairs."""
        seed, templates = read_templates(self.setting.language, SUITE.name)
        found = {}
        for template in templates:
            for rank in SUITE.ranks(self.setting.spec):
                for unit in units:
                    if gender_of(unit) in template.genders:
                        words = self._words(seed.fill(dict(unit.slots)))
                        verbs = words[rank : rank + template.acts]
                        text = template.text(unit, verbs, "paper")
                        found[unit.key, text] = self._guesses(text, 10)[0]
        return found

    def _words(self, text: str) -> list[str]:
        """Return the guesses that are words, so that both procedures fill in the same ones."""
        return [word for word in self._guesses(text, DEEP) if word.isalpha()]

    def _guesses(self, text: str, number: int) -> list[str]:
        masked = text.replace(BLANK, self.tokenizer.mask_token)
        ids = self.tokenizer.encode(masked, return_tensors="pt")
        place = torch.where(ids == self.tokenizer.mask_token_id)[1]
        logits = self.model(ids)[0][0, place, :]
        self.passes += 1
        best = torch.topk(logits, number, dim=1).indices[0].tolist()
        torch.topk(torch.nn.functional.softmax(logits, dim=1), number, dim=1)
        tokens: list[str] = self.tokenizer.convert_ids_to_tokens(best)
        return tokens


def naysays(model: Model, units: Sequence[Unit], setting: Setting) -> tuple[Answers, int]:
    """Return the suite's answers, and its number of questions."""
    metered = Metered(model, Silent())
    rows = SUITE.probe(metered, units, setting, SUITE.fit(metered, setting))
    answers = {(row.unit, row.text): row.answer for row in rows if row.polarity != SEED}
    return answers, metered.questions


def templates_and_ranks(units: Sequence[Unit], setting: Setting) -> int:
    """Return the number of (template, gender, rank) combinations of these pairs."""
    _, templates = read_templates(setting.language, SUITE.name)
    genders = {gender_of(unit) for unit in units}
    return len(SUITE.ranks(setting.spec)) * sum(len(genders & set(t.genders)) for t in templates)


def rounds(
    folder: Path, pairs: int, layers: int, precisions: Sequence[str]
) -> Iterator[tuple[str, int, float, Answers]]:
    """Yield each method in turn: its name, passes, seconds and answers."""
    model, tokenizer = save_bert(folder, layers)
    setting = setting_of(RunSpec(model="", suites=(SUITE.name,), limit=pairs))
    units = SUITE.units(setting)
    ours = {f"naysay, {precision}": opened(folder, precision) for precision in precisions}
    for model_of_ours in ours.values():
        # One-time set-up, such as the list of whole words, is not part of the procedure.
        model_of_ours.ask([RankWords(f"She likes to {BLANK}.", (0,))])
        model_of_ours.ask([FillBlank(f"She likes to {BLANK}.")])
    for number in range(ROUNDS):
        if number == 0:  # once, since it takes long
            released = Released(model, tokenizer, setting)
            begun = time.perf_counter()
            answers = released.answers(units)
            yield "as released", released.passes, time.perf_counter() - begun, answers
        for name, model_of_ours in ours.items():
            begun = time.perf_counter()
            answers, passes = naysays(model_of_ours, units, setting)
            yield name, passes, time.perf_counter() - begun, answers


def main() -> None:
    """Run the benchmark and print the results."""
    parser = argparse.ArgumentParser(description="Benchmark the speed of templates.")
    parser.add_argument("--pairs", type=int, default=6, help="pairs of name and profession")
    parser.add_argument("--layers", type=int, default=12, help="layers of the BERT")
    parser.add_argument("--precisions", default="fp32", help="naysay's precisions, comma-separated")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
    options = parser.parse_args()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    best: dict[str, dict[str, Any]] = {}
    reference: Answers = {}
    with tempfile.TemporaryDirectory() as folder:
        ways = rounds(Path(folder), options.pairs, options.layers, options.precisions.split(","))
        for name, passes, seconds, answers in ways:
            reference = reference or answers
            same = sum(reference.get(key) == word for key, word in answers.items())
            shown = {"passes": passes, "seconds": seconds, "same": same, "of": len(reference)}
            if name not in best or seconds < best[name]["seconds"]:
                best[name] = shown
    if options.as_json:
        print(json.dumps(best, indent=1, ensure_ascii=False))
        return
    slowest = max(way["seconds"] for way in best.values())
    print(f"{'method':<20}{'passes':>8}{'seconds':>9}{'× released':>12}{'same answers':>18}")
    for name, way in best.items():
        ratio, alike = slowest / way["seconds"], f"{way['same']:,} of {way['of']:,}"
        print(f"{name:<20}{way['passes']:>8,}{way['seconds']:>9.1f}{ratio:>12.1f}{alike:>18}")


if __name__ == "__main__":
    main()
