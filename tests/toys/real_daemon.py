"""`playd run` as a process with real session processes, driven over its control socket."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import trio

from daemon.process_table import Process, mark_of, read_processes

LIMIT = 60.0
"""Seconds for anything that a test waits for: a bound, not an expectation."""

CONFIGURATION = """
state_directory = "{folder}/state"
[limits]
stop_deadline = {stop_deadline}
lease_ttl = {lease_ttl}
[control]
socket = "{folder}/control.sock"
[metrics]
bind = "127.0.0.1:0"
[models.practice]
provider = "openai"
model = "practice"
base_url = "{model}"
local = true
{more}
"""
SEAT = """
[seats.{name}]
body = "pokemon"
model = "practice"
address = "{world}"
credential = "file:{folder}/{name}.key"
game = "firered"
display_name = "{name}"
restart = {restart}
{more}
[seats.{name}.budget]
tokens = 100000000
"""


class Refused(Exception):
    """The daemon's error answer."""

    def __init__(self, error: Mapping[str, str]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.message = error["code"], error["message"]


def configure(
    folder: Path,
    world: str,
    model: str,
    *seats: str,
    stop_deadline: float = 15,
    lease_ttl: float = 60,
    restart: Iterable[str] = (),
    in_seat: str = "",
    more: str = "",
) -> Path:
    """Write a configuration with these seats into a folder."""
    parts = [
        CONFIGURATION.format(
            folder=folder, model=model, stop_deadline=stop_deadline, lease_ttl=lease_ttl, more=more
        )
    ]
    for name in seats:
        key = folder / f"{name}.key"
        key.touch(mode=0o600)
        key.write_text(f"key-of-{name}")
        wanted = msgspec.json.encode(list(restart)).decode()
        parts.append(
            SEAT.format(name=name, world=world, folder=folder, restart=wanted, more=in_seat)
        )
    path = folder / "playd.toml"
    path.write_text("".join(parts))
    return path


class HungUp(Exception):
    """The daemon closed the connection instead of answering."""


class DidNotStart(Exception):
    """The daemon ended before it answered; its exit code and its log."""


class Line:
    """One connection to the control socket, one request at a time on it."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._unread = b""

    async def send(self, request: Mapping[str, Any] | bytes) -> None:
        data = request if isinstance(request, bytes) else msgspec.json.encode(request) + b"\n"
        await self.stream.send_all(data)

    async def receive(self) -> dict[str, Any] | None:
        """The next line; None: the daemon hung up."""
        while b"\n" not in self._unread:
            try:
                chunk = await self.stream.receive_some(65536)
            except trio.BrokenResourceError:
                return None
            if not chunk:
                return None
            self._unread += chunk
        line, self._unread = self._unread.split(b"\n", 1)
        return msgspec.json.decode(line)

    async def ask(self, verb: str, **params: Any) -> dict[str, Any]:
        await self.send({"id": 1, "verb": verb, "params": params})
        answer = await self.receive()
        if answer is None:
            raise HungUp(verb)
        if not answer["ok"]:
            raise Refused(answer["error"])
        return answer["result"]

    async def hang_up(self) -> None:
        """Say that nothing more comes, and wait for the daemon to close its end too."""
        with trio.fail_after(LIMIT):
            with suppress(trio.BrokenResourceError):
                await self.stream.send_eof()
            while await self.receive() is not None:
                pass


@dataclass
class RealDaemon:
    """A running daemon, and what its `watch` has told so far."""

    process: trio.Process
    folder: Path
    log: Path
    turns: Counter[str] = field(default_factory=Counter[str])
    phases: dict[str, str] = field(default_factory=dict[str, str])
    seats: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    _happened: trio.Event = field(default_factory=trio.Event)

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @asynccontextmanager
    async def line(self) -> AsyncGenerator[Line]:
        path = str(self.folder / "control.sock")
        async with await trio.open_unix_socket(path) as stream:
            yield Line(stream)

    async def ask(self, verb: str, **params: Any) -> dict[str, Any]:
        """Ask on a connection of its own; the daemon has closed its end of it on return."""
        async with self.line() as line:
            try:
                return await line.ask(verb, **params)
            finally:
                await line.hang_up()

    async def join(self, seat: str, **params: Any) -> dict[str, Any]:
        return await self.ask("join", seat=seat, **params)

    async def stop(self, seat: str, *, now: bool = False) -> dict[str, Any]:
        return await self.ask("stop", seat=seat, now=now)

    async def seat(self, seat: str) -> dict[str, Any]:
        return (await self.ask("status", seat=seat))["seats"][0]

    async def pid(self, seat: str) -> int:
        """Of the session process that plays it."""
        return (await self.seat(seat))["session"]["pid"]

    async def crash(self, seat: str) -> None:
        """SIGKILL to the session process that plays it."""
        os.kill(await self.pid(seat), signal.SIGKILL)

    def open_descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for what `watch` tells to fulfil a condition."""
        with trio.fail_after(LIMIT):
            while not holds():
                happened = self._happened
                await happened.wait()

    async def until_turns(self, seat: str, total: int) -> None:
        """Wait until the seat has played so many turns since this daemon began."""
        await self.until(lambda: self.turns[seat] >= total)

    async def until_more_turns(self, seat: str, more: int) -> None:
        """Wait for so many turns from now on."""
        await self.until_turns(seat, self.turns[seat] + more)

    async def until_seat(self, seat: str, state: str) -> dict[str, Any]:
        await self.until(lambda: self.seats.get(seat, {}).get("state") == state)
        return await self.seat(seat)

    async def until_phase(self, seat: str, phase: str) -> None:
        await self.until(lambda: self.phases.get(seat) == phase)

    async def kill(self) -> None:
        """SIGKILL, and its own end waited for."""
        self.process.kill()
        await self.process.wait()

    async def terminate(self) -> int:
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        with trio.fail_after(LIMIT):
            return await self.process.wait()

    def events(self) -> list[dict[str, Any]]:
        file = self.state / "events.jsonl"
        lines = file.read_bytes().splitlines() if file.exists() else []
        return [msgspec.json.decode(line) for line in lines]

    def states(self, seat: str) -> list[str]:
        """The states that the seat's sessions came into, in order."""
        return [
            event["type"].rpartition(".")[2]
            for event in self.events()
            if event["data"]["seat"] == seat
        ]

    def journal_lines(self) -> dict[str, list[dict[str, Any]]]:
        """Every run's whole lines, by its journal's path."""
        found: dict[str, list[dict[str, Any]]] = {}
        for path in sorted((self.state / "journals").glob("*.jsonl")):
            whole = path.read_bytes().rpartition(b"\n")[0]
            found[str(path)] = [msgspec.json.decode(line) for line in whole.splitlines()]
        return found

    def chronicle(self, kind: str) -> list[dict[str, Any]]:
        """What the practice world itself saw: its entries of a kind."""
        lines = (self.folder / "world.jsonl").read_bytes().splitlines()
        return [entry for entry in map(msgspec.json.decode, lines) if entry["kind"] == kind]

    async def until_misbehaved(self, misdeed: str) -> None:
        """Wait until the practice world was asked for what it does wrong."""
        with trio.fail_after(LIMIT):
            while misdeed not in [e["misdeed"] for e in self.chronicle("misbehaved")]:  # noqa: ASYNC110
                await trio.sleep(0.05)  # nothing tells that the file grew

    def sessions_alive(self) -> list[Process]:
        """Living processes that this state directory's sessions started."""
        ours = {event["data"]["sessionId"] for event in self.events()}
        return [
            process
            for process in read_processes().values()
            if not process.dead and mark_of(process.pid) in ours
        ]

    async def until_nobody_is_left(self, seconds: float) -> None:
        with trio.fail_after(seconds):
            while self.sessions_alive():  # noqa: ASYNC110
                # They are no children of the test's, so nothing tells it of their ends.
                await trio.sleep(0.05)

    async def follow(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Read `watch` until the daemon is gone."""
        async with self.line() as line:
            await line.send({"id": 0, "verb": "watch"})
            while (told := await line.receive()) is not None and "event" in told:
                self._take(told["event"])
                if told["event"]["kind"] == "watching":
                    task_status.started()

    def _take(self, event: dict[str, Any]) -> None:
        match event["kind"]:
            case "turn":
                self.turns[event["seat"]] += 1
            case "phase":
                self.phases[event["seat"]] = event["phase"]
            case "seat":
                self.seats[event["seat"]["seat"]] = event["seat"]
        happened, self._happened = self._happened, trio.Event()
        happened.set()


def outcome_in(lines: Iterable[Mapping[str, Any]]) -> str | None:
    """The outcome by a journal's summary; None: the run has none."""
    return next((line["outcome"] for line in lines if line["kind"] == "summary"), None)


async def at_once(*asks: Callable[[], Awaitable[Any]]) -> list[Any]:
    """Do all at the same time; results, or the Refused of each, in their order."""
    results: list[Any] = [None] * len(asks)

    async def do(number: int) -> None:
        try:
            results[number] = await asks[number]()
        except Refused as refused:
            results[number] = refused

    async with trio.open_nursery() as nursery:
        for number in range(len(asks)):
            nursery.start_soon(do, number)
    return results


@asynccontextmanager
async def real_daemon(configuration: Path, *, following: bool = True) -> AsyncGenerator[RealDaemon]:
    """A daemon of this configuration; killed with everything of it when the test leaves."""
    daemon = await start_daemon(configuration)
    try:
        async with trio.open_nursery() as nursery:
            if following:
                await nursery.start(daemon.follow)
            yield daemon
            nursery.cancel_scope.cancel()
    finally:
        with trio.CancelScope(shield=True):
            await daemon.kill()
            await daemon.until_nobody_is_left(LIMIT)


async def start_daemon(configuration: Path) -> RealDaemon:
    """A daemon that answers; whoever starts it ends it. Raises DidNotStart."""
    folder = configuration.parent
    log = folder / "playd.log"
    with log.open("ab") as output:
        process = await trio.lowlevel.open_process(
            [sys.executable, "-m", "daemon.main", "run", "--config", str(configuration)],
            stdin=subprocess.DEVNULL,
            stderr=output,
        )
    daemon = RealDaemon(process, folder, log)
    try:
        await _until_it_answers(daemon)
    except BaseException:
        with trio.CancelScope(shield=True):
            await daemon.kill()
        raise
    return daemon


async def _until_it_answers(daemon: RealDaemon) -> None:
    with trio.fail_after(LIMIT):
        while True:
            with suppress(OSError, HungUp):
                await daemon.ask("hello")
                return
            if daemon.process.poll() is not None:
                raise DidNotStart(daemon.process.returncode, daemon.log.read_text())
            # Its socket appears when it appears; nothing in the file system waits for that.
            await trio.sleep(0.02)
