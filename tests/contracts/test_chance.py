"""Models with known answers: one that understands passes, one that does not fails, chance never."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from naysay.core.records import FAILS, NO_EFFECT, PASSES, Finding
from naysay.data.languages import LANGUAGES
from naysay.run.evaluation import evaluate

RATES = (0.1, 0.3, 0.5, 0.9)
PAIRED = ("scnt", "scnt_controls", "scnt_table2", "gh22")
SUITES = ("scnt", "scnt_controls", "gh22", "lama", "semantoneg")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Word lists with fewer people, so that all pairs are soon asked."""
    lexicon = LANGUAGES.get("en").lexicon
    lists = {
        "names": {gender: lexicon.names[gender][:20] for gender in ("female", "male")},
        "professions": {gender: lexicon.professions[gender][:12] for gender in ("female", "male")},
    }
    text = "".join(
        f"[{kind}]\n" + "".join(f"{gender} = {list(words)!r}\n" for gender, words in by.items())
        for kind, by in lists.items()
    )
    path = tmp_path_factory.mktemp("people") / "people.toml"
    path.write_text(text.replace("'", '"'), encoding="utf-8")
    return path


def judged(model: str, suite: str, out: Path, people: Path) -> Finding:
    options: dict[str, Any] = {"lexicon": str(people)} if suite in PAIRED else {}
    if suite == "scnt_controls":
        options["cap"] = 5  # as many verbs as decide it
    [finding] = evaluate(model, suite, limit="all", out=out, **options).findings
    return finding


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_chance_never_passes_and_is_never_undecided(
    suite: str, tmp_path: Path, people: Path
) -> None:
    for rate in RATES:
        # Facts are few, so that chance varies most there.
        for seed in range(6 if suite == "lama" else 1):
            finding = judged(f"known:random:{rate}:{seed}", suite, tmp_path, people)
            assert finding.outcome in (FAILS, NO_EFFECT), (rate, seed, finding.verdict)


@pytest.mark.parametrize("suite", ["scnt_table2", "lama_misprimed", "semantoneg_likelihood"])
def test_chance_never_passes_where_few_answers_decide(
    suite: str, tmp_path: Path, people: Path
) -> None:
    for rate in RATES:
        assert PASSES not in judged(f"known:random:{rate}", suite, tmp_path, people).outcome


@pytest.mark.parametrize(
    "suite", ["scnt_chat", "gh22_chat", "scin_chat", "lama_chat", "semantoneg_chat"]
)
def test_chance_never_passes_in_a_chat(suite: str, tmp_path: Path) -> None:
    for rate in RATES:
        [finding] = evaluate(f"known:random:{rate}", suite, limit=40, out=tmp_path).findings
        assert PASSES not in finding.outcome, (rate, finding.verdict)


@pytest.mark.slow
@pytest.mark.parametrize("suite", (*SUITES, "scnt_table2", "lama_misprimed"))
def test_who_understands_passes_and_who_does_not_fails(
    suite: str, tmp_path: Path, people: Path
) -> None:
    assert judged("known:aware", suite, tmp_path, people).outcome == PASSES
    assert judged("known:blind", suite, tmp_path, people).outcome == FAILS


def test_a_larger_sample_is_asked_for_only_where_it_would_settle(tmp_path: Path) -> None:
    """The sample that the verdict asks for does decide; when all were asked, none is asked for."""
    options: dict[str, Any] = {"items": "antoneg", "seed": 1, "out": tmp_path}
    [small] = evaluate("known:random", "semantoneg", limit=80, **options).findings
    assert small.outcome == "undecided"
    words = small.verdict.split("--limit ")
    assert len(words) == 2, small.verdict
    wanted = int(words[1].rstrip(")."))
    [larger] = evaluate("known:random", "semantoneg", limit=2 * wanted, **options).findings
    assert larger.outcome in (FAILS, NO_EFFECT)
    assert "--limit" not in larger.verdict


@pytest.mark.parametrize("suite", ["scnt", "gh22", "semantoneg"])
def test_a_few_units_never_pass_and_the_sample_they_ask_for_does(
    suite: str, tmp_path: Path
) -> None:
    for limit in (1, 2, 4):
        [few] = evaluate("known:aware", suite, limit=limit, out=tmp_path).findings
        assert few.outcome in ("undecided", "not measured"), few.verdict
    assert evaluate("known:aware", suite, limit=30, out=tmp_path).findings[0].outcome == PASSES


def test_the_smallest_effect_is_yours_to_choose(tmp_path: Path) -> None:
    """A difference of some points is an effect to one reader, and none to another."""
    outcomes = {
        effect: evaluate(
            "known:random:0.5", "gh22", limit=60, smallest_effect=effect, out=tmp_path
        ).findings[0].outcome
        for effect in (0.0, 25.0)
    }  # fmt: skip
    assert outcomes[25.0] == NO_EFFECT
    assert outcomes[0.0] != NO_EFFECT
