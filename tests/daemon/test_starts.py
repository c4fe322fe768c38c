"""Few sessions start at a time, and one that hangs in its start holds nobody up for long."""

import json
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from daemon.control.wire import BudgetChange
from daemon.happenings import Happening, SessionSaid
from daemon.starts import LONGEST, Starts
from kernel.session.wire import Notable

pytestmark = pytest.mark.usefixtures("no_children_left")


async def test_sessions_that_wait_for_each_other_all_play(opened):
    async with opened("good", starts=Starts(1)) as playd:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(playd.join, "red")
            nursery.start_soon(playd.join, "blue")
        assert {(await playd.seat(name)).state for name in ("red", "blue")} == {"running"}


async def test_a_stop_of_a_session_that_waits_starts_nothing(opened, tmp_path: Path):
    starts = Starts(1)
    await starts.place()  # by somebody who keeps it
    async with opened("good", starts=starts) as playd:

        async def blue_is_claimed() -> bool:
            return (await playd.seat("blue")).session is not None

        assert (await playd.join("blue", wait=0)).state == "pending"
        await playd.until(blue_is_claimed)
        stopped = await playd.stop("blue")
        assert (stopped.state, stopped.leave) == ("stopped", "not_joined")
    lines = (tmp_path / "state" / "events.jsonl").read_text().splitlines()
    blue = [event["type"] for event in map(json.loads, lines) if event["data"]["seat"] == "blue"]
    assert blue == ["embodiment.session.claimed", "embodiment.session.stopped"]


async def test_a_session_that_waits_starts_with_the_ceiling_that_was_set_meanwhile(opened):
    """K31."""
    starts = Starts(1)
    kept = await starts.place()
    told: list[str] = []

    def note(happening: Happening) -> None:
        if isinstance(happening, SessionSaid) and isinstance(happening.message, Notable):
            told.append(happening.message.detail)

    async with opened("tells_its_budget", starts=starts) as playd:

        async def claimed() -> bool:
            return (await playd.seat("blue")).session is not None

        async def has_told() -> bool:
            return bool(told)

        with playd.supervisor.happenings.observed_by(note):
            await playd.join("blue", wait=0)
            await playd.until(claimed)
            change = BudgetChange(tokens=7)
            await playd.supervisor.budget(playd.caller, "blue", change, False, False)
            kept.give_back()
            await playd.until(has_told)
    assert told == ["7"]


async def test_the_world_is_asked_about_few_seats_at_a_time(opened, tmp_path: Path):
    starts = Starts(1)
    async with opened("ends_unconfirmed", tmp_path / "no-answer", starts=starts) as playd:
        await playd.join()
        await playd.until_seat("recovery_required")
        kept = await starts.place()
        with trio.move_on_after(0.5) as waited:
            await playd.supervisor.recover(playd.caller, "red", False)
        assert waited.cancelled_caught
        assert (await playd.join(wait=0)).state == "pending"
        await playd.stop()
        assert (await playd.seat()).state == "recovery_required"
        kept.give_back()
        assert (await playd.join()).state == "running"


async def test_a_start_that_hangs_gives_its_place_up(autojump_clock: MockClock):
    starts = Starts(1)
    hanging = await starts.place()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(hanging.give_back_after, trio.Event())
        began = trio.current_time()
        quick = await starts.place()
        assert trio.current_time() - began == pytest.approx(LONGEST)
        hanging.give_back()
        joins = trio.Event()
        joins.set()
        await quick.give_back_after(joins)
        await starts.place()
        assert trio.current_time() - began == pytest.approx(LONGEST)
