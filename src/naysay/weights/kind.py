"""What kind of model a folder holds, told from its files without loading it."""

from __future__ import annotations

from naysay.errors import ModelError
from naysay.weights.place import Weights

_ENDINGS = {
    "ForMaskedLM": "masked",
    "ForPreTraining": "masked",
    "WithLMHeadModel": "masked",  # XLM, FlauBERT
    "LMHeadModel": "causal",
    "ForCausalLM": "causal",
}


def kind_of(weights: Weights) -> str:
    """The kind, masked or causal, by the architecture that the configuration names.

    A model that names none, or a bare encoder, cannot be guessed: its head may be missing.
    """
    if weights.gguf:
        return "causal"
    told = weights.config.get("architectures")
    names = [str(name) for name in told] if isinstance(told, list) else []
    for name in names:
        for ending, kind in _ENDINGS.items():
            if name.endswith(ending):
                return kind
    found = f"its config.json says {', '.join(names)}" if names else "its config.json does not say"
    if (weights.folder / "modules.json").is_file():
        raise ModelError(
            f"{weights.name} is a sentence embedder ({found}): it has no head that fills a blank, "
            "so no suite here can ask it"
        )
    raise ModelError(
        f"{weights.name}: cannot tell whether it is a masked or a causal language model; {found}. "
        f"Say it with -m masked:{weights.name} or -m causal:{weights.name}."
    )
