"""Damaged files of every kind: a figure, or one line that says what is wrong; never a traceback.

Each attack goes on for a time; a failure names its seed. `make siege` runs them for an hour.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from mutation import (
    HangError,
    damage_rows,
    damaged,
    damaged_bytes,
    damaged_json,
    forge,
    no_hang,
    seeds,
)

from conftest import Outcome
from naysay import evaluate
from naysay.core.errors import NaysayError
from naysay.data.languages import Language
from toy_data import files_under

pytestmark = pytest.mark.slow

Naysay = Callable[..., Outcome]


def survives(naysay: Naysay, seed: int, *words: str | Path) -> Outcome:
    """Run a command, which must end in time, with 0, 1 or 2, and say why in one line."""
    try:
        with no_hang():
            told = naysay(*words)
    except (Exception, HangError) as error:
        raise AssertionError(f"seed {seed}: {words}") from error
    assert told.code in (0, 1, 2), (seed, words)
    if told.code == 2:
        last = told.err.strip().splitlines()[-1]
        assert last.startswith(("naysay: ", "Error: ")), (seed, words, told.err)
    assert not re.search(r"\bnan\b", told.out), (seed, words)  # "NaN" may be a name in a file
    return told


SUITES_OF_RUN = (
    "scnt", "semantoneg", "gh22", "lama", "lama_misprimed", "scnt_controls", "scnt_chat",
    "semantoneg_prompted", "semantoneg_likelihood", "lama_chat",
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("siege") / "runs"
    return evaluate("known:random", SUITES_OF_RUN, limit=4, out=out).folder


COMMANDS = ("judge", "show", "report", "ls", "compare", "published", "gate", "page", "missed")


def survives_reading(naysay: Naysay, seed: int, run: Path, folder: Path) -> None:
    """One of the commands that read a run, which must not write to it."""
    before, page = files_under(folder), folder.parents[1] / "page.html"
    words: dict[str, tuple[str | Path, ...]] = {
        "judge": ("judge", folder, "--full"),
        "show": ("show", folder),
        "report": ("report", "--runs", folder.parent),
        "ls": ("ls", "runs", "-o", folder.parent),
        "compare": ("compare", run, folder),
        "published": ("published", "scnt", "--runs", folder.parent),
        "gate": ("gate", folder, "--baseline", run),
        "page": ("report", folder, "-o", page),
        "missed": ("missed", folder, run),
    }
    command = words[COMMANDS[seed % len(COMMANDS)]]
    told = survives(naysay, seed, *command)
    assert told.out or told.err, (seed, command)
    assert files_under(folder) == before  # nothing is written


@pytest.mark.parametrize("file", ["manifest.json", "-fit.json", "-examples.json"])
def test_runs(naysay: Naysay, run: Path, tmp_path: Path, file: str) -> None:
    for seed in seeds():
        folder = tmp_path / f"r{seed}" / run.name
        shutil.copytree(run, folder)
        suite = SUITES_OF_RUN[seed // 3 % len(SUITES_OF_RUN)]
        path = folder / (f"{suite}{file}" if file.startswith("-") else file)
        path.write_bytes(damaged_json(path.read_bytes(), seed))
        if path.name != "manifest.json" and seed % 3:
            forge(folder)
        if path.name != "manifest.json" and seed % 3 == 2:  # as earlier versions wrote it
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
            manifest["files"] = {}
            (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        survives_reading(naysay, seed, run, folder)
        shutil.rmtree(folder.parent)


def test_forged_rows(naysay: Naysay, run: Path, tmp_path: Path) -> None:
    """Rows such as no suite writes, in a run whose checksums are right."""
    for seed in seeds():
        folder = tmp_path / f"r{seed}" / run.name
        shutil.copytree(run, folder)
        suite = SUITES_OF_RUN[seed // 2 % len(SUITES_OF_RUN)]
        damage_rows(next((folder / suite).glob("*.parquet")), seed)
        forge(folder)
        survives_reading(naysay, seed, run, folder)
        shutil.rmtree(folder.parent)


SPEC = """\
model = "known:aware"
suites = ["scnt", "gh22"]
limit = 3
seed = 1
[scnt]
cap = 3
predicate = "likes"
[gh22]
ranks = [0, 50]
"""


def toml(value: object) -> str:
    """Plain data as TOML, as far as it can be written."""
    lines = []
    tables = []
    for key, entry in dict(value).items() if isinstance(value, dict) else ():
        if isinstance(entry, dict):
            tables.append(f"[{json.dumps(str(key))}]\n{toml(entry)}")
        else:
            lines.append(f"{json.dumps(str(key))} = {json.dumps(entry)}\n")
    return "".join([*lines, *tables])


def test_specs(naysay: Naysay, tmp_path: Path) -> None:
    for seed in seeds():
        text = toml(damaged(tomllib.loads(SPEC), seed)).encode()
        file = tmp_path / "spec.toml"
        file.write_bytes(damaged_bytes(text, seed) if seed % 5 == 4 else text)
        # Without a model the default is loaded and trained weights are asked, which is no attack.
        model = () if b'"model"' in file.read_bytes() else ("-m", "known:aware")
        survives(naysay, seed, "run", file, *model, "--limit", "3", "-o", tmp_path / "runs")
        shutil.rmtree(tmp_path / "runs", ignore_errors=True)


LEXICON = """\
[names]
female = ["Ann", "Eve"]
male = ["Bob", "Jim"]
[professions]
any = ["an actor", "a baker"]
[verbs]
words = ["run", "swim", "walk"]
"""


def test_lexicons(naysay: Naysay, tmp_path: Path) -> None:
    for seed in seeds():
        text = toml(damaged(tomllib.loads(LEXICON), seed)).encode()
        file = tmp_path / "mine.toml"
        file.write_bytes(damaged_bytes(text, seed) if seed % 5 == 4 else text)
        out = tmp_path / "runs"
        survives(
            naysay, seed, "run", "-m", "known:aware", "-t", "scnt", "--lexicon", file, "-o", out
        )
        shutil.rmtree(out, ignore_errors=True)


ITEM = {
    "idx": 0, "label": 2, "input": "My soup is not hot.",
    "sentences": ["My soup is not cold.", "My soup is hot.", "My soup is cold."],
    "pair": ["cold", "hot"], "class": "adjective", "negator": "not",
}  # fmt: skip


def test_items(naysay: Naysay, tmp_path: Path) -> None:
    for seed in seeds():
        lines = [json.dumps(damaged(ITEM, seed)), json.dumps(ITEM | {"idx": 1})]
        text = "\n".join(lines).encode()
        file = tmp_path / "items.jsonl"
        file.write_bytes(damaged_bytes(text, seed) if seed % 5 == 4 else text)
        out = tmp_path / "runs"
        words = ("run", "-m", "known:aware", "-t", "semantoneg", "--items", file, "-o", out)
        survives(naysay, seed, *words)
        shutil.rmtree(out, ignore_errors=True)


def test_languages(tmp_path: Path) -> None:
    """The folder of a language, as another package may bring it."""
    from naysay.suites import SUITES
    from naysay.suites.scnt.selection import TripletSentences

    source = Path(__file__).parents[2] / "src" / "naysay" / "data" / "languages" / "fr"
    files = sorted(path.relative_to(source) for path in source.rglob("*.toml"))
    suites = [suite for suite in SUITES.all() if suite.name in ("scnt", "gh22")]
    for seed in seeds():
        folder = tmp_path / "xx"
        shutil.copytree(source, folder)
        file = folder / files[seed % len(files)]
        text = file.read_bytes()
        if seed % 5 == 4:
            file.write_bytes(damaged_bytes(text, seed))
        else:
            file.write_text(toml(damaged(tomllib.loads(text.decode()), seed)), encoding="utf-8")
        language = Language(folder)
        try:
            with no_hang():
                assert language.lexicon.verbs and language.pronouns
                for suite in suites:
                    if suite.speaks(language):
                        language.digest(suite.patterns)
                if language.has_patterns("scnt"):
                    TripletSentences.of(language, language.lexicon, "scnt")
        except NaysayError as error:
            assert str(folder) in str(error) or "lexicon" in str(error), (seed, str(error))
        except (Exception, HangError) as error:
            raise AssertionError(f"seed {seed}: {files[seed % len(files)]}") from error
        shutil.rmtree(folder)


FILES = ("config.json", "tokenizer_config.json", "tokenizer.json", "model.safetensors")


def test_model_folders(naysay: Naysay, tiny_bert: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    for seed in seeds():
        folder = tmp_path / "model"
        shutil.copytree(tiny_bert, folder)
        file = folder / FILES[seed % len(FILES)]
        content = file.read_bytes()
        bad = damaged_json if file.suffix == ".json" else damaged_bytes
        file.write_bytes(bad(content, seed))
        words = ("run", "-m", folder, "-t", "scnt", "--limit", "2", "-o", tmp_path / "runs")
        survives(naysay, seed, *words)
        shutil.rmtree(folder)
        shutil.rmtree(tmp_path / "runs", ignore_errors=True)


DEEP = b"llama.block_count\x04\0\0\0\xff\xff\xff\x7f"
"""Two thousand million layers."""


def test_gguf_headers(naysay: Naysay, tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    pytest.importorskip("torch")
    import numpy as np
    from gguf import GGUFWriter

    file = tmp_path / "model.gguf"
    writer = GGUFWriter(str(file), "llama")
    writer.add_context_length(64)
    writer.add_block_count(1)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(["a", "b", "c"])
    writer.add_tensor("token_embd.weight", np.zeros((3, 8), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    good = file.read_bytes()
    deep = good.replace(b"llama.block_count\x04\0\0\0\x01\0\0\0", DEEP)
    assert deep != good
    for seed in seeds():
        file.write_bytes(damaged_bytes(good, seed) if seed else deep)
        words = ("run", "-m", file, "-t", "scnt", "--limit", "2", "-o", tmp_path / "runs")
        told = survives(naysay, seed, *words)
        assert told.code == 2
