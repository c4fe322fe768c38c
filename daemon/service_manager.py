"""What systemd is told: that we are ready, reload, stop, what we do, and that we are not stuck.

Without systemd everything said here goes nowhere.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

import trio

from daemon.control.wire import SeatView
from daemon.happenings import (
    Draining,
    Happening,
    Reloaded,
    Reloading,
    SeatChanged,
    SessionChanged,
    SessionSaid,
)
from daemon.logs import log_of
from daemon.session import Session
from daemon.supervisor import Supervisor
from kernel.session.wire import Turn

STATUS_SECONDS = 1.0
"""Between two texts of the status."""
FEEDS = 4
"""Times that the watchdog is fed within its limit."""

_log = log_of(__name__)


class ServiceManager:
    """systemd, if it started us."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._listens = bool(environ.get("NOTIFY_SOCKET"))
        self.watchdog = _watchdog(environ)
        """Seconds within which it must be fed; None: there is none."""

    def tell(self, **assignments: str | int) -> None:
        """Send assignments as in sd_notify(3)."""
        if not self._listens:
            return
        from systemd import daemon  # pyright: ignore[reportMissingTypeStubs]

        text = "\n".join(f"{name}={value}" for name, value in assignments.items())
        try:
            daemon.notify(text)  # pyright: ignore[reportUnknownMemberType]
        except OSError as error:
            _log.warning("systemd cannot be told: %s", error.strerror)

    def observe(self, happening: Happening) -> None:
        """Tell of what changes the service's state; see `happenings.Observer`."""
        match happening:
            case Reloading():
                self.tell(RELOADING=1, MONOTONIC_USEC=time.monotonic_ns() // 1000)
            case Reloaded():
                self.tell(READY=1)
            case Draining(seconds):
                self.tell(STOPPING=1, EXTEND_TIMEOUT_USEC=int(seconds * 1e6))
            case _:
                pass


async def keep_status(manager: ServiceManager, supervisor: Supervisor) -> None:
    """Keep the status text true, until cancelled."""
    turns, refused, changed = 0, False, trio.Event()

    def observe(happening: Happening) -> None:
        nonlocal turns, refused
        match happening:
            case SessionSaid(message=Turn()):
                turns += 1
            case Reloaded(taken):
                refused = not taken
            case SessionChanged() | SeatChanged() | Draining():
                pass
            case _:
                return
        changed.set()

    with supervisor.happenings.observed_by(observe):
        while True:
            changed = trio.Event()
            text = status_text(supervisor.register.views(), turns)
            draining = "Draining: " if supervisor.draining else ""
            manager.tell(STATUS=draining + text + ("; bad configuration" if refused else ""))
            await changed.wait()
            await trio.sleep(STATUS_SECONDS)


def status_text(seats: tuple[SeatView, ...], turns: int) -> str:
    """What `systemctl status` shows of the seats and of the turns since the start."""
    playing = sum(seat.state in ("running", "paused") for seat in seats)
    parts = [f"{playing} of {len(seats)} seats play, {turns} turns"]
    for state in ("restarting", "failed", "recovery_required", "stale"):
        if names := [seat.seat for seat in seats if seat.state == state]:
            shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            parts.append(f"{state.replace('_', ' ')}: {shown}")
    return "; ".join(parts)


async def feed_watchdog(manager: ServiceManager, supervisor: Supervisor) -> None:
    """Feed systemd's watchdog while this loop runs and every session's pump answers.

    Waiting for a quiet session process is an answer; a pump that does not come back to its waiting
    is none, and then systemd restarts the daemon. On a busy machine all of them answer late: they
    are asked at the same time, and have until the watchdog's limit.
    """
    if manager.watchdog is None:
        return
    pause = manager.watchdog / FEEDS
    while True:
        async with trio.open_nursery() as nursery:
            for _, session in supervisor.register.live():
                nursery.start_soon(_answer, session, manager.watchdog / 2)
        manager.tell(WATCHDOG=1)
        await trio.sleep(pause)


async def _answer(session: Session, soon: float) -> None:
    if (pulse := session.pulse) is None:
        return
    with trio.move_on_after(soon):
        await pulse.felt()
        return
    log = log_of(__name__, seat=session.record.seat, session=session.record.session_id)
    log.error("its pump is stuck", event="stuck")
    await pulse.felt()  # the watchdog's own limit ends this


def _watchdog(environ: Mapping[str, str]) -> float | None:
    pid, limit = environ.get("WATCHDOG_PID"), environ.get("WATCHDOG_USEC", "")
    if not limit.isdecimal() or pid not in (None, str(os.getpid())):
        return None
    return int(limit) / 1e6
