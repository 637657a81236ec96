"""A few items of each suite, asked once more while the model is open, for readers to look at.

Rows hold no probabilities, since their last digits depend on the batch. These do, and no figure is
made of them.
"""

from __future__ import annotations

import json
from typing import Any

from naysay.errors import RunError
from naysay.examples.item import PROBABILITY, Item
from naysay.examples.sample import Sample
from naysay.examples.scores import differing, with_scores
from naysay.keys import seeded_order
from naysay.protocols import Model, Suite, Table
from naysay.records import Fit
from naysay.run.manifest import Manifest
from naysay.run.plan import Plan
from naysay.run.progress import Progress
from naysay.store.files import write_json
from naysay.store.rows import read_rows

COUNT = 24
"""How many items of a suite are asked once more."""
POOL = 20 * COUNT
"""Among the items of at most so many units they are chosen."""
POOL_ROWS = 40_000
"""Where units have many rows, so many units are taken that they have about as many."""


def examples_file(suite: str) -> str:
    """Where a suite's examples are kept inside the run's folder."""
    return f"{suite}-examples.json"


def add_examples(
    plan: Plan, suite: Suite, manifest: Manifest, model: Model, fit: Fit, progress: Progress
) -> None:
    """Write the suite's examples, unless they are there.

    The run is worth more than its examples: what goes wrong here is told and put on record.
    """
    path = manifest.path(examples_file(suite.name))
    if path.is_file():
        return
    try:
        items, note = _examples(plan, suite, manifest, model, fit)
        write_json(path, _as_dict(items, note))
        complaint = _complaint(suite, items)
    except Exception as error:
        complaint = f"no examples of {suite.name}: {type(error).__name__}: {error}"
    if complaint is not None:
        progress.note(complaint)
        manifest.complaints.append(complaint)
        manifest.save()


def read_examples(manifest: Manifest, suite: str) -> list[dict[str, Any]]:
    """The suite's examples, none if the run has no file of them."""
    path = manifest.path(examples_file(suite))
    try:
        return list(json.loads(path.read_text(encoding="utf-8"))["examples"])
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(
            f"{path} cannot be read ({error}); delete it: the run is whole without it"
        ) from error


def units_of(rows: Table, units: frozenset[str]) -> Table:
    """The rows of these units."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = pa.array(sorted(units), pa.string())
    return rows.filter(pc.is_in(rows["unit"].cast("string"), value_set=wanted))


def _examples(
    plan: Plan, suite: Suite, manifest: Manifest, model: Model, fit: Fit
) -> tuple[list[Item], str]:
    spec, shards = plan.spec, plan.shards(suite, manifest.shard_size)
    every = [unit.key for shard in shards for unit in shard.units]
    pool = frozenset(seeded_order(every, spec.seed, "examples")[: _pool_size(manifest, suite)])
    sample = Sample(COUNT, spec.seed)
    for shard in shards:
        here = pool & {unit.key for unit in shard.units}
        if here:
            rows = units_of(read_rows(manifest.path(shard.file)), here)
            lexicon = plan.setting.lexicon
            sample.add(suite.examples(suite.judge(rows), spec, fit, lexicon))
    chosen = sample.chosen()
    note = (
        f"{len(chosen):,} chosen from {sample.seen:,} ({len(pool):,} of {len(every):,} "
        f"{suite.unit_name}), by seed {spec.seed}. Wrong and right ones are taken in turn, and "
        "some of each kind of outcome, so their shares tell nothing."
    )
    return with_scores(model, chosen), note


def _pool_size(manifest: Manifest, suite: Suite) -> int:
    """How many units are looked at, the same whatever the shards are."""
    rows = sum(int(s["rows"]) for s in manifest.shards.values() if s["suite"] == suite.name)
    units = manifest.units.get(suite.name, 0)
    return max(COUNT, min(POOL, POOL_ROWS * units // max(rows, 1)))


def _as_dict(items: list[Item], note: str) -> dict[str, Any]:
    return {
        "examples": [item.as_dict() for item in items],
        "scale": items[0].scale if items else PROBABILITY,
        "note": note,
    }


def _complaint(suite: Suite, items: list[Item]) -> str | None:
    """What is to be told where the model says otherwise when it is asked once more."""
    others = differing(items)
    if not others:
        return None
    item, side = others[0]
    asked = sum(len(one.sides) for one in items)
    return (
        f"{len(others)} of {asked} examples of {suite.name} were answered otherwise than in the "
        f"rows, though they are no ties: first {item.key}, {side.label}: {side.top[0][0]!r}, "
        f"not {side.answer!r}"
    )
