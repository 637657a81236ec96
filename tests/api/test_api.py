"""What Python users see: the names, their signatures, and objects that show themselves."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import naysay
from naysay.core.errors import NaysayError, RunError, SpecError
from naysay.core.options import declarations
from naysay.core.spec import RunSpec

NAMES = {
    "Evaluation", "NaysayError", "__version__", "ask", "compare", "evaluate", "gate", "judge",
    "report", "runs", "teach",
}  # fmt: skip


def test_the_names_are_complete_and_nothing_else_is_there() -> None:
    assert set(dir(naysay)) == set(naysay.__all__) == NAMES
    assert all(getattr(naysay, name) is not None for name in NAMES)
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        naysay.evalute  # noqa: B018


@pytest.mark.parametrize("name", sorted(NAMES - {"__version__"}))
def test_every_name_explains_itself(name: str) -> None:
    assert (getattr(naysay, name).__doc__ or "").strip().endswith((".", ")", "`"))


def test_the_names_stay_what_they_are_when_rooms_are_imported() -> None:
    code = (
        "import naysay, naysay.run.plan, naysay.reports.tables, naysay.analysis.gate; "
        "print(all(callable(getattr(naysay, n)) for n in ('runs', 'report', 'gate', 'judge')))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "True"


def test_evaluate_names_the_options_that_all_runs_share() -> None:
    parameters = inspect.signature(naysay.evaluate).parameters
    declared = declarations(RunSpec)
    assert set(declared) <= set(parameters)
    for name, declaration in declared.items():
        assert str(parameters[name].default) == str(declaration.default)
    with pytest.raises(SpecError, match="unknown option --limitt; did you mean --limit"):
        naysay.evaluate("known:blind", "scnt", limitt=3)


def test_a_result_shows_itself_and_becomes_tables(tmp_path: Path) -> None:
    run = naysay.evaluate("known:blind", ["scnt", "gh22"], limit=20, ranks=0, out=tmp_path)
    assert len(repr(run)) < 120 and "scnt fails" in repr(run)
    html = run._repr_html_()
    assert html.startswith("<table>") and "known:blind" in html and "fails" in html
    table = run.to_arrow()
    assert table.num_rows == len(run) and {"suite", "value", "low"} <= set(table.column_names)
    pytest.importorskip("pandas")
    assert list(run.to_pandas().columns) == table.column_names


def test_runs_are_found_compared_gated_and_reported(tmp_path: Path) -> None:
    aware = naysay.evaluate("known:aware", "scnt", limit=8, out=tmp_path)
    blind = naysay.evaluate("known:blind", "scnt", limit=8, out=str(tmp_path))
    assert [m.key for m in naysay.runs(tmp_path)] == [aware.run, blind.run]
    assert naysay.judge(aware.run[:8], tmp_path).estimates == aware.estimates
    changes = {change.condition: change for change in naysay.compare([aware, blind])}
    assert changes["CpTn"].difference == -100.0
    assert naysay.gate(aware, aware).passed and not naysay.gate(blind, aware).passed
    assert "known:blind" in str(naysay.report([aware, blind]))
    page = naysay.report(path=tmp_path / "page.csv", out=tmp_path)
    assert isinstance(page, Path) and page.read_text("utf-8").count("scnt") > 10
    with pytest.raises(RunError, match="no finished run"):
        naysay.report(out=tmp_path / "nowhere")
    assert issubclass(RunError, NaysayError)
