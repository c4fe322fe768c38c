"""A receiver of webhooks on loopback that behaves as a test says, and rooms without sessions."""

from __future__ import annotations

import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import MockClock

from config.settings import ControlRoom, Grant, Model, PokemonSeat, Room, Settings, WebhookRoom
from daemon.control.listening import listen_at, take_away
from daemon.control.peers import Caller
from daemon.control.server import serve
from daemon.control.wire import BudgetChange, ReceiptView
from daemon.happenings import (
    DeliverySettled,
    Happening,
    Happenings,
    SessionChanged,
    SessionSaid,
)
from daemon.records import SessionRecord
from daemon.rooms.rooms import Rooms, open_rooms
from daemon.supervisor import Supervisor
from kernel.session.wire import Notable, Speech

OWNER = Caller(uid=os.geteuid(), gid=os.getegid(), pid=os.getpid())
PARLOUR = ControlRoom(principals=frozenset(("uid:1001",)))
STARTER = Caller(uid=1001, gid=1001, pid=1)
OK = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass
class Request:
    head: bytes
    body: bytes

    @property
    def headers(self) -> dict[str, str]:
        lines = self.head.decode().split("\r\n")[1:]
        return {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}

    def json(self) -> Any:
        return msgspec.json.decode(self.body)


Answer = bytes | Callable[[trio.abc.Stream], Awaitable[None]]


@dataclass
class Receiver:
    """Answers every request with the same bytes, or lets `answer` do with the client as it likes.

    `answer` None lets the client wait until `release` is set.
    """

    answer: Answer | None = OK
    port: int = 0
    connections: int = 0
    requests: list[Request] = field(default_factory=list)
    release: trio.Event = field(default_factory=trio.Event)
    _arrived: trio.Event = field(default_factory=trio.Event)

    async def got(self, count: int) -> list[Request]:
        while len(self.requests) < count:
            await self._arrived.wait()
        return self.requests

    async def serve(self, stream: trio.abc.Stream) -> None:
        self.connections += 1
        try:
            async with stream:
                await self._serve(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def _serve(self, stream: trio.abc.Stream) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            chunk = await stream.receive_some(65536)
            if not chunk:
                return
            data += chunk
        head, _, body = data.partition(b"\r\n\r\n")
        request = Request(head, body)
        length = int(request.headers["content-length"])
        while len(request.body) < length:
            request.body += await stream.receive_some(65536)
        self.requests.append(request)
        self._arrived.set()
        self._arrived = trio.Event()
        if isinstance(self.answer, bytes):
            await stream.send_all(self.answer)
        elif self.answer is not None:
            await self.answer(stream)
        else:
            await self.release.wait()
            await stream.send_all(OK)


@asynccontextmanager
async def receiver(
    answer: Answer | None = OK, certificate: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    one = Receiver(answer)
    serve = (
        partial(trio.serve_tcp, one.serve, 0, host="127.0.0.1")
        if certificate is None
        else partial(
            trio.serve_ssl_over_tcp,
            one.serve,
            0,
            certificate,
            host="127.0.0.1",
            https_compatible=True,
        )
    )
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(serve)
        listener = getattr(listeners[0], "transport_listener", listeners[0])
        one.port = listener.socket.getsockname()[1]
        yield one
        nursery.cancel_scope.cancel()


@pytest.fixture
def receiving() -> Any:
    """`receiving(answer)`: a receiver on loopback."""
    return receiver


@pytest.fixture
def clock() -> MockClock:
    """Jumps when nothing but time is waited for; threads and sockets are given a moment."""
    return MockClock(autojump_threshold=0.02)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("of the parlour\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def webhook(secret: Path) -> Callable[..., WebhookRoom]:
    """`webhook(port)`: a webhook room at this port of loopback."""

    def make(port: int, **changes: Any) -> WebhookRoom:
        given: dict[str, Any] = {
            "url": f"http://127.0.0.1:{port}/hook?token=t",
            "secret": f"file:{secret}",
            "allow_private_addresses": True,
        }
        return WebhookRoom(**(given | changes))

    return make


def settings_of(*grants: Grant, seats_room: str | None = None, **rooms: Room) -> Settings:
    seat = PokemonSeat(
        model="m", address="unix:/x", game="firered", display_name="Red", room=seats_room
    )
    return Settings(rooms=rooms, grants=grants, seats={"red": seat, "blue": seat})


def session_of(room: str | None = "parlour", seat: str = "red", number: int = 1) -> SessionRecord:
    return SessionRecord(
        session_id=f"s{number}",
        sitting_id=f"sitting-{number}",
        seat=seat,
        generation=number,
        state="claimed",
        began_at="2026-01-01T00:00:00.000Z",
        boot_id="b",
        room=room,
    )


@dataclass
class Played:
    """Rooms, and the sessions that a test lets speak."""

    rooms: Rooms
    happenings: Happenings
    settings: Settings
    folder: Path
    settled: list[DeliverySettled] = field(default_factory=list)
    _changed: trio.Event = field(default_factory=trio.Event)

    def watch(self, happening: Happening) -> None:
        if isinstance(happening, DeliverySettled):
            self.settled.append(happening)
            self._changed.set()
            self._changed = trio.Event()

    async def outcomes(self, count: int) -> list[str]:
        """What became of the first so many deliveries, once it is known."""
        while len(self.settled) < count:
            await self._changed.wait()
        return [one.outcome for one in self.settled]

    def begin(self, session: SessionRecord) -> None:
        self.happenings.tell(SessionChanged(session))

    def end(self, session: SessionRecord) -> None:
        self.happenings.tell(SessionChanged(msgspec.structs.replace(session, state="stopped")))

    def speak(
        self, session: SessionRecord, text: str = "a door!", kind: Any = "speak", id: str = "d1"
    ) -> None:
        said = Speech(id=id, speech=kind, text=text, turn=7)
        self.happenings.tell(SessionSaid(session, said))

    def notable(self, session: SessionRecord, kind: Any = "stuck") -> None:
        self.happenings.tell(SessionSaid(session, Notable(id=kind, notable=kind, detail="thrice")))

    def receipts(self) -> list[dict[str, Any]]:
        return [
            msgspec.json.decode(line)
            for line in (self.folder / "receipts.jsonl").read_bytes().splitlines()
        ]


@asynccontextmanager
async def rooms_of(
    folder: Path, settings: Settings, starter: Caller = STARTER
) -> AsyncIterator[Played]:
    happenings = Happenings()
    holder: list[Played] = []
    async with open_rooms(
        happenings,
        lambda: holder[0].settings if holder else settings,
        lambda session: starter,
        folder,
    ) as rooms:
        played = Played(rooms, happenings, settings, folder)
        holder.append(played)
        happenings.observe(played.watch)
        yield played


@pytest.fixture
def playing_in(tmp_path: Path) -> Any:
    """`playing_in(settings)`: rooms by this configuration."""
    return partial(rooms_of, tmp_path)


@pytest.fixture
def make_settings() -> Any:
    return settings_of


@pytest.fixture
def make_session() -> Any:
    return session_of


@dataclass
class Door:
    """A daemon with rooms behind a socket."""

    path: Path
    supervisor: Supervisor
    rooms: Rooms
    closing: trio.Event

    async def join(self, caller: Caller = OWNER) -> None:
        await self.supervisor.join(caller, "red", None, BudgetChange(), 10)

    async def receipts(self, count: int) -> tuple[ReceiptView, ...]:
        """Wait for so many."""
        settled = trio.Event()

        def look(happening: Happening) -> None:
            if isinstance(happening, DeliverySettled):
                settled.set()

        with self.supervisor.happenings.observed_by(look):
            while True:
                found = await self.rooms.receipts(OWNER, None, None, 50)
                if len(found.receipts) >= count:
                    return found.receipts
                await settled.wait()
                settled = trio.Event()


@pytest.fixture
def in_rooms(tmp_path: Path, opened: Any) -> Any:
    """`in_rooms("converses")`: a daemon whose seat red plays in the room parlour."""

    @asynccontextmanager
    async def open_one(
        behaviour: str, argument: object = "", *, room: Room = PARLOUR, **more: Any
    ) -> AsyncIterator[Door]:
        model = Model(provider="openai", model="m", base_url="http://127.0.0.1:1/", local=True)
        settings = more.pop("settings", None) or msgspec.structs.replace(
            settings_of(seats_room="parlour", parlour=room), models={"m": model}
        )
        path, closing = tmp_path / "control.sock", trio.Event()
        async with opened(behaviour, argument, settings=settings, **more) as one:
            playd: Supervisor = one.supervisor
            listener = listen_at(path)
            try:
                async with open_rooms(
                    playd.happenings, lambda: playd.settings, playd.starter_of, tmp_path
                ) as rooms:
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(serve, listener, playd, rooms, uncounted, closing)
                        yield Door(path, playd, rooms, closing)
                        nursery.cancel_scope.cancel()
            finally:
                take_away(listener, path)

    return open_one


def uncounted(verb: str, code: str) -> None:
    pass
