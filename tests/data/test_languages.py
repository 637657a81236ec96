"""Italian forms, upstream's lists, and what every language's folder must hold."""

from __future__ import annotations

import importlib.util
import pickle
import re
import sys
import tomllib
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from naysay import evaluate
from naysay.core.errors import LexiconError, SpecError
from naysay.core.protocols import ModelRequest
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.data.lexicon import GENDERS
from naysay.data.upstream import strings_in_pickle
from naysay.models import open_model
from naysay.models.known import KnownModel
from naysay.run.options import spec_of
from naysay.run.plan import lexicon_of, setting_of
from naysay.suites import SUITES
from naysay.suites.scnt.selection import TESTS
from naysay.suites.scnt.suite import SUITE, SelfContainedNegTest

ITALIAN = LANGUAGES.get("it")
SELF_CONTAINED: list[tuple[Any, Any]] = [
    (suite, language)
    for suite in map(SUITES.get, ("scnt", "scin"))
    for language in LANGUAGES.all()
    if suite.speaks(language)
]
needs_verbecc = pytest.mark.skipif(
    importlib.util.find_spec("verbecc") is None, reason="verbecc's tables are not installed"
)

CHECKED = {
    # irregular
    "andare": "va", "bere": "beve", "dare": "dà", "dire": "dice", "fare": "fa", "stare": "sta",
    "uscire": "esce", "venire": "viene", "tenere": "tiene", "salire": "sale", "morire": "muore",
    "sedere": "siede", "riuscire": "riesce", "porre": "pone", "tradurre": "traduce",
    "apparire": "appare", "trarre": "trae", "udire": "ode",
    # with -isc- and without
    "finire": "finisce", "capire": "capisce", "agire": "agisce", "tossire": "tossisce",
    "arrossire": "arrossisce", "starnutire": "starnutisce", "annuire": "annuisce",
    "dormire": "dorme", "partire": "parte", "fuggire": "fugge", "mentire": "mente",
    "seguire": "segue", "applaudire": "applaude",
    # spelling
    "mangiare": "mangia", "viaggiare": "viaggia", "studiare": "studia", "sciare": "scia",
    "cercare": "cerca", "giocare": "gioca", "pagare": "paga",
    # regular
    "fumare": "fuma", "cantare": "canta", "correre": "corre", "ridere": "ride",
    "piangere": "piange", "leggere": "legge", "scrivere": "scrive", "cadere": "cade",
}  # fmt: skip


@needs_verbecc
def test_italian_forms_are_right() -> None:
    from naysay.data.languages.it.grammar import third_person

    assert len(CHECKED) >= 40
    assert {verb: third_person(verb) for verb in CHECKED} == CHECKED
    assert third_person("asdfgire") is None
    assert third_person("bloggare") == "blogga"  # not in the library's tables, but regular
    assert third_person("surfare") == "surfa"
    assert third_person("malandare") is None  # perhaps as andare
    assert third_person("ire") is None  # it has no such form


@needs_verbecc
def test_verbs_in_are_are_regular_but_for_those_named() -> None:
    from naysay.data.languages.it.grammar import corrections, library_forms, regular_form

    forms = {**library_forms(), **corrections()}
    regular = {verb: form for verb in forms if (form := regular_form(verb))}
    other = {verb for verb, form in regular.items() if forms[verb] != form}
    assert len(regular) > 5000 and other == {"infocare", "rincorare", "tonare"}


def test_the_own_list_has_the_checked_forms() -> None:
    forms = ITALIAN.lexicon.forms
    shared = set(forms) & set(CHECKED)
    assert len(shared) > 20 and len(forms) > 300
    assert {verb: forms[verb] for verb in shared} == {verb: CHECKED[verb] for verb in shared}


@needs_verbecc
def test_the_own_list_is_what_the_script_makes(scripts: Any) -> None:
    path = ITALIAN.folder / "lexicon" / "verbs.toml"
    made = scripts("derive_italian_verbs").as_toml(list(ITALIAN.lexicon.verbs))
    assert made == path.read_text(encoding="utf-8")


@needs_verbecc
def test_every_released_verb_is_conjugated_or_left_out(upstream_data: Path, tmp_path: Path) -> None:
    lexicon = lexicon_of(ITALIAN, "scin", upstream_data, "base")
    assert len(lexicon.verbs) == 294
    assert {gender: len(lexicon.professions[gender]) for gender in GENDERS} == {
        "female": 100, "male": 100,
    }  # fmt: skip
    refused = [verb for verb in lexicon.verbs if lexicon.form(verb) is None]
    assert refused == []
    assert {v: lexicon.form(v) for v in set(CHECKED) & set(lexicon.verbs)} == {
        v: CHECKED[v] for v in set(CHECKED) & set(lexicon.verbs)
    }
    run = evaluate(
        "known:aware", "scin", lexicon="scin", data_dir=upstream_data, limit=5, out=tmp_path
    )
    assert run.findings[0].outcome in ("passes", "undecided")


def test_a_verb_without_a_form_is_left_out_and_counted() -> None:
    setting = setting_of(RunSpec(model="m", suites=("scin",), limit=2))
    forms = {"fumare": "fuma", "ire": None}
    partial = replace(setting.lexicon, verbs=("fumare", "ire"), forms=forms)
    suite, model = SUITES.get("scin"), open_model("known:aware", ModelRequest(language="it"))
    fit = suite.fit(model, replace(setting, lexicon=partial))
    assert fit.used == ("fumare",)
    assert fit.left_out == (("ire", "its form is not known"),)


def test_a_bad_form_is_refused(tmp_path: Path) -> None:
    lexicon = tmp_path / "verbs.toml"
    lexicon.write_text('[verbs.forms]\nfumare = ""\n', encoding="utf-8")
    with pytest.raises(LexiconError, match="one form for each verb"):
        lexicon_of(ITALIAN, str(lexicon), None)


def test_strings_come_out_of_a_pickle_that_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "verbs.joblib"
    words = ["andare", "fare", "andare", "perché"]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        path.write_bytes(pickle.dumps(words, protocol=protocol))
        assert strings_in_pickle(path) == words
    path.write_bytes(pickle.dumps(words)[:-5])
    with pytest.raises(ValueError, match="not a complete pickle"):
        strings_in_pickle(path)

    class Runs:
        def __reduce__(self) -> Any:
            return print, ("run",)

    path.write_bytes(pickle.dumps([Runs()]))
    with pytest.raises(ValueError, match="more than a list of strings"):
        strings_in_pickle(path)
    with pytest.raises(ValueError, match="cannot be read"):
        strings_in_pickle(tmp_path / "missing")


@pytest.mark.parametrize("language", LANGUAGES.all(), ids=lambda language: language.code)
def test_a_language_has_a_card(language: Any) -> None:
    card = tomllib.loads((language.folder / "card.toml").read_text(encoding="utf-8"))
    assert card["chosen"] and card["left_out"]
    assert {"CpTp", *TESTS, "blank", "minimal", "form"} <= set(card["reviewed"])


@pytest.mark.parametrize("language", LANGUAGES.all(), ids=lambda language: language.code)
def test_names_are_of_one_gender_and_professions_go_in_pairs(language: Any) -> None:
    lexicon = language.lexicon
    female, male = (set(lexicon.names[gender]) for gender in GENDERS)
    assert not female & male
    assert len(female) >= 100 and len(male) >= 100
    assert len(lexicon.professions["female"]) == len(lexicon.professions["male"]) >= 90


ARTICLES: dict[str, dict[str, tuple[str, ...]]] = {
    "it": {"female": ("una ", "un'"), "male": ("un ", "uno ")},
    "fr": {"female": ("une ",), "male": ("un ",)},
    "es": {"female": ("una ",), "male": ("un ",)},
}


@pytest.mark.parametrize("code", ARTICLES)
def test_articles_agree(code: str) -> None:
    professions = LANGUAGES.get(code).lexicon.professions
    for gender, articles in ARTICLES[code].items():
        assert all(word.startswith(articles) for word in professions[gender])
    if code == "it":
        for word in (*professions["female"], *professions["male"]):
            elided = word.startswith("un'")
            noun = word.removeprefix("un'").split(" ")[-1 if elided else 1]
            vowel = noun[0] in "aeiouèéàòù"
            assert elided == (vowel and word in professions["female"]), word


@pytest.mark.parametrize(
    ("suite", "language"), SELF_CONTAINED, ids=[f"{s.name}-{la.code}" for s, la in SELF_CONTAINED]
)
def test_patterns_are_minimal_pairs(suite: SelfContainedNegTest, language: Any) -> None:
    given = {"language": language.code, "limit": 3}
    for predicate in language.patterns(suite.patterns)["targets"]:
        setting = setting_of(spec_of("m", (suite.name,), {**given, "predicate": predicate}))
        items = suite.items(setting)
        negators = set(language.about["negators"])
        for unit in suite.units(setting):
            texts = {c: items.text(c, unit, setting.lexicon.verbs[0]) for c in ("CpTp", *TESTS)}
            context, target = ({c: t.split(". ")[k] for c, t in texts.items()} for k in (0, 1))
            assert context["CpTp"] == context["CpTn"] == context["CpTv"]
            assert context["CnTp"] == context["CnTn"] != context["CpTp"]
            assert target["CpTp"] == target["CnTp"] and target["CpTn"] == target["CnTn"]
            strengthened, plain = (re.findall(r"\w+", target[c]) for c in ("CpTv", "CpTp"))
            assert len(strengthened) == len(plain) + 1 and not negators & set(strengthened)


@pytest.mark.parametrize(
    ("suite", "language"), SELF_CONTAINED, ids=[f"{s.name}-{la.code}" for s, la in SELF_CONTAINED]
)
@pytest.mark.parametrize("readout", ["top1", "likelihood"])
def test_known_models_are_exact_in_every_language(
    suite: SelfContainedNegTest, language: Any, readout: str, tmp_path: Path
) -> None:
    for predicate in language.patterns(suite.patterns)["targets"]:
        options: dict[str, Any] = {
            "language": language.code, "predicate": predicate, "readout": readout, "limit": 15,
            "out": tmp_path,
        }  # fmt: skip
        for model, wanted in (("aware", [100, 100, 0, 0]), ("blind", [0, 0, 0, 0])):
            run = evaluate(f"known:{model}", suite.name, **options)
            assert [e.value for e in run if e.table.startswith("drops")] == wanted


def test_the_guide_leads_from_nothing_to_a_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = Path(__file__).parents[2] / "docs" / "languages.md"
    block = re.compile(r"<!-- file: (\S+) -->\n```toml\n(.*?)```", re.S)
    files = dict(block.findall(guide.read_text(encoding="utf-8")))
    named = ("language.toml", "patterns/scnt.toml", "lexicon/words.toml", "card.toml")
    assert set(files) == {f"eo/{name}" for name in named}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "eo" / "__init__.py").touch()
    info = tmp_path / "esperanto-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: esperanto\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[naysay.languages]\neo = eo\n")
    monkeypatch.syspath_prepend(tmp_path)
    LANGUAGES.forget()
    try:
        for model, wanted in (("aware", [100, 100, 0, 0]), ("blind", [0, 0, 0, 0])):
            run = evaluate(f"known:{model}", "scnt", language="eo", out=tmp_path / "runs")
            assert [e.value for e in run if e.table == "drops"] == wanted
        test_a_language_has_a_card(LANGUAGES.get("eo"))
        test_patterns_are_minimal_pairs(SUITE, LANGUAGES.get("eo"))
    finally:
        sys.modules.pop("eo", None)
        monkeypatch.undo()
        LANGUAGES.forget()


def test_the_language_follows_the_suite(tmp_path: Path) -> None:
    run = evaluate("known:aware", "scin", limit=2, out=tmp_path)
    assert run.spec.language == "it"
    assert evaluate("known:aware", "scnt", limit=2, out=tmp_path).spec.language == "en"
    italian = evaluate("known:aware", language="it", limit=2, out=tmp_path)
    assert [finding.suite for finding in italian.findings] == ["scin"]
    with pytest.raises(SpecError, match="no patterns for language"):
        evaluate("known:aware", ["scin", "scnt"], limit=2, out=tmp_path)


def test_published_figures_stand_beside_their_own_language_only(tmp_path: Path) -> None:
    model = KnownModel("bert-base-cased", lambda text, words: True, ["x"])
    for code, shown in (("en", 3.6), ("fr", None)):
        run = evaluate(model, "scnt", language=code, limit=2, out=tmp_path)
        assert next(e for e in run if e.condition == "CpTn").published == shown
    italian = KnownModel("dbmdz/bert-base-italian-cased", lambda text, words: True, ["x"])
    run = evaluate(italian, "scin", limit=2, out=tmp_path)
    assert next(e for e in run if e.condition == "CpTn").published == 16.5
    assert "Table 4" in run.findings[0].titles["drops"]


def test_a_compressed_file_cannot_fill_the_memory(tmp_path: Path) -> None:
    bomb = zlib.compress(pickle.dumps(["x" * 50_000_000]), 9)
    (tmp_path / "bomb.joblib").write_bytes(bomb)
    assert len(bomb) < 100_000
    with pytest.raises(ValueError, match="too large"):
        strings_in_pickle(tmp_path / "bomb.joblib")
