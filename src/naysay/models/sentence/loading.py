"""Loading embedders and cross-encoders: local files only, no foreign code, nothing random."""

from __future__ import annotations

from typing import Any

from naysay.core.errors import ModelError, WeightsError
from naysay.core.protocols import ModelRequest
from naysay.models.files import Weights
from naysay.models.lm.loading import check_own_code, quiet, unreadable

_MISSING = (
    "embedders and cross-encoders need sentence-transformers: pip install 'naysay[hf]'. "
    "The known models (known:aware, known:blind, known:random) need nothing."
)
_UNUSED = "pooler"  # a layer that many checkpoints leave out, and that no pooling here reads


def load_embedder(weights: Weights, request: ModelRequest) -> Any:
    """The embedder that the folder describes, or an encoder with the pooling that is asked for."""
    library, options = _library(weights, request)
    if weights.modules and request.pooling:
        raise ModelError(f"{weights.name} has its own pooling: leave --pooling out")
    if not weights.modules and not request.pooling:
        raise ModelError(
            f"{weights.name} is a plain encoder: say how one vector is made of a sentence's many, "
            "with --pooling mean, cls, max or lasttoken"
        )
    with quiet():
        try:
            if weights.modules:
                model = library.SentenceTransformer(str(weights.folder), device="cpu", **options)
            else:
                model = library.SentenceTransformer(
                    modules=_plain_modules(weights, request, options), device="cpu"
                )
        except Exception as error:  # whatever a file can hold, through several libraries
            raise unreadable(weights, error) from error
    _check_complete(weights, model)
    return model


def load_cross_encoder(weights: Weights, request: ModelRequest) -> Any:
    """The classifier with its head."""
    library, options = _library(weights, request)
    with quiet():
        try:
            model = library.CrossEncoder(str(weights.folder), device="cpu", **options)
        except Exception as error:
            raise unreadable(weights, error) from error
    _check_complete(weights, model)
    return model


def _library(weights: Weights, request: ModelRequest) -> tuple[Any, dict[str, Any]]:
    try:
        import sentence_transformers
        import torch
    except ImportError:
        raise ModelError(_MISSING) from None
    if weights.gguf:
        raise ModelError(f"{weights.name} is a GGUF file, which is asked as a causal model only")
    check_own_code(weights, request)
    foreign = [kind for kind, _ in weights.modules if not kind.startswith("sentence_transformers.")]
    if foreign and not request.trust_remote_code:
        raise ModelError(
            f"{weights.name} has modules of its own ({', '.join(foreign)}). If you trust them, say "
            "--trust-remote-code."
        )
    return sentence_transformers, {
        "local_files_only": True,
        "trust_remote_code": request.trust_remote_code,
        "model_kwargs": {"dtype": torch.float32, "use_safetensors": weights.is_safe},
    }


def _plain_modules(weights: Weights, request: ModelRequest, options: dict[str, Any]) -> list[Any]:
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    own = {"trust_remote_code": options["trust_remote_code"], "local_files_only": True}
    transformer = Transformer(
        str(weights.folder),
        model_kwargs={**options["model_kwargs"], **own},
        processor_kwargs=own,
        config_kwargs=own,
    )
    return [transformer, Pooling(transformer.get_embedding_dimension(), request.pooling)]


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
