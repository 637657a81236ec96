"""The released word lists: names, professions, and a list of verbs for each of the paper's models.

The paper takes 3,138 intransitive verbs from a dictionary and keeps, for each model, those whose
infinitive is one piece for it. The lists that came of this are released for its five models; for
any other model the suite applies the same rule to the dictionary's verbs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from naysay.core.errors import LexiconError
from naysay.data.languages.it.grammar import third_person
from naysay.data.upstream import strings_in_pickle, upstream_folder, upstream_lines
from naysay.suites.published import read_paper

NAME = "scin"
DICTIONARY = "dictionary"
"""The list of all verbs, to which the rule has yet to be applied."""
RELEASED = {
    "base": ("b-b-it-c", "b-b-it-xxl"),
    "multilg": ("m-bert",),
    "alberto": ("alb3rt0",),
    "umberto": ("UmBERTo",),
}
"""The released lists, and the models that the paper tests with each, by its own names."""
_FOLDER = Path(__file__).parent
_SOURCE = "Gullace and others 2024, released lists"


def models_of(name: str) -> list[str]:
    """Return all names of the models that a released list was made for."""
    aliases = read_paper(_FOLDER / "published.toml")["aliases"]
    return [alias for model in RELEASED[name] for alias in (model, *aliases[model])]


def released_words(language: str, data_dir: Path | None) -> dict[str, Any]:
    """Read the tables of the released lists."""
    if language != "it":
        raise LexiconError(f"lexicon 'scin' is Italian; it does not go with language {language!r}")
    folder = upstream_folder("scin", data_dir) / "Inputs"
    return {
        "names": {
            "female": upstream_lines(folder / "100_names_f.txt"),
            "male": upstream_lines(folder / "100_names_m.txt"),
            "source": _SOURCE,
        },
        "professions": {
            "female": upstream_lines(folder / "100_mestieri_f.txt"),
            "male": upstream_lines(folder / "100_mestieri_m.txt"),
            "source": _SOURCE,
        },
        "verbs": {"lists": _verb_lists(folder), "source": _SOURCE},
    }


def _verb_lists(folder: Path) -> dict[str, Any]:
    lists: dict[str, Any] = {}
    for name in RELEASED:
        try:
            verbs = strings_in_pickle(folder / f"{name}_verbs.joblib")
        except ValueError as error:
            raise LexiconError(str(error)) from error
        lists[name] = {"forms": _forms(verbs), "models": models_of(name)}
    # 24 verbs of the dictionary's list are there twice.
    every = upstream_lines(folder / "3138_verbi_intransitivi_DISC2.txt")
    lists[DICTIONARY] = {"forms": _forms(every)}
    return lists


def _forms(verbs: list[str]) -> dict[str, str | None]:
    return {verb: third_person(verb) for verb in verbs}
