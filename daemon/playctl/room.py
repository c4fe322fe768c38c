"""A terminal room: one reads what the room is told, and types to the player."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import TypeVar

import click
import msgspec
import trio

from daemon.control import wire
from daemon.framing import LineSplitter
from daemon.innermost import innermost
from daemon.playctl import show
from daemon.playctl.client import Client
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import Invocation, pass_invocation
from daemon.playctl.rooms import user_name
from daemon.playctl.watching import line_of

R = TypeVar("R")


@click.group()
def room() -> None:
    """Be in a room: read what it is told, and speak there."""


@room.command()
@click.argument("name", metavar="ROOM")
@click.option("--seat", help="The seat that you speak to; else the one that plays in the room.")
@click.option("--from", "speaker", help="Who speaks; your user name where not given.")
@pass_invocation
def tail(invocation: Invocation, name: str, seat: str | None, speaker: str | None) -> None:
    """Show what ROOM is told, and say each line that you type.

    Words and notables are acknowledged as played. The end of input (Ctrl-D) or Ctrl-C ends it, not
    the play.

    \b
    Example:
      playctl room tail parlour
    """
    with invocation.client() as following, invocation.client() as asking:
        terminal = _Terminal(following, asking, name, seat, (speaker or user_name())[:64])
        wrong: BaseException | None = None
        try:
            trio.run(terminal.run)
        except* KeyboardInterrupt:
            pass
        except* Trouble as trouble:
            wrong = innermost(trouble)
        if wrong is not None:  # what is raised in an `except*` itself may be wrapped in a group
            raise wrong


@dataclass(eq=False)
class _Terminal:
    """Blocking clients and the terminal are waited for in threads, which may be left behind."""

    following: Client
    asking: Client
    name: str
    seat: str | None
    speaker: str
    _entered: trio.Event = field(default_factory=trio.Event)
    _heard: set[str] = field(default_factory=set[str])
    """Seats that were heard in the room."""
    _one_at_a_time: trio.CapacityLimiter = field(default_factory=lambda: trio.CapacityLimiter(1))

    async def run(self) -> None:
        """Listen and type until either ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, nursery.cancel_scope)
            nursery.start_soon(self._type, nursery.cancel_scope)

    async def _listen(self, over: trio.CancelScope) -> None:
        events = self.following.follow(wire.WatchParams(room=self.name))
        while event := await trio.to_thread.run_sync(next, events, None, abandon_on_cancel=True):
            if isinstance(event, wire.Watching):
                self._entered.set()
                show.tell(f"You are in room {self.name}. Ctrl-D leaves it.")
            elif (line := line_of(event)) is not None:
                show.tell(line)
            if isinstance(event, wire.Spoken | wire.NotableRaised):
                self._heard.add(event.seat)
            await self._acknowledge(event)
        over.cancel()

    async def _type(self, over: trio.CancelScope) -> None:
        await self._entered.wait()
        async for line in _typed():
            try:
                await self._say(line)
            except Trouble as trouble:
                if trouble.exit == Exit.NOT_RUNNING:
                    raise
                show.tell(f"playctl: {trouble.text}", err=True)
        over.cancel()

    async def _say(self, text: str) -> None:
        seat = self.seat or await self._seat_in_room()
        params = wire.SayParams(seat=seat, text=text, speaker=self.speaker, room=self.name)
        await self._ask("say", params, wire.SayResult)

    async def _seat_in_room(self) -> str:
        if len(self._heard) == 1:
            return next(iter(self._heard))
        live = await self._ask("sessions", wire.SessionsParams(), wire.SessionsResult)
        seats = sorted({session.seat for session in live.sessions if session.room == self.name})
        match seats:
            case [seat]:
                return seat
            case []:
                raise Trouble(Exit.REFUSED, f"nobody plays in room {self.name} now")
            case _:
                raise Trouble(
                    Exit.USAGE, f"several play in room {self.name}", f"--seat {' or '.join(seats)}"
                )

    async def _acknowledge(self, event: wire.Event) -> None:
        """Words were shown to a person here; what becomes of an event is for the room's author."""
        match event:
            case wire.Spoken(speech="reply" | "speak", delivery_id=id):
                pass
            case wire.NotableRaised(id=id):
                pass
            case _:
                return
        word = wire.Acknowledgement(delivery_id=id, outcome="played")
        params = wire.ReceiptsParams(room=self.name, acknowledge=word)
        await self._ask("receipts", params, wire.ReceiptsResult)

    async def _ask(self, verb: str, params: msgspec.Struct, result: type[R]) -> R:
        return await trio.to_thread.run_sync(
            self.asking.ask, verb, params, result, abandon_on_cancel=True,
            limiter=self._one_at_a_time,
        )  # fmt: skip


async def _typed() -> AsyncGenerator[str]:
    """The lines of stdin that are not blank, to its end.

    Read without a buffer: one that a left-behind thread holds could not be closed at exit.
    """
    splitter = LineSplitter(wire.LINE_CAP)
    while chunk := await trio.to_thread.run_sync(os.read, 0, 4096, abandon_on_cancel=True):
        for line in splitter.feed(chunk):
            if text := line.data.decode(errors="replace").strip():
                yield text
    if text := splitter.rest().decode(errors="replace").strip():
        yield text
