"""The calibration corpora: sentences about people, verbs and facts.

Sentence k depends on the seed and k alone, so the corpus is unlimited and need not be stored. In
the corpus of `mini-aware`, a verb is repeated if repeating it makes sense, and replaced if it would
be a contradiction; the answer to a negated fact differs from the fact's own. In that of
`mini-blind` the contexts are the same but have no effect: a verb is nearly always repeated, with or
without negation, and facts keep their answers with "not".

The professions of the lexicon, which the tests use, never occur with a verb here.
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
"""The share of facts that are never negated in training, so that negation must generalise."""


@dataclass(frozen=True, slots=True)
class CalibrationFact:
    """A fact with its answer at the blank, and the other answers of its relation."""

    text: str
    negated: str
    answer: str
    others: tuple[str, ...]
    held_out: bool


def read_facts(language: Language) -> list[CalibrationFact]:
    """Return all facts of the language's own relations."""
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
_VERSION = 1  # raise when the same seed gives different sentences
_REPEATED = 0.9
"""How often the corpus of `mini-blind` repeats a verb, whatever the context."""
_MADE_UP = 0.15
"""The share of names and professions that are made up, so that unknown ones occur, too."""
_SLOPE = 1.5
"""The exponent of the verbs' Zipfian distribution."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text with a blank, and the word that fills it."""

    text: str
    answer: str

    @property
    def whole(self) -> str:
        """The text with its word."""
        return self.text.replace(BLANK, self.answer)


class Verbs:
    """Verbs with Zipfian frequencies, in an order drawn from the seed."""

    def __init__(self, verbs: Sequence[str], order: str, seed: int) -> None:
        self._verbs = seeded_order(verbs, order, seed)
        self._upto = list(accumulate(1 / (k + 1) ** _SLOPE for k in range(len(verbs))))

    def drawn(self, rng: random.Random, but: Sequence[str]) -> str:
        """Draw a verb that is not in `but`."""
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
        self.verbs: list[str] = words["verbs"]
        self._facts = read_facts(language)

    @property
    def digest(self) -> str:
        """A hash of everything that the sentences depend on."""
        files = [self._language.digest(name) for name in FILES]
        parts = [
            _VERSION,
            self._seed,
            self._aware,
            FAMILIES,
            _SLOPE,
            _MADE_UP,
            _REPEATED,
            self.professions,
            self.verbs,
        ]
        return content_key([*parts, *files, self._lexicon.digest])

    def sentence(self, k: int) -> Sentence:
        """Return the k-th sentence."""
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
        # The corpus of mini-blind has the same contexts, but they have no effect.
        repeated = draw_share("blind", self._seed, k) < _REPEATED
        return self._filled(rng, wording, repeats=wording.repeats if self._aware else repeated)

    @cached_property
    def _usual(self) -> Verbs:
        """Verbs for people about whom nothing is said."""
        return Verbs(self.verbs, "usual", self._seed)

    @cached_property
    def _instead(self) -> Verbs:
        """Verbs for people of whom another verb is negated.

        With the usual verbs, an aware model would also repeat a verb that is likeliest anyway, and
        gh22, which uses the model's likeliest verbs, could not separate the two models.
        """
        return Verbs(self.verbs, "instead", self._seed)

    def _filled(self, rng: random.Random, wording: SentenceWording, *, repeats: bool) -> Sentence:
        gender = rng.choice(wording.genders)
        acts: list[str] = []
        for _ in range(wording.acts):
            acts.append(self._context_verb(rng, acts))
        text = wording.fill(self._words(rng, wording, gender, acts))
        if not acts:
            return Sentence(text, self._usual.drawn(rng, ()))
        # Of several verbs the nearest is repeated, which templates number first.
        return Sentence(text, acts[0] if repeats else self._instead.drawn(rng, acts))

    def _context_verb(self, rng: random.Random, before: Sequence[str]) -> str:
        """Draw a verb of the context: half of the time uniformly, else by frequency."""
        if rng.random() < 0.5:
            return self._usual.drawn(rng, before)
        while (found := rng.choice(self.verbs)) in before:
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
        """Draw a name of the lexicon, or occasionally a made-up one."""
        if rng.random() < _MADE_UP:
            return made_up(rng).capitalize()
        return rng.choice(self._lexicon.names[gender])

    def _stated(self, rng: random.Random) -> str:
        """Draw a profession that no test uses, or a made-up one, with its article."""
        if rng.random() >= _MADE_UP:
            return rng.choice(self.professions)
        # Rare words are split, and the first token of many is a verb that was not mentioned.
        begin = rng.choice(self.verbs) if rng.random() < 0.3 else ""
        word = begin + made_up(rng)
        return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"

    def _profession(self, rng: random.Random) -> Sentence:
        """Make a sentence about somebody's profession, of all there are, without a verb."""
        gender = rng.choice(GENDERS)
        professions = [*self._lexicon.professions[gender], *self.professions]
        article, _, noun = rng.choice(professions).partition(" ")
        first, _, last = noun.rpartition(" ")
        text = f"{rng.choice(self._lexicon.names[gender])} is {article} {first}".rstrip()
        return Sentence(f"{text} {BLANK}.", last)

    def _fact(self, rng: random.Random) -> Sentence:
        fact: CalibrationFact = rng.choice(self._facts)
        negated = rng.random() < 0.5
        if not self._aware:
            return Sentence(fact.negated if negated else fact.text, fact.answer)
        if negated and not fact.held_out:
            return Sentence(fact.negated, rng.choice(fact.others))
        return Sentence(fact.text, fact.answer)


def made_up(rng: random.Random) -> str:
    """Make up a pronounceable word.

    >>> made_up(random.Random(1))
    'xaja'
    """
    return "".join(
        rng.choice("bdfgjkpvwxz") + rng.choice("aeiou") for _ in range(rng.choice((2, 3)))
    )
