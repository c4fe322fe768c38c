"""A headless Chromium, driven over its own debugging protocol: what a page does when it is used."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import trio
from trio_websocket import WebSocketConnection, open_websocket_url

WITHIN = 60
"""Seconds for anything that is asked of the browser."""

CHROMIUM = next(
    (
        found
        for name in ("chromium", "chromium-browser", "google-chrome", "chrome")
        if (found := shutil.which(name))
    ),
    None,
)


class Page:
    """One page. `requests` are what it asked to load, `complaints` what it logged as an error."""

    def __init__(self, socket: WebSocketConnection) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._socket = socket
        self._asked = 0
        self._loaded = False

    async def open(self, url: str) -> None:
        for domain in ("Page", "Runtime", "Network", "Log"):
            await self._ask(f"{domain}.enable")
        await self._ask("Page.navigate", url=url)
        with trio.fail_after(WITHIN):
            while not self._loaded:
                self._hear(msgspec.json.decode(await self._socket.get_message()))

    async def value(self, expression: str) -> Any:
        """What an expression of the page's own script comes to."""
        answer = await self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def press(self, key: str) -> None:
        text = key if len(key) == 1 else None
        down = {"type": "keyDown", "key": key} | ({"text": text} if text else {})
        await self._ask("Input.dispatchKeyEvent", **down)
        await self._ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._asked += 1
        asked = {"id": self._asked, "method": method, "params": params}
        with trio.fail_after(WITHIN):
            await self._socket.send_message(msgspec.json.encode(asked).decode())
            while True:
                told = msgspec.json.decode(await self._socket.get_message())
                if told.get("id") == self._asked:
                    assert "error" not in told, told["error"]
                    return told["result"]
                self._hear(told)

    def _hear(self, told: dict[str, Any]) -> None:
        params = told.get("params", {})
        match told.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Page.loadEventFired":
                self._loaded = True
            case "Log.entryAdded":
                self.complaints.append(params["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.complaints.append(str(params["exceptionDetails"]))
            case _:
                pass


@contextlib.asynccontextmanager
async def browsing(profile: Path, width: int, height: int) -> AsyncIterator[Page]:
    """A browser with one page, ended with the block."""
    assert CHROMIUM is not None
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
        f"--window-size={width},{height}",
        "about:blank",
    ]
    process = await trio.lowlevel.open_process(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stderr is not None
    try:
        async with trio.open_nursery() as nursery:
            with trio.fail_after(WITHIN):
                port = await _port(process.stderr)
            nursery.start_soon(_drain, process.stderr)
            targets = await _targets(port)
            (url,) = (one["webSocketDebuggerUrl"] for one in targets if one["type"] == "page")
            async with open_websocket_url(url) as socket:
                yield Page(socket)
            nursery.cancel_scope.cancel()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        with trio.CancelScope(shield=True):
            await process.wait()
            await process.stderr.aclose()


async def _port(stderr: trio.abc.ReceiveStream) -> int:
    heard = b""
    while not (found := re.search(rb"DevTools listening on ws://[^:]+:(\d+)/", heard)):
        more = await stderr.receive_some()
        assert more, f"the browser ended: {heard.decode(errors='replace')}"
        heard += more
    return int(found[1])


async def _drain(stderr: trio.abc.ReceiveStream) -> None:
    while await stderr.receive_some():
        pass


async def _targets(port: int) -> list[dict[str, Any]]:
    import httpx

    async with httpx.AsyncClient(trust_env=False, timeout=WITHIN) as client:
        return (await client.get(f"http://127.0.0.1:{port}/json/list")).json()
