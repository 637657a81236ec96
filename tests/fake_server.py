"""A small server that speaks the protocols of llama.cpp, vLLM and plain OpenAI-style servers.

Its model is a toy whose probabilities are known exactly: it likes to repeat words of the text, so
it is blind to negation. Faults can be put into its answers, and it counts what it is asked.
"""

from __future__ import annotations

import json
import math
import re
import string
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from naysay.core.keys import content_key, draw_share

VERBS = "run swim walk sing dance sleep read write cook talk eat jump ski hike paint smoke"
OTHERS = (
    "play the a an is not happy very to likes like who she he it was were I saw that thing first "
    "in of and red old box house they found us about her his day man It so A B C"
)
WORDS = [*VERBS.split(), *OTHERS.split()]
ASSISTANT = "\nassistant:"


class ToyModel:
    """Tokens and exact next-token probabilities; it depends on the text alone."""

    def __init__(self) -> None:
        letters = [*string.ascii_letters, *string.digits, *string.punctuation, "\n", " ", "’", "é"]
        spaced = [f" {word}" for word in WORDS] + [f" {letter}" for letter in string.ascii_letters]
        self.vocabulary = list(dict.fromkeys([*spaced, *WORDS, *letters]))
        self.number = {token: k for k, token in enumerate(self.vocabulary)}
        self._pattern = re.compile(
            "|".join(map(re.escape, sorted(self.vocabulary, key=len, reverse=True)))
        )

    def split(self, text: str) -> list[int]:
        """The longest tokens first; signs that it does not know are left out."""
        return [self.number[found] for found in self._pattern.findall(text)]

    def text(self, ids: Sequence[int]) -> str:
        return "".join(self.vocabulary[k] for k in ids)

    @cache  # noqa: B019  # as long as the server
    def logprobs(self, ids: tuple[int, ...]) -> list[float]:
        """The log-probability of each token after these."""
        before, said = self.text(ids[-3:]), set(ids)
        liked = {f" {verb}": 8 for verb in VERBS.split() if self.number[f" {verb}"] in said}
        if before.endswith(ASSISTANT[-2:]):
            # An answer begins without a space, unlike what follows a word.
            spaced = [token for token in self.vocabulary if token[0] == " "]
            liked |= dict.fromkeys("ABC", 4) | dict.fromkeys(spaced, -9)
        logits = [
            6 * draw_share(before, len(ids), token)
            + liked.get(token, 2 if len(token) > 2 and token[0] == " " else 0)
            for token in self.vocabulary
        ]
        norm = math.log(sum(math.exp(logit) for logit in logits))
        return [logit - norm for logit in logits]

    def best(self, ids: tuple[int, ...], count: int) -> list[int]:
        found = self.logprobs(ids)
        return sorted(range(len(found)), key=lambda k: -found[k])[:count]

    def likelihood(self, prompt: str, text: str) -> float:
        """The log-likelihood of a text after a prompt."""
        start, ids = len(self.split(prompt)), tuple(self.split(prompt + text))
        return sum(self.logprobs(ids[:k])[ids[k]] for k in range(start, len(ids)))


TOY = ToyModel()
"""One for all tests: its probabilities are computed once."""


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong with one request."""

    kind: str = "status"
    """`status`, `stall`, `truncate` or `hang up`."""
    status: int = 503
    headers: tuple[tuple[str, str], ...] = ()
    message: str = "try later"


class FakeServer:
    """A server on a free port of this machine; use it in a `with` block."""

    def __init__(
        self,
        kind: str = "llama",
        *,
        most: int = 20,
        echo_fault: str | None = None,
        fingerprint: str = "fp_1",
        bias_fault: str | None = None,
        batch_fault: str | None = None,
        wraps: bool = False,
        new_limit: bool = False,
        key: str | None = None,
        says: Callable[[str], str | None] | None = None,
    ) -> None:
        """Make one; it begins to serve in its `with` block.

        `echo_fault` is zero, missing, shifted or wrong; `bias_fault` is ignored or counted.
        `batch_fault` of embeddings is rounded (by their neighbours), unsteady or refused.
        `kind` is llama, vllm, openai, chat (with alternatives), talk (without) or embeddings.
        `says` answers a chat's question in words, where no log-probabilities are asked for.
        """
        self.says = says
        self.kind, self.most, self.echo_fault, self.key = kind, most, echo_fault, key
        self.fingerprint, self.model = fingerprint, "toy"
        self.bias_fault, self.batch_fault, self.new_limit = bias_fault, batch_fault, new_limit
        self.wraps = wraps
        """Whether it puts texts into a chat template before it continues them, as Ollama does."""
        self.faults: deque[Fault] = deque()
        self.answered: Counter[str] = Counter()
        """How often each question was answered, by path and body."""
        self.paths: Counter[str] = Counter()
        """Requests by path, failed ones included."""
        self.headers: list[dict[str, str]] = []
        self.change_after: int | None = None
        """After so many answers the fingerprint changes."""
        self.dies_after: int | None = None
        """After so many answers it hangs up on everybody."""
        self.busy, self.peak = 0, 0
        self.lock, self.released = threading.Lock(), threading.Event()

    @cached_property
    def _server(self) -> ThreadingHTTPServer:
        handler = type("Handler", (_Handler,), {"fake": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        return server

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def name(self) -> str:
        """The model's name for naysay."""
        return f"server:{self.url}"

    def twice(self) -> list[str]:
        """The questions that were answered more than once."""
        return [question for question, count in self.answered.items() if count > 1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The answer to a request, as a server of this kind gives it."""
        offers = {
            "llama": ("/tokenize", "/v1/completions", "/v1/chat/completions"),
            "vllm": ("/tokenize", "/v1/completions", "/v1/chat/completions"),
            "openai": ("/v1/completions",),
            "chat": ("/v1/chat/completions",),
            "talk": ("/v1/chat/completions",),
            "embeddings": ("/v1/embeddings",),
        }[self.kind]
        if path not in offers:
            return 404, {"error": {"message": f"no {path} here"}}
        if path == "/tokenize":
            wanted = "prompt" if self.kind == "vllm" else "content"
            if wanted not in body:
                return 400, {"error": {"message": f"{wanted}: field required"}}
            return 200, self._tokenize(body)
        if path == "/v1/embeddings":
            if self.batch_fault == "refused" and len(body["input"]) > 1:
                return 400, {"error": {"message": "one text, please"}}
            return 200, self._embed(body)
        if self.new_limit and "chat" in path and "max_tokens" in body:
            return 400, {"error": {"message": "use max_completion_tokens, not max_tokens"}}
        if (asked := self._alternatives(path, body)) > self.most and self.kind != "llama":
            return 400, {"error": {"message": f"at most {self.most} logprobs, not {asked}"}}
        return 200, self._generate(path, body)

    @staticmethod
    def _alternatives(path: str, body: dict[str, Any]) -> int:
        return int((body.get("top_logprobs") if "chat" in path else body.get("logprobs")) or 0)

    def _tokenize(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.kind == "vllm":
            ids = TOY.split(body["prompt"])
            return {"tokens": ids, "token_strs": [TOY.text([k]).replace(" ", "Ġ") for k in ids]}
        ids = TOY.split(body["content"])
        return {"tokens": [{"id": k, "piece": TOY.text([k])} for k in ids]}

    def _embed(self, body: dict[str, Any]) -> dict[str, Any]:
        data = []
        for place, text in enumerate(body["input"]):
            counts = Counter(re.findall(r"\w+", text.lower()))
            vector = [float(counts[word]) for word in ("not", *map(str.lower, WORDS))] + [0.1]
            if self.batch_fault == "unsteady":
                vector[-1] += self.paths.total() % 7
            elif self.batch_fault == "rounded":  # so are texts that come at the same time
                vector[-1] += max(len(body["input"]), self.busy) - 1
            data.append({"index": place, "embedding": vector, "object": "embedding"})
        return {"object": "list", "data": data[::-1], "model": self.model}

    def _generate(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        chat = "chat" in path
        prompt = body["messages"][-1]["content"] + ASSISTANT if chat else body["prompt"]
        if self.wraps and not chat:
            prompt = f"system: You are so happy.\nuser: {prompt}"
        given = tuple(TOY.split(prompt) if isinstance(prompt, str) else prompt)
        ids = given
        bias = {int(k): value for k, value in (body.get("logit_bias") or {}).items()}
        if self.bias_fault == "ignored":
            bias = {}
        for _ in range(body.get("max_tokens") or body.get("max_completion_tokens", 1)):
            found = TOY.logprobs(ids)
            ids = (*ids, max(range(len(found)), key=lambda k: found[k] + bias.get(k, 0.0)))
        depth, new = self._alternatives(path, body), ids[len(given) :]
        if chat and not depth and self.says is not None:
            message = {"role": "assistant", "content": self.says(body["messages"][-1]["content"])}
            return {
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "model": self.model,
                "system_fingerprint": self.fingerprint,
            }
        choice: dict[str, Any] = {"index": 0, "finish_reason": "length"}
        choice |= {"message": {"content": TOY.text(new)}} if chat else {"text": TOY.text(new)}
        echo = bool(body.get("echo")) and self.kind != "llama"
        if depth and self.kind != "talk":
            records = chat or self.kind == "llama"
            choice["logprobs"] = (
                self._records(ids, len(given), depth, bias)
                if records
                else self._lists(ids, 0 if echo else len(given), len(given), depth)
            )
        if self.kind == "vllm" and body.get("prompt_logprobs") is not None:
            choice["prompt_logprobs"] = [None] + [
                {str(ids[k]): {"logprob": TOY.logprobs(ids[:k])[ids[k]]}}
                for k in range(1, len(given))
            ]
        return {
            "choices": [choice],
            "model": self.model,
            "system_fingerprint": self.fingerprint,
            "usage": {"prompt_tokens": len(given), "completion_tokens": len(new)},
        }

    def _records(
        self, ids: tuple[int, ...], begin: int, depth: int, bias: dict[int, float]
    ) -> dict[str, Any]:
        content = []
        for k in range(begin, len(ids)):
            found, own = TOY.logprobs(ids[:k]), ids[k]
            top = [
                {"id": t, "token": TOY.text([t]), "logprob": found[t]}
                for t in TOY.best(ids[:k], depth)
            ]
            changed = bool(bias) and self.bias_fault == "counted"
            record = {
                "id": own,
                "token": TOY.text([own]),
                "logprob": 0.0 if changed else found[own],
            }
            content.append({**record, "top_logprobs": top})
        return {"content": content}

    def _lists(self, ids: tuple[int, ...], begin: int, given: int, depth: int) -> dict[str, Any]:
        logprobs: list[float | None] = [
            TOY.logprobs(ids[:k])[ids[k]] if k else None for k in range(begin, len(ids))
        ]
        tops: list[dict[str, float] | None] = [
            {TOY.text([t]): TOY.logprobs(ids[:k])[t] for t in TOY.best(ids[:k], depth)}
            if k
            else None
            for k in range(begin, len(ids))
        ]
        if begin < given:  # an echo
            logprobs = self._spoiled(logprobs)
        return {
            "tokens": [TOY.text([k]) for k in ids[begin:]],
            "token_logprobs": logprobs,
            "top_logprobs": tops,
        }

    def _spoiled(self, logprobs: list[float | None]) -> list[float | None]:
        match self.echo_fault:
            case "zero":
                return [0.0] * len(logprobs)
            case "missing":
                return [None] * len(logprobs)
            case "shifted":
                return [*logprobs[1:], logprobs[-1]]
            case "wrong":
                return [None if value is None else 1.2 * value - 0.3 for value in logprobs]
        return logprobs


class _Handler(BaseHTTPRequestHandler):
    """Reads requests, makes the faults, and counts."""

    fake: FakeServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._note(self.path)
        if self.path == "/v1/models":
            listed = [{"id": self.fake.model, "object": "model", "created": len(self.fake.headers)}]
            self._send(200, {"object": "list", "data": listed})
        elif self.path == "/props" and self.fake.kind == "llama":
            self._send(200, {"default_generation_settings": {}, "build_info": "b1-toy"})
        else:
            self._send(404, {"error": {"message": "File Not Found"}})

    def do_POST(self) -> None:
        fake, body = self.fake, json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._note(self.path)
        if fake.key is not None and self.headers.get("Authorization") != f"Bearer {fake.key}":
            said = f"Incorrect API key provided: {self.headers.get('Authorization')}"
            self._send(401, {"error": {"message": said}})
            return
        with fake.lock:
            fake.busy += 1
            fake.peak = max(fake.peak, fake.busy)
            fault = fake.faults.popleft() if fake.faults else None
            if fake.dies_after is not None and fake.answered.total() > fake.dies_after:
                fault = Fault("hang up")
        status, reply = fake.reply(self.path, body) if fault is None else (0, {})
        with fake.lock:
            fake.busy -= 1  # before the answer arrives, and the next question with it
            if status == 200:
                fake.answered[content_key([self.path, body])] += 1
            changed = fake.change_after is not None and fake.change_after < fake.answered.total()
            if changed and "system_fingerprint" in reply:
                reply = {**reply, "system_fingerprint": "fp_2"}
        if fault is None:
            self._send(status, reply)
        else:
            self._fail(fault)

    def _note(self, path: str) -> None:
        with self.fake.lock:
            self.fake.paths[path] += 1
            self.fake.headers.append(dict(self.headers))

    def _fail(self, fault: Fault) -> None:
        if fault.kind == "status":
            self._send(fault.status, {"error": {"message": fault.message}}, fault.headers)
        elif fault.kind == "truncate":
            content = b'{"choices": [{"text": " ru'
            self.send_response(200)
            self.send_header("Content-Length", str(len(content) + 100))
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = True
        elif fault.kind == "stall":
            self.fake.released.wait(30)  # until the test ends
            self.close_connection = True
        else:
            self.connection.close()
            self.close_connection = True

    def _send(
        self, status: int, reply: dict[str, Any], headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        content = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""
