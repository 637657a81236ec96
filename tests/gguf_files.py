"""GGUF files of tiny models, written from transformers models, so that both can be compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def save_gguf(path: Path, model: Any, tokenizer: Any, template: str | None = None) -> Path:
    """Write a Llama, Qwen2 or Gemma 3 with a byte-level tokenizer as a GGUF file in fp32."""
    import gguf

    config = model.config
    name = {"llama": "llama", "qwen2": "qwen2", "gemma3_text": "gemma3"}[config.model_type]
    writer = gguf.GGUFWriter(str(path), name)
    heads, shared = config.num_attention_heads, config.num_key_value_heads
    size = getattr(config, "head_dim", None) or config.hidden_size // heads
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_head_count_kv(shared)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_dimension_count(size)
    writer.add_key_length(size)
    writer.add_value_length(size)
    if name == "gemma3":
        writer.add_sliding_window(config.sliding_window)
    _add_tokenizer(writer, tokenizer, config.vocab_size)
    if template:
        writer.add_chat_template(template)
    [architecture] = [key for key, each in gguf.MODEL_ARCH_NAMES.items() if each == name]
    names = gguf.get_tensor_name_map(architecture, config.num_hidden_layers)
    for key, tensor in model.state_dict().items():
        numbers = tensor.float().numpy()
        if key == "lm_head.weight" and config.tie_word_embeddings:
            continue
        if name == "llama" and ".q_proj." in key:
            numbers = _interleaved(numbers, heads)
        if name == "llama" and ".k_proj." in key:
            numbers = _interleaved(numbers, shared)
        if name == "gemma3" and key.endswith("norm.weight"):
            numbers = numbers + 1
        found = names.get_name(key, try_suffixes=(".weight", ".bias"))
        assert found, key
        writer.add_tensor(found, np.ascontiguousarray(numbers, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def dequantised(source: Path, target: Path) -> Path:
    """Copy a GGUF file with all its weights in fp32, as transformers reads them."""
    import gguf

    def plain(tensor: Any) -> tuple[Any, None]:
        numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        return np.ascontiguousarray(numbers, dtype=np.float32), None

    return _copied(source, target, plain)


def in_large_blocks(source: Path, target: Path) -> Path:
    """Copy a GGUF file with random weights in Q4_K, and in Q6_K for the head."""
    import gguf

    draws = np.random.default_rng(0)
    types = gguf.GGMLQuantizationType

    def scale(number: float, blocks: int) -> Any:
        return np.full((blocks, 1), number, dtype=np.float16).view(np.uint8)

    def drawn(tensor: Any) -> tuple[Any, Any]:
        numbers = np.ascontiguousarray(tensor.data)
        if numbers.ndim < 2 or tensor.name == "token_embd.weight":
            return numbers, None
        blocks = numbers.size // 256
        if tensor.name == "output.weight":
            content = draws.integers(0, 256, (blocks, 208), dtype=np.uint8)
            found, kind = np.hstack([content, scale(1e-4, blocks)]), types.Q6_K
        else:
            content = draws.integers(0, 256, (blocks, 140), dtype=np.uint8)
            # The second scale is that of the minima, which bring the mean to zero.
            scales = [scale(4e-4, blocks), scale(3e-3, blocks)]
            found, kind = np.hstack([*scales, content]), types.Q4_K
        return np.ascontiguousarray(found.reshape(len(numbers), -1)), kind

    return _copied(source, target, drawn)


def _copied(source: Path, target: Path, change: Callable[[Any], tuple[Any, Any]]) -> Path:
    """Copy a GGUF file; `change` returns the content of a tensor and its type, None for its own."""
    import gguf

    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(str(target), reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        kinds = [*field.types, None]
        writer.add_key_value(name, field.contents(), kinds[0], kinds[1])
    for tensor in reader.tensors:
        content, kind = change(tensor)
        writer.add_tensor(tensor.name, content, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target


def _add_tokenizer(writer: Any, tokenizer: Any, size: int) -> None:
    import gguf

    tables = json.loads(tokenizer.backend_tokenizer.to_str())
    pieces = {number: piece for piece, number in tokenizer.get_vocab().items()}
    special = set(tokenizer.all_special_ids)
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([pieces.get(k, f"[unused{k}]") for k in range(size)])
    writer.add_token_types([control if k in special else normal for k in range(size)])
    merges = tables["model"]["merges"]
    writer.add_token_merges([each if isinstance(each, str) else " ".join(each) for each in merges])
    if tokenizer.bos_token_id is not None:
        writer.add_bos_token_id(tokenizer.bos_token_id)
    if tokenizer.eos_token_id is not None:
        writer.add_eos_token_id(tokenizer.eos_token_id)
    added = tokenizer("a")["input_ids"]
    writer.add_add_bos_token(added[0] == tokenizer.bos_token_id)
    writer.add_add_eos_token(False)


def _interleaved(numbers: Any, heads: int) -> Any:
    """Reorder the rows from halves, as transformers rotates them, to pairs, as llama.cpp does."""
    rows, columns = numbers.shape
    halves = numbers.reshape(heads, 2, rows // heads // 2, columns)
    return halves.swapaxes(1, 2).reshape(rows, columns)
