"""Lines out of bytes: chunking never matters (cases 18 to 21)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.framing import Line, LineSplitter

CAP = 16


def lines_of(chunks: list[bytes]) -> tuple[list[Line], bytes]:
    splitter = LineSplitter(CAP)
    return [line for chunk in chunks for line in splitter.feed(chunk)], splitter.rest()


def expected(data: bytes) -> list[Line]:
    *whole, last = data.split(b"\n")
    lines = [Line(part) if len(part) < CAP else Line(part[:CAP], cut=True) for part in whole]
    return lines + ([Line(last[:CAP], cut=True)] if len(last) >= CAP else [])


@given(st.lists(st.sampled_from([b"a", b"\n", b"bc", b"x" * 15, b"\xff", b"y" * 40]), max_size=40))
def test_the_same_bytes_give_the_same_lines_however_they_are_cut(parts: list[bytes]):
    """Case 21."""
    data = b"".join(parts)
    assert lines_of(parts)[0] == expected(data)
    assert lines_of([data])[0] == expected(data)
    assert lines_of([data[i : i + 1] for i in range(len(data))])[0] == expected(data)


@pytest.mark.parametrize(("length", "cut"), [(CAP - 2, False), (CAP - 1, False), (CAP, True)])
def test_a_line_is_at_most_the_cap_with_its_newline(length: int, cut: bool):
    """Case 19."""
    assert lines_of([b"x" * length + b"\n"])[0] == [Line(b"x" * min(length, CAP), cut=cut)]


def test_a_line_that_never_ends_is_told_once_and_not_kept():
    """Case 19."""
    splitter = LineSplitter(CAP)
    told = [line for _ in range(1000) for line in splitter.feed(b"x" * 1000)]
    assert told == [Line(b"x" * CAP, cut=True)]
    assert splitter.rest() == b""
    assert list(splitter.feed(b"tail\nnext\n")) == [Line(b"next")]


def test_an_unfinished_last_line_is_a_rest_and_no_line():
    assert lines_of([b"one\ntw", b"o"]) == ([Line(b"one")], b"two")


def test_ten_times_the_cap_in_small_lines_all_pass():
    """Case 20."""
    assert lines_of([b"abc\n" * (CAP * 10 // 4)])[0] == [Line(b"abc")] * (CAP * 10 // 4)


class Counted(bytes):
    """Counts the bytes that are searched for a newline."""

    searched = 0

    def find(self, sub: bytes, start: int = 0) -> int:  # type: ignore[override]
        found = super().find(sub, start)
        Counted.searched += (len(self) if found < 0 else found + 1) - start
        return found


def test_every_byte_is_searched_once():
    Counted.searched = 0
    splitter = LineSplitter(1 << 20)
    for _ in range(1000):
        list(splitter.feed(Counted(b"x" * 500 + b"\n" + b"y" * 99)))
    assert Counted.searched == 1000 * 600
