"""Models with random weights and real sizes, whose tokenizers contain the suites' words.

Speed does not depend on the weights, so nothing has to be downloaded to measure it.
"""

from __future__ import annotations

import itertools
import re
import string
from pathlib import Path
from typing import Any

import torch
import transformers

from naysay.core.spec import RunSpec
from naysay.run.plan import setting_of

VOCABULARY = 30_522
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def bert_tokenizer() -> Any:
    """Create a tokenizer of BERT's size that has each word of the suites as a single token."""
    setting = setting_of(RunSpec(model="", suites=("scnt",)))
    lexicon, language = setting.lexicon, setting.language
    texts = [*lexicon.verbs, *language.pronouns.values()]
    texts += [pronoun.lower() for pronoun in language.pronouns.values()]
    for lists in (lexicon.names, lexicon.professions):
        texts += [text for words in lists.values() for text in words]
    for suite in ("scnt", "gh22"):
        texts += _strings(language.patterns(suite))
    letters = [*string.ascii_letters, *(f"##{letter}" for letter in string.ascii_letters)]
    words = re.findall(r"\w+|[^\w\s]", " ".join(texts))
    known = list(dict.fromkeys([*_SPECIAL, *letters, *words]))
    # The rest are made-up words, since most of a real vocabulary are words.
    made_up = map("".join, itertools.product(*["bdfgklmnprstvz", "aeiou"] * 2, "lmnrsxyz"))
    known = list(dict.fromkeys([*known, *made_up]))[:VOCABULARY]
    vocabulary = {word: k for k, word in enumerate(known)}
    return transformers.BertTokenizerFast(vocab=vocabulary, do_lower_case=False)


def _strings(value: Any) -> list[str]:
    """Return all texts of a pattern file, at any depth."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _strings(part)]


def save_bert(folder: Path, layers: int) -> tuple[Any, Any]:
    """Save a BERT as wide as bert-base; return it with its tokenizer."""
    torch.manual_seed(0)
    # Larger weights than a new BERT's (0.02), so that it predicts more than a few different words.
    config = transformers.BertConfig(num_hidden_layers=layers, initializer_range=0.05)
    model = transformers.BertForMaskedLM(config).eval()
    tokenizer = bert_tokenizer()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return model, tokenizer


def save_llama(folder: Path, layers: int) -> None:
    """Save a Llama as wide as SmolLM2-135M, with the BERT's vocabulary."""
    from tokenizers.processors import TemplateProcessing

    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=576, intermediate_size=1536, num_hidden_layers=layers,
        num_attention_heads=9, num_key_value_heads=3, bos_token_id=2, eos_token_id=3,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    words = bert_tokenizer().backend_tokenizer
    words.post_processor = TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 2)])
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, unk_token="[UNK]", bos_token="[CLS]", eos_token="[SEP]"
    ).save_pretrained(folder)
