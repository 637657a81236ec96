"""From scores to a choice: which option won, and whether any did."""

from __future__ import annotations

from naysay.protocols import Table
from naysay.stats.intervals import Floats
from naysay.suites.semantoneg.rows import OPTIONS

TIE = -1


def choices(rows: Table, scores: Floats, same: float | None = None, *, prefix: str = "") -> Table:
    """The rows with the option of the highest score (options × rows); none in a tie.

    A tie is never right. Scores nearer than `same` are equal; if None, the rows themselves tell.
    """
    import numpy as np
    import pyarrow as pa

    ordered = np.sort(scores, axis=0)
    tie = rows["tie"].to_numpy() if same is None else ordered[-1] - ordered[-2] <= same
    choice = np.where(tie, TIE, scores.argmax(axis=0))
    rows = rows.append_column(f"{prefix}choice", pa.array(choice, type=pa.int32()))
    return rows.append_column(f"{prefix}right", pa.array(choice == OPTIONS.index("paraphrase")))
