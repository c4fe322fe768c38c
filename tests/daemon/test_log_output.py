import logging
import os
import subprocess
import sys

from daemon.log_output import (
    BURST,
    OUTPUT_BURST,
    WINDOW_SECONDS,
    JournalLines,
    ReadableLines,
    RepeatLimit,
)
from daemon.plain_text import plain


def record(message: str, *values: object, seat: str | None = None) -> logging.LogRecord:
    made = logging.LogRecord("daemon.seat", logging.WARNING, "f", 1, message, values, None)
    if seat is not None:
        made.__dict__["PLAYD_SEAT"] = seat
    return made


def test_a_burst_is_let_through_and_the_rest_is_counted():
    clock = 0.0
    limit = RepeatLimit(lambda: clock)
    passed = [limit.filter(record("line %d too long", n)) for n in range(BURST + 5)]
    assert passed == [True] * BURST + [False] * 5
    clock = WINDOW_SECONDS
    after = record("line %d too long", 99)
    assert limit.filter(after)
    assert after.getMessage() == "line 99 too long (5 more like it were held back)"
    once_more = record("line %d too long", 100)
    assert limit.filter(once_more)
    assert once_more.getMessage() == "line 100 too long"


def test_one_seats_flood_holds_back_no_other_line():
    limit = RepeatLimit(lambda: 0.0)
    for _ in range(BURST + 1):
        limit.filter(record("crashed", seat="red"))
    assert not limit.filter(record("crashed", seat="red"))
    assert limit.filter(record("crashed", seat="blue"))
    assert limit.filter(record("restarts", seat="red"))


def test_what_a_session_prints_is_a_kind_that_may_be_long():
    limit = RepeatLimit(lambda: 0.0)
    for number in range(OUTPUT_BURST + 5):
        printed = record("%s%s", f"line {number} of a traceback", "", seat="red")
        printed.__dict__["PLAYD_EVENT"] = "output"
        assert limit.filter(printed) == (number < OUTPUT_BURST)


def test_a_line_names_its_seat_and_carries_nothing_that_a_terminal_obeys():
    line = ReadableLines().format(record("said %s", "\x1b[2J\x9b\r\u202ehi", seat="red"))
    assert line.endswith("warning red: said �[2J���hi")


def test_a_line_for_the_journal_names_its_seat_too():
    assert JournalLines().format(record("said %s", "\x1b[2Jhi", seat="red")) == "red: said �[2Jhi"
    assert JournalLines().format(record("said %s", "hi")) == "said hi"


def test_plain_text_of_any_language_stays_as_it_is():
    for text in ("Grüße, é", "今日　は", "👩‍🚀 ok", "a\nb"):
        assert plain(text) == text


SCRIPT = """
import logging, os
from daemon.log_output import set_up_logging
set_up_logging("info", os.environ)
logging.getLogger("daemon.x").info("a readable %s", "line")
logging.getLogger("daemon.x").debug("not wanted")
"""


def test_without_systemds_journal_lines_go_to_stderr():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "JOURNAL_STREAM": "1:2"},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("info    a readable line\n")
