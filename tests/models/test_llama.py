"""GGUF files in llama.cpp: the answers of transformers on the same weights, whatever the batch."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Outcome, bytelevel_tokenizer, model_request, refused
from gguf_files import in_large_blocks, save_gguf
from naysay.core.errors import ModelError, SpecError, TooLongError, WeightsError
from naysay.core.probes import (
    BLANK,
    AnswerQuestion,
    ChooseClosest,
    ChooseWord,
    Complete,
    ContrastFills,
    FillBlank,
    RankWords,
    WordList,
)
from naysay.core.protocols import Model
from naysay.models import open_model
from naysay.models.files import locate
from naysay.models.files.gguf import read_header
from naysay.models.llama_cpp import library
from naysay.models.lm.questions import Question

pytestmark = pytest.mark.slow
pytest.importorskip("gguf")
needs_llama = pytest.mark.skipif(not library.is_installed(), reason="xllamacpp is not installed")

NEAR = 0.02  # attention has keys and values in fp16
SMALL = {
    "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 96, "max_position_embeddings": 512, "bos_token_id": 0, "eos_token_id": 1,
    "initializer_range": 0.15,
}  # fmt: skip
VERBS = ("run", "swim", "walk", "sing", "dance", "sleep", "read", "write")
TEXTS = [
    f"{name} is a baker who {likes} to {verb}. {name} {isnt} happy to {BLANK}."
    for name in ("Mary", "Ann")
    for likes in ("likes", "doesn't like")
    for isnt in ("is", "isn't")
    for verb in VERBS
]
TEMPLATE = (
    "{% for message in messages %}<s>{{ message['role'] }}: {{ message['content'] }}\n"
    "{% endfor %}{% if add_generation_prompt %}answer: {% endif %}"
)
Naysay = Callable[..., Outcome]


def written(folder: Path, family: str, **more: Any) -> tuple[Path, Path]:
    """A random model as a folder of transformers and as a GGUF file."""
    import torch
    import transformers

    torch.manual_seed(0)
    tokenizer = bytelevel_tokenizer(mask=False)
    config = getattr(transformers, f"{family}Config")(
        **{**SMALL, **more}, vocab_size=len(tokenizer)
    )
    model = getattr(transformers, f"{family}ForCausalLM")(config).eval()
    for name, weight in model.named_parameters():  # norms of one would hide how they are stored
        if name.endswith("norm.weight"):
            torch.nn.init.uniform_(weight, 0.5, 1.5)
    tokenizer.chat_template = TEMPLATE
    model.save_pretrained(folder / "plain")
    tokenizer.save_pretrained(folder / "plain")
    return folder / "plain", save_gguf(folder / "m.gguf", model, tokenizer, TEMPLATE)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return written(tmp_path_factory.mktemp("llama"), "Llama")


@pytest.fixture(scope="module")
def large_blocks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Numbers in blocks of 256, which llama.cpp computes with kernels of their own."""
    folder = tmp_path_factory.mktemp("large")
    plain, file = written(folder, "Llama", hidden_size=256, intermediate_size=512)
    return plain, in_large_blocks(file, folder / "large.gguf")


@pytest.fixture(scope="module")
def pair(tiny: tuple[Path, Path]) -> tuple[Model, Model]:
    """The same weights through transformers and in llama.cpp."""
    folder, file = tiny
    request = model_request(device="cpu")
    return open_model(str(folder), request), open_model(f"llama:{file}", request)


def logprobs(fills: Any) -> Any:
    return np.array([[guess.logprob for guess in fill.top] for fill in fills])


@needs_llama
def test_the_next_words_are_those_of_transformers(pair: tuple[Model, Model]) -> None:
    plain, llama = pair
    probes = [FillBlank(text, VERBS, top_k=5) for text in TEXTS]
    one, other = plain.ask(probes), llama.ask(probes)
    assert (llama.kind, plain.kind) == ("llama", "causal")
    certain = [k for k, fill in enumerate(one) if not fill.tie]
    assert len(certain) > len(TEXTS) // 2
    assert [one[k].top[0].word for k in certain] == [other[k].top[0].word for k in certain]
    assert np.allclose(logprobs(one), logprobs(other), atol=NEAR)
    assert [[s is None for s in fill.scores] for fill in one] == [
        [s is None for s in fill.scores] for fill in other
    ]
    for first, second in zip(one, other, strict=True):
        for a, b in zip(first.scores, second.scores, strict=True):
            assert (a or 0.0) == pytest.approx(b or 0.0, abs=NEAR)


@needs_llama
def test_all_other_probes_are_answered_as_by_transformers(pair: tuple[Model, Model]) -> None:
    plain = pair[0]
    among = WordList(tuple(w for w in VERBS if plain.single_pieces([w], TEXTS[0])[w].single))
    for text in TEXTS[::7]:
        ranks = [m.ask([RankWords(text, (0, 1))]) for m in pair]
        assert ranks[0] == ranks[1]
        [one], [other] = (m.ask([FillBlank(text, among=among, top_k=3)]) for m in pair)
        assert [guess.word for guess in one.top] == [guess.word for guess in other.top]
        chosen, same = (m.ask([ChooseWord(text, (*VERBS, "brno", "answering"))])[0] for m in pair)
        assert chosen.best == same.best
        assert chosen.logprob == pytest.approx(same.logprob, abs=NEAR)
    pairs = [ContrastFills(a, b, among=among) for a, b in zip(TEXTS[:6], TEXTS[8:14], strict=True)]
    rhos = [[contrast.rho for contrast in m.ask(pairs)] for m in pair]
    assert rhos[0] == pytest.approx(rhos[1], abs=NEAR)
    options = ("Yes, she does", "No")
    judged = ChooseClosest("Mary runs.", options)
    for cue in (None, "Answer:"):
        asked = Complete("Does Mary like to run?", options, judged, cue=cue)
        completed = [m.ask([asked])[0].logprobs for m in pair]
        assert completed[0] == pytest.approx(completed[1], abs=NEAR)


@needs_llama
def test_answers_in_words_are_those_of_transformers_whatever_the_batch(
    pair: tuple[Model, Model],
) -> None:
    about = ChooseClosest("", ())
    texts = TEXTS[::3]
    asked = [AnswerQuestion(f"What of {t}?", about, limit=3 + k % 6) for k, t in enumerate(texts)]
    plain, llama = (model.ask(asked) for model in pair)
    assert len({answer.text for answer in llama}) > len(texts) // 2
    # A random model has many close calls, where attention in fp16 decides; words before are equal.
    assert sum(a == b for a, b in zip(plain, llama, strict=True)) > 0.8 * len(asked)
    for model, together in zip(pair, (plain, llama), strict=True):
        assert [model.ask([probe])[0] for probe in asked[::9]] == together[::9]
        assert model.ask(asked[::-1]) == together[::-1]


@needs_llama
def test_words_have_the_tokens_of_transformers(pair: tuple[Model, Model]) -> None:
    words = [*VERBS, "answering", "naïve", "Zoë", "日本", "…"]
    for text in (TEXTS[0], f"{BLANK} is so.", f"Ça va « {BLANK} » !", f"to{BLANK}gether"):
        one, other = (m.single_pieces(words, text) for m in pair)
        assert one == other
    one, other = (m.single_pieces(words, "", bare=True) for m in pair)
    assert one == other


@needs_llama
@pytest.mark.parametrize(
    ("family", "more"),
    [
        ("Qwen2", {}),
        (
            "Gemma3Text",
            {"head_dim": 32, "sliding_window": 16, "query_pre_attn_scalar": 32,
             "layer_types": ["sliding_attention"] * 3,
             "hidden_activation": "gelu_pytorch_tanh"},
        ),
    ],
)  # fmt: skip
def test_other_families_answer_as_in_transformers(
    family: str, more: dict[str, Any], tmp_path: Path
) -> None:
    import transformers

    if family == "Gemma3Text":
        transformers.Gemma3TextForCausalLM = transformers.Gemma3ForCausalLM
    folder, file = written(tmp_path, family, **more)
    probes = [FillBlank(text, top_k=5) for text in TEXTS]
    one, other = (
        open_model(str(path), model_request(device="cpu")).ask(probes) for path in (folder, file)
    )
    assert np.allclose(logprobs(one), logprobs(other), atol=NEAR)


@needs_llama
@pytest.mark.parametrize("stored", ["tiny", "large_blocks"])
def test_the_logits_do_not_depend_on_the_batch_or_on_what_was_asked_before(
    stored: str, request: pytest.FixtureRequest
) -> None:
    from naysay.models.llama_cpp.engine import LlamaEngine

    file = request.getfixturevalue(stored)[1]
    large = read_header(file).has_large_blocks
    assert large == (stored == "large_blocks")
    draws = np.random.default_rng(0)
    beginnings = [tuple(map(int, draws.integers(4, 300, size))) for size in (3, 9, 70)]
    texts = [
        (*beginning, *map(int, draws.integers(4, 300, size)))
        for beginning in beginnings
        for size in (1, 2, 2, 5, 48, 61, 130)
    ]
    questions = [Question(text, len(text) - 1) for text in [*beginnings, *texts]]
    threads = (1, 2, 3)
    engines = [LlamaEngine(file, threads=number, large_blocks=large) for number in threads]
    alone: dict[Question, Any] = {}
    for question in questions:
        fresh = LlamaEngine(file, threads=1, large_blocks=large)
        alone[question] = fresh.logits([question])[0].copy()
        fresh.close()
    for engine in engines:
        for order in (questions, questions[::-1], draws.permutation(len(questions))):
            asked = [q if isinstance(q, Question) else questions[int(q)] for q in order]
            for batch, logits in engine.passes(asked):
                for question, row in zip(batch, logits, strict=True):
                    assert (row == alone[question]).all()
        engine.close()


@needs_llama
def test_shared_beginnings_are_computed_once(
    tiny: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from naysay.models.llama_cpp import engine as module

    computed: list[int] = []
    plain = library.run

    def counted(context: int, tokens: Any, *rest: Any) -> None:
        computed.append(len(tokens))
        plain(context, tokens, *rest)

    monkeypatch.setattr(module, "run", counted)
    engine = module.LlamaEngine(tiny[1])
    beginning = tuple(range(10, 50))
    questions = [Question((*beginning, word), 40) for word in range(60, 80)]
    list(engine.passes(questions))
    assert sum(computed) == 40 + 20
    computed.clear()
    longer = [Question((*question.ids, 99), 41) for question in questions]
    list(engine.passes(longer))
    assert sum(computed) == 20
    engine.close()


@needs_llama
def test_what_is_not_finite_or_too_long_is_refused(tiny: tuple[Path, Path], tmp_path: Path) -> None:
    file = tiny[1]
    model = open_model(f"llama:{file}", model_request())
    with pytest.raises(TooLongError, match="takes at most 512"):
        model.ask([FillBlank("run " * 600 + BLANK)])
    content = bytearray(file.read_bytes())
    content[-4096:] = struct.pack("<f", float("nan")) * 1024
    (tmp_path / "bad.gguf").write_bytes(content)
    bad = open_model(f"llama:{tmp_path}/bad.gguf", model_request())
    with pytest.raises(ModelError, match="no finite numbers for"):
        bad.ask([FillBlank(TEXTS[0])])


def kinds_of(file: Path) -> list[str]:
    prefixes = ("", "causal:", "gguf:")
    return [open_model(f"{prefix}{file}", model_request()).kind for prefix in prefixes]


@needs_llama
def test_llama_cpp_runs_gguf_files_unless_another_kind_is_named(
    tiny: tuple[Path, Path], tmp_path: Path
) -> None:
    file = tiny[1]
    assert kinds_of(file) == ["llama", "causal", "causal"]
    digests = {open_model(f"{p}:{file}", model_request()).digest for p in ("llama", "causal")}
    assert len(digests) == 2
    # What reads texts by a state cannot be asked there.
    stated = tmp_path / "stated.gguf"
    stated.write_bytes(file.read_bytes().replace(b"llama.block_count", b"llama.ssm.a_count"))
    assert read_header(stated).keeps_a_state
    assert kinds_of(stated) == ["causal", "causal", "causal"]


@pytest.mark.parametrize("fault", ["not installed", "another layout"])
def test_without_llama_cpp_gguf_files_go_through_transformers(
    tiny: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    if fault == "not installed":
        monkeypatch.setattr(library, "is_installed", lambda: False)
    else:
        monkeypatch.setitem(library._CONTEXT_DEFAULTS, "n_batch", 7)
    library.library.cache_clear()
    try:
        assert kinds_of(tiny[1]) == ["causal", "causal", "causal"]
    finally:
        library.library.cache_clear()


@needs_llama
def test_options_that_cannot_be_followed_are_refused(tiny: tuple[Path, Path]) -> None:
    folder, file = tiny
    for request in (model_request(precision="bf16"), model_request(device="cuda")):
        with pytest.raises(ModelError, match=f"use -m causal:{file}"):
            open_model(f"llama:{file}", request)
    with pytest.raises(SpecError, match="for embedders"):
        open_model(f"llama:{file}", model_request(prompt="query: "))
    with pytest.raises(ModelError, match="no GGUF file"):
        open_model(f"llama:{folder}", model_request())


@needs_llama
def test_neither_torch_nor_transformers_is_imported(tiny: tuple[Path, Path]) -> None:
    code = (
        "import sys\nfrom naysay.models import open_model\n"
        "from naysay.core.protocols import ModelRequest\nfrom naysay.core.probes import *\n"
        f"model = open_model('llama:{tiny[1]}', ModelRequest())\n"
        f"model.ask([FillBlank({TEXTS[0]!r})])\nmodel.ask([RankWords({TEXTS[0]!r}, (0,))])\n"
        f"model.ask([ChooseWord({TEXTS[0]!r}, ('run', 'answering'))])\n"
        "assert not {'torch', 'transformers', 'tokenizers', 'gguf'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data[: len(data) // 2], "but the file has"),
        (lambda data: data[:40], "ends inside its header"),
        (lambda data: b"NOPE" + data[4:], "does not begin with 'GGUF'"),
        (lambda data: data[:4] + struct.pack("<I", 99) + data[8:], "version 99"),
        (lambda data: data[:8] + struct.pack("<Q", 1 << 60) + data[16:], "tensors and"),
        (lambda data: data[:24] + struct.pack("<Q", 1 << 62) + data[32:], "inside its header"),
        (lambda data: data.replace(b"blk.1.attn_k.weight", b"blk.0.attn_k.weight"), "same name"),
    ],
)
def test_a_damaged_file_is_refused_before_llama_cpp_sees_it(
    change: Callable[[bytes], bytes], says: str, tiny: tuple[Path, Path], naysay: Naysay,
    tmp_path: Path,
) -> None:  # fmt: skip
    (tmp_path / "bad.gguf").write_bytes(change(tiny[1].read_bytes()))
    with pytest.raises(WeightsError, match=says):
        read_header(tmp_path / "bad.gguf")
    if library.is_installed():
        refused(
            naysay("run", "-m", f"llama:{tmp_path}/bad.gguf", "-t", "scnt", "--limit", "1"), says
        )


def test_the_header_says_what_the_file_is(tiny: tuple[Path, Path]) -> None:
    header = read_header(tiny[1])
    assert header.architecture == "llama"
    assert not header.embeds
    assert header.precision == "F32"
    assert header.of_architecture("block_count") == SMALL["num_hidden_layers"]
    assert header.metadata["tokenizer.chat_template"] == TEMPLATE
    assert locate(str(tiny[1])).gguf == "m.gguf"


def test_without_the_package_the_prefix_says_how_to_get_it(
    tiny: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "is_installed", lambda: False)
    library.library.cache_clear()
    try:
        with pytest.raises(ModelError, match=r"pip install 'naysay\[llama\]'"):
            open_model(f"llama:{tiny[1]}", model_request())
    finally:
        library.library.cache_clear()


@needs_llama
def test_a_library_with_another_layout_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(library._CONTEXT_DEFAULTS, "n_batch", 7)
    library.library.cache_clear()
    try:
        with pytest.raises(ModelError, match="not one that naysay knows"):
            library.library()
    finally:
        library.library.cache_clear()
