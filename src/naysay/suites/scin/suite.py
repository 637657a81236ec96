"""The suite: scnt's procedure in Italian, with one verb per pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from naysay.core.errors import NoUsableWordError
from naysay.core.measures import Analysis
from naysay.core.probes import BLANK
from naysay.core.protocols import Model, Table
from naysay.core.records import Difference, Fit
from naysay.core.spec import RunSpec
from naysay.data.pattern import Pattern
from naysay.suites.identity import ModelIdentity
from naysay.suites.protocol import LexiconReader, Setting
from naysay.suites.scin.lists import DICTIONARY, NAME, RELEASED, models_of, released_words
from naysay.suites.scnt.suite import SelfContainedNegTest

_SAMPLE = 8
"""How many verbs of each pair are asked in any case: as many as a walk asks at once."""


class SelfContainedItalianNegTest(SelfContainedNegTest):
    """The test of Gullace, Kletz, Poibeau, Lenci and Amsili (2024)."""

    name = "scin"
    questions_per_unit = 20
    version = 2
    watched = False
    patterns = "scin"
    verbs_per_pair = 1
    printed: Mapping[str, str] = {"drops": "Table 4", "selection": "Tables 3 and 5"}
    summary = "scnt in Italian: an infinitive in the context, a finite verb at the blank"
    judged = (*SelfContainedNegTest.judged, "place")
    folder = Path(__file__).parent
    lexicons: Mapping[str, LexiconReader] = {NAME: released_words}

    def fit(self, model: Model, setting: Setting) -> Fit:
        """The verbs of the list whose form is one piece for the model at the blank.

        The paper counts the others, too: they are asked, and never repeated.
        """
        several: tuple[tuple[str, str], ...] = ()
        if self._released(setting.spec) and setting.lexicon.verb_list == DICTIONARY:
            several = _several_pieces(model, setting)
            out = dict(several)
            verbs = tuple(verb for verb in setting.lexicon.verbs if verb not in out)
            setting = replace(setting, lexicon=replace(setting.lexicon, verbs=verbs))
        fit = super().fit(model, setting)
        about = {**fit.about, "never": len(fit.left_out)}
        if self.options(setting.spec).readout == "top1":
            about["sample"] = _SAMPLE
        return replace(fit, left_out=(*fit.left_out, *several), about=about)

    def analyse(self, verdicts: Table, spec: RunSpec, fit: Fit) -> Analysis:
        """As in scnt, and which list of verbs it was."""
        found = super().analyse(verdicts, spec, fit)
        notes = _list_note(fit) if self._released(spec) else ()
        return replace(
            found, notes=(*notes, *found.notes), differences=tuple(self._differences(spec, fit))
        )

    def _released(self, spec: RunSpec) -> bool:
        """Whether the word lists are the paper's."""
        return self.options(spec).lexicon == NAME

    def _differences(self, spec: RunSpec, fit: Fit) -> Iterator[Difference]:
        """Where the verbs are not those that the paper tests this model with."""
        name = str(fit.about.get("verbs"))
        if not self._released(spec):
            text = "A verb's form at the blank must be one token; the paper asks that of its"
            yield Difference("pieces", f"{text} infinitive.")
        elif not ModelIdentity.of({"name": spec.model}).is_one_of(_models(name)):
            yield Difference(
                "words", f"The verbs are the list {name}, not the paper's for this model."
            )


def _models(name: str) -> list[str]:
    return models_of(name) if name in RELEASED else []


def _several_pieces(model: Model, setting: Setting) -> tuple[tuple[str, str], ...]:
    """The verbs whose infinitive is not one piece for the model in the context, and why."""
    language, verbs = setting.language, setting.lexicon.verbs
    context = Pattern(language.patterns(NAME)["contexts"]["Cp"])
    place = context.fill({**dict(setting.units[0].slots), "ACT": BLANK})
    cuts = model.single_pieces(verbs, place)
    found = tuple(
        (verb, f"infinitive in several pieces: {problem}")
        for verb in verbs
        if (problem := cuts[verb].problem) is not None
    )
    if len(found) == len(verbs):
        raise NoUsableWordError(
            f"none of the {len(verbs):,} infinitives is one piece for {model.name}, as the paper "
            "wants them: is it a model of Italian? Take naysay's own verbs (--lexicon own), or a "
            "released list (--verbs base)."
        )
    return found


def _list_note(fit: Fit) -> Iterator[str]:
    """Which of the paper's lists the verbs are, if they are of one."""
    name, never = fit.about.get("verbs"), int(fit.about.get("never", 0))
    listed = len(fit.used) + never
    if name in RELEASED:
        models = " and ".join(RELEASED[name])
        yield f"Verbs: the paper's list {name}, for {models}: {listed:,} verbs."
    elif name == DICTIONARY:
        every = len(fit.used) + len(fit.left_out)
        yield (
            f"Verbs: the paper's rule on its source list of {every:,} different intransitive "
            f"verbs: {listed:,} have an infinitive in one piece for this model."
        )


SUITE = SelfContainedItalianNegTest()
