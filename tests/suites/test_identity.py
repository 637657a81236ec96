"""Which model of a paper a tested model is."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from naysay import evaluate
from naysay.models.files.weights import locate
from naysay.suites import published
from naysay.suites.identity import ModelIdentity

MINILM = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of all-MiniLM-L6-v2's model.safetensors."""
MINILM_L3 = "f59d73a201e0f6092d7e88ac8589f886a946725cff96d0250231d7e272e63071"
"""SHA-256 of paraphrase-MiniLM-L3-v2's model.safetensors."""
CACHED = "/cache/models--google-bert--bert-base-cased/snapshots/cd5ef92a9fb2f889e972770a36d4ed042"


def known_as(suite: str, **facts: Any) -> str | None:
    return published.printed_name(suite, ModelIdentity.of(facts))


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("bert-base-cased", "bert-base-cased"),
        ("google-bert/bert-base-cased", "bert-base-cased"),
        ("FacebookAI/Roberta-Large", "roberta-large"),
        ("masked:roberta-large", "roberta-large"),
        (CACHED, "bert-base-cased"),
        ("klue/roberta-base", None),
        ("my-bert-base-cased-finetuned", None),
        ("bert-base-uncased", None),
        ("/models/roberta-large", None),
        ("./roberta-large", None),
        ("~/roberta-large", None),
        (r"C:\models\roberta-large", None),
        ("roberta-large/", None),
    ],
)
def test_by_its_full_name_on_the_hub(name: str, printed: str | None) -> None:
    assert known_as("scnt", name=name) == printed


def test_a_folder_is_not_the_model_that_it_is_called_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roberta-large").mkdir()
    assert known_as("scnt", name="roberta-large") is None
    # What the run has recorded counts, wherever it is judged.
    assert known_as("scnt", name="roberta-large", hub="FacebookAI/roberta-large") is not None
    monkeypatch.chdir(tmp_path.parent)
    assert known_as("scnt", name="roberta-large", hub=None) is None


def test_runs_of_the_first_version_record_a_commit_for_models_of_the_hub() -> None:
    assert known_as("scnt", name="roberta-large", revision="722cf37b") == "roberta-large"
    assert known_as("scnt", name="roberta-large", revision=None) is None


def test_by_its_weights() -> None:
    def minilm(**weights: str) -> str | None:
        return known_as("semantoneg", name="minilm", hub=None, weights=weights)

    assert minilm(model=MINILM) == "all-MiniLM-L6-v2"
    assert minilm(model=MINILM_L3) == "paraphrase-MiniLM-L3-v2"
    assert minilm(model="0" * 64) is None
    assert minilm(model=MINILM, more="0" * 64) is None
    assert minilm() is None
    assert known_as("semantoneg", name="minilm") is None


def test_all_models_of_semantoneg_are_known_by_their_owner() -> None:
    aliases = published.papers()["semantoneg"]["aliases"]
    assert len(aliases) == 114
    assert all(f"sentence-transformers/{name}" in found for name, found in aliases.items())


def test_a_run_records_where_the_weights_come_from(tmp_path: Path) -> None:
    shipped = locate("mini-aware").folder
    folder = tmp_path / "bert-base-cased"
    shutil.copytree(shipped, folder)
    weights = locate(str(folder)).origin
    assert weights["hub"] is None and weights["revision"] is None
    assert set(weights["weights"]) == {"model.safetensors"}
    run = evaluate(str(folder), "scnt", limit=2, out=tmp_path)
    assert run.manifest.model["weights"] == weights["weights"]
    assert all(e.published is None for e in run)


def test_a_folder_of_the_hubs_cache_is_its_model(tmp_path: Path) -> None:
    folder = tmp_path / "models--google-bert--bert-base-cased" / "snapshots" / "cd5ef"
    shutil.copytree(locate("mini-aware").folder, folder)
    found = locate(str(folder)).origin
    assert (found["hub"], found["revision"]) == ("google-bert/bert-base-cased", "cd5ef")


def test_a_model_in_memory_is_from_the_hub_only_if_it_was_loaded_from_there(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    folder = locate("mini-aware").folder
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model.name_or_path = "roberta-large"

    def published_drop() -> float | None:
        run = evaluate(model, "scnt", tokenizer=tokenizer, limit=1, out=tmp_path / "runs")
        shutil.rmtree(tmp_path / "runs")
        return next(e for e in run if e.condition == "CpTn").published

    assert published_drop() is None
    model.config._commit_hash = "722cf37b"
    assert published_drop() == 64.7
