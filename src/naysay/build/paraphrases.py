"""Groups from paraphrase pairs, as in the paper.

Of a pair with a negation on one side only, the negated sentence is used. The word after the negator
is replaced by its antonym, the negation is removed, and both are combined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from naysay.build.antonyms import Antonym, Prefixed, antonyms, chosen, find_prefixed, other_antonyms
from naysay.build.negation import Negation, negations, put_in, question_tag, take_out
from naysay.build.pairs import Dropped, Pair
from naysay.build.sentences import LeftOut, Token, base_form, inflect, join, like, split, tagged
from naysay.build.shapes import doubts, prefix_doubts
from naysay.build.targets import Target, find_target
from naysay.data.frames import article
from naysay.data.items import Group

CONFIRMED, NOT_IN_PAIR = "confirmed by the pair", "not the word in the pair"
SHORTEST = 4
"""The number of tokens that a sentence must have, punctuation included, as in the paper."""


@dataclass(frozen=True)
class Wanted:
    """Which words, negators and senses are used."""

    classes: Sequence[str] = ("adjective",)
    negators: Sequence[str] = ("not",)
    senses: str = "first"


@dataclass
class Found:
    """The groups of a file of pairs, and the pairs without one."""

    read: int = 0
    groups: list[Group] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    @property
    def left_out(self) -> Counter[str]:
        """The number of pairs without a group, by reason."""
        return Counter(dropped.reason for dropped in self.dropped)


def from_pairs(pairs: Iterable[Pair], wanted: Wanted = Wanted()) -> Found:  # noqa: B008
    """Return the groups of the pairs in order, including duplicates."""
    found = Found()
    for pair in pairs:
        found.read += 1
        try:
            found.groups += groups_of(pair, wanted)
        except LeftOut as left_out:
            found.dropped.append(Dropped(pair, left_out.reason))
    return found


def groups_of(pair: Pair, wanted: Wanted) -> list[Group]:
    """Return the groups of one pair, one per antonym; raise LeftOut if there are none."""
    sides = [pair.one, pair.other]
    if min(len([token for token in split(side) if token.text]) for side in sides) < SHORTEST:
        raise LeftOut("fewer than four tokens")
    negated = [side for side in sides if negations(split(side))]
    if len(negated) > 1:
        raise LeftOut("negation on both sides")
    if not negated:
        return _prefix_groups(pair, wanted)
    source = negated[0]
    evidence = sides[1 - sides.index(source)]
    return _groups(source, evidence, f"{pair.one} ↔ {pair.other}", wanted)


def _groups(text: str, evidence: str, source: str, wanted: Wanted) -> list[Group]:
    tokens = tagged(text)
    negation, *more = negations(tokens)
    if more:
        raise LeftOut("two negations")
    if negation.kind not in wanted.negators:
        raise LeftOut("negator not asked for")
    target = find_target(tokens, negation, wanted.classes)
    words = _words(evidence, target.word_class)
    usable = chosen(target.word, target.word_class, wanted.senses, words)
    here = _words(text, target.word_class)
    usable = [antonym for antonym in usable if antonym.word not in here]
    if not usable:
        raise LeftOut("antonym in the sentence already")
    found = []
    for antonym in usable:
        confirmed = antonym.word in words
        group = _group(tokens, negation, target, antonym, confirmed, source)
        doubted = doubts(tokens, negation, target, antonym.word, confirmed)
        found.append(replace(group, doubts=doubted))
    return found


def _words(text: str, word_class: str) -> set[str]:
    """Return the words of a sentence, and for verbs also their base forms."""
    words = {token.word for token in split(text)}
    return words | {base_form(word) for word in words} if word_class == "verb" else words


def _group(
    tokens: Sequence[Token],
    negation: Negation,
    target: Target,
    antonym: Antonym,
    confirmed: bool,
    source: str,
) -> Group:
    change = take_out(tokens, negation)
    other, notes = _exchanged(tokens, target, antonym.word)
    plain_a, plain_b = dict(change.texts), {**change.texts, **other}
    if change.verb is not None:
        verb = tokens[change.verb]
        plain_a[change.verb] = like(verb.text, inflect(base_form(verb.word), change.form))
        if change.verb == target.place:
            plain_b[change.verb] = like(verb.text, _inflected(antonym.word, change.form))
        else:
            plain_b[change.verb] = plain_a[change.verb]
    if question_tag(tokens):
        notes.append("question tag")
    if target.is_participle:
        notes.append("participle")
    notes += _antonym_notes(target.word, target.word_class, antonym, confirmed)
    return Group(
        join(tokens, plain_a),
        join(tokens),
        join(tokens, plain_b),
        join(tokens, other),
        target.word,
        antonym.word,
        target.word_class,
        negation.kind,
        notes=tuple(notes),
        source=source,
    )


def _exchanged(
    tokens: Sequence[Token], target: Target, antonym: str
) -> tuple[dict[int, str], list[str]]:
    """Replace the word by its antonym, with the right article."""
    token = tokens[target.place]
    form = _inflected(antonym, target.form) if target.form else antonym
    texts = {target.place: like(token.text, form)}
    before = tokens[target.place - 1] if target.place else Token("")
    if before.word in ("a", "an") and before.word != article(form):
        texts[target.place - 1] = like(before.text + token.text, article(form))
        return texts, ["article changed"]
    return texts, []


def _inflected(verb: str, form: str) -> str:
    if not (inflected := inflect(verb, form)):
        raise LeftOut("cannot be inflected")
    return inflected


def _antonym_notes(word: str, word_class: str, antonym: Antonym, confirmed: bool) -> list[str]:
    conditions = {
        "several antonyms": len(antonyms(word, word_class)) > 1,
        "later sense": antonym.sense > 1,
        "antonym of a synonym": not antonym.own,
        CONFIRMED: confirmed,
        NOT_IN_PAIR: not confirmed,
    }
    return [note for note, holds in conditions.items() if holds]


def _prefix_groups(pair: Pair, wanted: Wanted) -> list[Group]:
    """Return the groups of a pair whose negation is a prefix, if requested."""
    if "prefix" not in wanted.negators or "adjective" not in wanted.classes:
        raise LeftOut("no negation")
    sides = [(tokens, find_prefixed(tokens)) for tokens in map(tagged, (pair.one, pair.other))]
    held = [(tokens, found) for tokens, found in sides if found]
    if not held:
        raise LeftOut("no negation")
    if len(held) > 1:
        raise LeftOut("negation on both sides")
    [(tokens, found)] = held
    evidence = {token.word for side, _ in sides if side is not tokens for token in side}
    source = f"{pair.one} ↔ {pair.other}"
    usable = other_antonyms(found, wanted.senses, evidence)
    return [_prefix_group(tokens, found, a, a.word in evidence, source) for a in usable]


def _prefix_group(
    tokens: Sequence[Token], found: Prefixed, antonym: Antonym, confirmed: bool, source: str
) -> Group:
    target = Target(found.place, "adjective", found.word)
    stem, stem_notes = _exchanged(tokens, target, found.stem)
    other, other_notes = _exchanged(tokens, target, antonym.word)
    negated = put_in(tokens, found.place)
    notes = sorted({*stem_notes, *other_notes})
    if question_tag(tokens):
        notes.append("question tag")
    notes += _antonym_notes(found.stem, "adjective", antonym, confirmed)
    return Group(
        join(tokens, stem),
        join(tokens),
        join(tokens, other),
        join(tokens, {**negated, **other}),
        found.stem,
        antonym.word,
        "adjective",
        "prefix",
        prefix_doubts(tokens, found.place, found.stem, antonym.word, confirmed),
        tuple(notes),
        source,
    )
