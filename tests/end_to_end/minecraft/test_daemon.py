"""The daemon over a Minecraft seat: the same supervisor, and a leave that nobody confirmed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from chat_server import chat_server
from real_daemon import LIMIT, real_daemon

from config.settings import Budget, MinecraftSeat, Model, Profile, Settings
from daemon.control import wire
from daemon.control.peers import Caller
from daemon.opening import open_supervisor
from daemon.refusal import Refusal
from daemon.supervisor import Supervisor

FAR = {"monologue": "I walk.", "intent": "go", "action": "goto", "x": 90, "y": 64, "z": 90,
       "tolerance": 1}  # fmt: skip
DIES = {"looks": 1000, "action_status": [{}, {"exit": 9}]}
ROOT = Caller(uid=0, gid=0, pid=1)


class Playd:
    """A supervisor with the one seat `alex`, and what it told of it."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self.turns: list[wire.TurnEnded] = []
        self._told = trio.Event()

    def take(self, event: wire.Event) -> None:
        if isinstance(event, wire.TurnEnded):
            self.turns.append(event)
        self._told.set()
        self._told = trio.Event()

    async def join(self) -> str:
        joined = await self.supervisor.join(ROOT, "alex", None, wire.BudgetChange(), 30.0)
        assert joined.state == "running"
        return joined.session_id

    async def seat(self) -> wire.SeatView:
        return (await self.supervisor.seats(ROOT)).seats[0]

    async def until(self, holds: Callable[[wire.SeatView], bool]) -> wire.SeatView:
        while not holds(seat := await self.seat()):
            await self._told.wait()
        return seat

    async def refused(self, call: Awaitable[Any]) -> str:
        with pytest.raises(Refusal) as refusal:
            await call
        return refusal.value.code


@asynccontextmanager
async def playd(
    directory: Path, motor: list[str], base_url: str, *, restart: frozenset[str] = frozenset()
) -> AsyncGenerator[Playd]:
    seat = MinecraftSeat(
        model="toy",
        motor=tuple(motor),
        profile=Profile(id="garden", host="127.0.0.1", version="1.20.1", username="Alex"),
        budget=Budget(max_turns=50),
        restart=restart,
    )
    settings = Settings(
        models={"toy": Model(provider="openai", model="toy", base_url=base_url, local=True)},
        seats={"alex": seat},
    )
    async with (
        open_supervisor(settings, directory / "state") as supervisor,
        trio.open_nursery() as nursery,
    ):
        held = Playd(supervisor)
        nursery.start_soon(supervisor.watch, ROOT, held.take)
        yield held
        nursery.cancel_scope.cancel()


async def test_a_leave_that_nobody_confirms_leaves_the_seat_to_recovery_and_no_process_behind(
    garden: Any, of_session: Any, tmp_path: Path
) -> None:
    motor = garden.practice_motor("other-session@leave=1", "linger", "grandchild:own", speed=2)
    with trio.fail_after(80):
        async with chat_server(answer=FAR) as model, playd(tmp_path, motor, model.base_url) as at:
            session_id = await at.join()
            await at.until(lambda seat: seat.session is not None and seat.session.phase == "acting")
            observed = (await at.supervisor.observe(ROOT, "alex")).session
            assert observed.session_id == session_id
            assert len(of_session(session_id)) >= 3, "session, motor and its grandchild"
            await at.supervisor.stop(ROOT, "alex", False)
            seat = await at.until(lambda seat: seat.state == "recovery_required")
            assert seat.session is not None
            assert (seat.session.outcome, seat.session.leave) == ("stopped", "unconfirmed")
            assert of_session(session_id) == []
            # The motor is started anew to be asked, holds no session, and that proves nothing.
            assert await at.refused(at.supervisor.recover(ROOT, "alex", False)) == "unsettled"
            forced = await at.supervisor.recover(ROOT, "alex", True)
            assert forced.outcome == "forced"
            assert (await at.seat()).state == "idle"
    assert garden.left_over == []


async def test_a_motor_that_dies_in_mid_action_leaves_the_seat_to_recovery(
    garden: Any, of_session: Any, tmp_path: Path
) -> None:
    with trio.fail_after(80):
        async with (
            chat_server(answer=FAR) as model,
            playd(tmp_path, garden.scripted_motor(DIES), model.base_url) as at,
        ):
            session_id = await at.join()
            seat = await at.until(lambda seat: seat.state == "recovery_required")
            assert seat.session is not None
            assert (seat.session.outcome, seat.session.leave) == ("world_ended", "unconfirmed")
            assert [event.card.outcome for event in at.turns] == ["interrupted"]
            assert of_session(session_id) == []
    assert garden.left_over == []


async def test_after_a_crash_it_waits_for_the_motors_word_or_a_persons_and_then_plays_on(
    garden: Any, of_session: Any, tmp_path: Path
) -> None:
    restart = frozenset({"crashed"})
    with trio.fail_after(80):
        async with (
            chat_server(answer=FAR) as model,
            playd(tmp_path, garden.practice_motor(), model.base_url, restart=restart) as at,
        ):
            session_id = await at.join()
            session = (await at.seat()).session
            assert session is not None
            assert session.pid is not None
            os.kill(session.pid, signal.SIGKILL)
            seat = await at.until(lambda seat: seat.state == "recovery_required")
            # A motor that was started anew has no session, and that proves nothing.
            assert seat.detail.endswith("; playctl recover alex --force")
            assert (seat.restart_in is not None, seat.deaths) == (True, 1)
            assert await at.refused(at.supervisor.recover(ROOT, "alex", False)) == "unsettled"
            assert (await at.supervisor.recover(ROOT, "alex", True)).outcome == "forced"
            seat = await at.until(lambda seat: seat.state == "running")
            assert (seat.generation, seat.deaths) == (2, 1)
            assert of_session(session_id) == []
            stopped = await at.supervisor.stop(ROOT, "alex", False)
            assert (stopped.state, stopped.leave) == ("stopped", "confirmed")
    assert garden.left_over == []


CONFIGURATION = """
state_directory = "{folder}/state"
[control]
socket = "{folder}/control.sock"
[metrics]
bind = "127.0.0.1:0"
[models.toy]
provider = "openai"
model = "toy"
base_url = "{model}"
local = true
[seats.alex]
body = "minecraft"
model = "toy"
motor = {motor}
[seats.alex.profile]
id = "garden"
host = "127.0.0.1"
version = "1.20.1"
username = "Alex"
"""


async def test_a_body_that_was_given_back_when_the_daemon_was_killed_is_joined_by_the_next(
    garden: Any, tmp_path: Path
) -> None:
    path = tmp_path / "playd.toml"
    with trio.fail_after(80):
        async with chat_server(answer=FAR) as model:
            motor = json.dumps(garden.practice_motor())
            path.write_text(
                CONFIGURATION.format(folder=tmp_path, model=model.base_url, motor=motor)
            )
            async with real_daemon(path) as first:
                await first.join("alex")
                await first.until_phase("alex", "acting")
                await first.kill()
                await first.until_nobody_is_left(LIMIT)
            async with real_daemon(path) as second:
                ended = (await second.ask("observe", seat="alex"))["session"]
                assert (ended["outcome"], ended["leave"]) == ("lease_lapsed", "confirmed")
                assert ended["reason"].endswith(
                    "supervisor_lost by itself and its leave was confirmed"
                )
                joined = await second.join("alex")
                assert (joined["state"], joined["generation"]) == ("running", 2)
                assert (await second.stop("alex"))["leave"] == "confirmed"
    assert garden.left_over == []
