"""Reading what a run has on disk: its rows, shard by shard, and its fits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from naysay.core.errors import DamagedShardError, NaysayError, RunError
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.run.manifest import Manifest
from naysay.run.schema import FitRecord, checked
from naysay.run.store import check_rows, rows_of
from naysay.suites.protocol import Suite


def fit_file(suite: Suite) -> str:
    """Return the name of a suite's fit file in the run's folder."""
    return f"{suite.name}-fit.json"


def read_fit(manifest: Manifest, suite: Suite) -> Fit:
    """Read the fit of the run."""
    file = fit_file(suite)
    content = manifest.kept(file)
    record = checked(manifest.path(file), content, FitRecord, manifest.mend())
    return Fit.from_dict(dict(record))


def whole_rows(
    manifest: Manifest, suite: Suite, columns: list[str] | None = None
) -> Iterator[Table]:
    """Yield the rows of the suite's shards; raise an error for a corrupt one."""
    for file in shard_files(manifest, suite):
        yield rows_in(manifest, file, suite, columns)


def shard_files(manifest: Manifest, suite: Suite) -> list[str]:
    """Return the suite's shard files; raise an error if any are missing."""
    files = [file for file, shard in manifest.shards.items() if shard["suite"] == suite.name]
    planned = manifest.planned.get(suite.name, 0)
    present = [file for file in files if manifest.path(file).is_file()]
    if len(present) < planned or not planned:
        raise RunError(
            f"{manifest.folder} is not finished: {len(present)} of {planned} shards of "
            f"{suite.name} exist; {manifest.mend()}"
        )
    return sorted(present)


def rows_in(manifest: Manifest, file: str, suite: Suite, columns: list[str] | None = None) -> Table:
    """Read the rows of one shard, verified from the same bytes, and such as the suite writes."""
    try:
        content = manifest.content(file)
    except OSError as error:
        raise RunError(
            f"{manifest.path(file)} cannot be read: {error.strerror or error}"
        ) from error
    try:
        if content is None:
            raise DamagedShardError("it was truncated or changed")
        rows = rows_of(content, columns)
        if len(rows) != (recorded := manifest.shards[file]["rows"]):
            raise DamagedShardError(f"it has {len(rows):,} rows, not {recorded:,}")
        check_rows(rows, suite.row_type, columns)
    except DamagedShardError as error:
        raise DamagedShardError(
            f"{manifest.path(file)} is corrupt: {error}; {manifest.mend()}"
        ) from error
    return rows


@contextmanager
def stored_by(manifest: Manifest, suite: Suite) -> Iterator[None]:
    """Around all that a suite makes of stored rows and facts: whatever fails is told in one line.

    Checksums show damage, not malice: rows and facts of the right types may still be such as no
    suite writes.
    """
    try:
        yield
    except NaysayError:
        raise
    except Exception as error:
        about = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise RunError(
            f"{manifest.folder}: the rows or {fit_file(suite)} are not such as {suite.name} "
            f"writes ({about}); {manifest.mend()}"
        ) from error
