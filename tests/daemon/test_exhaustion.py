"""A full disk and no descriptors: joins are refused, and what runs goes on."""

import json
import os
import resource
import signal
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from daemon.delays import Delays
from daemon.happenings import Happening, RestartPlanned, SessionChanged, SessionSaid
from daemon.refusal import Refusal
from kernel.session.wire import Notable

pytestmark = pytest.mark.usefixtures("no_children_left")


@contextmanager
def full_disk() -> Generator[None]:
    """No file of this process may grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_join_is_refused_and_a_running_session_plays_on(opened, tmp_path: Path):
    async with opened("plays", 2) as playd:
        await playd.join("red")
        with full_disk():
            with pytest.raises(Refusal, match="does not serve") as refusal:
                await playd.join("blue")
            assert refusal.value.code == "state_unwritable"
            said = await playd.supervisor.say(playd.caller, "red", "still there?", "", None)
            assert said.seat == "red"
            assert (await playd.stop("red")).outcome == "stopped"
            status = await playd.supervisor.status(playd.caller)
            assert "wait for the disk" in status.problems[0]
            assert not (await playd.supervisor.health(playd.caller)).ready
        assert (await playd.join("blue")).generation == 1
        assert (await playd.supervisor.status(playd.caller)).problems == ()
    lines = (tmp_path / "state" / "events.jsonl").read_text().splitlines()
    states = [json.loads(line)["type"].rpartition(".")[2] for line in lines]
    assert states[:5] == ["claimed", "starting", "running", "stopping", "stopped"]


async def test_a_disk_that_is_full_for_long_fails_no_seat(opened, make_settings):
    planned: list[RestartPlanned] = []

    def note(happening: Happening) -> None:
        if isinstance(happening, RestartPlanned):
            planned.append(happening)

    settings = make_settings("red", restart=frozenset({"crashed"}))
    async with opened("plays", 2, settings=settings) as playd:
        await playd.join("red")
        session = (await playd.seat("red")).session
        assert session is not None
        with playd.supervisor.happenings.observed_by(note):
            with full_disk():
                os.kill(session.pid, signal.SIGKILL)

                async def seven_planned() -> bool:
                    return len(planned) == 7

                await playd.until(seven_planned)
            delays = [plan.delay / planned[0].delay for plan in planned]
            assert delays == [1, 1, 2, 4, 8, 16, 32], "a death, then refusals"
            assert "does not serve" in planned[-1].reason
        await playd.until_seat("running", "red")
        found = await playd.seat("red")
        assert (found.generation, found.deaths) == (2, 1)
        await playd.stop("red")


async def test_a_restart_knows_the_runs_that_a_full_disk_kept_out_of_the_database(
    opened, make_settings, quick: Delays, tmp_path: Path
):
    told: list[str] = []
    settings = make_settings("red", restart=frozenset({"mind_unavailable"}))
    patient = replace(quick, unwritten=600.0)
    with ExitStack() as full:

        def note(happening: Happening) -> None:
            match happening:
                case SessionChanged(session) if session.state == "claimed" and not told:
                    full.enter_context(full_disk())
                case RestartPlanned():
                    full.close()
                case SessionSaid(message=Notable(detail=detail)):
                    told.append(detail)
                case _:
                    pass

        async with opened(
            "tells_of_earlier_runs", tmp_path / "ran", settings=settings, delays=patient
        ) as playd:
            with playd.supervisor.happenings.observed_by(note):

                async def both_told() -> bool:
                    return len(told) == 2

                await playd.join("red")
                await playd.until(both_told)
    assert told == ["0 []", "1 [100]"]


async def test_what_a_drained_daemon_could_not_write_is_named_and_the_next_one_goes_by_the_journal(
    opened, tmp_path: Path, caplog
):
    with ExitStack() as full:

        def note(happening: Happening) -> None:
            match happening:
                case SessionChanged(session) if session.state == "claimed":
                    full.enter_context(full_disk())
                case _:
                    pass

        async with opened("opens_a_journal") as playd:
            playd.supervisor.happenings.observe(note)
            joined = await playd.join()
            await playd.supervisor.drain(playd.caller)
    named = "\n".join(m for m in caplog.messages if m.startswith("the database was not told"))
    assert f"session {joined.session_id} is stopped" in named
    assert "turns; its sitting is charged" in named
    assert f"sitting {joined.sitting_id} is over" in named
    async with opened("good") as playd:
        assert (await playd.seat()).state == "stale"
        ended = (await playd.supervisor.observe(playd.caller, "red")).session
        assert (ended.state, ended.outcome) == ("failed", "lease_lapsed")
        assert joined.session_id in ended.journal
        lines = (tmp_path / "state" / "events.jsonl").read_text().splitlines()
        states = [json.loads(line)["type"].rpartition(".")[2] for line in lines]
        assert states == ["claimed", "starting", "failed"]
        assert (await playd.join()).generation == 2


@contextmanager
def no_descriptor_left() -> Generator[None]:
    """This process can open nothing more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(entry.name) for entry in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest, hard))
    filled: list[int] = []
    try:
        while True:
            try:
                filled.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                break
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in filled:
            os.close(descriptor)


async def test_without_descriptors_a_join_fails_and_a_running_session_can_be_stopped(
    opened, make_settings, alive, tmp_path: Path
):
    file = tmp_path / "pids"
    settings = make_settings("red", "blue", restart=frozenset())
    async with opened("family", file, settings=settings) as playd:
        await playd.join("red")
        pids = [int(word) for word in file.read_text().split()]
        with no_descriptor_left():
            with pytest.raises(Refusal, match="Too many open files"):
                await playd.join("blue")
            assert (await playd.stop("red")).outcome == "stopped"
            assert not any(map(alive, pids))
        assert (await playd.join("blue")).state == "running"
    lines = (tmp_path / "state" / "events.jsonl").read_text().splitlines()
    assert len({json.loads(line)["id"] for line in lines}) == len(lines) == 10
