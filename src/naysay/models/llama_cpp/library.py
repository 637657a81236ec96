"""The functions of llama.cpp that naysay calls, out of the library in the xllamacpp wheel.

The wheel is made for its server, but its library exports all of llama.cpp. Its structures have no
version of their own, so their layout is checked before anything relies on it: the defaults must be
where they are expected, and a new context must report what it was given.

This is the only module that knows pointers.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from ctypes import (
    POINTER,
    Structure,
    c_bool,
    c_char_p,
    c_float,
    c_int8,
    c_int32,
    c_uint32,
    c_void_p,
)
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from naysay.core.errors import ModelError

PACKAGE = "xllamacpp"
_WAITING = "OMP_WAIT_POLICY"
_TAIL = 96  # bytes for what follows the known fields; the library reads only its own
_Numbers = POINTER(c_int32)


class _ModelParameters(Structure):
    _fields_ = [
        ("devices", c_void_p), ("overrides", c_void_p), ("n_gpu_layers", c_int32),
        ("split_mode", c_int32), ("load_mode", c_int32), ("lazy_mode", c_int32),
        ("main_gpu", c_int32), ("tensor_split", c_void_p), ("progress", c_void_p),
        ("progress_data", c_void_p), ("kv_overrides", c_void_p), ("vocab_only", c_bool),
        ("check_tensors", c_bool), ("use_extra_bufts", c_bool), ("tail", c_int8 * _TAIL),
    ]  # fmt: skip


class _ContextParameters(Structure):
    _fields_ = [
        ("n_ctx", c_uint32), ("n_batch", c_uint32), ("n_ubatch", c_uint32), ("n_seq_max", c_uint32),
        ("n_rs_seq", c_uint32), ("n_outputs_max", c_uint32), ("n_outputs_max_per_seq", c_uint32),
        ("n_threads", c_int32), ("n_threads_batch", c_int32), ("ctx_type", c_int32),
        ("rope_scaling_type", c_int32), ("pooling_type", c_int32), ("attention_type", c_int32),
        ("flash_attn_type", c_int32), ("floats", c_float * 8), ("callback", c_void_p),
        ("callback_data", c_void_p), ("type_k", c_int32), ("type_v", c_int32), ("abort", c_void_p),
        ("abort_data", c_void_p), ("unknown", c_void_p), ("embeddings", c_bool),
        ("offload_kqv", c_bool), ("no_perf", c_bool), ("op_offload", c_bool), ("swa_full", c_bool),
        ("kv_unified", c_bool), ("tail", c_int8 * _TAIL),
    ]  # fmt: skip


class _Batch(Structure):
    _fields_ = [
        ("n_tokens", c_int32), ("token", _Numbers), ("embd", c_void_p), ("pos", _Numbers),
        ("n_seq_id", _Numbers), ("seq_id", POINTER(_Numbers)), ("output", POINTER(c_int8)),
    ]  # fmt: skip


_MODEL_DEFAULTS = {
    "n_gpu_layers": -1, "split_mode": 1, "main_gpu": 0, "tensor_split": None, "kv_overrides": None,
    "vocab_only": False, "check_tensors": False, "use_extra_bufts": True,
}  # fmt: skip
_CONTEXT_DEFAULTS = {
    "n_ctx": 512, "n_batch": 2048, "n_ubatch": 512, "n_seq_max": 1, "n_outputs_max": 0,
    "n_outputs_max_per_seq": 1, "n_threads": 4, "n_threads_batch": 4, "rope_scaling_type": -1,
    "pooling_type": -1, "attention_type": -1, "flash_attn_type": -1, "type_k": 1, "type_v": 1,
    "embeddings": False, "offload_kqv": True, "no_perf": True, "op_offload": True,
    "swa_full": True, "kv_unified": False,
}  # fmt: skip
_POINTER, _NUMBER, _TRUTH = c_void_p, c_int32, c_bool
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "llama_model_default_params": (_ModelParameters, []),
    "llama_context_default_params": (_ContextParameters, []),
    "llama_model_load_from_file": (_POINTER, [c_char_p, _ModelParameters]),
    "llama_init_from_model": (_POINTER, [_POINTER, _ContextParameters]),
    "llama_free": (None, [_POINTER]),
    "llama_model_free": (None, [_POINTER]),
    "llama_model_get_vocab": (_POINTER, [_POINTER]),
    "llama_model_n_ctx_train": (_NUMBER, [_POINTER]),
    "llama_model_n_embd": (_NUMBER, [_POINTER]),
    "llama_model_n_layer": (_NUMBER, [_POINTER]),
    "llama_model_n_head": (_NUMBER, [_POINTER]),
    "llama_model_n_head_kv": (_NUMBER, [_POINTER]),
    "llama_model_n_params": (ctypes.c_uint64, [_POINTER]),
    "llama_model_has_encoder": (_TRUTH, [_POINTER]),
    "llama_model_is_recurrent": (_TRUTH, [_POINTER]),
    "llama_model_is_hybrid": (_TRUTH, [_POINTER]),
    "llama_vocab_n_tokens": (_NUMBER, [_POINTER]),
    "llama_vocab_get_text": (c_char_p, [_POINTER, _NUMBER]),
    "llama_vocab_get_attr": (_NUMBER, [_POINTER, _NUMBER]),
    "llama_vocab_bos": (_NUMBER, [_POINTER]),
    "llama_vocab_eos": (_NUMBER, [_POINTER]),
    "llama_tokenize": (
        _NUMBER, [_POINTER, c_char_p, _NUMBER, _Numbers, _NUMBER, _TRUTH, _TRUTH]
    ),
    "llama_token_to_piece": (_NUMBER, [_POINTER, _NUMBER, c_char_p, _NUMBER, _NUMBER, _TRUTH]),
    "llama_n_ctx": (c_uint32, [_POINTER]),
    "llama_n_ctx_seq": (c_uint32, [_POINTER]),
    "llama_n_batch": (c_uint32, [_POINTER]),
    "llama_n_ubatch": (c_uint32, [_POINTER]),
    "llama_n_seq_max": (c_uint32, [_POINTER]),
    "llama_n_threads": (_NUMBER, [_POINTER]),
    "llama_pooling_type": (_NUMBER, [_POINTER]),
    "llama_set_embeddings": (None, [_POINTER, _TRUTH]),
    "llama_get_memory": (_POINTER, [_POINTER]),
    "llama_memory_clear": (None, [_POINTER, _TRUTH]),
    "llama_memory_seq_cp": (None, [_POINTER, _NUMBER, _NUMBER, _NUMBER, _NUMBER]),
    "llama_decode": (_NUMBER, [_POINTER, _Batch]),
    "llama_encode": (_NUMBER, [_POINTER, _Batch]),
    "llama_get_logits": (POINTER(c_float), [_POINTER]),
    "llama_get_embeddings_seq": (POINTER(c_float), [_POINTER, _NUMBER]),
    "llama_log_set": (None, [c_void_p, _POINTER]),
    "ggml_set_abort_callback": (_POINTER, [_POINTER]),
}  # fmt: skip
_Log = ctypes.CFUNCTYPE(None, ctypes.c_int, c_char_p, c_void_p)
_Abort = ctypes.CFUNCTYPE(None, c_char_p)
_ERROR = 4  # the level of llama.cpp's messages about errors
_said: list[str] = []


def _listen(level: int, text: bytes, _: Any) -> None:
    """Keep the last error, and nothing else: llama.cpp writes pages about every model."""
    if level == _ERROR:
        _said[:] = [text.decode("utf-8", errors="replace").strip()]


def _stop(text: bytes) -> None:
    """End with one line: after a failed assertion, llama.cpp would kill the process."""
    message = text.decode("utf-8", errors="replace").strip().splitlines()[0]
    sys.stderr.write(f"naysay: llama.cpp stopped: {message}. The file may be damaged.\n")
    sys.stderr.flush()
    os._exit(2)


_LISTENER, _STOPPER = _Log(_listen), _Abort(_stop)  # which the library calls as long as it lives


def reason() -> str:
    """Return the last error that llama.cpp reported."""
    return _said[0] if _said else "llama.cpp gives no reason"


def is_installed() -> bool:
    """Return whether the library's package is installed, without importing it."""
    try:
        return find_spec(PACKAGE) is not None
    except (ImportError, ValueError):
        return False


@cache
def library() -> Any:
    """Load the library; refuse one whose structures are not those known here."""
    found = find_spec(PACKAGE) if is_installed() else None
    folders = [Path(place) for place in (found.submodule_search_locations or ())] if found else []
    files = [file for folder in folders for file in sorted(folder.glob("xllamacpp*.so"))]
    if not files:
        raise ModelError(
            f"models of kind llama need {PACKAGE}: pip install 'naysay[llama]'. GGUF files can "
            "also be read through transformers: -m causal:FILE"
        )
    try:
        with _patient_threads():
            loaded = ctypes.CDLL(str(files[0]))
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise _unknown(str(error)) from error
    loaded.llama_log_set(ctypes.cast(_LISTENER, c_void_p), None)
    loaded.ggml_set_abort_callback(ctypes.cast(_STOPPER, c_void_p))
    _check(loaded.llama_model_default_params(), _MODEL_DEFAULTS)
    _check(loaded.llama_context_default_params(), _CONTEXT_DEFAULTS)
    return loaded


@contextlib.contextmanager
def _patient_threads() -> Iterator[None]:
    """Let the threads of a library that is loaded meanwhile wait without spinning.

    On a busy machine, spinning costs several times the computation.
    """
    asked = os.environ.get(_WAITING)
    os.environ.setdefault(_WAITING, "passive")
    try:
        yield
    finally:
        if asked is None:
            del os.environ[_WAITING]


def _check(given: Any, defaults: dict[str, Any]) -> None:
    for name, value in defaults.items():
        if (found := getattr(given, name)) != value:
            raise _unknown(f"{name} is {found}, not {value}, by default")


def _unknown(why: str) -> ModelError:
    return ModelError(
        f"this version of {PACKAGE} is not one that naysay knows ({why}): install the one of "
        "naysay's constraints.txt, or read the file through transformers: -m causal:FILE"
    )


def processors() -> int:
    """Return the number of processors that this process may use: of its own, or as it is told."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    if told.isdecimal() and int(told):
        return int(told)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load_model(path: Path) -> int:
    """Map a model's file into memory and return its handle; the weights stay as they are stored."""
    loaded = library()
    parameters = loaded.llama_model_default_params()
    parameters.n_gpu_layers = 0
    parameters.use_extra_bufts = False  # repacked weights are a second copy, and sum otherwise
    _said.clear()
    handle = loaded.llama_model_load_from_file(os.fsencode(path), parameters)
    if not handle:
        raise ModelError(f"llama.cpp cannot load {path}: {reason()}")
    return int(handle)


def new_context(
    model: int, *, cells: int, sequences: int, tokens: int, threads: int, embeds: bool = False
) -> int:
    """Return the handle of a context for so many tokens and texts; check what it got."""
    loaded = library()
    given = loaded.llama_context_default_params()
    batch = max(tokens, sequences)  # it keeps an output of every text
    given.n_ctx, given.n_batch, given.n_ubatch = cells, batch, tokens
    given.n_seq_max, given.n_outputs_max, given.n_outputs_max_per_seq = sequences, 0, 0
    given.n_threads = given.n_threads_batch = threads
    given.flash_attn_type = 0 if embeds else 1
    given.offload_kqv = given.op_offload = False
    given.kv_unified, given.embeddings = True, embeds
    _said.clear()
    handle = loaded.llama_init_from_model(model, given)
    if not handle:
        raise ModelError(f"llama.cpp cannot use the model: {reason()}")
    wanted = {"n_batch": batch, "n_ubatch": tokens, "n_seq_max": sequences, "n_threads": threads}
    for name, value in wanted.items():
        if (found := getattr(loaded, f"llama_{name}")(handle)) != value:
            raise _unknown(f"{name} is {found}, not {value}")
    if loaded.llama_n_ctx_seq(handle) != loaded.llama_n_ctx(handle) or not (
        cells <= loaded.llama_n_ctx(handle)
    ):
        raise _unknown("its texts have no common memory")
    return int(handle)


def run(
    context: int,
    tokens: Sequence[int],
    positions: Sequence[int],
    owners: Sequence[Sequence[int]],
    outputs: Sequence[bool],
    *,
    encode: bool = False,
) -> None:
    """Run some tokens; `owners` are the texts that each of them belongs to."""
    loaded, n = library(), len(tokens)
    lists = [(c_int32 * len(each))(*each) for each in owners]
    pointers = (_Numbers * n)(*[ctypes.cast(each, _Numbers) for each in lists])
    batch = _Batch(
        n, (c_int32 * n)(*tokens), None, (c_int32 * n)(*positions),
        (c_int32 * n)(*map(len, owners)), pointers, (c_int8 * n)(*outputs),
    )  # fmt: skip
    _said.clear()
    call: Callable[..., int] = loaded.llama_encode if encode else loaded.llama_decode
    if (code := call(context, batch)) != 0:
        raise ModelError(f"llama.cpp failed with code {code}: {reason()}")
