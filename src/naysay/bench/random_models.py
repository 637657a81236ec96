"""Models with random weights and real sizes, whose tokenizers contain the suites' words.

Speed does not depend on the weights, so nothing has to be downloaded to measure it. Where it does
depend on what a model answers, as in selection, a model is made that repeats some of the verbs.
"""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from naysay.core.keys import seeded_order
from naysay.suites.protocol import Setting

VOCABULARY = 30_522
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_IS_VERB, _IS_MASK = 0, 1
"""The dimensions of a copying model that say which token this is."""
_FLAG = 20.0
_NEVER = -1000.0


def word_tokenizer(*settings: Setting) -> Any:
    """Create a tokenizer of BERT's size that has each word of the suites as a single token."""
    import transformers

    texts = [text for setting in settings for text in _words_of(setting)]
    letters = [*string.ascii_letters, *(f"##{letter}" for letter in string.ascii_letters)]
    words = re.findall(r"\w+|[^\w\s]", " ".join(texts))
    known = list(dict.fromkeys([*_SPECIAL, *letters, *words]))
    # The rest are made-up words, since most of a real vocabulary are words.
    made_up = map("".join, itertools.product(*["bdfgklmnprstvz", "aeiou"] * 2, "lmnrsxyz"))
    known = list(dict.fromkeys([*known, *made_up]))[:VOCABULARY]
    vocabulary = {word: k for k, word in enumerate(known)}
    return transformers.BertTokenizerFast(vocab=vocabulary, do_lower_case=False)


def _words_of(setting: Setting) -> list[str]:
    lexicon, language = setting.lexicon, setting.language
    texts = [*lexicon.verbs, *forms_of(setting).values(), *language.pronouns.values()]
    texts += [pronoun.lower() for pronoun in language.pronouns.values()]
    for lists in (lexicon.names, lexicon.professions):
        texts += [text for words in lists.values() for text in words]
    return texts + _strings(language.patterns(setting.suite.patterns))


def forms_of(setting: Setting) -> dict[str, str]:
    """Return the form of each verb at the blank."""
    forms = {verb: setting.lexicon.form(verb) for verb in setting.lexicon.verbs}
    return {verb: form for verb, form in forms.items() if form is not None}


def _strings(value: Any) -> list[str]:
    """Return all texts of a pattern file, at any depth."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, Mapping) else value
    return (
        [t for part in parts for t in _strings(part)] if isinstance(value, Mapping | list) else []
    )


def random_bert(tokenizer: Any, layers: int, width: int) -> Any:
    """Create a BERT; 12 layers and a width of 768 are those of BERT-base."""
    import torch
    import transformers

    torch.manual_seed(0)
    # Larger weights than a new BERT's (0.02), so that it predicts more than a few different words.
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), num_hidden_layers=layers, hidden_size=width,
        num_attention_heads=max(1, width // 64), intermediate_size=4 * width,
        initializer_range=0.05,
    )  # fmt: skip
    return transformers.BertForMaskedLM(config).eval()


def copying_bert(
    tokenizer: Any, layers: int, width: int, forms: Mapping[str, str], share: float
) -> Any:
    """Create a BERT that repeats this share of the verbs, whatever else a text says.

    Its first attention lets the mask see the verb only, whose form it then predicts. All other
    weights of the layers are random, and small enough to leave that as it is.
    """
    import torch

    model = random_bert(tokenizer, layers, width)
    with torch.no_grad():
        for weight in model.bert.encoder.parameters():
            if weight.dim() == 2:
                weight.mul_(0.02 / 0.05)
        _copy_verbs(model, tokenizer, forms, share)
    return model


def _copy_verbs(model: Any, tokenizer: Any, forms: Mapping[str, str], share: float) -> None:
    import torch

    number = tokenizer.convert_tokens_to_ids
    embeddings, head = model.bert.embeddings, model.cls.predictions
    words = embeddings.word_embeddings.weight
    words.normal_(0.0, 1.0)
    words[:, [_IS_VERB, _IS_MASK]] = 0.0
    words[tokenizer.mask_token_id] = 0.0
    words[tokenizer.mask_token_id, _IS_MASK] = _FLAG
    for verb, form in forms.items():
        words[number(form)] = words[number(verb)]
    words[[number(verb) for verb in forms], _IS_VERB] = _FLAG
    embeddings.position_embeddings.weight.zero_()
    embeddings.token_type_embeddings.weight.zero_()

    attention = model.bert.encoder.layer[0].attention
    width = words.shape[1]
    first = torch.arange(0, width, attention.self.attention_head_size)  # of each attention head
    for part, flag in ((attention.self.query, _IS_MASK), (attention.self.key, _IS_VERB)):
        part.weight.zero_()
        part.weight[first, flag] = 1.0
    for part in (attention.self.value, attention.output.dense, head.transform.dense):
        part.weight.copy_(torch.eye(width))
    repeated = seeded_order(list(forms), 0)[: round(share * len(forms))]
    never = {*_SPECIAL, *forms, *forms.values()} - {forms[verb] for verb in repeated}
    head.bias[[number(word) for word in never]] = _NEVER


def random_llama(layers: int) -> Any:
    """Create a Llama as wide as SmolLM2-135M, with BERT's vocabulary; that one has 30 layers."""
    import torch
    import transformers

    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY, hidden_size=576, intermediate_size=1536, num_hidden_layers=layers,
        num_attention_heads=9, num_key_value_heads=3, bos_token_id=2, eos_token_id=3,
        max_position_embeddings=2048,
    )  # fmt: skip
    return transformers.LlamaForCausalLM(config).eval()


def causal_tokenizer(words: Any) -> Any:
    """Create a tokenizer for the Llama out of BERT's: it begins texts, and does not end them."""
    import transformers
    from tokenizers.processors import TemplateProcessing

    backend = words.backend_tokenizer
    backend.post_processor = TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 2)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, unk_token="[UNK]", bos_token="[CLS]", eos_token="[SEP]",
        pad_token="[PAD]",
    )  # fmt: skip


def saved(folder: Path, model: Any, tokenizer: Any) -> Path:
    """Save a model with its tokenizer."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_embedder(folder: Path, tokenizer: Any, layers: int = 6) -> Path:
    """Save an embedder as large as MiniLM, which averages its tokens."""
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), num_hidden_layers=layers, hidden_size=384,
        num_attention_heads=12, intermediate_size=1536,
    )  # fmt: skip
    inner = folder / "transformer"
    saved(inner, transformers.BertModel(config).eval(), tokenizer)
    body = Transformer(str(inner), max_seq_length=128)
    model = SentenceTransformer(modules=[body, Pooling(384, "mean")], device="cpu")
    whole = folder / "embedder"
    model.save(str(whole), create_model_card=False)
    return whole
