"""Lists that would not fit into a line."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import msgspec

from config.settings import PokemonSeat, Settings
from daemon.control import wire
from daemon.control.fitting import ITEM_ROOM, ROOM, brief_sessions, fit

SEAT = PokemonSeat(address="ws://127.0.0.1:1", game="firered", display_name="Red", model="m")


def session(id: str, effect: str = "") -> wire.SessionView:
    return wire.SessionView(
        session_id=id,
        sitting_id="t",
        seat="red",
        generation=1,
        state="running",
        began_at="2026-01-01T00:00:00.000Z",
        card=wire.Card(turn=1, at="", outcome="accepted", effect=effect),
        counters={"frames": 1},
    )


def test_what_fits_is_kept_in_order_and_the_rest_is_told():
    few = [session(str(n)) for n in range(3)]
    assert fit(few) == (tuple(few), False)
    many = [session(str(n), "x" * 1000) for n in range(200)]
    kept, more = fit(many)
    assert more
    assert kept == tuple(many[: len(kept)])
    assert ROOM - 2000 < len(msgspec.json.encode(kept)) <= ROOM


def test_a_session_with_an_endless_turn_is_shown_without_it():
    short, long = session("a"), session("b", "x" * ITEM_ROOM)
    shown = brief_sessions([short, long])
    assert shown[0] == short
    assert (shown[1].session_id, shown[1].card, shown[1].counters) == ("b", None, {})


async def test_five_hundred_seats_come_in_several_lines_each_within_the_cap(
    door_of: Callable[[Settings], AbstractAsyncContextManager[Any]],
):
    names = [f"seat-{n:03}" for n in range(500)]
    settings = Settings(seats=dict.fromkeys(names, SEAT))
    async with door_of(settings) as door, door.client() as client:
        got: list[str] = []
        asked = 0
        after: dict[str, str] = {}
        more = True
        while more:
            result = (await client.ask("seats", **after))["result"]
            assert len(msgspec.json.encode(result)) < wire.LINE_CAP
            got += [seat["seat"] for seat in result["seats"]]
            after = {"after": got[-1]}
            more = result["more"]
            asked += 1
        assert got == names
        assert asked > 1
