"""Other users of the machine: what is not granted is not there."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import trio
from another_user import answers_to, ask_as, folder_for_all, needs_root
from practice import practice_model, practice_world
from real_daemon import LIMIT, RealDaemon, configure, real_daemon

pytestmark = needs_root

NOBODY, LISTENER, OF_THE_DEN, OF_THE_HALL = 65534, 12345, 12346, 12347
ROOMS = f"""
[rooms.den]
kind = "control"
principals = ["uid:{OF_THE_DEN}"]
[rooms.hall]
kind = "control"
principals = ["uid:{OF_THE_HALL}"]
[[grants]]
principal = "uid:{LISTENER}"
verbs = ["seats", "say"]
seats = ["red"]
"""
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("status", {}),
    ("join", {}),
    ("stop", {}),
    ("say", {"text": "hi"}),
    ("pause", {}),
    ("budget", {}),
    ("observe", {}),
    ("recall", {}),
    ("watch", {}),
    ("world", {"action": "check"}),
    ("journals", {}),
    ("receipts", {}),
    ("reset", {}),
    ("recover", {"force": True}),
]


@asynccontextmanager
async def playing_red() -> AsyncGenerator[RealDaemon]:
    """A daemon whose socket all can reach, with red played in the den and blue known only to it."""
    with folder_for_all() as folder:
        async with practice_world(folder, "--speed", "200") as world, practice_model() as model:
            path = configure(
                folder, world.address, model, "red", "blue", more=ROOMS, in_seat='room = "den"'
            )
            async with real_daemon(path) as daemon:
                await trio.Path(folder / "control.sock").chmod(0o666)
                await daemon.join("red")
                yield daemon


async def test_who_is_granted_nothing_learns_nothing():
    """Case 36."""
    async with playing_red() as daemon:
        door = daemon.folder / "control.sock"
        for uid in (NOBODY, 20_000):
            there = await answers_to(door, uid, *[(v, {"seat": "red", **p}) for v, p in ASKED])
            not_there = await answers_to(door, uid, *[(v, {"seat": "zzz", **p}) for v, p in ASKED])
            assert there == not_there
            assert {answer["code"] for answer in there} == {"not_authorized"}
            plain = await ask_as(
                door, uid, *[(v, {}) for v in ("hello", "seats", "drain", "health")]
            )
            assert plain == ["not_authorized"] * 4
        assert (await daemon.seat("red"))["state"] == "running"
        assert f"refused join to uid {NOBODY}" in daemon.log.read_text()


async def test_a_room_speaks_in_its_own_sitting_and_in_no_other():
    async with playing_red() as daemon:
        door = daemon.folder / "control.sock"
        words = {"seat": "red", "text": "turn left", "from": "ann"}
        assert await ask_as(door, OF_THE_HALL, ("say", words)) == ["not_authorized"]
        in_hall = ("say", {**words, "room": "hall"})
        in_den = ("say", {**words, "room": "den"})
        assert await ask_as(door, OF_THE_HALL, in_hall, in_den) == ["not_authorized"] * 2
        assert await ask_as(door, LISTENER, in_hall, in_den) == ["not_authorized"] * 2
        await daemon.until_turns("red", 2)
        assert await ask_as(door, OF_THE_DEN, in_den) == ["ok"]
        with trio.fail_after(LIMIT):
            while "turn" not in _kinds_of_lines_that_say("turn left", daemon):
                await daemon.until_more_turns("red", 1)


def _kinds_of_lines_that_say(words: str, daemon: RealDaemon) -> set[str]:
    (lines,) = daemon.journal_lines().values()
    return {line["kind"] for line in lines if words in str(line)}
