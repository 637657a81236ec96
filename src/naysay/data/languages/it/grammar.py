"""The third person singular present of Italian verbs: fumare, fuma.

naysay's own list includes its forms. For other lists they are read from `corrections.toml` and then
from the tables of the conjugation library verbecc, if installed. Only the library's two data files
are read: importing it would log to standard output, open a log file in the working folder, and
train a classifier that guesses the forms of unknown verbs. Verbs in -are that the tables lack are
regular but for compounds of five verbs, so that their forms need no guess.
"""

from __future__ import annotations

import importlib.util
import re
import tomllib
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from naysay.core.errors import LexiconError

INSTALL = "pip install --no-deps verbecc==2.0.3"
_HERE = Path(__file__).parent
_WORD = re.compile(r"[a-zàèéìòù]+")  # excludes phrases, and "-" for a missing form
_THIRD_SINGULAR = 2  # the index of the person among the six of a tense
_NOT_REGULAR = ("andare", "dare", "fare", "sonare", "stare")  # some regular verbs end so by chance


@cache
def corrections() -> dict[str, str]:
    """Return the hand-written forms by infinitive."""
    with (_HERE / "corrections.toml").open("rb") as stream:
        return dict(tomllib.load(stream)["forms"])


@cache
def library_forms() -> dict[str, str]:
    """Return the forms of the Italian verbs in verbecc's tables by infinitive.

    A verb names a template such as "lav:are", and the form is the verb without the template's
    ending ("are") plus the template's ending of the person. If two forms are in use, the ending is
    written "oca/giuoca", the usual one first.
    """
    package = importlib.util.find_spec("verbecc")  # finds the folder without importing it
    if package is None or not package.submodule_search_locations:
        raise LexiconError(
            f"conjugating Italian verbs needs verbecc's tables, which are missing: {INSTALL}"
        )
    folder = Path(package.submodule_search_locations[0]) / "data" / "xml"
    endings: dict[str, str] = {}
    for template in ElementTree.parse(folder / "conjugations" / "conjugations-it.xml").getroot():
        person = template.findall("./Indicativo/presente/p")[_THIRD_SINGULAR]
        endings[template.get("name", "")] = person.findtext("i", "-").split("/")[0]
    forms: dict[str, str] = {}
    for verb in ElementTree.parse(folder / "verbs" / "verbs-it.xml").getroot():
        infinitive, template_name = verb.findtext("i", ""), verb.findtext("t", "")
        ending = template_name.rpartition(":")[2]
        # Some verbs have a template that does not fit, or lack this person.
        if infinitive.endswith(ending) and endings.get(template_name, "-") != "-":
            forms[infinitive] = infinitive.removesuffix(ending) + endings[template_name]
    return forms


def regular_form(infinitive: str) -> str | None:
    """Return the form of a verb in -are, None if it may be a compound of an irregular verb.

    >>> regular_form("bloggare"), regular_form("disfare"), regular_form("ardire")
    ('blogga', None, None)
    """
    if not infinitive.endswith("are") or infinitive.endswith(_NOT_REGULAR):
        return None
    return infinitive.removesuffix("re")


def third_person(infinitive: str) -> str | None:
    """Return the verb's form after "lui" or "lei" (fumare: fuma), None if it is unknown."""
    form = corrections().get(infinitive) or library_forms().get(infinitive)
    form = form or regular_form(infinitive)
    return form if form and _WORD.fullmatch(form) else None
