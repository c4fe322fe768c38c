from __future__ import annotations

from functools import partial

import pytest
import trio
import trio.testing

from bodies.pokemon import wire
from bodies.pokemon.seat.client import open_seat
from bodies.pokemon.seat.link import MAX_MESSAGE
from kernel.body import JoinRefused, WorldEnded

LOST = (1000, 1001, 1006, 1008, 1009, 1011, 1012, 4000, 4002, 4004)
ENDED = {4001: "session_ended", 4003: "taken_over"}


async def closes(host, code):
    """Close with this code; 1006 is what a connection cut without a word counts as."""
    if code == 1006:
        await host.cut()
    else:
        await host.close(code)


async def end_of(seat):
    """The end of the world, which must come within ten minutes."""
    with trio.fail_after(600):
        return await seat.wait_ended()


# Case 30


@pytest.mark.parametrize("code", LOST)
async def test_any_other_close_is_a_lost_connection_and_the_session_goes_on(
    host, seat, code, autojump_clock
):
    """Case 30."""
    await closes(host, code)
    assert (await seat.observe()).session_id == "ses_one"
    assert host.operations() == ["world.join", "world.session", "play.observe"]
    assert seat.counters.reconnects == 1


@pytest.mark.parametrize("code", ENDED)
async def test_the_two_ending_close_codes_end_the_world_with_nothing_in_flight(
    host, seat, code, autojump_clock
):
    """Case 30."""
    await closes(host, code)
    ended = await end_of(seat)
    assert (ended.cause, ended.confirmed) == (ENDED[code], code == 4001)
    with pytest.raises(WorldEnded):
        await seat.observe()
    assert len(host.sockets) == 1


@pytest.mark.parametrize("code", ENDED)
async def test_an_ending_close_ends_the_request_in_flight(host, seat, code, autojump_clock):
    async def close(asked):
        await host.close(code)

    host.on["play.act"] = close
    with pytest.raises(WorldEnded) as ended:
        await seat.act(wire.AdvanceDialog(), "key")
    assert ended.value.cause == ENDED[code]


@pytest.mark.parametrize(
    ("code", "cause"), [("session_ended", "session_ended"), ("not_your_session", "taken_over")]
)
@pytest.mark.parametrize("operation", ["play.observe", "play.act", "play.frame"])
async def test_a_refusal_that_says_so_ends_the_world_on_any_operation(
    host, seat, operation, code, cause, autojump_clock
):
    ask = {
        "play.observe": seat.observe,
        "play.act": partial(seat.act, wire.AdvanceDialog(), "key"),
        "play.frame": seat.frame,
    }[operation]
    host.says(operation, ok=False, code=code, message="over")
    with pytest.raises(WorldEnded) as ended:
        await ask()
    assert ended.value.cause == cause
    assert (await end_of(seat)).cause == cause


@pytest.mark.parametrize(
    ("push", "cause"),
    [
        ({}, "session_ended"),
        ({"code": "session_ended"}, "session_ended"),
        ({"code": "not_your_session", "message": "a player came back"}, "taken_over"),
    ],
)
async def test_a_pushed_end_is_the_end_with_nothing_in_flight(
    host, seat, push, cause, autojump_clock
):
    await host.push(push="ended", **push)
    assert (await end_of(seat)).cause == cause


async def test_a_seat_that_was_ended_is_left_already(host, seat, autojump_clock):
    await host.close(4001)
    await end_of(seat)
    assert (await seat.leave()).leave == "confirmed"
    assert "world.leave" not in host.operations()


async def test_a_takeover_leaves_the_seat_unconfirmed(host, seat, autojump_clock):
    await host.close(4003)
    await end_of(seat)
    assert (await seat.leave()).leave == "unconfirmed"


# Case 29


async def test_an_action_whose_answer_was_lost_runs_once_and_its_retry_is_told(
    host, seat, autojump_clock
):
    """Case 29."""

    async def act_and_drop(asked):
        await host.usual(asked)
        host.does_again("play.act")
        await host.cut()

    host.on["play.act"] = act_and_drop
    answer = await seat.act(wire.ButtonPress("a", 4), "key-7")
    assert answer.replayed
    assert list(host.runs) == ["key-7"]
    acts = [asked["input"] for asked in host.asked if asked["operation"] == "play.act"]
    assert len(acts) == 2
    assert acts[0] == acts[1]


async def test_an_action_that_takes_longer_than_its_time_is_asked_for_again_under_its_key(
    host, seat, autojump_clock
):
    async def seventy_seconds(asked):
        answer = await host.usual(asked)
        host.does_again("play.act")
        await trio.sleep(70)
        return answer

    host.on["play.act"] = seventy_seconds
    assert (await seat.act(wire.WalkTo(3, 4), "key")).replayed
    assert trio.current_time() == pytest.approx(1800 / 60 + 5 + 10 + 0.5)


@pytest.mark.parametrize(
    ("action", "seconds"),
    [
        (wire.ButtonPress("a", 60), 16),
        (wire.ButtonPress("a", 60, 3), 18),
        (wire.FrameAdvance(3600), 75),
        (wire.AdvanceDialog(), 45),
        (wire.EnterText("ADA"), 45),
        (wire.SelectMenuEntry("yes"), 45),
    ],
)
async def test_an_action_waits_for_its_frames_the_stall_timeout_and_ten_seconds(
    host, seat, action, seconds, autojump_clock
):
    async def hangs_once(asked):
        host.does_again("play.act")

    host.on["play.act"] = hangs_once
    await seat.act(action, "key")
    assert trio.current_time() == pytest.approx(seconds + 0.5)


async def test_a_request_that_stays_unanswered_over_four_links_is_the_end(
    host, seat, autojump_clock
):
    async def drop(asked):
        await host.cut()

    host.on["play.observe"] = drop
    with pytest.raises(WorldEnded) as ended:
        await seat.observe()
    assert (ended.value.cause, ended.value.confirmed) == ("unreachable", False)
    assert host.operations().count("play.observe") == 4


# Reconnecting


async def test_a_lost_world_is_tried_for_sixty_seconds_at_growing_intervals(
    host, seat, autojump_clock
):
    host.reachable = False
    await host.cut()
    ended = await end_of(seat)
    assert (ended.cause, ended.confirmed) == ("unreachable", False)
    assert host.dialled_at == pytest.approx(
        [0, 0.5, 1.5, 3.5, 7.5, 15.5, 23.5, 31.5, 39.5, 47.5, 55.5]
    )
    assert trio.current_time() == pytest.approx(60)


@pytest.mark.parametrize(("chance", "first"), [(0.0, 0.4), (0.999999, 0.6)])
async def test_each_wait_is_spread_by_a_fifth(
    host, address, applicant, chance, first, autojump_clock
):
    async with open_seat(address, applicant, dial=host.dial, chance=lambda: chance) as seat:
        await seat.join()
        await host.cut()
        await seat.observe()
    assert host.dialled_at == pytest.approx([0, first], abs=1e-3)


async def test_a_request_made_while_the_world_is_lost_waits_for_it(host, seat, autojump_clock):
    host.reachable = False
    await host.cut()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(seat.observe)
        await trio.sleep(5)
        host.reachable = True
    assert trio.current_time() == pytest.approx(7.5)


async def test_another_session_on_the_line_is_not_gone_on_with(host, seat, autojump_clock):
    host.says("world.session", ok=True, sessionId="ses_two")
    await host.cut()
    assert (await end_of(seat)).cause == "unreachable"
    assert "play.observe" not in host.operations()


async def test_a_world_that_forgot_the_token_is_asked_until_it_counts_as_ended(
    host, seat, autojump_clock
):
    host.says("world.session", ok=False, code="unauthorized", message="who?")
    await host.cut()
    assert (await end_of(seat)).cause == "unreachable"
    assert "unauthorized" in seat.ended.detail


async def test_a_session_that_ended_meanwhile_ends_the_world_at_once(host, seat, autojump_clock):
    host.says("world.session", ok=False, code="session_ended", message="")
    await host.cut()
    ended = await end_of(seat)
    assert (ended.cause, ended.confirmed) == ("session_ended", True)
    assert trio.current_time() == pytest.approx(0.5)


async def test_a_body_that_was_replaced_meanwhile_is_noticed(host, seat, autojump_clock):
    await seat.frame()
    host.says("world.session", ok=True, sessionId="ses_one", bodyGeneration=2)
    await host.cut()
    await trio.sleep(1)
    assert seat.screen.generation == 2
    assert seat.screen.frame is None


async def test_a_connection_that_keeps_breaking_is_not_tried_ever_faster(
    host, seat, autojump_clock
):
    async def answer_and_cut(asked):
        await host.sockets[-1].send_message(
            f'{{"id": {asked["id"]}, "ok": true, "sessionId": "ses_one"}}'
        )
        await host.cut()

    host.on["world.session"] = answer_and_cut
    await host.cut()
    await trio.sleep(30)
    assert len(host.dialled_at) <= 8


async def test_a_connection_that_held_for_a_while_starts_the_waits_afresh(
    host, seat, autojump_clock
):
    for _ in range(3):
        await host.cut()
        await trio.sleep(100)
    assert host.dialled_at == pytest.approx([0, 0.5, 100.5, 200.5])
    assert seat.ended is None


# Signs of life


async def test_no_pong_for_twenty_seconds_is_a_lost_connection(host, seat, autojump_clock):
    host.frozen = True
    await trio.sleep(34)
    assert seat.counters.reconnects == 0
    host.frozen = False
    await trio.sleep(2)
    assert seat.counters.reconnects == 1


async def test_an_idle_connection_that_answers_pings_stays(host, seat, autojump_clock):
    await trio.sleep(600)
    assert len(host.sockets) == 1
    assert seat.counters.reconnects == 0


# Messages that are none


@pytest.mark.parametrize("message", ["{", "", "[1, 2]", '"text"', '{"id": "seven"}', b"\xff\x00"])
async def test_a_message_that_is_none_costs_the_connection_and_nothing_else(
    host, seat, message, autojump_clock
):
    async def garble(asked):
        host.does_again("play.act")
        await host.usual(asked)
        await host.sockets[-1].send_message(message)

    host.on["play.act"] = garble
    assert (await seat.act(wire.AdvanceDialog(), "key")).replayed
    assert seat.counters.garbled == 1
    assert seat.counters.reconnects == 1


async def test_a_message_over_4_mib_closes_the_connection_and_says_so(host, seat, autojump_clock):
    host.says("play.observe", padding="x" * MAX_MESSAGE)
    with pytest.raises(WorldEnded):
        await seat.observe()
    assert "a message over 4 MiB" in seat.ended.detail


async def test_a_message_just_below_4_mib_is_read(host, seat, autojump_clock):
    host.says("play.observe", **host.observation(padding="x" * (MAX_MESSAGE - 1000)))
    assert (await seat.observe()).frame == 1


# Losing the world in the join


@pytest.mark.parametrize("code", [1000, 1006, 1011, 4001, 4003])
async def test_a_connection_lost_in_the_join_refuses_it_and_is_not_made_again(
    host, unjoined, code, autojump_clock
):
    async def close(asked):
        await closes(host, code)

    host.on["world.join"] = close
    with pytest.raises(JoinRefused) as refused:
        await unjoined.join()
    assert refused.value.reason == "world_unreachable"
    assert host.operations() == ["world.join"]


@pytest.mark.parametrize(
    "says", [b"", b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", b"SSH-2.0\r\n"]
)
async def test_an_address_where_no_world_speaks_is_told_from_silence_at_once(
    address, applicant, says, autojump_clock
):
    async def dial():
        ours, theirs = trio.testing.memory_stream_pair()
        await ours.send_all(says)
        await ours.send_eof()
        return theirs

    async with open_seat(address, applicant, dial=dial) as seat:
        with pytest.raises(JoinRefused) as refused:
            await seat.join()
    assert refused.value.reason == "world_unreachable"
    assert trio.current_time() == pytest.approx(0)
