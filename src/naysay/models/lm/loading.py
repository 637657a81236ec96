"""Safe loading of transformers models: local files only, no remote code, no missing head."""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from naysay.core.console import notify
from naysay.core.errors import ModelError, NaysayError, WeightsError
from naysay.core.keys import content_key
from naysay.models.files import Weights
from naysay.models.files.gguf import MISREAD
from naysay.models.files.hub import MISSING_LIBRARIES
from naysay.models.files.trust import check_data_only
from naysay.models.files.weights import WeightsOptions
from naysay.models.lm.finite import check_weights
from naysay.models.lm.sizes import check_size


def choose_device(wanted: str) -> str:
    """Return the requested device, or the best one available."""
    import torch

    if wanted != "auto":
        try:
            torch.empty(1, device=wanted)
        except (RuntimeError, AssertionError) as error:
            reason = str(error).splitlines()[0]
            raise ModelError(f"device {wanted!r} cannot be used: {reason}") from error
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def weights_content(model: Any, tokenizer: Any, about: str = "") -> str:
    """Return a hash of the weights, the vocabulary, the chat template, and an optional text."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(str(tensor.dtype).encode())
        digest.update(tensor.detach().cpu().contiguous().view(-1).float().numpy().tobytes())
    pieces = sorted(tokenizer.get_vocab().items()) if hasattr(tokenizer, "get_vocab") else []
    extra = [about] if about else []
    chats = getattr(tokenizer, "chat_template", None)
    return content_key([digest.hexdigest(), pieces, *extra, *([chats] if chats else [])])


_FEWEST_PIECES = 10  # the letters alone are more than that
PERMUTATION = "XLNetLMHeadModel"
"""The class of transformers that loads the only permutation language model."""


def load(weights: Weights, options: WeightsOptions, auto_class: str) -> tuple[Any, Any]:
    """Load the model, in fp32, and its tokenizer."""
    try:
        import torch
        import transformers
    except ImportError:
        raise ModelError(MISSING_LIBRARIES) from None
    check_own_code(weights, options)
    auto_class = _class_for(weights, auto_class)
    given: dict[str, Any] = {
        "local_files_only": True,
        "trust_remote_code": options.trust_remote_code,
    }
    if weights.gguf:
        given["gguf_file"] = weights.gguf
    with quiet(), _explained(weights, auto_class), _own_files(weights) as folder:
        check_size(weights, auto_class, given, Path(folder))
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **given)
        if not weights.gguf:
            given["use_safetensors"] = weights.is_safe
            given["ignore_mismatched_sizes"] = True  # they are refused below, with a clear message
        model, info = getattr(transformers, auto_class).from_pretrained(
            folder, dtype=torch.float32, output_loading_info=True, **given
        )
    _check_complete(weights, model, info)
    check_weights(weights.name, model)
    _check_tokenizer(weights, model, tokenizer)
    if weights.gguf and model.config.model_type.startswith(MISREAD):
        raise ModelError(
            f"{weights.name}: transformers misreads GGUF files of {model.config.model_type}; "
            f"use llama.cpp (-m llama:{weights.name}) or the model's safetensors"
        )
    return model, tokenizer


_LAYER = re.compile(r"(^|\.)(layers?|h|blocks?)\.\d+\.")
"""What the weights of a numbered layer are called."""


@contextlib.contextmanager
def _own_files(weights: Weights) -> Iterator[str]:
    """Give the folder to load from; a GGUF file is all of its model, whatever lies beside it.

    Libraries would read a chat template or a tokenizer there, which the model's digest lacks.
    """
    if not weights.gguf:
        yield str(weights.folder)
        return
    with tempfile.TemporaryDirectory() as alone:
        (Path(alone) / weights.gguf).symlink_to((weights.folder / weights.gguf).resolve())
        yield alone


def _class_for(weights: Weights, auto_class: str) -> str:
    """Return the class that loads the weights in this way of asking; refuse one that is wrong."""
    named, found = weights.name, str(weights.config.get("model_type"))
    if (found == "xlnet") == (auto_class == PERMUTATION):
        return auto_class
    if auto_class == PERMUTATION:
        raise ModelError(
            f"{named} is not a permutation language model (its type is {found}; only xlnet is). "
            f"Use -m masked:{named} or -m causal:{named}"
        )
    if auto_class != "AutoModelForMaskedLM":
        raise ModelError(
            f"{named} is an XLNet, which predicts in permuted order, not the next token: "
            f"use -m permutation:{named}"
        )
    notify(
        f"{named} is an XLNet, and is asked with a plain mask, which it was not trained on; "
        f"-m permutation:{named} asks it as it was trained"
    )
    return PERMUTATION


def check_own_code(weights: Weights, options: WeightsOptions) -> None:
    """Refuse a model that ships or names code, unless the user trusts it."""
    if not weights.gguf and not options.trust_remote_code:
        check_data_only(weights.name, weights.folder, weights.places)


def _check_complete(weights: Weights, model: Any, info: dict[str, Any]) -> None:
    """Refuse a model with missing weights: it would answer at random."""
    parameters = {name for name, _ in model.named_parameters()}
    missing = sorted(set(info.get("missing_keys", ())) & parameters)
    if missing:
        raise WeightsError(
            f"{weights.name} lacks {len(missing)} of the weights that {type(model).__name__} needs "
            f"({', '.join(missing[:3])}{', …' if len(missing) > 3 else ''}). They would be random, "
            "and so would the answers. Is it an encoder without a language-model head?"
        )
    if mismatched := info.get("mismatched_keys"):
        raise WeightsError(f"{weights.name} has weights of the wrong shape: {list(mismatched)[:3]}")
    unread = sorted(key for key in info.get("unexpected_keys", ()) if _LAYER.search(key))
    if unread:
        raise WeightsError(
            f"{weights.name} has weights of layers that its config.json does not have "
            f"({unread[0]}): the two do not belong together"
        )


def _check_tokenizer(weights: Weights, model: Any, tokenizer: Any) -> None:
    """Refuse the empty tokenizer that transformers creates if the tokenizer's files are missing."""
    rows = model.get_input_embeddings().num_embeddings
    pieces = len(set(tokenizer.get_vocab()) - set(tokenizer.all_special_tokens))
    if pieces < _FEWEST_PIECES:
        raise WeightsError(
            f"{weights.name}: its tokenizer ({type(tokenizer).__name__}) has {pieces} tokens, but "
            f"the model has {rows}, so it was not read from the model's files. Is tokenizer.json "
            "missing, or the tokenizer_class in tokenizer_config.json?"
        )


@contextlib.contextmanager
def _explained(weights: Weights, auto_class: str) -> Iterator[None]:
    try:
        yield
    except ModelError:
        raise
    except ValueError as error:
        if "Unrecognized configuration class" not in str(error):
            raise unreadable(weights, error) from error
        kinds = ("masked", "causal")
        asked, other = kinds if auto_class == "AutoModelForMaskedLM" else kinds[::-1]
        raise ModelError(
            f"{weights.name} is not a {asked} language model (its type is "
            f"{weights.config.get('model_type')}). If it is a {other} one, use "
            f"-m {other}:{weights.name}"
        ) from error
    except Exception as error:  # files can be broken in many ways, through several libraries
        raise unreadable(weights, error) from error


@contextlib.contextmanager
def usable(name: str) -> Iterator[None]:
    """Turn whatever a library raises on first use into one line: damage shows only then."""
    try:
        yield
    except NaysayError:
        raise
    except Exception as error:
        reason = (str(error).strip().splitlines() or ["no reason given"])[0]
        raise WeightsError(
            f"{name} was loaded, but cannot be used: {type(error).__name__}: {reason}. "
            "Its files may be damaged, or do not belong together."
        ) from error


def unreadable(weights: Weights, error: Exception) -> WeightsError:
    """Return the error for a model that cannot be loaded, with a one-line reason."""
    reason = (str(error).strip().splitlines() or ["no reason given"])[0]
    return WeightsError(
        f"{weights.name} cannot be loaded from {weights.folder}: {type(error).__name__}: {reason}"
    )


@contextlib.contextmanager
def quiet(*, streams: bool = True) -> Iterator[None]:
    """Silence the libraries' progress bars and warnings; naysay reports what matters.

    Without `streams`, what naysay itself writes meanwhile is still shown.
    """
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    with contextlib.ExitStack() as around:
        around.callback(logging.set_verbosity, level)
        if streams:
            nowhere = io.StringIO()
            around.enter_context(contextlib.redirect_stdout(nowhere))
            around.enter_context(contextlib.redirect_stderr(nowhere))
        elif bars:
            logging.disable_progress_bar()
            around.callback(logging.enable_progress_bar)
        yield
