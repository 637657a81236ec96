"""Folders of models from others: no code is run, nothing is replaced, every file counts."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mutation import no_hang

from conftest import Outcome
from naysay.core.errors import ModelError, WeightsError
from naysay.models.files import locate
from naysay.models.files.trust import check_data_only
from naysay.models.files.weights import from_folder

pytestmark = pytest.mark.slow
Naysay = Callable[..., Outcome]


def changed(source: Path, to: Path, file: str, change: dict[str, Any]) -> Path:
    """A copy of a model with more in one of its JSON files."""
    shutil.copytree(source, to)
    path = to / file
    content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content | change), encoding="utf-8")
    return to


GELU = "transformers.activations.NewGELUActivation"
KERNEL = {"attn_implementation": "evil/kernel"}
RUNS = "torch.distributed.run.main"
CODE = [
    ("tiny_nli", "config.json", {"sentence_transformers": {"activation_fn": "evil.main"}}),
    ("tiny_nli", "config.json", {"sentence_transformers": {"activation_fn": RUNS}}),
    ("tiny_nli", "config.json", {"sbert_ce_default_activation_function": "os.abort"}),
    ("tiny_bert", "config.json", {"auto_map": {"AutoModelForMaskedLM": "evil.Model"}}),
    ("tiny_bert", "tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["evil.T", None]}}),
    ("tiny_bert", "config.json", {"deep": [{"er": {"auto_map": {"AutoConfig": "evil.C"}}}]}),
    ("tiny_embedder", "2_Dense/config.json", {"activation_function": "evil.main"}),
    ("tiny_embedder", "2_Dense/config.json", {"activation_function": GELU}),
    ("tiny_embedder", "2_Dense/config.json", {"activation_function": "torch.nn.functional.relu"}),
    ("tiny_bert", "config.json", {"attn_implementation": "evil/kernel"}),
    ("tiny_embedder", "sentence_bert_config.json", {"model_kwargs": KERNEL}),
    ("tiny_embedder", "sentence_bert_config.json", {"model_kwargs": {"allow_all_kernels": True}}),
    ("tiny_embedder", "sentence_bert_config.json", {"tokenizer_name_or_path": "../elsewhere"}),
    ("tiny_bert", "adapter_config.json", {"base_model_name_or_path": "evil/model"}),
    ("tiny_bert", "adapter_config.json", {"peft_type": "LORA"}),
    ("tiny_bert", "config.json", {"hidden_act": "os.system"}),
    ("tiny_nli", "config.json", {"sentence_transformers": {"activation_fn": "evil-x.main"}}),
    ("tiny_nli", "config.json", {"sentence_transformers": {"activation_fn": "torch.nn.Dropout"}}),
    ("tiny_embedder", "sentence_bert_config.json", {"model_args": {"variant": "b"}}),
    ("tiny_embedder", "sentence_bert_config.json", {"model_args": {"offload_folder": "../out"}}),
    ("tiny_embedder", "sentence_bert_config.json",
     {"modality_config": {"text": {"method": "save_pretrained"}}}),
    ("tiny_embedder", "2_Dense/router_config.json", {"types": {"0_X": "evil.Module"}}),
]  # fmt: skip


@pytest.mark.parametrize(("model", "file", "change"), CODE)
def test_code_named_by_a_configuration_is_refused(
    naysay: Naysay, request: pytest.FixtureRequest, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, model: str, file: str, change: dict[str, Any],
) -> None:  # fmt: skip
    (tmp_path / "evil.py").write_text("open('owned', 'w')\ndef main(*a): open('owned', 'w')\n")
    bad = changed(request.getfixturevalue(model), tmp_path / "bad", file, change)
    (bad / "evil.py").write_text("open('owned', 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    suite = "scnt" if model == "tiny_bert" else "semantoneg"
    told = naysay("run", "-m", "bad", "-t", suite, "--limit", "2")
    assert told.code == 2 and "--trust-remote-code" in told.err
    assert file in told.err  # where it stands
    assert not (tmp_path / "owned").exists() and not (tmp_path / "runs").exists()


def test_other_weights_than_the_folders_own_are_refused(tiny_bert: Path, tmp_path: Path) -> None:
    bad = changed(tiny_bert, tmp_path / "bad", "config.json", {"transformers_weights": "x"})
    with pytest.raises(WeightsError, match="transformers_weights"):
        locate(str(bad))


@pytest.mark.parametrize(
    "kind", ["evil.Module", "sentence_transformers.util.misc.import_from_string"]
)
def test_modules_that_are_none_are_refused(
    naysay: Naysay, tiny_embedder: Path, tmp_path: Path, kind: str
) -> None:
    shutil.copytree(tiny_embedder, tmp_path / "bad")
    listed = json.loads((tmp_path / "bad" / "modules.json").read_text(encoding="utf-8"))
    listed[-1]["type"] = kind
    (tmp_path / "bad" / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    told = naysay("run", "-m", tmp_path / "bad", "-t", "semantoneg", "--limit", "2")
    assert told.code == 2 and kind in told.err


@pytest.mark.parametrize("activation", ["NewGELUActivation", "gelu"])
def test_a_part_that_the_library_would_replace_is_refused(
    naysay: Naysay, tiny_embedder: Path, tmp_path: Path, activation: str
) -> None:
    change = {"activation_function": activation}
    changed(tiny_embedder, tmp_path / "bad", "2_Dense/config.json", change)
    told = naysay("run", "-m", "bad", "-t", "semantoneg", "--limit", "2")
    assert told.code == 2 and activation in told.err.splitlines()[-1]


def test_modules_of_modules_outside_the_folder_are_refused(
    tiny_embedder: Path, tmp_path: Path
) -> None:
    shutil.copytree(tiny_embedder, tmp_path / "bad")
    inner = tmp_path / "bad" / "2_Dense" / "modules.json"
    inner.write_text(json.dumps([{"type": "x", "path": "../../elsewhere"}]), encoding="utf-8")
    with pytest.raises(WeightsError, match=r"2_Dense/modules\.json leads out of its folder"):
        locate(str(tmp_path / "bad"))
    inner.unlink()
    (tmp_path / "elsewhere").mkdir()
    (inner.parent / "0_Inner").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WeightsError, match="leads out of its folder"):
        locate(str(tmp_path / "bad"))


SIZES = [
    ("tiny_bert", "config.json", {"num_hidden_layers": 1_000_000}),
    ("tiny_bert", "config.json", {"num_hidden_layers": 2e9}),
    ("tiny_bert", "config.json", {"num_labels": 100_000_000}),
    ("tiny_bert", "config.json", {"vocab_size": 50_000_000}),
    ("tiny_bert", "config.json", {"max_position_embeddings": 50_000_000}),
    ("tiny_bert", "config.json", {"type_vocab_size": 2_000_000_000}),
    ("tiny_gpt", "config.json", {"num_hidden_layers": 1_000_000}),
    ("tiny_embedder", "config.json", {"num_hidden_layers": 1_000_000}),
    ("tiny_embedder", "config.json", {"vocab_size": 50_000_000}),
    ("tiny_embedder", "2_Dense/config.json", {"in_features": 50_000, "out_features": 50_000}),
    ("tiny_nli", "config.json", {"intermediate_size": 50_000_000}),
]


@pytest.mark.parametrize(("model", "file", "change"), SIZES)
def test_sizes_that_the_weights_cannot_have_are_refused_before_loading(
    naysay: Naysay, request: pytest.FixtureRequest, tmp_path: Path, model: str, file: str,
    change: dict[str, Any],
) -> None:  # fmt: skip
    changed(request.getfixturevalue(model), tmp_path / "bad", file, change)
    suite = "scnt" if model in ("tiny_bert", "tiny_gpt") else "semantoneg"
    with no_hang():
        told = naysay("run", "-m", "bad", "-t", suite, "--limit", "2")
    last = told.err.splitlines()[-1]
    assert told.code == 2 and ("which cannot be" in last or "do not belong together" in last), last
    assert not (tmp_path / "runs").exists()


def test_modules_outside_the_folder_are_refused(tiny_embedder: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_embedder, tmp_path / "bad")
    listed = json.loads((tmp_path / "bad" / "modules.json").read_text(encoding="utf-8"))
    listed[1]["path"] = "../elsewhere"
    (tmp_path / "bad" / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    with pytest.raises(WeightsError, match="leads out of its folder"):
        locate(str(tmp_path / "bad"))


def test_what_libraries_write_themselves_is_trusted(
    tiny_bert: Path, tiny_gpt: Path, tiny_embedder: Path, tiny_nli: Path
) -> None:
    for folder in (tiny_bert, tiny_gpt, tiny_embedder, tiny_nli):
        check_data_only("x", folder, locate(str(folder)).places)


class TestPickles:
    """Pickles behind files that look safe."""

    def test_a_safetensors_of_another_name_is_no_excuse(
        self, tiny_bert: Path, tmp_path: Path
    ) -> None:
        shutil.copytree(tiny_bert, tmp_path / "bad")
        weights = tmp_path / "bad" / "model.safetensors"
        weights.rename(tmp_path / "bad" / "decoy.safetensors")
        (tmp_path / "bad" / "pytorch_model.bin").write_bytes(pickle.dumps(None))
        with pytest.raises(WeightsError, match="pickled"):
            from_folder("bad", tmp_path / "bad")

    @pytest.mark.parametrize("listed", ["pytorch_model.bin", "../x.safetensors", "a/b.safetensors"])
    def test_an_index_can_only_list_safetensors_beside_it(
        self, tiny_bert: Path, tmp_path: Path, listed: str
    ) -> None:
        shutil.copytree(tiny_bert, tmp_path / "bad")
        (tmp_path / "bad" / "model.safetensors").unlink()
        index = tmp_path / "bad" / "model.safetensors.index.json"
        index.write_text(json.dumps({"weight_map": {"x": listed}}), encoding="utf-8")
        with pytest.raises(WeightsError, match="no safetensors file beside it"):
            from_folder("bad", tmp_path / "bad")

    def test_in_a_module_of_a_module(self, tiny_embedder: Path, tmp_path: Path) -> None:
        shutil.copytree(tiny_embedder, tmp_path / "bad")
        inner = tmp_path / "bad" / "2_Dense" / "0_Inner"
        inner.mkdir()
        (inner / "pytorch_model.bin").write_bytes(pickle.dumps(None))
        with pytest.raises(WeightsError, match="pickled"):
            from_folder("bad", tmp_path / "bad")


UNREAD = {"README.md", "training.json", "trainer_state.json"}
"""Files that a model's folder may have and that nothing reads."""


@pytest.mark.parametrize("model", ["tiny_bert", "tiny_gpt", "tiny_embedder", "tiny_nli"])
def test_every_file_is_part_of_the_digest(
    request: pytest.FixtureRequest, tmp_path: Path, model: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(request.getfixturevalue(model), folder)
    (folder / "chat_template.jinja").write_text("{{ messages }}", encoding="utf-8")
    (folder / "additional_chat_templates").mkdir()
    (folder / "additional_chat_templates" / "tools.jinja").write_text("{{ x }}", encoding="utf-8")
    for name in ("dict.txt", "bpe.codes", "qwen.tiktoken", "source.spm", "x.tokenizer"):
        (folder / name).write_text("x", encoding="utf-8")
    (folder / "training.json").write_text("{}", encoding="utf-8")
    (folder / "trainer_state.json").write_text("{}", encoding="utf-8")
    before = from_folder("m", folder).digest
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        kept = path.read_bytes()
        path.write_bytes(kept + b" ")
        told = from_folder("m", folder).digest
        path.write_bytes(kept)
        assert (told != before) == (path.name not in UNREAD), path
    assert from_folder("m", folder).digest == before


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", "[" * 100_000),
        ("config.json", '{"num_hidden_layers": 2000000000, "architectures": ["BertForMaskedLM"]}'),
        ("config.json", '{"vocab_size": 100000000000, "architectures": ["BertForMaskedLM"]}'),
        ("tokenizer_config.json", "{"),
        ("modules.json", "3"),
        ("modules.json", '[{"type": 3}]'),
    ],
)
def test_broken_files_are_named(
    naysay: Naysay, tiny_bert: Path, tmp_path: Path, file: str, content: str
) -> None:
    shutil.copytree(tiny_bert, tmp_path / "bad")
    (tmp_path / "bad" / file).write_text(content, encoding="utf-8")
    told = naysay("run", "-m", tmp_path / "bad", "-t", "scnt", "--limit", "2")
    assert told.code == 2 and file in told.err and len(told.err.splitlines()[-1]) < 600


def test_what_lies_beside_a_gguf_file_is_not_read(tmp_path: Path) -> None:
    from naysay.models.lm.loading import _own_files

    for name in ("model.gguf", "chat_template.jinja", "tokenizer_config.json", "config.json"):
        (tmp_path / name).write_bytes(b"GGUF")
    with _own_files(locate(str(tmp_path / "model.gguf"))) as folder:
        assert [path.name for path in Path(folder).iterdir()] == ["model.gguf"]
        assert (Path(folder) / "model.gguf").read_bytes() == b"GGUF"


def test_the_chat_template_of_a_model_in_memory_is_part_of_its_digest(tiny_gpt: Path) -> None:
    from naysay.models.lm.loading import weights_content
    from toy_training import load

    model, tokenizer = load(tiny_gpt)
    before = weights_content(model, tokenizer)
    tokenizer.chat_template = "{{ messages }}"
    assert weights_content(model, tokenizer) != before


def test_a_folder_called_like_a_file(tiny_bert: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_bert, tmp_path / "model")
    before = from_folder("m", tmp_path / "model").digest
    (tmp_path / "model" / "vocab_old").mkdir()
    (tmp_path / "model" / "x.json").mkdir()
    assert from_folder("m", tmp_path / "model").digest == before


def test_trusted_code_is_not_checked(tiny_bert: Path, tmp_path: Path) -> None:
    from naysay.models.files.weights import WeightsOptions
    from naysay.models.lm.loading import check_own_code

    change = {"auto_map": {"AutoModelForMaskedLM": "evil.Model"}}
    weights = locate(str(changed(tiny_bert, tmp_path / "own", "config.json", change)))
    check_own_code(weights, WeightsOptions(trust_remote_code=True))
    with pytest.raises(ModelError, match="auto_map"):
        check_own_code(weights, WeightsOptions())
