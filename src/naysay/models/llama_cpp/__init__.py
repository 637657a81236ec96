"""llama.cpp in this process, and which GGUF files it is given without being asked for."""

from __future__ import annotations

from pathlib import Path

from naysay.core.errors import ModelError, WeightsError
from naysay.models.files.gguf import MISREAD, read_header
from naysay.models.llama_cpp import library


def is_default_for(path: Path) -> bool:
    """Whether llama.cpp runs this file unless another kind is asked for.

    It does so wherever it is installed, but for models that it reads and naysay cannot ask there.
    Where it is not, it still gets what transformers has no reader for, or misreads, and says what
    to install. A damaged file is left to whoever opens it, who says what is wrong.
    """
    try:
        header = read_header(path)
    except (OSError, WeightsError):
        return False
    if header.embeds or header.architecture.startswith(MISREAD):
        return True
    return not header.keeps_a_state and _is_usable()


def _is_usable() -> bool:
    try:
        library.library()
    except ModelError:
        return False
    return True
