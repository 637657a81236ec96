"""Safe loading of transformers models: local files only, no remote code, no missing head."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterator
from typing import Any

from naysay.core.errors import ModelError, WeightsError
from naysay.core.keys import content_key
from naysay.models.files import Weights
from naysay.models.files.hub import MISSING_LIBRARIES
from naysay.models.files.weights import WeightsOptions


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
    """Return a hash of the weights, the vocabulary, and an optional description."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(str(tensor.dtype).encode())
        digest.update(tensor.detach().cpu().contiguous().view(-1).float().numpy().tobytes())
    pieces = sorted(tokenizer.get_vocab().items()) if hasattr(tokenizer, "get_vocab") else []
    extra = [about] if about else []
    return content_key([digest.hexdigest(), pieces, *extra])


_FEWEST_PIECES = 10  # the letters alone are more than that
_OTHERWISE = {
    "xlnet": "it predicts in permuted order, which neither a mask nor the next token can query",
}
_WRONG_GGUF = ("gemma3", "gemma3_text")


def load(weights: Weights, options: WeightsOptions, auto_class: str) -> tuple[Any, Any]:
    """Load the model, in fp32, and its tokenizer."""
    try:
        import torch
        import transformers
    except ImportError:
        raise ModelError(MISSING_LIBRARIES) from None
    check_own_code(weights, options)
    if reason := _OTHERWISE.get(str(weights.config.get("model_type"))):
        raise ModelError(f"{weights.name} is not supported: {reason}")
    given: dict[str, Any] = {
        "local_files_only": True,
        "trust_remote_code": options.trust_remote_code,
    }
    if weights.gguf:
        given["gguf_file"] = weights.gguf
    with quiet(), _explained(weights, auto_class):
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(weights.folder), **given)
        if not weights.gguf:
            given["use_safetensors"] = weights.is_safe
            given["ignore_mismatched_sizes"] = True  # they are refused below, with a clear message
        model, info = getattr(transformers, auto_class).from_pretrained(
            str(weights.folder), dtype=torch.float32, output_loading_info=True, **given
        )
    _check_complete(weights, model, info)
    _check_tokenizer(weights, model, tokenizer)
    if weights.gguf and model.config.model_type in _WRONG_GGUF:
        raise ModelError(
            f"{weights.name}: transformers misreads GGUF files of {model.config.model_type}; "
            "use the model's safetensors"
        )
    return model, tokenizer


def check_own_code(weights: Weights, options: WeightsOptions) -> None:
    """Refuse a model that ships code, unless the user trusts it."""
    if weights.config.get("auto_map") and not options.trust_remote_code:
        raise ModelError(
            f"{weights.name} ships its own code. If you trust it, add --trust-remote-code."
        )


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
