"""Linear layers by oneDNN: the same products and gradients, and only where that is faster."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from naysay.core.probes import FillBlank  # noqa: E402
from naysay.core.protocols import ModelRequest  # noqa: E402
from naysay.models import open_model  # noqa: E402
from naysay.models.lm import linear_layers, processor  # noqa: E402
from naysay.models.lm.linear_layers import OneDnnLinear, slow_down, speed_up  # noqa: E402

SIZES = st.integers(1, 40)


def pair(width: int, height: int, bias: bool) -> tuple[Any, Any]:
    torch.manual_seed(width * 100 + height)
    plain = torch.nn.Linear(width, height, bias=bias)
    quick = copy.deepcopy(plain)
    quick.__class__ = OneDnnLinear
    return plain, quick


@given(SIZES, SIZES, st.lists(SIZES, min_size=1, max_size=3), st.booleans(), st.booleans())
def test_products_and_gradients_are_torchs(
    width: int, height: int, shape: list[int], bias: bool, across: bool
) -> None:
    plain, quick = pair(width, height, bias)
    rows = torch.randn(*shape, width)
    if across and len(shape) > 1:
        rows = rows.transpose(0, 1)  # in another order in memory
    first, second = (rows.detach().clone().requires_grad_() for _ in range(2))
    one, other = plain(first), quick(second)
    torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)
    towards = torch.randn_like(one)
    one.backward(towards)
    other.backward(towards)
    torch.testing.assert_close(first.grad, second.grad, rtol=1e-3, atol=1e-3)
    for name, weight in plain.named_parameters():
        found = quick.get_parameter(name).grad
        torch.testing.assert_close(weight.grad, found, rtol=1e-3, atol=1e-3)
    with torch.inference_mode():
        torch.testing.assert_close(plain(rows), quick(rows), rtol=1e-3, atol=1e-3)


def test_other_types_and_mixed_precision_go_the_usual_way(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, quick = pair(8, 6, True)
    rows = torch.randn(3, 8)
    monkeypatch.setattr(linear_layers, "product", lambda *given: pytest.fail("oneDNN was asked"))
    assert torch.equal(plain.double()(rows.double()), quick.double()(rows.double()))
    plain.float(), quick.float()
    with torch.autocast("cpu", torch.bfloat16):
        assert quick(rows).dtype == torch.bfloat16
    assert quick(torch.empty(0, 8)).shape == (0, 6)
    assert quick(torch.randn(8)).shape == (6,)


def test_frozen_parts_get_no_gradient() -> None:
    _, quick = pair(5, 4, True)
    quick.weight.requires_grad_(False)
    rows = torch.randn(2, 5, requires_grad=True)
    quick(rows).sum().backward()
    assert quick.weight.grad is None and rows.grad is not None and quick.bias.grad is not None


@pytest.mark.parametrize(
    ("speed", "large", "count"), [(2.0, 0, 2), (1.1, 0, 0), (None, 0, 0), (2.0, 10**9, 0)]
)
def test_only_large_models_are_sped_up_where_it_pays(
    monkeypatch: pytest.MonkeyPatch, speed: float | None, large: int, count: int
) -> None:
    monkeypatch.setattr(linear_layers, "linear_speed", lambda: speed)
    monkeypatch.setattr(linear_layers, "LARGE", large)
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU(), torch.nn.Linear(3, 3))
    layers = speed_up(model)
    assert len(layers) == count
    assert {type(layer) for layer in layers} <= {OneDnnLinear}
    assert type(pickle.loads(pickle.dumps(model))[0]) is type(model[0])
    slow_down(layers)
    assert type(model[0]) is type(model[2]) is torch.nn.Linear


def test_answers_are_the_same_either_way(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [FillBlank(f"Mary is {what}. She ▢.", words=("is",)) for what in ("here", "not here")]

    def answers(speed: float) -> list[tuple[object, ...]]:
        monkeypatch.setattr(linear_layers, "linear_speed", lambda: speed)
        monkeypatch.setattr(linear_layers, "LARGE", 0)
        model = open_model(str(tiny_model), ModelRequest(precision="fp32", device="cpu"))
        return [(fill.best, *fill.scores) for fill in model.ask(asked)]

    for one, other in zip(answers(1.0), answers(9.0), strict=True):
        assert one[0] == other[0] and one[1] == pytest.approx(other[1], abs=1e-4)


@pytest.mark.slow
def test_the_trial_runs_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAYSAY_CACHE", str(tmp_path))
    processor._outcome.cache_clear()
    speed = processor.linear_speed()
    assert speed is not None and speed > 0
    processor._outcome.cache_clear()
    monkeypatch.setattr(processor, "_trial", lambda *given: pytest.fail("it was tried again"))
    assert processor.linear_speed() == speed
    processor._outcome.cache_clear()
