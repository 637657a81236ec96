"""Sentences of the tests, found in a corpus by the tests' own patterns."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence

import pytest

from naysay.core.errors import SpecError
from naysay.core.probes import BLANK
from naysay.data.frames import frame_groups
from naysay.data.languages import LANGUAGES
from naysay.data.pattern import Pattern
from naysay.suites import SUITES
from naysay.suites.scnt.selection import TripletSentences
from naysay.train.extraction import LeakPattern, leak_patterns
from naysay.train.extraction.guard import Guard
from naysay.train.extraction.sentences import Batch, clean, sentences_in

FREE = "She took the early train to the coast and walked along the beach all day."
SCNT = leak_patterns(["scnt"])


def batch_of(*lines: str) -> Batch:
    return Batch([sentences_in(clean("\n".join(lines).encode(), wrapped=False)[0], ())])


def found_in(patterns: Sequence[LeakPattern], *lines: str) -> list[tuple[str, int, int]]:
    guard = Guard(patterns)
    guard.hits(batch_of(*lines))
    return [(leak.pattern, leak.exact, leak.other) for leak in guard.leaks]


@pytest.mark.parametrize(
    ("sentence", "pattern", "exact"),
    [
        ("Mary is an architect who likes to run.", "NAME is PROF who likes to ACT.", True),
        ("“Mary is an architect who likes to run.”", "NAME is PROF who likes to ACT.", True),
        ("Zoe is a wizard who likes to conjure.", "NAME is PROF who likes to ACT.", False),
        ("They say that Mary is an architect who does not like to run, but she runs.",
         "NAME is PROF who doesn't like to ACT.", True),
        ("She is happy to run.", "SUBJ is happy to ▢.", True),
        ("Mary isn’t happy to run!", "SUBJ isn't happy to ▢.", True),
        ("She is not happy to run.", "SUBJ isn't happy to ▢.", True),
        ("Everybody is very happy to conjure.", "SUBJ is very happy to ▢.", False),
    ],
)  # fmt: skip
def test_test_sentences_are_found(sentence: str, pattern: str, exact: bool) -> None:
    assert found_in(SCNT, sentence) == [(pattern, int(exact), int(not exact))]


@pytest.mark.parametrize(
    "sentence",
    [
        "She is happy to announce that the house has been sold.",
        "We are happy to run.",
        "Mary is an architect who liked to run.",
        "He can run and she can, too.",
        "You can win.",
        "You can swim.",
        "He did it again.",
        FREE,
    ],
)
def test_other_sentences_are_not_test_sentences(sentence: str) -> None:
    assert found_in(leak_patterns(), sentence) == []


def filled(suite: str) -> list[str]:
    """Whole sentences of a suite, made as the suite makes them."""
    language = LANGUAGES.get("en")
    lexicon = language.lexicon
    slots = {
        "NAME": lexicon.names["female"][7], "PROF": lexicon.professions["female"][9],
        "PRON": "She", "SUBJ": "She", "ACT": lexicon.verbs[30], "ACT1": lexicon.verbs[31],
        "ACT2": lexicon.verbs[32], "ACT3": lexicon.verbs[33],
    }  # fmt: skip
    if suite == "scnt":
        items = TripletSentences.of(language, lexicon, suite)
        patterns = [*items.contexts.values(), *items.targets.values()]
    else:
        entries = language.patterns(suite)["template"]
        styles = ("released", "before")
        worded = [
            *entries,
            *(entry[style] for entry in entries for style in styles if style in entry),
        ]
        keys = ("context", "between", "target")
        texts = [entry[key] for entry in worded for key in keys if key in entry]
        patterns = [Pattern(text) for text in texts if "Tuesday" not in text]
    return [pattern.fill(slots).replace(BLANK, lexicon.verbs[30]) for pattern in patterns]


@pytest.mark.parametrize("suite", ["scnt", "gh22", "scnt_table2"])
def test_every_sentence_of_a_suite_is_found_as_its_own(suite: str) -> None:
    patterns = leak_patterns([suite])
    for sentence in filled(suite):
        found = found_in(patterns, sentence)
        assert [exact for _, exact, _ in found] == [1], sentence


def test_every_fact_and_frame_is_found_as_its_own() -> None:
    frames = SUITES.get("semantoneg").folder / "frames.toml"
    groups = [sentence for group in frame_groups(frames) for sentence in group.sentences]
    relations = LANGUAGES.get("en").patterns("lama")["relation"]
    facts = [
        relation[form].replace("[X]", subject).replace("[Y]", answer)
        for relation in relations
        for form in ("template", "negated")
        for subject, answer in relation["facts"]
    ]
    sentences = list(dict.fromkeys([*groups, *facts]))
    guard = Guard(leak_patterns(["lama", "semantoneg"]))
    hits = guard.hits(batch_of(*sentences))
    missed = [sentences[k] for k in range(len(sentences)) if k not in hits]
    assert missed == []
    assert sum(leak.exact for leak in guard.leaks) == len(sentences)


def test_patterns_come_from_the_languages_files() -> None:
    german = {pattern.text for pattern in leak_patterns(["scnt"], "de")}
    file = SUITES.get("scnt").folder / "patterns" / "de.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    targets = [text for labels in data["targets"].values() for text in labels.values()]
    assert german == {*data["contexts"].values(), *targets}
    found = found_in(leak_patterns(["scnt"], "de"), "Kim ist Bäcker und mag es nicht, zu zaubern.")
    assert found == [(data["contexts"]["Cn"], 0, 1)]
    shared = next(p for p in leak_patterns() if p.text == "NAME is PROF who doesn't like to ACT.")
    suites = {"gh22", "gh22_chat", "scnt", "scnt_chat", "scnt_controls", "scnt_table2"}
    assert set(shared.suite.split(", ")) == suites
    with pytest.raises(SpecError, match="'gh22' has no patterns for language 'de'"):
        leak_patterns(["gh22"], "de")
