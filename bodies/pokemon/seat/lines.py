"""The stock local world's framing: one connection a request, one JSON line each way."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import msgspec
import trio

from bodies.pokemon.seat.dial import Dial
from bodies.pokemon.seat.ended import Parting
from bodies.pokemon.seat.link import MAX_MESSAGE, Fate, LinkParted
from bodies.pokemon.wire import AnswerHead, Request
from kernel.undecodable import UNDECODABLE

_RECEIVE = 64 * 1024


class LineLink(Fate):
    """Requests over connections of their own; any that fails ends the link."""

    def __init__(self, dial: Dial) -> None:
        super().__init__()
        self._dial = dial

    async def ask(self, request: Request) -> bytes:
        """One connection, one line each way. Raises LinkParted."""
        if self.parting is not None:
            raise LinkParted(self.parting)
        try:
            return await self._exchange(msgspec.json.encode(request) + b"\n")
        except LinkParted as parted:
            self.part(parted.parting)
            raise

    async def _exchange(self, line: bytes) -> bytes:
        stream = await self._dial()
        try:
            await stream.send_all(line)
            answer = await _read_line(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise LinkParted(Parting("the connection broke before the answer")) from None
        finally:
            await trio.aclose_forcefully(stream)
        try:
            msgspec.json.decode(answer, type=AnswerHead)
        except UNDECODABLE:
            raise LinkParted(Parting("the world answered with something that is no JSON")) from None
        return answer


@asynccontextmanager
async def open_lines(dial: Dial) -> AsyncGenerator[LineLink]:
    """A link that connects when it is asked something."""
    yield LineLink(dial)


async def _read_line(stream: trio.abc.Stream) -> bytes:
    received = bytearray()
    while True:
        some = await stream.receive_some(_RECEIVE)
        if not some:
            raise LinkParted(Parting("the connection closed before the answer"))
        received += some
        end = received.find(b"\n", len(received) - len(some))
        if (end if end >= 0 else len(received)) > MAX_MESSAGE:
            raise LinkParted(Parting("a message over 4 MiB closed the connection"))
        if end >= 0:
            return bytes(received[:end])
