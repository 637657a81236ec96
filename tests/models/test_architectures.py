"""Any transformers masked or causal model: tiny random ones of many architectures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from conftest import bytelevel_tokenizer, wordpiece_tokenizer
from naysay.core.probes import BLANK, FillBlank
from naysay.core.protocols import ModelRequest
from naysay.models import open_model

pytestmark = pytest.mark.slow  # many small trainings or runs with weights

SMALL = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48,
    "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 1,
}  # fmt: skip
MASKED: dict[str, dict[str, Any]] = {
    "Bert": {},
    "Roberta": {},
    "XLMRoberta": {},
    "Camembert": {},
    "Albert": {"embedding_size": 16},
    "DistilBert": {"dim": 32, "hidden_dim": 48, "n_layers": 2, "n_heads": 2},
    "Electra": {"embedding_size": 16},
    "MPNet": {},
    "ModernBert": {"cls_token_id": 2, "sep_token_id": 3},
    "DebertaV2": {},
    "MobileBert": {"embedding_size": 16, "intra_bottleneck_size": 16, "true_hidden_size": 16},
    "SqueezeBert": {"embedding_size": 32},
    "ConvBert": {"embedding_size": 32},
    "RoFormer": {"embedding_size": 32},
}
CAUSAL: dict[str, dict[str, Any]] = {
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 64},
    "Llama": {},
    "Mistral": {"num_key_value_heads": 2},
    "Qwen2": {"num_key_value_heads": 2},
    "Gemma": {"num_key_value_heads": 2, "head_dim": 16},
    "GPTNeoX": {},
    "OPT": {"ffn_dim": 48, "word_embed_proj_dim": 32},
    "Bloom": {"n_layer": 2, "n_head": 2},
    "Phi": {},
    "Mamba": {"state_size": 4},
}
TEXTS = [
    f"{name} is a baker who {likes} to {verb}. She {isnt} happy to {BLANK}."
    for name in ("Mary", "Ann")
    for likes in ("likes", "doesn't like")
    for isnt in ("is", "isn't")
    for verb in ("run", "swim", "talk", "sing", "answer")
]


def save(folder: Path, family: str, kind: str, tokenizer: Any, more: dict[str, Any]) -> Path:
    import transformers

    torch.manual_seed(1)
    config = getattr(transformers, f"{family}Config")(**more, vocab_size=len(tokenizer))
    names = [f"{family}{kind}", f"{family}LMHeadModel"]
    made = next(getattr(transformers, name) for name in names if hasattr(transformers, name))
    model = made(config)
    with torch.no_grad():  # larger weights, so that the best word stands out
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(8)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("family", MASKED)
def test_a_masked_model_of_any_family(family: str, tmp_path: Path) -> None:
    from transformers import AutoModelForMaskedLM

    tokenizer = wordpiece_tokenizer()
    folder = save(tmp_path / "m", family, "ForMaskedLM", tokenizer, SMALL | MASKED[family])
    asked = open_model(str(folder), ModelRequest())
    assert asked.kind == "masked"
    fills = asked.ask([FillBlank(text, top_k=2) for text in TEXTS])
    plain = AutoModelForMaskedLM.from_pretrained(folder).eval()
    for text, fill in zip(TEXTS, fills, strict=True):
        ids = tokenizer(text.replace(BLANK, tokenizer.mask_token))["input_ids"]
        with torch.inference_mode():
            logits = plain(input_ids=torch.tensor([ids])).logits[0]
        best = logits[ids.index(tokenizer.mask_token_id)].log_softmax(-1).max()
        assert fill.top[0].logprob == pytest.approx(float(best), abs=2e-3)


@pytest.mark.parametrize("family", CAUSAL)
def test_a_causal_model_of_any_family(family: str, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM

    tokenizer = bytelevel_tokenizer(mask=False)
    folder = save(tmp_path / "m", family, "ForCausalLM", tokenizer, SMALL | CAUSAL[family])
    asked = open_model(str(folder), ModelRequest())
    assert asked.kind == "causal"
    fills = asked.ask([FillBlank(text, top_k=2) for text in TEXTS])
    plain = AutoModelForCausalLM.from_pretrained(folder).eval()
    for text, fill in zip(TEXTS, fills, strict=True):
        ids = tokenizer(text.partition(BLANK)[0].rstrip())["input_ids"]
        with torch.inference_mode():
            best = plain(input_ids=torch.tensor([ids])).logits[0, -1].log_softmax(-1).max()
        assert fill.top[0].logprob == pytest.approx(float(best), abs=2e-3)


def test_most_families_run_the_fast_way(tmp_path: Path) -> None:
    tokenizer = wordpiece_tokenizer()
    slow = []
    for family in MASKED:
        folder = save(tmp_path / family, family, "ForMaskedLM", tokenizer, SMALL | MASKED[family])
        facts = open_model(str(folder), ModelRequest()).facts()
        slow += [family] if facts["head"] != "at the blank only" else []
    assert slow == []
