"""The word lists that the paper's authors released, read from their data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from naysay.core.errors import LexiconError
from naysay.data.upstream import upstream_folder, upstream_lines


def released_words(language: str, data_dir: Path | None) -> dict[str, Any]:
    """The tables of the released lists; what they lack is taken from the language's own."""
    if language != "en":
        raise LexiconError(f"lexicon 'gh22' is English; it does not go with language {language!r}")
    folder = upstream_folder("gh22", data_dir) / "Input"
    source = "Gubelmann and Handschuh 2022, released lists"
    return {
        "names": {
            "female": upstream_lines(folder / "top100fnames.txt"),
            "male": upstream_lines(folder / "top100mnames.txt"),
            "source": source,
        },
        "professions": {"any": upstream_lines(folder / "professions.txt"), "source": source},
    }
