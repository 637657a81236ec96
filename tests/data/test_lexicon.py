from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome
from naysay.core.errors import LexiconError
from naysay.data.languages import LANGUAGES
from naysay.run.plan import lexicon_of

OWN = LANGUAGES.get("en").lexicon


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_english_has_the_papers_counts() -> None:
    assert {gender: len(names) for gender, names in OWN.names.items()} == {
        "female": 100,
        "male": 100,
    }
    assert len(OWN.professions["female"]) == 91
    assert OWN.professions["female"] == OWN.professions["male"]
    assert len(OWN.verbs) > 1000


def test_every_profession_has_its_article_by_sound() -> None:
    sounds_like_consonant = {"a university lecturer"}
    for profession in OWN.professions["female"]:
        article, noun = profession.split(" ", 1)
        vowel = noun[0] in "aeiou" and profession not in sounds_like_consonant
        assert article == ("an" if vowel else "a"), profession


def test_verbs_are_plain_words_and_name_their_licence() -> None:
    assert all(re.fullmatch(r"[a-z]{2,}", verb) for verb in OWN.verbs)
    assert "WordNet" in OWN.sources["verbs"]
    assert {"run", "swim", "sing", "dance", "sleep"} <= set(OWN.verbs)
    assert not {"be", "do", "get"} & set(OWN.verbs)


def test_a_lexicon_of_ones_own_replaces_what_it_has(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.toml", '[verbs]\nwords = ["run", "swim"]\n')
    mine = lexicon_of(LANGUAGES.get("en"), str(file), None)
    assert mine.verbs == ("run", "swim")
    assert mine.names == OWN.names
    assert mine.digest != OWN.digest


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[verbs]\nwords = ["run", "swim", "run"]', "duplicates in its verbs: 'run'"),
        ("[verbs]\nwords = []", "has no verbs"),
        ('[verbs]\nwords = ["run", ""]', "empty or space-padded entry in its verbs, at place 2"),
        ('[verbs]\nwords = ["run "]', "space-padded"),
        ('[names]\nfemale = ["Mary"]', "has no male names"),
        ('[names]\nfemale = ["Ann", "Ann"]\nmale = ["Bob"]', "duplicates in its female names"),
        ("[professions]\nany = []", "has no professions"),
        ("[verbs]\nwords = [1]", "must be a list of strings"),
        ("[verb]\nwords = []", r"unknown table \[verb\]"),
        ("[verbs", "cannot be read"),
    ],
)
def test_a_faulty_lexicon_says_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    file = write(tmp_path / "mine.toml", text)
    with pytest.raises(LexiconError, match=said):
        lexicon_of(LANGUAGES.get("en"), str(file), None)


def test_a_faulty_lexicon_ends_the_command_with_2(
    naysay: Callable[..., Outcome], tmp_path: Path
) -> None:
    file = write(tmp_path / "mine.toml", '[verbs]\nwords = ["run", "run"]')
    ended = naysay("run", "-m", "known:aware", "--lexicon", file)
    assert (ended.code, ended.out) == (2, "")
    assert "duplicates" in ended.err and "Traceback" not in ended.err
    assert not (tmp_path / "runs").exists()


def test_upstreams_lists_come_from_the_data_folder(upstream_data: Path) -> None:
    gh22 = lexicon_of(LANGUAGES.get("en"), "gh22", upstream_data)
    assert (len(gh22.names["female"]), len(gh22.names["male"])) == (100, 100)
    assert len(gh22.professions["male"]) == 91
    assert gh22.verbs == OWN.verbs  # upstream has none
    assert gh22.names == OWN.names  # one ranking, two sources


def gh22_folder(root: Path, females: str) -> Path:
    folder = root / "transnegpaper_acl2022pub" / "Input"
    folder.mkdir(parents=True)
    write(folder / "top100fnames.txt", females)
    write(folder / "top100mnames.txt", "Bob\nJim")
    write(folder / "professions.txt", "an actor\na baker\n")
    return root


def test_upstreams_layout_is_read_line_by_line(tmp_path: Path) -> None:
    gh22 = lexicon_of(LANGUAGES.get("en"), "gh22", gh22_folder(tmp_path, "Ann\r\nEve\r\n"))
    assert gh22.names == {"female": ("Ann", "Eve"), "male": ("Bob", "Jim")}


@pytest.mark.parametrize(("females", "said"), [("Ann\nAnn", "duplicates"), ("Ann\n\nEve", "empty")])
def test_faults_in_upstreams_lists_are_named(tmp_path: Path, females: str, said: str) -> None:
    with pytest.raises(LexiconError, match=said):
        lexicon_of(LANGUAGES.get("en"), "gh22", gh22_folder(tmp_path, females))


def test_a_missing_data_folder_says_how_to_give_one(tmp_path: Path) -> None:
    english = LANGUAGES.get("en")
    with pytest.raises(LexiconError, match="NAYSAY_DATA"):
        lexicon_of(english, "gh22", None)
    with pytest.raises(LexiconError, match="does not exist"):
        lexicon_of(english, "gh22", tmp_path / "nowhere")
    with pytest.raises(LexiconError, match="laid out as upstream"):
        lexicon_of(english, "gh22", tmp_path)
    with pytest.raises(LexiconError, match="unknown lexicon 'gh23'"):
        lexicon_of(english, "gh23", None)
