"""What enters a run's key: whatever can change a row, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from naysay.core.errors import SpecError
from naysay.core.keys import content_key
from naysay.core.options import Options
from naysay.core.spec import RunSpec
from naysay.models.known import KnownModel
from naysay.run import plan
from naysay.run.options import spec_of
from naysay.run.plan import KEY_LENGTH, Plan, plan_run, settings_of, settled, slug, why_not
from naysay.suites import SUITES


def asked(suites: Sequence[str] = ("scnt", "gh22"), **options: Any) -> RunSpec:
    return spec_of("known:x", suites, {"limit": 6, **options})


SPEC = asked()


def known(identity: str = "x") -> KnownModel:
    return KnownModel("known:x", lambda text, words: True, [identity])


def planned(spec: RunSpec = SPEC, identity: str = "x") -> Plan:
    return plan_run(settings_of(spec), known(identity))


def key(spec: RunSpec = SPEC, identity: str = "x") -> str:
    return planned(spec, identity).key


@pytest.mark.parametrize("name", [suite.name for suite in SUITES.all()])
def test_a_new_version_of_a_suite_is_a_new_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = SUITES.get(name)
    own_items = {"items": suite.item_sets[-1]} if suite.item_sets else {}
    spec = asked([name], **own_items)
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
        key(asked(["scnt"])),
        key(asked(["gh22"])),
        key(asked(lexicon=str(lexicon))),
        key(replace(SPEC, limit=7)),
        key(replace(SPEC, limit=None)),
    ]
    assert len(set(keys)) == len(keys)
    assert all(len(each) == KEY_LENGTH == 16 for each in keys)
    assert set("".join(keys)) <= set("0123456789abcdef")


def test_the_key_is_the_digest_of_all_that_decides_the_rows() -> None:
    """Written out, since another form of it would orphan all runs that there are."""
    made = planned()
    of_both = {"readout": "top1", "seed": 0, "limit": 6}
    own: dict[str, dict[str, Any]] = {
        "scnt": {"exhaustive": False, "cap": None, "one_piece": "context", "predicate": None},
        "gh22": {"raw_ranks": False, "ranks": [0, 50, 100, 200], "style": ["paper"]},
    }
    suites = [
        [s.name, s.version, s.digest(made.settings[s.name]), {**of_both, **own[s.name]}]
        for s in sorted(made.suites, key=lambda suite: suite.name)
    ]
    record = {"rows": plan._ROWS_VERSION, "model": known().digest, "suites": suites}
    assert made.key == content_key(record, KEY_LENGTH)


def test_the_order_of_the_suites_is_no_part_of_the_key() -> None:
    assert key(asked(["scnt", "gh22"])) == key(asked(["gh22", "scnt"]))


def test_a_limit_that_is_the_default_is_the_same_run() -> None:
    default = SUITES.get("scnt").default_limit
    assert key(replace(SPEC, limit=None)) == key(replace(SPEC, limit=default))


@pytest.mark.parametrize(
    "options",
    [
        {"seed": 1}, {"cap": 3}, {"exhaustive": True}, {"one_piece": "bare"},
        {"predicate": "likes"}, {"readout": "likelihood"}, {"raw_ranks": True}, {"ranks": (0,)},
        {"style": ("released",)},
    ],
    ids=str,
)  # fmt: skip
def test_options_that_affect_the_rows_are_in_the_key(options: dict[str, Any]) -> None:
    assert key(asked(**options)) != key()


def test_options_that_only_judge_are_not_in_the_key() -> None:
    assert key(asked(repetition="prefix")) == key()


def test_a_source_is_in_the_key_by_its_content(tmp_path: Path) -> None:
    def of(file: str, verbs: str) -> str:
        path = tmp_path / file
        path.write_text(f"[verbs]\nwords = [{verbs}]", encoding="utf-8")
        return key(asked(lexicon=str(path)))

    assert of("one.toml", '"run", "swim"') == of("two.toml", '"run", "swim"')
    assert of("one.toml", '"run", "walk"') != of("two.toml", '"run", "swim"')
    assert key(asked(lexicon="own")) == key()
    lama = asked(["lama"])
    assert key(lama) == key(asked(["lama"], items="facts"))  # settled, or given by name


def test_the_name_of_the_model_and_the_place_are_not_in_the_key() -> None:
    elsewhere = replace(
        SPEC, model="known:y", out=Path("elsewhere"), data_dir=Path("data"), device="cpu",
        token_budget=7, batch_size=2, shard_size=3,
    )  # fmt: skip
    assert key(elsewhere) == key()
    assert planned(elsewhere).folder == Path("elsewhere") / f"known-y-{key()}"


def test_shards_hold_all_units_in_their_order() -> None:
    made = planned(asked(["scnt"], limit=7))
    [suite] = made.suites
    shards = made.shards(suite, 3)
    assert [len(shard.units) for shard in shards] == [3, 3, 1]
    assert [unit for shard in shards for unit in shard.units] == list(
        suite.units(made.settings["scnt"])
    )
    assert [shard.file for shard in shards] == [f"scnt/0000{k}.parquet" for k in range(3)]


def test_suites_of_small_units_have_more_of_them_in_a_shard() -> None:
    made = planned(asked(["lama"], items="facts", limit=45))
    [suite] = made.suites
    assert suite.grain == 10
    assert [len(shard.units) for shard in made.shards(suite, 2)] == [20, 20, 5]


def test_what_a_model_cannot_answer_is_refused_with_what_it_can() -> None:
    model = known()
    model.answers = frozenset()
    with pytest.raises(SpecError, match=r"the word at a blank, and .* cannot .* this kind: none$"):
        plan_run(settings_of(SPEC), model)
    with pytest.raises(SpecError, match="'gh22' asks for the word at a blank and words by"):
        plan_run(settings_of(asked(["gh22"])), model)
    model.answers = SUITES.get("scnt").needs
    fitting = "scnt, scnt_controls, scin, lama_misprimed"
    with pytest.raises(SpecError, match=f"asks for words by their rank,.* this kind: {fitting}$"):
        plan_run(settings_of(SPEC), model)
    settings = settings_of(SPEC)
    assert why_not(settings["scnt"], model) is None
    assert "asks for words by their rank" in str(why_not(settings["gh22"], model))


def test_a_language_without_patterns_is_refused_with_those_that_have_them() -> None:
    only_italian = [
        suite.name for suite in SUITES.all() if settled(asked([suite.name])).language == "it"
    ]
    for name in only_italian:
        with pytest.raises(SpecError, match=f"{name!r} has no patterns .*'en'.* for it$"):
            planned(asked([name], language="en"))
    with pytest.raises(SpecError, match="no patterns for language 'it'"):
        planned(asked(["semantoneg"], language="it"))


def test_the_language_is_english_unless_it_is_said() -> None:
    assert settled(SPEC).language == "en"
    said = asked(["scnt"], language="it")
    assert settled(said) == said


def suite_in(*codes: str) -> Any:
    """A suite that has patterns for these languages, and nothing else."""
    return SimpleNamespace(
        speaks=lambda language: language.code in codes, options_type=Options, item_sets=()
    )


def test_of_several_languages_one_must_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoken(*codes: str) -> str | None:
        """The language of a suite that is in these."""
        suite = suite_in(*codes)
        monkeypatch.setattr(plan, "SUITES", SimpleNamespace(get=lambda name: suite))
        spec: RunSpec = settled(SPEC)
        return spec.language

    assert spoken("fr") == "fr"
    assert spoken("de", "en", "fr") == spoken() == "en"
    with pytest.raises(SpecError, match=r"several languages; choose with --language: de, fr$"):
        spoken("fr", "de")


def test_all_suites_must_have_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    suites = {"scnt": suite_in("de", "fr"), "gh22": suite_in("fr", "en")}
    monkeypatch.setattr(plan, "SUITES", SimpleNamespace(get=suites.get))
    assert settled(SPEC).language == "fr"


def test_items_are_settled_for_each_suite_that_reads_them() -> None:
    def items(*suites: str, **options: Any) -> dict[str, Any]:
        spec = settled(asked(suites, language="en", **options))
        return {name: own.as_dict().get("items") for name, own in spec.options.items()}

    assert items("scnt") == {"scnt": None}
    assert items("lama", "lama_misprimed") == {"lama": "facts", "lama_misprimed": "facts"}
    assert items("lama", items="mine.toml") == {"lama": "mine.toml"}
    assert items("lama", "semantoneg", "scnt") == {
        "lama": "facts", "semantoneg": "antoneg", "scnt": None,
    }  # fmt: skip
    bare = settled(RunSpec(model="x", suites=("lama",)))  # as Python makes it, without options
    assert bare.value("items", "lama") == "facts"


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
