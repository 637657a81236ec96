"""What a run is about to cost, where questions cost money.

How many questions a suite asks depends on the answers, so it is put to a rule-based model first,
for a few units. That model repeats every other verb; a model that repeats fewer is asked more.
"""

from __future__ import annotations

from naysay.core.protocols import ModelRequest, Priced
from naysay.models import open_model
from naysay.run.manifest import NAME, read_manifest
from naysay.run.metering import Noting
from naysay.run.plan import Plan

_SAMPLE = 8  # units of each suite


def expected_cost(plan: Plan, model: Priced) -> tuple[float, float]:
    """Return about how many requests and tokens the shards that are missing cost."""
    stand_in = Noting(open_model("known:random", ModelRequest(language=str(plan.spec.language))))
    manifest = read_manifest(plan.folder) if (plan.folder / NAME).is_file() else None
    size = plan.spec.shard_size if manifest is None else manifest.shard_size
    requests = tokens = 0.0
    for setting in plan.settings.values():
        missing = [
            unit
            for shard in plan.shards(setting.suite, size)
            if manifest is None or not manifest.is_whole(shard.file)
            for unit in shard.units
        ]
        if not missing:
            continue
        sample = missing[:_SAMPLE]
        fit = setting.suite.fit(stand_in, setting)
        stand_in.probes.clear()
        list(setting.suite.probe(stand_in, sample, setting, fit))
        prices = [model.price(probe) for probe in stand_in.probes]
        scale = len(missing) / len(sample)
        requests += scale * sum(price[0] for price in prices)
        tokens += scale * sum(price[1] for price in prices)
    return requests, tokens
