"""One connection a request, one line each way: over unix, tcp and TLS."""

import json
import ssl

import pytest
import trio
import trustme


async def _exchange(stream, operation, given=None, **fields):
    request = {"operation": operation, "input": given or {}, **fields}
    async with stream:
        await stream.send_all(json.dumps(request).encode() + b"\n")
        answer = b""
        async for data in stream:
            answer += data
    return json.loads(answer)


async def _open(address, trusted):
    if address.scheme == "unix":
        return await trio.open_unix_socket(address.path)
    if address.scheme == "tls":
        return await trio.open_ssl_over_tcp_stream(
            address.host, address.port, ssl_context=trusted, https_compatible=True
        )
    return await trio.open_tcp_stream(address.host, address.port)


@pytest.mark.parametrize("scheme", ["unix", "tcp", "tls"])
async def test_a_seat_is_played_line_by_line(open_world, tmp_path, scheme):
    authority = trustme.CA()
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(serving)
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    listen = f"unix:{tmp_path}/world.sock" if scheme == "unix" else "tcp://127.0.0.1:0"
    world = await open_world(listen, tls=serving if scheme == "tls" else None)
    address = world.addresses[0]
    assert address.scheme == scheme
    given = {"protocolVersion": 3, "gameId": "firered", "displayName": "T", "harness": "t"}
    joined = await _exchange(await _open(address, trusted), "world.join", given, credential="one")
    act = {"action": {"kind": "frame_advance", "frames": 5}, "idempotencyKey": "k"}
    answers = [
        await _exchange(await _open(address, trusted), "play.act", act, token=joined["token"])
        for _ in range(2)
    ]
    left = await _exchange(await _open(address, trusted), "world.leave", token=joined["token"])
    assert [answer["replayed"] for answer in answers] == [False, True]
    assert "id" not in answers[0]
    assert left["sessionId"] == joined["sessionId"]


async def test_a_takeover_is_told_to_the_older_token_on_its_next_line(open_world, tmp_path):
    world = await open_world(f"unix:{tmp_path}/world.sock")
    address = world.addresses[0]
    given = {"protocolVersion": 3, "gameId": "firered", "displayName": "T", "harness": "t"}
    tokens = [
        (await _exchange(await _open(address, None), "world.join", given, credential="one"))[
            "token"
        ]
        for _ in range(2)
    ]
    old, new = [
        await _exchange(await _open(address, None), "play.observe", token=token) for token in tokens
    ]
    assert old["code"] == "not_your_session"
    assert new["bodyGeneration"] == 1


@pytest.mark.parametrize(
    ("misdeed", "answer"), [("drop-before", b""), ("garbage", b'{"id": 1, "ok": tr\xc3\xbce, \n')]
)
async def test_a_line_can_go_wrong_on_request(open_world, tmp_path, misdeed, answer):
    world = await open_world(f"unix:{tmp_path}/world.sock")
    address = world.addresses[0]
    await _exchange(
        await _open(address, None), "practice.misbehave", {"kind": misdeed, "subject": "join"}
    )
    given = {"protocolVersion": 3, "gameId": "firered", "displayName": "T", "harness": "t"}
    request = {"operation": "world.join", "input": given, "credential": "one"}
    async with await _open(address, None) as stream:
        await stream.send_all(json.dumps(request).encode() + b"\n")
        assert await stream.receive_some() == answer


async def test_half_a_line_is_nothing(open_world, tmp_path):
    world = await open_world(f"unix:{tmp_path}/world.sock")
    async with await _open(world.addresses[0], None) as stream:
        await stream.send_all(b'{"operation": "practice.log"}')
        await stream.send_eof()
        assert await stream.receive_some() == b""


async def test_a_unix_path_left_by_a_killed_world_is_taken_again(open_world, tmp_path):
    path = tmp_path / "world.sock"
    left = trio.socket.socket(trio.socket.AF_UNIX)
    await left.bind(str(path))
    left.close()
    world = await open_world(f"unix:{path}")
    answer = await _exchange(await _open(world.addresses[0], None), "practice.log")
    assert answer["ok"] is True
