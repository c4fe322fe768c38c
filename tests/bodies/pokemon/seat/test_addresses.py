from __future__ import annotations

import pytest

from bodies.pokemon.seat.addresses import Address, BadAddress, parse_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("wss://world.test", Address("wss", "world.test", 443, "/")),
        ("wss://world.test:8443/seat?a=1", Address("wss", "world.test", 8443, "/seat?a=1")),
        ("ws://localhost:9", Address("ws", "localhost", 9, "/")),
        ("ws://127.8.9.1:9/x", Address("ws", "127.8.9.1", 9, "/x")),
        ("ws://[::1]:9/", Address("ws", "::1", 9, "/")),
        ("tcp://127.0.0.1:7001", Address("tcp", "127.0.0.1", 7001)),
        ("tls://world.test:7001", Address("tls", "world.test", 7001)),
        ("unix:/run/world.sock", Address("unix", path="/run/world.sock")),
        ("unix:///run/world.sock", Address("unix", path="/run/world.sock")),
    ],
)
def test_every_kind_of_address_is_read(text, address):
    assert parse_address(text) == address


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "starts with"),
        ("world.test:443", "starts with"),
        ("https://world.test", "starts with"),
        ("wss://", "host and a port"),
        ("wss://world.test:none", "no URL"),
        ("wss://world.test:70000", "no URL"),
        ("tls://world.test", "host and a port"),
        ("tls://world.test:1/seat", "ends after the port"),
        ("wss://world.test/#top", "#fragment"),
        ("unix:world.sock", "absolute path"),
        ("wss://ada:secret@world.test", "credential file"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_with_the_reason(text, said):
    with pytest.raises(BadAddress, match=said) as refused:
        parse_address(text)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("text", ["ws://world.test", "tcp://10.0.0.3:7001", "ws://[fe80::1]:80"])
def test_plaintext_beyond_loopback_needs_the_operators_word(text):
    with pytest.raises(BadAddress, match="insecure = true"):
        parse_address(text)
    assert str(parse_address(text, insecure=True)).startswith(text)


@pytest.mark.parametrize("text", ["ws://localhost.evil.test", "ws://127.0.0.1.evil.test"])
def test_a_name_that_only_looks_like_loopback_is_not(text):
    with pytest.raises(BadAddress):
        parse_address(text)
