"""A full disk and no descriptors: joins are refused, and what runs goes on."""

import json
import os
import resource
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon.happenings import Happening, RestartPlanned
from daemon.refusal import Refusal

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
