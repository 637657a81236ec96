"""The templates of Context Matters: their wordings, and what each of them varies."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import rows_of
from naysay import evaluate
from naysay.data.languages import LANGUAGES
from naysay.models.known import KnownModel
from naysay.suites import published
from naysay.suites._templates.suite import Template, read_templates
from naysay.suites.gh22.suite import ContextOptions
from naysay.suites.pairs import pair

ENGLISH = LANGUAGES.get("en")
SEED, TEMPLATES = read_templates(ENGLISH, "gh22")
BY_GENDER = [(template, gender) for template in TEMPLATES for gender in template.genders]


def facets(template: Template) -> tuple[Any, ...]:
    return (
        template.experiment, template.polarity, template.acts, template.marking, template.extra
    )  # fmt: skip


def minimal_pairs(place: int) -> Iterator[tuple[Template, Template]]:
    """Templates that differ in one facet alone."""
    for one, other in itertools.combinations(TEMPLATES, 2):
        differing = [k for k in range(5) if facets(one)[k] != facets(other)[k]]
        if differing == [place]:
            yield one, other


def worded(template: Template, style: str = "paper") -> tuple[str, str]:
    """Context and target, as they stand in the pattern file."""
    context, asked = template.wordings[style]
    return context.text, asked.text


def test_there_are_43_templates() -> None:
    counted = Counter(template.experiment for template, _ in BY_GENDER)
    assert counted == {1: 30, 2: 10, 3: 3}
    assert len({(*facets(template), gender) for template, gender in BY_GENDER}) == 43


def test_templates_differ_only_where_their_condition_does() -> None:
    counted = {"acts": 0, "marking": 0, "extra": 0}
    for one, other in minimal_pairs(2):
        assert (worded(one)[1], one.between) == (worded(other)[1], other.between)
        assert worded(one)[0] != worded(other)[0]
        counted["acts"] += 1
    for one, other in minimal_pairs(3):
        assert (worded(one)[0], one.between) == (worded(other)[0], other.between)
        assert worded(one)[1] != worded(other)[1]
        counted["marking"] += 1
    for one, other in minimal_pairs(4):
        assert worded(one) == worded(other)
        assert one.between != other.between
        counted["extra"] += 1
    # 5 conditions × 3 pairs of numbers; 3 × 3 + 3 pairs of markings in experiment 1, 2 in
    # experiment 2, 3 in experiment 3; 1 marked and 3 unmarked pairs of misprimes.
    assert counted == {"acts": 15, "marking": 17, "extra": 4}


def test_polarities_differ_in_the_context_and_in_how_the_paper_asks_on() -> None:
    pairs = list(minimal_pairs(1))
    assert len(pairs) == 3
    for one, other in pairs:
        negated, positive = (one, other) if one.polarity == "negated" else (other, one)
        assert worded(positive)[1] == "PRON really likes to ▢."
        assert worded(negated)[1] == "PRON likes to ▢."
        assert "doesn't like" in worded(negated)[0] and "tries" in worded(positive)[0]


def test_the_default_wording_is_that_of_the_papers_tables() -> None:
    """Tables 1 to 3 of the paper mark a contrast in each experiment with other words."""
    marked = {
        template.experiment: worded(template)[1]
        for template in TEMPLATES
        if template.marking == "contrast"
    }
    assert marked == {
        1: "However, PRON does like to ▢.",
        2: "NAME, in contrast, likes to ▢.",
        3: "Unlike NAME, Cleopatra does like to ▢.",
    }


def test_the_released_files_word_two_templates_otherwise() -> None:
    released = [template for template in TEMPLATES if "released" in template.wordings]
    assert [facets(t)[:4] for t in released] == [(2, "negated", 1, "contrast")] * 2
    for template in released:
        assert worded(template, "released") == (worded(template)[0], "NAME, however, likes to ▢.")


def test_three_proposals_changed_six_templates() -> None:
    """Appendix C: contexts with three verbs, negated and positive, and one target of Cleopatra."""
    before = [template for template in TEMPLATES if "before" in template.wordings]
    assert [facets(t)[:4] for t in before] == [
        *((1, "negated", 3, marking) for marking in ("contrast", "does", "none")),
        *((1, "positive", 3, marking) for marking in ("so", "none")),
        (3, "negated", 1, "contrast"),
    ]
    petra = pair("female", "Petra", "an architect", ENGLISH)
    verbs = ("surf", "fish", "swim")
    texts = [template.text(petra, verbs, "before") for template in before]
    assert texts[1] == (
        "Petra is an architect who doesn't like to swim, nor does she like to fish, and she also "
        "doesn't like to surf. She does like to ▢."
    )
    assert texts[3] == (
        "Petra is an architect who tries to swim, to fish, and to surf as often as possible. "
        "So, she really does like to ▢."
    )
    peter = pair("male", "Peter", "an architect", ENGLISH)
    assert before[-1].text(peter, ("swim",), "before") == (
        "Peter is an architect who doesn't like to swim. In contrast with Peter, Cleopatra does "
        "like to ▢."
    )


def test_genders_differ_only_in_name_and_pronoun() -> None:
    mary = pair("female", "Mary", "an architect", ENGLISH)
    john = pair("male", "John", "an architect", ENGLISH)
    verbs = ("run", "swim", "sing")
    for template in TEMPLATES:
        hers = template.text(mary, verbs, "paper")
        his = hers.replace("Mary", "John").replace("She", "He").replace("she", "he")
        assert template.text(john, verbs, "paper") == his


def test_verbs_stand_in_the_papers_order() -> None:
    mary = pair("female", "Mary", "an architect", ENGLISH)
    [template] = [t for t in TEMPLATES if facets(t) == (1, "negated", 3, "contrast", "none")]
    assert template.text(mary, ("run", "swim", "sing"), "paper") == (
        "Mary is an architect who doesn't like to sing, swim, or run. However, she does like to ▢."
    )
    assert SEED.fill(dict(mary.slots)) == "Mary is an architect and she likes to ▢."


def test_the_seed_sentence_is_the_papers_example() -> None:
    jessica = pair("female", "Jessica", "a printer", ENGLISH)
    [example] = published.papers()["gh22"]["settings"]["example"]
    assert SEED.fill(dict(jessica.slots)) == example["query"].replace("[MASK]", "▢")


def test_the_released_wording_is_that_of_the_released_files(upstream_data: Path) -> None:
    folder = upstream_data / "transnegpaper_acl2022pub" / "Input"
    released = set()
    for file in sorted(folder.glob("exp*.csv")):
        with file.open(encoding="utf-8", newline="") as stream:
            for line in csv.DictReader(stream, delimiter=";"):
                released.add((line["MorF"], line["Schema"].strip()))
    ours = set()
    for template, gender in BY_GENDER:
        slots = {"NAME": "MNAME" if gender == "male" else "FNAME", "PROF": "PROF"}
        slots |= {"PRON": ENGLISH.pronouns[gender]}
        slots |= {slot: slot for slot in ("ACT", "ACT1", "ACT2", "ACT3")}
        [style] = template.styles(["released"])
        context, asked = template.wordings[style]
        text = " ".join(p.fill(slots) for p in (context, template.between, asked) if p)
        ours.add((gender[0], text.replace("▢", "MASK")))
    assert ours == released
    assert len(ours) == 43


def test_another_wording_asks_only_the_templates_that_it_changes(tmp_path: Path) -> None:
    one = rows_of(evaluate("known:blind", "gh22", limit=6, out=tmp_path))
    both_run = evaluate("known:blind", "gh22", limit=6, style=("paper", "before"), out=tmp_path)
    both = rows_of(both_run)
    added = [row for row in both if row["style"] == "before"]
    assert [row for row in both if row["style"] != "before"] == one
    assert {(row["experiment"], row["acts"]) for row in added} == {(1, 3), (3, 1)}
    assert {e.condition: e.value for e in both_run if e.table == "style"} == {
        "p1": 0,
        "p2": 0,
        "p3": 0,
        "overall": 0,
    }
    # The other tables are about the paper's wording alone.
    alone = evaluate("known:blind", "gh22", limit=6, out=tmp_path)
    assert [e for e in both_run if e.table != "style"] == list(alone)


def test_style_differences_are_before_less_after(tmp_path: Path) -> None:
    def repeats(text: str, words: Any) -> bool:
        return any(old in text for old in ("also doesn't", ", and to ", "In contrast with"))

    model = KnownModel("bert-large-cased", repeats, ["s"], ["go", "run", "sit"])
    run = evaluate(model, "gh22", limit=6, ranks=(0,), style=("paper", "before"), out=tmp_path)
    shown = {e.condition: (e.value, e.published) for e in run if e.table == "style"}
    overall, printed = shown.pop("overall")
    assert shown == {"p1": (100, 15.21), "p2": (100, 6.6), "p3": (100, 7.23)}
    # Of the 18 negated templates of both genders, 6 are changed.
    assert overall == pytest.approx(100 * 6 / 18) and printed == 2.5


@pytest.mark.parametrize("style", ["released", "before"])
def test_one_wording_alone_has_every_template_once(tmp_path: Path, style: str) -> None:
    run = evaluate("known:aware", "gh22", limit=6, ranks=(0,), style=style, out=tmp_path)
    paper = evaluate("known:aware", "gh22", limit=6, ranks=(0,), out=tmp_path)
    counted = [
        {e.condition: e.n for e in found if e.table == "templates"} for found in (run, paper)
    ]
    assert counted[0] == counted[1]


def test_an_earlier_versions_name_of_the_released_wording_is_read() -> None:
    assert ContextOptions.of({"style": ["paper", "revised"]}).style == ("paper", "released")
