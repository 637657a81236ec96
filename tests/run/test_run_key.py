"""What enters a run's key: whatever can change a row, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from naysay.core.errors import SpecError
from naysay.core.keys import content_key
from naysay.core.spec import RunSpec
from naysay.models.known import KnownModel
from naysay.run import plan
from naysay.run.plan import KEY_LENGTH, Plan, plan_run, slug, with_items, with_language
from naysay.suites import SUITES

SPEC = RunSpec(model="known:x", suites=("scnt", "gh22"), limit=6, out=Path("runs"))


def known(identity: str = "x") -> KnownModel:
    return KnownModel("known:x", lambda text, words: True, [identity])


def key(spec: RunSpec = SPEC, identity: str = "x") -> str:
    return plan_run(spec, known(identity)).key


@pytest.mark.parametrize("name", [suite.name for suite in SUITES.all()])
def test_a_new_version_of_a_suite_is_a_new_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = SUITES.get(name)
    own_items = suite.item_sets[-1] if suite.item_sets else None
    spec = replace(SPEC, suites=(name,), items=own_items)
    before = key(spec)
    monkeypatch.setattr(type(suite), "version", suite.version + 1)
    assert key(spec) != before


def test_a_new_form_of_rows_is_a_new_run(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key()
    monkeypatch.setattr(plan, "_ROWS_VERSION", plan._ROWS_VERSION + 1)
    assert key() != before


def test_model_suites_words_and_limit_are_in_the_key(tmp_path: Path) -> None:
    lexicon = tmp_path / "words.toml"
    lexicon.write_text('[verbs]\nwords = ["run", "swim"]', encoding="utf-8")
    keys = [
        key(),
        key(identity="y"),
        key(replace(SPEC, suites=("scnt",))),
        key(replace(SPEC, suites=("gh22",))),
        key(replace(SPEC, lexicon=str(lexicon))),
        key(replace(SPEC, limit=7)),
        key(replace(SPEC, limit=None)),
    ]
    assert len(set(keys)) == len(keys)
    assert all(len(each) == KEY_LENGTH == 16 for each in keys)
    assert set("".join(keys)) <= set("0123456789abcdef")


def test_the_key_is_the_digest_of_all_that_decides_the_rows() -> None:
    """Written out, since another form of it would orphan all runs that there are."""
    made = plan_run(SPEC, known())
    suites = [
        [
            suite.name,
            suite.version,
            suite.digest(made.setting),
            {**made.spec.identity(suite.options), "limit": 6},
        ]
        for suite in made.suites
    ]
    record = {"rows": plan._ROWS_VERSION, "model": known().digest, "suites": suites}
    assert made.key == content_key(record, KEY_LENGTH)


def test_a_limit_that_is_the_default_is_the_same_run() -> None:
    default = SUITES.get("scnt").default_limit
    assert key(replace(SPEC, limit=None)) == key(replace(SPEC, limit=default))


def test_the_name_of_the_model_and_the_place_are_not_in_the_key() -> None:
    elsewhere = replace(SPEC, model="known:y", out=Path("elsewhere"), shard_size=3)
    assert key(elsewhere) == key()
    assert plan_run(elsewhere, known()).folder == Path("elsewhere") / f"known-y-{key()}"


def planned(suite: str, units: int) -> Plan:
    items = "facts" if suite == "lama" else None
    return plan_run(replace(SPEC, suites=(suite,), items=items, limit=units), known())


def test_shards_hold_all_units_in_their_order() -> None:
    made = planned("scnt", 7)
    [suite] = made.suites
    shards = made.shards(suite, 3)
    assert [len(shard.units) for shard in shards] == [3, 3, 1]
    assert [unit for shard in shards for unit in shard.units] == list(suite.units(made.setting))
    assert [shard.file for shard in shards] == [f"scnt/0000{k}.parquet" for k in range(3)]


def test_suites_of_small_units_have_more_of_them_in_a_shard() -> None:
    made = planned("lama", 45)
    [suite] = made.suites
    assert suite.grain == 10
    assert [len(shard.units) for shard in made.shards(suite, 2)] == [20, 20, 5]


def test_what_a_model_cannot_answer_is_refused_with_what_it_can() -> None:
    model = known()
    model.answers = frozenset()
    with pytest.raises(SpecError, match=r"asks FillBlank, which .* cannot .* be asked nothing"):
        plan_run(SPEC, model)
    with pytest.raises(SpecError, match="'gh22' asks FillBlank, RankWords, which models of kind"):
        plan_run(replace(SPEC, suites=("gh22",)), model)
    model.answers = SUITES.get("scnt").needs
    with pytest.raises(SpecError, match=r"'gh22' asks RankWords,.*they can be asked .*scnt"):
        plan_run(SPEC, model)


def test_a_language_without_patterns_is_refused_with_those_that_have_them() -> None:
    only_italian = [
        suite.name
        for suite in SUITES.all()
        if with_language(RunSpec(model="x", suites=(suite.name,))).language == "it"
    ]
    for name in only_italian:
        with pytest.raises(SpecError, match=f"{name!r} has no patterns .*'en'.* for it$"):
            plan_run(replace(SPEC, suites=(name,), language="en"), known())
    with pytest.raises(SpecError, match="no patterns for language 'it'"):
        plan_run(replace(SPEC, suites=("semantoneg",), language="it"), known())


def test_the_language_is_english_unless_it_is_said() -> None:
    assert with_language(SPEC).language == "en"
    said = replace(SPEC, suites=("scnt",), language="it")
    assert with_language(said) is said


def test_of_several_languages_one_must_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoken(*codes: str) -> str | None:
        """The language of a suite that is in these."""
        suite = SimpleNamespace(speaks=lambda language: language.code in codes)
        monkeypatch.setattr(plan, "SUITES", SimpleNamespace(get=lambda name: suite))
        return with_language(SPEC).language

    assert spoken("fr") == "fr"
    assert spoken("de", "en", "fr") == spoken() == "en"
    with pytest.raises(SpecError, match="say in which language: --language de, fr"):
        spoken("fr", "de")


def test_all_suites_must_have_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = {"scnt": ("de", "fr"), "gh22": ("fr", "en")}
    suites = {
        name: SimpleNamespace(speaks=lambda language, mine=mine: language.code in mine)
        for name, mine in codes.items()
    }
    monkeypatch.setattr(plan, "SUITES", SimpleNamespace(get=suites.get))
    assert with_language(SPEC).language == "fr"


def test_items_are_settled_where_the_suites_read_the_same() -> None:
    assert with_items(replace(SPEC, suites=("scnt",))).items is None
    lama = replace(SPEC, suites=("lama", "lama_misprimed"), language="en")
    assert with_items(lama).items == "facts"
    assert with_items(replace(lama, items="mine.toml")).items == "mine.toml"
    assert with_items(replace(lama, suites=("lama", "semantoneg"))).items is None


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("org/model/", "model"),
        ("C:\\weights\\tiny\\", "tiny"),
        ("known:random:0.3", "known-random-0.3"),
        ("..", "model"),
        ("x" * 80, "x" * 60),
    ],
)
def test_a_folder_is_called_after_the_model(name: str, folder: str) -> None:
    assert slug(name) == folder
