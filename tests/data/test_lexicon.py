from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome
from naysay.core.errors import LexiconError
from naysay.data.languages import LANGUAGES
from naysay.run.plan import lexicon_of
from naysay.suites import SUITES
from naysay.suites.gh22.suite import OWN_PROFESSIONS

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
    assert 150 <= len(OWN.verbs) <= 300


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


WIDE = lexicon_of(LANGUAGES.get("en"), None, None, "wide")


def test_the_usual_verbs_are_everyday_activities() -> None:
    assert OWN.verb_list == "everyday" and WIDE.verb_list == "wide"
    verbs = set(OWN.verbs)
    assert {"ski", "skate", "hike", "surf", "climb", "gamble", "party", "smoke", "sail"} <= verbs
    odd = {"gird", "flake", "thumb", "hat", "exist", "snore", "arrive", "acquire", "insist", "melt"}
    assert not odd & verbs
    assert verbs < set(WIDE.verbs) and len(WIDE.verbs) > 800
    assert OWN.digest != WIDE.digest and OWN.names == WIDE.names


def test_no_list_has_words_that_are_unfit_to_be_shown() -> None:
    unfit = {"defecate", "miscarry", "masturbate", "piss", "shit", "grope", "breastfeed", "strip"}
    assert not unfit & {*OWN.verbs, *WIDE.verbs}


def test_every_verb_is_on_the_list_or_excluded_with_a_reason(scripts: Any) -> None:
    review = tomllib.loads(scripts("derive_english_verbs").REVIEW.read_text(encoding="utf-8"))
    assert all(group["reason"] and group["words"] for kind in review.values() for group in kind)
    of_everyday = {
        word
        for group in review["excluded"]
        if group["lists"] == ["everyday"]
        for word in group["words"]
    }
    of_both = {
        word
        for group in review["excluded"]
        if set(group["lists"]) == {"everyday", "wide"}
        for word in group["words"]
    }
    added = {word for group in review["added"] for word in group["words"]}
    assert set(WIDE.verbs) - set(OWN.verbs) == of_everyday
    assert not of_both & set(WIDE.verbs) and added <= set(OWN.verbs)


_SYNSET = "00000000 38 v 02 {} 0 other_word 0 000 02 + {} 01 + 08 00 | gloss"


def test_verbs_are_derived_by_frame_and_frequency(scripts: Any) -> None:
    script = scripts("derive_english_verbs")
    frames = {"ski": "02", "hat": "02", "own": "08", "rat": "02", "Google": "02"}
    data = "  1 WordNet 3.0 Copyright\n" + "\n".join(
        _SYNSET.format(word, frame) for word, frame in frames.items()
    )
    common = {"skiing": 3.8, "hatting": 1.2, "owning": 4.0, "rating": 4.5, "ratting": 1.0}
    review = {"added": [{"words": ["stroll"]}], "excluded": []}
    found = script.verb_lists(data, lambda word: common.get(word, 0.0), review)
    assert found == {"everyday": ["ski", "stroll"], "wide": ["ski", "stroll"]}
    apart = [{"words": ["ski"], "lists": ["everyday"]}]
    found = script.verb_lists(data, common.__getitem__, {"added": [], "excluded": apart})
    assert found == {"everyday": [], "wide": ["ski"]}
    stale = {"added": [], "excluded": [{"words": ["hat"], "lists": ["wide"]}]}
    with pytest.raises(ValueError, match="hat"):
        script.verb_lists(data, common.__getitem__, stale)
    lists = tomllib.loads(script.as_toml({"everyday": ["ski"], "wide": ["own", "ski"]}))
    assert lists["verbs"]["lists"]["wide"]["words"] == ["own", "ski"]


def test_the_shipped_file_is_as_the_script_writes_it(scripts: Any) -> None:
    file = LANGUAGES.get("en").folder / "lexicon" / "verbs.toml"
    made = scripts("derive_english_verbs").as_toml(
        {"everyday": list(OWN.verbs), "wide": list(WIDE.verbs)}
    )
    assert made == file.read_text(encoding="utf-8")


def test_a_list_of_verbs_is_chosen_by_name_and_recorded(
    naysay: Callable[..., Outcome], tmp_path: Path
) -> None:
    words = ("run", "-m", "known:aware", "-t", "scnt", "--limit", 4, "--full")
    usual, wide = naysay(*words), naysay(*words, "--verbs", "wide")
    assert usual.code == wide.code == 0, wide.err
    assert f"{len(OWN.verbs)} of {len(OWN.verbs)} verbs of the list everyday" in " ".join(
        usual.out.split()
    )
    assert f"{len(WIDE.verbs)} of {len(WIDE.verbs)} verbs of the list wide" in " ".join(
        wide.out.split()
    )
    manifests = [json.loads(p.read_text()) for p in (tmp_path / "runs").glob("*/manifest.json")]
    lists = {m["spec"]["options"]["scnt"]["verbs"]: m["key"] for m in manifests}
    assert set(lists) == {"everyday", "wide"} and len(set(lists.values())) == 2
    named = naysay(*words, "--verbs", "everyday")
    assert lists["everyday"] in named.out and "4 pairs" in named.out  # the same run


def test_a_list_of_verbs_goes_with_other_names(tmp_path: Path) -> None:
    english = LANGUAGES.get("en")
    gh22 = lexicon_of(english, "gh22", gh22_folder(tmp_path, "Ann\nEve"), "wide")
    assert gh22.verbs == WIDE.verbs and gh22.names["female"] == ("Ann", "Eve")
    with pytest.raises(LexiconError, match="no list of verbs 'wied'; it has everyday, wide"):
        lexicon_of(english, None, None, "wied")
    mine = write(tmp_path / "mine.toml", '[verbs]\nwords = ["run", "swim"]\n')
    with pytest.raises(LexiconError, match="a single one, without a name"):
        lexicon_of(english, str(mine), None, "wide")


def test_a_list_can_be_made_for_models(tmp_path: Path) -> None:
    text = """
    [verbs.lists.theirs]
    models = ["org/model"]
    words = ["run"]
    [verbs.lists.usual]
    words = ["swim", "walk"]
    """
    mine, english = write(tmp_path / "mine.toml", text), LANGUAGES.get("en")
    found = {
        model: lexicon_of(english, str(mine), None, None, model).verb_list
        for model in ("org/model", "masked:Org/Model", "other/model", "model", "")
    }
    assert list(found.values()) == ["theirs", "theirs", "usual", "usual", "usual"]
    assert lexicon_of(english, str(mine), None, "usual", "org/model").verbs == ("swim", "walk")


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
        ('[verbs]\nlists = ["run"]', r"must be tables \[verbs.lists.NAME\]"),
        ("[verbs.lists.mine]\nwords = []", "has no verbs"),
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


def test_the_card_says_how_many_professions_are_the_papers(upstream_data: Path) -> None:
    gh22 = lexicon_of(LANGUAGES.get("en"), "gh22", upstream_data)
    ours, theirs = (set(words.professions["male"]) for words in (OWN, gh22))
    shared = f"{len(ours & theirs)} are also in"
    suite = SUITES.get("gh22")
    assert any(shared in departure for departure in suite.card.departures)
    assert shared in OWN_PROFESSIONS and len(ours) == 91


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


@pytest.mark.parametrize("models", ["5", '"bert-base-cased"', "[1]"])
def test_the_models_of_a_list_are_names(tmp_path: Path, models: str) -> None:
    text = f'[verbs.lists.a]\nmodels = {models}\nwords = ["run"]\n'
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(LexiconError, match="models must be a list of strings"):
        lexicon_of(LANGUAGES.get("en"), str(tmp_path / "mine.toml"), None)
