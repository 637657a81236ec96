"""XLNet: the blank is asked with a permutation mask and a target mapping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import Outcome, model_request, needs_bf16, rows_of
from naysay import evaluate
from naysay.core.errors import ModelError
from naysay.core.probes import BLANK, ChooseWord, FillBlank, RankWords
from naysay.core.protocols import ModelRequest
from naysay.data.languages import LANGUAGES
from naysay.models import open_model
from naysay.models.lm.questions import Question
from naysay.models.permutation import PermutationEngine

TEXTS = [
    f"{name} is {who} who {likes} to {verb}. She is happy to {BLANK}{rest}"
    for name, who in (("Mary", "a baker"), ("Elizabeth", "an architect"))
    for likes in ("likes", "doesn't like")
    for verb in ("run", "swim", "sing")
    for rest in (".", " with John.")
]
PADDING = "Mary is a baker. James is an actor who likes to work.<eod>"


def blanked(tokenizer: Any, text: str, filling: list[int]) -> list[int]:
    """The tokens of the text with some others where "work" would be."""
    ids = tokenizer(text.replace(BLANK, "work"))["input_ids"]
    [word] = tokenizer("work", add_special_tokens=False)["input_ids"]
    place = len(ids) - 1 - ids[::-1].index(word)
    return [*ids[:place], *filling, *ids[place + 1 :]]


def by_hand(
    folder: Path, text: str, padding: str = "", known: tuple[int, ...] = (), masks: int = 1
) -> tuple[Any, Any]:
    """The log-probabilities at the first of some masks, after known tokens, and the tokenizer.

    No token sees a mask; the one to predict is the target.
    """
    from transformers import AutoTokenizer, XLNetLMHeadModel

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = XLNetLMHeadModel.from_pretrained(folder).eval()
    before = tokenizer(padding, add_special_tokens=False)["input_ids"] if padding else []
    ids = before + blanked(tokenizer, text, [*known, *[tokenizer.mask_token_id] * masks])
    hidden = [k for k, token in enumerate(ids) if token == tokenizer.mask_token_id]
    assert len(hidden) == masks
    assert ids[-2:] == [tokenizer.sep_token_id, tokenizer.cls_token_id]
    perm_mask = torch.zeros((1, len(ids), len(ids)))
    perm_mask[:, :, hidden] = 1.0
    target_mapping = torch.zeros((1, 1, len(ids)))
    target_mapping[0, 0, hidden[0]] = 1.0
    segments = torch.tensor([[0] * (len(ids) - 1) + [2]])
    with torch.inference_mode():
        logits = model(
            torch.tensor([ids]), perm_mask=perm_mask, target_mapping=target_mapping,
            token_type_ids=segments,
        ).logits  # fmt: skip
    assert logits.shape[:2] == (1, 1)
    return logits[0, 0].log_softmax(-1), tokenizer


@pytest.mark.parametrize("padding", ["", PADDING])
def test_the_answer_is_that_of_a_pass_by_hand(tiny_xlnet: Path, padding: str) -> None:
    request = model_request(**({"padding_text": padding} if padding else {}))
    model = open_model(str(tiny_xlnet), request)
    assert model.kind == "permutation"
    fills = model.ask([FillBlank(text, words=("work",), top_k=3) for text in TEXTS])
    assert model.facts()["head"] == "at the blank only"
    for text, fill in zip(TEXTS, fills, strict=True):
        expected, tokenizer = by_hand(tiny_xlnet, text, padding)
        best = expected.topk(3)
        assert [g.logprob for g in fill.top] == pytest.approx(best.values.tolist(), abs=2e-3)
        if not fill.tie:
            first = tokenizer.convert_ids_to_tokens(int(best.indices[0]))
            assert fill.best.removeprefix("##") == first.removeprefix("▁")
        [word] = tokenizer("work", add_special_tokens=False)["input_ids"]
        assert fill.scores[0] == pytest.approx(float(expected[word]), abs=2e-3)


def test_padding_changes_answers_and_the_run(tiny_xlnet: Path) -> None:
    plain, padded = (
        open_model(str(tiny_xlnet), model_request(**options))
        for options in ({}, {"padding_text": PADDING})
    )
    assert plain.digest != padded.digest
    one, other = (model.ask([FillBlank(text) for text in TEXTS]) for model in (plain, padded))
    assert [fill.top for fill in one] != [fill.top for fill in other]


def test_ranks_and_likelihoods_are_asked_in_the_same_way(tiny_xlnet: Path) -> None:
    model = open_model(str(tiny_xlnet), ModelRequest())
    text = TEXTS[0]
    expected, tokenizer = by_hand(tiny_xlnet, text)
    [ranking] = model.ask([RankWords(text, (0, 1, 2), raw=True)])
    pieces = tokenizer.convert_ids_to_tokens(expected.topk(3).indices.tolist())
    assert [str(word).removeprefix("##") for word in ranking.words] == [
        piece.removeprefix("▁") for piece in pieces
    ]
    cuts = model.single_pieces(LANGUAGES.get("en").lexicon.verbs, text)
    two = next(word for word, cut in cuts.items() if len(cut.pieces) == 2)
    [choice] = model.ask([ChooseWord(text, (two,), words=(two,))])
    # The first token from neither mask, then the second from the first.
    first, second = tokenizer(f"to {two}", add_special_tokens=False)["input_ids"][-2:]
    start, _ = by_hand(tiny_xlnet, text, masks=2)
    end, _ = by_hand(tiny_xlnet, text, known=(first,))
    assert choice.logprob == pytest.approx(float(start[first] + end[second]), abs=5e-3)


def engine_of(folder: Path, **more: Any) -> PermutationEngine:
    from transformers import XLNetLMHeadModel

    model = XLNetLMHeadModel.from_pretrained(folder)
    return PermutationEngine(model, "cpu", 512, mask=6, last=3, **more)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    ids=st.lists(st.integers(10, 900), min_size=3, max_size=9),
    at=st.integers(0, 8),
    others=st.tuples(st.integers(10, 900), st.integers(10, 900)),
)
def test_no_token_sees_what_stands_at_the_blank(
    tiny_xlnet: Path, ids: list[int], at: int, others: tuple[int, int]
) -> None:
    engine = _engines.setdefault(tiny_xlnet, engine_of(tiny_xlnet))
    place = at % len(ids)
    one, other = (
        engine.logits([Question((*ids[:place], token, *ids[place + 1 :]), place)])
        for token in others
    )
    assert torch.allclose(one, other, atol=1e-5)
    seen = (place + 1) % len(ids)
    changed = [*ids[:seen], ids[seen] + 1, *ids[seen + 1 :]]
    assert not torch.equal(engine.logits([Question(tuple(changed), place)]), one)


_engines: dict[Path, PermutationEngine] = {}


def test_padding_counts_in_the_size_of_a_batch(tiny_xlnet: Path) -> None:
    questions = [Question((20 + k % 100, 30 + k // 100, 40), 1) for k in range(400)]
    sizes = [
        max(len(batch) for batch, _ in engine_of(tiny_xlnet, padding=padding).passes(questions))
        for padding in ((), tuple(range(50, 97)))
    ]
    assert sizes == [512 // 3, 512 // 50]


def test_a_run_does_not_depend_on_batches(tiny_xlnet: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"limit": 3, "ranks": (0,), "padding_text": PADDING}
    runs = [
        evaluate(
            str(tiny_xlnet), "gh22", token_budget=budget, out=tmp_path / str(budget), **options
        )
        for budget in (1, 4096)
    ]
    assert rows_of(runs[0]) == rows_of(runs[1])
    assert runs[0].manifest.model["kind"] == "permutation"
    assert "--padding-text" in runs[0].spec.command()
    [told] = [d.text for d in runs[0].findings[0].differences if d.tag == "padding"]
    assert told == "A padding text of 12 words was before each question."


@needs_bf16
def test_bf16_is_refused(tiny_xlnet: Path) -> None:
    with pytest.raises(ModelError, match="in fp32 only, not in bf16: use --precision fp32"):
        open_model(str(tiny_xlnet), ModelRequest(precision="bf16")).prepare()


def test_a_model_in_memory_is_asked_in_the_same_way(tiny_xlnet: Path) -> None:
    from transformers import AutoTokenizer, XLNetLMHeadModel

    from naysay.models._in_memory import wrap

    model = XLNetLMHeadModel.from_pretrained(tiny_xlnet)
    tokenizer = AutoTokenizer.from_pretrained(tiny_xlnet)
    held = wrap(model, "mine", tokenizer, ModelRequest())
    filed = open_model(str(tiny_xlnet), ModelRequest())
    assert held.kind == filed.kind == "permutation"
    one, other = (asked.ask([FillBlank(TEXTS[0])])[0].top[0] for asked in (held, filed))
    assert one.word == other.word and one.logprob == pytest.approx(other.logprob, abs=1e-4)


def test_with_a_plain_mask_it_is_asked_as_the_released_code_does(
    tiny_xlnet: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from transformers import XLNetLMHeadModel

    asked = open_model(f"masked:{tiny_xlnet}", ModelRequest())
    [fill] = asked.ask([FillBlank(TEXTS[0])])
    assert "-m permutation:" in capsys.readouterr().err
    _, tokenizer = by_hand(tiny_xlnet, TEXTS[0])
    ids = blanked(tokenizer, TEXTS[0], [tokenizer.mask_token_id])
    with torch.inference_mode():
        plain = XLNetLMHeadModel.from_pretrained(tiny_xlnet).eval()(torch.tensor([ids])).logits[0]
    best = plain[ids.index(tokenizer.mask_token_id)].log_softmax(-1).max()
    assert fill.top[0].logprob == pytest.approx(float(best), abs=2e-3)


def test_other_ways_are_refused_in_one_line(tiny_xlnet: Path, tiny_bert: Path) -> None:
    with pytest.raises(ModelError, match=f"not the next token: use -m permutation:{tiny_xlnet}"):
        open_model(f"causal:{tiny_xlnet}", ModelRequest()).prepare()
    with pytest.raises(ModelError, match=r"its type is bert; only xlnet is\). Use -m masked:"):
        open_model(f"permutation:{tiny_bert}", ModelRequest()).prepare()


def test_padding_is_for_this_kind_of_model_only(
    tiny_bert: Path, naysay: Callable[..., Outcome]
) -> None:
    ended = naysay("run", "-m", tiny_bert, "-t", "gh22", "--limit", 1, "--padding-text", "Ann.")
    assert ended.code != 0
    assert "--padding-text is for models of kind permutation, but this model is of" in ended.err
