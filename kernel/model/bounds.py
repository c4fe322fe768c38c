"""What a body must keep to before anything reads it."""

import codecs
from collections.abc import AsyncIterator

import httpx

from kernel.model.answer import BadStream

STREAM_BYTES = 32 << 20
LINE_BYTES = 2 << 20


class BoundedUtf8(httpx.AsyncByteStream):
    """Passes a body on unchanged while it is UTF-8 and within its bounds; else raises BadStream.

    The decoder of events would put a replacement where bytes are damaged and wait for the end of
    a line for as long as memory lasts.
    """

    def __init__(self, body: AsyncIterator[bytes]) -> None:
        self._body = body
        self._total = 0
        self._line = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            self._check(chunk)
            yield chunk

    def _check(self, chunk: bytes) -> None:
        try:
            self._decoder.decode(chunk)
        except UnicodeDecodeError:
            raise BadStream("the stream is not UTF-8") from None
        self._total += len(chunk)
        first = _line_end(chunk)
        self._line += len(chunk) if first is None else first
        if self._line > LINE_BYTES or self._total > STREAM_BYTES:
            raise BadStream(
                f"more than {LINE_BYTES} bytes in a line or {STREAM_BYTES} in the stream"
            )
        if first is not None:
            self._line = len(chunk) - 1 - max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))


def _line_end(chunk: bytes) -> int | None:
    ends = [place for place in (chunk.find(b"\n"), chunk.find(b"\r")) if place >= 0]
    return min(ends, default=None)
