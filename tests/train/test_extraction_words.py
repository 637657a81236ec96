"""Words that count, by each rule, and where sentences end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naysay.core.errors import LexiconError
from naysay.train.extraction.rules import NegationWords, wording, wording_from
from naysay.train.extraction.sentences import clean, sentences_in

EN = wording("en")
STRICT, PAPER, SUBSTRING = (EN.rule(name) for name in ("strict", "paper", "substring"))


def words(found: Sequence[Any]) -> list[str]:
    return [one.word for one in found]


def split(text: str) -> list[str]:
    clean_text, _ = clean(text.encode(), wrapped=False)
    found = sentences_in(clean_text, EN.abbreviations)
    return [found[k] for k in range(len(found))]


@pytest.mark.parametrize(
    ("sentence", "negation"),
    [
        ("It is not so.", ["not"]),
        ("It isn't so, it isn’t.", ["n't", "n't"]),
        ("He CANNOT and can't.", ["cannot", "n't"]),
        ("No longer is it so.", ["no longer"]),
        ("There was no hope.", ["no"]),
        ("Neither he nor she.", ["neither", "nor"]),
        ("Nobody knows nothing, no-one.", ["nobody", "nothing", "no-one"]),
        ("Never say never.", ["never", "never"]),
        ("No, thanks.", []),
        ("See No. 5 of the list.", []),
        ("Another knot in the notebook.", []),
        ("A northern notion of nothingness.", []),
        ("It is not only good.", []),
        ("It isn't just good.", []),
        ("It is not onlyish.", ["not"]),
        ("Tell me whether or not it is.", []),
        ("He has nothing but money.", []),
        ("He can't help but laugh.", []),
        ("He can't help it.", ["n't"]),
        ("Not only that, it is not so.", ["not"]),
        ("ünot notü not", ["not"]),
        ("“Not” — so …not…", ["not", "not"]),
    ],
)
def test_strict_negation(sentence: str, negation: list[str]) -> None:
    assert words(STRICT.negation.found(sentence)) == negation
    assert STRICT.negation.mask(pa.array([sentence + "\n"])).tolist() == [bool(negation)]


@pytest.mark.parametrize(
    ("sentence", "contrast"),
    [
        ("Small but good.", ["but"]),
        ("However, it is.", ["however"]),
        ("However hard he tried.", []),
        ("Although, though and even though.", ["although", "though", "though"]),
        ("As though it were.", []),
        ("In contrast, by contrast.", ["in contrast", "by contrast"]),
        ("Unlike him, it is unlikely.", ["unlike"]),
        ("Butter and rebuttal.", []),
        ("Nothing but the best, anything but bad.", []),
        ("Not yet.", []),
        ("Yet he came, the best yet.", ["yet"]),
        ("“Yet he came.”", ["yet"]),
        ("It was late, yet he came.", ["yet"]),
        ("Not good but also not bad.", []),
        ("He had no choice but to go, but he stayed.", ["but"]),
        ("While he slept, it was still dark.", []),
        ("Tea rather than coffee, rather good.", ["rather than"]),
    ],
)
def test_strict_contrast(sentence: str, contrast: list[str]) -> None:
    assert words(STRICT.contrast.found(sentence)) == contrast
    assert STRICT.contrast.mask(pa.array([sentence + "\n"])).tolist() == [bool(contrast)]


def test_substrings_are_found_inside_words() -> None:
    assert words(SUBSTRING.negation.found("Another NOTE, isn’t it? Normal.")) == [
        "not", "not", "n't", "nor",
    ]  # fmt: skip
    assert words(SUBSTRING.contrast.found("Butter; the attribute.")) == ["but", "but"]
    assert not SUBSTRING.contrast.found("Although it is.")


@pytest.mark.parametrize(
    ("sentence", "negation", "contrast"),
    [
        ("There is no hope, but we go.", ["no"], ["but"]),
        ("He didn't butter it.", ["n't"], ["but"]),
        ("It is not so, but it was.", [], ["but"]),  # "not" is not in the expression
        ("No hope, No, not a no.", [], []),  # a space on both sides, in lower case
        ("It isn’t so, But even.", [], ["even"]),  # no typographic apostrophe, and case counts
        ("Of these none came.", ["none"], []),
        ("A non profit, a non-profit.", ["non"], []),  # "e*" is any number of "e"
        ("So nonee came, none.", ["nonee"], []),
        ("The none* of it.", [], []),  # the star is none of the text
        ("Seven events, rather.", [], ["even", "even", "rather"]),
    ],
)
def test_the_papers_rule_is_its_two_expressions(
    sentence: str, negation: list[str], contrast: list[str]
) -> None:
    for search, wanted in ((PAPER.negation, negation), (PAPER.contrast, contrast)):
        assert words(search.found(sentence)) == wanted
        assert search.mask(pa.array([sentence + "\n"])).tolist() == [bool(wanted)]
        for one in search.found(sentence):
            assert sentence[one.start : one.end] == one.word


def printed(sentence: str) -> bool:
    """The condition as appendix D prints it, without the backslash that marks the star in print."""
    return bool(
        re.search("( no )|( none* )|(n't)", sentence)
        and re.search("rather|even|but", sentence)
        and len(sentence) > 64
    )


@pytest.mark.parametrize("what", ["negation", "contrast"])
def test_every_listed_word_and_phrase_does_what_it_says(what: str) -> None:
    search = getattr(STRICT, what)
    assert isinstance(search, NegationWords)
    for word in search.words:
        text = f"He would{word[1:]} go." if word[0] == "-" else f"So {word} that."
        assert search.found(text), word
    for phrase in search.exceptions:
        text = f"He would{phrase[1:]} go." if phrase[0] == "-" else f"So {phrase} that."
        assert not search.found(text), phrase
        assert not search.mask(pa.array([text]))[0], phrase
        assert search.excepted(text), phrase


_PIECES = st.sampled_from(
    ["not", "no", "n't", "n’t", "never", "nor", "only", "if", "but", "yet", "and", "however",
     "much", "as", "though", "nothing", "isn't", "No", "BUT", "butter", "knot",
     "can't help but", "is", "é", "ü", "_", "5", "’", "“",
     ", yet", ";", ".", "-", "–", "|", "\u212a", "ſ", "東"]
)  # fmt: skip


@given(st.lists(st.tuples(_PIECES, st.sampled_from(["", " "])), max_size=9))
@settings(max_examples=400, deadline=None)
def test_re2_and_python_find_the_same(parts: list[tuple[str, str]]) -> None:
    text = "".join(piece + space for piece, space in parts).strip()
    for rule in (STRICT, PAPER, SUBSTRING):
        for search in (rule.negation, rule.contrast):
            assert search.mask(pa.array([text]))[0] == bool(search.found(text)), text


@given(
    st.lists(
        st.sampled_from(
            ["no", "none", "non", "nonee", "No", "not", "didn't", "didn’t", "rather", "even",
             "but", "But", "butter", "seven", "so", "it", "x" * 20, "-", ",", "é"]
        ),
        max_size=20,
    )
)  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_the_papers_rule_takes_what_its_condition_takes(parts: list[str]) -> None:
    text = " ".join(parts)
    array = pa.array([text])
    taken = PAPER.negation.mask(array)[0] and PAPER.contrast.mask(array)[0]
    assert bool(taken and len(text) > PAPER.longer_than) == printed(text)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("One line\nanother", ["One line", "another"]),
        ("Mr. Smith and Dr. Lee met St. John. They ran.",
         ["Mr. Smith and Dr. Lee met St. John.", "They ran."]),
        ("J. R. Smith of the U.S. Army, e.g. Bob. So am I. But no.",
         ["J. R. Smith of the U.S. Army, e.g. Bob.", "So am I.", "But no."]),
        ("He said “yes.” Then (so.) “No.” It is 3.5 m. high.",
         ["He said “yes.”", "Then (so.)", "“No.”", "It is 3.5 m. high."]),
        ("So it is... And then?! “What?” ‘Yes.’",
         ["So it is...", "And then?!", "“What?”", "‘Yes.’"]),
        ("One. two. Étienne. Ωmega. Яга. ¿Qué? – no",
         ["One. two.", "Étienne.", "Ωmega.", "Яга.", "¿Qué? – no"]),
        ("Misterdr. Lee. Provided. The", ["Misterdr.", "Lee.", "Provided.", "The"]),
        ("  spaces \t and \x00 such  .  \r\n\r\n \n End", ["spaces and such .", "End"]),
        ("No\u00a0break.\u00a0Here", ["No break.", "Here"]),
        ("\n\n", []),
    ],
)  # fmt: skip
def test_sentences_end_where_they_should(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.text("aB .!?\"'“”\n\t\r\0éÉ東", max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_letter_is_lost(text: str) -> None:
    for wrapped in (False, True):
        plain, broken = clean(text.encode(), wrapped=wrapped)
        found = sentences_in(plain, EN.abbreviations)
        joined = " ".join(found[k] for k in range(len(found)))
        assert joined.split() == text.replace("\0", " ").split()
        assert broken == 0 and all(found[k].strip() == found[k] != "" for k in range(len(found)))


def test_words_of_another_language_are_checked() -> None:
    part = {"words": ["nicht"]}
    data: dict[str, Any] = {
        "abbreviations": ["Hr"], "weak": [], "strict": {"negation": part, "contrast": part},
        "substring": {"negation": ["nicht"], "contrast": ["aber"]},
    }  # fmt: skip
    assert wording_from("de", data).rule("strict").negation.found("gar nicht")
    assert list(wording_from("de", data).rules) == ["strict", "substring", "none"]
    for change, said in (
        ({"abbreviations": ["zum Beispiel"]}, "must have 1 to 8 ASCII letters"),
        ({"strict": {"negation": {"word": []}, "contrast": part}}, "unknown list 'word'"),
        ({"strict": {"negation": part}}, "lack 'contrast'"),
    ):
        with pytest.raises(LexiconError, match=said):
            wording_from("de", {**data, **change})
