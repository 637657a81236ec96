"""What the files in a run's folder must look like. They are checked before anything is read.

A run's folder may come from anybody: a file that is not as described here is refused as a whole,
with the place of the first fault, and no path in it can lead out of the folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

import msgspec
from msgspec import Meta

from naysay.core.errors import RunError

T = TypeVar("T")
_Count = Annotated[int, Meta(ge=0)]
_Name = Annotated[str, Meta(min_length=1, max_length=10_000)]
ShardFile = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][\w.-]*/[0-9]{5,}\.parquet$")]
"""A suite's folder and a number."""
SideFile = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][\w.-]*\.json$")]
"""A file beside the manifest."""
Score = list[str | float]


class ShardRecord(TypedDict):
    """A finished shard."""

    suite: _Name
    sha256: str
    units: _Count
    rows: _Count
    questions: _Count
    seconds: Annotated[float, Meta(ge=0)]
    unmeasured: NotRequired[_Count]


class ModelRecord(TypedDict):
    """What must be known of a model; adapters add facts of their own."""

    name: _Name
    kind: _Name
    precision: NotRequired[str]
    device: NotRequired[str]
    digest: NotRequired[str]
    revision: NotRequired[str | None]
    weights: NotRequired[dict[str, str] | list[str] | None]


class SpecRecord(TypedDict):
    """A run's options; their values are checked where they are declared."""

    model: _Name
    suites: Annotated[list[_Name], Meta(min_length=1)]
    options: NotRequired[dict[str, dict[str, Any]]]
    adapters: NotRequired[dict[str, dict[str, Any]]]


class ManifestRecord(TypedDict):
    """`manifest.json`."""

    schema: NotRequired[int]
    naysay: NotRequired[str]
    key: Annotated[str, Meta(pattern=r"^[A-Za-z0-9]{1,64}\Z")]
    spec: SpecRecord
    model: ModelRecord
    shard_size: Annotated[int, Meta(ge=1)]
    shards: NotRequired[dict[ShardFile, ShardRecord]]
    planned: NotRequired[dict[_Name, _Count]]
    machine: NotRequired[dict[str, Any]]
    versions: NotRequired[dict[str, str]]
    started: NotRequired[str]
    finished: NotRequired[str | None]
    complaints: NotRequired[list[str]]
    files: NotRequired[dict[SideFile, str]]


class AboutRecord(TypedDict, total=False):
    """The facts about a run's items that several suites record; each may add its own."""

    available: _Count
    sample: _Count
    bare: _Count
    never: _Count
    count: _Count
    verbs: str | None
    items: str
    upstream: bool
    left_to_right: bool
    sentences: str


class FitRecord(TypedDict):
    """`SUITE-fit.json`."""

    used: list[str]
    left_out: list[tuple[str, str]]
    about: NotRequired[AboutRecord]


class SideRecord(TypedDict):
    """One side of an example."""

    label: str
    text: str
    answer: str
    verdict: str
    wanted: str | None
    unwanted: str | None
    right: bool | None
    tie: bool
    top: list[tuple[str, float]]
    scores: dict[str, float]


class ExampleRecord(TypedDict):
    """One example."""

    item: str
    unit: str
    title: str
    sides: list[SideRecord]


class ExamplesRecord(TypedDict):
    """`SUITE-examples.json`."""

    examples: list[ExampleRecord]
    scale: NotRequired[str]
    note: NotRequired[str]


def checked(path: Path, content: bytes, kind: type[T], hint: str) -> T:
    """The record in a JSON file, all of it, if it is of this kind; `hint` says what to do if not.

    Facts that the schema does not name are kept: an adapter or a later version may have added them.
    """
    try:
        record: T = msgspec.json.decode(content)
        msgspec.convert(record, kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RunError(f"{path} cannot be read ({error}). {hint}") from error
    return record
