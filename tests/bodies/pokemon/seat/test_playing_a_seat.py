from __future__ import annotations

import json

import pytest
import trio
import trio.testing

from bodies.pokemon import wire
from bodies.pokemon.seat.client import Applicant, Credential, open_seat
from bodies.pokemon.seat.troubles import GarbledAnswer, OperationRefused, StaleAnswer
from kernel.body import JoinRefused, Leave, WorldEnded

# Joining


async def test_a_join_names_the_protocol_the_game_and_the_credential_and_no_token(
    host, unjoined, autojump_clock
):
    joined = await unjoined.join()
    assert host.asked == [
        {
            "id": 1,
            "operation": "world.join",
            "input": {
                "protocolVersion": 3,
                "gameId": "firered",
                "displayName": "Ada",
                "harness": "playd",
            },
            "credential": "credential-of-the-player",
        }
    ]
    assert joined.session_id == "ses_one"
    assert joined.limits == wire.Limits(64, 1800, 5000)


async def test_only_the_join_carries_the_credential_and_all_else_the_token(
    host, seat, autojump_clock
):
    await seat.observe()
    await seat.leave()
    assert all("credential" not in asked for asked in host.asked[1:])
    assert {asked["token"] for asked in host.asked[1:]} == {"token-of-the-session"}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("world_full", "world_full"),
        ("game_unavailable", "region_not_hosted"),
        ("unauthorized", "world_refused"),
        ("rate_limited", "world_refused"),
        ("session_ended", "world_refused"),
        ("a_new_word", "world_refused"),
    ],
)
async def test_a_refused_join_has_a_word_for_people(host, unjoined, code, reason, autojump_clock):
    host.says("world.join", ok=False, code=code, message="not today")
    with pytest.raises(JoinRefused) as refused:
        await unjoined.join()
    assert refused.value.reason == reason


async def test_the_worlds_message_is_told_up_to_300_characters(host, unjoined, autojump_clock):
    host.says("world.join", ok=False, code="odd", message="x" * 5000)
    with pytest.raises(JoinRefused) as refused:
        await unjoined.join()
    assert refused.value.detail == "x" * 300


async def test_without_a_credential_nothing_is_dialled(host, address, autojump_clock):
    async with open_seat(address, Applicant("firered", "Ada", None), dial=host.dial) as seat:
        with pytest.raises(JoinRefused) as refused:
            await seat.join()
    assert refused.value.reason == "no_credential"
    assert host.dialled_at == []


async def test_an_unreachable_world_refuses_at_once(host, unjoined, autojump_clock):
    host.reachable = False
    with pytest.raises(JoinRefused) as refused:
        await unjoined.join()
    assert refused.value.reason == "world_unreachable"
    assert len(host.dialled_at) == 1


async def test_a_join_that_nobody_answers_is_unreachable_after_ten_seconds(
    host, unjoined, autojump_clock
):
    host.is_silent_on("world.join")
    with pytest.raises(JoinRefused) as refused:
        await unjoined.join()
    assert refused.value.reason == "world_unreachable"
    assert trio.current_time() == pytest.approx(10)
    assert host.operations() == ["world.join"]


@pytest.mark.parametrize("missing", wire.NEEDED_CAPABILITIES)
async def test_a_world_without_a_needed_capability_is_left_again(
    host, unjoined, missing, autojump_clock
):
    host.joined["capabilities"].remove(missing)
    with pytest.raises(JoinRefused, match=missing) as refused:
        await unjoined.join()
    assert refused.value.reason == "world_refused"
    assert host.operations() == ["world.join", "world.leave"]


@pytest.mark.parametrize("odd", [{"protocolVersion": 4}, {"gameId": "emerald"}])
async def test_a_world_that_gives_something_else_is_left_again(host, unjoined, odd, autojump_clock):
    host.joined |= odd
    with pytest.raises(JoinRefused) as refused:
        await unjoined.join()
    assert refused.value.reason == "world_refused"
    assert host.operations() == ["world.join", "world.leave"]


async def test_a_join_cancelled_while_the_world_decides_gives_the_seat_back(
    host, unjoined, autojump_clock
):
    async def slowly(asked):
        await trio.sleep(1.5)
        return host.joined

    host.on["world.join"] = slowly
    with trio.move_on_after(0.5):
        await unjoined.join()
    assert host.operations() == ["world.join", "world.leave"]


async def test_a_cancelled_join_waits_no_longer_than_two_seconds(host, unjoined, autojump_clock):
    host.is_silent_on("world.join")
    with trio.move_on_after(0.5):
        await unjoined.join()
    assert trio.current_time() == pytest.approx(2.5)


# Requests and answers


async def test_answers_in_another_order_reach_their_own_requests(host, seat, autojump_clock):
    first_may_answer = trio.Event()

    async def act(asked):
        await first_may_answer.wait()
        return await host.usual(asked)

    async def observe(asked):
        first_may_answer.set()
        return await host.usual(asked)

    host.on["play.act"] = act
    host.on["play.observe"] = observe
    got = []
    async with trio.open_nursery() as nursery:

        async def play():
            got.append(await seat.act(wire.AdvanceDialog(), "key"))

        nursery.start_soon(play)
        await trio.testing.wait_all_tasks_blocked()
        got.append(await seat.observe())
    assert [type(answer) for answer in got] == [wire.Observation, wire.ActAnswer]


async def test_pushes_between_a_request_and_its_answer_do_not_confuse_it(
    host, seat, autojump_clock
):
    async def observe(asked):
        await host.push(push="observation", **host.observation(generation=1))
        await host.push(push="frame", **host.picture(1))
        await host.push(push="weather", rain=True)
        return await host.usual(asked)

    host.on["play.observe"] = observe
    assert (await seat.observe()).frame == 1
    assert seat.screen.frame is not None
    assert seat.counters.garbled == 1  # the push that nobody knows


async def test_a_cancelled_request_leaves_the_connection_usable_and_its_answer_is_counted(
    host, seat, autojump_clock
):
    async def slowly(asked):
        await trio.sleep(3)
        return host.observation(frame=9)

    host.on["play.observe"] = slowly
    with trio.move_on_after(1):
        await seat.observe()
    host.does_again("play.observe")
    assert (await seat.observe()).frame == 1
    await trio.sleep(5)
    assert seat.counters.late_answers == 1
    assert len(host.sockets) == 1


async def test_a_refused_operation_tells_code_message_and_when_to_ask_again(
    host, seat, autojump_clock
):
    host.says("play.observe", ok=False, code="rate_limited", message="slow", retryAfterMs=700)
    with pytest.raises(OperationRefused) as refused:
        await seat.observe()
    assert (refused.value.code, refused.value.message) == ("rate_limited", "slow")
    assert refused.value.retry_after_ms == 700
    assert seat.ended is None


async def test_what_is_nested_beyond_reading_is_no_message_and_the_seat_goes_on(
    host, seat, autojump_clock
):
    await host.sockets[-1].send_message('{"push":' + "[" * 20_000)
    assert (await seat.observe()).frame == 1
    assert seat.counters.garbled == 1
    assert seat.counters.reconnects == 1


async def test_an_answer_of_another_shape_fails_alone_and_names_the_field(
    host, seat, autojump_clock
):
    host.says("play.observe", **host.observation(frame="seven"))
    with pytest.raises(GarbledAnswer, match=r"\$\.frame"):
        await seat.observe()
    host.does_again("play.observe")
    assert (await seat.observe()).frame == 1
    assert seat.counters.garbled == 1


async def test_a_rejected_action_carries_what_the_world_says_beside_the_reason(
    host, seat, autojump_clock
):
    host.says(
        "play.act",
        sessionId="ses_one",
        bodyGeneration=1,
        frame=4,
        replayed=False,
        outcome={
            "kind": "rejected",
            "refusal": {
                "reason": "walk_target_impassable",
                "nearestOpen": {"mapId": "meadow", "x": 3, "y": 4},
            },
        },
    )
    answer = await seat.act(wire.WalkTo(3, 5), "key")
    assert answer.outcome == wire.Rejected(
        wire.ActionRefusal("walk_target_impassable", nearest_open=wire.MapPoint("meadow", 3, 4))
    )


# Frames and bodies


async def test_only_newer_frames_are_shown_and_gaps_are_counted(host, seat, autojump_clock):
    host.frame = 5
    assert (await seat.frame()).frame == 5
    await host.push(push="frame", **host.picture(4))
    await host.push(push="frame", **host.picture(9, dropped=3))
    host.frame = 7
    assert (await seat.frame()).frame == 9
    assert seat.counters.frames_lost == 3
    assert seat.counters.frames_old == 2
    assert seat.counters.frames_received == 2


async def test_a_new_body_drops_the_picture_of_the_old_one(host, seat, autojump_clock):
    host.frame = 50
    await seat.frame()
    await host.push(push="observation", **host.observation(generation=2))
    await trio.testing.wait_all_tasks_blocked()
    assert seat.screen.frame is None
    host.generation, host.frame = 2, 1
    assert (await seat.frame()).frame == 1


async def test_an_observation_of_an_older_body_is_asked_for_again(host, seat, autojump_clock):
    generations = iter([2, 1, 2])

    async def observe(asked):
        return host.observation(generation=next(generations))

    host.on["play.observe"] = observe
    await seat.observe()
    assert (await seat.observe()).body_generation == 2
    assert seat.counters.stale_answers == 1


async def test_a_world_that_shows_only_an_older_body_is_no_sight(host, seat, autojump_clock):
    host.generation = 3
    await seat.observe()
    host.generation = 2
    with pytest.raises(StaleAnswer):
        await seat.observe()
    with pytest.raises(StaleAnswer):
        await seat.frame()


async def test_an_action_answered_by_an_older_body_is_not_taken_for_the_new_ones(
    host, seat, autojump_clock
):
    await host.push(push="observation", **host.observation(generation=2))
    with pytest.raises(StaleAnswer):
        await seat.act(wire.AdvanceDialog(), "key")


# Leaving


async def test_the_exact_receipt_confirms_a_leave_and_ends_the_seat(host, seat, autojump_clock):
    left = await seat.leave()
    assert left.leave == "confirmed"
    assert json.loads(left.receipt or "")["sessionId"] == "ses_one"
    with pytest.raises(WorldEnded):
        await seat.observe()


@pytest.mark.parametrize(
    ("answer", "leave"),
    [
        ({"ok": False, "code": "session_ended"}, "confirmed"),
        ({"ok": False, "code": "not_your_session"}, "unconfirmed"),
        ({"ok": False, "code": "rate_limited"}, "unconfirmed"),
        ({"ok": True, "sessionId": "ses_two", "endedAt": "now"}, "unconfirmed"),
        ({"ok": True}, "unconfirmed"),
    ],
)
async def test_nothing_else_confirms_a_leave_but_the_worlds_word_that_it_ended(
    host, seat, answer, leave, autojump_clock
):
    host.says("world.leave", **answer)
    assert (await seat.leave()).leave == leave


async def test_a_leave_that_nobody_answers_is_unconfirmed_after_ten_seconds(
    host, seat, autojump_clock
):
    host.is_silent_on("world.leave")
    before = trio.current_time()
    assert await seat.leave() == Leave("unconfirmed")
    assert trio.current_time() - before == pytest.approx(10)


async def test_who_never_joined_has_nothing_to_leave(host, unjoined, autojump_clock):
    assert await unjoined.leave() == Leave("not_joined")
    assert host.asked == []


async def test_a_leave_can_still_be_said_when_everything_around_is_cancelled(
    host, address, applicant, autojump_clock
):
    left = None
    with trio.CancelScope() as around:
        async with open_seat(address, applicant, dial=host.dial) as seat:
            await seat.join()
            around.cancel()
            with trio.CancelScope(shield=True):
                left = await seat.leave()
    assert left is not None
    assert left.leave == "confirmed"


async def test_what_the_caller_raises_comes_out_as_it_was(host, address, applicant, autojump_clock):
    async def stumble():
        async with open_seat(address, applicant, dial=host.dial) as seat:
            await seat.join()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await stumble()


# Secrets


async def test_no_repr_and_no_error_shows_the_credential_or_the_token(
    host, unjoined, autojump_clock
):
    secrets = ("credential-of-the-player", "token-of-the-session")
    echo = f"{secrets[0]} and {secrets[1]}"
    joined = await unjoined.join()
    host.says("play.observe", ok=False, code=secrets[1], message=echo)
    with pytest.raises(OperationRefused) as refused:
        await unjoined.observe()
    host.says("play.frame", **host.picture(1, encoding=secrets[1]))
    with pytest.raises(GarbledAnswer) as garbled:
        await unjoined.frame()
    shown = [
        repr(joined),
        str(joined),
        repr(Credential(secrets[0])),
        repr(Applicant("firered", "Ada", Credential(secrets[0]))),
        repr(wire.Request("play.observe", {}, token=secrets[1], credential=secrets[0])),
        repr(refused.value),
        repr(refused.value.message),
        repr(garbled.value),
    ]
    for secret in secrets:
        assert not [text for text in shown if secret in text]
