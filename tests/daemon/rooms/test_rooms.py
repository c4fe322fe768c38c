"""Rooms by the configuration as last loaded: who gets what, what is logged, counted, recorded."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from config.settings import ControlRoom, Grant, LogRoom, WebhookRoom
from daemon.control import wire
from daemon.control.peers import Caller
from daemon.refusal import Refusal
from daemon.rooms.ledger import REMEMBERED
from daemon.undelivered import Undelivered
from kernel.journal.evaluation.side_logs import Receipts

JOINS = Grant(principal="uid:1001", verbs=frozenset(("join",)), seats=frozenset(("red",)))
ASKING = Caller(uid=1002, gid=1002, pid=1)
MakeWebhook = Callable[..., WebhookRoom]


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


async def test_words_and_notables_reach_the_sessions_own_room_and_no_other(
    playing_in: Any, make_settings: Any, make_session: Any, receiving: Any,
    webhook: MakeWebhook,
):  # fmt: skip
    async with receiving() as parlour, receiving() as hall:
        settings = make_settings(
            JOINS,
            seats_room="parlour",
            parlour=webhook(parlour.port),
            hall=webhook(hall.port),
        )
        async with playing_in(settings) as played:
            red, alone = make_session("parlour"), make_session(None, seat="blue", number=2)
            for session in (red, alone):
                played.begin(session)
                played.speak(session)
                played.notable(session)
            assert await played.outcomes(2) == ["played", "played"]
    words, notable = [request.json() for request in parlour.requests]
    assert (words["kind"], words["text"], words["turn"]) == ("speak", "a door!", 7)
    assert (notable["kind"], notable["notable"], notable["text"]) == ("notable", "stuck", "thrice")
    assert notable["deliveryId"] == "s1:stuck"
    assert hall.connections == 0


async def test_a_failing_room_is_logged_once_a_session_and_counted_each_time(
    playing_in: Any, make_settings: Any, make_session: Any, receiving: Any,
    webhook: MakeWebhook, caplog: pytest.LogCaptureFixture, tmp_path: Path,
):  # fmt: skip
    async with receiving(b"HTTP/1.1 404 No\r\n\r\n") as one:
        async with playing_in(make_settings(parlour=webhook(one.port))) as played:
            first, second = make_session(), make_session(number=2)
            undelivered = Undelivered()
            played.happenings.observe(undelivered.count)
            for session in (first, second):
                played.begin(session)
                for number in range(5):
                    played.speak(session, id=f"{session.session_id}-{number}")
                played.end(session)
            assert await played.outcomes(10) == ["failed"] * 10
    lines = logged(caplog)
    assert len(lines) == 2
    assert "room parlour: speak failed: it answered 404" in lines[0]
    assert "token=" not in caplog.text, "a URL may carry a secret"
    assert undelivered.problems() == (
        "10 deliveries to room parlour failed; the last: it answered 404",
    )
    receipts = played.receipts()
    assert [receipt["type"] for receipt in receipts] == ["play.delivery.failed"] * 10
    assert (tmp_path / "receipts.jsonl").stat().st_mode & 0o777 == 0o600
    read = Receipts()
    read.read(tmp_path / "receipts.jsonl")
    assert read.verdict_on("s1-0") == "failed"


async def test_a_hanging_webhook_holds_up_nobody_and_a_bounded_number_of_words(
    clock: MockClock, playing_in: Any, make_settings: Any, make_session: Any, receiving: Any,
    webhook: MakeWebhook,
):  # fmt: skip
    async with receiving(None) as hanging, receiving() as quick:
        settings = make_settings(parlour=webhook(hanging.port), hall=webhook(quick.port))
        async with playing_in(settings) as played:
            red, blue = make_session("parlour"), make_session("hall", seat="blue", number=2)
            played.begin(red)
            played.begin(blue)
            before = trio.current_time()
            for number in range(3_000):
                played.speak(red, text="x" * 2000, id=f"r{number}")
            played.speak(blue)
            assert trio.current_time() == before
            await quick.got(1)
            waiting = 3_000 - sum(one.room == "parlour" for one in played.settled)
            assert waiting <= 65
            before = trio.current_time()
        assert trio.current_time() - before <= 4, "the daemon's end waits for no webhook"
    assert len({request.json()["deliveryId"] for request in hanging.requests}) <= 1


async def test_a_reload_that_revokes_the_grant_stops_the_notables_and_says_why(
    playing_in: Any, make_settings: Any, make_session: Any, receiving: Any,
    webhook: MakeWebhook, caplog: pytest.LogCaptureFixture,
):  # fmt: skip
    async with receiving() as one:
        room = webhook(one.port)
        before = make_settings(JOINS, seats_room="parlour", parlour=room)
        async with playing_in(before) as played:
            session = make_session()
            played.begin(session)
            played.notable(session, "stuck")
            assert await played.outcomes(1) == ["played"]
            played.settings = make_settings(seats_room="parlour", parlour=room)
            played.notable(session, "budget_exhausted")
            played.notable(session, "world_ended")
            played.speak(session)
            assert await played.outcomes(4) == ["played", "refused", "refused", "played"]
            played.settings = before
            played.notable(session, "mind_unavailable")
            assert (await played.outcomes(5))[-1] == "played"
    assert [r.json().get("notable") for r in one.requests] == ["stuck", None, "mind_unavailable"]
    (line,) = logged(caplog)
    assert "budget_exhausted refused: uid 1001, who started the sitting, is no longer" in line


async def test_in_a_room_that_is_not_the_seats_the_starter_must_still_speak_for_it(
    playing_in: Any, make_settings: Any, make_session: Any
):
    theirs = LogRoom(principals=frozenset(("uid:1001",)))
    async with playing_in(make_settings(JOINS, parlour=theirs)) as played:
        session = make_session()
        played.begin(session)
        played.notable(session)
        assert await played.outcomes(1) == ["played"]
        played.settings = make_settings(JOINS, parlour=LogRoom())
        played.notable(session, "world_ended")
        assert await played.outcomes(2) == ["played", "refused"]


async def test_a_group_that_the_starter_was_in_grants_as_well(
    playing_in: Any, make_settings: Any, make_session: Any
):
    group = Grant(principal="group:daemon", verbs=frozenset(("join",)), seats=frozenset(("*",)))
    settings = make_settings(group, seats_room="parlour", parlour=LogRoom())
    starter = Caller(uid=1001, gid=1001, pid=1, groups=frozenset((1,)))
    async with playing_in(settings, starter=starter) as played:
        session = make_session()
        played.begin(session)
        played.notable(session)
        assert await played.outcomes(1) == ["played"]


async def test_a_room_that_a_reload_took_away_gets_nothing_and_nobody_else_does(
    playing_in: Any, make_settings: Any, make_session: Any, receiving: Any,
    webhook: MakeWebhook,
):  # fmt: skip
    async with receiving() as old, receiving() as other:
        async with playing_in(make_settings(parlour=webhook(old.port))) as played:
            session = make_session()
            played.begin(session)
            played.settings = make_settings(hall=webhook(other.port))
            played.speak(session)
            played.notable(session)
            assert await played.outcomes(2) == ["failed", "failed"]
            assert played.settled[0].reason == "the configuration has no such room any more"
    assert (old.connections, other.connections) == (0, 0)


async def test_what_is_for_a_room_that_was_gone_before_the_session_began_is_counted(
    playing_in: Any, make_settings: Any, make_session: Any
):
    async with playing_in(make_settings()) as played:
        session = make_session()
        played.begin(session)
        played.settings = make_settings(parlour=LogRoom())
        played.speak(session)
        assert await played.outcomes(1) == ["failed"]
    assert "no such room when the session began" in played.settled[0].reason


async def test_a_session_keeps_the_address_that_it_began_with_and_a_later_one_has_the_new(
    playing_in: Any, make_settings: Any, make_session: Any, receiving: Any,
    webhook: MakeWebhook,
):  # fmt: skip
    async with receiving() as old, receiving() as new:
        async with playing_in(make_settings(parlour=webhook(old.port))) as played:
            first, second = make_session(), make_session(number=2)
            played.begin(first)
            played.settings = make_settings(parlour=webhook(new.port))
            played.begin(second)
            played.speak(first, id="a")
            played.speak(second, id="b")
            await played.outcomes(2)
    assert [request.json()["deliveryId"] for request in old.requests] == ["a"]
    assert [request.json()["deliveryId"] for request in new.requests] == ["b"]


async def test_last_words_are_delivered_after_the_session_has_ended(
    playing_in: Any, make_settings: Any, make_session: Any, receiving: Any,
    webhook: MakeWebhook,
):  # fmt: skip
    async with receiving() as one:
        settings = make_settings(JOINS, seats_room="parlour", parlour=webhook(one.port))
        async with playing_in(settings) as played:
            first, second = make_session(), make_session(number=2)
            played.begin(first)
            played.notable(first, "world_ended")
            played.end(first)
            played.begin(second)
            played.speak(second, id="b")
            await played.outcomes(2)
            played.end(second)
            await wait_all_tasks_blocked()
            played.begin(first)
            played.speak(first, id="c")
            await played.outcomes(3)
    assert [r.json()["deliveryId"] for r in one.requests] == ["s1:world_ended", "b", "c"]


async def test_followers_of_a_control_room_see_deliveries_and_say_what_became_of_them(
    playing_in: Any, make_settings: Any, make_session: Any
):
    async with playing_in(make_settings(parlour=ControlRoom(), hall=LogRoom())) as played:
        session = make_session()
        undelivered = Undelivered()
        played.happenings.observe(undelivered.count)
        played.begin(session)
        played.speak(session, id="nobody is there")
        assert await played.outcomes(1) == ["failed"]
        assert undelivered.problems() == (), "nobody has to follow"
        assert played.settled[0].reason == "nobody follows it on the control socket"
        seen: list[wire.Event] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(played.rooms.follow, "parlour", seen.append)
            await wait_all_tasks_blocked()
            played.speak(session, kind="narration", id="event")
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert [type(event) for event in seen] == [wire.Watching, wire.Spoken]
        assert len(played.settled) == 1, "only the room knows what became of it"
        word = wire.Acknowledgement(delivery_id="event", outcome="suppressed", detail="too late")
        first = await played.rooms.acknowledge(ASKING, "parlour", word)
        again = await played.rooms.acknowledge(
            ASKING, "parlour", wire.Acknowledgement(delivery_id="event", outcome="played")
        )
        assert first == again, "a room's first word stands"
        assert [(one.outcome, one.reason) for one in played.settled[1:]] == [
            ("suppressed", "too late")
        ]
        for room, id in (("parlour", "unknown"), ("hall", "event")):
            with pytest.raises(Refusal, match="no_such_delivery"):
                await played.rooms.acknowledge(
                    ASKING, room, wire.Acknowledgement(delivery_id=id, outcome="played")
                )
        found = await played.rooms.receipts(ASKING, None, None, 50)
        assert [(one.delivery_id, one.outcome) for one in found.receipts] == [
            ("event", "suppressed"),
            ("nobody is there", "failed"),
        ]


async def test_a_flooding_session_pushes_nothing_out_of_another_seats_memory(
    playing_in: Any, make_settings: Any, make_session: Any
):
    async with playing_in(make_settings(parlour=ControlRoom())) as played:
        red, blue = make_session(), make_session(seat="blue", number=2)
        for session in (blue, red):
            played.begin(session)
        played.speak(blue, id="quiet")
        for number in range(REMEMBERED + 10):
            played.speak(red, id=f"loud{number}")
        for id in ("quiet", f"loud{REMEMBERED}"):
            await played.rooms.acknowledge(
                ASKING, "parlour", wire.Acknowledgement(delivery_id=id, outcome="played")
            )
        with pytest.raises(Refusal):
            await played.rooms.acknowledge(
                ASKING, "parlour", wire.Acknowledgement(delivery_id="loud0", outcome="played")
            )


async def test_a_log_room_is_a_line_in_the_log_with_nothing_that_a_terminal_obeys(
    playing_in: Any, make_settings: Any, make_session: Any,
    caplog: pytest.LogCaptureFixture,
):  # fmt: skip
    caplog.set_level(logging.INFO)
    async with playing_in(make_settings(parlour=LogRoom())) as played:
        session = make_session()
        played.begin(session)
        played.speak(session, text="over there")
        assert await played.outcomes(1) == ["played"]
    assert "room parlour: speak: over there" in caplog.text


async def test_receipts_are_read_newest_first_by_room_and_seat_over_a_torn_line(
    playing_in: Any, make_settings: Any, make_session: Any, tmp_path: Path
):
    settings = make_settings(parlour=LogRoom(), hall=LogRoom())
    for round_ in range(2):
        async with playing_in(settings) as played:
            red = make_session(number=1)
            blue = make_session("hall", seat="blue", number=2)
            for session in (red, blue):
                played.begin(session)
                played.speak(session, id=f"{session.seat}{round_}")
            await played.outcomes(2)
        if round_ == 0:
            with (tmp_path / "receipts.jsonl").open("ab") as file:
                file.write(b'{"id": "torn')
    async with playing_in(settings) as played:
        everything = await played.rooms.receipts(ASKING, None, None, 50)
        assert len(everything.receipts) == 4
        of_red = await played.rooms.receipts(ASKING, None, "red", 50)
        assert [one.delivery_id for one in of_red.receipts] == ["red1", "red0"]
        some = await played.rooms.receipts(ASKING, "hall", None, 1)
        assert ([one.delivery_id for one in some.receipts], some.more) == (["blue1"], True)
    for line in (tmp_path / "receipts.jsonl").read_bytes().splitlines():
        msgspec.json.decode(line)


async def test_a_disk_that_takes_no_receipt_costs_receipts_and_nothing_else(
    playing_in: Any, make_settings: Any, make_session: Any, tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
):  # fmt: skip
    (tmp_path / "receipts.jsonl").mkdir()
    undelivered = Undelivered()
    async with playing_in(make_settings(parlour=LogRoom())) as played:
        played.happenings.observe(undelivered.count)
        session = make_session()
        played.begin(session)
        for number in range(3):
            played.speak(session, id=str(number))
        assert await played.outcomes(3) == ["played"] * 3
    assert undelivered.receipts_lost == 3
    assert len(logged(caplog)) == 1
