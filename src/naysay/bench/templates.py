"""Suites of templates end to end: the released procedure, and naysay's run.

The released one runs the seed sentence again for each template and rank, one sentence at a time,
with logits at all positions, and records gradients. naysay runs it once per pair of name and
profession, and all questions in batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from naysay.bench import ways
from naysay.bench.questions import suite_setting
from naysay.bench.random_models import random_bert, saved, word_tokenizer
from naysay.bench.results import Comparison, Target
from naysay.bench.selection import timed_note
from naysay.bench.sizes import Sizes
from naysay.bench.turns import Round, Way, spread_out, take_turns
from naysay.core.console import Silent
from naysay.core.probes import BLANK, FillBlank, RankWords
from naysay.core.protocols import Model
from naysay.run.metering import Metered
from naysay.suites._templates.suite import SEED, Template, read_templates
from naysay.suites.gh22.suite import ContextMatters
from naysay.suites.pairs import gender_of
from naysay.suites.protocol import Setting, Unit

RELEASED = "as released"
_DEEP = 1000  # guesses searched for words of the highest rank
_PASSES = 2  # of each question: the seed sentence, and the template

Job = tuple[Template, int, Unit]
"""A template at a rank for a pair."""


def measure_templates(
    suite: str, least: float, sizes: Sizes, folder: Path, rounds: int
) -> Comparison:
    """Time both procedures on a BERT-base with random weights."""
    setting = suite_setting(suite, sizes.template_pairs)
    tokenizer = word_tokenizer(setting)
    model = random_bert(tokenizer, sizes.layers, sizes.width)
    saved(folder, model, tokenizer)
    released = Released(model, tokenizer, setting)
    jobs, timed = released.jobs(), max(1, sizes.timed // _PASSES)
    compared = [
        Way(
            RELEASED,
            lambda number: released.answer(spread_out(jobs, timed, number)),
            whole=_PASSES * len(jobs),
        ),
        *(
            Way(name, _naysay(ways.opened(folder, precision), setting))
            for name, precision in (("naysay", "fp32"), (ways.AUTO, "auto"))
        ),
    ]
    timings = take_turns(compared, rounds, suite)
    return Comparison(
        name=suite,
        title=(
            f"{suite}, pairs: {len(setting.units)}; all templates at all ranks, "
            f"{sizes.masked_model}, random weights"
        ),
        timings=timings,
        targets=(Target("naysay", RELEASED, least),),
        notes=tuple(timed_note(timings)),
    )


@dataclass
class Released:
    """The released procedure, without its output."""

    model: Any
    tokenizer: Any
    setting: Setting

    def jobs(self) -> list[Job]:
        """Every template at every rank for every pair."""
        suite, setting = cast(ContextMatters, self.setting.suite), self.setting
        _, templates = read_templates(setting.language, suite.patterns)
        return [
            (template, rank, unit)
            for template in templates
            for rank in suite.ranks(setting.spec)
            for unit in setting.units
            if gender_of(unit) in template.genders
        ]

    def answer(self, jobs: Sequence[Job]) -> Round:
        """Return the answers to some of them."""
        seed, _ = read_templates(self.setting.language, self.setting.suite.patterns)
        found = {}
        for template, rank, unit in jobs:
            # Guesses that are no words are left out, so that both procedures fill in the same ones.
            guesses = self._guesses(seed.fill(dict(unit.slots)), _DEEP)
            words = [word for word in guesses if word.isalpha()]
            text = template.text(unit, words[rank : rank + template.acts], "paper")
            found[unit.key, text] = (self._guesses(text, 10)[0],)
        return Round(_PASSES * len(jobs), found)

    def _guesses(self, text: str, number: int) -> list[str]:
        import torch

        masked = text.replace(BLANK, self.tokenizer.mask_token)
        ids = self.tokenizer.encode(masked, return_tensors="pt")
        place = torch.where(ids == self.tokenizer.mask_token_id)[1]
        logits = self.model(ids)[0][0, place, :]
        best = torch.topk(logits, number, dim=1).indices[0].tolist()
        torch.topk(torch.nn.functional.softmax(logits, dim=1), number, dim=1)
        tokens: list[str] = self.tokenizer.convert_ids_to_tokens(best)
        return tokens


def _naysay(model: Model, setting: Setting) -> Any:
    suite = cast(ContextMatters, setting.suite)
    # One-time set-up, such as the list of whole words, is not part of the procedure.
    model.ask([RankWords(f"She likes to {BLANK}.", (0,))])
    model.ask([FillBlank(f"She likes to {BLANK}.")])

    def run(number: int) -> Round:
        metered = Metered(model, Silent())
        fit = suite.fit(metered, setting)
        rows = list(suite.probe(metered, setting.units, setting, fit))
        answers = {(row.unit, row.text): (row.answer,) for row in rows if row.polarity != SEED}
        return Round(metered.questions, answers)

    return run
