"""The released procedure: the seed sentence again for each template and rank, one by one.

It computes the head at all positions and records gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from naysay.core.probes import BLANK
from naysay.suites._templates.suite import SEED, Template, TemplateRow, read_templates
from naysay.suites.benchmarks import Answers, Bounds, Released, Timed
from naysay.suites.gh22.suite import ContextMatters
from naysay.suites.pairs import gender_of
from naysay.suites.protocol import Setting, Unit

_DEEP = 1000  # guesses searched for words of the highest rank
_TIMED = 100

Step = tuple[Template, int, Unit]
"""A template at a rank for a pair."""


class ContextBenchmark(Timed):
    """Context Matters."""

    least = 8.0
    units: int | None = 12
    judged = Bounds(seconds=5.0, megabytes=300.0)

    def released(
        self, folder: Path, setting: Setting, rows: Sequence[TemplateRow]
    ) -> Iterable[Released]:
        """Every template at every rank for every pair."""
        suite = cast(ContextMatters, setting.suite)
        _, templates = read_templates(setting.language, suite.patterns)
        steps = [
            (template, rank, unit)
            for template in templates
            for rank in suite.ranks(setting.spec)
            for unit in setting.units
            if gender_of(unit) in template.genders
        ]
        # Each takes two passes: the seed sentence, and the template.
        yield Released(
            name="as released", steps=steps, passes=2, timed=_TIMED,
            open=lambda: _Program.open(folder, setting),
        )  # fmt: skip

    def answers(self, rows: Sequence[TemplateRow]) -> Answers:
        """The first word of each sentence."""
        return {(row.unit, row.text): (row.answer,) for row in rows if row.polarity != SEED}


@dataclass(frozen=True)
class _Program:
    """The released program, without its output."""

    model: Any
    tokenizer: Any
    setting: Setting

    @classmethod
    def open(cls, folder: Path, setting: Setting) -> Callable[[Sequence[Step]], Answers]:
        import transformers

        model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        return cls(model, tokenizer, setting).answer

    def answer(self, steps: Sequence[Step]) -> Answers:
        """Fill each template with the model's own verbs, and take its first guess."""
        seed, _ = read_templates(self.setting.language, self.setting.suite.patterns)
        found = {}
        for template, rank, unit in steps:
            # Guesses that are no words are left out, so that both procedures fill in the same ones.
            guesses = self._guesses(seed.fill(dict(unit.slots)), _DEEP)
            words = [word for word in guesses if word.isalpha()]
            text = template.text(unit, words[rank : rank + template.acts], "paper")
            found[unit.key, text] = (self._guesses(text, 10)[0],)
        return found

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


BENCHMARK = ContextBenchmark()
