"""Tables for papers: models by conditions, published rows below, in classes with two columns."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome
from naysay.data.languages import LANGUAGES
from naysay.models.known import KnownModel
from naysay.reports.latex import escape, latex
from naysay.reports.suite_tables import MANY, suite_tables
from naysay.run.evaluation import Evaluation, evaluate

LONG_NAME = "an-organisation-with-a-long-name/a_model-with-an-even-longer-name-v2.5-instruct-135M"


def model(name: str) -> KnownModel:
    """A model under any name; it repeats every verb."""
    verbs = LANGUAGES.get("en").lexicon.verbs
    return KnownModel(name, lambda text, words: True, ("latex", name), verbs)


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory: pytest.TempPathFactory) -> list[Evaluation]:
    out = tmp_path_factory.mktemp("latex")
    suites = ("scnt", "gh22", "scnt_controls")
    models = ("known:aware", "known:blind")
    found = [evaluate(name, suites, limit=4, out=out) for name in models]
    return [*found, evaluate("known:aware", "scnt", limit=4, out=out, language="fr")]


def test_a_table_has_models_by_conditions(evaluations: list[Evaluation]) -> None:
    table = next(t for t in suite_tables(evaluations) if t.name == "scnt")
    assert [column.name.split()[-1] for column in table.columns] == ["CpTn", "CnTp", "CnTn", "CpTv"]
    assert table.columns[0].words == "likes … isn't happy"
    assert [row.figures for row in table.rows] == [
        ("100.0", "100.0", "0.0", "0.0"),
        ("0.0", "0.0", "0.0", "0.0"),
    ]
    assert table.rows[0].intervals[0].endswith(" to 100.0")
    published = {row.model: row.figures for row in table.published}
    assert published["roberta-large"] == ("64.7", "82.8", "43.5", "26.0")


def test_another_language_has_a_table_of_its_own_without_published_rows(
    evaluations: list[Evaluation],
) -> None:
    table = next(t for t in suite_tables(evaluations) if t.name == "scnt-fr")
    assert [len(table.rows), len(table.published)] == [1, 0]


def test_a_caption_says_what_is_measured_in_words(evaluations: list[Evaluation]) -> None:
    text = latex(evaluations)
    captions = re.findall(r"\\caption\{(.+)\}", text)
    assert len(captions) == 4
    assert "drop of repetition" in captions[0]
    assert r"CpTn: likes \ldots{} isn't happy" in captions[0]
    assert not [caption for caption in captions if re.search(r"(Table|Figure)s? \d", caption)]
    assert re.findall(r"\\label\{(.+)\}", text) == [
        "tab:naysay-scnt", "tab:naysay-scnt-controls", "tab:naysay-gh22", "tab:naysay-scnt-fr",
    ]  # fmt: skip
    assert r"\emph{As published \cite{kletz-etal-2023-self}}" in text
    assert "% @inproceedings{kletz-etal-2023-self," in text


def test_the_sample_and_what_differs_are_said_below_a_table(evaluations: list[Evaluation]) -> None:
    scnt, *_ = suite_tables(evaluations)
    assert scnt.notes[0].startswith("Asked: ") and "pairs (known:aware" in scnt.notes[0]
    [differs] = [note for note in scnt.notes if "not as in the paper" in note]
    names = "known:aware (language en), known:blind"
    assert differs.startswith(f"{names}, not as in the paper: A sample of")
    assert "revision" not in differs  # the rules are no paper's models


def test_published_figures_of_other_items_are_not_shown(tmp_path: Path) -> None:
    [table] = suite_tables([evaluate("known:aware", "semantoneg", limit=4, out=tmp_path)])
    assert table.notes == ("Asked: 4 items of antoneg (known:aware).",)
    assert table.published == () and len(table.rows) <= MANY


def test_by_likelihood_no_published_row_stands_below(tmp_path: Path) -> None:
    run = evaluate("known:aware", "scnt", limit=4, out=tmp_path, readout="likelihood")
    [table] = suite_tables([run])
    assert (table.name, table.published) == ("scnt-likelihood", ())
    assert "by likelihood" in latex([run]).partition("\\caption")[2]


def test_signs_that_latex_does_not_know_have_their_number() -> None:
    assert escape("a∀b") == "aU+2200b"
    assert escape("é – 5 ≥ 4") == r"é -- 5 $\geq$ 4"


def test_every_table_is_there_on_request(naysay: Callable[..., Outcome], tmp_path: Path) -> None:
    naysay("run", "-m", "known:aware", "-t", "scnt", "--limit", 4)
    assert naysay("report", "-o", "short.tex").code == 0
    assert naysay("report", "--full", "-o", "full.tex").code == 0
    counts = [(tmp_path / name).read_text("utf-8").count(r"\begin{table*}") for name in
              ("short.tex", "full.tex")]  # fmt: skip
    assert counts[0] == 1 and counts[1] > 5


@pytest.mark.slow
@pytest.mark.parametrize("full", [False, True], ids=["short", "full"])
@pytest.mark.parametrize("size", ["10pt", "11pt,a4paper"])
def test_it_compiles_in_two_columns_and_nothing_sticks_out(
    evaluations: list[Evaluation], tmp_path: Path, full: bool, size: str
) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    named = evaluate(model(LONG_NAME), ("scnt", "gh22"), limit=4, out=tmp_path / "runs")
    (tmp_path / "tables.tex").write_text(latex([*evaluations, named], full=full), encoding="utf-8")
    (tmp_path / "paper.tex").write_text(
        f"\\documentclass[twocolumn,{size}]{{article}}\n\\usepackage[T1]{{fontenc}}\n"
        "\\usepackage{booktabs}\n\\usepackage{graphicx}\n\\begin{document}\n\\input{tables}\n"
        "See Table~\\ref{tab:naysay-scnt}.\n\\end{document}\n",
        encoding="utf-8",
    )
    ended = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "paper.tex"],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    said = ended.stdout.decode("utf-8", "replace")
    assert ended.returncode == 0, said[-2000:]
    assert "LaTeX Error" not in said
    assert re.findall(r"Overfull \\hbox \(\d{2,}\.\d+pt.*", said) == []
