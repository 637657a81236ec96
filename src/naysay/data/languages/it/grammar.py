"""Italian verbs in the third person singular of the present: fumare, fuma.

naysay's own list has its forms written down. For other lists they are read from the tables of the
conjugation library verbecc, where it is installed, and, before these, from `corrections.toml`. Only
the library's two data files are read: importing it would log to standard output, open a log file in
the working folder, and train a classifier that guesses the forms of verbs the tables lack.
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
_WORD = re.compile(r"[a-zàèéìòù]+")  # leaves out phrases, and "-" of a verb without the form
_THIRD_SINGULAR = 2  # the place of the person among the six of a tense


@cache
def corrections() -> dict[str, str]:
    """The forms written by hand, by infinitive."""
    with (_HERE / "corrections.toml").open("rb") as stream:
        return dict(tomllib.load(stream)["forms"])


@cache
def library_forms() -> dict[str, str]:
    """The form of every Italian verb of verbecc's tables which has one, by infinitive.

    A verb names a template such as "lav:are", and the form is the verb without the template's
    ending ("are") plus the template's ending of the person. Where two forms are in use, the ending
    is written "oca/giuoca", the usual one first.
    """
    package = importlib.util.find_spec("verbecc")  # finds the folder without importing it
    if package is None or not package.submodule_search_locations:
        raise LexiconError(f"Italian verbs are conjugated with verbecc's tables: {INSTALL}")
    folder = Path(package.submodule_search_locations[0]) / "data" / "xml"
    endings: dict[str, str] = {}
    for template in ElementTree.parse(folder / "conjugations" / "conjugations-it.xml").getroot():
        person = template.findall("./Indicativo/presente/p")[_THIRD_SINGULAR]
        endings[template.get("name", "")] = person.findtext("i", "-").split("/")[0]
    forms: dict[str, str] = {}
    for verb in ElementTree.parse(folder / "verbs" / "verbs-it.xml").getroot():
        infinitive, template_name = verb.findtext("i", ""), verb.findtext("t", "")
        ending = template_name.rpartition(":")[2]
        # Of some verbs the tables name a template that does not fit, or they have no such person.
        if infinitive.endswith(ending) and endings.get(template_name, "-") != "-":
            forms[infinitive] = infinitive.removesuffix(ending) + endings[template_name]
    return forms


def third_person(infinitive: str) -> str | None:
    """The verb's form after "lui" or "lei" (fumare: fuma), None where it is not known."""
    form = corrections().get(infinitive) or library_forms().get(infinitive)
    return form if form and _WORD.fullmatch(form) else None
