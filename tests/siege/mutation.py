"""Seeded damage to data and files, and a clock that says how long to go on."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

SECONDS = float(os.environ.get("NAYSAY_SIEGE", "11"))
"""How long each attack goes on; `make siege` sets it."""
LONGEST, PATIENCE = 30, 120
"""Seconds after which a command counts as hanging: of its own, and of a clock on a busy machine."""
_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 3, 2**31, 2**70, 1e308, -0.5, "", "x", "../../etc/passwd", "/", "~x",
    "\x1b[2J", "\u202e", "é", "x" * 5000, [], [[]], {}, {"x": 1}, ["x"], [1, 2], {"": None},
    "known:aware", "scnt", "en", "NaN", "1e999",
)  # fmt: skip


def seeds() -> Iterator[int]:
    """Yield seeds from 0 on until the time is over, at least five."""
    end = time.monotonic() + SECONDS
    seed = 0
    while seed < 5 or time.monotonic() < end:
        yield seed
        seed += 1


class HangError(BaseException):
    """Something takes too long. No handler of errors takes it for one of its own."""


@contextmanager
def no_hang() -> Iterator[None]:
    """Stop what computes for longer than `LONGEST` seconds, or waits for longer than `PATIENCE`."""

    def ring(number: int, _: object) -> None:
        seconds = LONGEST if number == signal.SIGPROF else PATIENCE
        raise HangError(f"more than {seconds} s")

    if sys.platform == "win32":
        yield
        return
    clocks = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    before = {number: signal.signal(number, ring) for number in clocks}
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        for number, clock in clocks.items():
            signal.setitimer(clock, 0)
            signal.signal(number, before[number])


def damaged(value: Any, seed: int) -> Any:
    """A copy of plain data with one to three faults somewhere in it."""
    chance = random.Random(seed)
    made = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        made = _with_fault(made, chance)
    return made


def _with_fault(value: Any, chance: random.Random) -> Any:
    places = list(_places(value))
    if not places:
        return chance.choice(_ODD)
    holder, key = chance.choice(places)
    act = chance.randrange(4)
    if act == 0:
        del holder[key]
    elif act == 1 and isinstance(holder, dict):
        holder[str(chance.choice(_ODD))] = holder.pop(key)
    elif act == 2:
        others = [h[k] for h, k in places]
        holder[key] = copy.deepcopy(chance.choice(others))
    else:
        holder[key] = copy.deepcopy(chance.choice(_ODD))
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    entries: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        entries = list(enumerate(value))[:50]
    for key, entry in entries:
        yield value, key
        yield from _places(entry)


def damaged_bytes(content: bytes, seed: int) -> bytes:
    """Bytes that were cut, doubled, overwritten or encoded otherwise."""
    chance = random.Random(seed)
    place = chance.randrange(len(content) + 1)
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: content[:place],
        lambda: content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :],
        lambda: content[:place] + chance.randbytes(8) + content[place:],
        lambda: content + content[place:],
        lambda: content.decode("utf-8", "replace").encode("utf-16"),
        lambda: b"\xef\xbb\xbf" + content,
        lambda: b"",
    )
    return chance.choice(ways)()


def damaged_json(content: bytes, seed: int) -> bytes:
    """A JSON file with faults in its data, or in its bytes."""
    if seed % 4 == 3:
        return damaged_bytes(content, seed)
    return json.dumps(damaged(json.loads(content), seed)).encode()


def forge(folder: Path) -> None:
    """Make the checksums and counts of a run's manifest right for the files that are there."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for file, shard in manifest["shards"].items():
        content = (folder / file).read_bytes()
        shard["sha256"] = hashlib.sha256(content).hexdigest()
        shard["rows"] = pq.ParquetFile(pa.BufferReader(content)).metadata.num_rows
    for file in manifest["files"]:
        manifest["files"][file] = hashlib.sha256((folder / file).read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest), encoding="utf-8")


def damage_rows(path: Path, seed: int) -> None:
    """Put faults into the rows of a shard: in their columns, types, gaps, figures and words."""
    chance = random.Random(seed)
    table = pq.ParquetFile(path).read()
    for _ in range(chance.choice((1, 1, 2))):
        table = _with_odd_rows(table, chance)
    pq.write_table(table, path)


def _with_odd_rows(table: Any, chance: random.Random) -> Any:
    place = chance.randrange(max(1, table.num_columns))
    if not table.num_columns:
        return table
    name, column = table.column_names[place], table.column(place)
    values = column.to_pylist()
    some = [k for k in range(len(values)) if chance.random() < 0.3] or list(range(len(values)))[:1]
    act = chance.randrange(8)
    if act == 0:
        return table.remove_column(place)
    if act == 1:
        return table.append_column(name, column)
    if act == 2:
        return table.slice(0, chance.randrange(3))
    if act == 3:
        return pa.concat_tables([table, table.slice(0, 3)])
    if act == 4:
        return table.set_column(place, name, pa.array([str(value) for value in values]))
    odd: tuple[Any, ...] = ("", "x", "CpTn", "\x1b[2J", "x" * 5000)
    if pa.types.is_integer(column.type):
        odd = (-1, 0, 2**31 - 1)
    elif pa.types.is_floating(column.type):
        odd = (float("nan"), float("inf"), 1e308, -1e308, 0.0)
    elif pa.types.is_boolean(column.type):
        odd = (True, False)
    word = None if act == 5 else chance.choice(odd)
    for k in some:
        values[k] = word
    return table.set_column(place, name, _encoded(values, column.type))


def _encoded(values: list[Any], kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return pa.array(values, pa.string()).dictionary_encode().cast(kind)
    return pa.array(values, kind)
