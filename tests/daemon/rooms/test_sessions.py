"""Rooms with session processes: nothing that a room does reaches a turn or an ending."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from chat_server import ChatServer, chat_server
from practice import PracticeWorld, practice_world

from config.settings import Budget, ControlRoom, Model, PokemonSeat, Room, Settings
from config.settings import WebhookRoom as WebhookSettings
from daemon.control import wire
from daemon.control.asking import Asking
from daemon.control.grants import gid_of, permissions_of, uid_of
from daemon.control.peers import Caller
from daemon.control.rooms import say
from daemon.happenings import Happening, SessionSaid
from daemon.opening import SESSION_COMMAND
from daemon.refusal import Refusal
from kernel.session.wire import Ended, Turn

ANN = Caller(uid=1001, gid=1001, pid=1)
BOB = Caller(uid=1002, gid=1002, pid=1)
OWN_WORDS = "hello from the game"
DECISION = {
    "monologue": "There is something here.",
    "intent": "press a to see more",
    "notes": None,
    "objective": None,
    "reply": OWN_WORDS,
    "speak": None,
    "action": "button_press",
    "button": "a",
    "holdFrames": 8,
}
TURNS = 12
GRANTS = """
[[grants]]
principal = "uid:1001"
verbs = ["join"]
seats = ["red"]
"""


async def test_a_session_whose_room_hangs_gets_its_last_words_acknowledged_and_ends(
    in_rooms: Any, receiving: Any, webhook: Callable[..., WebhookSettings]
):
    with trio.fail_after(60):
        async with receiving(None) as hanging:
            async with in_rooms("last_word", room=webhook(hanging.port)) as door:
                await door.join()
                await hanging.got(1)
                await until_it_ended(door)
                hanging.release.set()
            assert hanging.requests[0].json()["notable"] == "world_ended"


async def until_it_ended(door: Any) -> None:
    ended = trio.Event()

    def look(happening: Happening) -> None:
        ended.set()

    with door.supervisor.happenings.observed_by(look):
        while True:
            (seat,) = [s for s in (await door.supervisor.seats(ANN)).seats if s.seat == "red"]
            if seat.session is not None and seat.session.outcome == "world_ended":
                return
            await ended.wait()
            ended = trio.Event()


async def test_a_revoked_grant_stops_notables_in_mid_session_and_the_play_goes_on(
    in_rooms: Any, caplog: pytest.LogCaptureFixture, tmp_path: Path
):
    path = tmp_path / "playd.toml"
    path.write_text(configuration(GRANTS))
    with trio.fail_after(60):
        async with in_rooms("notables_on_demand", configuration=path) as door:
            await door.supervisor.reload(ANN)
            await door.join(ANN)
            await door.supervisor.say(ANN, "red", "stuck", "ann", "parlour")
            assert [one.outcome for one in await door.receipts(1)] == ["played"]
            path.write_text(configuration(""))
            await door.supervisor.reload(ANN)
            await door.supervisor.say(ANN, "red", "budget_exhausted", "ann", "parlour")
            assert (await door.receipts(2))[0].outcome == "refused"
            await door.supervisor.say(ANN, "red", "go on", "ann", "parlour")
            status = await door.supervisor.status(ANN)
            (seat,) = [seat for seat in status.seats if seat.seat == "red"]
            assert seat.state == "running"
    why = "uid 1001, who started the sitting, is no longer granted join on red"
    assert f"room parlour: budget_exhausted refused: {why}" in caplog.text
    assert status.problems == (f"1 deliveries to room parlour refused; the last: {why}",)


def configuration(grants: str) -> str:
    return f"""
[models.m]
provider = "openai"
model = "m"
base_url = "http://127.0.0.1:1/"
local = true
[rooms.parlour]
kind = "log"
[seats.red]
body = "pokemon"
model = "m"
address = "ws://127.0.0.1:1/"
game = "firered"
display_name = "Red"
room = "parlour"
{grants}
"""


@pytest.mark.parametrize(
    ("caller", "room", "allowed"),
    [
        (ANN, None, True),
        (ANN, "parlour", True),
        (ANN, "hall", False),
        (BOB, None, False),
        (BOB, "parlour", False),
        (BOB, "hall", False),
    ],
)
async def test_only_the_rooms_own_principals_speak_in_its_sitting(
    in_rooms: Any, caller: Caller, room: str | None, allowed: bool
):
    rooms = {
        "parlour": ControlRoom(principals=frozenset(("uid:1001",))),
        "hall": ControlRoom(principals=frozenset(("uid:1002",))),
    }
    with trio.fail_after(60):
        async with in_rooms("good") as door:
            settings = msgspec.structs.replace(door.supervisor.settings, rooms=rooms)
            await door.join()
            asking = Asking(
                caller,
                door.supervisor,
                door.rooms,
                lambda: permissions_of(settings, uid_of, gid_of),
            )
            params = wire.SayParams(seat="red", text="hello", room=room)
            if allowed:
                assert (await say(asking, params)).id
            else:
                with pytest.raises(Refusal, match="not_authorized"):
                    await say(asking, params)


# With real sessions that play in the practice world ---------------------------------------------


def playing(
    world: PracticeWorld, model: ChatServer, secret: Path, room: Room, **changes: Any
) -> Settings:
    seat = PokemonSeat(
        model="m",
        address=world.address,
        game="firered",
        display_name="Bo",
        credential=f"file:{secret}",
        room="parlour",
        **changes,
    )
    return Settings(
        models={"m": Model(provider="openai", model="m", base_url=model.base_url, local=True)},
        rooms={"parlour": room},
        seats={"red": seat},
    )


class Told:
    """What sessions said, and waits for it."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self._more = trio.Event()

    def look(self, happening: Happening) -> None:
        if isinstance(happening, SessionSaid):
            self.said.append(happening.message)
            self._more.set()
            self._more = trio.Event()

    async def turns(self, count: int) -> list[Turn]:
        while len(found := [one for one in self.said if isinstance(one, Turn)]) < count:
            await self._more.wait()
        return found

    async def ended(self) -> None:
        while not any(isinstance(one, Ended) for one in self.said):
            await self._more.wait()


def journal_lines(folder: Path) -> list[dict[str, Any]]:
    (path,) = (folder / "state" / "journals").glob("*.jsonl")
    return [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]


async def test_turns_take_as_long_with_a_hanging_webhook_as_with_a_quick_one(
    in_rooms: Any, receiving: Any, webhook: Callable[..., WebhookSettings], tmp_path: Path,
):  # fmt: skip
    """Every turn replies to the room: words queue up behind the first, and no turn waits."""
    medians: dict[str, float] = {}
    waiting: set[str] = set()
    with trio.fail_after(60):
        async with chat_server(answer=DECISION) as model, practice_world(tmp_path) as world:
            key = world_key(tmp_path)
            async with receiving() as quick, receiving(None) as hanging:
                for name, one in (("quick", quick), ("hanging", hanging)):
                    room = webhook(one.port)
                    settings = playing(
                        world, model, key, room, budget=Budget(max_turns=TURNS), restart=frozenset()
                    )
                    told = Told()
                    async with in_rooms(
                        "", settings=settings, command=list(SESSION_COMMAND)
                    ) as door:
                        with door.supervisor.happenings.observed_by(told.look):
                            await door.join()
                            turns = await told.turns(TURNS)
                            if name == "hanging":
                                waiting = {r.json()["deliveryId"] for r in hanging.requests}
                                hanging.release.set()
                            await one.got(TURNS)
                    times = [turn.card.turn_ms for turn in turns]
                    medians[name] = statistics.median(ms for ms in times if ms is not None)
                assert len(waiting) == 1, "every turn ended before the first reply was taken"
    print(f"median turn in ms: {medians}")


async def test_case_31_messages_are_delivered_or_named_and_own_words_never_come_back(
    in_rooms: Any, tmp_path: Path
):
    with trio.fail_after(60):
        async with (
            chat_server(answer=DECISION, stalled=True) as model,
            practice_world(tmp_path) as world,
        ):
            settings = playing(
                world, model, world_key(tmp_path), ControlRoom(), budget=Budget(max_turns=2)
            )
            told = Told()
            async with in_rooms("", settings=settings, command=list(SESSION_COMMAND)) as door:

                async def tell(text: str, asked: int) -> None:
                    """Say it, and wait until the model was asked so often in all."""
                    await door.supervisor.say(ANN, "red", text, "ann", "parlour")
                    await model.asked(asked)

                with door.supervisor.happenings.observed_by(told.look):
                    await door.join()
                    await model.asked(1)
                    await tell("one", 2)
                    await tell("two", 3)
                    await tell("three", 3)  # K6: nothing is replaced a third time
                    model.open.set()
                    model.stall()
                    await told.turns(1)
                    await model.asked(4)
                    await tell(OWN_WORDS, 4)
                    await tell("four", 5)
                    await tell("five", 6)
                    await tell("the last", 6)
                    model.open.set()
                    await told.turns(2)
                    await told.ended()
    assert model.requests == 6
    lines = journal_lines(tmp_path)
    (summary,) = [line for line in lines if line["kind"] == "summary"]
    shown = [line["turn"]["interjection"] for line in lines if line["kind"] == "turn"]
    told_in = {
        text: [turn for turn, said in enumerate(shown) if said and text in said]
        for text in ("one", "two", "three", "four", "five", "the last", OWN_WORDS)
    }
    assert [text for text, turns in told_in.items() if turns == [0]] == ["one", "two"]
    assert [text for text, turns in told_in.items() if turns == [1]] == ["three", "four", "five"]
    assert [text for text, turns in told_in.items() if not turns] == ["the last", OWN_WORDS]
    assert summary["undelivered"]["count"] == 1


async def test_case_31_a_stop_before_the_first_request_left_names_what_was_said(
    in_rooms: Any, tmp_path: Path
):
    with trio.fail_after(60):
        async with (
            chat_server(answer=DECISION, stalled=True) as model,
            practice_world(tmp_path) as world,
        ):
            settings = playing(world, model, world_key(tmp_path), ControlRoom())
            async with in_rooms("", settings=settings, command=list(SESSION_COMMAND)) as door:
                await door.join()
                await door.supervisor.pause(ANN, "red")
                await door.supervisor.say(ANN, "red", "too late", "ann", "parlour")
                stopped = await door.supervisor.stop(ANN, "red", False)
                assert (stopped.state, stopped.outcome) == ("stopped", "stopped")
    lines = journal_lines(tmp_path)
    (summary,) = [line for line in lines if line["kind"] == "summary"]
    assert summary["undelivered"]["count"] == 1
    assert len(summary["undelivered"]["times"]) == 1


def world_key(folder: Path) -> Path:
    path = folder / "key-of-bo"
    path.write_text("key-of-bo")
    path.chmod(0o600)
    return path
