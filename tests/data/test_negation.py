"""Sentences with and without their negation: both directions, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from naysay.core.errors import PatternError, SpecError, UnknownNameError
from naysay.data.languages import LANGUAGES, Language
from naysay.data.negation import negation_pair, negator_of

PAIRS: dict[str, list[tuple[str, str | None]]] = {
    "en": [
        ("Mary likes to run.", "Mary doesn't like to run."),
        ("Mary is an architect who likes to run.", "Mary is an architect who doesn't like to run."),
        ("She is happy to ▢.", "She isn't happy to ▢."),
        ("Birds can ▢.", "Birds can't ▢."),
        ("I love this film", "I don't love this film"),
        ("I like cats.", "I don't like cats."),
        ("The patient has a fever.", "The patient doesn't have a fever."),
        ("The cat sat on the mat.", "The cat didn't sit on the mat."),
        ("We have seen it.", "We haven't seen it."),
        ("I am happy.", "I am not happy."),
    ],
    "it": [
        ("Lei ▢ molto spesso.", "Lei non ▢ molto spesso."),
        ("Eva è attrice e ha fame.", None),
        ("Eva è un'attrice che ha l'abitudine di bere.",
         "Eva è un'attrice che non ha l'abitudine di bere."),
        ("Mi piace correre.", "Non mi piace correre."),
        ("C'è pane.", "Non c'è pane."),
        ("La bara è nera.", "La bara non è nera."),
    ],
    "es": [
        ("Ella siente placer al ▢.", "Ella no siente placer al ▢."),
        ("Ana es actriz a quien le gusta bailar.", "Ana es actriz a quien no le gusta bailar."),
        ("Me gusta correr.", "No me gusta correr."),
    ],
    "fr": [
        ("Elle prend plaisir à ▢.", "Elle ne prend pas plaisir à ▢."),
        ("Anne est une actrice qui aime courir.", "Anne est une actrice qui n'aime pas courir."),
        ("J'aime courir.", "Je n'aime pas courir."),
        ("C'est bon.", "Ce n'est pas bon."),
        ("Je l'aime.", "Je ne l'aime pas."),
        ("Elle mange du pain.", None),
    ],
    "de": [
        ("Sie genießt es, zu ▢.", "Sie genießt es nicht, zu ▢."),
        ("Sie freut sich darauf, zu ▢.", "Sie freut sich nicht darauf, zu ▢."),
        ("Eva ist alt und mag es, zu tanzen.", "Eva ist alt und mag es nicht, zu tanzen."),
        ("Meine Suppe ist heiß.", "Meine Suppe ist nicht heiß."),
        ("Sie raucht.", "Sie raucht nicht."),
        ("Sie kann schwimmen.", "Sie kann nicht schwimmen."),
        ("Er kauft ein.", None),
    ],
}  # fmt: skip
CASES = [(language, *pair) for language, pairs in PAIRS.items() for pair in pairs]


@pytest.mark.parametrize(("language", "without", "negated"), CASES)
def test_a_negation_is_added_and_removed_again(
    language: str, without: str, negated: str | None
) -> None:
    negator = negator_of(LANGUAGES.get(language))
    assert negator.add(without) == negated
    assert negator.remove(without) is None
    if negated is not None:
        assert negator.remove(negated) == without
        assert negator.add(negated) is None


@pytest.mark.parametrize(
    ("language", "negated", "without"),
    [
        ("en", "She does not really like it.", "She really likes it."),
        ("en", "They didn’t go.", "They went."),
        ("en", "He never smokes.", "He smokes."),
        ("en", "Don't run!", "Run!"),
        ("en", "He decided not to go.", "He decided to go."),
        ("it", "Non fuma mai.", "Fuma."),
        ("es", "No fuma nunca.", "Fuma."),
        ("fr", "Elle n'essaie pas de courir.", "Elle essaie de courir."),
    ],
)
def test_other_ways_to_negate_are_removed(language: str, negated: str, without: str) -> None:
    assert negator_of(LANGUAGES.get(language)).remove(negated) == without


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Nobody likes him."), ("en", "Some birds can fly."),
        ("en", "Only Mary is happy."), ("en", "It isn't any good."), ("en", "It's gone."),
        ("en", "Isn't it nice?"), ("en", "It is not only good but cheap."),
        ("it", "Non è più felice."), ("es", "Nadie corre."), ("fr", "Il n'a pas de chien."),
        ("de", "Das ist gar nicht gut."), ("de", "Er hat keinen Hund."),
    ],
)  # fmt: skip
def test_what_would_be_wrong_is_refused(language: str, sentence: str) -> None:
    with pytest.raises(SpecError, match="other of the two sentences"):
        negation_pair(sentence, language)


@pytest.mark.parametrize("text", ['rule = "before"\nnegator = "ne"\n', 'rule = "after"\n'])
def test_a_broken_negator_of_a_language_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "eo").mkdir()
    (tmp_path / "eo" / "negator.toml").write_text(text)
    with pytest.raises(PatternError, match=r"eo.negator\.toml lacks the key"):
        negator_of(Language(tmp_path / "eo"))
    (tmp_path / "eo" / "negator.toml").unlink()
    with pytest.raises(SpecError, match="no rule negates sentences in language 'eo'"):
        negator_of(Language(tmp_path / "eo"))


def test_the_articles_of_french_and_german_follow() -> None:
    assert negation_pair("Il a un chien.", "fr").negated == "Il n'a pas de chien."
    assert negation_pair("Il a un ami.", "fr").negated == "Il n'a pas d'ami."
    assert negation_pair("Er hat einen Hund.", "de").negated == "Er hat keinen Hund."


def test_the_first_sentence_that_can_be_changed_is() -> None:
    first = negation_pair("Mary doesn't like to run. She is happy to ▢.")
    assert (first.sentence, first.sentences, first.added) == (1, 2, False)
    assert first.without == "Mary likes to run. She is happy to ▢."
    later = negation_pair("Nobody likes to run. She is happy to ▢.")
    assert later.change == "negation added to sentence 2"
    chosen = negation_pair("Mary likes to run.  She is happy to ▢.", sentence=2)
    assert chosen.negated == "Mary likes to run.  She isn't happy to ▢."
    with pytest.raises(SpecError, match="from 1 to 2, not 3"):
        negation_pair("Mary likes to run. She is happy to ▢.", sentence=3)
    with pytest.raises(UnknownNameError, match="language"):
        negation_pair("Mary likes to run.", "xx")
