"""Embedders: naysay's cosines beside sentence-transformers' own, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import TINY, Outcome, model_request, refused
from naysay import evaluate
from naysay.core.errors import ModelError, SpecError, WeightsError
from naysay.core.probes import ChooseClosest, Closest
from naysay.core.protocols import ModelRequest
from naysay.models import adapter_for, open_model
from naysay.models.embedder import EmbedderModel
from naysay.models.files import locate
from toy_antonyms import CLOSEST, TEXTS


def asked(name: str | Path, probes: list[ChooseClosest], **options: Any) -> list[Closest]:
    model = open_model(str(name), model_request(**options))
    model.prepare()
    return model.ask(probes)


def own_cosines(encode: Callable[[list[str]], Any]) -> list[tuple[float, ...]]:
    """The cosines of all probes, from vectors made one by one."""
    vectors = {text: np.asarray(encode([text]), dtype=float)[0] for text in TEXTS}
    unit = {text: vector / np.linalg.norm(vector) for text, vector in vectors.items()}
    return [tuple(unit[p.text] @ unit[option] for option in p.options) for p in CLOSEST]


def agree(answers: list[Closest], cosines: list[tuple[float, ...]]) -> None:
    for answer, expected in zip(answers, cosines, strict=True):
        assert answer.scores == pytest.approx(expected, abs=2e-6)
        assert answer.scale == "cosine"


def test_the_cosines_are_those_of_the_model_itself(tiny_embedder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(tiny_embedder), device="cpu")
    agree(asked(tiny_embedder, CLOSEST), own_cosines(plain.encode))


@pytest.mark.parametrize(("budget", "size"), [(1, None), (7, None), (4096, None), (4096, 2)])
def test_one_equals_many(tiny_embedder: Path, budget: int, size: int | None) -> None:
    together = asked(tiny_embedder, CLOSEST, token_budget=budget, batch_size=size)
    alone = [asked(tiny_embedder, [probe])[0] for probe in CLOSEST[:5]]
    for one, other in zip(together, alone, strict=False):
        assert one.scores == pytest.approx(other.scores, abs=2e-6)
        assert (one.tie, one.cut) == (other.tie, other.cut)
    assert asked(tiny_embedder, []) == []


def test_each_sentence_is_encoded_once_and_nothing_is_padded(
    tiny_embedder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    plain = EmbedderModel._encode

    def watched(self: EmbedderModel, texts: list[str]) -> Any:
        seen.extend(texts)
        lengths = {len(ids) for ids in self._model.tokenizer(texts)["input_ids"]}
        assert len(lengths) == 1
        return plain(self, texts)

    monkeypatch.setattr(EmbedderModel, "_encode", watched)
    model = open_model(str(tiny_embedder), ModelRequest())
    for probe in (*CLOSEST, *CLOSEST):
        model.ask([probe])
    assert sorted(seen) == sorted(TEXTS)


def hidden_states(folder: Path, texts: list[str]) -> Any:
    import torch
    from transformers import AutoModel, AutoTokenizer

    inputs = AutoTokenizer.from_pretrained(folder)(texts, return_tensors="pt")
    with torch.inference_mode():
        return AutoModel.from_pretrained(folder)(**inputs).last_hidden_state[0].numpy()


POOLED: dict[str, Callable[[Any], Any]] = {
    "mean": lambda states: states.mean(axis=0),
    "cls": lambda states: states[0],
    "max": lambda states: states.max(axis=0),
    "lasttoken": lambda states: states[-1],
}


@pytest.mark.parametrize("pooling", POOLED)
def test_a_plain_encoder_is_pooled_as_stated(tiny_bert: Path, pooling: str) -> None:
    own = own_cosines(lambda texts: [POOLED[pooling](hidden_states(tiny_bert, texts))])
    agree(asked(f"embedder:{tiny_bert}", CLOSEST, pooling=pooling), own)


def test_a_plain_encoder_needs_a_pooling_and_an_embedder_has_one(
    tiny_bert: Path, tiny_embedder: Path
) -> None:
    with pytest.raises(ModelError, match=r"plain encoder.*--pooling"):
        asked(f"embedder:{tiny_bert}", CLOSEST)
    with pytest.raises(ModelError, match="has its own pooling"):
        asked(tiny_embedder, CLOSEST, pooling="mean")
    with pytest.raises(SpecError, match="--pooling is for models of kind embedder"):
        asked("known:aware", CLOSEST, pooling="mean")
    with pytest.raises(SpecError, match="--pooling must be mean or cls"):
        evaluate("known:aware", "semantoneg", pooling="sum")


def with_prompts(folder: Path, target: Path, default: str | None) -> Path:
    shutil.copytree(folder, target)
    path = target / "config_sentence_transformers.json"
    config = json.loads(path.read_text())
    config |= {"prompts": {"query": "He is here. ", "document": ""}, "default_prompt_name": default}
    path.write_text(json.dumps(config))
    return target


def test_prompts_are_the_models_own_or_those_asked_for(
    tiny_embedder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(tiny_embedder), device="cpu")
    prompted = own_cosines(lambda texts: plain.encode(texts, prompt="He is here. "))
    default = with_prompts(tiny_embedder, tmp_path / "default", "query")
    named = with_prompts(tiny_embedder, tmp_path / "named", None)
    agree(asked(default, CLOSEST), prompted)
    assert "prompt before each sentence: 'He is here. '" in capsys.readouterr().err
    agree(asked(named, CLOSEST), own_cosines(plain.encode))
    assert "prompts available (query), none by default" in capsys.readouterr().err
    agree(asked(named, CLOSEST, prompt="query"), prompted)
    agree(asked(tiny_embedder, CLOSEST, prompt="He is here. "), prompted)
    agree(asked(default, CLOSEST, prompt=""), own_cosines(plain.encode))
    digests = {
        open_model(str(named), model_request(prompt=prompt)).digest for prompt in (None, "query")
    }
    assert len(digests) == 2


def test_a_sentence_that_is_cut_is_told(tiny_embedder: Path) -> None:
    long = "She is happy to run. " * 6
    answers = asked(tiny_embedder, [ChooseClosest(long, tuple(TEXTS[:3])), CLOSEST[0]])
    assert [answer.cut for answer in answers] == [True, False]


def test_the_digest_covers_every_module(tiny_embedder: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    other = tmp_path / "other"
    shutil.copytree(tiny_embedder, other)
    assert locate(str(other)).digest == locate(str(tiny_embedder)).digest
    [dense] = other.glob("2_Dense/*.safetensors")
    save_file({name: values + 1 for name, values in load_file(dense).items()}, dense)
    assert locate(str(other)).digest != locate(str(tiny_embedder)).digest


def test_what_the_transformer_was_before_does_not_matter(
    tiny_embedder: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "was-masked"
    shutil.copytree(tiny_embedder, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"architectures": ["BertForMaskedLM"]}))
    assert adapter_for(locate(str(folder))).kind == "embedder"


def change_json(path: Path, change: Callable[[Any], Any]) -> None:
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


def other_type(folder: Path) -> None:
    path = folder / "config_sentence_transformers.json"
    change_json(path, lambda config: config | {"model_type": "SparseEncoder"})


def foreign_module(folder: Path) -> None:
    change_json(
        folder / "modules.json",
        lambda modules: [*modules[:-1], modules[-1] | {"type": "their_code.Module"}],
    )


def pickled_module(folder: Path) -> None:
    [dense] = folder.glob("2_Dense/*.safetensors")
    dense.rename(dense.with_name("pytorch_model.bin"))


def lost_layer(folder: Path) -> None:
    from safetensors.numpy import load_file, save_file

    file = folder / "model.safetensors"
    kept = {name: v for name, v in load_file(file).items() if "layer.1." not in name}
    save_file(kept, file, {"format": "pt"})


def broken_list(folder: Path) -> None:
    (folder / "modules.json").write_text("{")


FAULTS = {
    "another type": (other_type, "is a SparseEncoder"),
    "ships its own modules": (foreign_module, "their_code.Module"),
    "a pickled module": (pickled_module, "only pickled weights"),
    "a layer missing": (lost_layer, "lacks"),
    "a broken list of modules": (broken_list, "modules.json cannot be read"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_embedder_is_refused_that_has(
    naysay: Callable[..., Outcome], tiny_embedder: Path, tmp_path: Path, fault: str
) -> None:
    folder = tmp_path / "faulty"
    shutil.copytree(tiny_embedder, folder)
    change, says = FAULTS[fault]
    change(folder)
    refused(naysay("run", "-m", folder, "-t", "semantoneg", "--limit", "4"), says)


def test_a_suite_that_fills_blanks_says_what_fits(
    naysay: Callable[..., Outcome], tiny_embedder: Path
) -> None:
    ended = naysay("run", "-m", tiny_embedder, "-t", "scnt")
    refused(
        ended,
        "'scnt' asks for the word at a blank, and models of kind embedder",
        "suites for this kind: semantoneg",
    )


def test_a_model_in_memory_is_the_one_on_disk(tiny_embedder: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(tiny_embedder), device="cpu")
    options: dict[str, Any] = {"limit": 40, "items": "antoneg", "out": tmp_path}
    loaded, named = (evaluate(m, "semantoneg", **options) for m in (model, str(tiny_embedder)))
    assert [e.value for e in loaded] == [e.value for e in named]
    assert loaded.manifest.model["modules"] == ["Transformer", "Pooling", "Dense", "Normalize"]


class Numbers:
    """An encoder that is nobody's model."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def encode(self, texts: list[str]) -> Any:
        return self.answer(texts)


def test_anything_that_encodes_can_be_asked(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    encoder = Numbers(lambda texts: rng.normal(size=(len(texts), TINY["hidden_size"])))
    options: dict[str, Any] = {"limit": 30, "items": "antoneg", "out": tmp_path}
    first, second = (evaluate(encoder, "semantoneg", **options) for _ in range(2))
    assert first.run != second.run  # nothing tells that it is the same encoder
    assert first.manifest.model["class"] == "Numbers"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda texts: np.full((len(texts), 4), np.nan), "not finite numbers"),
        (lambda texts: np.ones(4), "one vector per sentence"),
    ],
)
def test_vectors_that_are_none_are_refused(answer: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=says):
        evaluate(Numbers(answer), "semantoneg", limit=4, items="antoneg", out=tmp_path)


def test_a_vector_without_a_direction_is_refused(tmp_path: Path) -> None:
    encoder = Numbers(lambda texts: [[float("not" in text)] * 4 for text in texts])
    with pytest.raises(ModelError, match="is zero: it has no direction"):
        evaluate(encoder, "semantoneg", limit=8, items="antoneg", out=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "error"), [({"pooling": "mean"}, ModelError), ({"label": "x"}, SpecError)]
)
def test_an_option_that_a_model_in_memory_does_not_read_is_refused(
    options: dict[str, Any], error: type[Exception], tmp_path: Path
) -> None:
    encoder = Numbers(lambda texts: np.ones((len(texts), 4)))
    with pytest.raises(error, match=r"pooling|--label is for"):
        evaluate(encoder, "semantoneg", limit=4, items="antoneg", out=tmp_path, **options)


def test_a_folder_without_weights_is_refused(tiny_embedder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    shutil.copytree(tiny_embedder, folder)
    for file in folder.rglob("*.safetensors"):
        file.unlink()
    with pytest.raises(WeightsError, match="has no weights"):
        locate(str(folder))
