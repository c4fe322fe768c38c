"""The queue of one room."""

from __future__ import annotations

from typing import Any

import trio

from daemon.control.peers import Caller
from daemon.control.wire import DeliveryOutcome
from daemon.rooms.correspondence import Correspondence
from daemon.rooms.delivery import Delivery
from daemon.rooms.room import CAPACITY, Letter, Room


class Shut:
    """A destination that takes nothing in before it is opened."""

    def __init__(self) -> None:
        self.open = trio.Event()
        self.asked = trio.Event()
        self.took: list[str] = []

    async def deliver(self, delivery: Delivery) -> DeliveryOutcome | None:
        self.asked.set()
        await self.open.wait()
        self.took.append(delivery.delivery_id)
        return "played"

    async def close(self) -> None:
        pass


class Broken(Shut):
    async def deliver(self, delivery: Delivery) -> DeliveryOutcome | None:
        raise RuntimeError("a defect")


class Box:
    """A room and what was settled there."""

    def __init__(self, destination: Shut, make_session: Any) -> None:
        self.destination = destination
        self.settled: list[tuple[str, str | None, str]] = []
        self.correspondence = Correspondence(make_session(), Caller(uid=1, gid=1, pid=1))
        self.room = Room(destination, (), lambda letter: None, self._settle)
        self.room.hold()

    def put(self, id: str, notable: str | None = None) -> None:
        kind = "speak" if notable is None else "notable"
        delivery = Delivery(
            delivery_id=id, kind=kind, room="r", seat="red", session_id="s", at="", text="t" * 2000,
            notable=notable,
        )  # fmt: skip
        self.room.put(Letter(delivery, self.correspondence))

    def _settle(self, letter: Letter, outcome: DeliveryOutcome | None, why: str) -> None:
        self.settled.append((letter.delivery.delivery_id, outcome, why))


async def test_a_full_queue_lets_the_oldest_words_go_and_keeps_notables(
    autojump_clock: Any, make_session: Any
):
    box = Box(Shut(), make_session)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(box.room.run)
        box.put("in flight")
        await box.destination.asked.wait()
        box.put("stuck", notable="stuck")
        for number in range(1000):
            box.put(str(number))
        assert len(box.settled) == 1001 - CAPACITY
        assert {outcome for _, outcome, _ in box.settled} == {"failed"}
        assert "stuck" not in [id for id, _, _ in box.settled]
        box.destination.open.set()
        box.room.let_go()
    newest = [str(number) for number in range(1000 - CAPACITY + 1, 1000)]
    assert box.destination.took == ["in flight", "stuck", *newest]
    assert len({id for id, _, _ in box.settled}) == len(box.settled) == 1002


async def test_what_waits_when_its_owner_ends_has_failed(autojump_clock: Any, make_session: Any):
    box = Box(Shut(), make_session)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(box.room.run)
        for id in "abc":
            box.put(id)
        await box.destination.asked.wait()
        nursery.cancel_scope.cancel()
    assert [(id, outcome) for id, outcome, _ in box.settled] == [(id, "failed") for id in "abc"]


async def test_a_defect_in_one_delivery_costs_that_delivery_alone(
    autojump_clock: Any, make_session: Any
):
    box = Box(Broken(), make_session)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(box.room.run)
        box.put("a")
        box.put("b")
        box.room.let_go()
    assert box.settled == [(id, "failed", "internal error: RuntimeError") for id in "ab"]
