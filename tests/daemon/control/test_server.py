import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from pathlib import Path
from typing import Any, get_args

import pytest
import trio
from hypothesis import HealthCheck, given
from hypothesis import settings as fuzz
from hypothesis import strategies as st
from nasty import spoiled

from config.settings import Settings, Verb
from daemon.control import wire
from daemon.control.outlet import EVENT_BYTES
from daemon.control.verbs import VERBS

DoorOf = Callable[[Settings], AbstractAsyncContextManager[Any]]


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def turn(number: int, text: str = "walks north") -> wire.TurnEnded:
    return wire.TurnEnded(
        seat="red",
        session_id="s-1",
        card=wire.Card(turn=number, at="2026-01-01T00:00:00.000Z", outcome="accepted", effect=text),
        budget=wire.BudgetUsed(
            tokens=1, token_ceiling=None, cost=None, cost_ceiling=None, unreported_calls=0
        ),
    )


async def test_hello_says_who_answers_and_who_asks(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        answer = await client.ask("hello")
    assert answer["ok"] is True
    assert answer["result"]["protocol"] == 1
    assert answer["result"]["uid"] == os.geteuid()
    assert answer["result"]["owner"] is True
    assert door.counted == [("hello", "ok")]


BAD_LINES = [
    (b"garbage\n", None, "bad_request"),
    (b"\n", None, "bad_request"),
    (b"[]\n", None, "bad_request"),
    (b"null\n", None, "bad_request"),
    (b'{"verb": "hello"}\n', None, "bad_request"),
    (b'{"id": true, "verb": "hello"}\n', None, "bad_request"),
    (b'{"id": -1, "verb": "hello"}\n', None, "bad_request"),
    (b'{"id": "", "verb": "hello"}\n', None, "bad_request"),
    (b'{"id": 7, "verb": 8}\n', 7, "bad_request"),
    (b'{"id": 7, "verb": "hello", "extra": 1}\n', 7, "bad_request"),
    (b'{"id": "a", "verb": "fly"}\n', "a", "unknown_verb"),
    (b'{"id": 7, "verb": "hello", "params": {"x": 1}}\n', 7, "bad_params"),
    (b'{"id": 7, "verb": "hello", "params": []}\n', 7, "bad_params"),
    (b'{"id": 7, "verb": "hello", "params": null}\n', 7, "bad_params"),
    (b'{"id": 7, "verb": "join"}\n', 7, "bad_params"),
    (b'{"id": 7, "verb": "join", "params": {"seat": 5}}\n', 7, "bad_params"),
    (b'{"id": 7, "verb": "join", "params": {"seat": "../x"}}\n', 7, "bad_params"),
    (b'{"id": 7, "verb": "say", "params": {"seat": "red", "text": ""}}\n', 7, "bad_params"),
    (b'{"id": 7, "verb": "world", "params": {"seat": "red", "action": "x"}}\n', 7, "bad_params"),
    (b'{"id": 7, "verb": "cancel", "params": {}}\n', 7, "bad_params"),
    (b"\xff\xfe\n", None, "bad_request"),
    (b'{"id": 7, "verb": "\xff"}\n', 7, "bad_request"),
    (b"[" * 60_000 + b"\n", None, "bad_request"),
    (b'{"id": 7, "verb": "hello", "params": ' + b"[" * 50_000 + b"}\n", None, "bad_request"),
]


async def test_a_bad_line_is_answered_and_the_next_one_is_served(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        for line, id, code in BAD_LINES:
            await client.send(line)
            answer = await client.line()
            assert (answer["ok"], answer["id"], answer["error"]["code"]) == (False, id, code), line
            assert set(answer["error"]) == {"code", "message", "detail"}
        assert (await client.ask("hello"))["ok"] is True


@pytest.mark.parametrize(
    ("length", "code"), [(wire.LINE_CAP, "ok"), (wire.LINE_CAP + 1, "too_long")]
)
async def test_a_line_may_be_64_kib_with_its_newline(door_of: DoorOf, length: int, code: str):
    line = b'{"id": 1, "verb": "hello"' + b" " * (length - 27) + b"}\n"
    assert len(line) == length
    async with door_of(Settings()) as door, door.client() as client:
        await client.send(line)
        answer = await client.line()
        assert answer["ok"] if code == "ok" else answer["error"]["code"] == code
        if code != "ok":
            assert await client.line() is None


async def test_a_mebibyte_without_newline_is_told_and_closed(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client, door.client() as other:
        async with trio.open_nursery() as sending:

            async def send_all() -> None:
                with suppress(trio.BrokenResourceError):  # closed while we were at it
                    await client.send(b"x" * 2**20)

            sending.start_soon(send_all)
            assert (await client.line())["error"]["code"] == "too_long"
            assert await client.line() is None
        assert (await other.ask("hello"))["ok"]


async def test_chunks_make_no_difference(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        for byte in b'{"id": 1, "verb": "hello"}\n{"id": 2, "verb": "hello"}\n':
            await client.send(bytes([byte]))
        assert [(await client.line())["id"] for _ in range(2)] == [1, 2]


async def test_a_slow_request_does_not_hold_up_the_next(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        await client.send({"id": "slow", "verb": "health"})
        await client.send({"id": "quick", "verb": "hello"})
        assert (await client.line())["id"] == "quick"
        door.daemon.holding.set()
        assert (await client.line())["id"] == "slow"


async def test_at_most_32_requests_of_a_connection_run_side_by_side(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client, door.client() as other:
        for id in range(40):
            await client.send({"id": id, "verb": "health"})
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert len(door.daemon.asked) == 32
        assert (await other.ask("hello"))["ok"]
        door.daemon.holding.set()
        assert {(await client.line())["id"] for _ in range(40)} == set(range(40))


async def test_a_client_that_stops_sending_still_gets_its_answers(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        await client.send({"id": 1, "verb": "health"})
        await client.send({"id": 2, "verb": "watch"})
        await client.stream.send_eof()
        assert (await client.line())["event"]["kind"] == "watching"
        assert (await client.line()) == {"id": 2, "ok": True, "result": {"sent": 1, "lost": 0}}
        door.daemon.holding.set()
        assert (await client.line())["id"] == 1
        assert await client.line() is None


async def test_a_stream_runs_until_it_is_cancelled(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        await client.send({"id": "w", "verb": "watch"})
        assert await client.line() == {"id": "w", "event": {"kind": "watching"}}
        door.daemon.publish(turn(3))
        event = (await client.line())["event"]
        assert (event["kind"], event["card"]["turn"]) == ("turn", 3)
        await client.send({"id": 2, "verb": "cancel", "params": {"request": "w"}})
        answers = {answer["id"]: answer for answer in [await client.line(), await client.line()]}
        assert answers[2]["result"] == {"cancelled": True}
        assert answers["w"]["result"] == {"sent": 2, "lost": 0}
        assert not door.daemon.watchers
        assert (await client.ask("cancel", request="w"))["result"] == {"cancelled": False}


async def test_a_connection_has_eight_streams_under_ids_of_their_own(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        for id in (*range(8), 3, 8):
            await client.send({"id": id, "verb": "watch"})
        lines = [await client.line() for _ in range(10)]
        refused = [line["id"] for line in lines if line.get("error")]
        assert sorted(refused) == [3, 8]
        assert len(door.daemon.watchers) == 8


@pytest.mark.parametrize("published", [3000, pytest.param(100_000, marks=pytest.mark.long)])
async def test_a_client_that_never_reads_loses_events_and_is_told_how_many(
    door_of: DoorOf, published: int
):
    """Case 37."""
    async with door_of(Settings()) as door, door.client() as sleeper, door.client() as reader:
        await sleeper.send({"id": 1, "verb": "watch"})
        await sleeper.line()
        await reader.send({"id": 1, "verb": "watch"})
        await reader.line()
        size = 2000
        for number in range(published):
            door.daemon.publish(turn(number, "x" * size))
            assert (await reader.line())["event"]["card"]["turn"] == number
        got: list[int] = []
        lost = 0
        while len(got) + lost < published:
            event = (await sleeper.line())["event"]
            if event["kind"] == "lost":
                lost += event["count"]
            else:
                got.append(event["card"]["turn"])
        assert got == list(range(len(got)))
        assert lost > 0
        assert len(got) * size < EVENT_BYTES * 4
        door.daemon.publish(turn(published))
        assert (await sleeper.line())["event"]["card"]["turn"] == published
        await sleeper.send({"id": 2, "verb": "cancel", "params": {"request": 1}})
        answers = {answer["id"]: answer for answer in [await sleeper.line(), await sleeper.line()]}
        assert answers[1]["result"]["lost"] == lost


async def test_an_event_too_long_for_a_line_is_lost_and_counted(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        await client.send({"id": 1, "verb": "watch"})
        await client.line()
        door.daemon.publish(turn(1, "x" * wire.LINE_CAP))
        door.daemon.publish(turn(2))
        assert (await client.line())["event"] == {"kind": "lost", "count": 1}
        assert (await client.line())["event"]["card"]["turn"] == 2


async def test_a_client_that_asks_and_never_reads_is_not_read_on(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client, door.client() as other:
        sent = 0
        async with trio.open_nursery() as sending:

            async def ask_for_ever() -> None:
                nonlocal sent
                while sent < 100_000:
                    await client.send(b'{"id": 1, "verb": "fly"}\n' * 100)
                    sent += 100

            sending.start_soon(ask_for_ever)
            await trio.testing.wait_all_tasks_blocked(0.02)
            assert 0 < sent < 100_000
            assert (await other.ask("hello"))["ok"]
            sending.cancel_scope.cancel()


async def test_a_seventeenth_connection_of_a_uid_is_told_why(door_of: DoorOf):
    async with door_of(Settings()) as door, AsyncExitStack() as held:
        clients = [await held.enter_async_context(door.client()) for _ in range(16)]
        for client in clients:
            assert (await client.ask("hello"))["ok"]
        async with door.client() as one_more:
            answer = await one_more.line()
            assert answer["id"] is None
            assert answer["error"]["code"] == "too_many_connections"
            assert await one_more.line() is None
        await clients[0].stream.aclose()
        await trio.testing.wait_all_tasks_blocked(0.01)
        async with door.client() as one_more:
            assert (await one_more.ask("hello"))["ok"]


async def test_clients_that_go_away_before_their_answer_keep_no_place(door_of: DoorOf):
    async with door_of(Settings()) as door:
        for _ in range(40):
            async with door.client() as client:
                await client.send({"id": 1, "verb": "hello"})
        await trio.testing.wait_all_tasks_blocked(0.01)
        async with door.client() as client:
            assert (await client.ask("hello"))["ok"]


async def test_a_thousand_connections_leave_nothing_behind(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        await client.ask("hello")
        before = open_descriptors()
        for _ in range(1000):
            (await trio.open_unix_socket(os.fspath(door.path))).socket.close()
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert (await client.ask("hello"))["ok"]
        assert open_descriptors() <= before


async def test_a_defect_is_answered_without_a_traceback_or_its_text(
    door_of: DoorOf, caplog: pytest.LogCaptureFixture
):
    async with door_of(Settings()) as door, door.client() as client:
        answer = await client.ask("reload")
        assert answer["error"]["code"] == "internal"
        assert "secret" not in str(answer)
        assert (await client.ask("hello"))["ok"]
    assert door.counted[0] == ("reload", "internal")
    assert "reload failed in the daemon itself" in caplog.text


async def test_a_refusal_from_within_tasks_is_answered_as_what_it_is(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        answer = await client.ask("reset", seat="red")
        assert answer["error"]["code"] == "no_such_seat"
    assert door.counted == [("reset", "no_such_seat")]


async def test_closing_answers_what_was_asked_and_hangs_up(door_of: DoorOf):
    async with door_of(Settings()) as door, door.client() as client:
        await client.send({"id": 1, "verb": "health"})
        await client.send({"id": 2, "verb": "watch"})
        await client.line()
        door.closing.set()
        assert (await client.line())["result"] == {"sent": 1, "lost": 0}
        door.daemon.holding.set()
        assert (await client.line())["id"] == 1
        assert await client.line() is None


def one_line(data: bytes) -> bytes:
    return data.replace(b"\n", b"")[: wire.LINE_CAP - 1]


asked = [
    {"id": 1, "verb": verb, "params": params}
    for verb, params in [
        ("hello", {}),
        ("status", {"seat": "red", "after": "red"}),
        ("sessions", {"seat": "red", "all": True, "limit": 5}),
        (
            "join",
            {"seat": "red", "room": "den", "budget": {"tokens": 1, "dollars": 1.0}, "wait": 0},
        ),
        ("stop", {"seat": "red", "now": True}),
        ("say", {"seat": "red", "text": "hello", "from": "ann", "room": "den"}),
        ("budget", {"seat": "red", "change": {"maxTurns": 3, "maxDuration": 1.0}, "reset": False}),
        ("watch", {"seat": "red", "room": "den"}),
        ("receipts", {"room": "den", "acknowledge": {"deliveryId": "d", "outcome": "played"}}),
        ("cancel", {"request": 1}),
    ]
]
lines = st.binary(max_size=200) | spoiled(asked) | spoiled(asked, keep=("id", "verb"))


@fuzz(
    max_examples=fuzz().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(sent=st.lists(lines.map(one_line), min_size=1, max_size=10))
async def test_whatever_a_client_sends_is_answered_and_the_daemon_serves_on(
    door_of: Any, sent: list[bytes]
):
    async with door_of(Settings()) as door:
        door.daemon.holding.set()
        async with door.client() as client:
            await client.send(b"".join(line + b"\n" for line in sent))
            await client.stream.send_eof()
            answers = 0
            while (line := await client.line()) is not None:
                answers += "ok" in line
            assert answers == len(sent)
        async with door.client() as client:
            assert (await client.ask("hello"))["ok"]
        assert {verb for verb, _ in door.counted} <= {*VERBS, "cancel", "unreadable"}


def test_every_verb_that_can_be_granted_is_answered():
    assert set(VERBS) == set(get_args(Verb))
