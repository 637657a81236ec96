"""The test with a name in place of the pronoun: the same, another, another of the other gender.

It is asked with the pronoun too, since the paper reads the drops with names against those.
"""

from __future__ import annotations

from pathlib import Path

from naysay.core.errors import LexiconError
from naysay.core.keys import draw
from naysay.core.measures import Analysis
from naysay.core.protocols import Table
from naysay.core.records import Fit
from naysay.core.spec import RunSpec
from naysay.data.lexicon import GENDERS
from naysay.suites.pairs import gender_of
from naysay.suites.protocol import Setting, Unit
from naysay.suites.scnt.suite import SelfContainedNegTest


class CoreferenceControls(SelfContainedNegTest):
    """The controls of Tables 7 to 9 of Kletz, Amsili and Candito (2023)."""

    name = "scnt_controls"
    questions_per_unit = 700
    version = 2
    watched = False
    default = False
    summary = "scnt with names: does the model stop repeating verbs only for the same person?"
    folder = Path(__file__).parent

    def askings(self, unit: Unit, setting: Setting) -> list[tuple[str, Unit]]:
        """The pair with the pronoun and with each of the three names."""
        own = gender_of(unit)
        [opposite] = [gender for gender in GENDERS if gender != own]
        return [
            ("pronoun", unit),
            ("name", _with_subject(unit, unit["NAME"])),
            ("same-gender", _with_subject(unit, _other_name(unit, own, setting))),
            ("other-gender", _with_subject(unit, _other_name(unit, opposite, setting))),
        ]

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """Tables 8 and 9 with intervals, and what the same person adds to the drop."""
        from naysay.suites.scnt_controls.analysis import analyse

        return analyse(self.name, verdicts, self.asked(spec), fit)


def _with_subject(unit: Unit, subject: str) -> Unit:
    """The same pair, so that it walks the same verbs, asked about somebody."""
    kept = tuple(slot for slot in unit.slots if slot[0] != "SUBJ")
    return Unit(unit.key, (*kept, ("SUBJ", subject)))


def _other_name(unit: Unit, gender: str, setting: Setting) -> str:
    """Another name of that gender, drawn for the pair."""
    names = [name for name in setting.lexicon.names[gender] if name != unit["NAME"]]
    if not names:
        raise LexiconError(f"the controls need another {gender} name than {unit['NAME']}")
    return names[draw(setting.spec.seed, unit.key, gender) % len(names)]


SUITE = CoreferenceControls()
