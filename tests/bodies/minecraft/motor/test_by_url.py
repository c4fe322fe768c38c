"""A motor that somebody else runs, spoken to over HTTP."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgspec
import pytest
import trio

from bodies.minecraft.opening import open_body, settle_session
from kernel.body import JoinRefused


@asynccontextmanager
async def running(command: list[str]) -> AsyncIterator[tuple[str, trio.Process]]:
    """A scripted motor over HTTP: its URL and its process."""
    async with trio.open_nursery() as nursery:
        run = partial(trio.run_process, command, stdout=subprocess.PIPE, check=False)
        process: trio.Process = await nursery.start(run)
        assert process.stdout is not None
        port = int(await process.stdout.receive_some())
        yield f"http://127.0.0.1:{port}/mcp", process
        nursery.cancel_scope.cancel()


def at(options: msgspec.Raw, url: str) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode({**msgspec.json.decode(options), "motor": url}))


async def test_a_body_plays_through_a_running_motor_and_leaves_it_running(
    options: Any, side: Any
) -> None:
    command = [*msgspec.json.decode(options({}))["motor"], "http"]
    with trio.fail_after(60):
        async with running(command) as (url, _):
            async with open_body(at(options({}), url), side) as body:
                joined = await body.join()
                assert joined.descendants == ()
                assert (await body.observe()).native.near == ("Kim",)
            # The session ended without a farewell: its recovery value still settles it.
            assert await settle_session(at(options({}), url), joined.recovery)
            other = '{"sessionId":"x","connectionGeneration":1}'
            assert not await settle_session(at(options({}), url), other)


async def test_a_running_motor_that_goes_away_ends_the_world_unconfirmed(
    options: Any, side: Any
) -> None:
    command = [*msgspec.json.decode(options({}))["motor"], "http"]
    with trio.fail_after(60):
        async with running(command) as (url, process):
            async with open_body(at(options({}), url), side) as body:
                await body.join()
                process.kill()
                ended = await body.ended()
                assert not ended.confirmed
                assert ended.cause


async def test_a_running_motor_that_hangs_delays_no_stop(options: Any, side: Any) -> None:
    """K9: neither a look nor the farewell outlasts its bound."""
    hangs = {"poll_events": [{"late": 60}]}
    command = [*msgspec.json.decode(options(hangs))["motor"], "http"]
    with trio.fail_after(50):
        async with running(command) as (url, process):
            async with open_body(at(options({}), url), side) as body:
                await body.join()
                await trio.sleep(1.2)
                for call in (body.observe, body.observe, body.leave, body.leave):
                    with trio.move_on_after(0.2):
                        await call()
            process.kill()


async def test_a_motor_that_cannot_be_reached_is_refused(options: Any, side: Any) -> None:
    listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
    port = listener.socket.getsockname()[1]
    await listener.aclose()
    with trio.fail_after(60):
        async with open_body(at(options({}), f"http://127.0.0.1:{port}/mcp"), side) as body:
            with pytest.raises(JoinRefused) as refused:
                await body.join()
    assert refused.value.reason == "world_unreachable"
