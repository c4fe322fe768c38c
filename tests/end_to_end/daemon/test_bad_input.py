"""Whatever comes in at the control socket: an answer or a closed connection, and play goes on."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import trio
from real_daemon import Line, RealDaemon

Nuisance = Callable[[RealDaemon], Awaitable[None]]


async def _garbage(daemon: RealDaemon) -> None:
    chance = random.Random(1)
    async with daemon.line() as line:
        for size in (1, 7, 100, 1000):
            await line.send(chance.randbytes(size).replace(b"\n", b"") + b"\n")
            assert await _code(line) == "bad_request"


async def _a_mebibyte(daemon: RealDaemon) -> None:
    async with daemon.line() as line:
        try:
            await line.send(b"x" * 1024 * 1024)
        except trio.BrokenResourceError:
            return  # it hung up in the middle
        assert await _code(line) == "too_long"
        assert await line.receive() is None


async def _verbs_and_types(daemon: RealDaemon) -> None:
    bad: list[tuple[str, Any, str]] = [
        ("fly", {}, "unknown_verb"),
        ("join", {}, "bad_params"),
        ("join", {"seat": 7}, "bad_params"),
        ("join", {"seat": "red", "wait": "long"}, "bad_params"),
        ("join", {"seat": "red", "wait": 1e9}, "bad_params"),
        ("join", {"seat": "red", "budget": {"tokens": -1}}, "bad_params"),
        ("join", {"seat": "red", "extra": 1}, "bad_params"),
        ("join", {"seat": "nowhere"}, "no_such_seat"),
        ("join", {"seat": "red", "room": "nowhere"}, "no_such_room"),
        ("say", {"seat": "red", "text": ""}, "bad_params"),
        ("say", {"seat": "red", "text": "x" * 16_001}, "bad_params"),
        ("say", {"seat": "red", "text": "hi", "room": "nowhere"}, "not_authorized"),
        ("budget", {"seat": "red", "change": {"dollars": "all"}}, "bad_params"),
        ("stop", [], "bad_params"),
        ("watch", {"seat": "nowhere"}, "no_such_seat"),
        ("world", {"seat": "red", "action": "start"}, "no_world"),
        ("cancel", {"request": None}, "bad_params"),
    ]
    async with daemon.line() as line:
        for verb, params, code in bad:
            await line.send({"id": 1, "verb": verb, "params": params})
            assert await _code(line) == code, (verb, params)


async def _vanishing(daemon: RealDaemon) -> None:
    for number in range(40):
        async with daemon.line() as line:
            verb = ("watch", "say", "status", "stop")[number % 4]
            params = {"say": {"seat": "red", "text": "hello"}, "stop": {"seat": "blue"}}
            request = {"id": 1, "verb": verb, "params": params.get(verb, {})}
            await line.send(msgspec.json.encode(request)[: 200 if number % 3 else 12] + b"\n")
            if number % 2:
                await line.receive()


async def _code(line: Line) -> str:
    answer = await line.receive()
    assert answer is not None
    assert answer["error"]["message"]
    return answer["error"]["code"]


async def test_no_nuisance_costs_a_session_a_turn_or_the_log_a_traceback(played: Any):
    async with played("red", "blue") as daemon:
        await daemon.join("red")
        before = daemon.open_descriptors()
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                for nuisance in (_garbage, _a_mebibyte, _verbs_and_types, _vanishing):
                    nursery.start_soon(nuisance, daemon)
        await daemon.until_more_turns("red", 3)
        with trio.fail_after(60):
            while daemon.open_descriptors() > before:  # noqa: ASYNC110
                await trio.sleep(0.05)  # a closed connection is noticed when its turn comes
        assert (await daemon.stop("red"))["outcome"] == "stopped"
        assert await daemon.terminate() == 0
        log = daemon.log.read_text()
        assert "Traceback" not in log
        assert "failed in the daemon itself" not in log
