"""The state database: what must outlive the daemon.

SQLite in its write-ahead mode, synced at every commit, since a driver generation given out must
never be given out again, whatever loses power. It is used from one worker thread at a time: a
commit waits for the disk, and the daemon's loop must not. The rows are few and small.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
import trio

from daemon.events import EventLog, session_event
from daemon.leases import Lease
from daemon.records import SeatRecord, SessionRecord, SittingRecord, Write
from daemon.refusal import Refusal
from kernel.journal.instant import utc_now

FILE = "state.db"
SCHEMA = 1
_APPLICATION = 0x706C6179
_MAGIC = b"SQLite format 3\0"
_MIGRATIONS = (
    """
    CREATE TABLE seats (name TEXT PRIMARY KEY, record BLOB NOT NULL) STRICT;
    CREATE TABLE sittings (id TEXT PRIMARY KEY, seat TEXT NOT NULL, record BLOB NOT NULL) STRICT;
    CREATE TABLE sessions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE, sitting TEXT NOT NULL, seat TEXT NOT NULL,
        state TEXT NOT NULL, record BLOB NOT NULL
    ) STRICT;
    CREATE INDEX sessions_by_seat ON sessions (seat, number);
    CREATE INDEX sessions_by_sitting ON sessions (sitting, number);
    CREATE INDEX live_sessions ON sessions (state)
        WHERE state IN ('claimed', 'starting', 'running', 'stopping');
    CREATE TABLE leases (seat TEXT PRIMARY KEY, record BLOB NOT NULL) STRICT;
    CREATE TABLE outbox (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, line BLOB NOT NULL
    ) STRICT;
    """,
)
"""The n-th brings a database from schema n to n + 1."""
_LIVE = "state IN ('claimed', 'starting', 'running', 'stopping')"

T = TypeVar("T")


class StateError(Exception):
    """The state directory cannot be used as it is; the message names the remedy."""


class StateUnavailable(Exception):
    """The disk did not take a change or give a row: it is full, read-only or broken."""


def unavailable(error: StateUnavailable) -> Refusal:
    """What a caller is told whose request the state database could not serve."""
    return Refusal(
        "state_unwritable",
        f"the state database does not serve: {error}",
        "Free space on its disk, or make the state directory writable.",
    )


class State:
    """The open database and the event file that follows it."""

    def __init__(self, connection: sqlite3.Connection, events: EventLog) -> None:
        self._connection = connection
        self._events = events
        self._turn = trio.CapacityLimiter(1)
        self._backlog: list[Write] = []
        self._told: list[int] = []
        self._untold = 0

    @property
    def behind(self) -> int:
        """Changes and event lines that the disk has not taken yet."""
        return len(self._backlog) + self._untold

    @property
    def owed(self) -> tuple[Write, ...]:
        """Changes that the disk has not taken yet, oldest first."""
        return tuple(self._backlog)

    async def commit(self, write: Write) -> None:
        """Write rows, then their event lines. Raises StateUnavailable: nothing was written."""
        await self._run(lambda: self._commit(write))

    async def record(self, write: Write) -> bool:
        """Write rows that describe what has happened anyway; False: later, with the next write."""
        return await self._run(lambda: self._commit_or_keep(write))

    async def catch_up(self) -> None:
        """Write what the disk did not take before. Raises StateUnavailable."""
        await self._run(self._commit)

    async def seats(self) -> dict[str, SeatRecord]:
        """What is known of every seat that ever played."""
        rows = await self._rows("SELECT record FROM seats")
        records = [msgspec.json.decode(row, type=SeatRecord) for row in rows]
        return {record.seat: record for record in records}

    async def leases(self) -> dict[str, Lease]:
        """The leases not given up, lapsed ones included."""
        rows = await self._rows("SELECT record FROM leases")
        found = [msgspec.json.decode(row, type=Lease) for row in rows]
        return {lease.seat: lease for lease in found}

    async def live_sessions(self) -> list[SessionRecord]:
        """Sessions that have not ended."""
        return await self._sessions(f"WHERE {_LIVE} ORDER BY number", ())

    async def latest_sessions(self, seat: str | None, limit: int) -> list[SessionRecord]:
        """The newest sessions first, of one seat or of all."""
        if seat is None:
            return await self._sessions("ORDER BY number DESC LIMIT ?", (limit,))
        return await self._sessions("WHERE seat = ? ORDER BY number DESC LIMIT ?", (seat, limit))

    async def sitting(self, sitting_id: str) -> SittingRecord | None:
        """The sitting of this id, over or not."""
        rows = await self._rows("SELECT record FROM sittings WHERE id = ?", sitting_id)
        return msgspec.json.decode(rows[0], type=SittingRecord) if rows else None

    async def sessions_of(self, sitting_id: str) -> list[SessionRecord]:
        """A sitting's sessions, oldest first."""
        return await self._sessions("WHERE sitting = ? ORDER BY number", (sitting_id,))

    async def _sessions(self, rest: str, values: tuple[str | int, ...]) -> list[SessionRecord]:
        rows = await self._rows(f"SELECT record FROM sessions {rest}", *values)
        return [msgspec.json.decode(row, type=SessionRecord) for row in rows]

    async def _run(self, work: Callable[[], T]) -> T:
        # Not abandoned when cancelled: a commit that was begun has an outcome.
        return await trio.to_thread.run_sync(work, limiter=self._turn)

    async def _rows(self, query: str, *values: str | int) -> list[bytes]:
        # A read that nobody waits for any more may end by itself.
        return await trio.to_thread.run_sync(
            self._read, query, values, limiter=self._turn, abandon_on_cancel=True
        )

    def _read(self, query: str, values: tuple[str | int, ...]) -> list[bytes]:
        try:
            return [row[0] for row in self._connection.execute(query, values)]
        except sqlite3.Error as error:
            raise StateUnavailable(str(error)) from error

    def _commit_or_keep(self, write: Write) -> bool:
        try:
            self._commit(write)
        except StateUnavailable:
            self._backlog.append(write)
            return False
        return True

    def _commit(self, write: Write | None = None) -> None:
        """All or nothing of the backlog, in its order, and this write."""
        writes = [*self._backlog, *([] if write is None else [write])]
        try:
            with _transaction(self._connection):
                self._connection.executemany(
                    "DELETE FROM outbox WHERE number = ?", [(number,) for number in self._told]
                )
                for write in writes:
                    _apply(self._connection, write)
        except sqlite3.Error as error:
            raise StateUnavailable(str(error)) from error
        self._told.clear()
        self._backlog.clear()
        self._tell()

    def _tell(self) -> None:
        """Bring the outbox to the file; what cannot be written now stays for the next time."""
        try:
            rows = self._connection.execute("SELECT number, line FROM outbox ORDER BY number")
            waiting = [row for row in rows.fetchall() if row[0] not in self._told]
        except sqlite3.Error:
            self._untold = max(1, self._untold)  # how many is not known; the rows were written
            return
        self._untold = len(waiting)
        for number, line in waiting:
            try:
                self._events.append([line])
            except OSError:
                return
            self._told.append(number)
            self._untold -= 1

    def add_missing_events(self) -> None:
        """At the start, before anything is written: finish what an earlier daemon began."""
        rows = self._connection.execute("SELECT number, id, line FROM outbox ORDER BY number")
        waiting = rows.fetchall()
        self._events.add_missing([(id, line) for _, id, line in waiting])
        self._told.extend(number for number, _, _ in waiting)


@asynccontextmanager
async def open_state(directory: Path, events: EventLog) -> AsyncGenerator[State]:
    """The state in this directory, which must be held (`state_lock`). Raises StateError.

    A directory without any trace of earlier use gets a new database. One that is missing where it
    was, damaged, or newer than this program is an error: to begin anew would give driver
    generations out a second time and forget unconfirmed leaves, so only a person decides it.
    """
    connection = await trio.to_thread.run_sync(_open, directory)
    with closing(connection):
        state = State(connection, events)
        try:
            await trio.to_thread.run_sync(state.add_missing_events)
        except OSError as error:
            raise StateError(f"cannot write {error.filename or 'events.jsonl'}: {error}") from error
        yield state


def _apply(connection: sqlite3.Connection, write: Write) -> None:
    encode = msgspec.json.encode
    if (seat := write.seat) is not None:
        connection.execute("REPLACE INTO seats VALUES (?, ?)", (seat.seat, encode(seat)))
    if (sitting := write.sitting) is not None:
        connection.execute(
            "REPLACE INTO sittings VALUES (?, ?, ?)",
            (sitting.sitting_id, sitting.seat, encode(sitting)),
        )
    if (session := write.session) is not None:
        connection.execute(
            "INSERT INTO sessions (id, sitting, seat, state, record) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET state = excluded.state, record = excluded.record"
            f" WHERE {_LIVE}",
            (
                session.session_id,
                session.sitting_id,
                session.seat,
                session.state,
                encode(session),
            ),
        )
        if write.announce:
            event = session_event(session, utc_now())
            connection.execute(
                "INSERT INTO outbox (id, line) VALUES (?, ?)", (event.id, encode(event) + b"\n")
            )
    if (lease := write.lease) is not None:
        connection.execute("REPLACE INTO leases VALUES (?, ?)", (lease.seat, encode(lease)))
    if write.release is not None:
        connection.execute("DELETE FROM leases WHERE seat = ?", (write.release,))


def _open(directory: Path) -> sqlite3.Connection:
    path = directory / FILE
    remedy = (
        f"Restore {path} from a backup; or, to begin anew, move everything in {directory} away: "
        "driver generations then start at 1 and unconfirmed leaves are forgotten."
    )
    try:
        if not path.exists():
            if (directory / "events.jsonl").exists() or (directory / "journals").exists():
                raise StateError(f"{path} is missing, but this directory was in use. {remedy}")
            _create(path)
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
        if start != _MAGIC:
            what = "is empty" if not start else "is not a database"
            raise StateError(f"{path} {what}. {remedy}")
        return _checked(path, remedy)
    except OSError as error:
        raise StateError(f"cannot use {path}: {error.strerror}") from error


def _create(path: Path) -> None:
    """Make the database under another name first, so that it is never seen half made."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        _migrate(connection)
    new.rename(path)


def _checked(path: Path, remedy: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (problem,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if application != _APPLICATION or problem != "ok":
            raise StateError(f"{path} is damaged: {problem}. {remedy}")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > SCHEMA:
            raise StateError(
                f"{path} was written by a newer playd (schema {version}, this one knows {SCHEMA}); "
                "run that version again, or restore a backup from before it."
            )
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
            connection.execute(f"PRAGMA {pragma}")
        _migrate(connection)
    except sqlite3.OperationalError as error:
        connection.close()
        raise StateError(f"cannot use {path}: {error}. Make it writable for this user.") from error
    except sqlite3.DatabaseError as error:
        connection.close()
        raise StateError(f"{path} is damaged: {error}. {remedy}") from error
    except StateError:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for number, script in enumerate(_MIGRATIONS[version:], start=version + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Generator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
