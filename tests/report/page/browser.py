"""A headless Chromium that is spoken to through a pipe: pages in, what they look like out."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Iterator, Optional

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
#: Seconds that the browser may take for an answer.
PATIENCE = 60.0


def program() -> Optional[str]:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """Speaks the DevTools protocol: one JSON object after another, each ended by a zero byte."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._rest, self._number = b"", 0
        self.session: Optional[str] = None
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, **params: Any) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                assert "error" not in found, found["error"]
                return found["result"]
            self.events.append(found)

    def _next(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            assert time.monotonic() < end, "Chromium does not answer"
            more = os.read(self._read, 1 << 16)
            assert more, "Chromium has ended"
            self._rest += more
        one, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(one))

    def open(self, page: Path, script: bool = True) -> None:
        """Load a file; without `script` as a browser would that runs none."""
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.events.clear()
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def value(self, expression: str) -> Any:
        found = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    @property
    def complaints(self) -> list[Any]:
        """Errors and warnings of the console, exceptions, and what the page asked the network."""
        self.value("1")
        found: list[Any] = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            elif method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
                found.append(params)
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                found += [] if url.startswith("file:") and url.endswith(".html") else [url]
        return found


@contextlib.contextmanager
def browsing(place: Path) -> Iterator[Browser]:
    """One browser with one page; it ends with everything that it started."""
    found = program()
    assert found is not None
    to_read, write = os.pipe()
    read, to_write = os.pipe()
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
    flags += ["--no-first-run", "--disable-dev-shm-usage", f"--user-data-dir={place / 'profile'}"]
    command = f'exec 3<&{to_read} 4>&{to_write}; exec "$0" "$@"'
    process = subprocess.Popen(
        ["bash", "-c", command, found, *flags, "about:blank"],
        pass_fds=(to_read, to_write),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(to_read)
    os.close(to_write)
    try:
        browser = Browser(write, read)
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        browser.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.call(f"{domain}.enable")
        yield browser
    finally:
        os.close(write)
        os.close(read)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
