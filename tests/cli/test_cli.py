"""The command line as a user meets it."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome
from naysay import __version__
from naysay.cli import command_names

Cli = Callable[..., Outcome]
BLIND = ("run", "-m", "known:blind", "-t", "scnt", "--limit", "10")


def test_help_needs_none_of_the_heavy_libraries() -> None:
    code = (
        "import sys; sys.argv = ['naysay', '--help']\n"
        "from naysay.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "heavy = {'torch', 'transformers', 'numpy', 'pyarrow', 'scipy', 'ray'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(name.split()[0] in done.stdout for name in command_names())


def test_known_models_need_no_torch(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        f"sys.argv = 'naysay run -m known:aware --limit 2 -o {tmp_path}'.split()\n"
        "from naysay.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_json_is_one_object_and_nothing_else(naysay: Cli, tmp_path: Path) -> None:
    ended = naysay(*BLIND, "--json")
    printed = json.loads(ended.out)
    assert ended.code == 0
    assert {"run", "folder", "model", "estimates"} <= printed.keys()
    assert Path(printed["folder"]).is_dir()
    wanted = {"suite", "table", "condition", "metric", "value", "low", "high", "n", "clusters"}
    assert all(wanted | {"published"} <= estimate.keys() for estimate in printed["estimates"])
    drops = {e["condition"]: e["value"] for e in printed["estimates"] if e["table"] == "drops"}
    assert drops == {"CpTn": 0, "CnTp": 0, "CnTn": 0, "CpTv": 0}
    again = json.loads(naysay("judge", printed["run"], "--json").out)
    assert again == printed


def test_hyphens_and_underscores_are_alike(naysay: Cli, tmp_path: Path) -> None:
    one = naysay(*BLIND, "--shard-size", 2, "--token-budget", 9, "--json")
    two = naysay(*BLIND, "--shard_size", 2, "--token_budget", 9, "--json")
    assert one.code == two.code == 0
    assert json.loads(one.out) == json.loads(two.out)


def test_a_run_ends_with_a_summary_of_one_screen(naysay: Cli) -> None:
    ended = naysay(*BLIND)
    assert ended.code == 0
    assert "known:blind · fails its one test" in ended.out
    assert "scnt fails: it goes on repeating the verb" in ended.out
    assert "likes … isn't happy" in ended.out and "(0.0 to 27.8)" in ended.out
    assert "--full" in ended.out and "naysay open" in ended.out
    assert len(ended.out.splitlines()) <= 15


def test_the_summary_says_what_is_counted_and_of_which_items(naysay: Cli, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    chosen = ("-t", "scnt,semantoneg,lama", "--data-dir", tmp_path / "none", "--limit", 1)
    said = naysay("run", "-m", "known:blind", *chosen).out.splitlines()
    for suite, line in {
        "scnt": "How often it stops repeating the verb:",
        "semantoneg": "items: antoneg, naysay's own:",
        "lama": "items: facts, naysay's own:",
    }.items():
        [k] = [k for k, text in enumerate(said) if text.startswith(f"{suite} ")]
        figures = next(n for n in range(k, len(said)) if said[n].startswith("  "))
        assert said[figures - 1].endswith(line)
    assert any(" on 1 pair, 1 item and 1 fact in " in text for text in said)


def test_all_tables_are_printed_with_the_verdict_on_request(naysay: Cli) -> None:
    ended = naysay(*BLIND, "--full")
    assert ended.code == 0
    for piece in ("Drop of repetition", "CpTn", "0.0 %", "known:blind · fails: "):
        assert piece in ended.out
    assert "naysay run -m known:blind -t scnt --limit 10" in ended.out


def test_everything_is_optional(naysay: Cli, tmp_path: Path) -> None:
    ended = naysay("run", "-t", "scnt")
    assert ended.code == 0
    assert "no model given: testing mini-aware" in ended.err
    assert "mini-aware · passes" in ended.out


def test_runs_are_listed_and_reported(naysay: Cli, tmp_path: Path) -> None:
    assert naysay("ls", "runs").out == "no runs in runs\n"
    naysay(*BLIND)
    key = naysay("ls", "runs").out.split()[0]
    page = tmp_path / "page.md"
    assert naysay("report", key, "-o", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "Test: Kletz, Amsili and Candito 2023" in text
    assert "| CpTn | likes … isn't happy | 0.0 %" in text and "**known:blind** fails" in text
    assert naysay("report", key).out.strip() == text.strip()


def test_version(naysay: Cli) -> None:
    assert naysay("--version").out == f"naysay {__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "-m", "known:bllind"), "did you mean blind"),
        (("run", "-m", "maskd:x"), "did you mean masked"),
        (("run", "-m", "smolm2"), "Did you mean smollm2"),
        (("run", "-m", "smollm2"), "naysay models get smollm2"),
        (("run", "-m", "./nowhere"), "no folder or file"),
        (("run", "-m", "known:blind", "-t", "scmt"), "did you mean scnt"),
        (("run", "-m", "known:blind", "-t", ""), "unknown suite ''"),
        (("run", "-m", "not/there", "-t", "scmt"), "did you mean scnt"),
        (("run", "-m", "not/there", "--language", "em"), "did you mean es or en or de"),
        (("run", "-m", "known:blind", "-t", "scnt,scnt"), "each once"),
        (("run", "-m", "known:blind", "--language", "em"), "did you mean es or en or de"),
        (("run", "-m", "known:blind", "--limit", "0"), "--limit must be a whole number from 1 on"),
        (
            ("run", "-m", "known:blind", "--limit", "few"),
            "--limit must be a whole number from 1 on or all",
        ),
        (("run", "-m", "known:blind", "--seed", "-1"), "--seed must be"),
        (("run", "-m", "known:blind", "--seed", "x"), "--seed"),
        (("run", "-m", "known:blind", "--cap", "0"), "--cap must be"),
        (
            ("run", "-m", "known:blind", "--precision", "fp8"),
            "--precision must be auto or fp32 or bf16 or fp16",
        ),
        (("run", "-m", "known:blind", "--one-piece", "x"), "--one-piece must be"),
        (("run", "-m", "known:blind", "--shard-size", "0"), "--shard-size must be"),
        (("run", "-m", "known:blind", "--lexicon", "gh22"), "NAYSAY_DATA"),
        (("run", "--no-such-option"), "no-such-option"),
        (("judge", "abc"), "unknown run 'abc'"),
        (("ls", "suits"), "did you mean suites"),
        (("models", "get", "minilmm"), "did you mean minilm"),
        (("models", "gett", "minilm"), "did you mean get"),
        (("runn",), "runn"),
    ],
)
def test_bad_input_gets_a_clear_error(
    naysay: Cli, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    ended = naysay(*words)
    assert ended.code == 2
    assert said in ended.err
    assert ended.out == "" and "Traceback" not in ended.err
    assert not (tmp_path / "runs").exists()


def test_a_terminal_gets_a_bar(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "naysay", "run", "-m", "known:blind", "-t", "scnt", "--json",
            "--limit", "500", "--shard-size", "500", "--runs", str(tmp_path),
        ],
        stdout=subprocess.PIPE, stderr=theirs, text=True,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody writes to it any more
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.decode())
    states = [state.strip() for state in text.split("\r") if state.strip()]
    assert all(len(state) <= 80 for state in states)
    # It moves before the only shard is done, which takes longer than the bar needs to be drawn.
    moved = {state.partition("%")[0].split()[-1] for state in states if " of ~" in state}
    assert moved
    assert states[-1].startswith("scnt") and "100% 50,000 questions" in states[-1]
    assert json.loads(printed)["model"] == "known:blind"


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    code = "from naysay.cli import main; main()"
    command = f"{sys.executable} -c '{code}' run -m known:blind --limit 2 -o {tmp_path} | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
