"""A worker on a cluster: a process that keeps one model loaded and asks shards of it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from naysay.core import VERSION
from naysay.core.console import Silent
from naysay.core.errors import ModelError, NaysayError, WeightsError
from naysay.core.paths import cache_folder, locked, write_bytes
from naysay.core.protocols import Model
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.data.lexicon import Lexicon
from naysay.run.executors.shards import ShardRows, ask_shard
from naysay.run.opening import opened
from naysay.run.plan import Shard
from naysay.suites import SUITES
from naysay.suites.protocol import Setting


@dataclass(frozen=True)
class Opening:
    """How a worker opens the model of a run."""

    spec: RunSpec
    digest: str
    """What its copy of the model must have, too."""
    files: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The parts of each of the model's files in Ray's object store, if workers lack them."""


@dataclass(frozen=True)
class SuiteWork:
    """All that a worker needs to ask a suite's shards; languages and suites are its own."""

    spec: RunSpec
    suite: str
    lexicon: Lexicon
    fit: Fit

    @property
    def setting(self) -> Setting:
        """The setting as it is where the run was planned."""
        language = LANGUAGES.get(str(self.spec.language))
        return Setting(self.spec, language, self.lexicon, SUITES.get(self.suite))


@dataclass(frozen=True)
class Refusal:
    """An error that the user can fix, on its way back; not all of them can be pickled."""

    kind: type[NaysayError]
    text: str

    @property
    def error(self) -> NaysayError:
        """The error, without the details that its class may have."""
        return self.kind.__new__(self.kind, self.text)


@dataclass(frozen=True)
class LackingWeights:
    """The answer of a worker that does not have the model's files."""

    why: Refusal


class Worker:
    """Asks what it is given, one thing at a time; Ray runs it as an actor."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ[name] = str(threads)
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        self._model: Model | None = None
        self._digest = ""

    def hello(self, opening: Opening) -> tuple[str, str]:
        """Load the model ahead, if it is here; return the version of naysay, and on which node."""
        import ray

        with contextlib.suppress(NaysayError, _LackingError):  # said when it is needed
            self._opened(opening)
        return VERSION, str(ray.get_runtime_context().get_node_id())

    def call(self, opening: Opening, method: str, *given: Any, **named: Any) -> Any:
        """Call a method of the model."""
        return self._answer(opening, lambda model: getattr(model, method)(*given, **named))

    def ask(self, opening: Opening, shard: Shard, work: SuiteWork) -> ShardRows | Any:
        """Ask a shard."""
        return self._answer(
            opening, lambda model: ask_shard(shard, work.setting, work.fit, model, Silent())
        )

    def _answer(self, opening: Opening, ask: Callable[[Model], Any]) -> Any:
        try:
            model = self._opened(opening)
        except _LackingError as error:
            return LackingWeights(Refusal(error.why.__class__, str(error.why)))
        except NaysayError as error:
            return Refusal(type(error), str(error))
        try:
            return ask(model)
        except NaysayError as error:
            return Refusal(type(error), str(error))

    def _opened(self, opening: Opening) -> Model:
        """Return the model, loaded; the one before is closed first, as both may not fit."""
        if self._model is not None and self._digest == opening.digest:
            return self._model
        if self._model is not None:
            self._model.close()
            self._model = None
        found = _open(opening)
        found.prepare()
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(self._threads)
        self._model, self._digest = found, opening.digest
        return found


class _LackingError(Exception):
    def __init__(self, why: NaysayError) -> None:
        self.why = why


def _open(opening: Opening) -> Model:
    """Open the model by its name, or from the files that were sent; check that it is the same."""
    spec = opening.spec
    if opening.files:
        spec = replace(spec, model=_with_files(opening))
    try:
        model = opened(spec.model, spec)
    except ModelError as error:
        if opening.files:
            raise
        raise _LackingError(error) from error
    if model.digest == opening.digest:
        return model
    model.close()
    differs = WeightsError(
        f"{opening.spec.model} is not the same model on a worker of the cluster "
        f"(digest {model.digest[:8]}, not {opening.digest[:8]}): install the same versions there"
    )
    if opening.files:
        raise differs
    raise _LackingError(differs)


def _with_files(opening: Opening) -> str:
    """Write the files that were sent, once on each node, and return the model's name here."""
    import ray

    folder = cache_folder() / "sent" / opening.digest[:16]
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock"):
        for name, parts in opening.files.items():
            path = folder / name
            if not path.is_file():
                write_bytes(path, b"".join(ray.get(part) for part in parts))
    prefix, colon, _ = opening.spec.model.partition(":")
    kind = f"{prefix}:" if colon and len(prefix) > 1 else ""
    alone = [name for name in opening.files if name.endswith(".gguf")]
    return f"{kind}{folder / alone[0] if len(opening.files) == len(alone) == 1 else folder}"


def files_of(name: str, allow_pickle: bool) -> dict[str, Path]:
    """Return the files of a model on this machine, by their names inside its folder."""
    from naysay.models import ADAPTERS
    from naysay.models.files import locate

    prefix, colon, address = name.partition(":")
    prefixed = colon and any(prefix in adapter.prefixes for adapter in ADAPTERS.all())
    weights = None
    with contextlib.suppress(ModelError):
        weights = locate(address if prefixed else name, allow_pickle=allow_pickle)
    if weights is None:
        return {}
    return {path.relative_to(weights.folder).as_posix(): path for path in weights.files}
