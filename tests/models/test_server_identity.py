"""Who a server says it is, and how its replies are read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Outcome, model_request, refused
from fake_server import FakeServer
from naysay.core.errors import ModelError, ServerError, UnknownNameError
from naysay.core.probes import FillBlank
from naysay.core.protocols import Model
from naysay.models import open_model
from naysay.models.remote.replies import echoed, next_tokens, read_back


def opened(server: FakeServer, **options: Any) -> Model:
    return open_model(server.name, model_request(**options))


class TestIdentity:
    def test_another_fingerprint_is_another_run(self, tmp_path: Path) -> None:
        with FakeServer() as server:
            digests = []
            for server.fingerprint in ("fp_1", "fp_1", "fp_2"):
                digests.append(opened(server).digest)
        assert digests[0] == digests[1] != digests[2]

    def test_other_weights_under_the_same_name_are_noticed(self) -> None:
        class Other(FakeServer):
            sharp = False

            def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
                status, reply = super().reply(path, body)
                if self.sharp and path == "/v1/completions" and status == 200:
                    found = reply["choices"][0].get("logprobs") or {"content": []}
                    for record in found["content"]:
                        for each in (record, *record["top_logprobs"]):
                            each["logprob"] -= 0.5
                return status, reply

        with Other() as server:
            digest = opened(server).digest
            assert opened(server).digest == digest
            server.sharp = True
            with pytest.raises(ServerError, match="other weights under the same name"):
                opened(server)

    def test_a_model_is_chosen_by_name(self) -> None:
        with FakeServer() as server:
            assert opened(server, served_model="toy").name.startswith("toy@")
            with pytest.raises(UnknownNameError, match="did you mean toy"):
                opened(server, served_model="toi")

    @pytest.mark.parametrize(
        ("address", "says"),
        [
            ("http://me:hunter2@127.0.0.1/v1", "a user's name or a password"),
            ("http://127.0.0.1/v1?api_key=hunter2", "may be secret"),
            ("ftp://127.0.0.1/v1", "not an address"),
            ("127.0.0.1:8080", "not an address"),
            ("http://127.0.0.1:hunter2/v1", "cannot be read"),
        ],
    )
    def test_addresses_are_checked(self, address: str, says: str) -> None:
        with pytest.raises(ModelError, match=says) as error:
            open_model(f"server:{address}", model_request())
        assert "hunter2" not in str(error.value) or "port" in str(error.value).lower()

    def test_no_server_is_said_in_one_line(self, naysay: Callable[..., Outcome]) -> None:
        with FakeServer() as server:
            pass
        refused(naysay("run", "-m", server.name), f"no server at {server.url}")

    def test_precision_is_not_ours_to_choose(self) -> None:
        with FakeServer() as server, pytest.raises(ModelError.__mro__[1], match="server's own"):
            opened(server, precision="bf16")

    def test_no_library_of_models_is_needed(self) -> None:
        code = (
            "import sys; from naysay.models import open_model; "
            "from naysay.core.protocols import ModelRequest; "
            "open_model(sys.argv[1], ModelRequest()); "
            "sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
        )
        with FakeServer() as server:
            subprocess.run([sys.executable, "-c", code, server.name], check=True)


class TestReplies:
    """Details in which servers differ."""

    def test_the_end_of_a_text_is_no_word(self) -> None:
        class Ending(FakeServer):
            def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
                status, reply = super().reply(path, body)
                if body.get("prompt") == "The end":
                    choice = {"text": "", "finish_reason": "stop", "logprobs": {"content": []}}
                    reply["choices"] = [choice]
                return status, reply

        with Ending() as server:
            [fill] = opened(server).ask([FillBlank("The end ▢.", ("run",))])
        assert (fill.best, fill.scores) == ("", (None,))

    @pytest.mark.parametrize("generated", [[], [" so"]])
    def test_an_echo_is_the_prompt_whether_or_not_its_end_is_shown(
        self, generated: list[str]
    ) -> None:
        tokens = ["<s>", "It", " is", *generated]
        logprobs = [None, *(-1.0 for _ in tokens[1:])]
        found = {"tokens": tokens, "token_logprobs": logprobs}
        reply = {"choices": [{"logprobs": found}]}
        assert [token for token, _ in echoed(reply, "It is")] == ["<s>", "It", " is"]

    def test_spaces_are_written_in_several_ways(self) -> None:
        top = {"\u0120run": -1.0, "\u2581swim": -2.0, " ski": -3.0, "ning": -4.0}
        found = {"tokens": ["\u0120run"], "token_logprobs": [-1.0], "top_logprobs": [top]}
        [token] = next_tokens({"choices": [{"logprobs": found}]})
        assert [read_back(score.text) for score in token.top] == ["run", "swim", "ski", "##ning"]
        assert token.floor <= -4.0 or token.floor == pytest.approx(-4.0)
