"""The likelihood readout: against sums computed the plain way, and against the first word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from conftest import COMMON_VERBS, model_request, rows_of
from naysay import evaluate
from naysay.core.errors import NotAskableError
from naysay.core.probes import BLANK, ChooseWord, FillBlank
from naysay.core.protocols import Model
from naysay.data.languages import LANGUAGES
from naysay.models import open_model

pytestmark = pytest.mark.slow  # many small trainings or runs with weights

ENDING = [
    "Mary is an architect who likes to run. She is happy to ▢.",
    "John is a baker who doesn't like to swim. He isn't happy to ▢.",
    "Emily is a nurse who likes to sing. She is very happy to ▢.",
]
MIDDLE = [text.replace("▢.", "▢ very often.") for text in ENDING]
LONG = ("acclimatize", "procrastinate", "run", "swim", "acquiesce", "walk", "reminisce", "sleep")


def opened(folder: Path, **options: Any) -> Model:
    model = open_model(str(folder), model_request(**options))
    model.prepare()
    return model


def plain_score(folder: Path, text: str, word: str) -> float:
    """The log-likelihood of a word at the blank, one pass for each piece, nothing shared."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    masked = tokenizer.mask_token_id is not None
    auto = "AutoModelForMaskedLM" if masked else "AutoModelForCausalLM"
    model = getattr(transformers, auto).from_pretrained(folder).eval()
    start = text.index(BLANK)
    ends = not any(letter.isalpha() for letter in text[start:])
    filled = text.replace(BLANK, word)
    if ends and not masked:
        filled = filled[: start + len(word)]
    encoded = tokenizer(filled, return_offsets_mapping=True)
    ids = list(encoded["input_ids"])
    inside = [
        k
        for k, (low, high) in enumerate(encoded["offset_mapping"])
        if low < start + len(word) and high > start and high > low
    ]
    total = 0.0
    last = inside[-1] + 1 if masked else len(ids)
    for place in range(inside[0], last):
        if masked:
            shown = [tokenizer.mask_token_id if place <= k < last else i for k, i in enumerate(ids)]
            row = place
        else:
            shown, row = ids[:place], place - 1
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([shown])).logits[0, row]
        total += float(torch.log_softmax(logits, dim=-1)[ids[place]])
    return total


@pytest.mark.parametrize("text", [ENDING[0], MIDDLE[1]])
def test_the_choice_is_the_word_with_the_highest_sum(tiny_model: Path, text: str) -> None:
    [choice] = opened(tiny_model).ask([ChooseWord(text, LONG)])
    scores = {word: plain_score(tiny_model, text, word) for word in LONG}
    assert choice.logprob == pytest.approx(max(scores.values()), abs=1e-4)
    assert scores[choice.best] == pytest.approx(max(scores.values()), abs=2e-3)


def test_it_agrees_with_the_first_word_where_both_can_be_asked(tiny_model: Path) -> None:
    model = opened(tiny_model)
    listed = LANGUAGES.get("en").lexicon.verbs
    for text in ENDING:
        whole = [word for word, cut in model.single_pieces(listed, text).items() if cut.single]
        assert len(whole) > 30
        [fill] = model.ask([FillBlank(text, words=tuple(whole))])
        scored = [(score, word) for score, word in zip(fill.scores, whole, strict=True) if score]
        assert len(scored) == len(whole)
        [choice] = model.ask([ChooseWord(text, tuple(whole))])
        assert choice.tie or choice.best == max(scored)[1]
        assert choice.logprob == pytest.approx(max(scored)[0], abs=1e-4)


def test_batches_do_not_change_a_choice(tiny_model: Path) -> None:
    probes = [ChooseWord(text, LONG) for text in (*ENDING, *MIDDLE)]
    together = opened(tiny_model).ask(probes)
    alone = [opened(tiny_model, token_budget=1).ask([probe])[0] for probe in probes]
    assert [choice.best for choice in together] == [choice.best for choice in alone]
    for one, other in zip(together, alone, strict=True):
        assert one.logprob == pytest.approx(other.logprob, abs=1e-4)


def test_what_has_fallen_behind_is_not_spelled_on(tiny_gpt: Path, passes: list[int]) -> None:
    model = opened(tiny_gpt)
    listed = LANGUAGES.get("en").lexicon.verbs
    model.ask([ChooseWord(ENDING[0], listed)])
    pieces = sum(len(cut.pieces) for cut in model.single_pieces(listed, ENDING[0]).values())
    assert 0 < sum(passes) < pieces / 4


@pytest.mark.parametrize(("ahead", "tie"), [(0.0, True), (1.0, False)])
def test_equal_words_are_flagged_as_a_tie(
    tiny_bert: Path, tmp_path: Path, ahead: float, tie: bool
) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_bert)
    weights = transformers.AutoModelForMaskedLM.from_pretrained(tiny_bert)
    run, swim = tokenizer.convert_tokens_to_ids(["run", "swim"])
    head = weights.get_output_embeddings()
    with torch.no_grad():
        head.weight[swim] = head.weight[run]
        head.bias[swim] = head.bias[run] + ahead
    weights.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model = opened(tmp_path)
    [choice] = model.ask([ChooseWord(ENDING[0], ("run", "swim"))])
    assert (choice.best, choice.tie) == ("run" if tie else "swim", tie)
    [only] = model.ask([ChooseWord(ENDING[0], ("run",))])
    assert only.best == "run" and not only.tie


def test_candidates_that_cannot_be_spelled_are_refused(tiny_bert: Path) -> None:
    with pytest.raises(NotAskableError, match="none of the candidates"):
        opened(tiny_bert).ask([ChooseWord(ENDING[0], ("☃",))])


@pytest.mark.parametrize("suite", ["scnt", "scnt_table2", "gh22", "scin"])
def test_every_suite_can_be_read_out_so(tiny_model: Path, tmp_path: Path, suite: str) -> None:
    lexicon = tmp_path / "few.toml"
    verbs = dict.fromkeys(COMMON_VERBS) if suite == "scin" else None
    forms = "\n".join(f'{verb} = "{verb}s"' for verb in verbs) if verbs else ""
    words = ", ".join(f'"{verb}"' for verb in (*COMMON_VERBS, "procrastinate"))
    lexicon.write_text(
        f"[verbs.forms]\n{forms}\n" if verbs else f"[verbs]\nwords = [{words}]\n", encoding="utf-8"
    )
    options: dict[str, Any] = {"limit": 4, "lexicon": str(lexicon), "readout": "likelihood"}
    run = evaluate(str(tiny_model), suite, out=tmp_path / "one", **options)
    other = evaluate(str(tiny_model), suite, out=tmp_path / "two", token_budget=50, **options)
    rows, others = rows_of(run), rows_of(other)
    assert rows == others
    assert all(estimate.table.endswith(", by likelihood") for estimate in run)
    assert all(estimate.published is None for estimate in run)
    known = {f"{verb}s" for verb in COMMON_VERBS} if verbs else {*COMMON_VERBS, "procrastinate"}
    own = {word for row in rows for word in row.get("verbs", "").split(" ")}
    asked = [row for row in rows if row.get("polarity") != "seed"]
    assert asked and all(row["answer"] in known | own for row in asked)


def test_a_causal_model_is_told_to_ask_so(tiny_gpt: Path, tmp_path: Path) -> None:
    with pytest.raises(NotAskableError, match="--readout likelihood"):
        evaluate(str(tiny_gpt), "scin", limit=2, out=tmp_path)
    assert not any(tmp_path.iterdir())
