"""A webhook over real sockets: what it is sent, and every way in which it can misbehave."""

from __future__ import annotations

import hashlib
import hmac
import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
import trustme
from trio.testing import MockClock

from config.settings import WebhookRoom
from daemon.rooms.delivery import Delivery
from daemon.rooms.destination import DeliveryFailed
from daemon.rooms.webhook import Webhook

SAID = Delivery(
    delivery_id="d1",
    kind="speak",
    room="parlour",
    seat="red",
    session_id="s1",
    at="2026-01-01T00:00:00.000Z",
    text="grüß Gott, a door!",
    turn=7,
)
MakeWebhook = Callable[..., WebhookRoom]


async def trickle(stream: trio.abc.Stream) -> None:
    """A header that never ends, a byte a second."""
    await stream.send_all(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        await trio.sleep(1)
        await stream.send_all(b"x")


async def hang_up(stream: trio.abc.Stream) -> None:
    await stream.aclose()


async def endless_body(stream: trio.abc.Stream) -> None:
    await stream.send_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n")
    while True:
        await trio.sleep(1)
        await stream.send_all(b"x" * 1000)


def status(line: str, *headers: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {line}", "content-length: 0", *headers, "", ""]).encode()


async def failure_of(settings: WebhookRoom, delivery: Delivery = SAID) -> str:
    hook = Webhook(settings)
    try:
        with pytest.raises(DeliveryFailed) as failed:
            await hook.deliver(delivery)
    finally:
        await hook.close()
    return str(failed.value)


@pytest.mark.parametrize(
    ("answer", "tries", "seconds", "why"),
    [
        (None, 3, 33, "no answer within 10 s (3 tries)"),
        (trickle, 3, 33, "no answer within 10 s (3 tries)"),
        (hang_up, 3, 3, "it does not answer in HTTP (3 tries)"),
        (b"\x16\x03\x01 no HTTP at all\r\n\r\n", 3, 3, "it does not answer in HTTP (3 tries)"),
        (status("500 Sorry"), 3, 3, "it answered 500 (3 tries)"),
        (status("429 Slow Down"), 3, 3, "it answered 429 (3 tries)"),
        (status("404 Not Found"), 1, 0, "it answered 404"),
    ],
)
async def test_a_webhook_that_misbehaves_has_failed_after_bounded_tries(
    clock: MockClock,
    receiving: Any,
    webhook: MakeWebhook,
    answer: Any,
    tries: int,
    seconds: float,
    why: str,
):
    async with receiving(answer) as one:
        began = trio.current_time()
        assert await failure_of(webhook(one.port)) == why
        assert one.connections == tries
        assert round(trio.current_time() - began) == seconds


async def test_a_port_where_nobody_listens_is_tried_three_times(
    clock: MockClock, webhook: MakeWebhook
):
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        why = await failure_of(webhook(unheard.getsockname()[1]))
    assert why == "it cannot be connected to (3 tries)"


@pytest.mark.parametrize("code", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
async def test_no_redirect_is_followed(
    clock: MockClock, receiving: Any, webhook: MakeWebhook, code: str
):
    async with receiving() as elsewhere:
        where = f"location: http://127.0.0.1:{elsewhere.port}/"
        async with receiving(status(code, where)) as one:
            why = await failure_of(webhook(one.port))
        assert why == f"it answered {code[:3]}, and no redirect is followed"
        assert len(one.requests) == 1
        assert elsewhere.connections == 0


async def test_what_a_receiver_answers_beyond_its_status_is_not_read(
    clock: MockClock, receiving: Any, webhook: MakeWebhook
):
    async with receiving(endless_body) as one:
        hook = Webhook(webhook(one.port))
        assert await hook.deliver(SAID) == "played"
        await hook.close()


async def test_a_delivery_that_succeeds_at_the_third_try_was_sent_thrice_under_one_id(
    clock: MockClock, receiving: Any, webhook: MakeWebhook
):
    async def third_time(stream: trio.abc.Stream) -> None:
        await stream.send_all(status("503 Wait" if len(one.requests) < 3 else "200 OK"))

    async with receiving(third_time) as one:
        hook = Webhook(webhook(one.port))
        assert await hook.deliver(SAID) == "played"
        await hook.close()
    assert [request.json()["deliveryId"] for request in one.requests] == ["d1"] * 3


async def test_a_request_is_signed_over_its_time_and_exact_body(
    clock: MockClock, receiving: Any, webhook: MakeWebhook
):
    async with receiving() as one:
        hook = Webhook(webhook(one.port))
        await hook.deliver(SAID)
        await hook.close()
    (request,) = one.requests
    timestamp = request.headers["playd-timestamp"]
    signed = timestamp.encode() + b"." + request.body
    expected = hmac.new(b"of the parlour", signed, hashlib.sha256).hexdigest()
    assert request.headers["playd-signature"] == f"sha256={expected}"
    assert request.head.startswith(b"POST /hook?token=t HTTP/1.1\r\n")
    assert request.headers["host"] == f"127.0.0.1:{one.port}"
    assert request.json() == {
        "deliveryId": "d1",
        "kind": "speak",
        "room": "parlour",
        "seat": "red",
        "sessionId": "s1",
        "at": "2026-01-01T00:00:00.000Z",
        "text": "grüß Gott, a door!",
        "turn": 7,
    }


async def test_only_the_room_can_say_what_became_of_an_event(
    clock: MockClock, receiving: Any, webhook: MakeWebhook
):
    event = Delivery(
        delivery_id="d2", kind="narration", room="r", seat="red", session_id="s", at="", text="e"
    )
    async with receiving() as one:
        hook = Webhook(webhook(one.port))
        assert await hook.deliver(event) is None
        await hook.close()


async def test_a_secret_that_cannot_be_read_is_named_and_nothing_is_sent(
    clock: MockClock, receiving: Any, webhook: MakeWebhook, secret: Path
):
    secret.chmod(0o644)
    async with receiving() as one:
        why = await failure_of(webhook(one.port))
        assert "has mode 0644" in why
        assert "of the parlour" not in why
        assert one.connections == 0


class Names(trio.abc.HostnameResolver):
    """A name server whose answer changes every time."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def getaddrinfo(
        self, host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0
    ) -> Any:
        answer = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        return [
            (socket.AF_INET6 if ":" in address else socket.AF_INET, type, 6, "", (address, port))
            for address in answer
        ]

    async def getnameinfo(self, sockaddr: Any, flags: int) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize(
    "answer",
    [["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["169.254.169.254"], ["8.8.8.8", "10.0.0.1"]],
)
async def test_a_name_that_leads_to_a_private_network_is_not_connected_to(
    clock: MockClock, receiving: Any, webhook: MakeWebhook, answer: list[str]
):
    trio.socket.set_custom_hostname_resolver(Names(answer))
    async with receiving() as one:
        room = webhook(0, url=f"http://chat.example:{one.port}/", allow_private_addresses=False)
        why = await failure_of(room)
        assert why.startswith("its name leads to this host or a private network")
        assert one.connections == 0


async def test_the_address_that_was_looked_at_is_the_one_that_is_connected_to(
    clock: MockClock, receiving: Any, webhook: MakeWebhook
):
    names = Names(["127.0.0.1"], ["127.0.0.99"])
    trio.socket.set_custom_hostname_resolver(names)
    async with receiving() as one:
        hook = Webhook(webhook(0, url=f"http://chat.example:{one.port}/"))
        assert await hook.deliver(SAID) == "played"
        await hook.close()
    assert names.asked == 1
    assert one.requests[0].headers["host"] == f"chat.example:{one.port}"


async def test_no_proxy_of_the_environment_is_used(
    clock: MockClock, receiving: Any, webhook: MakeWebhook, monkeypatch: pytest.MonkeyPatch
):
    async with receiving() as proxy, receiving() as one:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        hook = Webhook(webhook(one.port))
        await hook.deliver(SAID)
        await hook.close()
    assert (proxy.connections, one.connections) == (0, 1)


@pytest.mark.parametrize(
    ("trusted", "name", "why"),
    [
        (True, "chat.example", None),
        (False, "chat.example", "its certificate is not valid"),
        (True, "other.example", "its certificate is not valid"),
    ],
)
async def test_certificates_are_verified_for_the_name_and_not_for_the_address(
    clock: MockClock,
    receiving: Any,
    webhook: MakeWebhook,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    trusted: bool,
    name: str,
    why: str | None,
):
    authority = trustme.CA()
    certificate = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("chat.example").configure_cert(certificate)
    known = authority if trusted else trustme.CA()
    known.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    trio.socket.set_custom_hostname_resolver(Names(["127.0.0.1"]))
    async with receiving(certificate=certificate) as one:
        room = webhook(0, url=f"https://{name}:{one.port}/")
        if why is None:
            hook = Webhook(room)
            assert await hook.deliver(SAID) == "played"
            await hook.close()
        else:
            assert (await failure_of(room)).startswith(why)
            assert one.requests == []
