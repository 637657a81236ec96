"""A thread that loads models and asks them, where the last question of each reader wins.

A question that waits is dropped as soon as its reader asks another. So however fast somebody types,
one question is being answered and one waits.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from naysay.core.errors import NaysayError
from naysay.core.protocols import Model, ModelRequest

KEPT = 2
"""How many models stay in memory."""
_READERS = 16
"""Of how many readers a question may wait."""
Job = Callable[[Model], Any]


@dataclass
class _Waiting:
    model: str
    job: Job
    future: Future[Any] = field(default_factory=Future)


class SupersededError(NaysayError):
    """A newer question of the same reader has come."""


class ModelThread:
    """Loads models by name, keeps the last ones, and asks them one question at a time."""

    def __init__(self, opening: Callable[[str, ModelRequest], Model]) -> None:
        """Take the function that opens a model by its name."""
        self._opening = opening
        self._models: OrderedDict[str, Model] = OrderedDict()
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._loading: tuple[str, float] | None = None
        self._failed: dict[str, str] = {}
        self._change = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def submit(self, reader: str, model: str, job: Job) -> Future[Any]:
        """Have a job done with a model, in place of the reader's last one if that still waits."""
        asked = _Waiting(model, job)
        with self._change:
            if self._closed:
                raise NaysayError("the server is ending")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="models", daemon=True)
                self._thread.start()
            dropped = [self._waiting.pop(reader, None)]
            self._waiting[reader] = asked
            while len(self._waiting) > _READERS:
                dropped.append(self._waiting.popitem(last=False)[1])
            self._change.notify_all()
        for one in dropped:
            if one is not None:
                one.future.set_exception(SupersededError("a newer question has come"))
        return asked.future

    def state(self, model: str) -> dict[str, Any]:
        """Return whether a model is loaded, loading (and for how many seconds), or failed."""
        with self._change:
            if model in self._models:
                return {"state": "ready"}
            if self._loading is not None and self._loading[0] == model:
                return {"state": "loading", "seconds": round(time.monotonic() - self._loading[1])}
            if model in self._failed:
                return {"state": "failed", "problem": self._failed[model]}
            waits = any(one.model == model for one in self._waiting.values())
            return {"state": "waiting" if waits else "idle"}

    def close(self) -> None:
        """Drop what waits, and end the thread after the question that it asks."""
        with self._change:
            self._closed = True
            dropped, self._waiting = list(self._waiting.values()), OrderedDict()
            self._change.notify_all()
        for one in dropped:
            one.future.set_exception(SupersededError("the server is ending"))

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._waiting and not self._closed:
                    self._change.wait()
                if self._closed:
                    break
                _, asked = self._waiting.popitem(last=False)
            try:
                asked.future.set_result(asked.job(self._loaded(asked.model)))
            except NaysayError as error:
                asked.future.set_exception(error)
            except Exception as error:  # whatever a model does, the server goes on
                problem = f"{asked.model} cannot answer: {type(error).__name__}: {error}"
                asked.future.set_exception(NaysayError(problem))
        for model in self._models.values():
            model.close()

    def _loaded(self, name: str) -> Model:
        if name in self._models:
            self._models.move_to_end(name)
            return self._models[name]
        with self._change:
            self._loading = name, time.monotonic()
            self._failed.pop(name, None)
        try:
            model = self._opening(name, ModelRequest())
            model.prepare()
        except Exception as error:
            with self._change:
                self._failed[name] = str(error)
            raise
        finally:
            with self._change:
                self._loading = None
        with self._change:
            self._models[name] = model
            gone = [self._models.popitem(last=False)[1] for _ in range(len(self._models) - KEPT)]
        for older in gone:
            older.close()
        return model
