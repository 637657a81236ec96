"""Help, completion, and what is said about options and commands that do not exist."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome, refused
from naysay import __version__
from naysay.cli import command_names
from naysay.models import ADAPTERS
from naysay.run.options import declared_options
from naysay.suites import SUITES

Cli = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def narrow(naysay: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns; `naysay` has set another one."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("command", ["", "train", *command_names()])
def test_help_fits_a_terminal_and_nothing_is_cut(naysay: Cli, command: str) -> None:
    ended = naysay(*command.split(), "--help")
    assert ended.code == 0 and ended.err == ""
    for line in ended.out.splitlines():
        assert len(line) <= 80
        assert "…" not in line
        assert "..." not in line or line.startswith("Usage: ")
    assert "--out " not in ended.out and "--page " not in ended.out


def test_the_help_of_run_is_one_screen(naysay: Cli) -> None:
    lines = naysay("run", "--help").out.splitlines()
    assert len(lines) <= 71
    assert any("naysay run -m bert-base-cased -t scnt" in line for line in lines[:8])
    titles = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles[:2] == ["Common options", "Computing"]
    named = {name for title in titles[2:] for name in title.split(", ")}
    readers = {suite.name for suite in SUITES.all()} | {a.kind for a in ADAPTERS.all()}
    assert {name for name in named if not name.endswith("*")} <= readers
    for stem in (name[:-1] for name in named if name.endswith("*")):
        assert sum(reader.startswith(stem) for reader in readers) > 1
    text = " ".join(" ".join(lines).split())
    for declared, _ in declared_options().values():
        assert f" {declared.flag} " in text
        assert all(choice in text for choice in declared.choices)
    assert "auto (default), fp32, bf16, fp16" in text and "[default: 25]" in text


def test_an_option_that_some_of_a_panel_read_says_which(naysay: Cli) -> None:
    lines = naysay("run", "--help").out.splitlines()
    [style] = [line for line in lines if "--style" in line]
    assert style.endswith("(gh22)")
    [lexicon] = [line for line in lines if "--lexicon" in line]
    assert not lexicon.endswith(")")


def test_ranges_are_given_in_words(naysay: Cli) -> None:
    assert "[at least 1]" in naysay("show", "--help").out
    assert "[0 to 65535]" in naysay("view", "--help").out.replace("\n", " ")


def test_markup_in_help_texts_is_text(naysay: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from naysay.cli import judge

    monkeypatch.setattr(judge.COMMAND, "__doc__", "Judge [red]again[/red] and **again**.")
    assert "Judge [red]again[/red] and **again**." in naysay("judge", "--help").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("run --tasks scnt", "naysay run has no option --tasks; did you mean --suites?"),
        ("run --task=scnt", "did you mean --suites?"),
        ("run --models x", "did you mean --model?"),
        ("run --samples 5", "did you mean --limit?"),
        ("run --num_samples 5", "did you mean --limit?"),
        ("run --output-dir x", "did you mean --runs?"),
        ("run --batch 4", "did you mean --batch-size?"),
        ("run --half", "did you mean --precision fp16?"),
        ("run --sed 1", "did you mean --seed?"),
        ("run --xyzzy", "naysay run has no option --xyzzy; naysay run --help lists all options"),
        ("report --output-dir x", "did you mean --runs?"),
        ("show --tasks x", "did you mean --suite?"),
        ("train negation --lr-rate 1", "naysay train negation has no option --lr-rate"),
        ("--versoin", "did you mean --version?"),
        ("eval -m x", "there is no naysay eval; did you mean naysay run?"),
        ("list", "did you mean naysay ls?"),
        ("rum", "did you mean naysay run?"),
        ("train negtion", "there is no naysay train negtion; did you mean naysay train negation?"),
        ("xyzzy", "there is no naysay xyzzy; naysay --help lists all commands"),
    ],
)
def test_near_misses_make_sense(naysay: Cli, words: str, said: str) -> None:
    refused(naysay(*words.split()), said)


def test_the_version_has_a_short_option(naysay: Cli) -> None:
    assert naysay("-V").out == naysay("--version").out == f"naysay {__version__}\n"


def completed(folder: Path, *words: str) -> list[str]:
    """What bash would offer for the last word; nothing heavy may be imported for it."""
    code = (
        "import atexit, sys\n"
        "heavy = {'torch', 'transformers', 'numpy', 'pyarrow', 'scipy'}\n"
        "atexit.register(lambda: print('heavy:', *heavy & set(sys.modules), file=sys.stderr))\n"
        "from naysay.cli import main; main()"
    )
    environment = {
        **os.environ,
        "_NAYSAY_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("naysay", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stderr == "heavy:\n"
    return done.stdout.split()


def test_a_shell_completes_names(naysay: Cli, tmp_path: Path) -> None:
    naysay("run", "-m", "known:blind", "-t", "scnt", "--limit", 2)
    [run] = [path.name for path in (tmp_path / "runs").iterdir()]
    (tmp_path / "elsewhere").symlink_to(tmp_path / "runs")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "config.json").touch()
    assert "run" in completed(tmp_path, "r")
    assert completed(tmp_path, "run", "-t", "scnt_") == [
        "scnt_controls",
        "scnt_table2",
        "scnt_chat",
    ]
    assert completed(tmp_path, "compare", "-t", "gh22,lama_m") == ["gh22,lama_misprimed"]
    assert completed(tmp_path, "run", "-m", "mi") == ["mini-aware", "mini-blind", "minilm", "mine"]
    assert completed(tmp_path, "judge", "k") == ["known:blind"]
    key = run.rpartition("-")[2]
    assert completed(tmp_path, "gate", key[:4]) == [key]
    assert completed(tmp_path, "report", "--runs", "elsewhere", "elsew") == [f"elsewhere/{run}"]
    assert completed(tmp_path, "report", "--runs", "nowhere", "k") == []


def test_completion_can_be_installed(naysay: Cli) -> None:
    helped = naysay("--help").out
    assert "--install-completion" in helped and "--show-completion" in helped
