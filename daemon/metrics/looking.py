"""Every series that is looked up when somebody scrapes: what seats are and use at this moment.

A configured seat always has all of its series, so that none comes and goes with its sessions.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Iterator

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from daemon.control.wire import BudgetUsed, SeatView
from daemon.metrics.vocabulary import LIVE_STATES, SEAT_STATES
from daemon.resources import Used, used_by
from daemon.session import Session
from daemon.supervisor import Supervisor
from kernel.version import VERSION


class Looking(Collector):
    """Reads the supervisor's seats, and /proc for what their processes use."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._cpu: dict[str, float] = {}
        """Seconds that the sessions of a seat have used, as far as was looked."""
        self._cpu_of_session: dict[str, float] = {}

    def collect(self) -> Iterable[Metric]:
        """All of them, as they are now."""
        register = self._supervisor.register
        live = {session.record.seat: session for _, session in register.live()}
        seats = register.views()
        yield from _about_seats(seats)
        yield from _about_budgets(seats)
        yield _sessions(session.record.state for session in live.values())
        yield from self._used([seat.seat for seat in seats], live)
        yield from self._about_daemon()

    def _about_daemon(self) -> Iterator[Metric]:
        behind = self._supervisor.behind
        waiting = _gauge(
            "state_changes_waiting",
            "Changes of the state that the disk did not take yet. Not 0: free space, or look at "
            "the disk; until then nothing can be joined.",
        )
        waiting.add_metric((), behind)
        ready = _gauge("ready", "1 while joins are accepted; 0 while draining or without a disk.")
        ready.add_metric((), not self._supervisor.draining and not behind)
        build = _gauge("build_info", "Always 1; its labels say what runs.", "version", "python")
        build.add_metric((VERSION, platform.python_version()), 1)
        yield from (waiting, ready, build)

    def _used(self, seats: list[str], live: dict[str, Session]) -> Iterator[Metric]:
        resident = _gauge(
            "session_resident_memory_bytes",
            "Memory of the seat's session process and its motor. Growing without end: a leak; "
            "restart the session.",
            "seat",
        )
        cpu = CounterMetricFamily(
            "playd_session_cpu_seconds_total",
            "Processor time of the seat's session processes and motors. Near 1 a second: it spins.",
            labels=("seat",),
        )
        seen: dict[str, float] = {}
        for seat in seats:
            used = Used()
            if (session := live.get(seat)) is not None:
                used = _used_by(session)
                id = session.record.session_id
                before = self._cpu_of_session.get(id, 0.0)
                seen[id] = max(before, used.cpu_seconds)
                self._cpu[seat] = self._cpu.get(seat, 0.0) + seen[id] - before
            resident.add_metric((seat,), used.resident_bytes)
            cpu.add_metric((seat,), self._cpu.get(seat, 0.0))
        self._cpu_of_session = seen
        yield resident
        yield cpu


def _about_seats(seats: Iterable[SeatView]) -> Iterator[Metric]:
    info = _gauge(
        "seat_info",
        "Always 1; its labels say what is configured for a seat.",
        "seat",
        "body",
        "game",
        "model",
    )
    state = _gauge(
        "seat_state",
        "1 for the state that a seat is in, 0 for the others. failed and stale wait for a person, "
        "recovery_required for the word of its world or of a person.",
        "seat",
        "state",
    )
    failures = _gauge(
        "failures_in_row",
        "Failed model calls and invalid decisions in a row; a few more end the session.",
        "seat",
    )
    waiting = _gauge(
        "interjections_waiting", "Messages that the player has not been shown yet.", "seat"
    )
    for seat in seats:
        info.add_metric((seat.seat, seat.body, seat.game, seat.model), 1)
        for name in SEAT_STATES:
            state.add_metric((seat.seat, name), seat.state == name)
        session = seat.session
        failures.add_metric((seat.seat,), session.failures_in_row if session else 0)
        counters = session.counters if session else {}
        waiting.add_metric((seat.seat,), counters.get("interjections_undelivered", 0))
    yield from (info, state, failures, waiting)


def _about_budgets(seats: Iterable[SeatView]) -> Iterator[Metric]:
    ratio = _gauge(
        "budget_used_ratio",
        "What the live sitting has used of its ceiling, tokens or dollars; at 1 it ends. 0 while "
        "nothing is played.",
        "seat",
        "kind",
    )
    unknown = _gauge(
        "cost_unknown",
        "1 while the live sitting's cost is not known, since a model has no known price.",
        "seat",
    )
    for seat in seats:
        used = None if seat.at_rest or seat.session is None else seat.session.budget
        ratio.add_metric((seat.seat, "tokens"), _ratio(used, "tokens"))
        ratio.add_metric((seat.seat, "dollars"), _ratio(used, "dollars"))
        unknown.add_metric((seat.seat,), used is not None and used.cost is None)
    yield from (ratio, unknown)


def _ratio(used: BudgetUsed | None, kind: str) -> float:
    if used is None:
        return 0.0
    spent, ceiling = (
        (used.tokens, used.token_ceiling) if kind == "tokens" else (used.cost, used.cost_ceiling)
    )
    if spent is None or ceiling is None:
        return 0.0
    return spent / ceiling if ceiling else 1.0


def _sessions(states: Iterable[str]) -> Metric:
    sessions = _gauge("sessions", "Live sessions by state.", "state")
    counts = Counter(states)
    for state in LIVE_STATES:
        sessions.add_metric((state,), counts[state])
    return sessions


def _used_by(session: Session) -> Used:
    """Of the session process and the processes outside its group that it named."""
    record = session.record
    processes = (*((record.process,) if record.process else ()), *record.descendants)
    return sum((used for process in processes if (used := used_by(process))), Used())


def _gauge(name: str, help: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"playd_{name}", help, labels=labels)
