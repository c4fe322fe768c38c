"""Leases of live sessions, on a clock that the test moves (cases 25, 32 to 34)."""

import os
import signal
import sqlite3
from pathlib import Path

import msgspec
import pytest
import trio

from config.settings import Limits
from daemon.happenings import LeaseLost, LeaseRenewed
from daemon.leases import Lease
from kernel.lease import boottime

pytestmark = pytest.mark.usefixtures("no_children_left")


class Clock:
    """CLOCK_BOOTTIME as it would be after a suspension that the other clocks do not see."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return boottime() + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(make_settings):
    return make_settings("red", restart=frozenset(), limits=Limits(lease_ttl=30))


async def test_a_lease_is_renewed_and_the_session_is_told(opened, settings, clock, caplog):
    caplog.set_level("INFO")
    renewals = []
    async with opened("good", settings=settings, boottime=clock) as playd:
        playd.supervisor.happenings.observe(
            lambda h: renewals.append(h) if isinstance(h, LeaseRenewed) else None
        )
        await playd.join()
        for number in (1, 2, 3):
            clock.ahead += 11
            # The look at the leases is a matter of time; nothing here announces it.
            with trio.fail_after(60):
                while len(renewals) < number:  # noqa: ASYNC110
                    await trio.sleep(0.01)
        await playd.supervisor.say(playd.caller, "red", "hello", "", None)
    assert len(renewals) == 3
    told = [message for message in caplog.messages if '"kind": "lease"' in message]
    assert len(told) == 3
    assert '"validFor": 30' in told[0]


@pytest.mark.parametrize("ahead", [27, 40, 31_536_000])
async def test_a_suspension_past_the_lease_kills_everything_of_it(
    opened, settings, clock, alive, ahead: float, tmp_path: Path
):
    """Cases 25 and 34."""
    file = tmp_path / "pids"
    async with opened("family", file, settings=settings, boottime=clock) as playd:
        await playd.join()
        pids = [(await playd.seat()).session.pid, *map(int, file.read_text().split())]
        clock.ahead += ahead
        seat = await playd.until_seat("recovery_required")
        assert (seat.session.state, seat.session.outcome) == ("failed", "lease_lapsed")
        assert not any(map(alive, pids))


async def test_another_holder_in_the_database_ends_the_session_before_the_ttl(
    opened, settings, clock, alive, tmp_path: Path
):
    """Case 33."""
    lost = []
    async with opened("deaf", settings=settings, boottime=clock) as playd:
        playd.supervisor.happenings.observe(
            lambda h: lost.append(clock()) if isinstance(h, LeaseLost) else None
        )
        await playd.join()
        pid = (await playd.seat()).session.pid
        os.kill(pid, signal.SIGSTOP)
        held = _take_the_lease(tmp_path / "state" / "state.db")
        clock.ahead += 11
        seat = await playd.until_seat("recovery_required")
        # Stopped, so that SIGTERM does nothing: killed with more than the margin left.
        assert clock() < held.expires - 3
        assert len(lost) == 1
        assert seat.session.outcome == "lease_lapsed"
        assert not alive(pid)


def _take_the_lease(database: Path) -> Lease:
    """What no other hand than the daemon's should do."""
    connection = sqlite3.connect(database, isolation_level=None)
    (row,) = connection.execute("SELECT record FROM leases").fetchone()
    lease = msgspec.json.decode(row, type=Lease)
    other = {**msgspec.to_builtins(lease), "session_id": "another", "generation": 99}
    connection.execute("UPDATE leases SET record = ?", (msgspec.json.encode(other),))
    connection.close()
    return lease
