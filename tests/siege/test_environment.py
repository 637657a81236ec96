"""Odd environments: other encodings, no home, hostile names, broken plug-ins, an early Ctrl-C."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Outcome, refused
from naysay import evaluate
from naysay.core.console import visible
from naysay.core.errors import BrokenPluginError
from naysay.core.paths import cache_folder
from naysay.data.languages import LANGUAGES
from naysay.models import ADAPTERS
from naysay.models.known import KnownModel
from naysay.suites import SUITES

pytestmark = pytest.mark.slow
Naysay = Callable[..., Outcome]
RUN = ("run", "-m", "known:aware", "-t", "scnt", "--limit", "3")


def started(*words: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-B", "-m", "naysay", *words], cwd=folder, env=kept | environment,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip


class TestEncoding:
    """Standard output that is not UTF-8."""

    @pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
    def test_every_sign_is_printed_or_written_out(self, tmp_path: Path, encoding: str) -> None:
        for words in (RUN, ("ls", "suites"), ("published", "scnt")):
            done = started(*words, folder=tmp_path, PYTHONIOENCODING=encoding)
            assert done.returncode == 0, done.stderr.decode(encoding)
            done.stdout.decode(encoding)

    def test_json_stays_json(self, tmp_path: Path) -> None:
        texts = [
            json.loads(started(*RUN, "--json", folder=tmp_path, PYTHONIOENCODING=encoding).stdout)
            for encoding in ("ascii", "utf-8")
        ]
        assert texts[0] == texts[1]


def test_a_ctrl_c_at_the_start_is_no_traceback(tmp_path: Path) -> None:
    """From the first line of naysay on; what Python does before is its own."""
    code = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == sys.argv[1]:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "import runpy\n"
        "where, sys.argv = sys.argv[1], ['naysay', sys.argv[1], 'x']\n"
        "runpy.run_module('naysay', run_name='__main__', alter_sys=False)\n"
    )
    for module in ("naysay.cli", "typer", "naysay.core.errors", "naysay.cli.run"):
        done = subprocess.run(
            [sys.executable, "-B", "-c", code, module], cwd=tmp_path, capture_output=True,
            text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 130, (module, done.stderr)
        assert done.stderr == "naysay: stopped\n", module


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("NAYSAY_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nobody)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    return tmp_path / f"naysay-{os.getuid()}"


def test_a_user_without_a_home_has_a_cache_of_its_own(homeless: Path) -> None:
    assert cache_folder() == homeless == cache_folder()
    assert homeless.stat().st_mode & 0o777 == 0o700


def test_a_cache_that_others_made_is_not_trusted(
    homeless: Path, naysay: Naysay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = ("not a folder of this user alone", "NAYSAY_CACHE")
    words = ("models", "get", "smollm2")
    homeless.mkdir(mode=0o777)
    homeless.chmod(0o777)
    refused(naysay(*words), *says)
    homeless.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    homeless.symlink_to(tmp_path / "elsewhere")
    refused(naysay(*words), *says)
    homeless.unlink()
    homeless.mkdir(mode=0o700)
    monkeypatch.setattr("os.getuid", lambda: 12345)
    homeless.rename(tmp_path / "naysay-12345")
    refused(naysay(*words), *says)


EVIL = "x\x1b]0;owned\x07\x1b[2J\u202e\x9b\x7f\u2066\U000e0041"
STEERS = set(EVIL) - {*"x]0;owned[2J"}


def test_names_do_not_steer_the_terminal(naysay: Naysay, tmp_path: Path) -> None:
    model = KnownModel(EVIL, lambda text, words: True, ["x"])
    run = evaluate(model, ["scnt", "semantoneg", "gh22"], limit=5, out=tmp_path / "runs")
    (tmp_path / "runs" / "\x1b[2J").mkdir()
    (tmp_path / "runs" / "\x1b[2J" / "manifest.json").write_text('{"\\u001b[2J": 1}')
    (tmp_path / f"{EVIL[:9]}.toml").write_text(f'"{EVIL[-3:]}" = 1', encoding="utf-8")
    for words in (
        ("ls", "runs"),
        ("judge", run.folder),
        ("judge", run.folder, "--full"),
        ("judge", run.folder, "--json"),
        ("show", run.folder),
        ("show", run.folder, "--item", EVIL),
        ("report",),
        ("published", "scnt", "--runs", tmp_path / "runs"),
        ("compare", run.folder, run.folder),
        ("compare", run.folder, run.folder, "--json"),
        ("gate", run.folder, "--baseline", run.folder),
        ("missed", run.folder, run.folder),
        ("doctor", "--no-trial"),
        ("judge", EVIL),
        ("show", run.folder, "--condition", EVIL),
        ("run", "-m", EVIL, "-t", "scnt"),
        ("run", "-m", "known:aware", "-t", EVIL),
        ("run", "-m", "known:aware", f"--{EVIL}"),
        ("run", tmp_path / f"{EVIL[:9]}.toml"),
        ("ask", f"She is {EVIL} ▢.", "-m", "known:aware"),
        (EVIL,),
    ):
        told = naysay(*words)
        assert told.out or told.err, words
        for stream in (told.out, told.err):
            assert not STEERS & set(stream), words
        if words[-1] == "--json" and words[0] == "judge":
            assert json.loads(told.out)["model"] == EVIL


def test_signs_that_join_letters_stay() -> None:
    joined = "نمی\u200cخواهم\tx"
    assert visible(joined) == joined


Plugin = Callable[[str, str, str], None]


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugin]:
    """Install a package with one entry point, whatever its module holds."""
    modules: list[str] = []

    def install(group: str, name: str, code: str) -> None:
        module = f"siege_{len(modules)}"
        modules.append(module)
        (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[naysay.{group}]\n{name} = {module}:ENTRY\n")
        monkeypatch.syspath_prepend(tmp_path)
        forget()

    yield install
    monkeypatch.undo()
    for module in modules:
        sys.modules.pop(module, None)
    forget()


def forget() -> None:
    for registry in (SUITES, ADAPTERS, LANGUAGES):
        registry.forget()


BROKEN = {
    "no import": "import nothing_of_that_name",
    "no entry": "",
    "no suite": "ENTRY = 3",
    "an exit": "raise SystemExit(3)",
    "no syntax": "def",
}


class TestPlugins:
    """Packages of others."""

    @pytest.mark.parametrize("code", BROKEN.values(), ids=BROKEN.keys())
    @pytest.mark.parametrize("group", ["suites", "models"])
    def test_a_broken_one_stops_only_what_names_it(
        self, plugin: Plugin, naysay: Naysay, tmp_path: Path, group: str, code: str
    ) -> None:
        plugin(group, "broken", code)
        told = naysay(*RUN, "-o", tmp_path / "runs")
        assert told.code == 0, told.err
        assert told.err.count("left out") == 1 and "siege_0" in told.err
        registry = SUITES if group == "suites" else ADAPTERS
        with pytest.raises(BrokenPluginError, match="siege_0"):
            registry.get("broken")
        assert naysay("run", "--help").code == 0

    @pytest.mark.parametrize(
        ("group", "code"),
        [
            ("languages", "import sys\nENTRY = sys.modules[__name__]\n"),
            (
                "suites",
                "from pathlib import Path\n"
                "from naysay.suites import SUITES\n"
                "class Suite(type(SUITES.get('scnt'))):\n"
                "    name, folder = 'broken', Path(__file__).parent\n"
                "ENTRY = Suite()\n",
            ),
        ],
        ids=["languages", "suites"],
    )
    def test_one_without_its_files_stops_only_what_names_it(
        self, plugin: Plugin, naysay: Naysay, tmp_path: Path, group: str, code: str
    ) -> None:
        plugin(group, "broken", code)
        for words in (("ls", group), ("ls", "languages"), (*RUN, "-o", tmp_path / "runs")):
            told = naysay(*words)
            assert told.code == 0, told.err
        named = "--language" if group == "languages" else "-t"
        told = naysay("run", "-m", "known:aware", "--limit", "3", named, "broken")
        last = told.err.splitlines()[-1]
        assert told.code == 2 and ("language.toml" if group == "languages" else "card.toml") in last

    def test_two_of_one_name_stop_only_that_name(
        self, plugin: Plugin, naysay: Naysay, tmp_path: Path
    ) -> None:
        plugin("suites", "gh22", "ENTRY = 3")
        assert naysay(*RUN, "-o", tmp_path / "runs").code == 0
        told = naysay("run", "-m", "known:aware", "-t", "gh22", "--limit", "3")
        assert told.code == 2 and "two suites are called 'gh22'" in told.err

    def test_the_doctor_finds_it(self, plugin: Plugin, naysay: Naysay, tmp_path: Path) -> None:
        (tmp_path / "runs" / "bad").mkdir(parents=True)
        (tmp_path / "runs" / "bad" / "manifest.json").write_text("{")
        assert naysay("doctor", "--no-trial", "--runs", tmp_path / "none").code == 0
        plugin("suites", "broken", "ENTRY = 3")
        works = "from naysay.models import ADAPTERS\nENTRY = ADAPTERS.get('known')\n"
        plugin("models", "works", works)
        told = naysay("doctor", "--no-trial", "--runs", tmp_path / "runs", "--json")
        assert "from siege_1:ENTRY of siege_1 1.0" in told.out  # module, package and version
        faults = [check for check in json.loads(told.out) if check["state"] == "fault"]
        assert told.code == 1
        assert [check["about"] for check in faults] == ["suite broken", "run"]


BLOCKED = (
    "import sys\n"
    "for name in ('torch', 'transformers', 'sentence_transformers', 'jinja2', 'vl_convert'):\n"
    "    sys.modules[name] = None\n"
    "from naysay.__main__ import main\n"
    "main()\n"
)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("train", "negation", "-m", "mini-aware", "--corpus", "c.txt", "-o", "t"), "hf"),
        (("train", "balanced", "-o", "t"), "hf"),
        (("train", "calibration", "-o", "t"), "hf"),
        (("calibrate",), "report"),
        (("run", "-m", "mini-aware", "-t", "scnt"), "hf"),
        (("report", "-o", "page.html"), "report"),
    ],
    ids=lambda words: "-".join(words[:2]) if isinstance(words, tuple) else words,
)
def test_an_extra_that_is_not_installed_is_told_at_once(
    tmp_path: Path, words: tuple[str, ...], extra: str
) -> None:
    (tmp_path / "c.txt").write_text("It isn't so, but it may become so.\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-c", BLOCKED, *words], cwd=tmp_path, capture_output=True,
        text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert f"pip install 'naysay[{extra}]'" in done.stderr.splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["c.txt"]


def test_what_needs_no_extra_works_without(tmp_path: Path) -> None:
    for words in (RUN, ("published", "scnt"), ("ls", "models"), ("report",), ("doctor",)):
        done = subprocess.run(
            [sys.executable, "-B", "-c", BLOCKED, *words], cwd=tmp_path, capture_output=True,
            text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (words, done.stderr)
