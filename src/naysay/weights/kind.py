"""What kind of model a folder holds, told from its files without loading it."""

from __future__ import annotations

import json

from naysay.errors import ModelError, WeightsError
from naysay.weights.place import Weights

_ENDINGS = {
    "ForMaskedLM": "masked",
    "ForPreTraining": "masked",
    "WithLMHeadModel": "masked",  # XLM, FlauBERT
    "LMHeadModel": "causal",
    "ForCausalLM": "causal",
    "ForSequenceClassification": "cross_encoder",
}
_SENTENCE_TYPES = {"SentenceTransformer": "embedder", "CrossEncoder": "cross_encoder"}


def kind_of(weights: Weights) -> str:
    """The kind, by what sentence-transformers or the configuration says that the model is.

    A model that names none, or a bare encoder, cannot be guessed: its head may be missing.
    """
    if weights.gguf:
        return "causal"
    if weights.modules:  # whatever the transformer in it was before
        sentence_type = _sentence_type(weights)
        if sentence_type not in _SENTENCE_TYPES:
            raise ModelError(f"{weights.name} is a {sentence_type}, which naysay cannot ask yet")
        return _SENTENCE_TYPES[sentence_type]
    told = weights.config.get("architectures")
    names = [str(name) for name in told] if isinstance(told, list) else []
    for name in names:
        for ending, kind in _ENDINGS.items():
            if name.endswith(ending):
                return kind
    found = f"its config.json says {', '.join(names)}" if names else "its config.json does not say"
    raise ModelError(
        f"{weights.name}: cannot tell what kind of model it is; {found}. Say it: "
        f"-m masked:{weights.name} or -m causal:{weights.name} for a language model, "
        f"-m embedder:{weights.name} --pooling mean for an encoder of sentences, "
        f"-m cross_encoder:{weights.name} for a classifier of sentence pairs."
    )


def _sentence_type(weights: Weights) -> str:
    """What sentence-transformers says that the model is; older files do not say it."""
    path = weights.folder / "config_sentence_transformers.json"
    try:
        told = json.loads(path.read_text(encoding="utf-8")).get("model_type")
    except FileNotFoundError:
        told = None
    except (OSError, ValueError, AttributeError) as error:
        raise WeightsError(f"{path} cannot be read: {error}") from error
    return str(told or "SentenceTransformer")
