"""The papers' tests as questions in a chat: strict reading, both orders, and what is no answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, refused, rows_of
from fake_server import FakeServer
from naysay import evaluate
from naysay.core.probes import AnswerQuestion, Response
from naysay.core.protocols import ModelRequest
from naysay.core.records import PASSES, Estimate
from naysay.core.spec import RunSpec
from naysay.data.languages import LANGUAGES
from naysay.models import open_model
from naysay.models.known import KnownModel
from naysay.run.evaluation import Evaluation
from naysay.run.plan import setting_of
from naysay.suites._questions.wording import (
    ANOTHER,
    CHATTER,
    EMPTY,
    OTHER,
    WORD,
    Wording,
    chosen,
    refuses,
)
from naysay.suites.scnt_chat.verdict import verdict
from naysay.suites.semantoneg_chat.suite import chosen as chosen_sentence
from naysay.suites.verdicts import SMALLEST_EFFECT

SUITES = ("scnt_chat", "gh22_chat", "scin_chat", "lama_chat", "semantoneg_chat")
PAIRED = SUITES[:3]
OPTIONS = re.compile(r"(?:blank|vuoto): (.+?) (?:or|o) (.+?)\? ")


class Chatting(KnownModel):
    """Says what a rule makes of a question and of what the aware model would say."""

    def __init__(self, rule: Callable[[AnswerQuestion, str], str], language: str = "en") -> None:
        super().__init__("chatting", lambda text, words: True, ["chatting", id(rule)])
        self.rule = rule
        self.aware = open_model("known:aware", ModelRequest(language=language))

    def ask(self, probes: Any) -> Any:
        meant = self.aware.ask(probes)
        return [
            Response(self.rule(probe, reply.text), finished=True)
            for probe, reply in zip(probes, meant, strict=True)
        ]


def asked_of(rule: Callable[[AnswerQuestion, str], str], suite: str, out: Path) -> Evaluation:
    language = "it" if suite == "scin_chat" else "en"
    return evaluate(Chatting(rule, language), suite, limit=12, out=out)


def figure(run: Evaluation, table: str, condition: str) -> Estimate:
    [found] = [e for e in run if (e.table, e.condition) == (table, condition)]
    return found


def first_option(probe: AnswerQuestion, meant: str) -> str:
    found = OPTIONS.search(probe.prompt)
    return found[1] if found else "A"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("swim", WORD), (" Swim.", WORD), ('"swim"', WORD), ('"Swim".', WORD), ("“swim”!", WORD),
        ("**swim**", WORD), ("«swim»", WORD), ("run", OTHER), ("RUN,", OTHER),
        ("swims", ANOTHER), ("swim..", ANOTHER), ("swim/run", ANOTHER), ("swimming", ANOTHER),
        ("to swim", CHATTER), ("swim or run", CHATTER), ("The answer is swim.", CHATTER),
        ("swim.\nShe likes it", CHATTER), ("", EMPTY), (' "." ', EMPTY), ("\n", EMPTY),
    ],
)  # fmt: skip
def test_an_answer_is_one_of_the_words_and_nothing_else(text: str, kind: str) -> None:
    assert chosen(text, "swim", "run") == kind


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("A", 2), ("a.", 2), ("(B)", 0), ("3", 1), ("It is cold.", 2), ('"It is hot"', 0),
        ("B. It is hot.", 0), ("C) it’s not cold", 1), ("A. It is hot.", -1), ("D", -1),
        ("A and B", -1), ("Answer: A", -1), ("", -1),
    ],
)  # fmt: skip
def test_a_sentence_is_named_by_its_letter_its_number_or_itself(text: str, option: int) -> None:
    sentences = ["It is hot.", "It's not cold.", "It is cold."]
    assert chosen_sentence(text, "201", sentences)[0] == option


@pytest.mark.parametrize("code", ["en", "it"])
def test_refusals_are_told_from_chatter(code: str) -> None:
    phrases = Wording.of(LANGUAGES.get(code)).refusals
    assert all(phrase == phrase.casefold() for phrase in phrases)
    assert refuses("I’m sorry, but I can't answer.", phrases)
    assert not refuses("She likes to swim.", phrases)


@pytest.mark.parametrize("suite", SUITES)
class TestSuites:
    def test_both_orders_are_asked_and_neither_option_is_twice(
        self, suite: str, tmp_path: Path
    ) -> None:
        run = asked_of(lambda probe, meant: f' "{meant.upper()}". ', suite, tmp_path)
        rows = rows_of(run)
        asked = [row.get("question") or row["text"] for row in rows]
        assert len(set(asked)) == len(asked) == run.manifest.counts["questions"]
        assert all("▢" not in text and "{" not in text for text in asked)
        assert figure(run, "answered", "all").value == 100
        if suite != "semantoneg_chat":
            assert all(row["word"].casefold() != row["other"].casefold() for row in rows)
            assert figure(run, "order", "it changes").value == 0
            assert run.findings[0].outcome == PASSES

    def test_who_always_takes_the_first_option_shows_nothing(
        self, suite: str, tmp_path: Path
    ) -> None:
        run = asked_of(first_option, suite, tmp_path)
        assert run.findings[0].outcome in ("not measured", "no effect", "fails", "undecided")
        if suite != "semantoneg_chat":
            assert figure(run, "order", "it changes").value == 100
            assert figure(run, "order", "it is the first word").value == 100
        else:
            assert figure(run, "letters", "A").value == 100
            assert figure(run, "accuracy", "all").value == 0

    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("The answer is {}", "more than one word"), ("banana", "another word"),
            ("", "nothing"), ("Mi dispiace, I'm sorry, I cannot do that.", "refusal"),
        ],
    )  # fmt: skip
    def test_what_is_no_answer_is_counted_and_decides_nothing(
        self, suite: str, text: str, kind: str, tmp_path: Path
    ) -> None:
        run = asked_of(lambda probe, meant: text.format(meant), suite, tmp_path)
        assert figure(run, "answered", "all").value == 0
        assert figure(run, "unanswered", kind).value == 100
        assert run.findings[0].outcome in ("undecided", "not measured")

    def test_few_answers_leave_it_undecided_though_these_are_right(
        self, suite: str, tmp_path: Path
    ) -> None:
        run = asked_of(_right_or_silent(), suite, tmp_path)
        assert (figure(run, "answered", "all").value or 0) < 50
        finding = run.findings[0]
        assert finding.outcome in ("undecided", "not measured")
        assert "answer" in finding.verdict

    def test_another_kind_of_model_is_refused(
        self, suite: str, naysay: Callable[..., Outcome], tiny_bert: Path, tiny_gpt: Path
    ) -> None:
        ended = naysay("run", "-m", tiny_bert, "-t", suite)
        refused(ended, "an answer in words", "masked")
        ended = naysay("run", "-m", tiny_gpt, "-t", suite)
        refused(ended, "no chat template")
        assert not list(Path.cwd().glob("runs/*"))


def _right_or_silent() -> Callable[[AnswerQuestion, str], str]:
    """Answers every third question, and those rightly."""
    seen: dict[str, int] = {}

    def rule(probe: AnswerQuestion, meant: str) -> str:
        number = seen.setdefault(probe.prompt, len(seen))
        return meant if number % 6 < 2 else "Well, that depends."

    return rule


@pytest.mark.parametrize("suite", PAIRED)
def test_what_is_no_answer_is_neither_a_repetition_nor_a_drop(suite: str, tmp_path: Path) -> None:
    """A model that is silent in a third of the test questions has the figures of the others."""
    count = 0

    def rule(probe: AnswerQuestion, meant: str) -> str:
        nonlocal count
        negated = re.search(r"\b(isn't|non|doesn't)\b", probe.prompt)
        count += bool(negated)
        return "hm, no" if negated and count % 3 == 0 else meant

    run = asked_of(rule, suite, tmp_path)
    table = "polarity, in words" if suite == "gh22_chat" else "drops, in words"
    wanted = {"negated": 0, "positive": 100} if suite == "gh22_chat" else {"CpTn": 100, "CnTn": 0}
    for condition, value in wanted.items():
        assert figure(run, table, condition).value == value
    assert 60 < (figure(run, "answered", "all").value or 0) < 100


def test_only_what_is_chosen_in_both_orders_is_tested(tmp_path: Path) -> None:
    run = asked_of(lambda probe, meant: meant, "scnt_chat", tmp_path)
    assert len(rows_of(run)) == 12 * 3 * 5 * 2
    one = asked_of(first_option, "scnt_chat", tmp_path)
    assert {row["condition"] for row in rows_of(one)} == {"CpTp"}
    assert one.findings[0].outcome == "not measured"
    assert "both orders" in one.findings[0].verdict
    ratio = [e for e in one if e.metric == "ratio"]
    assert [e.value for e in ratio] == [0]


def test_options_of_a_fact_are_never_both_right(tmp_path: Path) -> None:
    setting = setting_of(RunSpec(model="m", suites=("lama_chat",), limit="all"))
    source = setting.suite.source(setting)  # type: ignore[attr-defined]
    units = setting.units
    assert len(units) == len(source.facts)
    for unit in units:
        assert unit["other_answer"].lower() not in source.right_for(unit)
        assert unit["answer"].lower() in source.right_for(unit)


def drops(**values: tuple[float, float, float]) -> list[Estimate]:
    """Estimates of the drops with their bounds, and of their differences."""
    own = [
        Estimate("s", "drops, in words", name, "drop", *bounds) for name, bounds in values.items()
    ]
    differences = []
    for one in ("CpTn", "CnTp"):
        for other in ("CpTv", "CnTn"):
            (a, low, high), (b, *_) = values[one], values[other]
            differences.append(
                Estimate(
                    "s", "adjusted, in words", f"{one}-{other}", "difference", a - b, low - b,
                    high - b, unit="points",
                )
            )  # fmt: skip
    return [*own, *differences]


LOW, HIGH, CHANCE = (5.0, 1.0, 12.0), (95.0, 90.0, 99.0), (50.0, 46.0, 54.0)


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({"CpTn": HIGH, "CnTp": HIGH, "CnTn": LOW, "CpTv": LOW}, "passes"),
        ({"CpTn": HIGH, "CnTp": HIGH, "CnTn": HIGH, "CpTv": LOW}, "fails"),
        ({"CpTn": HIGH, "CnTp": HIGH, "CnTn": (60.0, 55.0, 65.0), "CpTv": LOW}, "passes in part"),
        ({"CpTn": HIGH, "CnTp": LOW, "CnTn": LOW, "CpTv": LOW}, "passes in part"),
        ({"CpTn": LOW, "CnTp": LOW, "CnTn": LOW, "CpTv": LOW}, "fails"),
        ({"CpTn": CHANCE, "CnTp": CHANCE, "CnTn": CHANCE, "CpTv": CHANCE}, "no effect"),
        ({"CpTn": HIGH, "CnTp": HIGH, "CnTn": LOW, "CpTv": (60.0, 55.0, 65.0)}, "fails"),
        ({"CpTn": (60.0, 40.0, 80.0), "CnTp": (60.0, 40.0, 80.0), "CnTn": LOW, "CpTv": LOW},
         "undecided"),
    ],
)  # fmt: skip
def test_drops_are_held_against_chance(values: Any, outcome: str) -> None:
    assert verdict(drops(**values), SMALLEST_EFFECT).outcome == outcome


def test_a_chat_without_numbers_is_asked_all_of_it(tmp_path: Path) -> None:
    """Over the wire, with a cache: every question is asked once, and a second run asks none."""
    aware = open_model("known:aware", ModelRequest())
    known: dict[str, str] = {}

    def says(question: str) -> str:
        return known.get(question, "Hm.")

    spec: dict[str, Any] = {"limit": 5, "out": tmp_path}
    suites = ["scnt_chat", "lama_chat", "semantoneg_chat"]
    for suite in suites:
        learned = Noted(aware)
        evaluate(learned, suite, **spec)
        known |= learned.answers_to
    with FakeServer("talk", says=says) as server:
        run = evaluate(server.name, suites, **spec)
        count = server.answered.total()
        again = evaluate(server.name, suites, out=tmp_path / "other", limit=5)
        explored = count - run.manifest.counts["questions"]
        assert server.answered.total() - count <= explored
    assert [f.outcome for f in run.findings] == [f.outcome for f in again.findings]
    assert {f.outcome for f in run.findings} == {PASSES}


class Noted(KnownModel):
    """The aware model, which notes what it says to each prompt."""

    def __init__(self, aware: Any) -> None:
        super().__init__("noted", lambda text, words: True, ["noted"])
        self.aware, self.answers_to = aware, dict[str, str]()

    def ask(self, probes: Any) -> Any:
        replies = self.aware.ask(probes)
        self.answers_to |= {p.prompt: r.text for p, r in zip(probes, replies, strict=True)}
        return replies
