"""The spectator view, on the same address as the websocket, and the websocket over TLS."""

import json
import ssl

import httpx
import trio
import trustme
from trio_websocket import open_websocket_url


async def test_a_spectator_sees_a_page_and_the_players_picture(world):
    async with world.drive() as driver, httpx.AsyncClient() as web:
        await driver.join()
        url = (await driver.ask("play.watch", {"visibility": "public"}))["url"]
        page = await web.get(url)
        image = await web.get(f"{url}.png")
        missing = await web.get(f"{url}x.png")
    assert (page.status_code, image.status_code, missing.status_code) == (200, 200, 404)
    assert ".png" in page.text
    assert image.content.startswith(b"\x89PNG")


async def test_a_public_view_stays_and_a_private_one_is_fresh_each_time(world):
    async with world.drive() as driver, httpx.AsyncClient() as web:
        await driver.join()
        urls = [
            (await driver.ask("play.watch", {"visibility": visibility}))["url"]
            for visibility in ("public", "public", "private", "private")
        ]
        statuses = [(await web.get(url)).status_code for url in urls]
    assert urls[0] == urls[1]
    assert len(set(urls)) == 3
    assert statuses == [200, 200, 404, 200]


async def test_without_a_web_address_there_is_no_view(open_world):
    world = await open_world("tcp://127.0.0.1:0")
    joined = await _line(world, "world.join", JOIN, credential="one")
    refused = await _line(world, "play.watch", {"visibility": "public"}, token=joined["token"])
    assert refused["code"] == "not_supported"


async def test_a_websocket_is_served_over_tls_and_a_failed_handshake_hurts_nobody(open_world):
    authority = trustme.CA()
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("localhost").configure_cert(serving)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    world = await open_world(tls=serving)
    assert world.addresses[0].scheme == "wss"
    port = world.addresses[0].port
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(b"GET / HTTP/1.1\r\n\r\n")
    async with open_websocket_url(f"wss://localhost:{port}", ssl_context=trusting) as socket:
        await socket.send_message('{"id": 1, "operation": "practice.log"}')
        assert '"ok":true' in await socket.get_message()


JOIN = {"protocolVersion": 3, "gameId": "firered", "displayName": "T", "harness": "t"}


async def _line(world, operation, given, **fields):
    address = world.addresses[0]
    async with await trio.open_tcp_stream(address.host, address.port) as stream:
        request = {"operation": operation, "input": given, **fields}
        await stream.send_all(json.dumps(request).encode() + b"\n")
        return json.loads(b"".join([data async for data in stream]))
