"""A session that cannot be sure of its lease does nothing more (cases 32 to 34)."""

import os
import signal
import sqlite3
from typing import Any

import msgspec
import pytest
import trio

pytestmark = pytest.mark.long  # a real lease takes its time


async def test_stopped_while_another_takes_the_lease_it_is_dead_before_it_can_act(played: Any):
    """Case 32."""
    async with played("red", lease_ttl=30) as daemon:
        await daemon.join("red")
        await daemon.until_turns("red", 2)
        pid = await daemon.pid("red")
        os.kill(pid, signal.SIGSTOP)
        acts = len(daemon.chronicle("act"))
        with sqlite3.connect(daemon.state / "state.db") as database:
            (record,) = database.execute("SELECT record FROM leases").fetchone()
            another = msgspec.json.decode(record) | {"session_id": "another"}
            database.execute("UPDATE leases SET record = ?", (msgspec.json.encode(another),))
        found = await daemon.until_seat("red", "recovery_required")
        assert found["session"]["outcome"] == "lease_lapsed"
        assert daemon.sessions_alive() == []
        assert len(daemon.chronicle("act")) == acts


async def test_a_session_whose_daemon_stands_still_stops_acting_before_its_lease_ends(played: Any):
    async with played("red", lease_ttl=30) as daemon:
        await daemon.join("red")
        await daemon.until_turns("red", 2)
        daemon.process.send_signal(signal.SIGSTOP)
        await trio.sleep(26)
        acts = len(daemon.chronicle("act"))
        await trio.sleep(4)
        assert len(daemon.chronicle("act")) == acts
        daemon.process.send_signal(signal.SIGCONT)
        found = await daemon.until_seat("red", "recovery_required")
        assert found["session"]["outcome"] == "lease_lapsed"
        assert (await daemon.join("red"))["generation"] == 2
