from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from kernel.journal.lines import (
    LINE_LIMIT,
    NULL,
    ActionLine,
    Envelope,
    HeaderLine,
    JournalGapLine,
    Line,
    NotableLine,
    SummaryLine,
    TransportLine,
    TurnLine,
    opaque,
)
from kernel.journal.reader import JournalReader
from kernel.journal.sitting import sitting_so_far
from kernel.journal.verify import verify
from kernel.journal.writer import JournalNotOpened, JournalWriter, journal_name

OpenWriter = Callable[..., JournalWriter]
MakeTurn = Callable[..., TurnLine]


class NativeTurnLine(Line, frozen=True, kw_only=True, tag="turn"):
    """As a body with a turn line of its own declares it."""

    connection_generation: int
    turn: msgspec.Raw


def lines_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_journal_is_named_by_start_and_run_and_is_its_owners_alone(
    open_writer: OpenWriter,
) -> None:
    journal = open_writer("run-1", started_at="2026-03-01T10:00:00.123Z")
    assert journal.path.name == "20260301T100000123Z-run-1.jsonl"
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700


def test_the_header_stands_in_the_file_as_soon_as_it_is_open(open_writer: OpenWriter) -> None:
    journal = open_writer()
    assert [line["kind"] for line in lines_in(journal.path)] == ["header"]


def test_every_line_carries_the_envelope(open_writer: OpenWriter, make_turn: MakeTurn) -> None:
    journal = open_writer()
    journal.write(make_turn(0))
    journal.write(SummaryLine(outcome="stopped", turns_taken=1))
    for line in lines_in(journal.path):
        assert list(line)[:8] == [
            "kind",
            "schemaVersion",
            "at",
            "runId",
            "journeyId",
            "environmentId",
            "environmentSessionId",
            "venue",
        ]
        assert line["at"].startswith("2027-01-15T08:00:")
        assert line["journeyId"] == "world:w:player:p"


def test_a_line_is_readable_by_others_before_write_returns(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    for number in range(5):
        journal.write(make_turn(number))
        assert lines_in(journal.path)[-1]["turn"]["turn"] == number


def test_a_new_run_never_appends_to_an_old_file(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    """Case 32."""
    journal = open_writer("run-1")
    journal.write(make_turn(0))
    before = journal.path.read_bytes()
    with pytest.raises(JournalNotOpened, match="new run id"):
        open_writer("run-1")
    assert journal.path.read_bytes() == before


def test_a_state_directory_that_takes_no_files_is_a_typed_error(
    journals: Path, open_writer: OpenWriter
) -> None:
    journals.parent.joinpath("journals").write_text("in the way")
    with pytest.raises(JournalNotOpened, match="make the state directory writable"):
        open_writer()


def test_a_read_only_state_directory_is_a_typed_error(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        directory = Path("/sys/journals")  # Not even root makes a folder there.
    else:
        directory = tmp_path / "state" / "journals"
        directory.parent.mkdir(mode=0o500)
    envelope = Envelope(
        run_id="r",
        journey_id="j",
        environment_id="e",
        environment_session_id="s",
        venue="local",
    )
    header = HeaderLine(scenario_id="s", started_at="2026-03-01T10:00:00.000Z")
    with pytest.raises(JournalNotOpened, match="make the state directory writable"):
        JournalWriter(directory, envelope, header)


@pytest.mark.parametrize("run_id", ["", "../x", "a/b", ".hidden", "a\n", "x" * 129])
def test_a_run_id_that_is_no_file_name_is_refused(run_id: str) -> None:
    with pytest.raises(ValueError, match="run id"):
        journal_name("2026-03-01T10:00:00.000Z", run_id)


def test_a_bodys_own_turn_line_gets_the_same_envelope(open_writer: OpenWriter) -> None:
    journal = open_writer(environment_id="minecraft")
    journal.write(NativeTurnLine(connection_generation=2, turn=opaque({"turn": 0})))
    line = lines_in(journal.path)[-1]
    assert (line["kind"], line["environmentId"], line["connectionGeneration"]) == (
        "turn",
        "minecraft",
        2,
    )


def test_a_line_past_256_kib_is_replaced_by_a_line_that_says_so(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    """K36."""
    journal = open_writer()
    journal.write(ActionLine(turn=0, outcome="accepted", result=opaque("x" * LINE_LIMIT)))
    journal.write(make_turn(0))
    header, gap, turn = lines_in(journal.path)
    assert (header["kind"], turn["kind"]) == ("header", "turn")
    assert (gap["kind"], gap["cause"], gap["lost"]) == ("journal_gap", "line_too_long", 1)
    assert gap["lostKinds"] == ["action"]
    assert journal.written.lost == 1


def test_a_line_of_exactly_256_kib_is_written(open_writer: OpenWriter) -> None:
    journal = open_writer()
    journal.write(ActionLine(turn=0, outcome="accepted", result=opaque("")))
    empty = len(journal.path.read_bytes().splitlines(keepends=True)[-1])
    for extra, lost in ((0, 0), (1, 1)):
        text = opaque("x" * (LINE_LIMIT - empty + extra))
        journal.write(ActionLine(turn=0, outcome="accepted", result=text))
        assert journal.written.lost == lost
    assert max(map(len, journal.path.read_bytes().splitlines(keepends=True))) == LINE_LIMIT


def test_a_line_that_json_cannot_hold_costs_that_line_alone(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    """K13."""
    journal = open_writer()
    journal.write(TransportLine(role="mind", failure="half a pair: \ud800", attempt=1))
    journal.write(make_turn(0))
    assert [line["kind"] for line in lines_in(journal.path)] == ["header", "journal_gap", "turn"]
    assert lines_in(journal.path)[1]["cause"] == "not_encodable"


def test_a_bodys_text_with_newlines_stays_one_line(open_writer: OpenWriter) -> None:
    journal = open_writer()
    pretty = msgspec.Raw(json.dumps({"a": "two\nlines", "b": [1, 2]}, indent=2).encode())
    journal.write(ActionLine(turn=0, outcome="accepted", result=pretty))
    assert lines_in(journal.path)[-1]["result"] == {"a": "two\nlines", "b": [1, 2]}


def test_a_line_that_has_an_envelope_already_is_not_written_again(
    open_writer: OpenWriter,
) -> None:
    journal = open_writer()
    journal.write(NotableLine(notable="stuck", at="2026-03-01T10:00:00.000Z"))
    assert lines_in(journal.path)[-1]["kind"] == "journal_gap"


# --- a full disk: a child whose files may not grow past a limit gets short writes and EFBIG

FULL_DISK = """
import resource, sys
from pathlib import Path
from kernel.journal.lines import *
from kernel.journal.writer import JournalWriter

directory, step = Path(sys.argv[1]), int(sys.argv[2])
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
ENVELOPE = dict(journey_id="j", environment_id="e", environment_session_id="s", venue="world")
for room in range(0, 3000, step):
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    journal = JournalWriter(
        directory,
        Envelope(run_id=f"room-{room}", **ENVELOPE),
        HeaderLine(scenario_id="s", started_at="2026-03-01T10:00:00.000Z"),
    )
    for number in range(8):
        journal.write(NotableLine(notable="stuck", turn=number))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    for number in range(8, 10):
        journal.write(NotableLine(notable="stuck", turn=number))
    print(room, journal.written.lost, flush=True)
"""


def test_a_full_disk_loses_whole_lines_and_says_how_many_once_there_is_space(
    tmp_path: Path,
) -> None:
    """K13: at whatever byte the space ends, play goes on and the file stays readable."""
    child = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path), "37"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert child.stderr == ""
    losses = {int(room): int(lost) for room, lost in map(str.split, child.stdout.splitlines())}
    assert losses[0] == 8
    assert 0 in losses.values()
    for room, lost in losses.items():
        path = tmp_path / f"20260301T100000000Z-room-{room}.jsonl"
        entries = [entry.value for entry in JournalReader(path)]
        notables = [value.turn for value in entries if isinstance(value, NotableLine)]
        gaps = [value for value in entries if isinstance(value, JournalGapLine)]
        assert isinstance(entries[0], HeaderLine)
        assert notables[-2:] == [8, 9]
        assert notables[:-2] == list(range(8 - lost))
        assert [gap.lost for gap in gaps] == ([lost] if lost else [])
        assert all(gap.first_at <= gap.last_at for gap in gaps)
        assert verify(path) == []


FULL_DISK_BILL = """
import resource, sys
from pathlib import Path
from kernel.journal.lines import *
from kernel.journal.writer import JournalWriter

_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
envelope = Envelope(run_id="r", journey_id="j", environment_id="e",
                    environment_session_id="s", venue="world")
journal = JournalWriter(Path(sys.argv[1]), envelope,
                        HeaderLine(scenario_id="s", started_at="2026-03-01T10:00:00.000Z"))
for call in range(12):
    if call == 2:
        resource.setrlimit(resource.RLIMIT_FSIZE, (journal.written.bytes + 700, hard))
    for stage, charged in (("reserved", 16_000), ("settled", 100 + call)):
        journal.write(UsageLine(call_id=str(call), stage=stage, charged=charged, role="mind",
                                provider="p", model="m", cost=0.0, reported=stage == "settled"))
    journal.write(NotableLine(notable="stuck"))
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
journal.write(NotableLine(notable="stuck"))
"""


def test_a_full_disk_makes_no_wrong_bill(tmp_path: Path) -> None:
    """K28: what found no space is written once there is some, each call once."""
    subprocess.run([sys.executable, "-c", FULL_DISK_BILL, str(tmp_path)], timeout=60, check=True)
    (path,) = tmp_path.iterdir()
    so_far = sitting_so_far([path])
    assert so_far.charged == sum(100 + call for call in range(12))
    assert so_far.unreported == 0
    gaps = [line for line in lines_in(path) if line["kind"] == "journal_gap"]
    notables = [line for line in lines_in(path) if line["kind"] == "notable"]
    assert {kind for gap in gaps for kind in gap["lostKinds"]} == {"notable"}
    assert sum(gap["lost"] for gap in gaps) == 13 - len(notables) > 0
    assert verify(path) == []


FULL_DISK_SEAL = """
import resource, sys
from pathlib import Path
from kernel.journal.lines import *
from kernel.journal.writer import JournalWriter

_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
envelope = Envelope(run_id="r", journey_id="j", environment_id="e",
                    environment_session_id="s", venue="world")
journal = JournalWriter(Path(sys.argv[1]), envelope,
                        HeaderLine(scenario_id="s", started_at="2026-03-01T10:00:00.000Z"))
while journal.written.lines < 255:
    journal.write(NotableLine(notable="stuck"))
line = (journal.written.bytes - Path(journal.path).read_bytes().rindex(b"\\n", 0, -1) - 1)
resource.setrlimit(resource.RLIMIT_FSIZE, (journal.written.bytes + line, hard))
journal.write(NotableLine(notable="stuck"))
assert (journal.written.lines, journal.written.lost, journal.rolled_windows) == (256, 0, 0)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
journal.catch_up()
journal.write(SummaryLine(outcome="stopped", turns_taken=0, rolled_windows=journal.rolled_windows))
journal.seal()
"""


def test_a_summary_counts_the_seal_that_a_full_disk_held_up(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", FULL_DISK_SEAL, str(tmp_path)], timeout=60, check=True)
    (path,) = tmp_path.iterdir()
    assert verify(path) == []


def test_a_kill_at_any_moment_leaves_every_whole_line_readable(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from kernel.journal.lines import *
from kernel.journal.writer import JournalWriter
envelope = Envelope(run_id="r", journey_id="j", environment_id="e",
                    environment_session_id="s", venue="local")
journal = JournalWriter(Path(sys.argv[1]), envelope,
                        HeaderLine(scenario_id="s", started_at="2026-03-01T10:00:00.000Z"))
number = 0
while True:
    journal.write(NotableLine(notable="stuck", turn=number, detail="x" * 5000))
    number += 1
    print(number, flush=True)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        while int(child.stdout.readline()) < 300:
            pass
        child.send_signal(signal.SIGKILL)
        told = [int(line) for line in child.stdout.read().splitlines() if line] or [300]
    reader = JournalReader(tmp_path / "20260301T100000000Z-r.jsonl")
    numbers = [entry.value.turn for entry in reader if isinstance(entry.value, NotableLine)]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= max(told) - 1


# --- flushing


async def until_flushed(journal: JournalWriter) -> None:
    """Keeps the clock from jumping while a worker thread is at the disk."""
    while journal.written.flushed < journal.written.lines:
        await trio.lowlevel.checkpoint()


async def test_header_notable_and_summary_are_flushed_at_once(
    open_writer: OpenWriter, autojump_clock: trio.testing.MockClock
) -> None:
    journal = open_writer()
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.keep_flushed)
        await until_flushed(journal)
        journal.write(NotableLine(notable="stuck"))
        await until_flushed(journal)
        journal.write(SummaryLine(outcome="stopped", turns_taken=0))
        await until_flushed(journal)
        assert journal.written.flushes == 3
        assert trio.current_time() == began
        nursery.cancel_scope.cancel()
    await journal.close()


async def test_any_other_line_is_flushed_within_two_seconds(
    open_writer: OpenWriter, autojump_clock: trio.testing.MockClock
) -> None:
    journal = open_writer()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.keep_flushed)
        await until_flushed(journal)
        journal.write(ActionLine(turn=0, outcome="accepted", result=NULL))
        await trio.sleep(1.9)
        assert (journal.written.flushes, journal.written.lines - journal.written.flushed) == (1, 1)
        journal.write(ActionLine(turn=1, outcome="accepted", result=NULL))
        await trio.sleep(0.2)
        assert journal.written.flushes == 2
        await until_flushed(journal)
        await trio.sleep(60)
        assert journal.written.flushes == 2
        nursery.cancel_scope.cancel()
    await journal.close()


async def test_closing_flushes_even_when_cancelled(open_writer: OpenWriter) -> None:
    journal = open_writer()
    with trio.CancelScope() as scope:
        scope.cancel()
        await journal.close()
    assert journal.written.flushes == 1
    assert journal.written.flush_failures == 0


async def test_a_line_after_closing_is_lost_and_reaches_no_other_file(
    open_writer: OpenWriter, tmp_path: Path
) -> None:
    journal = open_writer()
    await journal.close()
    await journal.close()
    with (tmp_path / "other").open("w+") as other:
        journal.write(NotableLine(notable="stuck"))
        assert journal.written.lost == 1
        assert other.read() == ""
    assert len(lines_in(journal.path)) == 1
