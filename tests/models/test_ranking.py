"""Which words a model ranks where: against the plain logits, and whatever the batch."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from conftest import model_request
from naysay import evaluate
from naysay.core.probes import BLANK, FillBlank, RankWords
from naysay.core.protocols import Model
from naysay.models import open_model
from naysay.models.lm import readouts as ranking
from naysay.run.store import read_rows

TEXTS = [
    f"{name} is {job} and {pronoun} likes to ▢."
    for name, pronoun in (("Mary", "she"), ("John", "he"), ("Emily", "she"), ("James", "he"))
    for job in ("an architect", "a baker", "a nurse", "a software developer")
]
RANKS = (0, 1, 2, 50, 51, 52, 200)


def opened(folder: Path, **options: Any) -> Model:
    model = open_model(str(folder), model_request(**options))
    model.prepare()
    return model


def plain_order(folder: Path, text: str) -> tuple[list[int], Any]:
    """All pieces of a BERT by their logits at the blank, computed the plain way."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    inputs = tokenizer(text.replace(BLANK, tokenizer.mask_token), return_tensors="pt")
    place = inputs["input_ids"][0].tolist().index(tokenizer.mask_token_id)
    with torch.inference_mode():
        logits = model(**inputs).logits[0, place]
    return torch.argsort(logits, descending=True, stable=True).tolist(), tokenizer


def test_raw_ranks_are_those_of_the_plain_logits(tiny_bert: Path) -> None:
    model = opened(tiny_bert)
    for text, found in zip(
        TEXTS[:4], model.ask([RankWords(t, RANKS, raw=True) for t in TEXTS[:4]]), strict=True
    ):
        order, tokenizer = plain_order(tiny_bert, text)
        assert list(found.words) == tokenizer.convert_ids_to_tokens([order[k] for k in RANKS])
        assert found.first == found.words[0]


def test_ranks_count_whole_words_only(tiny_model: Path) -> None:
    model = opened(tiny_model)
    [everything] = model.ask([FillBlank(TEXTS[0], top_k=100_000)])
    [found] = model.ask([RankWords(TEXTS[0], tuple(range(300)))])
    words = [word for word in found.words if word is not None]
    assert len(words) > 30 and all(word.isalpha() for word in words)
    assert len(set(words)) == len(words)
    assert found.first == everything.best
    # Best first, up to what rounding can swap, and none that would come before is left out.
    scores = {guess.word: guess.logprob for guess in everything.top}
    ranked = [scores[word] for word in words]
    assert all(one > other - 1e-4 for one, other in itertools.pairwise(ranked))
    better = [word for word in scores if word.isalpha() and scores[word] > ranked[-1] + 1e-4]
    one_piece = {word for word, cut in model.single_pieces(better, TEXTS[0]).items() if cut.single}
    assert one_piece <= set(words)
    cuts = model.single_pieces(words, TEXTS[0])
    assert all(cut.single for cut in cuts.values())


def test_ranks_beyond_the_vocabulary_are_none(tiny_bert: Path) -> None:
    model = opened(tiny_bert)
    [found] = model.ask([RankWords(TEXTS[0], (0, 100_000))])
    assert found.words[0] is not None and found.words[1] is None


@pytest.mark.slow
def test_the_batch_does_not_change_a_ranking(tiny_model: Path) -> None:
    probes = [RankWords(text, RANKS) for text in TEXTS]
    alone = [opened(tiny_model).ask([probe])[0] for probe in probes]
    for budget in (1, 40, 4096):
        assert opened(tiny_model, token_budget=budget).ask(probes) == alone
    assert opened(tiny_model).ask(probes[::-1]) == alone[::-1]
    raw = [RankWords(text, RANKS, raw=True) for text in TEXTS]
    both = opened(tiny_model).ask([*probes, *raw])
    assert both[: len(probes)] == alone
    assert both[len(probes) :] == opened(tiny_model).ask(raw)


def test_a_near_neighbour_is_decided_by_the_text_alone(
    tiny_bert: Path, passes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(tiny_bert)
    probes = [RankWords(text, RANKS) for text in TEXTS]
    model.ask(probes)
    together = [size for size in passes if size > 1]
    monkeypatch.setattr(ranking, "NEAR", {"fp32": 1e9})
    passes.clear()
    model.ask(probes)
    assert [size for size in passes if size > 1] == together
    assert passes.count(1) >= sum(together) > 0


@pytest.mark.parametrize("raw", [False, True])
def test_rows_do_not_depend_on_batches_or_shards(
    tiny_model: Path, tmp_path: Path, raw: bool
) -> None:
    def rows(folder: str, **options: Any) -> list[Any]:
        run = evaluate(
            str(tiny_model), "gh22", limit=6, raw_ranks=raw, ranks=(0, 20),
            style=("paper", "before"), out=tmp_path / folder, **options,
        )  # fmt: skip
        files = sorted(run.folder.glob("gh22/*.parquet"))
        return [row for file in files for row in read_rows(file).to_pylist()]

    whole = rows("whole")
    assert whole == rows("small", token_budget=30, shard_size=4)
    asked = [row for row in whole if row["text"]]
    assert asked and (raw or len(asked) == len(whole))
