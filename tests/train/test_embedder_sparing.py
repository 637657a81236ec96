"""Training that spares general sentences, and models between the base model and the trained one."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sentence_transformers")

from naysay.train.embedder.frontier import STRENGTHS, along, weakened  # noqa: E402
from naysay.train.embedder.sparing import SparingAdamW, sparing_optimizer  # noqa: E402
from naysay.train.plan import TrainingPlan  # noqa: E402

GENERAL = [f"a {thing} of {sort} parts" for thing in ("box", "row", "pile", "lamp")
           for sort in ("steel", "glass", "wood", "tin")]  # fmt: skip
NEGATED = ["it is not so", "she was never there", "they do not know him"]


@pytest.fixture(scope="module")
def embedder(tiny_bert: Path) -> Any:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    from naysay.models.lm.loading import quiet

    with quiet():
        transformer = Transformer(str(tiny_bert))
        pooling = Pooling(transformer.get_embedding_dimension(), "mean")
        return SentenceTransformer(modules=[transformer, pooling], device="cpu").eval()


def test_a_step_is_that_of_adam_in_other_coordinates() -> None:
    torch.manual_seed(0)
    start, way, target = torch.randn(3, 4), torch.randn(4, 4), torch.randn(3, 4)
    way = way @ way.T
    weight = torch.nn.Parameter(start.clone())
    inner = torch.nn.Parameter(torch.zeros(3, 4))
    sparing = SparingAdamW({weight: way}, lr=0.1, weight_decay=0.0)
    plain = torch.optim.AdamW([inner], lr=0.1, weight_decay=0.0)
    for _ in range(5):
        for optimizer, now in ((sparing, weight), (plain, start + inner @ way)):
            optimizer.zero_grad()
            ((now - target) ** 2).sum().backward()
            optimizer.step()
        torch.testing.assert_close(weight.detach(), (start + inner @ way).detach())


def moved(before: Any, after: Any, texts: list[str]) -> float:
    first, second = (model.encode(texts, convert_to_tensor=True) for model in (before, after))
    return float((1 - torch.cosine_similarity(first, second)).mean())


def trained(embedder: Any, *, sparing: bool) -> Any:
    """The embedder after some steps that push negated sentences away."""
    torch.manual_seed(0)
    model = copy.deepcopy(embedder)
    plan = TrainingPlan(steps=8, lr=1e-3)
    optimizer: Any = sparing_optimizer(model, GENERAL, None, plan)
    weights = {name for name, weight in model.named_parameters() if weight.requires_grad}
    assert weights and all(name.endswith("weight") for name in weights)
    assert not any("embeddings" in name or "LayerNorm" in name for name in weights)
    if not sparing:
        optimizer = torch.optim.AdamW([w for w in model.parameters() if w.requires_grad], lr=1e-4)
    features, away = model.preprocess(NEGATED), torch.randn(model.get_embedding_dimension())
    for _ in range(plan.steps or 0):
        optimizer.zero_grad()
        found = model(dict(features))["sentence_embedding"]
        (-torch.cosine_similarity(found, away[None]).mean()).backward()
        optimizer.step()
    return model


def test_general_sentences_are_spared(embedder: Any) -> None:
    costs = []
    for sparing in (True, False):
        model = trained(embedder, sparing=sparing)
        costs.append(moved(embedder, model, GENERAL) / moved(embedder, model, NEGATED))
    assert costs[0] < 0.5 * costs[1], costs


def test_strengths_lie_between_the_base_model_and_the_trained_one(embedder: Any) -> None:
    model = trained(embedder, sparing=True)
    weak = copy.deepcopy(model)
    weakened(embedder, weak, 0.5)
    distances = {0.5: moved(embedder, weak, NEGATED)}
    # From the weaker model, all others are found again, the full one among them.
    for strength, other in along(embedder, weak, 0.5):
        distances[strength] = moved(embedder, other, NEGATED)
        if strength == 1.0:
            assert moved(model, other, NEGATED) < 1e-5
    assert set(distances) == {*STRENGTHS, 0.5}
    assert [distances[s] for s in sorted(distances)] == sorted(distances.values())


def test_an_embedder_without_linear_layers_is_trained_as_a_whole() -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({word: k for k, word in enumerate("abc")}, unk_token="a"))
    tokenizer.pre_tokenizer = Whitespace()
    static: Any = SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_dim=4)], device="cpu"
    )
    assert sparing_optimizer(static, ["a b", "c"], None, TrainingPlan(steps=1)) is None
    assert all(weight.requires_grad for weight in static.parameters())
