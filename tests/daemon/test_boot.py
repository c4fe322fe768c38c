"""What the records of an earlier daemon mean to the next one."""

import os
from functools import partial
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace
from played_journal import write_journal

from daemon.boot import leftovers_of
from daemon.events import EventLog
from daemon.leases import Lease
from daemon.play_host import settled
from daemon.process_table import Identity, Process, boot_id, read_process
from daemon.records import Recovery, SeatRecord, SessionRecord, Write
from daemon.refusal import Refusal
from daemon.state import open_state
from kernel.journal.sitting import sitting_so_far
from kernel.lease import boottime

STALE = SessionRecord(
    session_id="s1",
    sitting_id="t1",
    seat="red",
    generation=4,
    state="running",
    began_at="2026-01-01T00:00:00.000Z",
    boot_id="b",
    process=Identity(20, 200),
    descendants=(Identity(24, 240),),
)


def process(pid: int, parent: int, session: int, started: int | None = None) -> Process:
    return Process(Identity(pid, started or pid * 10), parent, session, session, dead=False)


def pids(table: list[Process], marks: dict[int, str]) -> set[int]:
    found = leftovers_of({p.pid: p for p in table}, STALE, lambda _: marks)
    return {p.pid for p in found}


def test_leftovers_are_known_by_identity_descent_and_mark():
    table = [
        process(20, 1, 20),
        process(21, 20, 20),
        process(24, 1, 24),
        process(25, 24, 24),
        process(30, 1, 30),
        process(40, 1, 40),
    ]
    assert pids(table, {30: "s1", 40: "another"}) == {20, 21, 24, 25, 30}


def test_a_stranger_with_the_pid_of_the_dead_is_left_alone():
    table = [process(20, 1, 20, started=999), process(21, 20, 20), process(24, 1, 24, started=9)]
    assert pids(table, {}) == set()


@pytest.mark.parametrize(
    ("state", "journal", "becomes", "outcome", "leave"),
    [
        ("claimed", None, "refused", None, "not_joined"),
        ("starting", None, "refused", None, "not_joined"),
        ("starting", "/j", "failed", "lease_lapsed", "unconfirmed"),
        ("running", None, "failed", "lease_lapsed", "unconfirmed"),
        ("running", "/j", "failed", "lease_lapsed", "unconfirmed"),
        ("stopping", "/j", "failed", "lease_lapsed", "unconfirmed"),
        ("stopping", None, "failed", "lease_lapsed", "not_joined"),
    ],
)
def test_a_stale_session_is_settled_by_how_far_it_came(state, journal, becomes, outcome, leave):
    stale = replace(STALE, state=state, journal=journal)
    ended = settled(stale, None, "2026-01-02T00:00:00.000Z")
    assert (ended.state, ended.outcome, ended.leave) == (becomes, outcome, leave)


JOURNALED = [
    ("confirmed", "", "idle", "; the session ended supervisor_lost by itself and its leave was"),
    ("unconfirmed", "", "recovery_required", "; the session ended supervisor_lost by itself and"),
    ("not_joined", "", "recovery_required", "; the session ended supervisor_lost by itself and"),
    ("confirmed", "cut off in its seal", "recovery_required", ""),
    ("confirmed", "cut off before its seal", "recovery_required", ""),
    ("confirmed", "changed", "recovery_required", ""),
    ("confirmed", "of another run", "recovery_required", ""),
    (None, "", "recovery_required", ""),
]


@pytest.mark.parametrize(("leave", "harm", "seat_is", "adds"), JOURNALED)
async def test_a_leave_that_a_whole_journal_confirms_needs_no_recovery(
    opened, tmp_path: Path, leave, harm: str, seat_is: str, adds: str
):
    directory = tmp_path / "state"
    directory.mkdir()
    journal = await trio.to_thread.run_sync(
        partial(
            write_journal,
            tmp_path / "journals",
            3,
            run_id="another" if harm == "of another run" else "s1",
            outcome="supervisor_lost",
            leave=leave or "confirmed",
            with_summary=leave is not None,
        )
    )
    whole = journal.read_bytes()
    match harm:
        case "cut off in its seal":
            journal.write_bytes(whole[:-9])
        case "cut off before its seal":
            journal.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
        case "changed":
            journal.write_bytes(whole.replace(b"a patient walker", b"a patient talker"))
        case _:
            pass
    recovery = Recovery(session_id="s1", generation=4, value="how-to-ask")
    lease = Lease(seat="red", generation=4, session_id="s1", ttl=60, boot_id="b", expires=1e9)
    async with open_state(directory, EventLog(directory / "events.jsonl")) as state:
        seat = SeatRecord(seat="red", generation=4, recovery=recovery)
        stale = replace(STALE, journal=str(journal))
        await state.commit(Write(seat=seat, session=stale, lease=lease))
    unsettled = tmp_path / "answer"
    unsettled.write_text("unsettled")
    async with opened("good", unsettled) as playd:
        ended = (await playd.supervisor.observe(playd.caller, "red")).session
        assert (ended.state, ended.outcome) == ("failed", "lease_lapsed")
        assert ended.leave == ("confirmed" if seat_is == "idle" else "unconfirmed")
        assert ended.reason.startswith(f"the daemon was gone{adds}")
        assert bool(adds) == (ended.reason != "the daemon was gone")
        assert (await playd.seat()).state == seat_is
        if seat_is == "idle":
            assert (await playd.join()).generation == 5
        else:
            with pytest.raises(Refusal) as refusal:
                await playd.join()
            assert refusal.value.code == "unsettled"


async def test_a_process_that_cannot_be_identified_blocks_the_seat_for_a_whole_lease(
    opened, tmp_path: Path
):
    unknown = replace(STALE, state="starting", process=None, boot_id=boot_id(), descendants=())
    lease = Lease(seat="red", generation=4, session_id="s1", ttl=60, boot_id=boot_id(), expires=1)
    directory = tmp_path / "state"
    directory.mkdir()
    async with open_state(directory, EventLog(directory / "events.jsonl")) as state:
        seat = SeatRecord(seat="red", generation=4)
        await state.commit(Write(seat=seat, session=unknown, lease=lease, announce=True))
    ahead = 0.0
    async with opened("good", boottime=lambda: boottime() + ahead) as playd:
        with pytest.raises(Refusal) as refusal:
            await playd.join()
        assert refusal.value.code == "lease_held"
        assert (await playd.join("blue")).state == "running"
        ahead = 61.0
        assert (await playd.join()).generation == 5


async def test_sessions_of_another_boot_block_nothing(opened, tmp_path: Path):
    directory = tmp_path / "state"
    directory.mkdir()
    lease = Lease(seat="red", generation=4, session_id="s1", ttl=60, boot_id="b", expires=1e9)
    me = read_process(os.getpid())
    assert me is not None
    stale = replace(STALE, state="starting", process=me.identity)
    async with open_state(directory, EventLog(directory / "events.jsonl")) as state:
        seat = SeatRecord(seat="red", generation=4)
        await state.commit(Write(seat=seat, session=stale, lease=lease, announce=True))
    async with opened("good") as playd:
        assert (await playd.seat()).state == "stale"
        assert (await playd.join()).generation == 5


async def test_a_run_that_the_database_was_not_told_of_is_billed_by_its_journal(
    opened, tmp_path: Path
):
    directory = tmp_path / "state"
    directory.mkdir()
    async with open_state(directory, EventLog(directory / "events.jsonl")) as state:
        await state.commit(Write(session=replace(STALE, state="claimed", process=None)))
    write = partial(write_journal, directory / "journals", 3, run_id="s1")
    journal = await trio.to_thread.run_sync(write)
    async with opened("good") as playd:
        ended = (await playd.supervisor.observe(playd.caller, "red")).session
    assert (ended.turns_taken, ended.journal) == (3, str(journal))
    assert ended.budget.tokens == sitting_so_far([journal]).charged > 0
