"""Tables in a pipe and on terminals, and numbers in words."""

from contextlib import redirect_stdout
from io import StringIO

import click
import pytest

from daemon.playctl import show

ADVICE = f"an earlier daemon ended {'while it was played ' * 30}; join or observe settles it"


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def drawn(out: StringIO) -> str:
    with redirect_stdout(out):
        show.table(("SEAT", "STATE", "NOW"), [("red", "stale", ADVICE)], "")
    return click.unstyle(out.getvalue()).splitlines()[1]


def test_in_a_pipe_nothing_is_cut():
    assert drawn(StringIO()).endswith(ADVICE)


@pytest.mark.parametrize("columns", [60, 200])
def test_on_a_terminal_the_last_column_has_what_is_left_of_its_width(
    monkeypatch: pytest.MonkeyPatch, columns: int
):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    line = drawn(Terminal())
    assert line.startswith("red   stale  an earlier daemon")
    assert line.endswith("…")
    assert columns - 2 <= len(line) <= columns


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 turns"), (1, "1 turn"), (2000, "2,000 turns")]
)
def test_one_is_singular(number: int, words: str):
    assert show.counted(number, "turn") == words
