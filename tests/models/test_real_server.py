"""llama.cpp's own server on loopback, with real weights."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, model_request, refused
from naysay.core.probes import (
    AnswerQuestion,
    ChooseClosest,
    ChooseWord,
    Complete,
    FillBlank,
    RankWords,
)
from naysay.core.protocols import Model
from naysay.models import ADAPTERS, open_model
from naysay.models.files.wheels import get
from naysay.models.remote.address import Address
from naysay.models.remote.client import Client
from naysay.models.remote.replies import next_tokens

pytest.importorskip("xllamacpp")
pytestmark = pytest.mark.slow

SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel = sys.argv[1], 2048, 2
if len(sys.argv) > 2:
    params.embedding = True
    params.pooling_type = getattr(xllamacpp.llama_pooling_type, sys.argv[2])
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
TEXTS = [
    "Mary is an architect who likes to swim. She is happy to ▢.",
    "John is a baker who doesn't like to run. He isn't happy to ▢.",
    "Ann is a nurse who likes to sing. She is very happy to ▢.",
    "Tom is a pilot who doesn't like to cook. He is happy to ▢.",
]
WORDS = ("run", "swim", "cook", "acclimatize")
PLAIN = Complete(
    "The plan is good. In other words,",
    ("The plan is bad.", "The plan is not bad."),
    ChooseClosest("", ()),
)
NEAR = 0.05


ABOUT = ChooseClosest(
    "My soup is not hot.",
    ("My soup is cold.", "My soup is hot.", "My soup is not cold.", "The tree is green."),
)


def file_of(name: str, cache: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NAYSAY_CACHE", str(cache))
        [file] = get(name).glob("*.gguf")
    return file


@contextmanager
def served(*arguments: str) -> Iterator[str]:
    """The address of llama.cpp's server in a child process."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, env=os.environ,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        try:
            address = child.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            yield f"{address}/v1"
        finally:
            child.kill()


@pytest.fixture(scope="module")
def weights(real_weights: Path) -> Path:
    return file_of("smollm2", real_weights)


@pytest.fixture(scope="module")
def url(weights: Path) -> Iterator[str]:
    with served(str(weights)) as address:
        yield address


@pytest.fixture
def server(url: str) -> Model:
    return open_model(f"server:{url}", model_request())


def test_it_is_asked_by_forced_tokens(server: Model) -> None:
    facts = server.facts()
    assert (facts["server"], facts["asked"]["likelihood"]) == ("llama.cpp", "forced")
    assert facts["asked"]["not_used"]["echo"] == "it returns no log-probabilities of the prompt"
    assert (facts["verified"], facts["parameters"]) == (False, 134515008)


def test_likelihoods_are_those_of_the_whole_vocabulary(server: Model, url: str) -> None:
    client = Client(Address.of(url), None)

    def tokens(text: str) -> list[int]:
        body = {"content": text, "add_special": True}
        return [int(token) for token in client.post("/tokenize", body)["tokens"]]

    def likelihood(prompt: str, option: str) -> float:
        ids, total = tokens(f"{prompt} {option}"), 0.0
        for k in range(len(tokens(prompt)), len(ids)):
            body = {"prompt": ids[:k], "max_tokens": 1, "temperature": 0, "logprobs": 50_000}
            [token] = next_tokens(client.post("completions", body))
            [score] = [score.logprob for score in token.top if score.id == ids[k]]
            total += score
        return total

    [answer] = server.ask([PLAIN])
    wanted = [likelihood(PLAIN.prompt, option) for option in PLAIN.options]
    assert answer.logprobs == pytest.approx(wanted, abs=NEAR)


@pytest.mark.skipif("llama" not in ADAPTERS.names(), reason="no llama.cpp in this process")
def test_answers_are_those_of_the_same_file_in_this_process(server: Model, weights: Path) -> None:
    inside = open_model(f"llama:{weights}", model_request())
    fills: list[Any] = [FillBlank(text, WORDS) for text in TEXTS]
    choices: list[Any] = [ChooseWord(text, WORDS) for text in TEXTS]
    for one, other in zip(server.ask(fills), inside.ask(fills), strict=True):
        assert one.best == other.best or one.tie or other.tie
    for one, other in zip(server.ask(choices), inside.ask(choices), strict=True):
        assert (one.best, one.logprob) == (other.best, pytest.approx(other.logprob, abs=NEAR))
    [one], [other] = server.ask([PLAIN]), inside.ask([PLAIN])
    assert one.logprobs == pytest.approx(other.logprobs, abs=NEAR)


@pytest.mark.skipif("llama" not in ADAPTERS.names(), reason="no llama.cpp in this process")
def test_ranks_and_answers_in_words_are_those_in_this_process(server: Model, weights: Path) -> None:
    inside = open_model(f"llama:{weights}", model_request())
    text = "Mary is a nurse and she likes to ▢."
    [found] = server.ask([RankWords(text, (0, 1, 50, 202))])
    [every] = inside.ask([RankWords(text, tuple(range(230)))])
    places = [every.words.index(word) for word in found.words]
    # Neighbours are close to each other, and activations are rounded to 8 bits.
    assert places[:2] == [0, 1] and abs(places[2] - 50) < 8 and abs(places[3] - 202) < 25
    nothing = ChooseClosest("", ())
    prompts = [f"{text.replace('▢', '____')}\nWhich word fits: {word} or run?" for word in WORDS]
    asked = [AnswerQuestion(prompt, nothing, limit=4) for prompt in prompts]
    one, other = server.ask(asked), inside.ask(asked)
    same = [a.text == b.text for a, b in zip(one, other, strict=True)]
    assert sum(same) >= 0.75 * len(same) and all(answer.text for answer in one)


def test_through_chat_only_likelihoods_are_refused(
    url: str, naysay: Callable[..., Outcome]
) -> None:
    for suite in ("scnt", "semantoneg_likelihood"):
        ended = naysay("run", "-m", f"server:{url}", "-t", suite, "--endpoint", "chat")
        refused(ended, suite, "a chat answers a message")


@pytest.mark.skipif("llama" not in ADAPTERS.names(), reason="no llama.cpp in this process")
@pytest.mark.parametrize(("endpoint", "pooling"), [(None, "UNSPECIFIED"), ("embeddings", "MEAN")])
def test_embeddings_are_those_of_the_same_file_in_this_process(
    endpoint: str | None, pooling: str, real_weights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_of("nomic-embed", real_weights)
    others = [ChooseClosest(text, ABOUT.options) for text in ABOUT.options]
    asked = [ABOUT, *others]
    with served(str(file), f"LLAMA_POOLING_TYPE_{pooling}") as address:
        model = open_model(f"server:{address}", model_request(endpoint=endpoint))
        assert model.answers == {ChooseClosest}
        found = model.ask(asked)
    # Its answers to batches differ by several degrees: 8 bits between layers.
    told = capsys.readouterr().err.splitlines()  # the file may have been downloaded before
    assert any(line.endswith("one text at a time (in a batch they differ)") for line in told)
    inside = open_model(f"llama:{file}", model_request())
    for one, other in zip(found, inside.ask(asked), strict=True):
        assert one.scores == pytest.approx(other.scores, abs=NEAR)
