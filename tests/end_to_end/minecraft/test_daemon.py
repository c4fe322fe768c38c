"""The daemon over a Minecraft seat: the same supervisor, and a leave that nobody confirmed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from chat_server import chat_server

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
async def playd(directory: Path, motor: list[str], base_url: str) -> AsyncGenerator[Playd]:
    seat = MinecraftSeat(
        model="toy",
        motor=tuple(motor),
        profile=Profile(id="garden", host="127.0.0.1", version="1.20.1", username="Alex"),
        budget=Budget(max_turns=50),
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
