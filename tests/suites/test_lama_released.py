"""Facts and misprimes as they were released, where upstream's data is at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import rows_of
from naysay import evaluate
from naysay.core.records import Estimate
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation


def figure(run: Evaluation, table: str, condition: str, metric: str) -> Estimate:
    wanted = (table, condition, metric)
    [found] = [e for e in run if (e.table, e.condition, e.metric) == wanted]
    return found


class TestUpstream:
    def test_blind_overlaps_completely(self, upstream_data: Path, tmp_path: Path) -> None:
        run = evaluate("known:blind", "lama", data_dir=upstream_data, limit=400, out=tmp_path)
        assert run.spec.value("items") == "lama"
        assert figure(run, "negated", "all", "top1_agreement").value == 100
        assert {"google_re.birth_place", "trex.N-1", "squad"} <= {e.condition for e in run}
        assert any(e.table == "faults" for e in run)

    def test_published_figures_stand_beside_whole_conditions(
        self, upstream_data: Path, tmp_path: Path
    ) -> None:
        model = KnownModel("bert-large-cased", lambda text, words: True, ["x"])
        options: dict[str, Any] = {"data_dir": upstream_data, "limit": 60, "out": tmp_path}
        run = evaluate(model, "lama", **options)
        assert figure(run, "negated", "squad", "top1_agreement").published == 41.9
        assert figure(run, "negated", "google_re.birth_date", "rho").published == 56.8
        # Upstream's folder has 7 of the 23 relations.
        assert figure(run, "negated", "trex.N-1", "top1_agreement").published is None
        notes = " ".join(run.findings[0].published_notes["negated"])
        assert "trex.N-1: The run has 7 of the paper's 23 relations." in notes
        assert "For squad the data have 302 facts, the paper 305." in notes
        primed = evaluate(model, "lama_misprimed", **options)
        assert figure(primed, "misprimed", "trex.N-1", "drop C").published is None
        assert figure(primed, "misprimed", "google_re.birth_place", "drop C").published == 99.5
        # The sentences between prime and question are not the paper's.
        assert figure(primed, "misprimed", "google_re.birth_place", "drop D").published is None

    @pytest.mark.slow
    def test_released_primes_are_asked(self, upstream_data: Path, tmp_path: Path) -> None:
        run = evaluate(
            "known:blind", "lama_misprimed", data_dir=upstream_data, primes="released",
            corpora="google_re", limit="all", out=tmp_path,
        )  # fmt: skip
        rows = rows_of(run)
        asked = [row for row in rows if row["prime_class"] == "C" and row["asked"] == "yes"]
        assert len(asked) > 400
        assert figure(run, "misprimed", "google_re.birth_place", "drop C").value == 100
