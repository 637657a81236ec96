"""Opening the model of a run: by its name, as the spec says, or an object that was given."""

from __future__ import annotations

from typing import Any

from naysay.core.protocols import Model, ModelRequest
from naysay.core.spec import RunSpec
from naysay.models import open_model


def opened(model: Any, spec: RunSpec, tokenizer: Any = None) -> Model:
    """Open a model by its name, or wrap a model object, as the spec says."""
    return open_as(model, spec.model, request_of(spec), tokenizer)


def request_of(spec: RunSpec) -> ModelRequest:
    """Return how the model of a spec is opened."""
    return ModelRequest(
        precision=spec.precision,
        device=spec.device,
        token_budget=spec.token_budget,
        batch_size=spec.batch_size,
        language=str(spec.language),
        options={k: v for own in spec.adapters.values() for k, v in own.given().items()},
    )


def open_as(model: Any, name: str, request: ModelRequest, tokenizer: Any = None) -> Model:
    """Open a model by its name, or wrap a model object under that name."""
    if isinstance(model, str):
        return open_model(model, request)
    if hasattr(model, "ask") and hasattr(model, "digest"):
        given: Model = model
        return given
    from naysay.models._in_memory import wrap

    return wrap(model, name, tokenizer, request)


def model_name(model: Any) -> str:
    """Return a name for a model object."""
    inner = getattr(model, "transformers_model", None)  # of a sentence-transformers model
    for one, attribute in ((model, "name"), (model, "name_or_path"), (inner, "name_or_path")):
        if isinstance(value := getattr(one, attribute, None), str) and value:
            return value
    return type(model).__name__
