"""What a stream must keep to before anything reads it."""

import codecs

from kernel.model.answer import BadStream

STREAM_BYTES = 32 << 20
LINE_BYTES = 2 << 20


class StreamBounds:
    """Watches a stream go by: UTF-8 throughout, no line and no whole beyond their bounds.

    The decoder of events would put a replacement where bytes are damaged, and would wait for the
    end of a line for as long as memory lasts.
    """

    def __init__(self) -> None:
        self._total = 0
        self._line = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")

    def check(self, chunk: bytes) -> None:
        """Raises BadStream."""
        try:
            self._decoder.decode(chunk)
        except UnicodeDecodeError:
            raise BadStream("the stream is not UTF-8") from None
        self._total += len(chunk)
        if self._total > STREAM_BYTES:
            raise BadStream(f"the stream is longer than {STREAM_BYTES} bytes")
        ends = [place for place in (chunk.find(b"\n"), chunk.find(b"\r")) if place >= 0]
        self._line += min(ends, default=len(chunk))
        if self._line > LINE_BYTES:
            raise BadStream(f"a line is longer than {LINE_BYTES} bytes")
        if ends:
            self._line = len(chunk) - 1 - max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
