"""What of all events reaches which watcher."""

from collections.abc import Callable

import pytest
import trio

from config.settings import ControlRoom, Grant, PokemonSeat, Settings
from daemon.control import wire
from daemon.control.asking import Asking
from daemon.control.grants import Permissions, permissions_of
from daemon.control.peers import Caller
from daemon.control.watching import watch

ANN = Caller(uid=1001, gid=1001, pid=9)
OWNER = Caller(uid=0, gid=0, pid=9)
SEAT = PokemonSeat(address="ws://127.0.0.1:1", game="firered", display_name="Red", model="m")
SETTINGS = Settings(
    seats={"red": SEAT, "blue": SEAT},
    rooms={
        "den": ControlRoom(principals=frozenset(("uid:1001",))),
        "hall": ControlRoom(),
    },
    grants=(Grant(principal="uid:1001", verbs=frozenset(("watch",)), seats=frozenset(("red",))),),
)
USED = wire.BudgetUsed(
    tokens=1, token_ceiling=None, cost=None, cost_ceiling=None, unreported_calls=0
)


def seat(name: str) -> wire.SeatChanged:
    return wire.SeatChanged(
        seat=wire.SeatView(seat=name, body="pokemon", game="firered", model="m", state="idle")
    )


def turn(name: str) -> wire.TurnEnded:
    card = wire.Card(turn=1, at="", outcome="accepted")
    return wire.TurnEnded(seat=name, session_id="s", card=card, budget=USED)


def spoken(name: str, room: str | None) -> wire.Spoken:
    return wire.Spoken(
        seat=name, session_id="s", delivery_id="d", room=room, speech="speak", text="hi", turn=1
    )


def notable(name: str, room: str | None) -> wire.NotableRaised:
    return wire.NotableRaised(
        seat=name, session_id="s", id="n", notable="stuck", detail="", room=room
    )


EVENTS: tuple[wire.Event, ...] = (
    seat("red"),
    seat("blue"),
    wire.Watching(),
    turn("red"),
    turn("blue"),
    spoken("red", "den"),
    spoken("blue", "den"),
    spoken("blue", "hall"),
    spoken("blue", None),
    notable("blue", "den"),
    notable("red", "hall"),
)


class Play:
    """Tells each of the events, then nothing."""

    settings = SETTINGS

    def __init__(self, before_each: Callable[[wire.Event], None] = lambda event: None) -> None:
        self._before_each = before_each

    async def watch(self, caller: Caller, send: Callable[[wire.Event], None]) -> None:
        for event in EVENTS:
            self._before_each(event)
            send(event)
        await trio.sleep_forever()

    async def follow(self, room: str, show: Callable[[wire.Event], None]) -> None:
        for event in EVENTS:
            if isinstance(event, wire.Watching) or getattr(event, "room", None) == room:
                show(event)
        await trio.sleep_forever()


def allowed(settings: Settings) -> Permissions:
    return permissions_of(settings, lambda name: None, lambda name: None)


async def seen(
    caller: Caller,
    params: wire.WatchParams,
    play: Play | None = None,
    permissions: Callable[[], Permissions] = lambda: allowed(SETTINGS),
) -> list[int]:
    got: list[wire.Event] = []
    play = play or Play()
    asking = Asking(caller, play, play, permissions)  # type: ignore[arg-type]
    with trio.move_on_after(0):
        await watch(asking, params, got.append)
    return [EVENTS.index(event) for event in got]


@pytest.mark.parametrize(
    ("caller", "params", "expected"),
    [
        (OWNER, wire.WatchParams(), list(range(11))),
        (OWNER, wire.WatchParams(seat="blue"), [1, 2, 4, 6, 7, 8, 9]),
        (OWNER, wire.WatchParams(room="hall"), [2, 7, 10]),
        (ANN, wire.WatchParams(), [0, 2, 3, 5, 10]),
        (ANN, wire.WatchParams(seat="red"), [0, 2, 3, 5, 10]),
        (ANN, wire.WatchParams(seat="blue"), [2]),
        (ANN, wire.WatchParams(room="den"), [2, 5, 6, 9]),
        (ANN, wire.WatchParams(room="hall"), [2]),
    ],
)
async def test_a_watcher_sees_what_it_asked_for_and_may_see(
    caller: Caller, params: wire.WatchParams, expected: list[int]
):
    assert await seen(caller, params) == expected


async def test_a_grant_that_is_taken_away_ends_what_an_open_stream_shows():
    now = [SETTINGS]

    def take_away(event: wire.Event) -> None:
        if event == turn("red"):
            now[0] = Settings(seats=SETTINGS.seats)

    assert await seen(ANN, wire.WatchParams(), Play(take_away), lambda: allowed(now[0])) == [0, 2]
