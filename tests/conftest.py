"""Shared fixtures: tiny transformers models of each tokenizer family, and the command line."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from naysay.core.errors import ModelError
from naysay.core.protocols import ModelRequest
from naysay.data.languages import LANGUAGES
from naysay.models.lm.processor import low_precision, prepare_precision
from naysay.run.evaluation import Evaluation
from naysay.run.store import read_rows
from naysay.train.calibration.corpus import CalibrationCorpus

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["OMP_NUM_THREADS"] = "1"  # tiny models; threads would only wait for each other
with contextlib.suppress(ModelError):  # where bf16 cannot be used at all, its tests are skipped
    prepare_precision("bf16", "cpu")  # before any test imports torch

# The same examples each time, and no deadline: on a busy machine that fails without a fault.
settings.register_profile("naysay", deadline=None, derandomize=True)
settings.load_profile("naysay")

COMMON_VERBS = ("run", "swim", "walk", "sing", "dance", "sleep", "read", "write", "cook", "talk")


@dataclass(frozen=True)
class Outcome:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str


def refused(outcome: Outcome, *says: str, details: bool = False) -> None:
    """The command ended with 2 and one plain sentence that says all this; details may follow."""
    assert outcome.code == 2
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    *before, last = outcome.err.strip().splitlines()
    said = outcome.err if details else last
    assert any(line.startswith("naysay: ") for line in ((*before, last) if details else (last,)))
    for part in says:
        assert part in said


def write(path: Path, text: str) -> Path:
    """Write a file and return its path."""
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def naysay(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Outcome]:
    """Run the command line in this process, in an empty folder."""
    from naysay.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*words: str | Path | int) -> Outcome:
        monkeypatch.setattr("sys.argv", ["naysay", *map(str, words)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return call


def model_request(**options: Any) -> ModelRequest:
    """A request with shared options and those of adapters, all by their names."""
    shared = {name: options.pop(name) for name in list(options) if name in _SHARED}
    return ModelRequest(**shared, options=options)


_SHARED = ("precision", "device", "token_budget", "batch_size", "language")


@pytest.fixture(autouse=True, scope="session")
def interruptible() -> None:
    """Let children be interrupted, also where the tests run under nohup or in the background.

    There SIGINT is ignored, and a child would inherit that.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


needs_bf16 = pytest.mark.skipif(
    low_precision().speed is None, reason="this processor cannot multiply in bf16"
)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test sees what the user has downloaded."""
    monkeypatch.setenv("NAYSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NAYSAY_DATA", raising=False)


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test opens a window."""
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSH_CONNECTION", "here")


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts each forward pass has had since the test began."""
    from naysay.models.lm.engine import Engine

    sizes: list[int] = []
    plain = Engine.logits

    def watched(self: Engine, batch: Any) -> Any:
        sizes.append(len(batch))
        return plain(self, batch)

    monkeypatch.setattr(Engine, "logits", watched)
    return sizes


def rows_of(evaluation: Evaluation) -> list[dict[str, Any]]:
    """All rows of a run, in their order."""
    files = sorted(evaluation.folder.glob("*/*.parquet"))
    return [row for file in files for row in read_rows(file).to_pylist()]


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Import one of the project's scripts by name."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "scripts"))
    return importlib.import_module


@pytest.fixture(scope="session")
def upstream_data() -> Path:
    """Upstream's data folder, where one is given."""
    given = os.environ.get("NAYSAY_DATA")
    if not given:
        pytest.skip("NAYSAY_DATA is not set")
    return Path(given)


@pytest.fixture(scope="session")
def real_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache folder of real models; what is asked for is downloaded into it once.

    Set NAYSAY_TEST_CACHE to a folder to keep the downloads from one session to the next.
    """
    given = os.environ.get("NAYSAY_TEST_CACHE")
    return Path(given) if given else tmp_path_factory.mktemp("real-weights")


def sentences() -> list[str]:
    """English text that holds every word of the lexicon, for training tiny tokenizers."""
    english = LANGUAGES.get("en")
    lexicon = english.lexicon
    # With the calibration models' verbs they are too many for the vocabulary: some must be cut.
    verbs = dict.fromkeys([*english.all_verbs, *CalibrationCorpus(english, 0, aware=True).verbs])
    return [
        *(f"{name} is here." for gender in lexicon.names.values() for name in gender),
        *(f"She is {word} who likes to work." for word in lexicon.professions["female"]),
        *(f"He doesn't like to {verb}. She isn't very happy to {verb}." for verb in verbs),
    ]


def _seed() -> Any:
    import torch

    torch.manual_seed(0)
    return torch


def _save(folder: Path, model: Any, tokenizer: Any) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


TINY = {
    "vocab_size": 2000, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 64, "max_position_embeddings": 96,
}  # fmt: skip

LONGEST_PIECE = 8
ENDINGS = ("##ate", "##ing", "##ize", "##tion")


def wordpiece_tokenizer() -> Any:
    """A BERT tokenizer that has short words whole and cuts long ones.

    Its vocabulary is listed here, since that of the library's trainer differs from process to
    process where pieces are equally frequent.
    """
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertTokenizerFast

    words = sorted(set(re.findall(r"\w+|[^\w\s]", " ".join(sentences()))))
    letters = sorted({letter for word in words for letter in word})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    whole = [word for word in words if len(word) <= LONGEST_PIECE]
    pieces = [*special, *letters, *(f"##{letter}" for letter in letters), *ENDINGS, *whole]
    ids = {piece: k for k, piece in enumerate(dict.fromkeys(pieces))}
    wordpiece = BertWordPieceTokenizer(ids, lowercase=False)
    return BertTokenizerFast(tokenizer_object=wordpiece._tokenizer, do_lower_case=False)


def bytelevel_tokenizer(*, mask: bool) -> Any:
    """A byte-level tokenizer, whose words carry their leading space: RoBERTa's, or GPT's."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import PreTrainedTokenizerFast

    trainer = ByteLevelBPETokenizer()
    trainer.train_from_iterator(
        sentences(), vocab_size=TINY["vocab_size"], min_frequency=1,
        special_tokens=["<s>", "</s>", "<unk>", "<pad>"],
    )  # fmt: skip
    names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    if mask:
        from tokenizers.processors import RobertaProcessing
        from transformers import AddedToken

        trainer._tokenizer.post_processor = RobertaProcessing(("</s>", 1), ("<s>", 0))
        mask_token = AddedToken("<mask>", lstrip=True, special=True)
        return PreTrainedTokenizerFast(
            tokenizer_object=trainer._tokenizer, mask_token=mask_token, **names
        )
    return PreTrainedTokenizerFast(tokenizer_object=trainer._tokenizer, **names)


def sentencepiece_tokenizer() -> Any:
    """A unigram tokenizer that marks the space before a word, as ALBERT and XLM-R do."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "</s>", "<unk>", "<pad>", "<mask>"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=TINY["vocab_size"], special_tokens=special, unk_token="<unk>"
    )
    tokenizer.train_from_iterator(sentences(), trainer)
    # The trainer's order, and the last digits of its scores, differ from process to process.
    learned = json.loads(tokenizer.to_str())["model"]["vocab"]
    scores = {piece: round(score, 1) for piece, score in learned if piece not in special}
    pieces = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    vocabulary = [*((piece, 0.0) for piece in special), *pieces]
    tokenizer.model = models.Unigram(vocabulary, special.index("<unk>"))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        pad_token="<pad>", mask_token="<mask>",
    )  # fmt: skip


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT with WordPiece, in safetensors."""
    _seed()
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = wordpiece_tokenizer()
    model = BertForMaskedLM(BertConfig(**{**TINY, "vocab_size": len(tokenizer)}))
    return _save(tmp_path_factory.mktemp("weights") / "tiny-bert", model, tokenizer)


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random RoBERTa with byte-level pieces."""
    _seed()
    from transformers import RobertaConfig, RobertaForMaskedLM

    tokenizer = bytelevel_tokenizer(mask=True)
    config = RobertaConfig(**{**TINY, "vocab_size": len(tokenizer)}, pad_token_id=3)
    folder = tmp_path_factory.mktemp("weights") / "tiny-roberta"
    return _save(folder, RobertaForMaskedLM(config), tokenizer)


@pytest.fixture(scope="session")
def tiny_albert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random ALBERT with SentencePiece-like pieces."""
    _seed()
    from transformers import AlbertConfig, AlbertForMaskedLM

    tokenizer = sentencepiece_tokenizer()
    config = AlbertConfig(**{**TINY, "vocab_size": len(tokenizer)}, embedding_size=16)
    folder = tmp_path_factory.mktemp("weights") / "tiny-albert"
    return _save(folder, AlbertForMaskedLM(config), tokenizer)


@pytest.fixture(scope="session")
def tiny_gpt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Llama with byte-level pieces and no mask token."""
    _seed()
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = bytelevel_tokenizer(mask=False)
    config = LlamaConfig(**{**TINY, "vocab_size": len(tokenizer)}, num_key_value_heads=2)
    folder = tmp_path_factory.mktemp("weights") / "tiny-gpt"
    return _save(folder, LlamaForCausalLM(config), tokenizer)


def xlnet_tokenizer() -> Any:
    """XLNet's own tokenizer over a small vocabulary."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import XLNetTokenizer

    special = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"]
    trained = Tokenizer(models.Unigram())
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=1500, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    trained.train_from_iterator(sentences(), trainer)
    vocabulary = json.loads(trained.to_str())["model"]["vocab"]
    return XLNetTokenizer(vocab=[tuple(entry) for entry in vocabulary], unk_id=0)


@pytest.fixture(scope="session")
def tiny_xlnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random XLNet whose best words stand out."""
    torch = _seed()
    from transformers import XLNetConfig, XLNetLMHeadModel

    tokenizer = xlnet_tokenizer()
    config = XLNetConfig(
        vocab_size=len(tokenizer), d_model=32, n_layer=2, n_head=2, d_inner=48, dropout=0.0
    )
    model = XLNetLMHeadModel(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(8)
    folder = tmp_path_factory.mktemp("weights") / "tiny-xlnet"
    return _save(folder, model, tokenizer)


@pytest.fixture(params=["tiny_bert", "tiny_roberta", "tiny_albert", "tiny_gpt"])
def tiny_model(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Each tiny model in turn."""
    yield request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def tiny_embedder(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence-transformers model with a pooling, a dense layer and a normalisation."""
    torch = _seed()
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Dense, Normalize
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    transformer = Transformer(str(tiny_bert), max_seq_length=24)
    dense = Dense(TINY["hidden_size"], 16, activation_function=torch.nn.Tanh())
    modules = [transformer, Pooling(TINY["hidden_size"], "mean"), dense, Normalize()]
    folder = tmp_path_factory.mktemp("weights") / "tiny-embedder"
    SentenceTransformer(modules=modules, device="cpu").save(str(folder))
    return folder


NLI_LABELS = {0: "contradiction", 1: "entailment", 2: "neutral"}


def save_classifier(folder: Path, tiny_bert: Path, labels: dict[int, str]) -> Path:
    """A random classifier of sentence pairs with these labels."""
    _seed()
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    config = BertConfig(**{**TINY, "vocab_size": len(tokenizer)}, id2label=labels)
    return _save(folder, BertForSequenceClassification(config), tokenizer)


@pytest.fixture(scope="session")
def tiny_nli(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random classifier that says whether a sentence entails another one."""
    folder = tmp_path_factory.mktemp("weights") / "tiny-nli"
    return save_classifier(folder, tiny_bert, NLI_LABELS)
