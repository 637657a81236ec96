"""The Self-Contained test's controls on coreference, and its replication of Context Matters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import rows_of
from naysay import evaluate
from naysay.core.errors import LexiconError
from naysay.data.languages import LANGUAGES
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation
from naysay.run.options import spec_of
from naysay.run.plan import setting_of
from naysay.suites.scnt.selection import TESTS
from naysay.suites.scnt.suite import SUITE

SUBJECTS = ("name", "same-gender", "other-gender")


def values(evaluation: Evaluation, table: str) -> dict[str, float | None]:
    return {e.condition: e.value for e in evaluation if e.table == table}


@pytest.mark.parametrize("predicate", ["happy", "likes"])
def test_the_aware_control_gives_up_what_contradicts_the_same_person(
    tmp_path: Path, predicate: str
) -> None:
    run = evaluate("known:aware", "scnt_controls", limit=20, predicate=predicate, out=tmp_path)
    assert values(run, "coreference") == {
        f"{subject} {condition}": (
            100 if subject in ("pronoun", "name") and condition in TESTS[:2] else 0
        )
        for subject in ("pronoun", *SUBJECTS)
        for condition in TESTS
    }
    assert set(values(run, "person").values()) == {100}
    assert run.findings[0].outcome == "passes"


def test_the_blind_control_gives_up_nothing(tmp_path: Path) -> None:
    run = evaluate("known:blind", "scnt_controls", limit=20, out=tmp_path)
    assert set(values(run, "coreference").values()) == {0}
    assert run.findings[0].outcome == "fails"


def test_the_target_is_about_the_right_person(tmp_path: Path) -> None:
    run = evaluate("known:random:0.3", "scnt_controls", limit=30, out=tmp_path)
    names = LANGUAGES.get("en").lexicon.names
    opposite = {"female": "male", "male": "female"}
    others = set()
    for row in rows_of(run):
        context, target = row["text"].split(". ")
        about = target.split(" ")[0]
        assert context.split(" ")[0] == row["name"]
        if row["subject"] == "pronoun":
            assert about == {"female": "She", "male": "He"}[row["gender"]]
        elif row["subject"] == "name":
            assert about == row["name"]
        else:
            gender = row["gender"] if row["subject"] == "same-gender" else opposite[row["gender"]]
            assert about in names[gender] and about != row["name"]
            others.add((row["unit"], row["subject"], about))
    assert len(others) == 60  # one name for each pair and gender


def test_subjects_walk_the_same_verbs_and_select_their_own(tmp_path: Path) -> None:
    rows = rows_of(evaluate("known:random:0.3", "scnt_controls", limit=5, out=tmp_path))
    places: dict[tuple[str, int], set[str]] = {}
    for row in rows:
        places.setdefault((row["unit"], row["place"]), set()).add(row["verb"])
    assert all(len(verbs) == 1 for verbs in places.values())
    selected = [
        {
            (row["unit"], row["verb"])
            for row in rows
            if row["subject"] == s and row["condition"] == c
        }
        for s in SUBJECTS
        for c in ("CpTv",)
    ]
    assert selected[0] != selected[1] != selected[2]


def test_what_the_same_person_adds_is_counted_by_hand(tmp_path: Path) -> None:
    def gives_up(text: str, words: Any) -> bool:
        """Repeat, unless the same name stands twice and the target is negated."""
        name, target = text.split(" ")[0], text.split(". ")[1]
        return not (target.startswith(name) and "isn't" in target)

    run = evaluate(KnownModel("x", gives_up, ["x"]), "scnt_controls", limit=20, out=tmp_path)
    assert values(run, "person") == {
        "CpTn: name-same-gender": 100, "CnTp: name-same-gender": 0,
        "CpTn: name-other-gender": 100, "CnTp: name-other-gender": 0,
    }  # fmt: skip
    assert values(run, "coreference")["name CnTn"] == 100
    assert run.findings[0].outcome == "undecided"


def test_a_model_that_never_repeats_is_not_judged(tmp_path: Path) -> None:
    never = evaluate("known:random:0", "scnt_controls", limit=2, out=tmp_path)
    assert never.findings[0].outcome == "not measured"
    assert values(never, "coreference")["name CpTn"] is None


def test_published_figures_stand_beside(tmp_path: Path) -> None:
    model = KnownModel("roberta-large", lambda text, words: True, ["x"])
    run = evaluate(model, ["scnt_controls", "scnt_table2"], limit=4, out=tmp_path)
    shown = {(e.table, e.condition, e.metric): e.published for e in run}
    assert shown["coreference", "name CnTp", "drop"] == 64.1
    assert shown["coreference", "same-gender CnTp", "drop"] == 1.9
    assert shown["selection", "other-gender CpTp", "selected"] == 5100
    assert shown["table2", "P really likes", "repetition"] == 94.1
    assert shown["table2", "N really does like", "repetition"] == 55.9
    assert any("Table 3 against Table 7" in note for note in run.findings[0].notes)


def test_a_lexicon_with_one_name_cannot_be_controlled(tmp_path: Path) -> None:
    lexicon = tmp_path / "one.toml"
    lexicon.write_text('[names]\nfemale = ["Mary"]\nmale = ["John"]\n', encoding="utf-8")
    with pytest.raises(LexiconError, match="another female name than Mary"):
        evaluate("known:aware", "scnt_controls", lexicon=str(lexicon), out=tmp_path)


@pytest.mark.parametrize("predicate", ["happy", "likes"])
def test_predicates_differ_only_in_the_target(predicate: str) -> None:
    spec = spec_of("x", ("scnt",), {"limit": 1, "predicate": predicate})
    setting = setting_of(spec)
    [mary] = SUITE.units(setting)
    items = SUITE.items(setting)
    texts = {c: items.text(c, mary, "run") for c in ("CpTp", *TESTS)}
    told, asked = ({c: text.split(". ")[k] for c, text in texts.items()} for k in (0, 1))
    assert told["CpTp"] == told["CpTn"] == told["CpTv"]
    assert told["CnTp"] == told["CnTn"] == told["CpTp"].replace("likes to", "doesn't like to")
    assert asked["CpTp"] == asked["CnTp"] and asked["CpTn"] == asked["CnTn"]
    assert len({asked["CpTp"], asked["CpTn"], asked["CpTv"]}) == 3
    assert "n't" in asked["CpTn"] and "n't" not in asked["CpTv"]


def test_table_2_has_its_eight_rows(tmp_path: Path) -> None:
    aware = evaluate("known:aware", "scnt_table2", limit=30, out=tmp_path)
    table = values(aware, "table2")
    assert len(table) == 8
    assert {c: v for c, v in table.items() if c.startswith("P ")} == dict.fromkeys(
        [f"P {t}" for t in ("likes", "does like", "really likes", "really does like")], 100
    )
    assert {v for c, v in table.items() if c.startswith("N ")} == {0}
    assert set(values(aware, "delta").values()) == {100}
    blind = evaluate("known:blind", "scnt_table2", limit=30, out=tmp_path)
    assert set(values(blind, "table2").values()) == {100}
    texts = {row["text"] for row in rows_of(aware) if row["unit"] == rows_of(aware)[0]["unit"]}
    assert len(texts) == 9  # the seed sentence and eight questions


def test_companions_are_run_only_where_they_are_named(tmp_path: Path) -> None:
    run = evaluate("known:aware", limit=2, out=tmp_path)
    assert [finding.suite for finding in run.findings] == ["scnt", "gh22", "semantoneg", "lama"]
    assert run.manifest.units == {"gh22": 2, "lama": 2, "scnt": 2, "semantoneg": 2}
