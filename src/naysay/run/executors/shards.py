"""What is done with one shard, wherever that is: its questions are asked, and its rows encoded."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Any

from naysay.core.console import Progress
from naysay.core.protocols import Model
from naysay.core.records import Fit
from naysay.run.metering import Metered
from naysay.run.plan import Shard
from naysay.run.store import parquet_of, table_of
from naysay.suites.protocol import Setting


@dataclass(frozen=True)
class ShardRows:
    """The rows of a shard as the bytes of its file, and what the manifest records about them."""

    file: str
    content: bytes
    record: dict[str, Any]


def ask_shard(
    shard: Shard, setting: Setting, fit: Fit, model: Model, progress: Progress
) -> ShardRows:
    """Ask a shard; the same shard, fit and model have the same bytes in every process."""
    begun, suite = time.perf_counter(), setting.suite
    # What was asked before must not change the batches, so each shard is metered on its own.
    metered = Metered(model, progress, eager=shard.number == 0)
    table = table_of(suite.probe(metered, shard.units, setting, fit), suite.row_type)
    content = parquet_of(table)
    record = {
        "suite": suite.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "units": len(shard.units),
        "rows": len(table),
        "questions": metered.questions,
        "seconds": round(time.perf_counter() - begun, 3),
    }
    if metered.unknown:
        record["unmeasured"] = len(shard.units) - len(set(table["unit"].to_pylist()))
    return ShardRows(shard.file, content, record)
