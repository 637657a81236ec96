"""One name, profession and verb put to any model, in all conditions of the self-contained tests.

No run is needed: this is how the papers introduce their selection, with one triplet and several
models. The answers are those that a run would have recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from naysay.core.errors import LexiconError, SpecError, UnknownNameError
from naysay.core.examples import Example
from naysay.core.protocols import Model
from naysay.core.records import Fit
from naysay.core.spec import DEFAULT_LANGUAGE
from naysay.data.languages import LANGUAGES
from naysay.data.lexicon import GENDERS, Lexicon
from naysay.run.examples import with_scores
from naysay.run.opening import opened
from naysay.run.options import spec_of
from naysay.run.plan import setting_of
from naysay.run.store import table_of
from naysay.suites import SUITES
from naysay.suites.base import ask
from naysay.suites.identity import ModelIdentity
from naysay.suites.pairs import pair
from naysay.suites.protocol import Setting, Suite
from naysay.suites.published import papers, printed_name
from naysay.suites.scnt.selection import SELECTION, TESTS
from naysay.suites.scnt.suite import SelfContainedNegTest, TripletRow


@dataclass(frozen=True)
class Triplet:
    """A name, a profession with its article, and a verb."""

    gender: str
    name: str
    profession: str
    verb: str

    @classmethod
    def read(cls, text: str, lexicon: Lexicon) -> Triplet:
        """A triplet such as `Jessica,dancer,smoke`, or with a gender: `Kim,dancer,smoke,female`.

        The gender of a listed name, and the article of a listed profession, need not be given.
        """
        parts = [part.strip() for part in text.split(",")]
        if len(parts) not in (3, 4) or not all(parts):
            raise SpecError(
                f"--triplet {text!r}: give name, profession and verb, as in 'Jessica,dancer,smoke'"
            )
        name, profession, verb = parts[:3]
        gender = parts[3] if len(parts) == 4 else _gender(name, lexicon)
        if gender not in GENDERS:
            raise UnknownNameError("gender", gender, GENDERS)
        if lexicon.forms and lexicon.forms.get(verb) is None:
            raise LexiconError(
                f"--triplet: the form of {verb!r} at the blank is not known; give a listed verb"
            )
        return cls(gender, name, _with_article(profession, lexicon.professions[gender]), verb)


def _gender(name: str, lexicon: Lexicon) -> str:
    found = [gender for gender in GENDERS if name in lexicon.names[gender]]
    if len(found) != 1:
        why = "stands in both lists of names" if found else "is in no list of names"
        raise LexiconError(f"--triplet: {name} {why}; say which it is: '{name},…,…,female' or male")
    return found[0]


def _with_article(profession: str, listed: Sequence[str]) -> str:
    """The profession as it is listed; one that is not listed must have its article.

    >>> _with_article("dancer", ["a dancer"]), _with_article("a juggler", ["a dancer"])
    ('a dancer', 'a juggler')
    """
    ends = (f" {profession}", f"'{profession}", f"’{profession}")
    for one in listed:
        if one == profession or (
            one.endswith(ends) and one.count(" ") <= profession.count(" ") + 1
        ):
            return one
    articles = {one.split()[0] for one in listed if " " in one}
    if profession.split()[0] in articles or any(sign in profession for sign in "'’"):
        return profession
    raise LexiconError(
        f"--triplet: {profession!r} is not in the list of professions; write it with its article"
    )


@dataclass(frozen=True)
class TripletAnswers:
    """What a model says to a triplet."""

    model: str
    examples: tuple[Example, ...]
    """One for each subject that the suite's targets have."""
    published: str = ""
    """The paper's own first word in CpTp, if it prints this triplet and this model."""
    problem: str = ""
    """Why the verb can never be the model's first word, if it cannot."""

    @property
    def retained(self) -> bool:
        """Whether the selection would keep the triplet: the model repeats the verb in CpTp."""
        [selection] = [side for side in self.examples[0].sides if side.label == SELECTION]
        return selection.right is True

    def as_dict(self) -> dict[str, Any]:
        """The answers as plain values, ready for JSON."""
        items = [example.as_dict() for example in self.examples]
        published = self.published or None
        about = {
            "model": self.model, "retained": self.retained, "published": published,
            "problem": self.problem or None,
        }  # fmt: skip
        return {**about, "items": items}


def suite_of_triplets(language: str | None) -> str:
    """The first suite over triplets that has patterns for the language."""
    spoken = LANGUAGES.get(language or DEFAULT_LANGUAGE)
    found = [one for one in _tests() if one.speaks(spoken)]
    if not found:
        raise SpecError(f"no suite puts triplets in {spoken.about['name']}")
    return found[0].name


def _tests() -> list[Suite]:
    return [one for one in SUITES.all() if isinstance(one, SelfContainedNegTest)]


def ask_triplet(
    text: str, models: Sequence[str], suite: str, options: Mapping[str, Any]
) -> Iterator[TripletAnswers]:
    """Put a triplet to each model in turn; `options` are those of a run."""
    test = SUITES.get(suite)
    if not isinstance(test, SelfContainedNegTest):
        fit = ", ".join(one.name for one in _tests())
        raise SpecError(f"--triplet goes with {fit}, not with {suite}")
    for name in models:
        setting = setting_of(spec_of(name, [suite], options))
        triplet = Triplet.read(text, setting.lexicon)
        model = opened(name, setting.spec)
        try:
            model.prepare()
            examples = _answers(model, triplet, test, setting)
            identity = ModelIdentity.of({"name": name, **model.facts()})
            form = setting.lexicon.form(triplet.verb) or triplet.verb
            cut = model.single_pieces([form], examples[0].sides[0].text)[form]
        finally:
            model.close()
        printed = printed_word(suite, triplet, identity)
        yield TripletAnswers(name, examples, printed, cut.problem or "")


def _answers(
    model: Model, triplet: Triplet, test: SelfContainedNegTest, setting: Setting
) -> tuple[Example, ...]:
    items = test.items(setting)
    unit = pair(triplet.gender, triplet.name, triplet.profession, setting.language)
    asked = [
        (subject, about, condition)
        for subject, about in test.askings(unit, setting)
        for condition in (SELECTION, *TESTS)
    ]
    probes = [items.probe(condition, about, triplet.verb) for _, about, condition in asked]
    rows = [
        TripletRow(
            unit=unit.key, gender=triplet.gender, name=triplet.name,
            profession=triplet.profession, subject=subject, verb=triplet.verb,
            form=probe.words[0], place=0, condition=condition, text=probe.text,
            answer=answer.best, tie=answer.tie,
        )
        for (subject, _, condition), probe, answer in zip(
            asked, probes, ask(model, probes), strict=True
        )
    ]  # fmt: skip
    judged = test.judge(table_of(rows, test.row_type))
    examples = test.examples(judged, setting.spec, Fit((triplet.verb,)), setting.lexicon)
    return tuple(with_scores(model, list(examples)))


def printed_word(suite: str, triplet: Triplet, model: ModelIdentity) -> str:
    """The first word that the paper prints for this triplet and model, if it does."""
    name = printed_name(suite, model)
    for example in papers().get(suite, {}).get("example", ()):
        person, profession, verb = example["triplet"]
        same = (triplet.name, triplet.verb) == (person, verb)
        if same and triplet.profession.endswith((f" {profession}", f"'{profession}")):
            return str(example["values"].get(name, ""))
    return ""
