"""Servers that fail: each fault is named, nothing is lost, and nothing is asked twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from conftest import Outcome, model_request, refused, rows_of
from fake_server import FakeServer, Fault
from naysay import evaluate
from naysay.core.errors import ServerError, ServerRefusalError, SpecError
from naysay.core.probes import FillBlank
from naysay.models import open_model
from naysay.models.remote.address import Address, key_for
from naysay.models.remote.client import Client
from naysay.models.remote.server_model import ServerModel

SECRET = "sk-secret-0123456789"
QUESTION = {"model": "toy", "prompt": "She likes to", "max_tokens": 1, "logprobs": 1}


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which are noted instead of made."""
    noted: list[float] = []
    monkeypatch.setattr(Client, "_wait", lambda self, seconds: noted.append(seconds))
    return noted


def opening(server: FakeServer) -> set[str]:
    """The questions by which a server is explored; these are asked each time."""
    open_model(server.name, model_request())
    asked = set(server.answered)
    server.answered.clear()
    return asked


def asked_twice(server: FakeServer, but: set[str]) -> list[str]:
    return [question for question in server.twice() if question not in but]


def client(server: FakeServer, **options: Any) -> Client:
    return Client(Address.of(server.url), None, **options)


class TestRetries:
    def test_pauses_double_and_the_answer_comes(self, pauses: list[float]) -> None:
        with FakeServer() as server:
            server.faults.extend(Fault(status=status) for status in (503, 500, 429, 502))
            assert client(server).post("completions", QUESTION)["choices"]
        assert pauses == [1, 2, 4, 8]

    def test_the_server_names_the_pause(self, pauses: list[float]) -> None:
        with FakeServer() as server:
            for value in ("7", "0.5", formatdate(0, usegmt=True), "soon"):
                server.faults.append(Fault(status=429, headers=(("Retry-After", value),)))
            client(server).post("completions", QUESTION)
        assert pauses == [7, 0.5, 0, 8]

    def test_a_pause_of_an_hour_is_not_made(self, pauses: list[float]) -> None:
        with FakeServer() as server:
            server.faults.append(Fault(status=429, headers=(("Retry-After", "3600"),)))
            with pytest.raises(ServerError, match="asks to wait 3,600 s; given up after one try"):
                client(server).post("completions", QUESTION)
        assert pauses == []

    def test_giving_up_repeats_the_servers_words(self, pauses: list[float]) -> None:
        with FakeServer() as server:
            server.faults.extend([Fault(status=429, message="quota of the day is used up")] * 9)
            with pytest.raises(ServerError, match=r"429 .*: quota of the day .* after 3 tries"):
                client(server, tries=3).post("completions", QUESTION)
            assert server.paths["/v1/completions"] == 3

    @pytest.mark.parametrize("status", [400, 404, 422, 501])
    def test_what_is_refused_is_not_asked_again(self, status: int, pauses: list[float]) -> None:
        with FakeServer() as server:
            server.faults.append(Fault(status=status, message="no such thing"))
            with pytest.raises(ServerRefusalError, match=f"{status} .*no such thing"):
                client(server).post("completions", QUESTION)
        assert pauses == []

    @pytest.mark.parametrize(
        ("kind", "says"),
        [
            ("stall", "did not answer within 0.2 s"),
            ("truncate", "broke off in the middle"),
            ("hang up", "no longer answers"),
        ],
    )
    def test_other_faults_are_named_and_tried_again(
        self, kind: str, says: str, pauses: list[float]
    ) -> None:
        with FakeServer() as server:
            asker = client(server, timeout=0.2, tries=2)
            asker.get("models")
            server.faults.append(Fault(kind))
            assert asker.post("completions", QUESTION)["choices"]
            server.faults.extend([Fault(kind)] * 2)
            with pytest.raises(ServerError, match=f"{says}.*given up after 2 tries"):
                asker.post("completions", QUESTION)


class TestRuns:
    @pytest.mark.slow
    def test_faults_in_the_middle_change_nothing(self, tmp_path: Path, pauses: list[float]) -> None:
        with FakeServer() as server:
            but = opening(server)
            plain = evaluate(server.name, "scnt", limit=2, cap=2, out=tmp_path / "plain")

        class Shaky(FakeServer):
            def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
                if self.paths.total() > 400 and self.paths.total() % 20 == 0:
                    kinds = ("status", "truncate", "hang up")
                    self.faults.append(Fault(kinds[self.paths.total() // 20 % 3]))
                return super().reply(path, body)

        with Shaky() as server:
            but |= opening(server)
            shaky = evaluate(server.name, "scnt", limit=2, cap=2, out=tmp_path / "shaky")
            assert asked_twice(server, but) == []
        assert len(pauses) > 5
        assert rows_of(shaky) == rows_of(plain)

    def test_a_server_that_dies_is_resumed_without_asking_twice(
        self, naysay: Callable[..., Outcome], pauses: list[float]
    ) -> None:
        with FakeServer() as server:
            but = opening(server)
            words = ["run", "-m", server.name, "-t", "scnt", "--limit", 2, "--cap", 2]

            server.dies_after = 350
            refused(naysay(*words), "no longer answers", "the same command resumes the run")
            before = sum(server.answered[key] for key in server.answered if key not in but)
            server.dies_after = None
            assert naysay(*words).code == 0
            assert before > 300
            assert asked_twice(server, but) == []
            assert naysay(*words).code == 0  # a finished run asks nothing but what the server can
            assert asked_twice(server, but) == []

    def test_an_answer_that_cannot_be_used_is_named_and_not_kept(
        self, naysay: Callable[..., Outcome]
    ) -> None:
        class Forgetful(FakeServer):
            forgets = True

            def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
                status, reply = super().reply(path, body)
                if self.forgets and self.answered.total() > 620 and "choices" in reply:
                    reply["choices"][0]["logprobs"] = None
                return status, reply

        with Forgetful() as server:
            opening(server)
            words = ["run", "-m", server.name, "-t", "scnt", "--limit", 2, "--cap", 2]
            refused(naysay(*words), "cannot be used: the answer has no log-probabilities")
            server.forgets = False
            assert naysay(*words).code == 0

    def test_a_lost_shard_is_made_from_what_was_kept(self, tmp_path: Path) -> None:
        with FakeServer() as server:
            but = opening(server)
            options: dict[str, Any] = {"limit": 4, "cap": 1, "shard_size": 2, "out": tmp_path}
            run = evaluate(server.name, "scnt", **options)
            rows = rows_of(run)
            (run.folder / "scnt" / "00001.parquet").unlink()
            again = evaluate(server.name, "scnt", **options)
            assert rows_of(again) == rows
            assert asked_twice(server, but) == []

    @pytest.mark.slow
    def test_another_fingerprint_stops_the_run(self, naysay: Callable[..., Outcome]) -> None:
        with FakeServer() as server:
            opening(server)
            server.change_after = 350
            words = ["run", "-m", server.name, "-t", "scnt", "--limit", 2, "--cap", 2]
            refused(naysay(*words), "changed during the run", "fp_1", "became", "fp_2")
            assert naysay(*words).code == 0
            finished = [
                json.loads(file.read_text()) for file in Path("runs").glob("*/manifest.json")
            ]
        assert [run["model"]["fingerprint"] for run in finished if run["finished"]] == ["fp_2"]
        assert len({run["key"] for run in finished}) == len(finished)

    def test_no_more_requests_at_a_time_than_allowed(self, tmp_path: Path) -> None:
        with FakeServer() as server:
            evaluate(server.name, "scnt", limit=1, cap=1, concurrency=2, out=tmp_path)
            assert 1 <= server.peak <= 2

    def test_a_damaged_cache_is_set_aside(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        probe = FillBlank("She likes to ▢.")
        with FakeServer() as server:
            for _ in range(2):
                model = open_model(server.name, model_request())
                fills = model.ask([probe])
                model.close()
                [file] = (tmp_path / "cache" / "answers").glob("*.sqlite")
                file.write_bytes(b"not a database, but long enough to be read as one" * 100)
            assert open_model(server.name, model_request()).ask([probe]) == fills
        assert "is corrupt: moved to" in capsys.readouterr().err


class TestCost:
    @pytest.mark.slow
    def test_the_estimate_is_of_the_right_size(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[float] = []
        monkeypatch.setattr(ServerModel, "confirm", lambda self, asks, tokens: seen.append(asks))
        for kind, suite in (("llama", "scnt"), ("openai", "semantoneg_likelihood")):
            with FakeServer(kind) as server:
                evaluate(server.name, suite, limit=4, out=tmp_path)
                texts = server.paths["/v1/completions"]
            assert 0.2 < seen[-1] / texts < 3

    def test_beyond_this_machine_many_questions_need_a_yes(
        self, naysay: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with FakeServer() as server:
            but = opening(server)
            monkeypatch.setattr(Address, "is_loopback", False)
            words = ["run", "-m", server.name, "-t", "scnt", "--limit", 200]
            refused(naysay(*words), "questions (", "may cost money", "--yes", "--limit")
            assert set(server.answered) <= but
            assert not Path("runs").exists()
            model = open_model(server.name, model_request(yes=True))
            assert isinstance(model, ServerModel)
            model.confirm(1e6, 1e8)
            careful = open_model(server.name, model_request())
            assert isinstance(careful, ServerModel)
            careful.confirm(1_000, 1e5)
            with pytest.raises(SpecError):
                careful.confirm(1_001, 1e5)


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """A server that redirects everything to another host, and the headers it has seen."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(str(self.headers))
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.2:9/v1/models")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
        server.shutdown()


class TestKeys:
    @pytest.mark.parametrize("name", ["NAYSAY_SERVER_KEY", "OPENAI_API_KEY"])
    @pytest.mark.slow
    def test_a_key_is_sent_and_written_nowhere(
        self,
        name: str,
        naysay: Callable[..., Outcome],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv(name, SECRET)
        with FakeServer(key=SECRET) as server:
            words = ["-m", server.name, "-t", "scnt", "--limit", 1, "--cap", 1]
            outcomes = [naysay("run", *words), naysay("run", *words, "--seed", 1)]
            assert [ended.code for ended in outcomes] == [0, 0]
            assert all(h["Authorization"] == f"Bearer {SECRET}" for h in server.headers)
            chat = ["run", "-m", server.name, "-t", "scnt_chat,semantoneg_chat", "--limit", 1]
            outcomes.append(naysay(*chat))
            assert outcomes[-1].code == 0
            outcomes.append(naysay("report", "-o", "page.html"))
            assert "not verified; the server" in Path("page.html").read_text()
            outcomes.append(naysay("ls", "runs"))
            monkeypatch.setenv(name, f"{SECRET}-wrong")
            wrong = naysay("run", *words)
            refused(wrong, "401", "its key was refused")
            monkeypatch.delenv(name)
            refused(naysay("run", *words), "401", "NAYSAY_SERVER_KEY")
        for ended in (*outcomes, wrong):
            assert SECRET not in ended.out + ended.err
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        assert {".parquet", ".json", ".toml", ".sqlite", ".html"} <= {f.suffix for f in files}
        for file in files:
            assert SECRET.encode() not in file.read_bytes(), file

    def test_a_redirect_is_not_followed(
        self, elsewhere: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url, seen = elsewhere
        monkeypatch.setenv("NAYSAY_SERVER_KEY", SECRET)
        with pytest.raises(ServerError, match="redirects elsewhere"):
            open_model(f"server:{url}", model_request())
        assert len(seen) == 1

    @pytest.mark.parametrize(
        ("url", "own", "shared", "key"),
        [
            ("https://example.org/v1", None, "b", "b"),
            ("https://example.org/v1", "a", "b", "a"),
            ("http://example.org/v1", None, "b", None),
            ("http://example.org/v1", "a", "b", "a"),
            ("http://127.0.0.1:8000/v1", None, "b", "b"),
            ("http://[::1]:8000/v1", None, "b", "b"),
            ("http://localhost:8000/v1", "", " ", None),
        ],
    )
    def test_which_key_goes_where(
        self,
        url: str,
        own: str | None,
        shared: str | None,
        key: str | None,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        for name, value in (("NAYSAY_SERVER_KEY", own), ("OPENAI_API_KEY", shared)):
            monkeypatch.delenv(name, raising=False)
            if value is not None:
                monkeypatch.setenv(name, value)
        assert key_for(Address.of(url)) == key
