"""A session floods while it stops, and somebody looks on without reading."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import trio

from config.settings import Limits
from daemon.happenings import SessionSaid
from kernel.session.wire import Turn


@pytest.mark.parametrize("mebibytes", [12, pytest.param(200, marks=pytest.mark.long)])
async def test_case_17_a_flood_in_a_stop_is_read_past_a_watcher_that_does_not(
    daemon: Any, make_settings: Any, mebibytes: int
):
    lines = mebibytes * 2**20 // 600
    turns = 0

    def count(happening: object) -> None:
        nonlocal turns
        turns += isinstance(happening, SessionSaid) and isinstance(happening.message, Turn)

    settings = make_settings("red", limits=Limits(stop_deadline=300))
    async with daemon("floods_in_stop", lines, settings=settings) as playctl:
        async with await trio.open_unix_socket(os.fspath(playctl.path)) as sleeper:
            await sleeper.send_all(b'{"id":1,"verb":"watch"}\n')
            assert (await playctl("join", "red")).code == 0
            with playctl.supervisor.happenings.observed_by(count):
                before = _resident()
                assert (await playctl("stop", "red")).code == 0
            assert turns == lines
            assert _resident() - before < 32 * 2**20


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
