"""Embeddings behind an address: in batches where that changes nothing, else one by one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, model_request, refused, rows_of
from fake_server import FakeServer, Fault
from naysay import evaluate
from naysay.core.probes import ChooseClosest, FillBlank
from naysay.core.protocols import Model
from naysay.models import open_model
from naysay.models.remote.client import Client
from naysay.models.remote.embedding import TRIALS

PROBE = ChooseClosest("She is happy", ("She is not happy", "She is happy", "so old"))
NO_LOGITS = "the current context does not support logits computation"


class Noting(FakeServer):
    """A server of embeddings that notes the texts of each request, but for those of the trial."""

    def __init__(self, batch_fault: str | None = None) -> None:
        super().__init__("embeddings", batch_fault=batch_fault)
        self.sent: list[list[str]] = []

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if path == "/v1/embeddings" and not set(body["input"]) <= set(TRIALS):
            self.sent.append(body["input"])
        return super().reply(path, body)


class WithoutLogits(FakeServer):
    """A server that answers like llama.cpp's when it was started for embeddings."""

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if path.endswith("completions"):
            return 500, {"error": {"code": 500, "message": NO_LOGITS, "type": "server_error"}}
        return super().reply(path, body)


def opened(server: FakeServer, **options: Any) -> Model:
    return open_model(server.name, model_request(**options))


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which are noted instead of made."""
    noted: list[float] = []
    monkeypatch.setattr(Client, "_wait", lambda self, seconds: noted.append(seconds))
    return noted


def test_the_closest_sentence() -> None:
    with FakeServer("embeddings") as server:
        [answer] = opened(server).ask([PROBE])
    assert answer.scale == "cosine" and not answer.tie
    assert answer.scores[1] > answer.scores[0] > answer.scores[2]
    assert answer.scores[1] == pytest.approx(1.0)


def test_each_sentence_is_sent_once(tmp_path: Path) -> None:
    with Noting() as server:
        first = evaluate(server.name, "semantoneg", limit=30, out=tmp_path / "one")
        again = evaluate(server.name, "semantoneg", limit=40, out=tmp_path / "two")
    sent = [text for texts in server.sent for text in texts]
    assert len(sent) == len(set(sent)) > 90 and len(server.sent) < len(sent) / 8
    assert (len(rows_of(first)), len(rows_of(again))) == (30, 40)


@pytest.mark.parametrize(
    ("fault", "says"), [("rounded", "in a batch they differ"), ("refused", "it takes no batches")]
)
def test_where_a_batch_changes_them_texts_are_sent_one_by_one(
    fault: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [f"The {noun} is {word}" for noun in ("tree", "house") for word in ("old", "red", "so")]
    probes = [ChooseClosest(text, tuple(texts)) for text in texts]
    with FakeServer("embeddings") as server:
        steady = opened(server)
        wanted, digest = steady.ask(probes), steady.digest
        price = steady.price(PROBE)[0]  # type: ignore[attr-defined]
    capsys.readouterr()
    with Noting(fault) as server:
        model = opened(server, concurrency=4)
        assert model.ask(probes) == wanted
        assert model.price(PROBE)[0] == 4 > price  # type: ignore[attr-defined]
    assert sorted(server.sent) == sorted([text] for text in texts)
    assert server.peak == 1  # a server puts requests of the same time into one batch
    [line] = capsys.readouterr().err.splitlines()
    assert line.endswith(f"; embeddings, one text at a time ({says})")
    assert model.facts()["asked"]["not_used"]["embeddings in a batch"] == says
    assert model.digest != digest


def test_embeddings_that_are_never_the_same_are_refused(naysay: Callable[..., Outcome]) -> None:
    with FakeServer("embeddings", batch_fault="unsteady") as server:
        ended = naysay("run", "-m", server.name, "-t", "semantoneg")
    refused(ended, "no embeddings", "its embeddings of the same text differ from time to time")


def test_what_a_server_answers_with_500_is_refused_and_other_ways_are_tried(
    pauses: list[float], naysay: Callable[..., Outcome]
) -> None:
    with WithoutLogits("embeddings") as server:
        model = opened(server)
        assert model.answers == {ChooseClosest}
        assert pauses == [1, 1]  # one for each way: what fails again is not awaited
        assert model.facts()["asked"]["not_used"]["completions"] == f"500 {NO_LOGITS}"
        refused(naysay("run", "-m", server.name, "-t", "scnt"), "scnt", f"500 {NO_LOGITS}")


def test_a_500_that_passes_is_none(pauses: list[float]) -> None:
    with FakeServer() as server:
        server.faults.append(Fault(status=500, message="out of memory"))
        assert FillBlank in opened(server).answers
    assert pauses == [1]
