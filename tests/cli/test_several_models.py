"""Several models in one command, each with a run of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from conftest import Outcome, refused

Cli = Callable[..., Outcome]
BOTH = ("run", "-m", "known:aware", "-m", "known:blind", "-t", "scnt", "--limit", "5")


def test_each_model_gets_its_run_in_the_order_given(naysay: Cli, tmp_path: Path) -> None:
    ended = naysay(*BOTH)
    assert ended.code == 0
    assert -1 < ended.out.index("known:aware") < ended.out.index("known:blind")
    assert len(list((tmp_path / "runs").iterdir())) == 2
    assert "known:blind: model 2 of 2" in ended.err


def test_json_is_a_list_for_several_and_an_object_for_one(naysay: Cli) -> None:
    several = json.loads(naysay(*BOTH, "--json").out)
    assert [one["model"] for one in several] == ["known:aware", "known:blind"]
    for one in several:
        alone = naysay("run", "-m", one["model"], "-t", "scnt", "--limit", 5, "--json")
        assert json.loads(alone.out) == one
    twice = naysay("run", *("-m", "known:blind") * 2, "-t", "scnt", "--limit", 5, "--json")
    assert json.loads(twice.out) == several[1]


def test_a_model_that_cannot_be_opened_does_not_stop_the_others(naysay: Cli) -> None:
    ended = naysay(*BOTH[:3], "-m", "./nowhere", *BOTH[3:], "--json")
    assert ended.code == 2 and "Traceback" not in ended.err
    assert [one["model"] for one in json.loads(ended.out)] == ["known:aware", "known:blind"]
    said = [line for line in ended.err.splitlines() if line.startswith("naysay: ")]
    why = "./nowhere: there is no folder or file ./nowhere."
    assert said == [f"naysay: {why}", f"naysay: not tested: {why}"]
    assert ended.err.splitlines()[-1] == said[-1]  # at the end, where it is seen


def test_a_fault_that_is_still_on_the_screen_is_not_repeated(naysay: Cli) -> None:
    ended = naysay("run", "-m", "known:aware", "-m", "known:blnd", *BOTH[5:])
    assert ended.code == 2 and "known:aware" in ended.out
    assert ended.err.count("unknown known model 'blnd'") == 1


def test_suites_are_checked_before_anything_is_announced(naysay: Cli) -> None:
    for models in ((), BOTH[1:5]):
        ended = naysay("run", *models, "-t", "snct")
        refused(ended, "unknown suite 'snct'; did you mean scnt")
        assert len(ended.err.splitlines()) == 1


def test_what_is_wrong_with_the_command_is_said_once(naysay: Cli, tmp_path: Path) -> None:
    ended = naysay(*BOTH, "--cap", "0")
    assert ended.code == 2 and ended.out == ""
    assert ended.err.count("--cap must be") == 1
    refused(naysay(*BOTH, "--revision", "v1"), "--revision is for one model", "NAME@REVISION")
    assert not (tmp_path / "runs").exists()


def test_a_spec_file_may_list_models(naysay: Cli, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text('model = ["known:aware", "known:blind"]\nsuites = "scnt"\nlimit = 5\n')
    listed = json.loads(naysay("run", spec, "--json").out)
    assert [one["model"] for one in listed] == ["known:aware", "known:blind"]
    assert json.loads(naysay("run", spec, "-m", "known:blind", "--json").out) == listed[1]
