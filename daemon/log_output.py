"""Where log lines go: to systemd's journal with their fields, else to stderr for people to read.

Of one kind of line at most `BURST` are let through in `WINDOW_SECONDS`, of what a seat's session
prints `OUTPUT_BURST`; how many were held back is said with the next one.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from daemon.plain_text import plain

BURST = 20
OUTPUT_BURST = 500
"""Several tracebacks, which are worth nothing without their ends."""
WINDOW_SECONDS = 30.0
KINDS = 1024
"""Kinds of line that are told apart; past it counting begins anew."""


def set_up_logging(level: str, environ: Mapping[str, str]) -> None:
    """Sends the log of this process where it belongs; called once, before anything is logged."""
    handler = _journal_handler() if _is_journal(environ) else _stderr_handler()
    handler.addFilter(RepeatLimit(time.monotonic))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for chatty in ("httpx", "httpcore", "trio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


class RepeatLimit(logging.Filter):
    """Holds back lines of one kind (logger, level, text without its values, seat) past a burst."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._kinds: dict[tuple[object, ...], _Seen] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; the first after a silence tells how many were not."""
        now = self._now()
        kind = (record.name, record.levelno, record.msg, record.__dict__.get("PLAYD_SEAT"))
        seen = self._kinds.get(kind)
        if seen is None:
            if len(self._kinds) >= KINDS:
                self._kinds.clear()
            seen = self._kinds[kind] = _Seen(since=now)
        if now - seen.since >= WINDOW_SECONDS:
            held_back, seen.since, seen.count, seen.held_back = seen.held_back, now, 0, 0
            if held_back:
                record.msg = f"{record.getMessage()} ({held_back} more like it were held back)"
                record.args = None
        seen.count += 1
        printed = record.__dict__.get("PLAYD_EVENT") == "output"
        if seen.count > (OUTPUT_BURST if printed else BURST):
            seen.held_back += 1
            return False
        return True


class JournalLines(logging.Formatter):
    """Seat, message and traceback; the journal has the rest in fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, with nothing in it that a terminal would obey."""
        seat = record.__dict__.get("PLAYD_SEAT")
        line = (f"{seat}: " if seat else "") + record.getMessage()
        if record.exc_info:
            line = f"{line}\n{self.formatException(record.exc_info)}"
        return plain(line)


class ReadableLines(JournalLines):
    """Time and level before the same."""

    default_msec_format = "%s.%03d"

    def format(self, record: logging.LogRecord) -> str:
        """The line, with nothing in it that a terminal would obey."""
        return f"{self.formatTime(record)} {record.levelname.lower():7} {super().format(record)}"


@dataclass
class _Seen:
    since: float
    count: int = 0
    held_back: int = 0


def _is_journal(environ: Mapping[str, str]) -> bool:
    """Whether systemd connected our stderr to its journal."""
    device, _, inode = environ.get("JOURNAL_STREAM", "").partition(":")
    try:
        ours = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError):
        return False
    return (device, inode) == (str(ours.st_dev), str(ours.st_ino))


def _journal_handler() -> logging.Handler:
    from systemd.journal import (  # pyright: ignore[reportMissingTypeStubs]
        JournalHandler,
    )

    handler = JournalHandler(SYSLOG_IDENTIFIER="playd")
    handler.setFormatter(JournalLines())
    return handler


def _stderr_handler() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ReadableLines())
    return handler
