"""Facts and misprimes as they were released, where upstream's data is at hand."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from conftest import rows_of
from naysay import evaluate
from naysay.core.records import Estimate
from naysay.core.spec import RunSpec
from naysay.models.known import KnownModel
from naysay.reports.terminal import summarise
from naysay.run.evaluation import Evaluation
from naysay.run.plan import setting_of
from naysay.suites.lama_misprimed.primes import released_facts
from naysay.suites.published import printed_rows


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
        squad = [row for row in rows_of(run) if row["corpus"] == "squad"]
        lacking = sum(row["negation"] == "none" for row in squad)
        text = f"{lacking} of the {len(squad)} facts of squad have no negated question."
        assert lacking and text in notes and "facts of google_re.birth_date" not in notes
        primed = evaluate(model, "lama_misprimed", **options)
        assert figure(primed, "misprimed", "trex.N-1", "drop C").published is None
        assert figure(primed, "misprimed", "google_re.birth_place", "drop C").published == 99.5
        # The data folder has the paper's sentences between prime and question.
        assert figure(primed, "misprimed", "google_re.birth_place", "drop D").published == 98.4
        assert any("question are the paper's" in note for note in primed.findings[0].notes)

    def test_released_primes_are_not_called_the_models_own(
        self, upstream_data: Path, tmp_path: Path
    ) -> None:
        options: dict[str, Any] = {"data_dir": upstream_data, "limit": 30, "out": tmp_path}
        for primes, whose in {"own": "its own", "released": "BERT-large's"}.items():
            run = evaluate("known:blind", "lama_misprimed", primes=primes, **options)
            screen = io.StringIO()
            summarise(run, Console(file=screen, width=80))
            assert f"{whose} best wrong answer first" in screen.getvalue()
            assert run.findings[0].meaning("drop C") == f"{whose} best wrong answer first"

    def test_released_rows_are_all_of_table_3(self, upstream_data: Path) -> None:
        spec = RunSpec(model="m", suites=("lama_misprimed",), data_dir=upstream_data)
        source = released_facts(setting_of(spec), None, None)
        found: Counter[str] = Counter()
        for fact in source.facts:
            corpus = fact.corpus
            found[f"{corpus}.{fact.kind}" if fact.kind else f"{corpus}/{fact.relation}"] += 1
            if corpus == "conceptnet":
                found[corpus] += 1
        named = {"birth_place": "place_of_birth", "birth_date": "date_of_birth",
                 "death_place": "place_of_death"}  # fmt: skip
        counted = 0
        for row in printed_rows("lama_misprimed", "misprimed"):
            if row["condition"] == "squad" or row["variant"] != "A":
                continue  # SQuAD's files are not among the pinned ones
            corpus, _, part = row["condition"].partition(".")
            name = f"{corpus}/{named[part]}" if part in named else row["condition"]
            assert found[name] == row["facts"], name
            counted += row["facts"]
        assert counted == len(source.facts) == 11_114
        # A fact may lack a class: B for 14 of Google-RE, and six primes C are the answer itself.
        classes = Counter(name for primes in source.primes.values() for name in primes)
        assert classes == {"A": 11_114, "B": 11_100, "C": 11_108}

    def test_every_line_of_table_3_has_its_published_figure(
        self, upstream_data: Path, tmp_path: Path
    ) -> None:
        model = KnownModel("bert-large-cased", lambda text, words: True, ["x"])
        run = evaluate(
            model, "lama_misprimed", data_dir=upstream_data, primes="released", limit=120,
            out=tmp_path,
        )  # fmt: skip
        assert {fault.metric for fault in run if fault.table == "faults"} >= {"rows read"}
        published = {
            (row["condition"], f"drop {row['variant']}"): row["values"]["bert-large"]
            for row in printed_rows("lama_misprimed", "misprimed")
            if row["condition"] != "squad"
        }
        assert len(published) == 28
        for (condition, metric), value in published.items():
            assert figure(run, "misprimed", condition, metric).published == value
        notes = " ".join(run.findings[0].published_notes["misprimed"])
        assert (
            "relations" not in notes and "the data have" not in notes and "sentences" not in notes
        )
        assert "BERT-large's best wrong answer" in run.findings[0].verdict

    @pytest.mark.slow
    def test_released_primes_are_asked(self, upstream_data: Path, tmp_path: Path) -> None:
        run = evaluate(
            "known:blind", "lama_misprimed", data_dir=upstream_data, primes="released",
            corpora="google_re", limit="all", out=tmp_path,
        )  # fmt: skip
        rows = rows_of(run)
        asked = [row for row in rows if row["prime_class"] == "C" and row["asked"] == "yes"]
        assert len({row["unit"] for row in asked}) == 499
        assert figure(run, "misprimed", "google_re.birth_place", "drop C").value == 100
