"""Safe loading of sentence models: local files only, no remote code, no missing weights."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import ModelError, WeightsError
from naysay.core.options import option
from naysay.models.files import Weights
from naysay.models.files.weights import WeightsOptions
from naysay.models.lm.finite import check_weights
from naysay.models.lm.loading import check_own_code, quiet, unreadable
from naysay.models.lm.sizes import check_size

_MISSING = (
    "embedders and cross-encoders need sentence-transformers: pip install 'naysay[hf]'. "
    "The rule-based models (known:aware, known:blind, known:random) need nothing."
)
POOLINGS = ("mean", "cls", "max", "lasttoken")
_UNUSED = "pooler"  # a layer that many checkpoints lack, and that no pooling here uses


@dataclass(frozen=True, kw_only=True)
class EmbedderOptions(WeightsOptions):
    """Options of embedders."""

    pooling: str | None = option(None, "Pooling.", choices=POOLINGS)
    prompt: str | None = option(None, "Name of a prompt, or its text.")


@dataclass(frozen=True, kw_only=True)
class CrossEncoderOptions(WeightsOptions):
    """Options of cross-encoders."""

    label: str | None = option(None, "Label for the same meaning.")


def load_embedder(weights: Weights, options: EmbedderOptions) -> Any:
    """Load a sentence-transformers model, or a plain encoder with the requested pooling."""
    library, given = _library(weights, options, "AutoModel")
    check_pooling(weights, options)
    with quiet(), _nothing_replaced(weights):
        try:
            if weights.modules:
                model = library.SentenceTransformer(str(weights.folder), device="cpu", **given)
            else:
                model = library.SentenceTransformer(
                    modules=_plain_modules(weights, options, given), device="cpu"
                )
        except Exception as error:  # files can be broken in many ways, through several libraries
            raise unreadable(weights, error) from error
    _check_complete(weights, model)
    check_weights(weights.name, model)
    return model


def check_pooling(weights: Weights, options: EmbedderOptions) -> None:
    """Refuse a second pooling, and a plain encoder without one."""
    if weights.modules and options.pooling:
        raise ModelError(f"{weights.name} has its own pooling: drop --pooling")
    if not weights.modules and not options.pooling:
        raise ModelError(
            f"{weights.name} is a plain encoder: choose how to pool its token vectors with "
            "--pooling mean, cls, max or lasttoken"
        )


def load_cross_encoder(weights: Weights, options: CrossEncoderOptions) -> Any:
    """Load the classifier with its head."""
    library, given = _library(weights, options, "AutoModelForSequenceClassification")
    with quiet(), _nothing_replaced(weights):
        try:
            model = library.CrossEncoder(str(weights.folder), device="cpu", **given)
        except Exception as error:
            raise unreadable(weights, error) from error
    _check_complete(weights, model)
    check_weights(weights.name, model)
    return model


@contextlib.contextmanager
def _nothing_replaced(weights: Weights) -> Iterator[None]:
    """Refuse a model of which the library replaced a part: it warns only."""
    warned: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: warned.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("sentence_transformers")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
    if replaced := [line for line in warned if "not trusted" in line]:
        reason = replaced[0].partition(". ")[0]
        raise ModelError(f"{weights.name}: {reason}. If you trust it, add --trust-remote-code.")


def _library(
    weights: Weights, options: WeightsOptions, auto_class: str
) -> tuple[Any, dict[str, Any]]:
    """Return the library and what it is given, if the folder is safe to load."""
    try:
        import sentence_transformers
        import torch
    except ImportError:
        raise ModelError(_MISSING) from None
    if weights.gguf:
        raise ModelError(f"{weights.name} is a GGUF file, which can only be used as a causal model")
    check_own_code(weights, options)
    own = {"local_files_only": True, "trust_remote_code": options.trust_remote_code}
    with quiet():
        try:
            check_size(weights, auto_class, own, weights.folder)
        except WeightsError:
            raise
        except Exception as error:
            raise unreadable(weights, error) from error
    return sentence_transformers, {
        **own,
        "model_kwargs": {"dtype": torch.float32, "use_safetensors": weights.is_safe},
    }


def _plain_modules(weights: Weights, options: EmbedderOptions, given: dict[str, Any]) -> list[Any]:
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    own = {"trust_remote_code": given["trust_remote_code"], "local_files_only": True}
    transformer = Transformer(
        str(weights.folder),
        model_kwargs={**given["model_kwargs"], **own},
        processor_kwargs=own,
        config_kwargs=own,
    )
    return [transformer, Pooling(transformer.get_embedding_dimension(), options.pooling)]


def _check_complete(weights: Weights, model: Any) -> None:
    """Refuse a model with missing weights: it would answer at random."""
    body = model.transformers_model
    if body is None or not weights.is_safe:
        return
    from safetensors import safe_open

    stored: set[str] = set()
    for file in weights.files:
        if file.suffix == ".safetensors":
            with safe_open(str(file), framework="pt") as opened:
                stored.update(opened.keys())
    tied = set(getattr(body, "all_tied_weights_keys", None) or {})
    prefix = f"{body.base_model_prefix}."
    missing = [
        name
        for name, _ in body.named_parameters()
        if not {name, prefix + name, name.removeprefix(prefix)} & stored
        and name not in tied
        and _UNUSED not in name
    ]
    if missing and _confirmed_missing(weights, body, set(missing)):
        raise WeightsError(
            f"{weights.name} lacks {len(missing)} of the weights that {type(body).__name__} needs "
            f"({', '.join(sorted(missing)[:3])}{', …' if len(missing) > 3 else ''}). They would be "
            "random, and so would the answers."
        )


def _confirmed_missing(weights: Weights, body: Any, suspected: set[str]) -> bool:
    """Return whether transformers, which may rename weights on loading, misses them, too."""
    with quiet():
        _, info = type(body).from_pretrained(
            str(weights.folder), local_files_only=True, output_loading_info=True
        )
    return bool(suspected & set(info.get("missing_keys", ())))
