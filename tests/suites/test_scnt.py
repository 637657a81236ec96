from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from conftest import Outcome, rows_of
from naysay import evaluate
from naysay.core.errors import RunError
from naysay.core.keys import draw_share
from naysay.core.protocols import ModelRequest
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.models import open_model
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation
from naysay.run.plan import lexicon_of, setting_of
from naysay.run.store import table_of
from naysay.suites import SUITES
from naysay.suites.base import ask
from naysay.suites.scnt.analysis import drop_shares, repetition_shares
from naysay.suites.scnt.selection import TESTS, select
from naysay.suites.scnt.suite import SUITE, TripletRow

SETTING = setting_of(RunSpec(model="known", suites=("scnt",), limit=40))
UNITS = SUITE.units(SETTING)


def figures(evaluation: Evaluation, table: str = "drops") -> dict[str, float | None]:
    return {e.condition: e.value for e in evaluation if e.table == table}


def test_the_aware_control_gives_up_contradictions_and_nothing_else(tmp_path: Path) -> None:
    aware = evaluate("known:aware", "scnt", limit=50, out=tmp_path)
    assert figures(aware) == {"CpTn": 100, "CnTp": 100, "CnTn": 0, "CpTv": 0}
    assert figures(aware, "adjusted")["CpTn-CpTv"] == 100
    assert aware.findings[0].outcome == "passes"
    assert all(e.low is not None and e.low < 100 for e in aware if e.value == 100)


def test_the_blind_control_repeats_everywhere(tmp_path: Path) -> None:
    blind = evaluate("known:blind", "scnt", limit=50, out=tmp_path)
    assert figures(blind) == dict.fromkeys(TESTS, 0)
    assert blind.findings[0].outcome == "fails"
    assert "goes on repeating the verb" in blind.findings[0].verdict
    tests = [e for e in blind if e.table == "mcnemar"]
    assert [e.value for e in tests] == [1, 1, 1, 1]


def test_the_chance_control_lies_within_its_intervals(tmp_path: Path) -> None:
    chance = evaluate("known:random:0.3:1", "scnt", limit=100, out=tmp_path)
    for estimate in (e for e in chance if e.table == "drops"):
        assert estimate.low is not None and estimate.high is not None
        assert estimate.low < 70 < estimate.high
    ratio = next(e for e in chance if e.metric == "ratio")
    assert ratio.low is not None and ratio.high is not None
    assert ratio.low < 30 < ratio.high


def test_a_model_that_never_repeats_is_not_judged(tmp_path: Path) -> None:
    never = evaluate("known:random:0", "scnt", limit=2, out=tmp_path)
    assert figures(never) == dict.fromkeys(TESTS, None)
    assert never.findings[0].outcome == "not measured"
    assert next(e for e in never if e.metric == "tested").value == 2 * len(SETTING.lexicon.verbs)


def test_lazy_and_exhaustive_select_the_same_triplets(tmp_path: Path) -> None:
    options: dict[str, Any] = {"suites": "scnt", "limit": 6, "out": tmp_path, "cap": 7}
    lazy = rows_of(evaluate("known:random:0.2", exhaustive=False, **options))
    full = rows_of(evaluate("known:random:0.2", exhaustive=True, **options))
    tests = [[r for r in rows if r["condition"] != "CpTp"] for rows in (lazy, full)]
    assert tests[0] == tests[1]
    assert len(full) - len(tests[1]) == 6 * len(SETTING.lexicon.verbs)
    walked = [r for r in lazy if r["condition"] == "CpTp"]
    asked = {(r["unit"], r["verb"]) for r in walked}
    everything = {(r["unit"], r["verb"]): r for r in full if r["condition"] == "CpTp"}
    assert all(everything[r["unit"], r["verb"]] == r for r in walked)
    assert len(asked) == len(walked) < len(everything) / 5


def repeating(verbs: set[str]) -> KnownModel:
    return KnownModel("known:these", lambda text, words: words[0] in verbs, sorted(verbs))


def selected(seed: int, exhaustive: bool) -> list[str]:
    """What one pair selects out of twelve verbs of which six repeat, by one of the two ways."""
    model, items = repeating(set("abcdef")), SUITE.items(SETTING)
    # Seeds of the two ways differ, so that equal frequencies are not equal draws.
    [walk] = select(
        model, items, UNITS[:1], list("abcdefghijkl"), 2 * seed + exhaustive, 2,
        exhaustive=exhaustive,
    )  # fmt: skip
    return [walk.verbs[place] for place in walk.selected]


def test_lazy_and_exhaustive_draw_from_the_same_distribution() -> None:
    from scipy.stats import chi2_contingency, chisquare

    counts = []
    for exhaustive in (False, True):
        drawn = Counter(frozenset(selected(seed, exhaustive)) for seed in range(1500))
        assert len(drawn) == 15  # every pair out of six
        counts.append([drawn[key] for key in sorted(drawn, key=sorted)])
    assert chi2_contingency(counts).pvalue > 0.001
    assert all(chisquare(row).pvalue > 0.001 for row in counts)


def test_lazy_selection_asks_a_fraction(tmp_path: Path) -> None:
    verbs = lexicon_of(LANGUAGES.get("en"), None, None, "wide").verbs[:597]
    words = ", ".join(f'"{verb}"' for verb in verbs)
    lexicon = tmp_path / "597.toml"
    lexicon.write_text(f"[verbs]\nwords = [{words}]", encoding="utf-8")
    run = evaluate("known:random:0.22", "scnt", limit=100, lexicon=str(lexicon), out=tmp_path)
    selected = next(e.value for e in run if e.metric == "selected")
    assert selected == 20 * 100
    asked = run.manifest.counts["questions"] - 4 * selected  # with those that were not kept
    assert 0.10 < asked / (597 * 100) < 0.20


def test_a_pair_keeps_what_a_walk_one_by_one_would_have_asked(tmp_path: Path) -> None:
    rows = rows_of(evaluate("known:random:0.3", "scnt", limit=5, cap=4, out=tmp_path))
    for unit in {r["unit"] for r in rows}:
        walked = [r for r in rows if r["unit"] == unit and r["condition"] == "CpTp"]
        hits = [r["answer"] == r["verb"] for r in walked]
        assert [r["place"] for r in walked] == list(range(len(walked)))
        assert sum(hits) == 4 and hits[-1]


def test_the_sample_of_pairs_is_seeded_and_nested() -> None:
    def keys(limit: int | str, seed: int = 0) -> list[str]:
        spec = RunSpec(model="known", suites=("scnt",), limit=limit, seed=seed)
        return [unit.key for unit in SUITE.units(setting_of(spec))]

    assert keys(20) == keys(50)[:20]
    assert keys(20) != keys(20, seed=1)
    everyone = keys("all")
    assert len(everyone) == len(set(everyone)) == 18_200
    genders = Counter(key.split("/")[0] for key in keys(1000))
    assert 430 < genders["female"] < 570


def test_minimal_pairs_differ_only_in_their_condition() -> None:
    setting = setting_of(RunSpec(model="known", suites=("scnt",), limit=30))
    items = SUITE.items(setting)
    for unit in SUITE.units(setting):
        texts = {c: items.text(c, unit, "run") for c in ("CpTp", *TESTS)}
        assert texts["CpTn"] == texts["CpTp"].replace(" is happy", " isn't happy")
        assert texts["CpTv"] == texts["CpTp"].replace(" is happy", " is very happy")
        assert texts["CnTp"] == texts["CpTp"].replace("likes to", "doesn't like to")
        assert texts["CnTn"] == texts["CnTp"].replace(" is happy", " isn't happy")


def made_rows(drops: dict[str, list[int]]) -> pa.Table:
    n = len(drops["CpTn"])
    rows = []
    for k in range(n):
        unit, verb = f"female/N{k % 7}/P{k % 3}", f"verb {k}"
        for condition in ("CpTp", *TESTS):
            dropped = condition != "CpTp" and drops[condition][k]
            answer = "other" if dropped else verb
            who = (unit, "female", "N", "P", "pronoun")
            rows.append(TripletRow(*who, verb, verb, k, condition, "t", answer, False))
    return SUITE.judge(table_of(rows, TripletRow))


def test_figures_are_counted_by_hand() -> None:
    drops = {
        "CpTn": [1, 1, 1, 0, 0, 1, 1, 0, 1, 1],
        "CnTp": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        "CnTn": [0] * 10,
        "CpTv": [1, 0, 0, 0, 1, 0, 0, 0, 0, 0],
    }
    spec = RunSpec(model="x", suites=("scnt",))
    from naysay.core.records import Fit

    finding = SUITE.analyse(made_rows(drops), spec, Fit(("a",))).finding("scnt")
    value = {(e.table, e.condition): e.value for e in finding.estimates}
    assert value["drops", "CpTn"] == pytest.approx(70)
    assert value["adjusted", "CpTn-CpTv"] == pytest.approx(50)
    assert value["adjusted", "CnTp-CnTn"] == pytest.approx(10)
    tests = {
        e.metric: e
        for e in finding.estimates
        if (e.table, e.condition) == ("mcnemar", "CpTn vs CpTv")
    }
    exact, clustered = tests["p"], tests["p over clusters"]
    assert exact.note == "McNemar: only CpTn drops 6, only CpTv 1"
    assert exact.value == pytest.approx(0.125)
    adjusted = next(e for e in finding.estimates if e.condition == "CpTn-CpTv")
    assert clustered.value is not None and adjusted.low is not None
    assert (clustered.value < 0.05) == (adjusted.low > 0)
    first = next(e for e in finding.estimates if e.condition == "CpTn")
    assert (first.n, first.clusters) == (10, 3)
    assert first.clusters_by == {"names": 7, "professions": 3, "verbs": 10}


def test_a_lost_row_is_an_error_not_a_figure() -> None:
    table = made_rows({c: [0, 1] for c in TESTS})
    assert list(drop_shares(table, "scnt").values("pronoun CpTn")) == [0, 1]
    keep = np.ones(len(table), dtype=bool)
    keep[-1] = False
    with pytest.raises(RunError, match="lack a condition"):
        drop_shares(table.filter(pa.array(keep)), "scnt")


def test_the_chance_model_follows_its_seed() -> None:
    def answers(name: str) -> list[bool]:
        model = open_model(name, ModelRequest())
        probe = SUITE.items(SETTING).probe
        fills = ask(model, [probe("CpTp", unit, "run") for unit in UNITS])
        return [fill.best == "run" for fill in fills]

    assert answers("known:random:0.5:1") == answers("known:random:0.5:1")
    assert answers("known:random:0.5:1") != answers("known:random:0.5:2")
    assert draw_share(1, "x") != draw_share(2, "x")


@pytest.mark.parametrize(
    "name", ["known:awar", "known:random:2", "known:random:x", "known:aware:1"]
)
def test_a_wrong_known_model_ends_with_2(naysay: Callable[..., Outcome], name: str) -> None:
    ended = naysay("run", "-m", name)
    assert ended.code == 2
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("cap", [1, 2, 20])
@pytest.mark.parametrize("repeating", [3, 30, 60])
def test_the_repetition_share_is_right_on_average_though_the_walk_stops(
    cap: int, repeating: int
) -> None:
    rng = np.random.default_rng(cap * 100 + repeating)
    verbs, walks = 60, 20_000
    order = np.argsort(rng.random((walks, verbs)), axis=1) < repeating
    found = np.cumsum(order, axis=1)
    stops = np.where(found[:, -1] >= cap, (found >= cap).argmax(axis=1) + 1, verbs)
    repeated = np.minimum(found[:, -1], cap).astype(float)
    shares = repetition_shares(stops.astype(float), repeated, cap, exhaustive=False)
    error = shares.std() / np.sqrt(walks)
    assert abs(shares.mean() - repeating / verbs) <= 4 * error + 1e-12


def test_the_card_says_what_the_paper_says_of_generative_models() -> None:
    [causal] = [text for text in SUITE.card.departures if text.startswith("Causal models")]
    assert "section 6" in causal and "bidirectional" in causal and "complete rethinking" in causal
    assert "all the same" in causal


def test_the_card_says_how_names_and_professions_differ(upstream_data: Path) -> None:
    english = LANGUAGES.get("en")
    own, theirs = english.lexicon, lexicon_of(english, "gh22", upstream_data)
    shared = set(own.professions["female"]) & set(theirs.professions["female"])
    assert own.names == theirs.names
    for name in ("scnt", "scnt_controls", "scnt_table2"):
        card = SUITES.get(name).card
        [said] = [text for text in card.departures if text.startswith("Names")]
        assert "those of GH22" in said and f"{len(shared)} are the same" in said
