"""A body over a real motor process: what it believes, and what it survives."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from bodies.minecraft.opening import open_body, settle_session
from kernel.body import BodyTrouble, Decision, JoinRefused, WorldEnded

EMPTY = {"session": None, "phase": None, "termination": None}
SESSION_OF_ANOTHER = {"sessionId": "other", "connectionGeneration": 1}


def decided(body: Any, **action: Any) -> Decision[Any]:
    fields = {"monologue": "m", "intent": "i", **action}
    decision = body.decode(msgspec.json.encode(fields), None)
    assert isinstance(decision, Decision)
    return decision


async def gone(pid: int) -> bool:
    """Whether a process ends within two seconds; a zombie that is no child of ours has ended."""
    for _ in range(200):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except FileNotFoundError:
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True
        await trio.sleep(0.01)
    return False


async def test_a_body_joins_looks_acts_and_leaves(opened: Any) -> None:
    async with opened() as body:
        joined = await body.join()
        assert joined.environment_id == "minecraft"
        assert joined.journey_id == "minecraft:garden:tavern"
        assert joined.connection_generation == 1
        sight = await body.observe()
        assert sight.native.near == ("Kim",)
        settled = await body.act(decided(body, action="chat", text="hi"), "r-0-1", trio.Event())
        effect = body.verify(sight, settled, None)
        assert (settled.outcome, settled.failed, effect.what) == ("settled", False, "verified")
        left = await body.leave()
        assert left.leave == "confirmed"


async def test_the_motor_is_a_descendant_and_nothing_of_it_survives(
    opened: Any, tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    async with opened({"children": str(file)}) as body:
        (pid,) = (await body.join()).descendants
        assert os.getsid(pid) == pid
        assert os.getpgid(pid) == pid
        grandchild = int(file.read_text())
    assert await gone(pid)
    assert await gone(grandchild)


async def test_a_motor_that_ignores_its_end_is_killed(opened: Any, tmp_path: Path) -> None:
    async with opened({"stdin": "deaf"}) as body:
        (pid,) = (await body.join()).descendants
    assert await gone(pid)


async def test_nothing_of_the_environment_but_names_of_places_reaches_a_motor(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret")
    monkeypatch.setenv("PLAYD_SESSION", "session-1")
    async with opened() as body:
        (pid,) = (await body.join()).descendants
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    assert b"sk-secret" not in environment
    assert b"PLAYD_SESSION=session-1" in environment


async def test_a_motor_killed_in_mid_action_ends_the_world_unconfirmed(opened: Any) -> None:
    async with opened({"looks": 1000, "action_status": [{}, {"exit": 9}]}) as body:
        await body.join()
        action = decided(body, action="goto", x=1, y=64, z=1, tolerance=1)
        with pytest.raises(WorldEnded) as ended:
            await body.act(action, "r-0-1", trio.Event())
        assert not ended.value.confirmed
        assert "process ended" in ended.value.cause
        assert (await body.ended()).cause == ended.value.cause
        assert (await body.leave()).leave == "unconfirmed"


async def test_a_motor_that_dies_between_turns_is_noticed_without_being_asked(
    opened: Any,
) -> None:
    async with opened({"poll_events": [{"exit": 0}]}) as body:
        await body.join()
        ended = await body.ended()
        assert not ended.confirmed


async def test_a_motor_that_hangs_on_leave_leaves_it_unconfirmed(opened: Any) -> None:
    async with opened({"leave": [{"hang": True}]}) as body:
        await body.join()
        left = None
        with trio.move_on_after(0.5):
            left = await body.leave()
        assert left is None


async def test_a_leave_that_answers_with_an_empty_status_is_unconfirmed(opened: Any) -> None:
    async with opened({"leave": [{"twist": EMPTY}]}) as body:
        await body.join()
        assert (await body.leave()).leave == "unconfirmed"


async def test_a_body_that_never_joined_says_so(opened: Any) -> None:
    async with opened() as body:
        assert (await body.leave()).leave == "not_joined"


async def test_prints_on_stdout_are_counted_and_cost_nothing(opened: Any) -> None:
    noise = [{"print": "Loaded 3 plugins"}, {"print": '{"jsonrpc": 7}'}]
    async with opened({"observe": noise}) as body:
        await body.join()
        await body.observe()
        await body.observe()
        assert body.stats()["garbled_messages"] == 2


@pytest.mark.parametrize(
    "step",
    [
        {"error": "you need version 1.20.1, not 1.8"},
        {"text": '{"ok": false, "error": "you need version 1.20.1, not 1.8"}'},
        {"text": "you need version 1.20.1, not 1.8"},
    ],
)
async def test_a_start_error_as_text_reaches_the_refusal(opened: Any, step: dict[str, Any]) -> None:
    async with opened({"join": [step]}) as body:
        with pytest.raises(JoinRefused) as refused:
            await body.join()
    assert refused.value.reason == "world_refused"
    assert "you need version 1.20.1" in refused.value.detail


async def test_a_disconnected_join_is_refused_with_the_motors_own_detail(opened: Any) -> None:
    over = {
        "phase": "disconnected",
        "termination": {
            "kind": "confirmed",
            "confirmedAt": "2026-01-01T00:00:00Z",
            "source": "not_connected",
        },
        "detail": "the server is full",
    }
    async with opened({"join": [{"twist": over}]}) as body:
        with pytest.raises(JoinRefused, match="the server is full"):
            await body.join()


async def test_ok_and_not_connected_in_turns_is_refused_with_the_cause_and_one_join_alone(
    opened: Any,
) -> None:
    """Case 27."""
    connecting = {"twist": {"phase": "connecting"}}
    sick: list[dict[str, Any]] = [{"error": "not connected"}, connecting] * 3
    async with opened({"join": [connecting], "status": sick}) as body:
        with pytest.raises(JoinRefused, match="not connected"):
            await body.join()


async def test_not_connected_in_play_is_a_failed_look_and_a_disconnect_the_end(
    opened: Any,
) -> None:
    """Case 27 and 28."""
    over = {
        "phase": "disconnected",
        "termination": {
            "kind": "confirmed",
            "confirmedAt": "2026-01-01T00:00:00Z",
            "source": "connection_end",
        },
    }
    script = {"status": [{"text": '{"ok": false, "error": "not connected"}'}, {}, {"twist": over}]}
    async with opened(script) as body:
        await body.join()
        with pytest.raises(BodyTrouble, match="not connected"):
            await body.observe()
        await body.observe()
        with pytest.raises(WorldEnded) as ended:
            await body.observe()
        assert ended.value.confirmed


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ({"status": [{"twist": {"session": SESSION_OF_ANOTHER}}]}, WorldEnded),
        (
            {"status": [{"twist": {"session": None, "phase": None, "termination": None}}]},
            WorldEnded,
        ),
        ({"status": [{"twist": {"phase": "disconnected"}}]}, BodyTrouble),
        ({"status": [{"twist": {"phase": "dancing"}}]}, BodyTrouble),
        ({"observe": [{"twist": {"session": SESSION_OF_ANOTHER}}]}, BodyTrouble),
        ({"observe": [{"twist": {"facts": "none"}}]}, BodyTrouble),
        ({"observe": [{"text": "all fine"}]}, BodyTrouble),
    ],
)
async def test_a_look_that_proves_nothing_is_none(
    opened: Any, script: dict[str, Any], error: type[Exception]
) -> None:
    async with opened(script) as body:
        await body.join()
        with pytest.raises(error) as raised:
            await body.observe()
    assert not getattr(raised.value, "confirmed", False)


async def test_a_connection_that_the_motor_made_anew_is_followed_and_an_earlier_one_is_not(
    opened: Any,
) -> None:
    """K18."""
    earlier = {"twist": {"session.connectionGeneration": 1}}
    async with opened({"status": [{}, {"reconnect": True}, earlier]}) as body:
        await body.join()
        first, second = await body.observe(), await body.observe()
        assert second.native.status.session.connection_generation == 2
        assert first.fingerprint != second.fingerprint
        with pytest.raises(BodyTrouble, match="earlier connection"):
            await body.observe()
        stats = body.stats()
        assert (stats["reconnects"], stats["stale_answers"]) == (1, 1)
        assert (await body.leave()).leave == "confirmed"


async def test_a_command_that_cannot_be_started_is_refused_by_name(side: Any) -> None:
    options = msgspec.Raw(
        b'{"motor": ["no-such-motor"], "profile": {"id": "p", "host": "h", "port": 1,'
        b' "version": "1.20.1", "username": "Alex"}}'
    )
    async with open_body(options, side) as body:
        with pytest.raises(JoinRefused, match="no-such-motor"):
            await body.join()


async def test_a_motor_that_exits_at_once_is_refused(opened: Any) -> None:
    async with opened({"says": "wrong node version", "status": 1}) as body:
        with pytest.raises(JoinRefused, match="process ended") as refused:
            await body.join()
    assert refused.value.reason == "world_unreachable"


async def test_a_server_that_is_no_motor_is_refused_with_what_it_lacks(opened: Any) -> None:
    async with opened({"tools": ["read_file", "write_file"]}) as body:
        with pytest.raises(JoinRefused, match="lacks the tools act"):
            await body.join()


async def test_a_stop_while_joining_leaves_no_process(opened: Any) -> None:
    async with opened({"join": [{"hang": True}]}) as body:
        with trio.move_on_after(1.5) as scope:
            await body.join()
        assert scope.cancelled_caught
        assert (await body.leave()).leave == "confirmed"


async def test_events_wake_the_player_and_its_own_words_do_not(opened: Any, events: Any) -> None:
    at = "2026-01-01T00:00:00Z"
    said = [
        {"sequence": 1, "at": at, "type": "chat", "data": {"player": "Kim", "text": "hello"}},
        {"sequence": 2, "at": at, "type": "chat", "data": {"player": "Alex", "text": "mine"}},
        {"sequence": 5, "at": at, "type": "damage", "data": {"player": "Alex", "health": 9}},
    ]
    woken = trio.Event()
    events._woken = woken.set
    async with opened({"events": said}) as body:
        await body.join()
        await woken.wait()
        text = events.take(2000)
        assert "Kim said" in text
        assert "mine" not in text
        assert "you were hurt; health 9" in text
        stats = body.stats()
        assert (stats["event_gaps"], stats["events_lost"], stats["events_heard"]) == (1, 2, 2)


async def test_recovery_settles_only_what_the_motor_itself_confirms(options: Any) -> None:
    recovery = '{"sessionId":"s","connectionGeneration":1}'
    own = {"session": {"sessionId": "s", "connectionGeneration": 1}, "phase": "active",
           "termination": {"kind": "not_requested"}}  # fmt: skip
    confirmed = own | {
        "phase": "disconnected",
        "termination": {
            "kind": "confirmed",
            "confirmedAt": "2026-01-01T00:00:00Z",
            "source": "connection_end",
        },
    }
    later = {**confirmed, "session": {"sessionId": "s", "connectionGeneration": 2}}
    cases: list[tuple[dict[str, Any], bool]] = [
        ({}, False),
        ({"status": [{"twist": own}], "leave": [{"twist": confirmed}]}, True),
        ({"status": [{"twist": confirmed}]}, True),
        ({"status": [{"twist": later}]}, False),
        ({"status": [{"twist": own}], "leave": [{"twist": later}]}, False),
    ]
    for script, settled in cases:
        assert await settle_session(options(script), recovery) is settled, script
    for damaged in ("not json", '{"sessionId": ' + "[" * 100_000):
        assert not await settle_session(options({}), damaged)


@pytest.mark.parametrize("wrong", [b"{}", b'{"motor": ["m"], "profile": ' + b"[" * 100_000])
async def test_options_that_cannot_be_read_refuse_the_join(wrong: bytes) -> None:
    with pytest.raises(JoinRefused, match="the seat's options are wrong"):
        await settle_session(msgspec.Raw(wrong), "{}")
