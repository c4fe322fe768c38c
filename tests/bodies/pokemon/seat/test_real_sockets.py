from __future__ import annotations

import ssl
from functools import partial

import pytest
import trio
import trustme
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Request

from bodies.pokemon import wire
from bodies.pokemon.seat.addresses import parse_address
from bodies.pokemon.seat.client import open_seat
from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.seat.dial import BadAuthority
from bodies.pokemon.seat.link import MAX_MESSAGE
from bodies.pokemon.seat.websocket import open_websocket
from kernel.body import JoinRefused, WorldEnded


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def ca_file(authority, tmp_path):
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture
async def listen(host, nursery):
    """Serve the host on a fresh port of loopback; gives the port."""

    async def listen(serve, tls=None):
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        if tls is not None:
            listener = trio.SSLListener(listener, tls)

        async def serve_and_survive(stream):
            # A client that does not trust us hangs up in the handshake; that is not our failure.
            try:
                await serve(stream)
            except trio.BrokenResourceError:
                await trio.aclose_forcefully(stream)

        nursery.start_soon(trio.serve_listeners, serve_and_survive, [listener])
        inner = listener.transport_listener if tls is not None else listener
        return inner.socket.getsockname()[1]

    return listen


def server_context(authority, *names):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*names).configure_cert(context)
    return context


async def plays(seat):
    """Whether a whole small session goes over this transport."""
    await seat.join()
    await seat.observe()
    answer = await seat.act(wire.ButtonPress("a", 4, 2), "key")
    picture = await seat.frame()
    left = await seat.leave()
    return answer.outcome.inputs_spent == 1 and picture.data[:4] == b"\x89PNG" and left


async def test_a_session_over_a_plain_websocket_on_loopback(host, listen, applicant):
    port = await listen(host.serve_websocket)
    async with open_seat(parse_address(f"ws://127.0.0.1:{port}/seat"), applicant) as seat:
        assert (await plays(seat)).leave == "confirmed"
    assert len(host.sockets) == 1
    assert host.sockets[0].path == "/seat"


async def test_a_session_over_lines_has_a_connection_a_request_and_no_ids(host, listen, applicant):
    port = await listen(host.serve_line)
    async with open_seat(parse_address(f"tcp://127.0.0.1:{port}"), applicant) as seat:
        assert (await plays(seat)).leave == "confirmed"
    assert len(host.asked) == 5
    assert not [asked for asked in host.asked if "id" in asked]


async def test_a_session_over_a_unix_socket(host, nursery, applicant, tmp_path):
    path = tmp_path / "world.sock"
    with trio.socket.socket(trio.socket.AF_UNIX) as listening:
        await listening.bind(str(path))
        listening.listen()
        nursery.start_soon(trio.serve_listeners, host.serve_line, [trio.SocketListener(listening)])
        async with open_seat(parse_address(f"unix:{path}"), applicant) as seat:
            assert (await plays(seat)).leave == "confirmed"
        nursery.cancel_scope.cancel()


async def test_a_join_given_up_while_it_dials_holds_nothing_up(listen, applicant):
    async def take_and_say_nothing(stream):
        await trio.sleep_forever()

    port = await listen(take_and_say_nothing)
    async with open_seat(parse_address(f"ws://127.0.0.1:{port}/seat"), applicant) as seat:
        with trio.fail_after(8), trio.move_on_after(0.2) as given_up:
            await seat.join()
    assert given_up.cancelled_caught


@pytest.mark.parametrize(("scheme", "serving"), [("wss", "serve_websocket"), ("tls", "serve_line")])
async def test_a_world_that_the_named_authority_vouches_for_is_played_in(
    host, listen, applicant, authority, ca_file, scheme, serving
):
    port = await listen(getattr(host, serving), server_context(authority, "localhost"))
    address = parse_address(f"{scheme}://localhost:{port}")
    async with open_seat(address, applicant, ca_file=ca_file) as seat:
        assert (await plays(seat)).leave == "confirmed"


@pytest.mark.parametrize(
    ("name", "trusting"), [("127.0.0.1", False), ("elsewhere.test", True)], ids=["unknown", "name"]
)
@pytest.mark.parametrize(("scheme", "serving"), [("wss", "serve_websocket"), ("tls", "serve_line")])
async def test_a_world_that_nobody_vouches_for_never_sees_the_credential(
    host, listen, applicant, authority, ca_file, scheme, serving, name, trusting
):
    port = await listen(getattr(host, serving), server_context(authority, name))
    address = parse_address(f"{scheme}://127.0.0.1:{port}")
    async with open_seat(address, applicant, ca_file=ca_file if trusting else None) as seat:
        with pytest.raises(JoinRefused, match="certificate not accepted") as refused:
            await seat.join()
    assert refused.value.reason == "world_unreachable"
    assert host.asked == []


async def test_a_plaintext_world_behind_an_encrypted_address_is_refused(host, listen, applicant):
    port = await listen(host.serve_websocket)
    async with open_seat(parse_address(f"wss://127.0.0.1:{port}"), applicant) as seat:
        with pytest.raises(JoinRefused, match="TLS failed"):
            await seat.join()


async def test_a_file_that_holds_no_authorities_is_named(applicant, tmp_path):
    nothing = tmp_path / "nothing.pem"
    nothing.write_text("no certificate")
    for path in (nothing, tmp_path / "absent.pem"):
        with pytest.raises(BadAuthority, match=path.name):
            async with open_seat(parse_address("wss://world.test"), applicant, ca_file=str(path)):
                pass


@pytest.mark.parametrize("scheme", ["ws", "tcp"])
async def test_a_port_where_nobody_listens_is_unreachable(applicant, scheme):
    with trio.socket.socket() as bound:
        await bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        async with open_seat(parse_address(f"{scheme}://127.0.0.1:{port}"), applicant) as seat:
            with pytest.raises(JoinRefused) as refused:
                await seat.join()
    assert refused.value.reason == "world_unreachable"
    assert refused.value.detail == f"no connection to 127.0.0.1:{port}: connection refused"


# Lines


async def answers_raw(answer, stream):
    async with stream:
        await stream.receive_some()
        await stream.send_all(answer)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "closed before the answer"),
        (b'{"ok": true', "closed before the answer"),
        (b"not json\n", "no JSON"),
        (b'{"new":%b\n' % (b"[" * 20_000), "no JSON"),
        (b"\xff\n", "no JSON"),
        (b"x" * (MAX_MESSAGE + 1), "over 4 MiB"),
    ],
    ids=["nothing", "half", "prose", "deep", "bytes", "big"],
)
async def test_a_line_that_is_no_answer_is_a_lost_connection(listen, applicant, answer, told):
    port = await listen(partial(answers_raw, answer))
    async with open_seat(parse_address(f"tcp://127.0.0.1:{port}"), applicant) as seat:
        with pytest.raises(JoinRefused, match=told) as refused:
            await seat.join()
    assert refused.value.reason == "world_unreachable"


async def test_an_action_lost_between_two_lines_is_retried_under_its_key(
    host, applicant, autojump_clock
):
    async def act_and_forget(asked):
        await host.usual(asked)
        host.does_again("play.act")

    host.on["play.act"] = act_and_forget
    address = parse_address("unix:/world")
    async with open_seat(address, applicant, dial=host.dial_line, chance=lambda: 0.5) as seat:
        await seat.join()
        assert (await seat.act(wire.AdvanceDialog(), "key")).replayed
    assert host.operations() == ["world.join", "play.act", "world.session", "play.act"]


async def test_a_takeover_is_noticed_at_the_next_line(host, applicant, autojump_clock):
    address = parse_address("unix:/world")
    async with open_seat(address, applicant, dial=host.dial_line) as seat:
        await seat.join()
        host.says("play.observe", ok=False, code="not_your_session", message="")
        with pytest.raises(WorldEnded) as ended:
            await seat.observe()
    assert ended.value.cause == "taken_over"


async def test_a_ping_that_crosses_our_close_is_no_error(listen):
    async def ping_at_the_close(stream):
        server = WSConnection(ConnectionType.SERVER)
        async for data in stream:
            server.receive_data(data)
            for event in server.events():
                if isinstance(event, Request):
                    await stream.send_all(server.send(AcceptConnection()))
                elif isinstance(event, CloseConnection):
                    await stream.send_all(b"\x89\x00")

    port = await listen(ping_at_the_close)
    dial = partial(trio.open_tcp_stream, "127.0.0.1", port)
    address = parse_address(f"ws://127.0.0.1:{port}")
    with trio.fail_after(60):
        async with open_websocket(dial, address, lambda _raw: None, Counters()) as link:
            assert link.parting is None
