from contextlib import asynccontextmanager

import httpx
import pytest
import trio

from daemon.metrics.endpoint import CONNECTIONS, Answer, EndpointRefused, serve_pages


async def hello() -> Answer:
    return Answer(b"hello\n")


async def broken() -> Answer:
    raise ZeroDivisionError("a secret")


@asynccontextmanager
async def endpoint(bind: str = "127.0.0.1:0"):
    async with trio.open_nursery() as nursery:
        yield await nursery.start(serve_pages, bind, {"/hello": hello, "/broken": broken})
        nursery.cancel_scope.cancel()


async def talk(address: str, data: bytes) -> bytes:
    host, _, port = address.rpartition(":")
    async with await trio.open_tcp_stream(host.strip("[]"), int(port)) as stream:
        await stream.send_all(data)
        return b"".join([chunk async for chunk in stream])


@pytest.mark.parametrize("bind", ["127.0.0.1:0", "[::1]:0"])
async def test_a_page_is_served(bind: str) -> None:
    async with endpoint(bind) as address, httpx.AsyncClient() as client:
        answer = await client.get(f"http://{address}/hello?any=thing")

    assert (answer.status_code, answer.text) == (200, "hello\n")
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("POST", "/hello", 405), ("HEAD", "/hello", 405)],
)
async def test_nothing_else_is_answered(method: str, path: str, status: int) -> None:
    async with endpoint() as address, httpx.AsyncClient() as client:
        assert (await client.request(method, f"http://{address}{path}")).status_code == status


async def test_a_page_that_fails_says_so_and_tells_no_more(caplog) -> None:
    async with endpoint() as address, httpx.AsyncClient() as client:
        answer = await client.get(f"http://{address}/broken")

    assert answer.status_code == 500
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    "data",
    [b"\x16\x03\x01 this is TLS \r\n\r\n", b"GET /hello\r\n\r\n", b"x" * 20_000 + b"\r\n\r\n"],
    ids=["tls", "no version", "endless head"],
)
async def test_what_is_no_http_is_refused(data: bytes) -> None:
    async with endpoint() as address:
        assert (await talk(address, data)).startswith((b"HTTP/1.1 400", b"HTTP/1.1 431"))


async def test_silent_clients_cost_the_others_nothing_but_their_places() -> None:
    async with endpoint() as address:
        host, _, port = address.rpartition(":")
        silent = [await trio.open_tcp_stream(host, int(port)) for _ in range(CONNECTIONS - 1)]
        assert (await talk(address, b"GET /hello HTTP/1.0\r\n\r\n")).endswith(b"hello\n")

        silent.append(await trio.open_tcp_stream(host, int(port)))
        await trio.testing.wait_all_tasks_blocked(0.01)
        try:
            refused = await talk(address, b"GET /hello HTTP/1.0\r\n\r\n")
        except trio.BrokenResourceError:
            refused = b""
        assert refused == b""
        for stream in silent:
            await stream.aclose()


async def test_an_address_in_use_is_named_with_the_next_step() -> None:
    async with endpoint() as address:
        with pytest.raises(ExceptionGroup) as refused:
            async with endpoint(address):
                pass

    (error,) = refused.value.exceptions
    assert isinstance(error, EndpointRefused)
    assert address in str(error)
    assert "[metrics] bind" in str(error)
