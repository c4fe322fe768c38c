"""Signals by the thousand, under load: none is lost that asks for something, none does harm."""

import signal
from typing import Any

import pytest
import trio
from real_daemon import Refused

HARMLESS = (signal.SIGHUP, signal.SIGCHLD, signal.SIGCONT, signal.SIGWINCH, signal.SIGPIPE)


@pytest.mark.parametrize("many", [200, pytest.param(2000, marks=pytest.mark.long)])
async def test_case_41_signals_by_the_thousand_lose_nothing_and_stick_nowhere(
    played: Any, many: int
):
    async with played("red", "blue") as daemon:
        for seat in ("red", "blue"):
            await daemon.join(seat)
        path = daemon.folder / "playd.toml"
        for number in range(many):
            daemon.process.send_signal(HARMLESS[number % len(HARMLESS)])
            await trio.sleep(0.0025)
        seat = path.read_text().partition("[seats.red]")[2].partition("[seats.")[0]
        path.write_text(f"{path.read_text()}\n[seats.green]{seat}[seats.green.budget]\ntokens=1\n")
        daemon.process.send_signal(signal.SIGHUP)
        with trio.fail_after(60):
            while True:
                try:
                    assert (await daemon.seat("green"))["state"] == "idle"
                    break
                except Refused:
                    await trio.sleep(0.05)  # a signal is answered by nothing
        await daemon.until_more_turns("red", 2)
        await daemon.until_more_turns("blue", 2)
        assert len(daemon.sessions_alive()) == 2
        assert await daemon.terminate() == 0
        assert {daemon.states(seat)[-1] for seat in ("red", "blue")} == {"stopped"}
        assert "Traceback" not in daemon.log.read_text()
