"""Local worlds as supervised processes."""

import sys
from pathlib import Path

import msgspec
import pytest
import trio

from config.settings import Settings, World
from daemon.refusal import Refusal

pytestmark = pytest.mark.usefixtures("no_children_left")

SERVE = """
import os, signal, sys, time
print("world begins", flush=True)
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    open(sys.argv[1] + ".child", "w").write(str(os.getpid()))
    open(sys.argv[1], "w").close()
    time.sleep(600)
time.sleep(600)
"""

KILLED_DAEMON = """
import os, signal, sys
from pathlib import Path
import trio
sys.path.insert(0, sys.argv[1])
from conftest import settings_of
from test_worlds import with_world, world_at
from daemon.control.peers import Caller
from daemon.opening import open_supervisor

async def main():
    settings = with_world(settings_of("red"), world_at(Path(sys.argv[3])))
    async with open_supervisor(settings, Path(sys.argv[2])) as supervisor:
        started = await supervisor.world(Caller(uid=0, gid=0, pid=1), "red", "start")
        print(started.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

trio.run(main)
"""


def with_world(settings: Settings, world: World) -> Settings:
    seats = {
        name: msgspec.structs.replace(seat, world="home") for name, seat in settings.seats.items()
    }
    return msgspec.structs.replace(settings, worlds={"home": world}, seats=seats)


def world_at(mark: Path, serve: str = SERVE, ready_timeout: float = 10) -> World:
    return World(
        check=("test", "-e", str(mark)),
        start=(sys.executable, "-S", "-c", serve, str(mark)),
        ready_timeout=ready_timeout,
    )


async def test_a_world_is_started_checked_reused_and_stopped(
    opened, make_settings, alive, tmp_path: Path
):
    mark = tmp_path / "up"
    settings = with_world(make_settings("red"), world_at(mark))
    async with opened("good", settings=settings) as playd:

        async def world(action: str):
            return await playd.supervisor.world(playd.caller, "red", action)

        assert (await world("check")).state == "unreachable"
        started = await world("start")
        assert (started.state, started.started) == ("healthy", True)
        assert alive(started.pid)
        again = await world("start")
        assert (again.started, again.pid) == (False, started.pid)
        child = int(Path(f"{mark}.child").read_text())
        assert (await world("stop")).state == "stopped"
        assert not alive(started.pid)
        assert not alive(child)
        assert "world begins" in Path(started.log).read_text()


async def test_a_healthy_world_that_somebody_else_started_is_reused_and_not_stopped(
    opened, make_settings, tmp_path: Path
):
    mark = tmp_path / "up"
    mark.touch()
    settings = with_world(make_settings("red"), world_at(mark))
    async with opened("good", settings=settings) as playd:
        started = await playd.supervisor.world(playd.caller, "red", "start")
        assert (started.state, started.started, started.pid) == ("healthy", False, None)
        with pytest.raises(Refusal, match="this daemon runs no world home"):
            await playd.supervisor.world(playd.caller, "red", "stop")


@pytest.mark.parametrize(
    ("serve", "says"),
    [
        ("raise SystemExit(7)", "exit code 7"),
        ("import time; time.sleep(600)", "check did not pass in 0.5 s"),
    ],
)
async def test_a_world_that_does_not_come_up_is_ended_and_says_why(
    opened, make_settings, tmp_path: Path, serve: str, says: str
):
    settings = with_world(make_settings("red"), world_at(tmp_path / "up", serve, ready_timeout=0.5))
    async with opened("good", settings=settings) as playd:
        with pytest.raises(Refusal, match=says) as refusal:
            await playd.supervisor.world(playd.caller, "red", "start")
        assert refusal.value.code == "world"


async def test_a_started_world_ends_with_the_daemon(opened, make_settings, alive, tmp_path: Path):
    mark = tmp_path / "up"
    settings = with_world(make_settings("red"), world_at(mark))
    with trio.fail_after(60):
        async with opened("good", settings=settings) as playd:
            started = await playd.supervisor.world(playd.caller, "red", "start")
    assert not alive(started.pid)
    assert not alive(int(Path(f"{mark}.child").read_text()))


@pytest.mark.parametrize("by", ["stop", "the daemon's end"])
async def test_a_world_that_a_killed_daemon_left_is_used_and_ended_by_the_next(
    opened, make_settings, alive, tmp_path: Path, by: str
):
    mark = tmp_path / "up"
    here = Path(__file__).parent
    killed = await trio.run_process(
        [sys.executable, "-c", KILLED_DAEMON, str(here), str(tmp_path / "state"), str(mark)],
        capture_stdout=True,
        check=False,
        cwd=here.parents[1],
    )
    world = [int(killed.stdout), int(Path(f"{mark}.child").read_text())]
    assert all(map(alive, world))
    async with opened("good", settings=with_world(make_settings("red"), world_at(mark))) as playd:
        again = await playd.supervisor.world(playd.caller, "red", "start")
        assert (again.state, again.started) == ("healthy", False)
        assert all(map(alive, world))
        if by == "stop":
            assert (await playd.supervisor.world(playd.caller, "red", "stop")).state == "stopped"
            assert not any(map(alive, world))
            with pytest.raises(Refusal, match="runs no world home"):
                await playd.supervisor.world(playd.caller, "red", "stop")
    assert not any(map(alive, world))


async def test_joining_starts_no_world(opened, make_settings, tmp_path: Path):
    mark = tmp_path / "up"
    settings = with_world(make_settings("red"), world_at(mark))
    async with opened("good", settings=settings) as playd:
        await playd.join()
    assert not mark.exists()


async def test_a_join_whose_local_world_is_not_reached_says_how_to_start_it(
    opened, make_settings, tmp_path: Path
):
    settings = with_world(make_settings("red"), world_at(tmp_path / "up"))
    async with opened("refuses", "world_unreachable", settings=settings) as playd:
        with pytest.raises(Refusal, match="the world cannot be reached") as refusal:
            await playd.join()
        assert refusal.value.detail == "To start it: playctl world start red"


async def test_a_seat_without_a_world_says_so(opened):
    async with opened("good") as playd:
        with pytest.raises(Refusal) as refusal:
            await playd.supervisor.world(playd.caller, "red", "check")
        assert refusal.value.code == "no_world"


async def test_programs_that_come_with_playd_are_found_whatever_the_path(
    opened, make_settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    world = World(check=("playctl", "completion", "bash"), start=("playctl",))
    async with opened("good", settings=with_world(make_settings("red"), world)) as playd:
        checked = await playd.supervisor.world(playd.caller, "red", "check")
        assert checked.state == "healthy"


async def test_a_world_that_a_seat_plays_in_is_not_stopped(opened, make_settings, tmp_path: Path):
    settings = with_world(make_settings("red"), world_at(tmp_path / "up"))
    async with opened("good", settings=settings) as playd:
        await playd.supervisor.world(playd.caller, "red", "start")
        await playd.join()
        with pytest.raises(Refusal, match="seat red is being played in world home") as refusal:
            await playd.supervisor.world(playd.caller, "red", "stop")
        assert refusal.value.code == "world_in_use"
        await playd.stop()
        await playd.supervisor.world(playd.caller, "red", "stop")
        with pytest.raises(Refusal, match="runs no world home"):
            await playd.supervisor.world(playd.caller, "red", "stop")


async def test_what_is_unsettled_in_a_local_world_says_how_to_start_it(
    opened, make_settings, tmp_path: Path
):
    (tmp_path / "answer").write_text("unsettled")
    settings = with_world(make_settings("red"), world_at(tmp_path / "up"))
    async with opened("ends_unconfirmed", tmp_path / "answer", settings=settings) as playd:
        await playd.join()
        await playd.until_seat("recovery_required")
        with pytest.raises(Refusal) as refusal:
            await playd.supervisor.recover(playd.caller, "red", False)
    assert refusal.value.code == "unsettled"
    assert "playctl world start red" in refusal.value.detail
