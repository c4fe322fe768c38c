"""The server as any HTTP client meets it."""

import httpx
import pytest
import trio

BODY = {"model": "practice", "stream": True, "messages": [{"role": "user", "content": "hi"}]}


async def test_it_names_its_one_model_and_what_that_is(open_model):
    model = await open_model()
    async with httpx.AsyncClient() as client:
        listed = (await client.get(f"{model.address}/models")).json()
    assert [entry["id"] for entry in listed["data"]] == ["practice"]
    assert "not a language model" in listed["data"][0]["owned_by"]


REJECTED = [
    ({"model": "gpt"}, 404, "model_not_found"),
    ({"stream": False}, 400, "invalid_request_error"),
    ({"messages": 7}, 400, "invalid_request_error"),
]


@pytest.mark.parametrize(("changes", "status", "code"), REJECTED)
async def test_a_request_that_it_cannot_answer_is_told_why(open_model, changes, status, code):
    model = await open_model()
    async with httpx.AsyncClient() as client:
        answer = await client.post(f"{model.address}/chat/completions", json=BODY | changes)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert (await model.entries(1))[0]["outcome"] == "rejected"


async def test_one_connection_serves_request_after_request(open_model):
    model = await open_model("status:500@models=1")
    limits = httpx.Limits(max_connections=1)
    async with httpx.AsyncClient(limits=limits) as client:
        statuses = [
            (await client.get(f"{model.address}/models")).status_code,
            (await client.post(f"{model.address}/chat/completions", json=BODY)).status_code,
            (await client.get(f"{model.address}/elsewhere")).status_code,
            (await client.get(f"{model.address}/models")).status_code,
        ]
    assert statuses == [500, 200, 404, 200]
    assert [e["request"] for e in await model.entries(4)] == ["models", "chat", "other", "models"]


UNREADABLE = [
    (b"garbage\r\n\r\n", b"400"),
    (b"GET / HTTP/1.1\r\n\r\n", b"400"),
    (b"GET / HTTP/1.1\r\nhost: x\r\na: " + b"b" * 70_000, b"431"),
    (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n", b"400"),
]


@pytest.mark.parametrize(("data", "status"), UNREADABLE)
async def test_what_is_no_request_is_answered_and_the_server_goes_on(open_model, data, status):
    model = await open_model()
    address = model.address
    async with await trio.open_tcp_stream(address.host, address.port) as stream:
        await stream.send_all(data)
        await stream.send_eof()
        with trio.fail_after(60):
            answer = await stream.receive_some()
    assert answer[9:12] == status
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"{address}/models")).status_code == 200


async def test_a_client_that_waits_to_be_let_in_is_let_in(open_model):
    model = await open_model()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n"
    address = model.address
    async with await trio.open_tcp_stream(address.host, address.port) as stream:
        await stream.send_all(head + b"content-length: 2\r\n\r\n")
        with trio.fail_after(60):
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 100")
            await stream.send_all(b"{}")
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 400")


async def test_the_end_of_the_server_ends_an_answer_and_enters_it(open_model):
    model = await open_model("stall:100")
    async with httpx.AsyncClient() as client:
        async with client.stream("POST", f"{model.address}/chat/completions", json=BODY) as answer:
            assert answer.status_code == 200
            model.scope.cancel()
            with pytest.raises(httpx.RemoteProtocolError), trio.fail_after(60):
                await answer.aread()
    assert (await model.entries(1))[0]["outcome"] == "stopped"
