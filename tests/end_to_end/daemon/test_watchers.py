"""Who looks on and does not read: bounded, told of what it missed, and nobody else waits."""

import signal
import subprocess
import sys
from typing import Any

import msgspec
import pytest
import trio


@pytest.mark.long
async def test_a_stopped_playctl_watch_is_told_how_many_events_it_missed(played: Any):
    """Case 37."""
    async with played("red", "blue") as daemon:
        watching = await trio.lowlevel.open_process(
            [
                sys.executable, "-m", "daemon.playctl",
                "--socket", str(daemon.folder / "control.sock"), "watch", "--json",
            ],
            stdout=subprocess.PIPE,
        )  # fmt: skip
        try:
            await _until_told(watching, "watching")
            watching.send_signal(signal.SIGSTOP)
            for seat in ("red", "blue"):
                await daemon.join(seat)
            await daemon.until_turns("red", 400)
            watching.send_signal(signal.SIGCONT)
            lost = await _until_told(watching, "lost")
            assert lost["count"] > 0
        finally:
            watching.kill()
            await watching.wait()
        assert (await daemon.stop("blue"))["outcome"] == "stopped"


async def _until_told(watching: trio.Process, kind: str) -> dict[str, Any]:
    assert watching.stdout is not None
    unread = b""
    while chunk := await watching.stdout.receive_some(65536):
        *lines, unread = (unread + chunk).split(b"\n")
        for event in map(msgspec.json.decode, lines):
            if event["kind"] == kind:
                return event
    raise AssertionError(f"it ended before {kind}")
