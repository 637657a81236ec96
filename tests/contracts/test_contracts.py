"""What everything that is discovered has to hold: suites, languages, adapters, commands."""

from __future__ import annotations

import dataclasses
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, model_request
from naysay import evaluate
from naysay.analysis.items import measures_of
from naysay.cli import command_names
from naysay.core.errors import BrokenPluginError
from naysay.core.options import declarations
from naysay.core.probes import FillBlank
from naysay.core.protocols import Model, ModelRequest
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.models import ADAPTERS, open_model
from naysay.models.lm.processor import low_precision
from naysay.run.plan import setting_of
from naysay.run.store import read_rows, schema_of
from naysay.suites import SUITES

PAIRS = [
    (suite, language)
    for suite in SUITES.names()
    for language in LANGUAGES.names()
    if SUITES.get(suite).speaks(LANGUAGES.get(language))
]
KNOWN = ("known:aware", "known:blind", "known:random")


@pytest.mark.parametrize("name", SUITES.names())
class TestSuite:
    def test_its_card_is_complete(self, name: str) -> None:
        card = SUITES.get(name).card
        assert all(getattr(card, field.name) for field in dataclasses.fields(card))
        assert card.citation.strip().startswith("@")

    def test_its_docstring_cites_the_paper(self, name: str) -> None:
        assert re.search(r"\d{4}", type(SUITES.get(name)).__doc__ or "")

    def test_its_rows_have_a_schema(self, name: str) -> None:
        suite = SUITES.get(name)
        assert set(suite.judged) <= set(schema_of(suite.row_type).names)

    def test_some_language_speaks_it(self, name: str) -> None:
        assert name in {suite for suite, _ in PAIRS}


@pytest.mark.parametrize(("suite", "language"), PAIRS)
class TestSuiteInLanguage:
    def test_units_are_fixed_distinct_and_picklable(self, suite: str, language: str) -> None:
        setting = setting_of(RunSpec(model="m", suites=(suite,), language=language, limit=50))
        units = list(SUITES.get(suite).units(setting))
        assert units == list(SUITES.get(suite).units(setting))
        assert len({unit.key for unit in units}) == len(units) == 50
        assert pickle.loads(pickle.dumps(units)) == units

    @pytest.mark.parametrize("model", KNOWN)
    def test_known_models_run_through(
        self, suite: str, language: str, model: str, tmp_path: Path
    ) -> None:
        options: dict[str, Any] = {"limit": 6, "language": language}
        run = evaluate(model, suite, out=tmp_path / "one", **options)
        other = evaluate(model, suite, out=tmp_path / "two", shard_size=1, **options)
        assert run.run == other.run
        assert [e.as_dict() for e in run] == [e.as_dict() for e in other]
        assert all(e.suite == suite for e in run)
        for estimate in run:
            if estimate.low is not None and estimate.high is not None:
                assert estimate.value is not None
                assert estimate.low <= estimate.value <= estimate.high
        assert {e.table for e in run} == set(run.findings[0].titles)

    def test_aware_passes_and_blind_fails(self, suite: str, language: str, tmp_path: Path) -> None:
        options: dict[str, Any] = {"limit": 30, "language": language, "out": tmp_path}
        outcomes = [evaluate(m, suite, **options).findings[0].outcome for m in KNOWN[:2]]
        assert outcomes == ["passes", "fails"]

    @pytest.mark.slow
    @pytest.mark.parametrize("readout", ["top1", "likelihood"])
    def test_items_have_the_estimates_as_their_means(
        self, suite: str, language: str, readout: str, tmp_path: Path
    ) -> None:
        options: dict[str, Any] = {"limit": 12, "language": language, "readout": readout}
        if "readout" not in declarations(SUITES.get(suite).options_type):
            del options["readout"]  # there is one way of reading it out
        run = evaluate(KNOWN[2], suite, out=tmp_path, **options)
        estimates = {(e.suite, e.table, e.condition, e.metric): e for e in run}
        found = measures_of(run.manifest, SUITES.get(suite), run.spec)
        assert len({measure.name for measure in found}) == len(found) >= 1
        assert any(measure.wanted for measure in found)
        for measure in found:
            estimate, items = estimates[measure.name], measure.items
            assert measure.mean() == pytest.approx(estimate.value, abs=1e-9)
            assert (measure.unit, len(items)) == (estimate.unit, estimate.n)
            assert len(set(items.keys.to_pylist())) == len(items)
            sizes = {kind: len(set(of.to_pylist())) for kind, of in items.clusters.items()}
            assert sizes == estimate.clusters_by

    def test_judging_is_pure(self, suite: str, language: str, tmp_path: Path) -> None:
        run = evaluate(KNOWN[2], suite, limit=4, language=language, out=tmp_path)
        [file] = run.folder.glob(f"{suite}/*.parquet")
        rows = read_rows(file)
        judged = SUITES.get(suite).judge(rows)
        assert judged.equals(SUITES.get(suite).judge(read_rows(file)))
        half = len(rows) // 2
        assert SUITES.get(suite).judge(rows.slice(half)).equals(judged.slice(half))


@pytest.mark.parametrize("code", LANGUAGES.names())
def test_a_language_has_what_suites_read(code: str) -> None:
    language = LANGUAGES.get(code)
    assert language.about["name"] and language.about["negators"]
    assert set(language.pronouns) == {"female", "male"}
    lexicon = language.lexicon
    assert all(source != "not stated" for source in lexicon.sources.values())


@pytest.mark.parametrize("kind", ADAPTERS.names())
def test_an_adapter_says_what_it_is(kind: str) -> None:
    adapter = ADAPTERS.get(kind)
    assert adapter.kind == kind and kind in adapter.prefixes and adapter.summary
    others = [ADAPTERS.get(other) for other in ADAPTERS.names() if other != kind]
    assert not any(set(other.prefixes) & set(adapter.prefixes) for other in others)


TEXTS = [
    "Mary is an architect who likes to run. She is happy to ▢.",
    "John is a baker who doesn't like to swim. He isn't happy to ▢.",
    "Mary is an architect who likes to run. She is happy to ▢.",
    "Ann is a nurse who likes to sing. She is very happy to ▢.",
]
PROBES = [FillBlank(text, words=("run", "swim"), top_k=3) for text in TEXTS]


def opened(name: str, **options: str | int) -> Model:
    model = open_model(name, model_request(**options))
    model.prepare()
    return model


@pytest.fixture(params=[*KNOWN, "tiny_bert", "tiny_roberta", "tiny_albert", "tiny_gpt"])
def model_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name if name.startswith("known") else str(request.getfixturevalue(name))


class TestModel:
    def test_order_is_kept_and_one_equals_many(self, model_name: str) -> None:
        model = opened(model_name)
        together = model.ask(PROBES)
        alone = [answer for probe in PROBES for answer in model.ask([probe])]
        assert [fill.best for fill in together] == [fill.best for fill in alone]
        assert [fill.best for fill in model.ask(PROBES[::-1])] == [f.best for f in alone[::-1]]
        for one, other in zip(together, alone, strict=True):
            assert one.scores == pytest.approx(other.scores, abs=1e-4)
        assert model.ask([]) == []

    def test_its_digest_is_stable_and_follows_the_precision(self, model_name: str) -> None:
        request = ModelRequest()
        assert open_model(model_name, request).digest == open_model(model_name, request).digest
        if not model_name.startswith("known") and low_precision().speed is not None:
            low = open_model(model_name, dataclasses.replace(request, precision="bf16"))
            assert low.digest != open_model(model_name, request).digest

    def test_it_cuts_every_word_it_is_given(self, model_name: str) -> None:
        model = opened(model_name)
        words = ["run", "swim", "acclimatize"]
        cuts = model.single_pieces(words, TEXTS[0])
        assert list(cuts) == words
        assert all(cut.single == (cut.problem is None) for cut in cuts.values())

    def test_its_facts_are_plain_values(self, model_name: str) -> None:
        model = opened(model_name)
        assert model.facts()["device"] and FillBlank in model.answers
        model.close()


@pytest.mark.parametrize("command", command_names())
def test_every_command_explains_itself(naysay: Callable[..., Outcome], command: str) -> None:
    ended = naysay(*command.split(), "--help")
    assert ended.code == 0
    assert f"naysay {command}" in ended.out


PLUGIN = """
from naysay.suites.scnt.suite import SelfContainedNegTest

class Other(SelfContainedNegTest):
    name = {name!r}

SUITE = Other()
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Install a package with a suite, as a package index would lay it out."""

    def install(name: str, code: str) -> None:
        (tmp_path / "my_suite.py").write_text(code, encoding="utf-8")
        info = tmp_path / "my_suite-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-suite\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[naysay.suites]\n{name} = my_suite:SUITE\n")
        monkeypatch.syspath_prepend(tmp_path)
        SUITES.forget()

    yield install
    monkeypatch.undo()
    sys.modules.pop("my_suite", None)
    SUITES.forget()


def test_an_installed_package_can_add_a_suite(plugin: Callable[[str, str], None]) -> None:
    plugin("mine", PLUGIN.format(name="mine"))
    assert "mine" in SUITES.names()
    assert SUITES.get("mine").name == "mine"


def test_a_broken_plugin_is_an_error_with_its_place(plugin: Callable[[str, str], None]) -> None:
    plugin("mine", "import nothing_of_that_name")
    with pytest.raises(BrokenPluginError, match=r"'mine' from my_suite:SUITE of my-suite"):
        SUITES.get("mine")


def test_a_name_that_is_taken_is_an_error(plugin: Callable[[str, str], None]) -> None:
    plugin("scnt", PLUGIN.format(name="scnt"))
    with pytest.raises(BrokenPluginError, match="two suites are called 'scnt'"):
        SUITES.get("scnt")
