"""A practice world behind real sockets, and a driver that speaks its wire by hand."""

import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import trio
from trio_websocket import WebSocketConnection, wrap_client_stream

from bodies.practice.world.doors import Address, parse_address
from bodies.practice.world.host import Setting
from bodies.practice.world.opening import run_world

Json = dict[str, Any]


@dataclass
class Driver:
    """One websocket that joins and plays; pushes are kept apart."""

    socket: WebSocketConnection
    token: str | None = None
    pushes: list[Json] = field(default_factory=list)
    _last_id: int = 0
    _last_key: int = 0

    async def ask(self, operation: str, given: Json | None = None, **fields: Any) -> Json:
        self._last_id += 1
        token = {} if self.token is None else {"token": self.token}
        request = {"id": self._last_id, "operation": operation, "input": given or {}}
        await self.socket.send_message(json.dumps({**request, **token, **fields}))
        while True:
            message = json.loads(await self.socket.get_message())
            if message.get("id") == self._last_id:
                return message
            self.pushes.append(message)

    async def join(self, credential: str = "one", game: str = "firered") -> Json:
        given = {
            "protocolVersion": 3,
            "gameId": game,
            "displayName": "Tester",
            "harness": "tests",
        }
        answer = await self.ask("world.join", given, credential=credential)
        self.token = answer.get("token")
        return answer

    async def act(self, kind: str, *, key: str | None = None, **fields: Any) -> Json:
        return await self.ask("play.act", self._action(kind, key, fields))

    async def send_act(self, kind: str, *, key: str | None = None, **fields: Any) -> None:
        """Asks for an action and does not wait for its answer."""
        self._last_id += 1
        given = self._action(kind, key, fields)
        request = {"id": self._last_id, "operation": "play.act", "input": given}
        await self.socket.send_message(json.dumps({**request, "token": self.token}))

    async def observe(self) -> Json:
        return await self.ask("play.observe")

    async def misbehave(self, kind: str, argument: str = "", **fields: Any) -> Json:
        return await self.ask("practice.misbehave", {"kind": kind, "argument": argument, **fields})

    async def log(self, kind: str | None = None) -> list[Json]:
        entries = (await self.ask("practice.log"))["entries"]
        return [entry for entry in entries if kind in (None, entry["kind"])]

    def _action(self, kind: str, key: str | None, fields: Json) -> Json:
        self._last_key += 1
        action = {"kind": kind, **fields}
        return {"action": action, "idempotencyKey": key or f"key-{self._last_key}"}

    async def start_walking(self) -> None:
        """From the boot to the first room, by the shortest way."""
        await self.act("frame_advance", frames=240)
        await self.act("advance_dialog")
        await self.act("enter_text", text="Ada")
        await self.act("select_menu_entry", entry="yes")
        await self.act("advance_dialog")
        await self.act("frame_advance", frames=200)


@dataclass
class World:
    """A running world: where it listens, how to end it, and a way to a new connection."""

    addresses: tuple[Address, ...]
    state: Path
    scope: trio.CancelScope

    @asynccontextmanager
    async def drive(self) -> AsyncIterator[Driver]:
        address = self.addresses[0]
        async with (
            await trio.open_tcp_stream(address.host, address.port) as stream,
            trio.open_nursery() as nursery,
        ):
            socket = await wrap_client_stream(
                nursery, stream, str(address), "/", max_message_size=8 * 2**20
            )
            yield Driver(socket)
            with trio.move_on_after(0.3, shield=True):
                await socket.aclose()
            nursery.cancel_scope.cancel()


@pytest.fixture
async def open_world(nursery: trio.Nursery, tmp_path: Path) -> Callable[..., Awaitable[World]]:
    """Opens a world at a hundred times the speed of time; it ends with the test."""

    async def opened(*listen: str, tls: ssl.SSLContext | None = None, **setting: Any) -> World:
        usual = {"state": tmp_path / "state", "speed": 100.0, "push_seconds": 0}
        made = Setting(**{**usual, **setting})
        wanted = [parse_address(text) for text in listen or ("ws://127.0.0.1:0",)]
        scope = trio.CancelScope()
        addresses = await nursery.start(_run, scope, made, wanted, tls)
        return World(addresses, made.state, scope)

    return opened


@pytest.fixture
async def world(open_world: Callable[..., Awaitable[World]]) -> World:
    return await open_world()


async def _run(
    scope: trio.CancelScope,
    setting: Setting,
    wanted: list[Address],
    tls: ssl.SSLContext | None,
    task_status: trio.TaskStatus[tuple[Address, ...]],
) -> None:
    with scope:
        await run_world(setting, wanted, tls, task_status)
