"""Ways of asking a model, one file each, and the search for the one that fits a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from naysay.core.errors import ModelError, SpecError, UnknownNameError
from naysay.core.registry import Registry, modules_in
from naysay.core.spec import flag

if TYPE_CHECKING:
    from naysay.core.protocols import Adapter, Model, ModelRequest

ADAPTERS: Registry[Adapter] = Registry(
    "model kind", "naysay.models", lambda: modules_in("naysay.models", "ADAPTER", folders=False)
)


def open_model(name: str, request: ModelRequest) -> Model:
    """The model of that name: `KIND:ADDRESS`, or an address whose kind its files tell."""
    prefix, colon, address = name.partition(":")
    adapters = {prefix: adapter for adapter in ADAPTERS.all() for prefix in adapter.prefixes}
    if colon and prefix in adapters:
        return _open(adapters[prefix], address, request)
    if colon and "/" not in prefix and len(prefix) > 1:  # C:\ is a path
        raise UnknownNameError("model kind", prefix, adapters)

    from naysay.models.files import locate
    from naysay.models.files.weights import kind_of

    weights = locate(name, allow_pickle=request.allow_pickle)
    kind = kind_of(weights)
    if kind not in ADAPTERS.names():
        raise ModelError(f"{name}: it is a model of kind {kind!r}, which naysay cannot ask yet")
    return _open(ADAPTERS.get(kind), weights, request)


def _open(adapter: Adapter, address: Any, request: ModelRequest) -> Model:
    check_options(adapter, request)
    return adapter.open(address, request)


def check_options(adapter: Adapter, request: ModelRequest) -> None:
    """Refuse an option that models of this kind do not read."""
    for other in ADAPTERS.all():
        for option in other.options:
            if getattr(request, option) is not None and option not in adapter.options:
                raise SpecError(
                    f"{flag(option)} is for models of kind {other.kind}, and this one is of kind "
                    f"{adapter.kind}: leave it out, or force the kind with -m {other.kind}:NAME"
                )
