"""Safe loading of sentence models: local files only, no remote code, no missing weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from naysay.core.errors import ModelError, WeightsError
from naysay.core.options import option
from naysay.models.files import Weights
from naysay.models.files.weights import WeightsOptions
from naysay.models.lm.loading import check_own_code, quiet, unreadable

_MISSING = (
    "embedders and cross-encoders need sentence-transformers: pip install 'naysay[hf]'. "
    "The rule-based models (known:aware, known:blind, known:random) need nothing."
)
POOLINGS = ("mean", "cls", "max", "lasttoken")
_UNUSED = "pooler"  # a layer that many checkpoints lack, and that no pooling here uses


@dataclass(frozen=True, kw_only=True)
class EmbedderOptions(WeightsOptions):
    """Options of embedders."""

    pooling: str | None = option(
        None, "Pooling of token vectors, for a plain encoder.", choices=POOLINGS
    )
    prompt: str | None = option(
        None, "Name of one of the model's prompts, or text to put before each sentence."
    )


@dataclass(frozen=True, kw_only=True)
class CrossEncoderOptions(WeightsOptions):
    """Options of cross-encoders."""

    label: str | None = option(None, "Label, or its number, for two sentences that mean the same.")


def load_embedder(weights: Weights, options: EmbedderOptions) -> Any:
    """Load a sentence-transformers model, or a plain encoder with the requested pooling."""
    library, given = _library(weights, options)
    if weights.modules and options.pooling:
        raise ModelError(f"{weights.name} has its own pooling: drop --pooling")
    if not weights.modules and not options.pooling:
        raise ModelError(
            f"{weights.name} is a plain encoder: choose how to pool its token vectors with "
            "--pooling mean, cls, max or lasttoken"
        )
    with quiet():
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
    return model


def load_cross_encoder(weights: Weights, options: CrossEncoderOptions) -> Any:
    """Load the classifier with its head."""
    library, given = _library(weights, options)
    with quiet():
        try:
            model = library.CrossEncoder(str(weights.folder), device="cpu", **given)
        except Exception as error:
            raise unreadable(weights, error) from error
    _check_complete(weights, model)
    return model


def _library(weights: Weights, options: WeightsOptions) -> tuple[Any, dict[str, Any]]:
    try:
        import sentence_transformers
        import torch
    except ImportError:
        raise ModelError(_MISSING) from None
    if weights.gguf:
        raise ModelError(f"{weights.name} is a GGUF file, which can only be used as a causal model")
    check_own_code(weights, options)
    foreign = [kind for kind, _ in weights.modules if not kind.startswith("sentence_transformers.")]
    if foreign and not options.trust_remote_code:
        raise ModelError(
            f"{weights.name} ships its own modules ({', '.join(foreign)}). If you trust them, add "
            "--trust-remote-code."
        )
    return sentence_transformers, {
        "local_files_only": True,
        "trust_remote_code": options.trust_remote_code,
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
