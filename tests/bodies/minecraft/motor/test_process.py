"""A motor as a process that talks nonsense, too much, or not at all."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack
from typing import Any

import pytest
import trio
from mcp.shared.message import SessionMessage

from bodies.minecraft.motor.process import LINE_BYTES, running_motor, scrubbed_environment

MESSAGE = '{"jsonrpc":"2.0","method":"notifications/x","params":{"n":%d}}'


def program(text: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-E", "-c", text)


async def heard(text: str, wanted: int) -> tuple[list[Any], int, str]:
    """What arrived of a program's output, how much was garbled, and why it was lost."""
    causes: list[str] = []
    received: list[Any] = []
    async with AsyncExitStack() as stack:
        stack.enter_context(trio.fail_after(60))
        motor = await stack.enter_async_context(running_motor(program(text), causes.append))
        async for item in motor.incoming:
            assert isinstance(item, SessionMessage)
            received.append(item.message.model_dump()["params"]["n"])
            if len(received) == wanted:
                break
        if not wanted:
            await motor.exited.wait()
        garbled = motor.garbled
    return received, garbled, causes[0] if causes else ""


@pytest.mark.parametrize(
    ("text", "received", "garbled"),
    [
        (f"print('{MESSAGE % 1}')", [1], 0),
        (f"print('hello'); print(); print('{MESSAGE % 1}')", [1], 1),
        (f"import os; os.write(1, b'\\xff\\xfe\\n'); print('{MESSAGE % 1}', flush=True)", [1], 1),
        (f"print('{{}}'); print('[1,2'); print('{MESSAGE % 1}')", [1], 2),
        (f"print('x' * {LINE_BYTES * 2}); print('{MESSAGE % 1}')", [1], 1),
        (
            f"import os, time\nfor byte in b'{MESSAGE % 1}\\n': os.write(1, bytes([byte]))",
            [1],
            0,
        ),
        (f"print('{MESSAGE % 1}\\n{MESSAGE % 2}')", [1, 2], 0),
    ],
)
async def test_what_is_no_message_is_counted_and_hides_none(
    text: str, received: list[int], garbled: int
) -> None:
    got, bad, _ = await heard(text, len(received))
    assert (got, bad) == (received, garbled)


async def test_half_a_line_at_the_end_is_no_message() -> None:
    got, _, cause = await heard(f"import sys; sys.stdout.write('{MESSAGE % 1}')", 0)
    assert got == []
    assert cause in ("", "the motor's process ended; its own words are in the log")


async def test_what_was_said_before_the_end_is_heard_and_then_the_end() -> None:
    got, _, cause = await heard(f"print('{MESSAGE % 1}')", 2)
    assert got == [1]
    assert "process ended" in cause


async def test_a_grandchild_that_holds_the_pipe_hides_no_end() -> None:
    text = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)'])"
    )
    _, _, cause = await heard(text, 1)
    assert "process ended" in cause


async def test_a_motor_that_closes_its_output_and_lives_is_lost() -> None:
    _, _, cause = await heard("import os, time; os.close(1); time.sleep(1000)", 1)
    assert cause == "the motor closed its output"


async def test_a_flood_is_taken_no_faster_than_it_is_read() -> None:
    text = f"n = 0\nwhile True: print('{MESSAGE}' % n, flush=True); n += 1"
    got, _, _ = await heard(text, 500)
    assert got == list(range(500))


def test_a_scrubbed_environment_holds_nothing_that_may_be_secret() -> None:
    environment = {"PATH": "/bin", "HOME": "/h", "OPENAI_API_KEY": "k", "PLAYD_SESSION": "s"}
    assert scrubbed_environment(environment) == {"PATH": "/bin", "HOME": "/h", "PLAYD_SESSION": "s"}
