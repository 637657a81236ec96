"""The model that repeats a share of the verbs does so, and is a BERT otherwise."""

from __future__ import annotations

import pytest

from naysay.bench.questions import suite_setting
from naysay.bench.random_models import copying_bert, forms_of, word_tokenizer

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(("suite", "share"), [("scnt", 0.2), ("scin", 0.6)])
def test_as_many_verbs_are_repeated_as_wanted(suite: str, share: float) -> None:
    setting = suite_setting(suite, 1)
    tokenizer, forms = word_tokenizer(setting), forms_of(setting)
    model = copying_bert(tokenizer, 2, 256, forms, share)
    items, unit = setting.suite.items(setting), setting.units[0]  # type: ignore[attr-defined]
    texts = [items.text("CpTp", unit, verb).replace("▢", "[MASK]") for verb in forms]
    encoded = tokenizer(texts, return_tensors="pt", padding=True)
    with torch.inference_mode():
        logits = model(**encoded).logits
    answers = logits[encoded["input_ids"] == tokenizer.mask_token_id].argmax(dim=1).tolist()
    words = tokenizer.convert_ids_to_tokens(answers)
    repeated = sum(word == form for word, form in zip(words, forms.values(), strict=True))
    assert repeated == round(share * len(forms))


def test_every_word_of_a_suite_is_one_token() -> None:
    setting = suite_setting("scin", 1)
    tokenizer = word_tokenizer(setting)
    for verb, form in forms_of(setting).items():
        assert tokenizer.tokenize(f"{verb} {form}") == [verb, form]
