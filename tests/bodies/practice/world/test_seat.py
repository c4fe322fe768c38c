"""Joining, driving, losing and leaving a seat over a real websocket."""

import json
import re

import pytest
import trio
from trio_websocket import ConnectionClosed

TILE_AT_THE_BED = {"x": 12, "y": 10}


async def test_a_join_gives_a_session_with_every_capability_and_the_limits(world):
    async with world.drive() as driver:
        joined = await driver.join()
    assert joined["ok"] is True
    assert joined["protocolVersion"] == 3
    assert {"world.observe", "world.act", "world.frames"} < set(joined["capabilities"])
    assert joined["limits"] == {
        "maxInputsPerAction": 64,
        "maxFramesPerAction": 1800,
        "stallTimeoutMs": 5000,
    }


JOINS = [
    ({}, {}, "unauthorized"),
    ({"protocolVersion": 2}, {"credential": "one"}, "invalid_input"),
    ({"gameId": "emerald"}, {"credential": "one"}, "game_unavailable"),
    ({"region": "coast"}, {"credential": "one"}, "invalid_input"),
    ({"displayName": ""}, {"credential": "one"}, "invalid_input"),
]


@pytest.mark.parametrize(("changed", "secret", "code"), JOINS)
async def test_a_join_that_is_wrong_is_refused_with_its_code(world, changed, secret, code):
    given = {"protocolVersion": 3, "gameId": "firered", "displayName": "T", "harness": "t"}
    async with world.drive() as driver:
        answer = await driver.ask("world.join", given | changed, **secret)
    assert (answer["ok"], answer["code"]) == (False, code)


async def test_a_credential_that_the_world_does_not_know_is_unauthorized(open_world):
    world = await open_world(players={"known": "ada"})
    async with world.drive() as driver:
        assert (await driver.join("unknown"))["code"] == "unauthorized"
        assert (await driver.join("known"))["playerId"] == "ada"


async def test_a_full_world_refuses_a_new_player_but_not_one_who_is_seated(open_world):
    world = await open_world(seats=1)
    async with world.drive() as first, world.drive() as second, world.drive() as again:
        await first.join("one")
        assert (await second.join("two"))["code"] == "world_full"
        assert (await again.join("one"))["ok"] is True


@pytest.mark.parametrize(
    ("token", "code"), [(None, "unauthorized"), ("made-up", "not_your_session")]
)
async def test_without_the_token_of_a_session_nothing_is_done(world, token, code):
    async with world.drive() as driver:
        driver.token = token
        assert (await driver.observe())["code"] == code


async def test_a_second_join_takes_the_seat_over(world):
    async with world.drive() as old, world.drive() as fresh:
        first = await old.join()
        second = await fresh.join()
        ended = await old.socket.get_message()
        with pytest.raises(ConnectionClosed) as closed:
            await old.socket.get_message()
        assert '"push":"ended"' in ended
        assert closed.value.reason.code == 4003
        assert second["playerId"] == first["playerId"]
        assert second["sessionId"] != first["sessionId"]
        joins = await fresh.log("join")
        assert joins[1]["tookOver"] == first["sessionId"]
        assert joins[0]["driver"] != joins[1]["driver"]
        fresh.token = first["token"]
        assert (await fresh.observe())["code"] == "not_your_session"


async def test_a_takeover_cuts_the_action_that_was_under_way(open_world):
    world = await open_world(speed=1.0)
    async with world.drive() as old, world.drive() as fresh:
        await old.join()
        await old.send_act("frame_advance", frames=1800, key="long")
        await old.ask("practice.log")
        await fresh.join()
        cut = (await fresh.log("act"))[0]
    assert (cut["outcome"], cut["idempotencyKey"]) == ("cut", "long")


async def test_leaving_gives_the_receipt_and_closes_with_4001(world):
    async with world.drive() as driver:
        joined = await driver.join()
        receipt = await driver.ask("world.leave")
        assert (receipt["ok"], receipt["sessionId"]) == (True, joined["sessionId"])
        assert '"push":"ended"' in await driver.socket.get_message()
        with pytest.raises(ConnectionClosed) as closed:
            await driver.socket.get_message()
        assert closed.value.reason.code == 4001
    async with world.drive() as later:
        later.token = joined["token"]
        assert (await later.ask("world.leave"))["code"] == "session_ended"


async def test_a_session_outlives_its_connection(world):
    async with world.drive() as first:
        joined = await first.join()
    async with world.drive() as second:
        second.token = joined["token"]
        answer = await second.ask("world.session")
    assert (answer["ok"], answer["sessionId"]) == (True, joined["sessionId"])


async def test_a_key_runs_once_and_its_retry_is_replayed_on_another_connection(world):
    async with world.drive() as first:
        joined = await first.join()
        ran = await first.act("frame_advance", frames=30, key="same")
    async with world.drive() as second:
        second.token = joined["token"]
        again = await second.act("frame_advance", frames=30, key="same")
        other = await second.act("frame_advance", frames=31, key="same")
        acts = await second.log("act")
    assert (ran["replayed"], again["replayed"]) == (False, True)
    assert again | {"id": 0, "replayed": False} == ran | {"id": 0}
    assert other["code"] == "invalid_input"
    assert [act["replayed"] for act in acts] == [False, True]


async def test_progress_is_restored_at_the_next_join(world):
    async with world.drive() as driver:
        await driver.join()
        await driver.start_walking()
        await driver.act("walk_to", **TILE_AT_THE_BED)
        before = (await driver.observe())["state"]
        await driver.ask("world.leave")
    async with world.drive() as driver:
        await driver.join()
        after = (await driver.observe())["state"]
    assert after["overworld"] == before["overworld"]


async def test_each_player_sees_the_other_among_the_npcs(world):
    async with world.drive() as one, world.drive() as two:
        await one.join("one")
        await two.join("two")
        await one.start_walking()
        await one.act("walk_to", **TILE_AT_THE_BED)
        await two.start_walking()
        npcs = (await two.observe())["state"]["npcs"]
        who = (await one.ask("world.who"))["players"]
    assert [(npc["x"], npc["y"]) for npc in npcs] == [tuple(TILE_AT_THE_BED.values())]
    assert len(who) == 2


async def test_emerald_reads_less_and_says_so_by_absence(open_world):
    world = await open_world(games=("firered", "emerald"))
    async with world.drive() as driver:
        await driver.join(game="emerald")
        await driver.start_walking()
        seen = await driver.observe()
    assert seen["gameId"] == "emerald"
    assert "npcs" not in seen["state"]
    assert seen["state"]["dialogLines"] == []


async def test_travel_replaces_the_body_in_another_region(world):
    async with world.drive() as driver:
        await driver.join()
        refused = await driver.ask("world.travel", {"regionId": "coast"})
        await driver.start_walking()
        moved = await driver.ask("world.travel", {"regionId": "coast"})
        seen = await driver.observe()
        regions = (await driver.ask("world.regions"))["regions"]
    assert refused["code"] == "invalid_input"
    assert (moved["ok"], moved["bodyGeneration"]) == (True, 2)
    assert seen["bodyGeneration"] == 2
    assert seen["state"]["overworld"]["mapId"] == "saltmarsh"
    assert [region["here"] for region in regions] == [False, True]


async def test_a_challenge_is_asked_seen_and_answered_once(world):
    async with world.drive() as one, world.drive() as two:
        joined = await one.join("one")
        opponent = await two.join("two")
        asked = await one.ask("world.challenge", {"playerId": opponent["playerId"]})
        seen = (await two.ask("world.challenges"))["challenges"]
        given = {"challengeId": asked["challengeId"], "accept": True}
        answered = await two.ask("world.answer_challenge", given)
        again = await two.ask("world.answer_challenge", given)
    assert [challenge["challengeId"] for challenge in seen] == [asked["challengeId"]]
    assert answered["winner"] in (joined["playerId"], opponent["playerId"])
    assert again["code"] == "invalid_input"


async def test_too_many_requests_are_told_when_to_come_back(open_world):
    world = await open_world(speed=1.0)
    async with world.drive() as driver:
        await driver.join()
        answers = [await driver.observe() for _ in range(125)]
        while "code" not in answers[-1]:
            answers.append(await driver.observe())
    assert answers[-1]["code"] == "rate_limited"
    assert answers[-1]["retryAfterMs"] > 0


BROKEN = [
    "no json",
    '{"id": 1}',
    '{"id": 1, "operation": "play.observe", "surprise": true}',
    '{"id": 1, "operation": "play.observe", "input": ' + "[" * 50_000,
]


@pytest.mark.parametrize("message", BROKEN)
async def test_a_broken_request_is_invalid_input_and_the_connection_goes_on(world, message):
    async with world.drive() as driver:
        await driver.socket.send_message(message)
        assert '"code":"invalid_input"' in await driver.socket.get_message()
        assert (await driver.join())["ok"] is True


ACTIONS = [
    {"kind": "save_game"},
    {"kind": "button_press", "button": "a"},
    {"kind": "button_press", "button": "a", "holdFrames": 241},
    {"kind": "button_press", "button": "z", "holdFrames": 8},
    {"kind": "frame_advance", "frames": 0},
    {"kind": "frame_advance", "frames": 3601},
    {"kind": "walk_to", "x": 1024, "y": 0},
    {"kind": "walk_to", "x": 1, "y": 1, "run": True},
    {"kind": "enter_text", "text": ""},
    {"kind": "enter_text", "text": "line\nfeed"},
    {"kind": "enter_text", "text": "elevenchars"},
    {"kind": "select_menu_entry"},
]


@pytest.mark.parametrize("action", ACTIONS)
async def test_an_action_outside_the_catalogue_is_invalid_input(world, action):
    async with world.drive() as driver:
        await driver.join()
        answer = await driver.ask("play.act", {"action": action, "idempotencyKey": "k"})
        assert answer["code"] == "invalid_input"
        assert await driver.log("act") == []


async def test_an_operation_that_does_not_exist_is_not_supported(world):
    async with world.drive() as driver:
        await driver.join()
        assert (await driver.ask("play.save"))["code"] == "not_supported"


async def test_what_changes_without_an_action_is_pushed(open_world):
    world = await open_world(push_seconds=0.05)
    async with world.drive() as driver:
        joined = await driver.join()
        kinds = set()
        while kinds != {"observation", "frame"}:
            await driver.observe()
            for push in driver.pushes:
                assert push["sessionId"] == joined["sessionId"]
                kinds.add(push["push"])


async def test_a_world_that_stops_ends_its_sessions_with_1001(open_world):
    world = await open_world()
    async with world.drive() as driver:
        await driver.join()
        world.scope.cancel()
        ended = await driver.socket.get_message()
        with pytest.raises(ConnectionClosed) as closed:
            await driver.socket.get_message()
    assert '"push":"ended"' in ended
    assert closed.value.reason.code == 1001


async def test_a_ping_that_crosses_the_worlds_close_costs_nobody_else_their_world(world):
    address = world.addresses[0]
    async with await trio.open_tcp_stream(address.host, address.port) as stream:
        await stream.send_all(
            b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        await _until(stream, b"\r\n\r\n")
        given = {"protocolVersion": 3, "gameId": "firered", "displayName": "A", "harness": "tests"}
        join = {"id": 1, "operation": "world.join", "input": given, "credential": "one"}
        await stream.send_all(_frame(TEXT, json.dumps(join).encode()))
        token = (await _until(stream, rb'"token":"([^"]+)"'))[1].decode()
        leave = {"id": 2, "operation": "world.leave", "input": {}, "token": token}
        await stream.send_all(_frame(TEXT, json.dumps(leave).encode()))
        await _until(stream, re.escape(CLOSE_4001))
        await stream.send_all(_frame(PING, b"late"))
        while await stream.receive_some():
            pass
    async with world.drive() as other:
        assert (await other.join("two"))["ok"]


TEXT, PING = 0x81, 0x89
CLOSE_4001 = (4001).to_bytes(2, "big")


def _frame(kind: int, payload: bytes) -> bytes:
    """A client's frame; with a mask of zeros the payload stays as it is."""
    short = len(payload) < 126
    size = bytes((len(payload),)) if short else b"\x7e" + len(payload).to_bytes(2, "big")
    return bytes((kind, 0x80 | size[0])) + size[1:] + bytes(4) + payload


async def _until(stream: trio.SocketStream, wanted: bytes) -> re.Match[bytes]:
    told = b""
    with trio.fail_after(60):
        while (found := re.search(wanted, told, re.DOTALL)) is None:
            told += await stream.receive_some()
    return found
