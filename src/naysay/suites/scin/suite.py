"""The suite: scnt's procedure in Italian, with one verb per pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from naysay.core.errors import LexiconError
from naysay.core.measures import Analysis
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.languages.it.grammar import third_person
from naysay.data.upstream import strings_in_pickle, upstream_folder, upstream_lines
from naysay.suites.protocol import LexiconReader
from naysay.suites.scnt.suite import SelfContainedNegTest


def released_words(language: str, data_dir: Path | None) -> dict[str, Any]:
    """The tables of the released lists; what they lack is taken from the language's own."""
    if language != "it":
        raise LexiconError(f"lexicon 'scin' is Italian; it does not go with language {language!r}")

    folder = upstream_folder("scin", data_dir) / "Inputs"
    source = "Gullace and others 2024, released lists"
    try:
        verbs = strings_in_pickle(folder / "base_verbs.joblib")
    except ValueError as error:
        raise LexiconError(str(error)) from error
    return {
        "names": {
            "female": upstream_lines(folder / "100_names_f.txt"),
            "male": upstream_lines(folder / "100_names_m.txt"),
            "source": source,
        },
        "professions": {
            "female": upstream_lines(folder / "100_mestieri_f.txt"),
            "male": upstream_lines(folder / "100_mestieri_m.txt"),
            "source": source,
        },
        "verbs": {"forms": {verb: third_person(verb) for verb in verbs}, "source": source},
    }


class SelfContainedItalianNegTest(SelfContainedNegTest):
    """The test of Gullace, Kletz, Poibeau, Lenci and Amsili (2024)."""

    name = "scin"
    version = 1
    watched = False
    patterns = "scin"
    verbs_per_pair = 1
    printed: Mapping[str, str] = {"drops": "Table 4", "selection": "Tables 3 and 5"}
    summary = "scnt in Italian: an infinitive in the context, a finite verb at the blank"
    folder = Path(__file__).parent
    lexicons: Mapping[str, LexiconReader] = {"scin": released_words}

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """As in scnt; but which verbs are one token on their own matters to scnt's paper only."""
        return replace(super().analyse(verdicts, spec, fit), differences=())


SUITE = SelfContainedItalianNegTest()
