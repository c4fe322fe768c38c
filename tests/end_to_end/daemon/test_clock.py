"""The wall clock jumps by a year: only stamps change."""

from pathlib import Path
from typing import Any

import pytest

YEAR = 365 * 86_400
JUMPS = """
import time
def jumped(_now=time.time, _file={file!r}):
    with open(_file) as file:
        return _now() + float(file.read() or 0)
time.time = jumped
"""
"""Runs in the daemon and in its sessions, where every stamp comes from `time.time`."""


@pytest.mark.long  # a lease is renewed after ten seconds
async def test_case_25_a_wall_clock_that_jumps_a_year_either_way_changes_stamps_alone(
    played: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    ahead = tmp_path / "ahead"
    ahead.write_text("0")
    (tmp_path / "sitecustomize.py").write_text(JUMPS.format(file=str(ahead)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with played("red", restart=["crashed"], lease_ttl=30) as daemon:
        assert (await daemon.join("red", wait=0))["state"] == "pending"
        ahead.write_text(str(YEAR))  # in the start
        await daemon.until_turns("red", 3)
        ahead.write_text(str(-YEAR))
        await daemon.until(lambda: daemon.seats["red"]["state"] == "running")
        before = daemon.turns["red"]
        pid = await daemon.pid("red")
        await daemon.until_turns("red", before + 200)
        assert await daemon.pid("red") == pid, "the lease is another clock's"
        for jump in (YEAR, -YEAR):
            await daemon.crash("red")
            await daemon.until_seat("red", "restarting")
            ahead.write_text(str(jump))  # in the backoff
            assert (await daemon.seat("red"))["restartIn"] <= 4
            await daemon.until_seat("red", "running")
            await daemon.until_more_turns("red", 2)
        ahead.write_text(str(YEAR))
        stopped = await daemon.stop("red")
        assert (stopped["state"], stopped["outcome"]) == ("stopped", "stopped")
        years = {event["occurredAt"][:4] for event in daemon.events()}
        assert len(years) > 1, "the clock did jump"
