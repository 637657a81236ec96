"""SemAntoNeg asked of causal models: by a question in every order, and by likelihood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import rows_of
from naysay import evaluate
from naysay.core.probes import ChooseClosest, Complete, Completion
from naysay.core.protocols import ModelRequest
from naysay.models import open_model
from naysay.models.known import KnownModel
from naysay.suites.semantoneg_prompted.suite import ORDERS
from toy_antonyms import figure, file

__all__ = ["file"]


class Speaker(KnownModel):
    """Says what a rule makes of a question."""

    def __init__(self, rule: Callable[[Complete], Sequence[float]]) -> None:
        super().__init__("speaker", lambda text, words: True, ["speaker", id(rule)])
        self.rule = rule

    def ask(self, probes: Any) -> Any:
        return [Completion(tuple(self.rule(probe))) for probe in probes]


class TestPrompted:
    def test_a_habit_of_letters_is_never_right(self, file: Path, tmp_path: Path) -> None:
        run = evaluate(
            Speaker(lambda probe: (-0.1, -3.0, -5.0)),
            "semantoneg_prompted",
            items=str(file),
            out=tmp_path,
        )
        assert figure(run, "accuracy", "all").value == 0
        assert figure(run, "choices", "tie").value == 100
        assert figure(run, "letters", "A").value == 100
        assert figure(run, "orders", "right in a single question").value == pytest.approx(100 / 3)
        assert figure(run, "orders", "right in every order").value == 0

    def test_what_is_meant_is_found_behind_a_habit(self, file: Path, tmp_path: Path) -> None:
        def rule(probe: Complete) -> list[float]:
            """Knows what means the same, but would rather say A."""
            meant = known.ask([probe.about])[0].scores
            return [m - 2 * k for k, m in enumerate(meant)]

        known = open_model("known:aware", ModelRequest())
        run = evaluate(Speaker(rule), "semantoneg_prompted", items=str(file), out=tmp_path)
        assert figure(run, "accuracy", "all").value == 100
        assert figure(run, "orders", "right in every order").value == 0
        assert figure(run, "letters", "A").value == 100

    def test_every_order_is_asked_once(self, file: Path, tmp_path: Path) -> None:
        run = evaluate("known:aware", "semantoneg_prompted", items=str(file), out=tmp_path)
        rows = rows_of(run)
        assert len(rows) == 16 * 6 == run.manifest.counts["questions"]
        assert {row["order"] for row in rows} == {"".join(map(str, order)) for order in ORDERS}
        assert figure(run, "orders", "the same sentence in every order").value == 100
        assert {round(e.value or 0, 1) for e in run if e.table == "letters"} == {33.3, 0}


class TestLikelihood:
    def test_what_is_likely_anyway_does_not_count(self, file: Path, tmp_path: Path) -> None:
        def rule(probe: Complete) -> list[float]:
            """Short sentences are likely; after a text, what means the same becomes likelier."""
            likely = [-float(len(option)) for option in probe.options]
            if not probe.about.text:
                return likely
            means = known.ask([probe.about])[0].scores
            return [one + 0.5 * other for one, other in zip(likely, means, strict=True)]

        known = open_model("known:aware", ModelRequest())
        run = evaluate(Speaker(rule), "semantoneg_likelihood", items=str(file), out=tmp_path)
        assert figure(run, "accuracy", "all").value == 100
        assert figure(run, "plain", "all").value < 100  # type: ignore[operator]

    def test_the_sums_are_those_of_the_plain_model(self, tiny_gpt: Path) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(tiny_gpt)
        plain = AutoModelForCausalLM.from_pretrained(tiny_gpt)
        prompt, options = "She is here. In other words:", ("She is here.", "He isn't here.")
        model = open_model(str(tiny_gpt), ModelRequest())
        probe = Complete(prompt, options, ChooseClosest("", options))
        [answer] = model.ask([probe])
        for option, logprob in zip(options, answer.logprobs, strict=True):
            ids = tokenizer(f"{prompt} {option}", return_tensors="pt")["input_ids"]
            begin = len(tokenizer(prompt)["input_ids"])
            with torch.inference_mode():
                scores = plain(ids).logits.log_softmax(dim=-1)[0]
            told = sum(float(scores[k - 1, ids[0, k]]) for k in range(begin, ids.shape[1]))
            assert logprob == pytest.approx(told, abs=1e-3)
        assert model.ask([probe, probe]) == [answer, answer]

    def test_a_model_that_chats_is_asked_in_conversation(self, tiny_gpt: Path) -> None:
        from transformers import AutoTokenizer

        from naysay.models.lm.likelihood import completions
        from naysay.models.lm.words import Words

        tokenizer = AutoTokenizer.from_pretrained(tiny_gpt)
        about = ChooseClosest("a", ("b", "c"))
        probe = Complete("Which?", ("A", "B"), about, cue="Answer:")
        plain = Words(tokenizer, "tiny", masks=False)
        begin, (first, _) = completions(plain, probe)
        assert tokenizer.decode(first[:begin]) == "Which?\nAnswer:"
        tokenizer.chat_template = (
            "{% for m in messages %}<s>{{ m.content }}</s>{% endfor %}"
            "{% if add_generation_prompt %}<s>{% endif %}"
        )
        begin, (first, _) = completions(plain, probe)
        assert tokenizer.decode(first[:begin]) == "<s>Which?</s><s>"
