"""Every command takes runs the same way, and calls its folders and files by the same options."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome, refused

Cli = Callable[..., Outcome]
TAKING = {
    "judge": ("judge", "RUN", "--json"),
    "show": ("show", "RUN", "--json"),
    "report": ("report", "RUN"),
    "compare": ("compare", "RUN", "known:aware", "--json"),
    "gate": ("gate", "RUN", "--baseline", "known:aware", "--json"),
    "missed": ("missed", "RUN", "known:aware"),
    "published": ("published", "semantoneg", "RUN", "--json"),
}


def made(naysay: Cli, model: str, *more: str) -> dict[str, str]:
    run = ("run", "-m", model, "-t", "semantoneg", "--limit", "20", "--json")
    found: dict[str, str] = json.loads(naysay(*run, *more).out)
    return found


@pytest.mark.parametrize("command", TAKING)
def test_a_run_has_the_same_names_everywhere(naysay: Cli, command: str) -> None:
    blind, other = made(naysay, "known:blind"), made(naysay, "known:aware")
    made(naysay, "known:random")
    names = (blind["folder"], blind["run"], blind["run"][:5], Path(blind["folder"]).name)
    words = TAKING[command]
    wanted = naysay(*(blind["folder"] if word == "RUN" else word for word in words))
    assert wanted.code in (0, 1)
    if command != "published":  # which has no row for runs on other items than the paper's
        assert blind["run"] in wanted.out or "known:blind" in wanted.out
    for name in (*names, "known:blind"):
        assert naysay(*(name if word == "RUN" else word for word in words)) == wanted
    near = naysay(*("known:blnd" if word == "RUN" else word for word in words))
    refused(near, "unknown run 'known:blnd'; did you mean known:blind", "--runs")
    assert other


def test_an_ambiguous_beginning_lists_the_candidates(naysay: Cli, tmp_path: Path) -> None:
    first = made(naysay, "known:blind")
    manifest = json.loads((tmp_path / first["folder"] / "manifest.json").read_text())
    twin = tmp_path / "runs" / "twin"
    twin.mkdir()
    (twin / "manifest.json").write_text(json.dumps({**manifest, "key": f"{first['run'][:-1]}x"}))
    refused(naysay("judge", first["run"][:6]), "the beginning of 2 keys", first["run"], "give more")


def test_a_models_short_name_is_enough_if_it_is_the_only_one(naysay: Cli, tmp_path: Path) -> None:
    run = made(naysay, "known:blind")
    path = tmp_path / run["folder"] / "manifest.json"
    record = json.loads(path.read_text())
    record["model"]["name"] = "somebody/their-model@v1"
    path.write_text(json.dumps(record))
    assert json.loads(naysay("judge", "their-model@v1", "--json").out)["run"] == run["run"]


def test_the_newest_run_is_told(naysay: Cli) -> None:
    made(naysay, "known:blind")
    newer = made(naysay, "known:blind", "--seed", "1")
    ended = naysay("judge", "known:blind", "--json")
    assert json.loads(ended.out)["run"] == newer["run"]
    assert ended.err == f"known:blind: took the newest run, {Path(newer['folder']).name}\n"


def test_runs_are_in_one_folder_by_whatever_name(naysay: Cli, tmp_path: Path) -> None:
    keys = {
        made(naysay, "known:blind", name, "here")["folder"] for name in ("-o", "--out", "--runs")
    }
    assert len(keys) == 1 and keys.pop().startswith("here/")
    for command in (("ls", "runs"), ("judge", "known:blind", "--json"), ("show", "known:blind")):
        shown = [naysay(*command, name, "here") for name in ("--runs", "-o", "--out")]
        assert shown[0].code == 0 and "known:blind" in shown[0].out
        assert shown[0] == shown[1] == shown[2]
    page = tmp_path / "page.md"
    assert naysay("report", "--runs", "here", "--output", page).code == 0
    written = page.read_text()
    assert naysay("report", "--runs", "here", "--out", page).code == 0
    assert page.read_text() == written
    refused(naysay("calibrate", "-o", "here"), "--output here is a folder", "--runs")


def test_a_spec_file_calls_the_folder_by_either_name(naysay: Cli, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    text = 'model = "known:blind"\nsuites = "scnt"\nlimit = 2\n'
    for name in ("out", "runs"):
        spec.write_text(f'{text}{name} = "{name}-folder"\n')
        found = json.loads(naysay("run", spec, "--json").out)
        assert found["folder"].startswith(f"{name}-folder/")
    spec.write_text(f'{text}out = "a"\nruns = "b"\n')
    refused(naysay("run", spec), "runs and out are the same; give one")
    naysay("run", "-m", "known:blind", "-t", "scnt", "--limit", 3, "-o", "c")
    assert "--runs c" in naysay("report", "--runs", "c").out


def test_a_model_stands_for_its_newest_run_that_has_the_suites(naysay: Cli) -> None:
    for model in ("known:blind", "known:random"):
        made(naysay, model)
        naysay("run", "-m", model, "-t", "scnt", "--limit", "6")
    pair = ("known:blind", "known:random")
    assert "semantoneg" in naysay("compare", *pair, "-t", "semantoneg").out
    gated = naysay("gate", "known:blind", "--baseline", "known:random", "-t", "semantoneg")
    assert gated.code in (0, 1) and "semantoneg" in gated.out
    assert "missed by all 2" in naysay("missed", *pair).out
    assert "semantoneg" in naysay("show", "known:blind", "-t", "semantoneg").out
    placed = naysay("published", "gh22", "known:blind", "--table", "4")
    assert placed.code == 0 and "not placed" in placed.err
    assert "scnt" in naysay("judge", "known:blind").out  # without a suite, the newest


def test_a_suite_or_a_model_without_its_option_is_recognised(naysay: Cli) -> None:
    refused(naysay("run", "-m", "known:aware", "-t", "scnt", "gh22"), "type -t gh22", "commas")
    refused(naysay("run", "mini-aware"), "type -m mini-aware")
