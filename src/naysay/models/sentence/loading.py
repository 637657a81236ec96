"""Loading embedders and cross-encoders: local files only, no foreign code, nothing random."""

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
    "The known models (known:aware, known:blind, known:random) need nothing."
)
POOLINGS = ("mean", "cls", "max", "lasttoken")
_UNUSED = "pooler"  # a layer that many checkpoints leave out, and that no pooling here reads


@dataclass(frozen=True, kw_only=True)
class EmbedderOptions(WeightsOptions):
    """What embedders read."""

    pooling: str | None = option(
        None, "How a plain encoder makes one vector of a sentence.", choices=POOLINGS
    )
    prompt: str | None = option(None, "A prompt's name, or a text before each sentence.")


@dataclass(frozen=True, kw_only=True)
class CrossEncoderOptions(WeightsOptions):
    """What cross-encoders read."""

    label: str | None = option(None, "The label that says that two sentences mean the same.")


def load_embedder(weights: Weights, options: EmbedderOptions) -> Any:
    """The embedder that the folder describes, or an encoder with the pooling that is asked for."""
    library, given = _library(weights, options)
    if weights.modules and options.pooling:
        raise ModelError(f"{weights.name} has its own pooling: leave --pooling out")
    if not weights.modules and not options.pooling:
        raise ModelError(
            f"{weights.name} is a plain encoder: say how one vector is made of a sentence's many, "
            "with --pooling mean, cls, max or lasttoken"
        )
    with quiet():
        try:
            if weights.modules:
                model = library.SentenceTransformer(str(weights.folder), device="cpu", **given)
            else:
                model = library.SentenceTransformer(
                    modules=_plain_modules(weights, options, given), device="cpu"
                )
        except Exception as error:  # whatever a file can hold, through several libraries
            raise unreadable(weights, error) from error
    _check_complete(weights, model)
    return model


def load_cross_encoder(weights: Weights, options: CrossEncoderOptions) -> Any:
    """The classifier with its head."""
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
        raise ModelError(f"{weights.name} is a GGUF file, which is asked as a causal model only")
    check_own_code(weights, options)
    foreign = [kind for kind, _ in weights.modules if not kind.startswith("sentence_transformers.")]
    if foreign and not options.trust_remote_code:
        raise ModelError(
            f"{weights.name} has modules of its own ({', '.join(foreign)}). If you trust them, say "
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
    """Refuse a model part of which was not in the files: it would answer at random."""
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
            "random, and so would be the answers."
        )


def _confirmed_missing(weights: Weights, body: Any, suspected: set[str]) -> bool:
    """Whether transformers, which may rename weights as it reads them, misses them too."""
    with quiet():
        _, info = type(body).from_pretrained(
            str(weights.folder), local_files_only=True, output_loading_info=True
        )
    return bool(suspected & set(info.get("missing_keys", ())))
