"""`playd-practice motor` as a process, over the protocol's own client and by hand."""

import json
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from bodies.practice.main import main

MODULE = ["-m", "bodies.practice.main", "motor"]
SESSION = {"sessionId": "s-1", "connectionGeneration": 1}
ENDPOINT = {"host": "localhost", "port": 25565, "version": "1.20.1", "username": "Bot"}
JOIN = {"session": SESSION, "profileId": "home", "endpoint": {**ENDPOINT, "auth": "offline"}}
CHAT = {"session": SESSION, "actionId": "a-1", "action": {"kind": "chat", "text": "hello"}}
TOOLS = {
    *("join", "status", "observe", "act", "action_status", "cancel_action"),
    *("pause", "resume", "leave", "poll_events", "viewer_status"),
}


@asynccontextmanager
async def _client(*options):
    command = StdioServerParameters(command=sys.executable, args=[*MODULE, *options])
    async with stdio_client(command) as (incoming, outgoing):
        async with ClientSession(incoming, outgoing) as client:
            await client.initialize()
            yield client


async def _ask(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def _play(client) -> None:
    """From the list of tools to a confirmed leave, at a hundred times the speed of time."""
    listed = await client.list_tools()
    assert {tool.name for tool in listed.tools} == TOOLS
    assert all(tool.input_schema["type"] == "object" for tool in listed.tools)
    assert (await _ask(client, "status"))["session"] is None
    await _ask(client, "join", **JOIN)
    await _until(client, "active")
    assert len((await _ask(client, "observe", session=SESSION))["facts"]) > 50
    assert (await _ask(client, "act", **CHAT))["state"] == "running"
    while True:
        status = await _ask(client, "action_status", session=SESSION, actionId="a-1")
        if status["state"] != "running":
            break
    assert status["requested"] == CHAT["action"]
    assert (await _ask(client, "poll_events", session=SESSION, limit=64))["latestSequence"] >= 3
    assert (await _ask(client, "viewer_status", session=SESSION))["available"] is False
    await _ask(client, "leave", session=SESSION)
    assert (await _until(client, "disconnected"))["termination"]["kind"] == "confirmed"


async def _until(client, phase):
    with trio.fail_after(60):
        while (answer := await _ask(client, "status"))["phase"] != phase:
            pass
    return answer


async def test_it_is_played_over_stdio_and_ends_with_its_input(tmp_path):
    journal = tmp_path / "journal.jsonl"
    async with _client("--speed", "100", "--journal", str(journal)) as client:
        await _play(client)
    entries = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [entry["status"]["actionId"] for entry in entries if entry["kind"] == "settled"] == [
        "a-1"
    ]
    acted = [entry["arguments"] for entry in entries if entry.get("tool") == "act"]
    assert acted == [CHAT]


async def test_it_dies_in_mid_action_when_asked_to():
    async with _client("--speed", "100", "--misbehave", "die:0.1") as client:
        await _ask(client, "join", **JOIN)
        await _until(client, "active")
        assert (await _ask(client, "act", **CHAT))["state"] == "running"
        with trio.fail_after(60), pytest.raises(MCPError):
            await _ask_for_ever(client)


async def _ask_for_ever(client):
    while True:
        await _ask(client, "status")


def _message(number, method, **params):
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(request).encode() + b"\n"


async def test_it_lingers_and_leaves_a_grandchild_that_holds_its_pipes_when_asked_to():
    options = ("--misbehave", "linger", "--misbehave", "grandchild:own")
    run = partial(
        trio.run_process,
        [sys.executable, *MODULE, *options, "--misbehave", "stdout:Bot spawned@join=1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        check=False,
    )
    async with trio.open_nursery() as nursery:
        motor = await nursery.start(run)
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }
        await motor.stdin.send_all(_message(1, "initialize", **hello))
        await motor.stdin.send_all(_message(2, "tools/call", name="join", arguments=JOIN))
        said = b""
        while b'"id":2' not in said:
            said += await motor.stdout.receive_some()
        assert b"Bot spawned\n" in said
        grandchild = _children_of(motor.pid)[0]
        try:
            motor.terminate()
            await motor.stdin.aclose()
            with trio.move_on_after(0.3) as waiting:
                await motor.wait()
            assert waiting.cancelled_caught
            motor.kill()
            await motor.wait()
            with trio.move_on_after(0.1) as reading:
                await motor.stdout.receive_some()
            assert reading.cancelled_caught, "nobody holds the pipe"
            assert os.getsid(grandchild) == grandchild
        finally:
            os.kill(grandchild, signal.SIGKILL)
            nursery.cancel_scope.cancel()


def _children_of(pid):
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def test_it_is_played_over_http():
    run = partial(
        trio.run_process,
        [sys.executable, *MODULE, "--speed", "100", "--listen", "http://127.0.0.1:0"],
        stdout=subprocess.PIPE,
        check=False,
    )
    async with trio.open_nursery() as nursery:
        motor = await nursery.start(run)
        line = b""
        while not line.endswith(b"\n"):
            line += await motor.stdout.receive_some()
        word, url = line.decode().split()
        assert word == "listening"
        async with streamable_http_client(url) as (incoming, outgoing, *_):
            async with ClientSession(incoming, outgoing) as client:
                await client.initialize()
                await _play(client)
        motor.terminate()


WRONG = [
    (["--misbehave", "explode"], "is not one of"),
    (["--listen", "ws://127.0.0.1:1"], "is not http://HOST:PORT"),
    (["--listen", "http://127.0.0.1:99999"], "Port"),
    (["--speed", "0"], "range"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_a_wrong_option_is_told_before_anything_starts(options, message):
    result = CliRunner().invoke(main, ["motor", *options])
    assert result.exit_code == 2
    assert message in result.output
