"""The state database and the event file that follows it (cases 26, 30)."""

import json
import resource
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon.events import EventLog
from daemon.leases import Lease
from daemon.records import Recovery, SeatRecord, SessionRecord, Write
from daemon.state import FILE, StateError, StateUnavailable, open_state

SESSION = SessionRecord(
    session_id="s1",
    sitting_id="t1",
    seat="red",
    generation=4,
    state="claimed",
    began_at="2026-01-01T00:00:00.000Z",
    boot_id="b",
)
SEAT = SeatRecord(
    seat="red", generation=4, recovery=Recovery(session_id="s1", generation=4, value="how")
)
LEASE = Lease(seat="red", generation=4, session_id="s1", ttl=60, boot_id="b", expires=99.5)


def open_at(directory: Path):
    return open_state(directory, EventLog(directory / "events.jsonl"))


def events_in(directory: Path) -> list[str]:
    lines = (directory / "events.jsonl").read_text().splitlines()
    return [json.loads(line)["type"].removeprefix("embodiment.session.") for line in lines]


@contextmanager
def full_disk() -> Generator[None]:
    """No file of this process may grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_what_was_committed_is_there_after_a_restart(tmp_path: Path):
    async with open_at(tmp_path) as state:
        await state.commit(Write(seat=SEAT, session=SESSION, lease=LEASE, announce=True))
    async with open_at(tmp_path) as state:
        assert await state.seats() == {"red": SEAT}
        assert await state.leases() == {"red": LEASE}
        assert await state.live_sessions() == [SESSION]
        await state.commit(Write(release="red"))
        assert await state.leases() == {}
    assert events_in(tmp_path) == ["claimed"]


async def test_a_terminal_state_is_never_overwritten(tmp_path: Path):
    async with open_at(tmp_path) as state:
        ended = replace(SESSION, state="stopped", outcome="stopped")
        await state.commit(Write(session=ended))
        await state.commit(Write(session=replace(SESSION, state="failed", outcome="crashed")))
        assert await state.latest_sessions("red", 5) == [ended]
        assert await state.live_sessions() == []


async def test_secrets_are_the_owners_alone(tmp_path: Path):
    async with open_at(tmp_path) as state:
        await state.commit(Write(seat=SEAT, session=SESSION, announce=True))
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    assert f"{FILE}-wal" in modes


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_bytes(b"\x00" * 8192), "is not a database"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "is damaged"),
        (
            lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xaa" * 40_000),
            "is damaged",
        ),
        (lambda path: path.unlink(), "is missing"),
    ],
)
async def test_a_damaged_state_is_an_error_that_names_the_remedy(tmp_path: Path, damage, says):
    """Case 26."""
    async with open_at(tmp_path) as state:
        await state.commit(Write(seat=SEAT, session=SESSION, lease=LEASE, announce=True))
    damage(tmp_path / FILE)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(StateError, match=says) as error:
        async with open_at(tmp_path):
            pass
    assert "Restore" in str(error.value)
    assert "backup" in str(error.value)
    assert (tmp_path / "events.jsonl").read_bytes() == before["events.jsonl"]


async def test_a_newer_state_is_refused_by_name_and_left_alone(tmp_path: Path):
    async with open_at(tmp_path):
        pass
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StateError, match=r"newer playd \(schema 99"):
        async with open_at(tmp_path):
            pass


async def test_a_full_disk_refuses_what_must_be_written_and_keeps_what_happened(tmp_path: Path):
    async with open_at(tmp_path) as state:
        await state.commit(Write(session=SESSION, announce=True))
        with full_disk():
            with pytest.raises(StateUnavailable):
                await state.commit(Write(seat=SEAT))
            running = replace(SESSION, state="running")
            assert not await state.record(Write(session=running, announce=True))
            ended = replace(SESSION, state="stopped")
            assert not await state.record(Write(session=ended, announce=True))
            assert state.behind == 2
        await state.catch_up()
        assert state.behind == 0
        assert await state.latest_sessions("red", 1) == [ended]
        assert await state.seats() == {}
    assert events_in(tmp_path) == ["claimed", "running", "stopped"]


async def test_event_lines_that_the_file_lacks_are_added_at_the_start_and_none_twice(
    tmp_path: Path,
):
    async with open_at(tmp_path) as state:
        await state.commit(Write(session=SESSION, announce=True))
        await state.commit(Write(session=replace(SESSION, state="starting"), announce=True))
        await state.commit(Write(session=replace(SESSION, state="running"), announce=True))
    file = tmp_path / "events.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    # As if killed after the commit, in the middle of writing its line.
    file.write_bytes(b"".join(lines[:2]) + lines[2][:30])
    async with open_at(tmp_path):
        pass
    assert file.read_bytes().splitlines(keepends=True) == lines
    async with open_at(tmp_path):
        pass
    assert file.read_bytes().splitlines(keepends=True) == lines


def line_of(number: int, size: int) -> bytes:
    return json.dumps({"id": f"{number:08}", "filling": "x" * size}).encode() + b"\n"


def test_the_event_file_rotates_and_eight_are_kept(tmp_path: Path):
    """Case 30."""
    log = EventLog(tmp_path / "events.jsonl", rotate_bytes=1000)
    for number in range(40):
        log.append([line_of(number, 300)])
    files = sorted(file.name for file in tmp_path.iterdir())
    assert files == ["events.jsonl", *(f"events.jsonl.{n}" for n in range(1, 9))]
    assert all(file.stat().st_size <= 1000 for file in tmp_path.iterdir())
    newest = (tmp_path / "events.jsonl").read_bytes()
    assert newest.endswith(line_of(39, 300))


def test_a_line_that_went_to_the_file_before_it_rotated_is_not_added_again(tmp_path: Path):
    """Case 30."""
    log = EventLog(tmp_path / "events.jsonl", rotate_bytes=700)
    lines = [(f"{number:08}", line_of(number, 300)) for number in range(3)]
    log.append([line for _, line in lines])
    assert (tmp_path / "events.jsonl.1").exists()
    log.add_missing(lines[1:])
    written = (tmp_path / "events.jsonl.1").read_bytes() + (tmp_path / "events.jsonl").read_bytes()
    assert written == b"".join(line for _, line in lines)
