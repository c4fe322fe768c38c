"""The verbs from socket to session process and back."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
import trio

Playing = Callable[..., AbstractAsyncContextManager[Any]]


async def result(client: Any, verb: str, **params: Any) -> dict[str, Any]:
    answer = await client.ask(verb, **params)
    assert answer["ok"], answer
    return answer["result"]


async def code(client: Any, verb: str, **params: Any) -> str:
    answer = await client.ask(verb, **params)
    assert not answer["ok"], answer
    return answer["error"]["code"]


async def test_a_seat_is_joined_observed_and_stopped(playing: Playing):
    async with playing("plays", 3) as door, door.client() as client, door.client() as watcher:
        await watcher.send({"id": "w", "verb": "watch", "params": {"seat": "red"}})
        assert (await watcher.line())["event"]["seat"]["state"] == "idle"
        assert (await watcher.line())["event"]["kind"] == "watching"
        joined = await result(client, "join", seat="red")
        assert joined["state"] == "running"
        events: list[dict[str, Any]] = []
        while not events or events[-1]["kind"] != "notable":
            events.append((await watcher.line())["event"])
        turns = [event["card"]["turn"] for event in events if event["kind"] == "turn"]
        assert turns == [0, 1, 2]
        observed = await result(client, "observe", seat="red")
        assert observed["session"]["sessionId"] == joined["sessionId"]
        assert observed["session"]["card"]["turn"] == 2
        assert (await result(client, "sessions"))["sessions"][0]["state"] == "running"
        stopped = await result(client, "stop", seat="red")
        assert (stopped["outcome"], stopped["leave"]) == ("stopped", "confirmed")
        assert await code(client, "observe", seat="red") == "not_playing"
        ended = (await result(client, "sessions", seat="red", all=True))["sessions"]
        assert [(one["state"], one["outcome"]) for one in ended] == [("stopped", "stopped")]


async def test_a_join_that_takes_long_is_pending_and_never_said_to_play(playing: Playing):
    async with playing("never_ready") as door, door.client() as client:
        joined = await result(client, "join", seat="red", wait=0.05)
        assert joined["state"] == "pending"
        assert (await result(client, "status", seat="red"))["seats"][0]["state"] == "starting"


@pytest.mark.parametrize(
    ("behaviour", "expected"), [("refuses", "session_refused"), ("crash_early", "session_failed")]
)
async def test_a_join_that_fails_says_how(playing: Playing, behaviour: str, expected: str):
    async with playing(behaviour) as door, door.client() as client:
        assert await code(client, "join", seat="red") == expected


async def test_words_reach_the_session_before_they_are_acknowledged(playing: Playing):
    async with playing("good") as door, door.client() as client:
        assert await code(client, "say", seat="red", text="hi") == "not_playing"
        joined = await result(client, "join", seat="red", room="parlour")
        said = await result(client, "say", seat="red", text="hi", **{"from": "Ann"})
        assert said["sessionId"] == joined["sessionId"]
        assert (await result(client, "say", seat="red", text="hi", room="parlour"))["id"]


async def test_words_for_another_room_than_the_sittings_are_refused(playing: Playing):
    async with playing("good") as door, door.client() as client:
        await result(client, "join", seat="red")
        assert await code(client, "say", seat="red", text="hi", room="parlour") == "not_authorized"


async def test_pause_resume_and_budget_reach_a_running_sitting(playing: Playing):
    async with playing("good") as door, door.client() as client:
        await result(client, "join", seat="red")
        assert (await result(client, "pause", seat="red"))["paused"] is True
        assert (await result(client, "status", seat="red"))["seats"][0]["state"] == "paused"
        assert (await result(client, "resume", seat="red"))["paused"] is False
        asked = {"seat": "red", "change": {"tokens": None, "maxTurns": 5}}
        changed = await result(client, "budget", **asked)
        assert changed["ceiling"]["tokens"] is None
        assert changed["ceiling"]["maxTurns"] == 5
        default = await result(client, "budget", seat="red", default=True)
        assert default["ceiling"]["tokens"] == 250_000


async def test_the_log_says_who_changed_what_and_never_what_was_said(
    playing: Playing, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("INFO")
    async with playing("good") as door, door.client() as client:
        await result(client, "join", seat="red", budget={"tokens": 20_000})
        await result(client, "budget", seat="red", change={"tokens": 28_000, "dollars": None})
        await result(client, "pause", seat="red")
        await result(client, "resume", seat="red")
        await result(client, "say", seat="red", text="my secret")
        await result(client, "budget", seat="red", change={"tokens": 100_000}, default=True)
        await result(client, "budget", seat="red")
        assert await code(client, "recover", seat="red") == "play_session_active"
        await result(client, "stop", seat="red")
        await result(client, "reset", seat="red")
        await result(client, "drain")
    told = [one.__dict__ for one in caplog.records if one.__dict__.get("PLAYD_EVENT") == "request"]
    uid = told[0]["PLAYD_UID"]
    assert {(one["PLAYD_UID"], one.get("PLAYD_SEAT")) for one in told} == {
        (uid, "red"),
        (uid, None),
    }
    assert [one["message"].removeprefix(f"uid {uid} asked: ") for one in told] == [
        "join tokens=20000",
        "budget tokens=28000 dollars=none",
        "pause",
        "resume",
        "say 9 characters",
        "budget tokens=100000 default",
        "stop",
        "reset",
        "drain",
    ]
    assert "my secret" not in caplog.text


async def test_what_cannot_be_is_refused_by_name(playing: Playing):
    async with playing("good") as door, door.client() as client:
        for verb in ("join", "status", "watch", "budget", "observe", "reset"):
            assert await code(client, verb, seat="nope") == "no_such_seat", verb
        assert await code(client, "join", seat="red", room="nope") == "no_such_room"
        assert await code(client, "watch", room="nope") == "no_such_room"
        assert await code(client, "watch", room="parlour", seat="red") == "bad_params"
        assert await code(client, "world", seat="red", action="start") == "no_world"
        await result(client, "join", seat="red")
        assert await code(client, "join", seat="red") == "play_session_active"


async def test_journals_name_each_run_and_say_when_a_file_is_gone(playing: Playing, tmp_path: Path):
    async with playing("good") as door, door.client() as client:
        joined = await result(client, "join", seat="red")
        (journal,) = (await result(client, "journals", seat="red"))["journals"]
        assert journal["sessionId"] == joined["sessionId"]
        assert journal["bytes"] is None
        path = trio.Path(journal["path"])
        await path.parent.mkdir(exist_ok=True)
        await path.write_bytes(b"x" * 7)
        (journal,) = (await result(client, "journals", seat="red"))["journals"]
        assert journal["bytes"] == 7


async def test_a_drain_answers_refuses_joins_and_ends_everything(playing: Playing):
    async with playing("good") as door, door.client() as client:
        await result(client, "join", seat="red")
        await result(client, "join", seat="blue")
        assert await result(client, "drain") == {"stopped": 2, "failed": 0, "detail": ""}
        assert await code(client, "join", seat="red") == "draining"
        assert (await result(client, "health"))["ready"] is False


async def test_a_client_that_leaves_gives_up_nothing_that_it_began(playing: Playing):
    async with playing("good") as door:
        async with door.client() as client:
            await client.send({"id": 1, "verb": "join", "params": {"seat": "red"}})
        async with door.client() as client:
            await client.send({"id": 1, "verb": "watch", "params": {"seat": "red"}})
            while (event := (await client.line())["event"]).get("seat", {}).get(
                "state"
            ) != "running":
                assert event["kind"] in ("seat", "watching")
