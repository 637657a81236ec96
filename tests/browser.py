"""A headless browser for the tests, driven over a pipe; nothing but the browser has to be there."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE = 60.0  # seconds


def browser_path() -> str | None:
    """The browser named by CHROME, or one on the path."""
    return os.environ.get("CHROME") or next(filter(None, map(shutil.which, _NAMES)), None)


class Browser:
    """One page of a browser, with everything that it complained about."""

    def __init__(self, process: subprocess.Popen[bytes], write: int, read: int) -> None:
        self._process, self._write, self._read = process, write, read
        self.own = ""
        """The beginning of the addresses that a page may ask for, beside files."""
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._session: str | None = None
        self._seen: list[str] = []
        self.complaints: list[str] = []
        """Errors, warnings and refused requests since the page was opened."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            heard = self._hear()
            if heard.get("id") == number:
                assert "error" not in heard, (method, heard["error"])
                result: dict[str, Any] = heard["result"]
                return result

    def _hear(self) -> dict[str, Any]:
        until = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            part = os.read(self._read, 1 << 20) if ready else b""
            assert part, "the browser does not answer"
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        heard: dict[str, Any] = json.loads(line)
        self._note(heard.get("method", ""), heard.get("params", {}))
        return heard

    def _note(self, method: str, params: dict[str, Any]) -> None:
        self._seen.append(method)
        if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(params["args"]))
        elif method == "Network.requestWillBeSent":
            address = params["request"]["url"]
            local = ("file:", "data:", "about:", "blob:", *filter(None, [self.own]))
            if not address.startswith(local):
                self.complaints.append(f"asked the network for {address}")

    def show(
        self, page: Path | str, *, width: int = 1200, height: int = 900, dark: bool = False
    ) -> None:
        """Open a page at that size and wait until it is loaded and its charts are drawn."""
        self.complaints.clear()
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        address = page if isinstance(page, str) else page.absolute().as_uri()
        with self.loading():
            self.call("Page.navigate", url=address)

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Do something that opens another page, and wait until that is loaded and drawn."""
        self._seen.clear()
        yield
        while "Page.loadEventFired" not in self._seen:
            self._hear()
        self.value("window.naysayReady || Promise.resolve()")

    def until(self, expression: str) -> Any:
        """Wait until an expression of JavaScript is true in the page, and return its value."""
        return self.value(
            f"new Promise((go, no) => {{ const end = Date.now() + {1000 * _PATIENCE:.0f};"
            f"const look = () => {{ const found = {expression}; if (found) go(found);"
            "else if (Date.now() > end) no(new Error('waited in vain')); else setTimeout(look, 20);"
            "}; look(); })"
        )

    def type(self, text: str) -> None:
        """Type a text, letter by letter, into what has the focus."""
        for letter in text:
            self.call("Input.dispatchKeyEvent", type="char", text=letter)

    def resize(self, width: int, height: int) -> None:
        """Give the page another size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is in the page; promises are waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, code: int = 0) -> None:
        """Press a key: Tab, Enter, or what the page listens to."""
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """Save what the page looks like."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **self._clip(whole))
        path.write_bytes(base64.b64decode(data["data"]))

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        return {"clip": clip}


@contextmanager
def browsing(profile: Path) -> Iterator[Browser]:
    """A browser that cannot reach any network; `profile` is a folder for what it keeps."""
    path = browser_path()
    assert path is not None
    to_browser, our_end = os.pipe()
    our_ear, from_browser = os.pipe()
    flags = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
        "--no-first-run", "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--user-data-dir={profile}", "about:blank",
    ]  # fmt: skip
    wiring = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'  # it speaks over these numbers
    process = subprocess.Popen(
        ["bash", "-c", wiring, path, *flags],
        pass_fds=(to_browser, from_browser),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_browser)
    os.close(from_browser)
    try:
        yield Browser(process, our_end, our_ear)
    finally:
        process.terminate()
        process.wait(timeout=30)
        os.close(our_end)
        os.close(our_ear)
