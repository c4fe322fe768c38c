"""Calls become replies; what was asked to go wrong goes wrong."""

import json
import os

import pytest
import trio

from bodies.practice.motor.conduct import reply
from bodies.practice.motor.host import Host
from bodies.practice.motor.misbehaviour import parse

SESSION = {"sessionId": "s-1", "connectionGeneration": 1}
ENDPOINT = {"host": "localhost", "port": 25565, "version": "1.20.1", "username": "Bot"}
JOIN = {"session": SESSION, "profileId": "home", "endpoint": {**ENDPOINT, "auth": "offline"}}
HELLO = {"session": SESSION, "actionId": "a-1", "action": {"kind": "chat", "text": "hello"}}
LOOK = {"session": SESSION, "actionId": "a-1"}


async def _joined(*specs, **setting):
    host = Host(misdeeds=[parse(spec) for spec in specs], **setting)
    await reply(host, "join", JOIN)
    await trio.sleep(1.5)
    return host


async def _said(host, tool, arguments):
    return json.loads((await reply(host, tool, arguments)).text)


async def test_a_reply_is_the_same_as_text_and_structured(autojump_clock):
    host = await _joined()
    answer = await reply(host, "act", HELLO)
    assert json.loads(answer.text) == answer.structured
    assert answer.is_error is False
    declined = await reply(host, "act", {**HELLO, "actionId": "a-2"})
    assert json.loads(declined.text) == declined.structured
    assert (declined.is_error, declined.structured["code"]) == (True, "busy")


async def test_an_unknown_tool_is_declined(autojump_clock):
    answer = await reply(Host(), "fly", {})
    assert (answer.is_error, answer.structured["code"]) == (True, "unknown_tool")


async def test_the_world_goes_on_while_nobody_asks(autojump_clock):
    host = await _joined(speed=10)
    await reply(host, "act", HELLO)
    await trio.sleep(500)
    assert (await _said(host, "action_status", LOOK))["state"] != "running"
    events = await _said(host, "poll_events", {"session": SESSION, "limit": 64})
    assert events["latestSequence"] > 20


async def test_late_is_done_at_once_and_answered_later(autojump_clock):
    host = await _joined("late:70")
    before = trio.current_time()
    handle = await _said(host, "act", HELLO)
    assert trio.current_time() - before == pytest.approx(70)
    assert handle["state"] == "running"
    assert (await _said(host, "action_status", LOOK))["state"] != "running"


async def test_a_leave_that_hangs_is_neither_done_nor_answered(autojump_clock):
    host = await _joined("hang")
    with trio.move_on_after(3600) as waiting:
        await reply(host, "leave", {"session": SESSION})
    assert waiting.cancelled_caught
    assert (await _said(host, "status", {}))["phase"] == "active"


async def test_a_leave_that_is_stuck_stays_pending(autojump_clock):
    host = await _joined("stuck")
    await reply(host, "leave", {"session": SESSION})
    await trio.sleep(3600)
    assert (await _said(host, "status", {}))["termination"]["kind"] == "pending"


async def test_a_flood_overflows_the_events(autojump_clock):
    host = await _joined("flood")
    page = await _said(host, "poll_events", {"session": SESSION, "limit": 64})
    assert page["latestSequence"] > 1000
    assert page["droppedBeforeSequence"] == page["latestSequence"] - 255


async def test_alternating_every_other_call_is_not_connected(autojump_clock):
    host = await _joined("alternate")
    errors = [(await reply(host, "status", {})).is_error for _ in range(4)]
    assert sorted(errors) == [False, False, True, True]
    assert errors[0] != errors[1]


async def test_a_start_error_is_prose_and_nothing_is_joined(autojump_clock):
    host = Host(misdeeds=[parse("start-error:server is 1.21, bot is 1.8")])
    answer = await reply(host, "join", JOIN)
    assert (answer.text, answer.structured) == ("server is 1.21, bot is 1.8", None)
    assert answer.is_error is True
    assert (await _said(host, "status", {}))["session"] is None


async def test_a_false_success_does_nothing_and_claims_no_error(autojump_clock):
    host = await _joined("false-success")
    answer = await reply(host, "act", HELLO)
    assert answer.is_error is False
    assert json.loads(answer.text)["ok"] is False
    assert (await reply(host, "action_status", LOOK)).structured["code"] == "unknown_action"


async def test_garbage_is_no_json(autojump_clock):
    host = await _joined("garbage")
    answer = await reply(host, "act", HELLO)
    assert answer.structured is None
    with pytest.raises(ValueError):
        json.loads(answer.text)


async def test_a_broken_line_is_told_in_the_status(autojump_clock):
    host = await _joined("break:connection_lost@status=1")
    assert (await _said(host, "status", {}))["phase"] == "uncertain"


async def test_a_reconnect_makes_the_old_generation_stale(autojump_clock):
    host = await _joined("reconnect")
    assert (await reply(host, "act", HELLO)).structured["code"] == "stale_session"
    assert (await _said(host, "status", {}))["session"]["connectionGeneration"] == 2


async def test_a_line_on_standard_output_is_none_of_the_protocols(autojump_clock):
    reading, writing = os.pipe()
    host = await _joined("stdout:Bot spawned", wire=writing)
    await reply(host, "act", HELLO)
    os.close(writing)
    with os.fdopen(reading) as wire:
        assert wire.read() == "Bot spawned\n"


async def test_the_chronicle_tells_calls_endings_and_misdeeds(autojump_clock, tmp_path):
    host = await _joined("unproven", journal=tmp_path / "journal")
    await reply(host, "act", HELLO)
    await trio.sleep(2)
    claimed = await _said(host, "action_status", LOOK)
    await reply(host, "fly", {})
    host.chronicle.close()
    lines = [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()]
    assert [line["kind"] for line in lines] == [
        *("called", "called", "settled", "misbehaved", "called", "called")
    ]
    assert lines[1]["arguments"] == HELLO
    assert lines[-1]["outcome"] == "unknown_tool"
    assert claimed["evidence"] == {"kind": "unknown", "reason": "local_report_only"}
    assert lines[2]["status"]["evidence"] != claimed["evidence"]
