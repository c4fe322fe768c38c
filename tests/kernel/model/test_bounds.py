import pytest

from kernel.model.answer import BadStream
from kernel.model.bounds import LINE_BYTES, STREAM_BYTES, StreamBounds

HALF = b"x" * (LINE_BYTES // 2)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_lines_within_the_bound_pass_however_they_are_split(end: bytes) -> None:
    bounds = StreamBounds()
    for chunk in (HALF, HALF, end + HALF, HALF + end, HALF + end + HALF, end):
        bounds.check(chunk)


@pytest.mark.parametrize("chunks", [(HALF, HALF, b"x"), (b"a\n" + HALF, HALF, b"x\n")])
def test_a_line_beyond_the_bound_does_not(chunks: tuple[bytes, ...]) -> None:
    bounds = StreamBounds()
    for chunk in chunks[:-1]:
        bounds.check(chunk)
    with pytest.raises(BadStream, match="a line is longer"):
        bounds.check(chunks[-1])


def test_a_stream_beyond_its_bound_does_not() -> None:
    bounds = StreamBounds()
    chunk = HALF + b"\n"
    for _ in range(STREAM_BYTES // len(chunk)):
        bounds.check(chunk)
    with pytest.raises(BadStream, match="the stream is longer"):
        bounds.check(chunk)


def test_a_character_may_be_split_and_not_broken() -> None:
    bounds = StreamBounds()
    for byte in "é✓🎮".encode():
        bounds.check(bytes([byte]))
    bounds.check(b"\xc3")
    with pytest.raises(BadStream, match="UTF-8"):
        bounds.check(b"\n")
