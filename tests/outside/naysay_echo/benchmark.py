"""How the toy would be asked if somebody had released it: one sentence at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from naysay.core.probes import FillBlank
from naysay.suites.benchmarks import Answers, Released, Timed
from naysay.suites.protocol import Setting
from naysay_echo.suite import EchoRow


class EchoBenchmark(Timed):
    """Echo on a BERT of real size."""

    least = 2.0
    units: int | None = 20

    def released(
        self, folder: Path, setting: Setting, rows: Sequence[EchoRow]
    ) -> Iterable[Released]:
        """The same questions, one by one."""
        steps = [FillBlank(row.text, words=(row.form,)) for row in rows]
        yield Released(name="one at a time", steps=steps, timed=50)

    def answers(self, rows: Sequence[EchoRow]) -> Answers:
        """The first word of each sentence."""
        return {row.text: (row.answer, None) for row in rows}


BENCHMARK = EchoBenchmark()
