"""Callers of other uids, as processes of their own. Only root can start those."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from another_user import ask_as, folder_for_all, needs_root

from config.settings import ControlRoom, Grant, PokemonSeat, Settings
from daemon.control.peers import OVERFLOW_UID, caller_of

RED = PokemonSeat(address="ws://127.0.0.1:1", game="firered", display_name="Red", model="m")
SETTINGS = Settings(
    seats={"red": RED, "blue": RED},
    rooms={"den": ControlRoom(principals=frozenset(("uid:12347",)))},
    grants=(
        Grant(principal="uid:12345", verbs=frozenset(("seats", "say")), seats=frozenset(("red",))),
        Grant(principal="uid:12346", verbs=frozenset(("seats", "stop")), seats=frozenset(("*",))),
        Grant(principal="anyone", verbs=frozenset(("health",))),
    ),
)
NOBODY_ELSE = Settings(seats=SETTINGS.seats)


@pytest.fixture
def open_folder() -> Any:
    """A folder that other uids can pass through, which a test's own folder is not."""
    with folder_for_all() as folder:
        yield folder


@pytest.fixture
def door_for_all(open_folder: Path, serving: Any) -> Callable[[Settings], Any]:
    @asynccontextmanager
    async def opened(settings: Settings) -> AsyncIterator[Any]:
        async with serving(open_folder, settings) as door:
            await trio.Path(door.path).chmod(0o666)
            yield door

    return opened


DoorForAll = Callable[[Settings], AbstractAsyncContextManager[Any]]


@needs_root
async def test_another_uid_gets_what_it_is_granted_and_nothing_else(door_for_all: DoorForAll):
    async with door_for_all(SETTINGS) as door:
        door.daemon.holding.set()
        assert await ask_as(
            door.path,
            12345,
            ("hello", {}),
            ("health", {}),
            ("seats", {}),
            ("reload", {}),
            ("stop", {"seat": "red"}),
            ("say", {"seat": "red", "text": "hi"}),
            ("say", {"seat": "blue", "text": "hi"}),
        ) == ["ok", "ok", "ok", "not_authorized", "not_authorized", "not_playing", "not_authorized"]


@needs_root
async def test_a_refusal_does_not_say_whether_the_seat_exists(
    door_for_all: DoorForAll, caplog: pytest.LogCaptureFixture
):
    async with door_for_all(SETTINGS) as door:
        for uid in (12345, 12347, 12399):
            for seat in ("blue", "no-such-seat"):
                asked = [
                    (verb, {"seat": seat, **more})
                    for verb, more in (
                        ("stop", {}),
                        ("join", {}),
                        ("say", {"text": "hi"}),
                        ("watch", {}),
                        ("status", {}),
                        ("recover", {"force": True}),
                        ("world", {"action": "check"}),
                        ("receipts", {}),
                    )
                ]
                codes = await ask_as(door.path, uid, *asked)
                assert codes == ["not_authorized"] * len(asked), (uid, seat)
    assert "refused stop to uid 12399" in caplog.text


@needs_root
async def test_with_nothing_granted_not_even_hello_is_answered(door_for_all: DoorForAll):
    async with door_for_all(NOBODY_ELSE) as door:
        assert (
            await ask_as(door.path, 12345, ("hello", {}), ("seats", {})) == ["not_authorized"] * 2
        )


@needs_root
async def test_the_overflow_uid_matches_not_even_anyone(door_for_all: DoorForAll):
    async with door_for_all(SETTINGS) as door:
        assert await ask_as(door.path, OVERFLOW_UID, ("health", {})) == ["not_authorized"]


async def test_the_kernel_names_a_callers_uid_process_and_groups(door_for_all: DoorForAll):
    async with (
        door_for_all(SETTINGS) as door,
        await trio.open_unix_socket(os.fspath(door.path)) as stream,
    ):
        ours = caller_of(stream.socket)
        assert (ours.uid, ours.gid, ours.pid) == (os.geteuid(), os.getegid(), os.getpid())
        assert ours.groups == frozenset(os.getgroups())


@needs_root
async def test_a_room_is_spoken_for_by_its_principals_alone(door_for_all: DoorForAll):
    acknowledgement = {"deliveryId": "d", "outcome": "played"}
    async with door_for_all(SETTINGS) as door:
        assert await ask_as(
            door.path,
            12347,
            ("watch", {"room": "den"}),
            ("say", {"seat": "red", "text": "hi", "room": "den"}),
            ("receipts", {"acknowledge": acknowledgement}),
        ) == ["ok", "not_authorized", "bad_params"]
        assert (
            await ask_as(
                door.path,
                12346,
                ("watch", {"room": "den"}),
                ("receipts", {"room": "den", "acknowledge": acknowledgement}),
            )
            == ["not_authorized"] * 2
        )


@needs_root
async def test_a_reload_that_takes_a_grant_away_holds_at_once(door_for_all: DoorForAll):
    async with door_for_all(SETTINGS) as door:
        door.daemon.settings = NOBODY_ELSE
        assert await ask_as(door.path, 12345, ("seats", {})) == ["not_authorized"]
        door.daemon.settings = SETTINGS
        assert await ask_as(door.path, 12345, ("seats", {})) == ["ok"]
