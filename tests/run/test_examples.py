"""Single items to look at: chosen by the seed, asked once more, and shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import rows_of
from example_files import CHANCE, examples_of, few_verbs, sides_of
from naysay import evaluate
from naysay.core.examples import Example, ExampleSide
from naysay.core.probes import BLANK, AnswerQuestion, FillBlank, WordList
from naysay.core.protocols import ModelRequest
from naysay.data.languages import LANGUAGES
from naysay.models import open_model
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation
from naysay.run.examples import with_scores
from naysay.suites import SUITES

pytestmark = pytest.mark.slow  # many small trainings or runs with weights

PAIRS = [
    (suite, language)
    for suite in SUITES.names()
    for language in LANGUAGES.names()
    if SUITES.get(suite).speaks(LANGUAGES.get(language))
]
SCORED_IN_ROWS = ("semantoneg", "semantoneg_likelihood", "semantoneg_prompted")
IN_WORDS = [name for name in SUITES.names() if AnswerQuestion in SUITES.get(name).needs]
"""Their answers are texts, which have no scores."""
ASKED_AGAIN = [name for name in SUITES.names() if name not in (*SCORED_IN_ROWS, *IN_WORDS)]


def answers_of(run: Evaluation) -> dict[str, set[tuple[str, bool]]]:
    """By text: what the rows say that the model answered, and whether it was a tie."""
    found: dict[str, set[tuple[str, bool]]] = {}
    for row in rows_of(run):
        if "query" in row:
            pairs = [(row["query"], row["said"]), (row["negated"], row["said_negated"])]
        else:
            pairs = [(row["text"], row["said"] if "said" in row else row["answer"])]
        for text, said in pairs:
            found.setdefault(text, set()).add((said, row["tie"]))
    return found


def check_first_words(run: Evaluation, suite: str) -> int:
    """Every side's first word is the row's answer, unless it is a tie; returns how many are not."""
    rows, ties = answers_of(run), 0
    for side in sides_of(run, suite):
        [(said, tie)] = rows[side["text"]]
        assert side["answer"] == said and side["tie"] == tie
        assert tie or side["top"][0][0] == said, side
        ties += tie
    return ties


def test_every_suite_is_looked_at_in_one_of_three_ways() -> None:
    assert set(SCORED_IN_ROWS) < set(SUITES.names())
    assert IN_WORDS and not set(IN_WORDS) & set(SCORED_IN_ROWS)


@pytest.mark.parametrize(("suite", "language"), PAIRS)
def test_every_suite_has_examples_in_one_form(suite: str, language: str, tmp_path: Path) -> None:
    run = evaluate(CHANCE, suite, limit=60, language=language, out=tmp_path)
    told = examples_of(run, suite)
    assert run.manifest.complaints == []
    assert set(told) == {"examples", "scale", "note"} and "seed 0" in told["note"]
    items = told["examples"]
    assert len(items) == 24 == len({one["item"] for one in items})
    assert {one["unit"] for one in items} <= {row["unit"] for row in rows_of(run)}
    assert all(one["title"] and one["sides"] for one in items)
    for side in sides_of(run, suite):
        assert side["label"] and side["answer"]
        assert bool(side["top"]) == (suite not in IN_WORDS)
        assert side["wanted"] or side["unwanted"] or suite in IN_WORDS
        scores = [score for _, score in side["top"]]
        assert scores == sorted(scores, reverse=True) and len(scores) <= 5
        assert all(score == round(score, 6) for score in scores)
    rights = [all(s["right"] is not False for s in one["sides"]) for one in items]
    assert len(set(rights)) == 2, "right and wrong ones"


@pytest.mark.parametrize("suite", SUITES.names())
def test_the_seed_chooses_and_shards_do_not(suite: str, tmp_path: Path) -> None:
    ways: list[dict[str, Any]] = [{}, {"shard_size": 1}, {"seed": 1}]
    one, sharded, seeded = (
        examples_of(evaluate(CHANCE, suite, limit=30, out=tmp_path / str(k), **options), suite)
        for k, options in enumerate(ways)
    )
    assert one == sharded
    assert {e["item"] for e in one["examples"]} != {e["item"] for e in seeded["examples"]}


@pytest.mark.parametrize("model", ["known:aware", "known:blind", CHANCE])
@pytest.mark.parametrize("suite", ASKED_AGAIN)
def test_the_first_word_is_the_answer_of_the_row(suite: str, model: str, tmp_path: Path) -> None:
    run = evaluate(model, suite, limit=30, out=tmp_path)
    assert check_first_words(run, suite) == 0


@pytest.mark.parametrize("suite", ["scnt", "gh22", "lama", "lama_misprimed"])
@pytest.mark.parametrize("name", ["tiny_bert", "tiny_gpt"])
def test_the_first_word_is_the_answer_of_weights_too(
    suite: str, name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    model = str(request.getfixturevalue(name))
    options: dict[str, Any] = {"limit": 12}
    if suite == "scnt":  # or untrained weights, which repeat nothing, are asked every verb
        options = {"limit": 6, "lexicon": few_verbs(tmp_path)}
    run = evaluate(model, suite, out=tmp_path / "one", **options)
    check_first_words(run, suite)
    assert run.manifest.complaints == []
    sides = sides_of(run, suite)
    assert sides and all(len(side["top"]) == 5 for side in sides)
    assert all(0 < score < 1 for side in sides for _, score in side["top"])
    assert any(side["scores"] for side in sides)
    # Another batch: the same choice, and the same figures as far as fp32 has them.
    other_batch = evaluate(model, suite, token_budget=64, out=tmp_path / "two", **options)
    again = sides_of(other_batch, suite)
    for side, other in zip(sides, again, strict=True):
        assert side["text"] == other["text"]
        assert [p for _, p in side["top"]] == pytest.approx([p for _, p in other["top"]], abs=1e-4)
        assert side["scores"] == pytest.approx(other["scores"], abs=1e-4)


def likely_at_blank(tiny_bert: Path) -> Callable[[str], dict[str, float]]:
    """The probability of each piece at the blank of a text, by transformers alone."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    model = AutoModelForMaskedLM.from_pretrained(tiny_bert).eval()
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)

    def likely(text: str) -> dict[str, float]:
        ids = tokenizer(text.replace(BLANK, "[MASK]"), return_tensors="pt")
        place = ids["input_ids"][0].tolist().index(tokenizer.mask_token_id)
        with torch.no_grad():
            found = model(**ids).logits[0, place].softmax(-1).tolist()
        return dict(zip(tokenizer.convert_ids_to_tokens(range(len(found))), found, strict=True))

    return likely


def test_probabilities_are_those_of_the_model(tiny_bert: Path, tmp_path: Path) -> None:
    likely = likely_at_blank(tiny_bert)
    run = evaluate(str(tiny_bert), "gh22", limit=6, out=tmp_path)
    for side in sides_of(run, "gh22")[:8]:
        expected = likely(side["text"])
        highest = sorted(expected.values(), reverse=True)[:5]
        assert [score for _, score in side["top"]] == pytest.approx(highest, abs=1e-5)
        for word, score in (*side["scores"].items(), *side["top"]):
            assert score == pytest.approx(expected[word], abs=1e-5)


def test_words_that_matter_beside_the_wanted_one_are_scored_too(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), ModelRequest())
    text, likely = "She is happy to ▢.", likely_at_blank(tiny_bert)
    question = FillBlank(text, ("run",), 5, among=WordList(("run", "swim", "walk")))
    sides = [
        ExampleSide("A", text, "", "", question=question, also=also) for also in ((), ("swim",))
    ]
    [item] = with_scores(model, [Example("key", "unit", "title", tuple(sides))])
    plain, more = item.sides
    assert plain.top == more.top and {word for word, _ in plain.top} == {"run", "swim", "walk"}
    assert set(plain.scores) == {"run"} and set(more.scores) == {"run", "swim"}
    expected = likely(text)
    for word, score in (*more.scores.items(), *more.top):
        assert score == pytest.approx(expected[word], abs=1e-5)


@pytest.mark.parametrize("suite", ["scnt", "gh22"])
def test_by_likelihood_the_best_candidate_is_told(
    suite: str, tiny_gpt: Path, tmp_path: Path
) -> None:
    few = few_verbs(tmp_path)
    options: dict[str, Any] = {"limit": 4, "readout": "likelihood", "lexicon": few}
    run = evaluate(str(tiny_gpt), suite, out=tmp_path, **options)
    check_first_words(run, suite)
    sides = sides_of(run, suite)
    assert sides and all(len(side["top"]) == 1 for side in sides)
    assert all(side["scores"] == dict(side["top"]) for side in sides)


def test_a_triplet_has_its_five_conditions(tmp_path: Path) -> None:
    run = evaluate("known:blind", "scnt", limit=30, out=tmp_path)
    for one in examples_of(run, "scnt")["examples"]:
        assert [side["label"] for side in one["sides"]] == ["CpTp", "CpTn", "CnTp", "CnTn", "CpTv"]
        verb = one["item"].rpartition("/")[2]
        assert [side["wanted"] for side in one["sides"]] == [verb, None, None, verb, verb]
        assert [side["unwanted"] for side in one["sides"]] == [None, verb, verb, None, None]
        assert [side["right"] for side in one["sides"]] == [True, False, False, True, True]
        assert {side["verdict"] for side in one["sides"]} == {"repeats"}
        assert one["title"].endswith(f" · {verb}")


def test_what_was_never_selected_is_shown_for_want_of_others(tmp_path: Path) -> None:
    never = KnownModel("known:never", lambda text, words: False, ["never"])
    run = evaluate(never, "scnt", limit=10, out=tmp_path)
    told = examples_of(run, "scnt")["examples"]
    assert len(told) == 24 and all(len(one["sides"]) == 1 for one in told)


def test_other_persons_may_be_said_to_do_it(tmp_path: Path) -> None:
    run = evaluate("known:blind", "scnt_controls", limit=30, out=tmp_path)
    told = examples_of(run, "scnt_controls")["examples"]
    others = ("same-gender", "other-gender")
    whom = Counter(one["item"].rpartition("/")[2] for one in told)
    assert {"name", *others} <= set(whom)  # the pronoun has no name of its own
    for one in told:
        about_same = not one["item"].endswith(others)
        assert all(side["right"] for side in one["sides"]) == (not about_same)


def test_templates_come_in_both_polarities_and_misprimed(tmp_path: Path) -> None:
    run = evaluate(CHANCE, "gh22", limit=30, out=tmp_path)
    told = examples_of(run, "gh22")["examples"]
    for one in told:
        labels = [side["label"] for side in one["sides"]]
        assert "positive" in labels and "negated" in labels
        with_one_verb = one["item"].endswith("/1")
        assert any(label.startswith("misprime") for label in labels) == with_one_verb
        assert len(labels) == 4 + with_one_verb
        assert len({frozenset(side["scores"]) for side in one["sides"]}) == 1  # the same verbs
    assert len({one["item"].rpartition("/")[2] for one in told}) == 3


def test_two_targets_have_both_contexts_in_table2(tmp_path: Path) -> None:
    run = evaluate(CHANCE, "scnt_table2", limit=30, out=tmp_path)
    for one in examples_of(run, "scnt_table2")["examples"]:
        targets = Counter(side["label"].partition(", ")[2] for side in one["sides"])
        assert sorted(targets.values()) == [2, 2]


def test_primes_that_were_used_are_shown_and_scored(tmp_path: Path) -> None:
    run = evaluate("known:blind", "lama_misprimed", limit=30, out=tmp_path)
    for one in examples_of(run, "lama_misprimed")["examples"]:
        assert [s["label"] for s in one["sides"]] == ["no prime", "A", "B", "C", "D"]
        assert one["sides"][0]["unwanted"] is None
        for side in one["sides"][1:]:
            assert side["text"].lower().startswith(f"{side['unwanted'].lower()}? ")
            assert {side["wanted"], side["unwanted"]} <= set(side["scores"])
            assert side["verdict"] == "says the prime" and side["right"] is False


def test_a_negated_fact_is_judged_by_what_is_said_of_it(tmp_path: Path) -> None:
    run = evaluate(CHANCE, "lama", limit=60, out=tmp_path)
    rows = {row["unit"]: row for row in rows_of(run)}
    seen = set()
    for one in examples_of(run, "lama")["examples"]:
        row, (fact, negated) = rows[one["unit"]], one["sides"]
        assert fact["right"] == (row["said"] == row["answer"])
        repeated = row["said_negated"] in (row["said"], row["answer"])
        assert negated["right"] == (not repeated)
        seen.add(negated["verdict"])
    assert seen == {"same answer", "the negated answer", "another answer"}


@pytest.mark.parametrize("suite", SCORED_IN_ROWS)
def test_options_are_told_with_the_scores_of_the_rows(suite: str, tmp_path: Path) -> None:
    run = evaluate(CHANCE, suite, limit=30, out=tmp_path)
    judged = SUITES.get(suite)
    rows = {row["unit"]: row for row in rows_of(run)}
    prefix = {"semantoneg": "near", "semantoneg_likelihood": "after", "semantoneg_prompted": "said"}
    for one in examples_of(run, suite)["examples"]:
        row, side = rows[one["unit"]], one["sides"][0]
        scores = {
            row[option]: row[f"{prefix[suite]}_{option}"]
            for option in ("antonym_only", "polarity_only", "paraphrase")
        }
        # The known model says the same in all orders and has no likelihood without a text.
        best = max(scores, key=lambda option: scores[option])
        assert side["top"][0][0] == side["answer"] == best
        assert (side["verdict"] == "right") == (best == row["paraphrase"]) == side["right"]
        assert {word for word, _ in side["top"]} == set(scores)
        assert side["wanted"] == row["paraphrase"] and judged.name == suite


def test_a_rule_decides_what_repeats(tmp_path: Path) -> None:
    class Longer(KnownModel):
        """Says a verb with an ending."""

        def _word(self, probe: Any, others: Any) -> str:
            return f"{probe.words[0]}ing" if probe.words else "rest"

    model = Longer("longer", lambda text, words: True, ["longer"], ("walk", "talk", "read") * 99)
    verdicts = {
        rule: {
            side["verdict"]
            for side in sides_of(
                evaluate(model, "gh22", limit=3, repetition=rule, out=tmp_path / rule), "gh22"
            )
        }
        for rule in ("exact", "prefix")
    }
    assert verdicts == {"exact": {"does not repeat"}, "prefix": {"repeats"}}
