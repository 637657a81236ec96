"""Adapters, one module per kind of model, and the choice of the adapter for a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from naysay.core.errors import ModelError, SpecError, UnknownNameError
from naysay.core.options import declarations, flag, refuse_unknown
from naysay.core.protocols import Adapter
from naysay.core.registry import Registry, members_of, modules_in

if TYPE_CHECKING:
    from naysay.core.protocols import Model, ModelRequest
    from naysay.models.files import Weights

ADAPTERS: Registry[Adapter] = Registry(
    "model kind",
    "naysay.models",
    lambda: modules_in("naysay.models", "ADAPTER", folders=False),
    needs=lambda: members_of(Adapter),
)


def open_model(name: str, request: ModelRequest) -> Model:
    """Open a model by name: `KIND:ADDRESS`, or an address whose files show its kind."""
    prefix, colon, address = name.partition(":")
    adapters = {prefix: adapter for adapter in ADAPTERS.all() for prefix in adapter.prefixes}
    if colon and prefix in adapters:
        return _open(adapters[prefix], address, request)
    if colon and "/" not in prefix and len(prefix) > 1:  # C:\ is a path
        raise UnknownNameError("model kind", prefix, adapters)

    from naysay.models.files import locate

    weights = locate(
        name,
        allow_pickle=bool(request.options.get("allow_pickle")),
        revision=request.options.get("revision"),
    )
    return _open(adapter_for(weights), weights, request)


def adapter_for(weights: Weights) -> Adapter:
    """Return the adapter that recognises the files.

    A model without a declared architecture, or a bare encoder, is refused: its head may be missing.
    """
    found = [adapter for adapter in ADAPTERS.all() if adapter.recognises(weights)]
    if len(found) == 1:
        return found[0]
    from naysay.models.files.weights import architectures, sentence_type

    if found:
        kinds = " or ".join(f"-m {adapter.kind}:{weights.name}" for adapter in found)
        raise ModelError(f"{weights.name} fits several kinds of model; choose one: {kinds}")
    if (named := sentence_type(weights)) is not None:
        raise ModelError(f"{weights.name} is a {named}, which naysay does not support")
    listed = ", ".join(architectures(weights))
    says = f"its config.json says {listed}" if listed else "its config.json does not say"
    raise ModelError(
        f"{weights.name}: cannot determine what kind of model it is; {says}. Choose one: "
        f"-m masked:{weights.name} or -m causal:{weights.name} for a language model, "
        f"-m embedder:{weights.name} --pooling mean for a sentence encoder, "
        f"-m cross_encoder:{weights.name} for a sentence-pair classifier."
    )


def _open(adapter: Adapter, address: Any, request: ModelRequest) -> Model:
    check_options(adapter, request)
    return adapter.open(address, request)


def check_options(adapter: Adapter, request: ModelRequest) -> None:
    """Refuse an option that this kind of model does not have."""
    for name in request.options:
        if name in declarations(adapter.options_type):
            continue
        readers = [a.kind for a in ADAPTERS.all() if name in declarations(a.options_type)]
        if not readers:
            raise refuse_unknown(name, declarations(adapter.options_type))
        raise SpecError(
            f"{flag(name)} is for models of kind {', '.join(readers)}, but this model is of kind "
            f"{adapter.kind}: drop the option, or force the kind with -m {readers[0]}:NAME"
        )
