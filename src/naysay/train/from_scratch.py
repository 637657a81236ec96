"""Small untrained BERTs with a vocabulary of whole words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_letters, digits
from typing import Any

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_CONTINUED = "##"


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a BERT."""

    width: int
    layers: int
    positions: int
    dropout: float = 0.0
    deviation: float = 0.02
    """The standard deviation of the initial weights; BERT's is too small for narrow models."""

    @property
    def heads(self) -> int:
        """The number of heads: one per 64 dimensions as in BERT, per 32 in small models."""
        return max(2, self.width // (64 if self.width >= 512 else 32))


def wordpiece(pieces: Sequence[str]) -> Any:
    """Create a cased BERT tokenizer with this vocabulary."""
    from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece
    from transformers import BertTokenizerFast

    numbers = {piece: k for k, piece in enumerate((*SPECIAL, *pieces))}
    tokenizer = Tokenizer(WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(token, numbers[token]) for token in ("[SEP]", "[CLS]")]
    tokenizer.post_processor = processors.BertProcessing(*ends)
    tokenizer.decoder = decoders.WordPiece()
    return BertTokenizerFast(tokenizer_object=tokenizer, do_lower_case=False)


def with_letters(words: Iterable[str]) -> list[str]:
    """Return the words and all letters, so that any other word can be spelled."""
    words = sorted(set(words))
    letters = sorted({*ascii_letters, *digits, *(letter for word in words for letter in word)})
    spelled = [_CONTINUED + letter for letter in letters if letter.isalnum()]
    return [*words, *(letter for letter in letters if letter not in set(words)), *spelled]


def bert(tokenizer: Any, size: Size, seed: int, **given: Any) -> Any:
    """Create a masked BERT with random weights that depend on the seed alone."""
    from naysay.train.collation import SparseMaskedLM

    return _seeded(SparseMaskedLM, tokenizer, size, seed, **given)


def classifier(tokenizer: Any, size: Size, seed: int, labels: int) -> Any:
    """Create a BERT classifier with random weights that depend on the seed alone."""
    from transformers import BertForSequenceClassification

    return _seeded(BertForSequenceClassification, tokenizer, size, seed, num_labels=labels)


def _seeded(kind: Any, tokenizer: Any, size: Size, seed: int, **given: Any) -> Any:
    import torch
    import transformers

    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=size.width,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        intermediate_size=4 * size.width,
        max_position_embeddings=size.positions,
        hidden_dropout_prob=size.dropout,
        attention_probs_dropout_prob=size.dropout,
        initializer_range=size.deviation,
        pad_token_id=tokenizer.pad_token_id,
        **given,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return kind(config)
