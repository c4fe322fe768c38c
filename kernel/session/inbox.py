"""What the supervisor says, read strictly and handed to the session's controls."""

from __future__ import annotations

import trio

from kernel.session import wire
from kernel.undecodable import UNDECODABLE

_CHUNK = 64 * 1024


class BadLine(Exception):
    """The supervisor's line is no message of the protocol; says why, never what it held."""


class Lines:
    """Splits a byte stream into lines; each newline is looked for once."""

    def __init__(self, descriptor: int) -> None:
        self._stream = trio.lowlevel.FdStream(descriptor)
        self._buffer = bytearray()
        self._searched = 0

    async def next(self) -> bytes | None:
        """One line without its newline; None at the end of the stream. Raises BadLine."""
        while True:
            end = self._buffer.find(b"\n", self._searched)
            if (end if end >= 0 else len(self._buffer)) >= wire.LINE_CAP:
                raise BadLine(f"a line is longer than {wire.LINE_CAP} bytes")
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                self._searched = 0
                return line
            self._searched = len(self._buffer)
            chunk = await self._stream.receive_some(_CHUNK)
            if not chunk:
                return None
            self._buffer += chunk

    async def close(self) -> None:
        """Close the descriptor without waiting."""
        await trio.aclose_forcefully(self._stream)


def decode(line: bytes) -> wire.ToSession:
    """One message. Raises BadLine."""
    try:
        return wire.to_session_decoder.decode(line)
    except UNDECODABLE as error:
        raise BadLine(str(error)) from None
