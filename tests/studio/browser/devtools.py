"""A headless Chromium, driven over the DevTools protocol through a pair of pipes: no port, no library."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-default-apps", "--disable-dev-shm-usage", "--disable-extensions", "--disable-sync", "--hide-scrollbars",
    "--metrics-recording-only", "--no-first-run", "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE = 300.0
# What a page does when something goes wrong in it.
FAULTS = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}


def find_chromium() -> str | None:
    """The browser's binary, or None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((path for path in map(shutil.which, names) if path), None)


class Browser:
    """One browser with one page; use it in a with statement."""

    def __init__(self, binary: str) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="pfsm-chromium-", ignore_cleanup_errors=True)
        self._process, self._to, self._from = _start(binary, self._profile.name)
        self._received = b""
        self._calls = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = None
        try:
            self.call("Browser.close")
        finally:
            os.close(self._to)
            os.close(self._from)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._profile.cleanup()

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """The result of one protocol command."""
        self._calls += 1
        message: dict[str, object] = {"id": self._calls, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        _write_all(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._calls:
            self.events.append(answer)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, url: str) -> None:
        """Loads a page and waits until it is there; forgets earlier events."""
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def check(self, *own: str) -> None:
        """Nothing has gone wrong in the page since it was opened, and nothing but what is its own was fetched."""
        assert [event for event in self.events if event["method"] in FAULTS] == []
        requests = [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
        ]
        assert [url for url in requests if not url.startswith(("file:", "data:", "about:", *own))] == []

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def texts(self, selector: str) -> list[str]:
        """What elements say."""
        elements = f"[...document.querySelectorAll({json.dumps(selector)})]"
        found: list[str] = self.evaluate(f"{elements}.map((one) => one.textContent)")
        return found

    def cells(self, table: str) -> list[list[str]]:
        """The rows of a table, with minus signs that Python reads."""
        found: list[list[str]] = self.evaluate(
            f"[...document.querySelectorAll('{table} tbody tr:not(.gap)')].map((row) =>"
            " [...row.children].map((one) => one.textContent.replace('−', '-')))"
        )
        return found

    def count(self, selector: str) -> int:
        """How many elements there are."""
        return int(self.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length"))

    def click(self, selector: str) -> None:
        """Clicks an element."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def fill(self, field: str, value: str, pause: int = 200) -> None:
        """Fills a field as a person does, and waits some milliseconds for the page to follow."""
        self.evaluate(
            f"(() => {{ const field = document.getElementById('{field}'); field.value = {json.dumps(value)};"
            "for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true})); })()"
        )
        self.evaluate(f"new Promise((done) => setTimeout(done, {pause}))")

    def wait(self, condition: str) -> None:
        """Waits until a condition holds in the page."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(f"Boolean({condition})"):
            assert time.monotonic() < end, f"still not so: {condition}"
            time.sleep(0.02)

    def frame(self) -> None:
        """Lets the page draw, twice: observers report after a frame."""
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
        )

    def size(self, width: int, height: int, dark: bool = False, phone: bool = False) -> None:
        """Sets the window and the preferred colours."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 2 if phone else 1, "mobile": phone}
        self.call("Emulation.setDeviceMetricsOverride", **screen)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def point(self, selector: str) -> None:
        """Moves the mouse to the middle of an element."""
        x, y = self.evaluate(
            f"(() => {{ const node = document.querySelector({json.dumps(selector)});"
            "node.scrollIntoView({block: 'center'}); const box = node.getBoundingClientRect();"
            "return [box.left + box.width / 2, box.top + box.height / 2]; })()"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.frame()

    def press(self, key: str) -> None:
        """Presses and releases a key, such as ``Tab`` or ``ArrowDown``."""
        codes = {"Tab": 9, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38}
        codes |= {"ArrowRight": 39, "ArrowDown": 40, "Enter": 13}
        sent = {"key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, **sent)
        self.frame()

    def screenshot(self, path: Path) -> None:
        """Writes what the window shows as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def _next(self) -> dict[str, Any]:
        """The next message from the browser."""
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._from], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            part = os.read(self._from, 1 << 16)
            assert part, "the browser has gone"
            self._received += part
        message, _, self._received = self._received.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer


# The browser reads commands from descriptor 3 and writes answers to 4; only a process of its own can set these.
CONNECT = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def _start(binary: str, profile: str) -> tuple[subprocess.Popen[bytes], int, int]:
    """The process, and our ends of the pipes."""
    (its_input, to), (back, its_output) = _pipe(), _pipe()
    command = [sys.executable, "-c", CONNECT, str(its_input), str(its_output), binary, *FLAGS]
    command += [f"--user-data-dir={profile}", "about:blank"]
    none, ends = subprocess.DEVNULL, (its_input, its_output)
    process = subprocess.Popen(command, stdin=none, stdout=none, stderr=none, pass_fds=ends)
    os.close(its_input)
    os.close(its_output)
    return process, to, back


def _pipe() -> tuple[int, int]:
    """A pipe with high numbers, out of the way of 3 and 4."""
    ends = os.pipe()
    high = fcntl.fcntl(ends[0], fcntl.F_DUPFD_CLOEXEC, 64), fcntl.fcntl(ends[1], fcntl.F_DUPFD_CLOEXEC, 64)
    for end in ends:
        os.close(end)
    return high


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
