from __future__ import annotations

import msgspec
import pytest
import trio

from bodies.pokemon import wire
from bodies.pokemon.seat.addresses import parse_address
from bodies.pokemon.seat.recovery import recovery_value, settle

SETTLED = [
    {},
    {"world.session": {"ok": False, "code": "session_ended"}},
    {"world.session": {"ok": False, "code": "not_your_session"}},
    {"world.leave": {"ok": False, "code": "session_ended"}},
    {"world.leave": {"ok": False, "code": "not_your_session"}},
]
UNSETTLED = [
    {"world.session": {"ok": False, "code": "unauthorized"}},
    {"world.session": {"ok": True, "sessionId": "ses_two"}},
    {"world.session": {"ok": True}},
    {"world.leave": {"ok": True, "sessionId": "ses_two", "endedAt": "now"}},
    {"world.leave": {"ok": True}},
    {"world.leave": {"ok": False, "code": "rate_limited"}},
]


@pytest.fixture
def recovery(host):
    return recovery_value(msgspec.convert(host.joined, wire.JoinAnswer))


@pytest.mark.parametrize(
    ("said", "verdict"),
    [(said, "settled") for said in SETTLED] + [(said, "unsettled") for said in UNSETTLED],
)
@pytest.mark.parametrize("kind", ["ws://localhost:1", "unix:/world"])
async def test_only_the_worlds_own_word_settles_a_seat(
    host, recovery, said, verdict, kind, autojump_clock
):
    for operation, answer in said.items():
        host.says(operation, **answer)
    dial = host.dial if kind.startswith("ws") else host.dial_line
    assert await settle(parse_address(kind), recovery, dial=dial) == verdict
    assert host.operations()[0] == "world.session"
    assert {asked["token"] for asked in host.asked} == {"token-of-the-session"}


async def test_a_settled_seat_was_left(host, recovery, address, autojump_clock):
    assert await settle(address, recovery, dial=host.dial) == "settled"
    assert host.operations() == ["world.session", "world.leave"]


async def test_an_unreachable_world_settles_nothing(host, recovery, address, autojump_clock):
    host.reachable = False
    assert await settle(address, recovery, dial=host.dial) == "unsettled"


async def test_a_silent_world_settles_nothing_within_its_time(
    host, recovery, address, autojump_clock
):
    host.is_silent_on("world.leave")
    assert await settle(address, recovery, dial=host.dial) == "unsettled"
    assert trio.current_time() <= 20


async def test_a_value_that_is_none_of_ours_asks_nobody(host, address, autojump_clock):
    assert await settle(address, "no json", dial=host.dial) == "unsettled"
    assert host.dialled_at == []


async def test_a_seat_that_a_dead_process_left_behind_is_settled_by_another(
    host, seat, address, autojump_clock
):
    value = recovery_value(seat.joined)
    seat.close()
    assert await settle(address, value, dial=host.dial) == "settled"
