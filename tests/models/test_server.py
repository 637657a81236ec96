"""Models behind an address: what a server can do, and answers that are known exactly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, model_request, refused, rows_of
from fake_server import ASSISTANT, TOY, VERBS, FakeServer
from naysay import ask, evaluate
from naysay.core.probes import (
    AnswerQuestion,
    ChooseClosest,
    ChooseWord,
    Complete,
    ContrastFills,
    FillBlank,
    RankWords,
    Response,
)
from naysay.core.protocols import Model
from naysay.models import open_model
from naysay.models.remote.replies import read_back

TEXTS = [
    "Mary is an architect who likes to swim. She is happy to ▢.",
    "John is a baker who doesn't like to run. He isn't happy to ▢.",
    "Ann is a nurse who likes to sing. She is very happy to ▢.",
]
NOTHING = ChooseClosest("", ())
TRIAL = "Which is a colour, A: red, or B: run? Answer A or B."
TOKENS = {FillBlank, ChooseWord, Complete}
WAYS = {"llama": "forced", "vllm": "prompt_logprobs", "openai": "echo"}


def opened(server: FakeServer, **options: Any) -> Model:
    return open_model(server.name, model_request(**options))


@pytest.mark.parametrize(
    ("kind", "answers", "says"),
    [
        ("llama", {*TOKENS, RankWords, AnswerQuestion}, "likelihoods by forcing one token after"),
        ("vllm", {*TOKENS, AnswerQuestion}, "likelihoods by prompt_logprobs"),
        ("openai", TOKENS, "likelihoods by echo"),
        ("chat", {Complete, AnswerQuestion}, "no next token (404 no /v1/completions here); chat"),
        ("talk", {AnswerQuestion}, "chat without log-probabilities"),
        ("embeddings", {ChooseClosest}, "; embeddings"),
    ],
)
def test_a_server_is_asked_what_it_can_do(
    kind: str, answers: set[type], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer(kind) as server:
        assert opened(server).answers == answers
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"toy@{server.url[7:-3]}") and says in line


@pytest.mark.parametrize("kind", WAYS)
class TestKnownAnswers:
    def test_the_next_token(self, kind: str) -> None:
        with FakeServer(kind) as server:
            model = opened(server)
            fills = model.ask([FillBlank(text, ("swim", "so"), top_k=3) for text in TEXTS])
        for text, fill in zip(TEXTS, fills, strict=True):
            ids = tuple(TOY.split(text.removesuffix(" ▢.")))
            best, found = TOY.best(ids, 20), TOY.logprobs(ids)
            tokens = [TOY.text([k]) for k in best[:3]]
            marked = [t[1:] if t[0] == " " else f"##{t}" if t.isalnum() else t for t in tokens]
            assert [guess.word for guess in fill.top] == marked
            assert [g.logprob for g in fill.top] == pytest.approx([found[k] for k in best[:3]])
            for word, score in zip((" swim", " so"), fill.scores, strict=True):
                number = TOY.number[word]
                if number in best:
                    assert score == pytest.approx(found[number])
                else:  # outside of what the server returns: not known, and not 0
                    assert score is None

    def test_the_likelihood_of_a_text(self, kind: str) -> None:
        options = ("so red", "the old house", "gargle")
        probes = [Complete(prompt, options, NOTHING) for prompt in ("It was", "She likes the day")]
        with FakeServer(kind) as server:
            model = opened(server)
            assert model.facts()["asked"]["likelihood"] == WAYS[kind]
            answers = model.ask(probes)
        for probe, answer in zip(probes, answers, strict=True):
            wanted = [TOY.likelihood(probe.prompt, f" {option}") for option in options]
            assert answer.logprobs == pytest.approx(wanted, abs=1e-6)

    @pytest.mark.parametrize("most", [5, 20])
    @pytest.mark.parametrize("after", [".", " in the old house."])
    def test_the_likeliest_word_is_that_of_all_words(
        self, kind: str, most: int, after: str
    ) -> None:
        words = (*VERBS.split()[:8], "gargle", "ponder", "swimming")
        probes = [ChooseWord(text.replace("▢.", f"▢{after}"), words) for text in TEXTS]
        with FakeServer(kind, most=most) as server:
            choices = opened(server).ask(probes)
        for probe, choice in zip(probes, choices, strict=True):
            before = probe.text.partition(" ▢")[0]
            rest = "" if after == "." else after
            scores = {word: TOY.likelihood(before, f" {word}{rest}") for word in words}
            assert choice.best == max(scores, key=lambda word: scores[word])
            assert choice.logprob == pytest.approx(scores[choice.best])

    def test_words_of_one_token(self, kind: str) -> None:
        with FakeServer(kind) as server:
            model = opened(server)
            for bare in (False, True):
                cuts = model.single_pieces(["run", "gargle", "swim"], TEXTS[0], bare=bare)
                assert {word: cut.single for word, cut in cuts.items()} == {
                    "run": True, "gargle": False, "swim": True,
                }  # fmt: skip

    @pytest.mark.slow
    def test_a_run_is_that_of_the_toy(self, kind: str, tmp_path: Path) -> None:
        with FakeServer(kind) as server:
            run = evaluate(server.name, "scnt", limit=3, cap=2, out=tmp_path)
        for row in rows_of(run):
            ids = tuple(TOY.split(row["text"].partition(" ▢")[0]))
            assert f" {row['answer']}" == TOY.text(TOY.best(ids, 1))
        facts = run.manifest.model
        assert (facts["verified"], facts["fingerprint"], facts["hub"]) == (False, "fp_1", None)
        assert facts["name"] == f"toy@{server.url[7:-3]}"


def test_tokens_are_counted_where_nothing_shows_them() -> None:
    with FakeServer("openai", echo_fault="zero") as server:
        model = opened(server)
        assert model.facts()["asked"]["tokens"] == "counts of tokens"
        for bare in (False, True):
            cuts = model.single_pieces(["run", "gargle", "swim"], TEXTS[0], bare=bare)
            assert [cut.single for cut in cuts.values()] == [True, False, True]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("zero", "all zero"),
        ("missing", "missing"),
        ("shifted", "shifted by one token"),
        ("wrong", "are wrong: -"),
    ],
)
@pytest.mark.slow
def test_an_echo_with_wrong_numbers_is_found_and_not_used(
    fault: str, says: str, naysay: Callable[..., Outcome]
) -> None:
    with FakeServer("openai", echo_fault=fault) as server:
        assert opened(server).answers == {FillBlank}
        ended = naysay("run", "-m", server.name, "-t", "semantoneg_likelihood", "--limit", 2)
        refused(ended, "semantoneg_likelihood", "does not tell how likely a given text is", says)
        assert not Path("runs").exists()
        ended = naysay("run", "-m", server.name, "-t", "scnt", "--readout", "likelihood")
        refused(ended, "does not tell how likely", says)
        ended = naysay("run", "-m", server.name, "-t", "scnt", "--limit", 1, "--cap", 1)
        assert ended.code == 0


@pytest.mark.parametrize(
    ("fault", "says"), [("ignored", "it ignores logit_bias"), ("counted", "a bias changes its")]
)
def test_without_forced_tokens_only_those_of_the_list_are_known(fault: str, says: str) -> None:
    prompt, options = "She likes to", ("run", "swim", "so old", "gargle")
    ids = tuple(TOY.split(prompt))
    with FakeServer("llama", bias_fault=fault) as server:
        model = opened(server)
        assert ChooseWord not in model.answers
        assert says in model.facts()["asked"]["not_used"]["forced"]
        [answer] = model.ask([Complete(prompt, options, NOTHING)])
    listed = {TOY.text([k]) for k in TOY.best(ids, 20)}
    for option, logprob in zip(options[:2], answer.logprobs, strict=False):
        known = f" {option}" in listed
        wanted = TOY.likelihood(prompt, f" {option}") if known else None
        assert logprob == pytest.approx(wanted)
    assert None in answer.logprobs and not answer.known


class _Spoiled(FakeServer):
    """A server whose next tokens are spoiled in one way."""

    def __init__(self, fault: str) -> None:
        super().__init__("openai")
        self.fault = fault

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, reply = super().reply(path, body)
        if status == 200 and path == "/v1/completions":
            found = reply["choices"][0]["logprobs"]
            tops = [top for top in found["top_logprobs"] if top]
            if self.fault == "sum":
                found["top_logprobs"] = [dict.fromkeys(top, -0.1) for top in tops]
            elif self.fault == "equal":
                found["top_logprobs"] = [dict.fromkeys(top, -5.0) for top in tops]
            elif self.fault == "spaces":
                found["top_logprobs"] = [{k.strip(): v for k, v in top.items()} for top in tops]
            elif self.fault == "positive":
                found["token_logprobs"] = [0.5] * len(tops)
            elif self.fault == "none":
                reply["choices"][0]["logprobs"] = None
            elif self.fault == "unsteady":
                drift = 0.1 * self.paths.total()
                found["top_logprobs"] = [{k: v - drift for k, v in top.items()} for top in tops]
                found["token_logprobs"] = [v - drift for v in found["token_logprobs"]]
        return status, reply


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("sum", "more than 1"),
        ("equal", "equally probable"),
        ("spaces", "without the spaces before words"),
        ("positive", "above 0"),
        ("none", "no log-probabilities"),
        ("unsteady", "different answers at temperature 0"),
    ],
)
def test_next_tokens_that_cannot_be_right_are_refused_by_name(
    fault: str, says: str, naysay: Callable[..., Outcome]
) -> None:
    with _Spoiled(fault) as server:
        refused(naysay("run", "-m", server.name, "-t", "scnt"), says)


def test_a_server_that_answers_texts_instead_of_continuing_them_is_refused(
    naysay: Callable[..., Outcome],
) -> None:
    with FakeServer("openai", wraps=True) as server:
        ended = naysay("run", "-m", server.name, "-t", "scnt")
        refused(ended, "does not continue texts, but answers them as messages")


@pytest.mark.parametrize("kind", ["llama", "vllm"])
def test_what_needs_the_whole_vocabulary_is_refused(
    kind: str, naysay: Callable[..., Outcome]
) -> None:
    with FakeServer(kind) as server:
        assert ContrastFills not in opened(server).answers
        for suite in ("lama", "lama_misprimed", *(["gh22"] if kind == "vllm" else [])):
            ended = naysay("run", "-m", server.name, "-t", suite)
            refused(ended, suite, "needs the whole vocabulary")


class TestRanks:
    """Words by rank, where the server returns many tokens."""

    @pytest.mark.parametrize("options", [{"kind": "llama"}, {"kind": "vllm", "most": 500}])
    def test_they_are_those_of_the_whole_vocabulary(self, options: dict[str, Any]) -> None:
        with FakeServer(**options) as server:
            model = opened(server)
            deep = tuple(range(40))
            plain = model.ask([RankWords(text, deep) for text in TEXTS])
            raw = model.ask([RankWords(text, deep, raw=True) for text in TEXTS])
        for text, words, tokens in zip(TEXTS, plain, raw, strict=True):
            ids = tuple(TOY.split(text.removesuffix(" ▢.")))
            best = [TOY.text([k]) for k in TOY.best(ids, len(TOY.vocabulary))]
            # Letters are tokens, too, and some are words of letters.
            whole = [t[1:] for t in best if t[0] == " " and t[1:].isalpha()]
            assert list(words.words) == whole[:40]
            assert tokens.words[0] == tokens.first == words.first
            assert list(tokens.words) == [read_back(token) for token in best[:40]]

    def test_a_rank_beyond_the_list_is_refused(self, naysay: Callable[..., Outcome]) -> None:
        with FakeServer("llama") as server:
            ended = naysay("run", "-m", server.name, "-t", "gh22", "--limit", 2)
            refused(ended, "likeliest tokens that the server returns have", "rank 202", "--ranks")
            assert not list(Path.cwd().glob("runs/*"))

    def test_gh22_is_asked_with_ranks_within_it(self, tmp_path: Path) -> None:
        with FakeServer("llama") as server:
            run = evaluate(server.name, "gh22", limit=3, ranks=(0, 50), out=tmp_path)
        seeds = [row for row in rows_of(run) if row["polarity"] == "seed"]
        assert len(seeds) == 6 and all(row["usable"] for row in seeds)
        assert run.findings[0].outcome in ("fails", "undecided", "no effect")


def test_a_sentence_is_asked_with_bounds_of_what_is_not_returned(
    naysay: Callable[..., Outcome],
) -> None:
    sentence = "Mary is a nurse who doesn't like to swim. She is happy to ___."
    with FakeServer("vllm", most=5) as server:
        ended = naysay("ask", sentence, "-m", server.name, "--words", "so,gargle", "--json")
        listed, cut = json.loads(ended.out)["models"][0]["clozes"][0]["words"]
        assert listed["problem"] == "not among the tokens that the server returns"
        assert cut["problem"] == "6 tokens"
        assert naysay("ask", sentence, "-m", server.name, "--negate").code == 0
        [reply] = ask(sentence, [server.name], negate=True)
    assert 0.001 < reply.bound < 0.2


class TestChat:
    def test_the_letters_of_a_question(self) -> None:
        prompt = "Which one means the same, A, B or C?"
        ids = tuple(TOY.split(prompt + ASSISTANT))
        with FakeServer("llama") as server:
            probe = Complete(prompt, ("A", "B", "C"), NOTHING, cue="Answer:")
            [answer] = opened(server, endpoint="chat").ask([probe])
        listed = {TOY.text([k]): TOY.logprobs(ids)[k] for k in TOY.best(ids, 20)}
        for letter, logprob in zip("ABC", answer.logprobs, strict=True):
            assert logprob == pytest.approx(listed.get(letter))

    def test_newer_names_of_parameters_are_found_out(self) -> None:
        with FakeServer("chat", new_limit=True) as server:
            model = opened(server)
            assert model.answers == {Complete, AnswerQuestion}
            assert len(model.ask([Complete("A, B?", ("A", "B"), NOTHING, cue=":")])) == 1

    @pytest.mark.parametrize("kind", ["chat", "llama"])
    def test_likelihoods_are_refused_with_the_reason(
        self, kind: str, naysay: Callable[..., Outcome]
    ) -> None:
        with FakeServer(kind) as server:
            for suite in ("scnt", "semantoneg_likelihood", "gh22"):
                words = ["run", "-m", server.name, "-t", suite, "--endpoint", "chat"]
                refused(naysay(*words), suite, "a chat answers a message")

    def test_items_whose_letters_are_outside_the_list_are_counted(self, tmp_path: Path) -> None:
        with FakeServer("chat") as server:
            options: dict[str, Any] = {"limit": 12, "out": tmp_path}
            run = evaluate(server.name, "semantoneg_prompted", **options)
        units = {row["unit"] for row in rows_of(run)}
        lost = run.manifest.unmeasured("semantoneg_prompted")
        assert len(units) + lost == 12 and units and lost
        assert len(rows_of(run)) == 6 * len(units)
        notes = run.findings[0].notes
        assert any(note.startswith(f"{lost} of 12 items were not measured") for note in notes)

    def test_a_run_without_any_measured_item_says_so(self, naysay: Callable[..., Outcome]) -> None:
        with FakeServer("chat", most=1) as server:
            ended = naysay("run", "-m", server.name, "-t", "semantoneg_prompted", "--limit", 2)
            refused(ended, "none of the 2 items of semantoneg_prompted could be measured")

    def test_answers_in_words(self) -> None:
        asked: list[str] = []

        def says(question: str) -> str | None:
            asked.append(question)
            return None if "empty" in question else f"  **{question[:3]}** "

        probes = [AnswerQuestion(text, NOTHING) for text in ("yes?", "is it empty?", "yes?")]
        for kind in ("talk", "chat", "llama"):
            asked.clear()
            with FakeServer(kind, says=says) as server:
                found = opened(server).ask(probes)
            assert [one.text for one in found] == ["**yes**", "", "**yes**"]
            assert all(one.finished for one in found)
            assert len([question for question in asked if "?" in question]) == 2 + asked.count(
                TRIAL
            )

    def test_an_answer_may_be_cut(self) -> None:
        ids = TOY.split("Why not?" + ASSISTANT)
        with FakeServer("talk") as server:
            [answer] = opened(server).ask([AnswerQuestion("Why not?", NOTHING, limit=5)])
        for _ in range(5):
            ids.append(TOY.best(tuple(ids), 1)[0])
        assert answer == Response(TOY.text(ids[-5:]).strip(), finished=False)

    def test_a_chat_without_numbers_is_refused(self, naysay: Callable[..., Outcome]) -> None:
        with FakeServer("talk") as server:
            ended = naysay("run", "-m", server.name, "-t", "semantoneg_prompted")
            refused(ended, "tells no log-probabilities at all")
            refused(naysay("run", "-m", server.name), "no suite fits toy@")
