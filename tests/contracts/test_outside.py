"""A package that somebody else wrote brings a suite, a kind of model and a language.

It is installed as any package is, and then every command treats what it brings like naysay's own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "outside"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the package."""
    place = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source") / "package"  # pip builds inside of it
    shutil.copytree(PACKAGE, source)
    subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
            "--no-index", "--disable-pip-version-check", "--target", str(place), str(source),
        ],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return place


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture
def naysay(site: Path, work: Path) -> Iterator[object]:
    """Run a command where the package is installed; it must end as expected."""

    def call(*words: str, code: int = 0) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "naysay", *words],
            cwd=work, env=environment(site), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == code, ended.stderr
        return ended.stdout if code == 0 else ended.stdout + ended.stderr

    yield call


def environment(site: Path) -> dict[str, str]:
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "120"}


def folder_of(printed: str, work: Path) -> Path:
    return work / str(json.loads(printed)["folder"])


@pytest.mark.slow
class TestOutside:
    def test_it_is_listed_with_its_option(self, naysay) -> None:  # type: ignore[no-untyped-def]
        assert "echo" in naysay("ls", "suites") and "Nobody 2026" in naysay("ls", "suites")
        assert "parrot" in naysay("ls", "models")
        languages = naysay("ls", "languages")
        assert "Esperanto" in languages and "scnt" in languages.partition("Esperanto")[2]
        helped = naysay("run", "--help")
        assert "--echoes" in helped and "Verbs that each person is asked with" in helped
        assert "--word" in helped and "The only word that a parrot knows" in helped
        # What only they read is in panels of their own.
        assert "\necho:\n  --echoes" in helped and "\nparrot:\n  --word" in helped

    def test_it_is_run_judged_and_reported(self, naysay, work: Path) -> None:  # type: ignore[no-untyped-def]
        options = ("-t", "echo", "--limit", "20", "--echoes", "4", "--json")
        blind = json.loads(naysay("run", "-m", "known:blind", *options))
        aware = json.loads(naysay("run", "-m", "known:aware", *options))
        assert blind["verdicts"]["echo"]["outcome"] == "fails"
        assert aware["verdicts"]["echo"]["outcome"] == "passes"
        liked = next(e for e in blind["estimates"] if e["condition"] == "liked")
        assert (liked["value"], liked["n"], liked["published"]) == (100.0, 80, 12.5)
        again = json.loads(naysay("judge", blind["folder"], "--json"))
        assert again["estimates"] == blind["estimates"]
        naysay("report", blind["folder"], aware["folder"], "-o", "page.html")
        page = (work / "page.html").read_text("utf-8")
        assert "What is liked and disliked" in page and "12.5" in page
        assert "4 verbs were asked for each person, not five." in page
        table = naysay("compare", blind["folder"], aware["folder"])
        assert "disliked" in table and "better" in table
        shown = naysay("show", blind["folder"], "-t", "echo", "--wrong", "-n", "1")
        assert "disliked" in shown and "repeats" in shown
        gated = naysay("gate", blind["folder"], "--baseline", aware["folder"], code=1)
        assert "echo.disliked" in gated
        naysay("gate", aware["folder"], "--baseline", aware["folder"], "--min", "echo.liked=90")

    def test_its_option_is_part_of_the_key_and_is_checked(self, naysay, work: Path) -> None:  # type: ignore[no-untyped-def]
        run = ("run", "-m", "known:blind", "--limit", "2", "--json")
        keys = {
            json.loads(naysay(*run, "-t", "echo", *more))["run"]
            for more in ((), ("--echoes", "3"), ("--echoes", "2"))
        }
        assert len(keys) == 2
        assert "--echoes must be a whole number from 1 on" in naysay(
            *run, "-t", "echo", "--echoes", "0", code=2
        )
        assert "--echoes is read by echo, not by scnt" in naysay(
            *run, "-t", "scnt", "--echoes", "2", code=2
        )
        spec = work / "spec.toml"
        spec.write_text(
            'model = "known:blind"\nsuites = ["echo", "scnt"]\nlimit = 2\n\n[echo]\nechoes = 2\n'
        )
        both = json.loads(naysay("run", "spec.toml", "--json"))
        assert set(both["verdicts"]) == {"echo", "scnt"}
        stored = (folder_of(json.dumps(both), work) / "spec.toml").read_text("utf-8")
        assert "[echo]\nechoes = 2" in stored

    def test_it_is_calibrated(self, naysay) -> None:  # type: ignore[no-untyped-def]
        printed = json.loads(
            naysay("calibrate", "-t", "echo", "--limit", "20", "--rules-only", "--json")
        )
        assert [one["separates"] for one in printed] == [True]

    def test_its_kind_of_model_has_an_option(self, naysay, work: Path) -> None:  # type: ignore[no-untyped-def]
        run = ("run", "-t", "scnt", "--limit", "20", "--json")
        polly = json.loads(naysay(*run, "-m", "parrot:polly"))
        assert polly["verdicts"]["scnt"]["outcome"] == "fails"
        cracker = json.loads(naysay(*run, "-m", "parrot:polly", "--word", "cracker"))
        assert cracker["verdicts"]["scnt"]["outcome"] == "not measured"
        assert polly["run"] != cracker["run"]
        refused = naysay(*run, "-m", "known:blind", "--word", "x", code=2)
        assert "--word is for models of kind parrot" in refused

    def test_its_language_is_spoken_by_naysays_suites(self, naysay) -> None:  # type: ignore[no-untyped-def]
        for suite in ("scnt", "echo"):
            run = ("run", "-t", suite, "--language", "eo", "--limit", "30", "--json")
            outcomes = [
                json.loads(naysay(*run, "-m", f"known:{rule}"))["verdicts"][suite]["outcome"]
                for rule in ("aware", "blind")
            ]
            assert outcomes == ["passes", "fails"]

    def test_its_benchmark_is_found_with_it(self, site: Path) -> None:
        script = (
            "from naysay.bench.questions import timed_suites, suite_setting as of\n"
            "[found] = [one for one in timed_suites() if one.suite.name == 'echo']\n"
            "[way] = found.benchmark.released(None, of('echo', 2), ())\n"
            "print(found.benchmark.least, way.name)"
        )
        ended = subprocess.run(
            [sys.executable, "-c", script], env=environment(site), capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        assert ended.stdout.strip() == "2.0 one at a time"

    def test_every_contract_holds_for_it(self, site: Path) -> None:
        ended = subprocess.run(
            [
                sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                "-k", "echo or parrot or eo or -eo", str(HERE / "test_contracts.py"),
            ],
            env=environment(site), cwd=HERE.parent.parent, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stdout[-4000:]
        assert "echo-en" in ended.stdout or " passed" in ended.stdout
