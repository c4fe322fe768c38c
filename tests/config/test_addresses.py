"""Addresses are read strictly, and what can be overheard is known as such."""

import pytest

from config.addresses import (
    HTTP_SCHEMES,
    SEAT_SCHEMES,
    Address,
    AddressError,
    is_private,
    parse_address,
    parse_bind,
)


@pytest.mark.parametrize(
    ("text", "address", "exposed"),
    [
        ("wss://example.org/seat", Address("wss", "example.org", None, "/seat"), False),
        ("WSS://Example.org:1", Address("wss", "example.org", 1, ""), False),
        ("ws://127.0.0.1:8470/", Address("ws", "127.0.0.1", 8470, "/"), False),
        ("ws://[::1]:8470", Address("ws", "::1", 8470, ""), False),
        ("ws://localhost", Address("ws", "localhost", None, ""), False),
        ("tls://example.org:9", Address("tls", "example.org", 9, ""), False),
        ("unix:/run/world.sock", Address("unix", "", None, "/run/world.sock"), False),
        ("unix:///run/world.sock", Address("unix", "", None, "/run/world.sock"), False),
        ("ws://example.org", Address("ws", "example.org", None, ""), True),
        ("tcp://10.0.0.1:9", Address("tcp", "10.0.0.1", 9, ""), True),
        ("tcp://0.0.0.0:9", Address("tcp", "0.0.0.0", 9, ""), True),
        ("ws://[fe80::1]", Address("ws", "fe80::1", None, ""), True),
        ("ws://localhost.example.org", Address("ws", "localhost.example.org", None, ""), True),
        ("ws://127.0.0.1.example.org", Address("ws", "127.0.0.1.example.org", None, ""), True),
        ("ws://127.1", Address("ws", "127.1", None, ""), True),
    ],
)
def test_a_seat_address_is_read_and_known_as_exposed_or_not(
    text: str, address: Address, exposed: bool
):
    assert parse_address(text, SEAT_SCHEMES) == address
    assert address.exposed is exposed


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("example.org", "does not start with wss://, ws://, tls://, tcp:// or unix:/"),
        ("https://example.org", "does not start with wss://, ws://, tls://, tcp:// or unix:/"),
        ("wss:example.org", "has no valid host"),
        ("wss://", "has no valid host"),
        ("wss://:80", "has no valid host"),
        ("wss://a b", "has no valid host"),
        ("wss://a..b", "has no valid host"),
        ("wss://[::1", "has no valid host and port"),
        ("wss://[::zz]", "has no valid host"),
        ("wss://a:99999", "has no valid host and port"),
        ("wss://a:b", "has no valid host and port"),
        ("wss://me:pass@a", "must not carry a user or a password"),
        ("wss://a/#x", "must not have a #fragment"),
        ("tcp://a", "needs a port"),
        ("tcp://a:1/x", "must end after the port"),
        ("unix:run/world.sock", "needs an absolute path, unix:/PATH"),
    ],
)
def test_what_is_no_seat_address_is_refused_without_repeating_it(text: str, problem: str):
    with pytest.raises(AddressError) as caught:
        parse_address(text, SEAT_SCHEMES)
    # Python before 3.11.4 reads a bad IPv6 address and leaves it to us.
    assert str(caught.value).removesuffix(" and port") == problem.removesuffix(" and port")


def test_an_http_address_is_no_websocket():
    assert parse_address("http://127.0.0.1:1/v1", HTTP_SCHEMES).path == "/v1"
    with pytest.raises(AddressError, match="does not start with https:// or http://"):
        parse_address("ws://127.0.0.1:1", HTTP_SCHEMES)


def test_a_bind_is_a_host_and_a_port():
    assert parse_bind("127.0.0.1:0") == ("127.0.0.1", 0)
    assert parse_bind("[::]:9464") == ("::", 9464)
    for text in ("9464", ":9464", "::1:9464", "a:1/x", "a", "u@a:1"):
        with pytest.raises(AddressError):
            parse_bind(text)


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("169.254.169.254", True),
        ("::1", True),
        ("fd00::1", True),
        ("0.0.0.0", True),
        ("1.1.1.1", False),
        ("example.org", False),
    ],
)
def test_a_private_host_is_one_that_the_internet_does_not_reach(host: str, private: bool):
    assert is_private(host) is private
