"""Pipes, lines, silence and exits of real session processes (cases 3, 13, 16 to 24)."""

import json
import os
import resource
import signal
from pathlib import Path

import pytest
import trio
import trio.testing

from daemon.control.wire import BudgetChange
from daemon.delays import Delays
from daemon.happenings import ProtocolFault, SessionSaid
from daemon.refusal import Refusal
from kernel.session.wire import Phase, Turn

pytestmark = pytest.mark.usefixtures("no_children_left")


@pytest.fixture
def untidy():
    """This process as a careless parent leaves one: signals ignored and blocked, a leaked file."""
    usual = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    leaked = os.open(os.devnull, os.O_RDONLY)
    os.set_inheritable(leaked, True)
    yield
    os.close(leaked)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    signal.signal(signal.SIGUSR1, usual)


@pytest.mark.usefixtures("untidy")
async def test_a_process_starts_clean_whatever_the_daemon_inherited(opened, tmp_path: Path):
    facts_file = tmp_path / "facts"
    async with opened("reports", facts_file) as playd:
        await playd.join()
    facts = json.loads(facts_file.read_text())
    assert facts["descriptors"] == [0, 1, 2]
    assert facts["session"]
    assert facts["group"]
    assert facts["blocking"] == [True, True, True]
    # The interpreter itself ignores SIGPIPE and SIGXFSZ, and 32 and 33 are the C library's own.
    ignored = {
        number for number in range(1, 65) if int(facts["masks"]["SigIgn"], 16) >> number - 1 & 1
    }
    assert ignored <= {signal.SIGPIPE, signal.SIGXFSZ, 32, 33}
    assert int(facts["masks"]["SigBlk"], 16) == 0
    assert "PLAYD_SESSION" in facts["environment"]


async def test_what_systemd_gave_to_the_daemon_alone_is_not_inherited(
    opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS", "CREDENTIALS_DIRECTORY"):
        monkeypatch.setenv(name, "1")
    async with opened("reports", tmp_path / "facts") as playd:
        await playd.join()
    inherited = json.loads((tmp_path / "facts").read_text())["environment"]
    assert not {"NOTIFY_SOCKET", "WATCHDOG_USEC", "LISTEN_FDS", "CREDENTIALS_DIRECTORY"} & set(
        inherited
    )


async def test_no_core_is_dumped_and_descriptors_are_bounded(opened):
    async with opened("good") as playd:
        await playd.join()
        pid = (await playd.seat()).session.pid
        assert resource.prlimit(pid, resource.RLIMIT_CORE) == (0, 0)
        assert resource.prlimit(pid, resource.RLIMIT_NOFILE)[0] <= 4096


async def test_ten_mebibytes_on_stderr_before_the_first_line_hold_nothing_up(opened):
    """Case 16."""
    async with opened("loud_start") as playd:
        assert (await playd.join()).state == "running"


async def test_a_log_line_is_cut_and_says_so_and_bad_bytes_are_replaced(opened, caplog):
    """Case 23."""
    caplog.set_level("INFO")
    async with opened("long_log_line") as playd:
        await playd.join()
        await playd.stop()
    (long,) = [message for message in caplog.messages if message.startswith("lll")]
    assert long == "l" * 8192 + " [cut]"
    assert "�� bytes" in caplog.messages
    record = next(r for r in caplog.records if r.getMessage() == long)
    assert record.PLAYD_SEAT == "red"
    assert record.PLAYD_EVENT == "output"


async def test_no_secret_reaches_the_log(opened, caplog, make_settings, tmp_path: Path):
    caplog.set_level("DEBUG")
    key = tmp_path / "key"
    key.write_text("hunter2-secret\n")
    key.chmod(0o600)
    settings = make_settings("red", credential=f"file:{key}")
    async with opened("crash_late", settings=settings) as playd:
        await playd.join()
        await playd.until_seat("failed")
    assert not any("hunter2" in message or "how-to-ask" in message for message in caplog.messages)


@pytest.mark.parametrize("behaviour", ["bad_utf8", "long_lines"])
async def test_a_bad_line_costs_one_fault_and_the_next_is_handled(opened, behaviour: str):
    """Cases 18 and 19."""
    faults = []
    async with opened(behaviour) as playd:
        playd.supervisor.happenings.observe(
            lambda h: faults.append(h.reason) if isinstance(h, ProtocolFault) else None
        )
        await playd.join()
        await playd.until_phase("seen" if behaviour == "bad_utf8" else "after")
        assert (await playd.stop()).outcome == "stopped"
    assert len(faults) == 1


async def test_a_journal_outside_the_state_directory_is_a_fault_and_never_opened(opened):
    faults = []
    async with opened("names_another_file") as playd:
        playd.supervisor.happenings.observe(
            lambda h: faults.append(h.reason) if isinstance(h, ProtocolFault) else None
        )
        await playd.join()
        assert (await playd.seat()).session.journal is None
        assert (await playd.stop()).outcome == "stopped"
    assert faults == ["names a journal outside the state directory"]


async def test_nine_bad_lines_are_borne(opened):
    async with opened("garbage", 9) as playd:
        await playd.join()
        await playd.supervisor.say(playd.caller, "red", "still there?", "", None)
        assert (await playd.stop()).outcome == "stopped"


@pytest.mark.parametrize(("behaviour", "argument"), [("garbage", 10), ("ends_twice", "")])
async def test_broken_protocol_ends_the_session(opened, make_settings, behaviour, argument):
    settings = make_settings("red", restart=frozenset())
    async with opened(behaviour, argument, settings=settings) as playd:
        await playd.join()
        seat = await playd.until_seat("recovery_required" if argument else "idle")
        assert (seat.session.state, seat.session.outcome) == ("failed", "protocol_error")


async def test_silence_is_a_hang(opened, make_settings, quick):
    delays = Delays(hang=1.0, term_grace=0.2, leftover_grace=0.1)
    settings = make_settings("red", restart=frozenset())
    async with opened("silent", settings=settings, delays=delays) as playd:
        await playd.join()
        seat = await playd.until_seat("recovery_required")
        assert (seat.session.state, seat.session.outcome) == ("failed", "hung")


async def test_closed_pipes_are_no_exit_but_silence(opened, make_settings):
    delays = Delays(hang=1.0, term_grace=0.2, leftover_grace=0.1)
    settings = make_settings("red", restart=frozenset())
    async with opened("closes_its_pipes", settings=settings, delays=delays) as playd:
        await playd.join()
        seat = await playd.until_seat("recovery_required")
        assert seat.session.outcome == "hung"


async def test_a_session_that_claimed_its_end_and_stays_is_ended(opened):
    async with opened("lingers") as playd:
        await playd.join()
        seat = await playd.until_seat("idle")
        assert (seat.session.outcome, seat.session.leave) == ("idle", "confirmed")


async def test_a_last_line_without_newline_is_no_message(opened, caplog):
    async with opened("half_a_line") as playd:
        await playd.join()
        seat = await playd.until_seat("idle")
        assert seat.session.outcome == "finished"
    assert any("a last line without newline" in message for message in caplog.messages)


async def test_a_death_is_seen_although_a_grandchild_holds_the_pipes(
    opened, make_settings, alive, tmp_path: Path
):
    """Case 3."""
    settings = make_settings("red", restart=frozenset())
    async with opened("dies_with_pipes_held", tmp_path / "pid", settings=settings) as playd:
        await playd.join()
        seat = await playd.until_seat("recovery_required")
        assert seat.session.reason == "died while running: exit code 5"
        assert not alive(int((tmp_path / "pid").read_text()))


async def test_a_flood_during_a_stop_is_read_to_its_end(opened):
    turns = 0

    def count(happening: object) -> None:
        nonlocal turns
        turns += isinstance(happening, SessionSaid) and isinstance(happening.message, Turn)

    async with opened("floods_in_stop") as playd:
        playd.supervisor.happenings.observe(count)
        await playd.join()
        stopped = await playd.stop()
        assert stopped.outcome == "stopped"
    assert turns == 20_000


async def test_a_flood_does_not_hold_the_loop(opened):
    """Other tasks get their turn after every chunk that is read."""
    turns_between_beats: list[int] = []
    turns = 0

    def count(happening: object) -> None:
        nonlocal turns
        if isinstance(happening, SessionSaid) and isinstance(happening.message, Turn):
            turns += 1

    async def beat() -> None:
        nonlocal turns
        while True:
            await trio.lowlevel.checkpoint()
            turns_between_beats.append(turns)
            turns = 0

    async with opened("floods_in_stop") as playd:
        playd.supervisor.happenings.observe(count)
        await playd.join()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beat)
            await playd.stop()
            nursery.cancel_scope.cancel()
    # A chunk of 64 KiB holds some hundred of these lines.
    assert 0 < max(turns_between_beats) < 400


async def test_one_sessions_flood_leaves_another_alone(opened, make_settings):
    async with opened("floods_in_stop") as playd:
        await playd.join("red")
        await playd.join("blue")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(playd.stop, "red")
            await playd.until_seat("stopping", "red")
            assert (await playd.seat("blue")).state == "running"
            assert (await playd.stop("blue")).outcome == "stopped"


async def test_messages_to_a_session_that_does_not_read_never_wait(opened):
    async with opened("silent", delays=Delays(say=0.3)) as playd:
        await playd.join()
        text = "x" * 16_000
        async with trio.open_nursery() as nursery:
            refused = []

            async def say() -> None:
                try:
                    await playd.supervisor.say(playd.caller, "red", text, "", None)
                except Refusal as refusal:
                    refused.append(refusal.code)

            for _ in range(200):
                nursery.start_soon(say)
        assert refused == ["session_silent"] * 200
        with trio.fail_after(60):
            await playd.stop(now=True)


async def test_a_session_that_reads_late_is_told_all_but_the_words_that_were_refused(
    opened, tmp_path: Path, caplog
):
    caplog.set_level("INFO")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    refused: list[Refusal] = []
    async with opened("reads_late", gate) as playd:
        await playd.join()

        async def say() -> None:
            try:
                await playd.supervisor.say(playd.caller, "red", "x" * 16_000, "", None)
            except Refusal as refusal:
                refused.append(refusal)

        async with trio.open_nursery() as nursery:
            for _ in range(100):
                nursery.start_soon(say)
            await trio.testing.wait_all_tasks_blocked()
            for tokens in (9, 8, 7):
                change = BudgetChange(tokens=tokens)
                await playd.supervisor.budget(playd.caller, "red", change, False, False)
            await playd.supervisor.pause(playd.caller, "red")
            await trio.to_thread.run_sync(gate.write_text, "")
        assert 0 < len(refused) < 40, "the others were acknowledged"
        assert {refusal.code for refusal in refused} == {"session_silent"}
        assert all("was not given" in refusal.message for refusal in refused)
        await playd.stop()
    told = [m for m in caplog.messages if m.startswith('{"kind": ')]
    assert [json.loads(line)["kind"] for line in told] == ["budget", "pause"]
    assert json.loads(told[0])["ceiling"]["tokens"] == 7


async def test_phases_are_shown(opened):
    phases = []
    async with opened("plays", 2) as playd:
        playd.supervisor.happenings.observe(
            lambda h: (
                phases.append(h.message.phase)
                if isinstance(h, SessionSaid) and isinstance(h.message, Phase)
                else None
            )
        )
        await playd.join()
        await playd.stop()
    assert phases == ["deciding", "deciding"]
