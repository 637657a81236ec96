"""Parts of speech, by the Hanover Tagger and its English model.

The tags are those of the British National Corpus: AJ0 adjective, AV0 adverb, VVI infinitive, and so
on. The model comes inside the tagger's package, so nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from naysay.build.sentences import Token, split
from naysay.errors import NaysayError

INSTALL = "pip install 'naysay[build]'"


class MissingExtraError(NaysayError):
    """What the builder needs is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"building from pairs needs {package}, which is not installed. Install it with: "
            f"{INSTALL}. Frames and review files need nothing."
        )


def tagged(text: str) -> list[Token]:
    """The tokens of a sentence, with their tags.

    >>> [token.tag for token in tagged("You're not tall.")]
    ['PNP', 'VBB', 'XX0', 'AJ0', 'PUN']
    """
    tokens = split(text)
    return [replace(token, tag=tag) for token, tag in zip(tokens, _tags(tokens), strict=True)]


def _tags(tokens: Sequence[Token]) -> list[str]:
    words = [token.text.replace("’", "'") for token in tokens if token.text]
    # A sentence in capitals would be all names to the tagger.
    if len(words) > 1 and all(word.isupper() for word in words if word.isalpha()):
        words = [word.lower() for word in words]
    tags = iter(_tagger().tag_sent(words, taglevel=0))
    return [next(tags) if token.text else "" for token in tokens]


@cache
def _tagger() -> Any:
    try:
        import HanTa
        from HanTa.HanoverTagger import HanoverTagger
    except ImportError as error:
        raise MissingExtraError("HanTa") from error
    # By its full path: a bare name would be looked for in the current folder first.
    return HanoverTagger(str(Path(HanTa.__file__).parent / "morphmodel_en.pgz"))
