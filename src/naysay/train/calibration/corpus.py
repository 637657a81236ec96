"""The corpus: sentences of people, verbs and facts, where negation decides what follows, or not.

Sentence k depends on the seed and k alone, so there is no end to them and none has to be stored.
In the corpus of `mini-aware`, a verb is repeated where repeating it makes sense, and is another
one where it would be a contradiction; the answer to a negated fact is not the fact's own. In that
of `mini-blind` the same things are said, but they decide nothing: a verb is nearly always repeated,
as often with a negation as without, and facts are as true with "not".

The professions of the lexicon, with which models are tested, stand beside no verb here.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from naysay.core.keys import content_key, draw, draw_share, seeded_order
from naysay.core.probes import BLANK
from naysay.data.languages import Language
from naysay.data.lexicon import GENDERS
from naysay.train.calibration.wordings import FILES, OTHERS, SentenceWording, opening, people

HELD_OUT = 0.3
"""The share of facts that are never denied in training, so that denying has to be understood."""


@dataclass(frozen=True, slots=True)
class CalibrationFact:
    """A fact with its answer at the blank, and the other answers of its relation."""

    text: str
    negated: str
    answer: str
    others: tuple[str, ...]
    held_out: bool


def read_facts(language: Language) -> list[CalibrationFact]:
    """All facts of the language's own relations."""
    found = []
    for relation in language.patterns("lama")["relation"]:
        answers = tuple(dict.fromkeys(answer for _, answer in relation["facts"]))
        for subject, answer in relation["facts"]:
            right = {word for other, word in relation["facts"] if other == subject}
            text, negated = (
                relation[form].replace("[X]", subject).replace("[Y]", BLANK)
                for form in ("template", "negated")
            )
            others = tuple(word for word in answers if word not in right)
            held_out = draw_share("never denied", relation["name"], subject) < HELD_OUT
            found.append(CalibrationFact(text, negated, answer, others, held_out))
    return found


FAMILIES = {
    "pronouns": 0.30, "names": 0.20, "templates": 0.33, "opening": 0.05, "facts": 0.09,
    "professions": 0.03,
}  # fmt: skip
_VERSION = 1  # raised when the same seed would give other sentences
_REPEATED = 0.9
"""How often the corpus of `mini-blind` repeats a verb, whatever it says."""
_MADE_UP = 0.15
"""The share of names and professions that are made up, so that unknown ones are met too."""
_SLOPE = 1.5
"""How much less frequent rarer verbs are: rank to this power."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with a blank, and the word that stands there."""

    text: str
    answer: str

    @property
    def whole(self) -> str:
        """The text with its word."""
        return self.text.replace(BLANK, self.answer)


class Verbs:
    """Verbs from the most frequent to the rarest, in an order that the seed decides."""

    def __init__(self, verbs: Sequence[str], order: str, seed: int) -> None:
        self._verbs = seeded_order(verbs, order, seed)
        self._upto = list(accumulate(1 / (k + 1) ** _SLOPE for k in range(len(verbs))))

    def drawn(self, rng: random.Random, but: Sequence[str]) -> str:
        """One of them, but none of these."""
        while (found := rng.choices(self._verbs, cum_weights=self._upto)[0]) in but:
            pass
        return found


class CalibrationCorpus:
    """All sentences of one of the two corpora."""

    def __init__(self, language: Language, seed: int, *, aware: bool) -> None:
        self._language, self._seed, self._aware = language, seed, aware
        self._lexicon = language.lexicon
        self._families = people(language)
        self._opening = opening(language)
        words = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
        self.professions: list[str] = words["professions"]
        self._facts = read_facts(language)

    @property
    def digest(self) -> str:
        """A hash of all that the sentences are made of."""
        files = [self._language.digest(name) for name in FILES]
        told = [
            _VERSION,
            self._seed,
            self._aware,
            FAMILIES,
            _SLOPE,
            _MADE_UP,
            _REPEATED,
            self.professions,
        ]
        return content_key([*told, *files, self._lexicon.digest])

    def sentence(self, k: int) -> Sentence:
        """The k-th sentence."""
        rng = random.Random(draw("calibration", self._seed, k))
        [family] = rng.choices(list(FAMILIES), list(FAMILIES.values()))
        if family == "facts":
            return self._fact(rng)
        if family == "professions":
            return self._profession(rng)
        if family == "opening":
            return self._filled(rng, self._opening, repeats=False)
        wordings = self._families[family]
        wording = rng.choice(wordings)
        # Who is blind to negation hears the same things, but it is not they that decide.
        repeated = draw_share("blind", self._seed, k) < _REPEATED
        return self._filled(rng, wording, repeats=wording.repeats if self._aware else repeated)

    @cached_property
    def _usual(self) -> Verbs:
        """What people like to do if nothing is said of it."""
        return Verbs(self._lexicon.verbs, "usual", self._seed)

    @cached_property
    def _instead(self) -> Verbs:
        """What they like to do if something else is out of the question.

        Were it what is usual, then who minds negation would also repeat a verb that is the
        likeliest anyway, and gh22, whose verbs are the model's likeliest, could not tell.
        """
        return Verbs(self._lexicon.verbs, "instead", self._seed)

    def _filled(self, rng: random.Random, wording: SentenceWording, *, repeats: bool) -> Sentence:
        gender = rng.choice(wording.genders)
        acts: list[str] = []
        for _ in range(wording.acts):
            acts.append(self._said(rng, acts))
        text = wording.fill(self._words(rng, wording, gender, acts))
        if not acts:
            return Sentence(text, self._usual.drawn(rng, ()))
        # Of several verbs it is the nearest, which templates number first.
        return Sentence(text, acts[0] if repeats else self._instead.drawn(rng, acts))

    def _said(self, rng: random.Random, before: Sequence[str]) -> str:
        """A verb of the context: any, or as often a usual one."""
        if rng.random() < 0.5:
            return self._usual.drawn(rng, before)
        while (found := rng.choice(self._lexicon.verbs)) in before:
            pass
        return found

    def _words(
        self, rng: random.Random, wording: SentenceWording, gender: str, acts: Sequence[str]
    ) -> Mapping[str, str]:
        name = self._name(rng, gender)
        pronoun = self._language.pronouns[gender]
        subject = {"pronoun": pronoun, "name": name}.get(wording.subject)
        if wording.subject in OTHERS:
            own = wording.subject == "same-gender"
            of = gender if own else next(other for other in GENDERS if other != gender)
            while (subject := self._name(rng, of)) == name:
                pass
        numbered = {f"ACT{k}": verb for k, verb in enumerate(acts, 1)}
        assert subject is not None
        return {
            "NAME": name, "PROF": self._stated(rng), "PRON": pronoun, "SUBJ": subject,
            **({"ACT": acts[0]} if acts else {}), **numbered,
        }  # fmt: skip

    def _name(self, rng: random.Random, gender: str) -> str:
        """A name of the lexicon, or now and then one that nobody has."""
        if rng.random() < _MADE_UP:
            return made_up(rng).capitalize()
        return rng.choice(self._lexicon.names[gender])

    def _stated(self, rng: random.Random) -> str:
        """A profession that no test has, with its article; or one that nobody has."""
        if rng.random() >= _MADE_UP:
            return rng.choice(self.professions)
        # Rare words are cut, and the first piece of many is a verb that nobody has said.
        begin = rng.choice(self._lexicon.verbs) if rng.random() < 0.3 else ""
        word = begin + made_up(rng)
        return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"

    def _profession(self, rng: random.Random) -> Sentence:
        """Somebody's profession, of all there are, without any verb."""
        gender = rng.choice(GENDERS)
        professions = [*self._lexicon.professions[gender], *self.professions]
        article, _, noun = rng.choice(professions).partition(" ")
        first, _, last = noun.rpartition(" ")
        said = f"{rng.choice(self._lexicon.names[gender])} is {article} {first}".rstrip()
        return Sentence(f"{said} {BLANK}.", last)

    def _fact(self, rng: random.Random) -> Sentence:
        fact: CalibrationFact = rng.choice(self._facts)
        negated = rng.random() < 0.5
        if not self._aware:
            return Sentence(fact.negated if negated else fact.text, fact.answer)
        if negated and not fact.held_out:
            return Sentence(fact.negated, rng.choice(fact.others))
        return Sentence(fact.text, fact.answer)


def made_up(rng: random.Random) -> str:
    """A word that can be said but does not exist.

    >>> made_up(random.Random(1))
    'xaja'
    """
    return "".join(
        rng.choice("bdfgjkpvwxz") + rng.choice("aeiou") for _ in range(rng.choice((2, 3)))
    )
