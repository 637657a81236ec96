"""What a model in memory is, by its content."""

from __future__ import annotations

import hashlib
from typing import Any

from naysay.keys import content_key


def weights_content(model: Any, tokenizer: Any, about: str = "") -> str:
    """A hash of the weights, the vocabulary, and whatever else is said about the model."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(str(tensor.dtype).encode())
        digest.update(tensor.detach().cpu().contiguous().view(-1).float().numpy().tobytes())
    pieces = sorted(tokenizer.get_vocab().items()) if hasattr(tokenizer, "get_vocab") else []
    told = [about] if about else []
    return content_key([digest.hexdigest(), pieces, *told])
