"""All estimates of several runs as one flat table, for CSV and Parquet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from naysay.evaluation import Evaluation
from naysay.protocols import Table

_TEXT = ("run", "model", "language", "suite", "table", "condition", "metric", "unit")
_FIGURES = ("value", "low", "high", "published", "design_effect")


def estimates_table(evaluations: Sequence[Evaluation]) -> Table:
    """A row for each estimate: where it comes from, what it is of, and the figure itself."""
    import pyarrow as pa

    schema = pa.schema(
        [
            *((name, pa.string()) for name in _TEXT),
            *((name, pa.float64()) for name in _FIGURES),
            ("n", pa.int64()),
            ("clusters", pa.int64()),
            ("clusters_by", pa.string()),
            ("method", pa.string()),
            ("note", pa.string()),
        ]
    )
    rows = [
        {
            **estimate.as_dict(),
            "run": evaluation.run,
            "model": evaluation.model,
            "language": evaluation.spec.language,
            "clusters_by": json.dumps(estimate.clusters_by, ensure_ascii=False),
        }
        for evaluation in evaluations
        for estimate in evaluation.estimates
    ]
    return pa.Table.from_pylist(
        [{name: row[name] for name in schema.names} for row in rows], schema=schema
    )


def write_csv(evaluations: Sequence[Evaluation], path: Path) -> None:
    """The estimates as CSV, with a line of names."""
    import pyarrow.csv as csv

    csv.write_csv(estimates_table(evaluations), path)


def write_parquet(evaluations: Sequence[Evaluation], path: Path) -> None:
    """The estimates as Parquet."""
    import pyarrow.parquet as pq

    pq.write_table(estimates_table(evaluations), path, compression="zstd")
