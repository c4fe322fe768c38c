"""A control socket that a test can talk to, with a daemon behind it whose seats do not play."""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from config.settings import Settings
from daemon.control import wire
from daemon.control.listening import listen_at, take_away
from daemon.control.peers import Caller
from daemon.control.server import serve
from daemon.refusal import Refusal


async def _refuse(seat: str) -> None:
    await trio.lowlevel.checkpoint()
    raise Refusal("no_such_seat", f"there is no seat {seat}")


class RestingDaemon:
    """Knows its configuration, and hands out the events that a test publishes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.asked: list[tuple[str, int]] = []
        self.watchers: set[Callable[[wire.Event], None]] = set()
        self.watched = trio.Event()
        self.holding = trio.Event()
        self.receipt: wire.Acknowledgement | None = None
        self.acknowledged = trio.Event()

    def publish(self, event: wire.Event) -> None:
        for send in tuple(self.watchers):
            send(event)

    async def seats(self, caller: Caller) -> wire.SeatsResult:
        self.asked.append(("seats", caller.uid))
        return wire.SeatsResult(
            seats=tuple(
                wire.SeatView(
                    seat=name, body=seat.body, game=seat.game, model=seat.model, state="idle"
                )
                for name, seat in self.settings.seats.items()
            )
        )

    async def sessions(
        self, caller: Caller, seat: str | None, all: bool, limit: int
    ) -> wire.SessionsResult:
        return wire.SessionsResult(sessions=())

    async def say(
        self, caller: Caller, seat: str, text: str, speaker: str, room: str | None
    ) -> wire.SayResult:
        raise Refusal("not_playing", f"{seat} is not playing", f"playctl join {seat}")

    async def health(self, caller: Caller) -> wire.HealthResult:
        """Is never done before the test lets it."""
        self.asked.append(("health", caller.uid))
        await self.holding.wait()
        return wire.HealthResult(ready=True, checks=())

    async def reload(self, caller: Caller) -> wire.ReloadResult:
        raise RuntimeError("a defect, with a secret in it")

    async def reset(self, caller: Caller, seat: str) -> wire.ResetResult:
        """Refuses from within tasks, which wrap what they raise."""
        async with trio.open_nursery() as outer, trio.open_nursery() as inner:
            outer.start_soon(trio.sleep_forever)
            inner.start_soon(_refuse, seat)
        raise AssertionError

    async def acknowledge(
        self, caller: Caller, room: str, receipt: wire.Acknowledgement
    ) -> wire.ReceiptsResult:
        self.receipt = receipt
        self.acknowledged.set()
        return wire.ReceiptsResult(receipts=())

    async def follow(self, room: str, show: Callable[[wire.Event], None]) -> None:
        def pass_on(event: wire.Event) -> None:
            if isinstance(event, wire.Watching) or getattr(event, "room", None) == room:
                show(event)

        await self.watch(Caller(uid=0, gid=0, pid=0), pass_on)

    async def watch(self, caller: Caller, send: Callable[[wire.Event], None]) -> None:
        self.watchers.add(send)
        try:
            send(wire.Watching())
            self.watched.set()
            await trio.sleep_forever()
        finally:
            self.watchers.discard(send)


class Client:
    """Lines over a real socket."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._pending = b""

    async def send(self, data: bytes | dict[str, Any]) -> None:
        if isinstance(data, dict):
            data = msgspec.json.encode(data) + b"\n"
        await self.stream.send_all(data)

    async def line(self) -> dict[str, Any] | None:
        """The next line, or None at the end."""
        while b"\n" not in self._pending:
            try:
                chunk = await self.stream.receive_some(65536)
            except trio.BrokenResourceError:
                return None
            if not chunk:
                return None
            self._pending += bytes(chunk)
        line, self._pending = self._pending.split(b"\n", 1)
        return msgspec.json.decode(line)

    async def ask(self, verb: str, **params: Any) -> dict[str, Any]:
        await self.send({"id": 1, "verb": verb, "params": params})
        answer = await self.line()
        assert answer is not None
        return answer


class Door:
    """A served control socket."""

    def __init__(self, path: Path, daemon: Any) -> None:
        self.path = path
        self.daemon = daemon
        self.counted: list[tuple[str, str]] = []
        self.closing = trio.Event()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        async with await trio.open_unix_socket(os.fspath(self.path)) as stream:
            yield Client(stream)


@asynccontextmanager
async def served(folder: Path, daemon: Any) -> AsyncIterator[Door]:
    door = Door(folder / f"{next(_numbers)}.sock", daemon)
    listener = listen_at(door.path)

    def count(verb: str, code: str) -> None:
        door.counted.append((verb, code))

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve, listener, door.daemon, door.daemon, count, door.closing)
            yield door
            nursery.cancel_scope.cancel()
    finally:
        take_away(listener, door.path)


_numbers = itertools.count()


@pytest.fixture
def door_of(tmp_path: Path) -> Callable[[Settings], AbstractAsyncContextManager[Door]]:
    """Serves a configuration on a socket of its own."""
    return lambda settings: served(tmp_path, RestingDaemon(settings))


@pytest.fixture
def serving() -> Callable[[Path, Settings], AbstractAsyncContextManager[Door]]:
    """The same, in a folder of the test's choice."""
    return lambda folder, settings: served(folder, RestingDaemon(settings))


@pytest.fixture
def playing(tmp_path: Path, opened: Any) -> Callable[..., AbstractAsyncContextManager[Door]]:
    """`playing("good")`: a real supervisor whose sessions behave well, behind a socket."""

    @asynccontextmanager
    async def open_one(behaviour: str, argument: object = "", **more: Any) -> AsyncIterator[Door]:
        async with opened(behaviour, argument, **more) as one:
            async with served(tmp_path, one.supervisor) as door:
                yield door

    return open_one
