"""The append-only writer of one run's journal.

`write` is synchronous, so that a line stands in the file before anything that follows it happens:
one `write(2)` into the page cache, microseconds. It never raises for a full disk or for a line
that cannot be written: the loss is counted and, once a line fits again, told by a `journal_gap`
line that stands before it (K13, K36). What is due comes first, in this order: cutting back our own
unfinished line, the header, the seal of a full window, gaps, and `usage` lines that found no space:
these are kept, so that a sitting's bill is right again once there is space. While one of these
cannot be written nothing else is.

Reaching the disk is another matter: `fsync` may block for seconds, so one task in the caller's
nursery, `keep_flushed`, runs it in a worker thread, one at a time.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import UNSET

from kernel.journal.instant import instant
from kernel.journal.lines import (
    LINE_LIMIT,
    Envelope,
    EvidenceWindowLine,
    GapCause,
    HeaderLine,
    JournalGapLine,
    Line,
    NotableLine,
    SummaryLine,
    UsageLine,
)
from kernel.journal.windows import EvidenceWindow

FLUSH_WITHIN: Final = 2.0
"""Seconds within which a written line is flushed to disk."""

OWED_LIMIT: Final = 1024
"""Usage lines that are kept while they find no space; further ones are lost like any other."""

LAST_FLUSH: Final = 2.0
"""Seconds that `close` waits for the last flush."""

_URGENT: Final = (NotableLine, SummaryLine)


class JournalNotOpened(Exception):
    """The journal's file could not be created; says which and what to do."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"cannot create the journal {path}: {error.strerror}; {_remedy(path)}")
        self.path = path


@dataclass(slots=True)
class Written:
    """What the writer did so far."""

    lines: int = 0
    bytes: int = 0
    lost: int = 0
    """Lines that are not in the file."""
    flushed: int = 0
    """Lines that are known to have reached the disk; a power cut may take the others."""
    flushes: int = 0
    """Flushes to disk that were begun."""
    flush_failures: int = 0
    trouble: str | None = None
    """The latest failure, for people."""


class JournalWriter:
    """One run's journal. Raises JournalNotOpened when the file cannot be created.

    The file is new, always: a run never appends to an older one. `wall` gives seconds since 1970.
    """

    def __init__(
        self,
        directory: Path,
        envelope: Envelope,
        header: HeaderLine,
        *,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.path = directory / journal_name(header.started_at, envelope.run_id)
        self.written = Written()
        self._wall = wall
        self._envelope = b"," + msgspec.json.encode(envelope)[1:-1]
        self._header: HeaderLine | None = header
        self._window = EvidenceWindow()
        self._gaps: dict[GapCause, _Gap] = {}
        self._owed: deque[UsageLine] = deque()
        self._encoder = msgspec.json.Encoder()
        self._buffer = bytearray()
        self._unfinished = False
        self._folder_flushed = False
        self._dirty = trio.Event()
        self._urgent = trio.Event()
        self._disk = trio.CapacityLimiter(1)
        self._file = _create(self.path)
        self._pay_debts(self._now())

    @property
    def window(self) -> int:
        """Index of the evidence window that the next line falls into."""
        return self._window.index + self._window.full

    @property
    def rolled_windows(self) -> int:
        """How many windows were sealed."""
        return self._window.index

    def write(self, line: Line) -> None:
        """Append one line, given without its envelope. Losing it is counted, never raised."""
        at = self._now()
        if not self._pay_debts(at):
            self._lose("write_failed", line, at)
            return
        try:
            encoded = self._encode(line, at)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            self._lose("not_encodable", line, at, str(error))
        else:
            if len(encoded) > LINE_LIMIT:
                self._lose("line_too_long", line, at, f"{len(encoded)} bytes")
                self._buffer = bytearray()
            elif self._append(encoded):
                self._window.add(encoded)
            else:
                self._lose("write_failed", line, at)
                return
        if isinstance(line, _URGENT):
            self._urgent.set()
        if self._window.full or self._gaps:
            self._pay_debts(at)

    def catch_up(self) -> None:
        """Write what is due, so that counts taken right after it hold for the next line too."""
        self._pay_debts(self._now())

    def seal(self) -> None:
        """Seal the lines after the last seal; the run's summary is written and nothing follows."""
        at = self._now()
        if self._pay_debts(at) and self._window.lines:
            self._append_due(self._window.seal(), at)

    async def keep_flushed(self) -> None:
        """Flush header, summary and notables at once, everything else within 2 s; until cancelled.

        Waits for a line when there is nothing to flush.
        """
        while True:
            await self._dirty.wait()
            with trio.move_on_after(FLUSH_WITHIN):
                await self._urgent.wait()
            await self._flush()

    async def close(self) -> None:
        """Flush what was written, for at most 2 s even when cancelled, and close the file; once."""
        if self._file < 0:
            return
        if not self._pay_debts(self._now()):
            self.written.lost += len(self._owed)
        with trio.move_on_after(LAST_FLUSH, shield=True):
            await self._flush()
        file, self._file = self._file, -1
        os.close(file)

    async def _flush(self) -> None:
        self._dirty = trio.Event()
        self._urgent = trio.Event()
        self.written.flushes += 1
        lines = self.written.lines
        try:
            # A flush that is abandoned keeps its place, so that no second one runs beside it.
            await trio.to_thread.run_sync(self._sync, abandon_on_cancel=True, limiter=self._disk)
        except OSError as error:
            self.written.flush_failures += 1
            self.written.trouble = f"flushing {self.path.name}: {error.strerror}"
        else:
            self.written.flushed = lines

    def _sync(self) -> None:
        os.fsync(self._file)
        if not self._folder_flushed:
            folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
            self._folder_flushed = True

    def _pay_debts(self, at: str) -> bool:
        if not (self._unfinished or self._header or self._window.full or self._gaps or self._owed):
            return True
        if self._unfinished and not self._cut_back():
            return False
        if self._header is not None:
            if not self._append_due(self._header, at):
                return False
            self._header = None
            self._urgent.set()
        if not self._seal_if_full(at):
            return False
        for cause, gap in list(self._gaps.items()):
            if not self._append_due(gap.line(cause), at):
                return False
            del self._gaps[cause]
            if not self._seal_if_full(at):
                return False
        while self._owed:
            if not self._append_due(self._owed[0], at):
                return False
            self._owed.popleft()
            if not self._seal_if_full(at):
                return False
        return True

    def _seal_if_full(self, at: str) -> bool:
        return not self._window.full or self._append_due(self._window.seal(), at)

    def _append_due(self, line: Line, at: str) -> bool:
        encoded = self._encode(line, at)
        if not self._append(encoded):
            return False
        if isinstance(line, EvidenceWindowLine):
            self._window.roll(line)
        else:
            self._window.add(encoded)
        return True

    def _encode(self, line: Line, at: str) -> bytearray:
        """The whole line, with its envelope and its newline; valid until the next one is encoded.

        It is encoded so far into the buffer that its opening ends where that with the envelope
        does, which is then laid over it.
        """
        if line.at is not UNSET:
            raise ValueError("the line already has an envelope")
        opening = _opening(type(line), line.schema_version)
        head = b'%b,"at":"%b"%b' % (opening, at.encode(), self._envelope)
        encoded = self._buffer
        self._encoder.encode_into(line, encoded, len(head) - len(opening))
        encoded[: len(head)] = head
        if b"\n" in encoded:
            # Outside strings, where JSON allows it as white space; inside them it is escaped.
            encoded[:] = encoded.replace(b"\n", b" ")
        encoded += b"\n"
        return encoded

    def _append(self, encoded: bytearray) -> bool:
        size = len(encoded)
        try:
            done = os.write(self._file, encoded)
        except OSError as error:
            self.written.trouble = f"writing {self.path.name}: {error.strerror}"
            return False
        if done < size:
            self.written.trouble = f"writing {self.path.name}: {done} of {size} bytes were taken"
            self._unfinished = True
            self._cut_back()
            return False
        self.written.lines += 1
        self.written.bytes += size
        self._dirty.set()
        return True

    def _cut_back(self) -> bool:
        try:
            os.ftruncate(self._file, self.written.bytes)
        except OSError as error:
            self.written.trouble = f"cutting off an unfinished line: {error.strerror}"
            return False
        self._unfinished = False
        return True

    def _lose(self, cause: GapCause, line: Line, at: str, detail: str | None = None) -> None:
        if cause == "write_failed" and isinstance(line, UsageLine) and len(self._owed) < OWED_LIMIT:
            self._owed.append(line)
            return
        self.written.lost += 1
        if detail is not None:
            self.written.trouble = f"{cause}: {detail}"
        gap = self._gaps.setdefault(cause, _Gap(first_at=at))
        gap.lost += 1
        gap.last_at = at
        gap.kinds[str(line.__struct_config__.tag)] = None
        gap.detail = detail

    def _now(self) -> str:
        return instant(self._wall())


def journal_name(started_at: str, run_id: str) -> str:
    """The file name `<start stamp>-<run id>.jsonl`; names sort by start.

    Raises ValueError when the run id has anything but letters, digits, `.`, `_` and `-`.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", run_id):
        raise ValueError(f"a run id that cannot be a file name: {run_id!r}")
    stamp = re.sub(r"[-:.]", "", started_at)
    return f"{stamp}-{run_id}.jsonl"


@lru_cache
def _opening(kind: type[Line], schema_version: int) -> bytes:
    """What msgspec begins such a line with, up to where the envelope goes."""
    return f'{{"kind":"{kind.__struct_config__.tag}","schemaVersion":{schema_version}'.encode()


@dataclass(slots=True)
class _Gap:
    first_at: str
    last_at: str = ""
    lost: int = 0
    kinds: dict[str, None] = field(default_factory=dict[str, None])
    detail: str | None = None

    def line(self, cause: GapCause) -> JournalGapLine:
        return JournalGapLine(
            cause=cause,
            lost=self.lost,
            lost_kinds=tuple(self.kinds),
            first_at=self.first_at,
            last_at=self.last_at,
            detail=self.detail,
        )


def _create(path: Path) -> int:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(
            path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
        )
    except OSError as error:
        raise JournalNotOpened(path, error) from error


def _remedy(path: Path) -> str:
    if path.is_file():
        return "a run's journal is never continued: start with a new run id"
    return "make the state directory writable for this user and check its free space"
