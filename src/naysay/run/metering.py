"""Models that watch what another model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from naysay.core.console import Progress
from naysay.core.probes import (
    Answer,
    AnswerQuestion,
    ChooseWord,
    Complete,
    Completion,
    Pieces,
    Probe,
)
from naysay.core.protocols import Model

_SLICE = 1024  # questions between progress updates
_FIRST_SLICE = 128  # the same at first, so that a slow model shows its rate soon
_SLOW_SLICE = 64  # the same for questions with many words each


class Watched:
    """A model that hands everything on to another one."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name, self.kind = model.name, model.kind
        self.answers, self.digest = model.answers, model.digest

    def prepare(self) -> None:
        """Load what the model needs."""
        self._model.prepare()

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Return what the model answers."""
        return self._model.ask(probes)

    def single_pieces(
        self, words: Sequence[str], text: str, *, bare: bool = False
    ) -> dict[str, Pieces]:
        """Return what the model returns."""
        return self._model.single_pieces(words, text, bare=bare)

    def facts(self) -> dict[str, Any]:
        """Return what the model returns."""
        return self._model.facts()

    def close(self) -> None:
        """Close the model."""
        self._model.close()


class Metered(Watched):
    """A model that counts its questions and reports progress, soon if it is `eager`."""

    def __init__(self, model: Model, progress: Progress, *, eager: bool = True) -> None:
        super().__init__(model)
        self._progress, self._eager = progress, eager
        self.questions = 0
        self.unknown = 0
        """Questions whose answer lacks a number, as a server may not tell it."""

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Ask in slices, so that progress shows within a shard."""
        answers: list[Answer] = []
        slow = any(isinstance(probe, ChooseWord | Complete | AnswerQuestion) for probe in probes)
        while len(answers) < len(probes):
            size = _FIRST_SLICE if self._eager and self.questions < _SLICE else _SLICE
            begun = len(answers)
            part = self._model.ask(probes[begun : begun + (_SLOW_SLICE if slow else size)])
            answers += part
            self.questions += len(part)
            self.unknown += sum(isinstance(one, Completion) and not one.known for one in part)
            self._progress.asked(len(part))
        return answers


class Noting(Watched):
    """A model that notes what it is asked, each question once."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.probes: dict[Probe[Any], None] = {}

    def ask(self, probes: Sequence[Probe[Answer]]) -> list[Answer]:
        """Note the questions, and answer them."""
        self.probes.update(dict.fromkeys(probes))
        return super().ask(probes)
