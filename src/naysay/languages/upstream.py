"""Word lists of the papers' authors, read from a data set; none of them ships with naysay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from naysay.datasets import require
from naysay.errors import DatasetError, LexiconError


def _folder(name: str, data_dir: Path | None) -> Path:
    try:
        return require(name, data_dir)
    except DatasetError as error:
        raise LexiconError(str(error)) from error


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise LexiconError(
            f"{path} cannot be read ({error.strerror}): the data folder must be laid out "
            "as upstream's repository"
        ) from error
    # An empty line inside stays, so that the lexicon's check can name it.
    return [line.strip() for line in text.rstrip("\n").split("\n")]


def _gh22(language: str, data_dir: Path | None) -> dict[str, Any]:
    if language != "en":
        raise LexiconError(f"lexicon 'gh22' is English; it does not go with language {language!r}")
    folder = _folder("gh22", data_dir) / "Input"
    source = "Gubelmann and Handschuh 2022, released lists"
    return {
        "names": {
            "female": _lines(folder / "top100fnames.txt"),
            "male": _lines(folder / "top100mnames.txt"),
            "source": source,
        },
        "professions": {"any": _lines(folder / "professions.txt"), "source": source},
    }


def _scin(language: str, data_dir: Path | None) -> dict[str, Any]:
    if language != "it":
        raise LexiconError(f"lexicon 'scin' is Italian; it does not go with language {language!r}")
    from naysay.languages.it.grammar import third_person
    from naysay.store.pickled import strings_in_pickle

    folder = _folder("scin", data_dir) / "Inputs"
    source = "Gullace and others 2024, released lists"
    try:
        verbs = strings_in_pickle(folder / "base_verbs.joblib")
    except ValueError as error:
        raise LexiconError(str(error)) from error
    return {
        "names": {
            "female": _lines(folder / "100_names_f.txt"),
            "male": _lines(folder / "100_names_m.txt"),
            "source": source,
        },
        "professions": {
            "female": _lines(folder / "100_mestieri_f.txt"),
            "male": _lines(folder / "100_mestieri_m.txt"),
            "source": source,
        },
        "verbs": {"forms": {verb: third_person(verb) for verb in verbs}, "source": source},
    }


UPSTREAM: dict[str, Callable[[str, Path | None], dict[str, Any]]] = {
    "gh22": _gh22,
    "scin": _scin,
}
