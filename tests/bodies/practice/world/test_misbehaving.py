"""What a world does wrong when it is asked to, seen from the other end of the socket."""

import json

import pytest
import trio
from trio_websocket import ConnectionClosed


@pytest.mark.parametrize(("kind", "runs"), [("drop-before", []), ("drop-after", ["ran"])])
async def test_a_dropped_connection_leaves_the_session_and_the_key_tells_what_ran(
    world, kind, runs
):
    async with world.drive() as first:
        joined = await first.join()
        await first.misbehave(kind)
        with pytest.raises(ConnectionClosed) as closed:
            await first.act("frame_advance", frames=5, key="k")
        assert closed.value.reason.code == 1006
    async with world.drive() as second:
        second.token = joined["token"]
        assert [act["outcome"] for act in await second.log("act")] == runs
        again = await second.act("frame_advance", frames=5, key="k")
        settled = [act for act in await second.log("act") if not act["replayed"]]
    assert again["replayed"] is bool(runs)
    assert len(settled) == 1


@pytest.mark.parametrize("code", [1000, 1001, 1006, 1008, 1011, 1012, 4001, 4003])
async def test_a_connection_closes_with_the_code_that_was_asked_for(world, code):
    async with world.drive() as driver:
        await driver.join()
        await driver.misbehave("close", str(code), subject="observe")
        with pytest.raises(ConnectionClosed) as closed:
            await driver.observe()
    assert closed.value.reason.code == code


@pytest.mark.parametrize(
    ("kind", "code", "close"),
    [("end", "session_ended", 4001), ("takeover", "not_your_session", 4003)],
)
async def test_a_session_is_ended_by_a_push_and_a_close(world, kind, code, close):
    async with world.drive() as driver:
        await driver.join()
        await driver.misbehave(kind)
        assert (await driver.act("frame_advance", frames=5))["code"] == code
        ended = json.loads(await driver.socket.get_message())
        with pytest.raises(ConnectionClosed) as closed:
            await driver.socket.get_message()
    assert (ended["push"], ended["code"]) == ("ended", code)
    assert closed.value.reason.code == close


@pytest.mark.parametrize(
    "code",
    ["world_full", "game_unavailable", "unauthorized", "not_supported", "invalid_input"],
)
async def test_a_join_is_refused_with_the_code_that_was_asked_for(world, code):
    async with world.drive() as driver:
        await driver.misbehave("refuse", code, subject="join")
        assert (await driver.join())["code"] == code
        assert (await driver.join())["ok"] is True


async def test_a_refusal_can_say_when_to_come_back(world):
    async with world.drive() as driver:
        await driver.join()
        await driver.misbehave("refuse", "rate_limited/750", subject="observe")
        refused = await driver.observe()
    assert (refused["code"], refused["retryAfterMs"]) == ("rate_limited", 750)


async def test_a_slow_action_takes_that_much_of_the_worlds_time(open_world):
    world = await open_world(speed=2000.0)
    async with world.drive() as driver:
        await driver.join()
        await driver.misbehave("slow", "70")
        ran = await driver.act("frame_advance", frames=10)
    assert ran["outcome"]["framesSpent"] == 70 * 60 + 10


@pytest.mark.parametrize(("kind", "acted"), [("stall", 0), ("late", 1)])
async def test_an_answer_is_held_back_before_or_after_the_action(world, kind, acted):
    async with world.drive() as driver:
        await driver.join()
        await driver.misbehave(kind, "9999")
        await driver.send_act("frame_advance", frames=1)
        started = (await driver.observe())["frame"]
        while (await driver.observe())["frame"] < started + 60:
            assert driver.pushes == []
        assert len(await driver.log("act")) == acted


async def test_a_body_is_replaced_before_the_operation(world):
    async with world.drive() as driver:
        await driver.join()
        await driver.misbehave("replace-body", subject="observe", nth=2)
        assert (await driver.observe())["bodyGeneration"] == 1
        assert (await driver.observe())["bodyGeneration"] == 2
        assert (await driver.ask("play.frame"))["bodyGeneration"] == 2


SCENES = ["overworld", "dialog", "menu", "naming", "cutscene", "battle", "unknown"]


@pytest.mark.parametrize("scene", SCENES)
async def test_the_scene_flips_between_two_observations(open_world, scene):
    world = await open_world(speed=1.0)
    async with world.drive() as driver:
        await driver.join()
        await driver.misbehave("flip", scene, subject="observe")
        await driver.observe()
        assert (await driver.observe())["scene"]["mode"] == scene


async def test_garbage_is_no_json(world):
    async with world.drive() as driver:
        await driver.join()
        await driver.misbehave("garbage", subject="observe")
        with pytest.raises(json.JSONDecodeError):
            await driver.observe()


async def test_an_oversized_answer_is_over_four_mebibytes(world):
    async with world.drive() as driver:
        joined = await driver.join()
        await driver.misbehave("oversize", subject="session")
        answer = await driver.ask("world.session")
    assert answer["sessionId"] == joined["sessionId"]
    assert len(answer["padding"]) == 4 * 2**20


async def test_a_mute_connection_answers_no_ping_and_its_session_lives_elsewhere(world):
    async with world.drive() as driver, world.drive() as other:
        joined = await driver.join()
        await driver.socket.ping()
        await driver.misbehave("mute", subject="observe")
        with trio.move_on_after(0.2) as waited:
            await driver.observe()
        assert waited.cancelled_caught
        with trio.move_on_after(0.2) as waited:
            await driver.socket.ping()
        assert waited.cancelled_caught
        other.token = joined["token"]
        assert (await other.observe())["sessionId"] == joined["sessionId"]


async def test_a_withheld_capability_is_neither_granted_nor_usable(world):
    async with world.drive() as driver:
        await driver.misbehave("withhold", "world.frames")
        joined = await driver.join()
        assert "world.frames" not in joined["capabilities"]
        assert (await driver.ask("play.frame"))["code"] == "not_supported"


async def test_an_instruction_that_makes_no_sense_is_invalid_input(world):
    async with world.drive() as driver:
        assert (await driver.misbehave("explode"))["code"] == "invalid_input"
        assert (await driver.misbehave("close", "1005"))["code"] == "invalid_input"


async def test_what_went_wrong_on_request_stands_in_the_chronicle(world):
    async with world.drive() as driver:
        await driver.join()
        await driver.misbehave("late", "0", subject="observe")
        await driver.observe()
        entry = (await driver.log("misbehaved"))[0]
    assert (entry["operation"], entry["misdeed"]) == ("play.observe", "late:0")
