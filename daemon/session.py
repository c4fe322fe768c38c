"""One session as the supervisor drives it, from its claim to its recorded end."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import trio
from msgspec.structs import replace

from daemon.cgroups import Cgroup
from daemon.endings import Reached, SessionEnd, end_of
from daemon.happenings import (
    LeaseLost,
    LeaseRenewed,
    ProtocolFault,
    SessionChanged,
    SessionSaid,
    StopTook,
)
from daemon.leases import KILL_MARGIN, Lease
from daemon.lifecycle import TERMINAL, Event, after, ending
from daemon.logs import log_of
from daemon.means import Means
from daemon.pulse import Pulse
from daemon.recording import Recording
from daemon.records import Recovery, SessionRecord, Write
from daemon.refusal import Refusal
from daemon.seat import Seat
from daemon.session_process import SessionProcess
from daemon.starts import Place
from kernel.journal.instant import utc_now
from kernel.session import wire
from kernel.session.specification import JOURNALS, BudgetCeiling, ModelChoice, Specification


@dataclass(slots=True)
class Latest:
    """The newest of what the session said about itself."""

    phase: str | None = None
    waiting: float | None = None
    card: wire.Card | None = None
    budget: wire.BudgetUsed | None = None
    failures_in_row: int = 0
    counters: dict[str, int] | None = None


class Session:
    """A claimed session. `run` plays it; nothing cancels that, `stop` and `kill` end it."""

    def __init__(
        self,
        means: Means,
        seat: Seat,
        record: SessionRecord,
        specification: Specification,
        lease: Lease,
        *,
        paused: bool,
        on_running: Callable[[], None],
    ) -> None:
        self.record = record
        self.lease = lease
        self.latest = Latest()
        self.paused = paused
        self.ran_at: float | None = None
        """trio's time when it said that it runs."""
        self.survivors: tuple[int, ...] = ()
        """Pids of its processes that could not be ended."""
        self._means = means
        self._seat = seat
        self._specification = specification
        self._on_running = on_running
        self._log = log_of(__name__, seat=record.seat, session=record.session_id)
        self._began = trio.current_time()
        self._process: SessionProcess | None = None
        self._queueing = trio.CancelScope()
        """The wait until its process may start."""
        self._joins = trio.Event()
        self._told_to_start = False
        self._reached: Reached = "starting"
        self._claim: wire.Ended | wire.Refused | None = None
        self._stop_reason = ""
        self._stop_asked = trio.Event()
        self._stop_asked_at: float | None = None
        self._stop_deadline = 0.0
        self._lease_lost = False
        self._acknowledged: dict[str, trio.Event] = {}
        self._recording = Recording(means.state, self._log, self._announce)

    async def run(self) -> SessionEnd:
        """Start its process, pump it, and record every state; returns once its end is recorded."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._recording.keep)
            end = self._finish(await self._live())
            self._recording.close()
        if self._stop_asked_at is not None:
            seconds = trio.current_time() - self._stop_asked_at
            self._means.happenings.tell(StopTook(self.record, seconds))
        return end

    @property
    def spawned(self) -> bool:
        """Whether its process could be started."""
        return self._process is not None

    @property
    def pulse(self) -> Pulse | None:
        """Of the task that reads what its process says; None: there is no process yet."""
        return None if self._process is None else self._process.pulse

    @property
    def models(self) -> tuple[ModelChoice | None, ModelChoice | None]:
        """Mind and voice, as it was told."""
        return self._specification.mind, self._specification.voice

    def stop(self, reason: str, deadline: float) -> None:
        """Admit nothing new and end by `deadline`, of trio's clock; the first request counts."""
        if self._stop_asked_at is not None:
            return
        self._stop_asked_at = trio.current_time()
        self._queueing.cancel()
        self._stop_by(reason, deadline)
        if self._told_to_start:
            self._tell_to_stop()
        elif self._process is not None:
            self._process.end("stop_now", 0)

    def kill(self, *, shutdown: bool = False) -> None:
        """End everything of it at once; it was told to stop before."""
        if self._process is not None:
            self._process.end("shutdown" if shutdown else "stop_now", 0)

    def pause(self, paused: bool) -> None:
        """Whether turns may start."""
        self.paused = paused
        self._send(wire.Pause() if paused else wire.Resume())

    def set_ceiling(self, ceiling: BudgetCeiling) -> None:
        """Pass new ceilings on; it starts with them if it was not told to start yet."""
        self._specification = replace(self._specification, budget=ceiling)
        self._send(wire.Budget(ceiling=ceiling))

    async def say(self, text: str, speaker: str) -> str:
        """Give it a person's words; the message's id once it has them. Raises Refusal."""
        id = str(uuid.uuid4())
        acknowledged = self._acknowledged[id] = trio.Event()
        try:
            if not self._send(wire.Say(id=id, text=text, speaker=speaker)):
                raise Refusal(
                    "session_silent",
                    f"the message was not given to the session of seat {self.record.seat}, "
                    "which does not read at this moment",
                    "Say it again later.",
                )
            with trio.move_on_after(self._means.delays.say):
                await acknowledged.wait()
        finally:
            del self._acknowledged[id]
        if not acknowledged.is_set():
            raise Refusal(
                "session_silent",
                f"the session of seat {self.record.seat} did not acknowledge the message",
                "It may have it all the same; see what it does before saying it again.",
            )
        return id

    def tend_lease(self, now: float, holder: Lease | None) -> None:
        """Renew the lease, or end the session while there is time; `now` is of CLOCK_BOOTTIME.

        `holder` is whom the database names, which only another hand than this daemon's changes.
        """
        if self._lease_lost or self._process is None:
            return
        due = self.lease.due(now, term_grace=self._means.delays.term_grace)
        ours = holder is None or (holder.session_id == self.lease.session_id)
        if due == "renew" and ours:
            self._renew_lease(now)
        elif due != "keep":
            self._lease_lost = True
            self._log.error("its lease is lost", event="lease_lost")
            self._means.happenings.tell(LeaseLost(self.record.seat))
            left = self.lease.remaining(now) - KILL_MARGIN
            self._process.end("lease_lapsed", max(0.0, min(left, self._means.delays.term_grace)))

    # What the session process says

    def message(self, message: wire.FromSession) -> None:
        """Take one message in; see `session_process.Listener`."""
        latest = self.latest
        match message:
            case wire.Joining():
                self._reached = "joining"
                self._joins.set()
            case wire.Running():
                self._take_running(message)
            case wire.Refused() | wire.Ended():
                self._claim = message
                if isinstance(message, wire.Refused) and message.recovery is not None:
                    self._keep_recovery(message.recovery)
            case wire.Stopping():
                self._stop_by(message.reason, self._deadline_from_now())
            case wire.Phase():
                latest.phase, latest.waiting = message.phase, message.waiting
            case wire.Turn():
                latest.card, latest.budget = message.card, message.budget
                latest.failures_in_row = message.failures_in_row
                self.record = replace(self.record, turns_taken=message.card.turn + 1)
            case wire.Usage():
                latest.budget = message.budget
            case wire.Stats():
                latest.counters = message.counters
            case wire.Received():
                if (acknowledged := self._acknowledged.get(message.id)) is not None:
                    acknowledged.set()
            case wire.Hello() | wire.Heartbeat() | wire.Notable() | wire.Speech():
                pass
        self._means.happenings.tell(SessionSaid(self.record, message))
        if isinstance(message, wire.Notable | wire.Speech):
            # Only now does the room's queue have it (K33).
            self._send(wire.Acknowledge(id=message.id))

    def fault(self, reason: str) -> None:
        """Count one; see `session_process.Listener`."""
        self._means.happenings.tell(ProtocolFault(self.record, reason))

    # Within

    async def _live(self) -> SessionEnd:
        place: Place | None = None
        with self._queueing:
            place = await self._means.starts.place()
        if place is None:
            return SessionEnd("stopped", self._stop_reason, "not_joined")
        try:
            return await self._live_in(place)
        finally:
            place.give_back()

    async def _live_in(self, place: Place) -> SessionEnd:
        self._advance("spawn")
        command = self._means.command
        try:
            self._process = process = await SessionProcess.start(
                self._means.children,
                command,
                session_id=self.record.session_id,
                delays=self._means.delays,
                log=self._log,
                cgroup=self._cgroup(),
            )
        except OSError as error:
            return SessionEnd("crashed", f"cannot be started: {error}", "not_joined")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._begin, process)
            nursery.start_soon(self._enforce_stop, process)
            nursery.start_soon(place.give_back_after, self._joins)
            exit = await process.run(self)
            nursery.cancel_scope.cancel()
        self.survivors = exit.survivors
        return end_of(exit, self._claim, self._reached)

    def _cgroup(self) -> Cgroup | None:
        if self._means.cgroups is None:
            return None
        cgroup = self._means.cgroups.make(self.record.session_id)
        self.record = replace(self.record, cgroup=str(cgroup.folder))
        return cgroup

    async def _begin(self, process: SessionProcess) -> None:
        """Tell it to start, once the database knows the process that is about to act."""
        recorded = self._put(replace(self.record, process=process.identity))
        if not self._stop_asked.is_set():  # one that comes now ends the process itself
            await recorded.wait()
        if self._stop_asked.is_set():
            process.end("stop_now", 0)
            return
        now = self._means.boottime()
        self.lease = self.lease.renewed(now)
        valid_for = self.lease.remaining(now)
        process.send(
            wire.Start(specification=replace(self._specification, lease_valid_for=valid_for))
        )
        self._told_to_start = True
        if self.paused:
            process.send(wire.Pause())

    async def _enforce_stop(self, process: SessionProcess) -> None:
        await self._stop_asked.wait()
        await trio.sleep_until(self._stop_deadline)
        self._log.warning("did not end in time", event="stop_deadline")
        process.end("stop_deadline", self._means.delays.term_grace)

    def _stop_by(self, reason: str, deadline: float) -> None:
        """The deadline of whoever asked first holds: the session itself, or a person."""
        if self._stop_asked.is_set():
            return
        self._stop_reason, self._stop_deadline = reason, deadline
        self._stop_asked.set()
        if self.record.state in ("starting", "running"):
            self._advance("stop", reason=reason)

    def _tell_to_stop(self) -> None:
        remaining = max(0.0, self._stop_deadline - trio.current_time())
        self._send(wire.Stop(reason=self._stop_reason[:400], remaining=remaining))

    def _deadline_from_now(self) -> float:
        return trio.current_time() + self._means.settings.limits.stop_deadline

    def _send(self, message: wire.ToSession) -> bool:
        return self._told_to_start and self._process is not None and self._process.send(message)

    def _renew_lease(self, now: float) -> None:
        self.lease = self.lease.renewed(now)
        self._send(wire.Lease(valid_for=self.lease.ttl))
        self._means.happenings.tell(LeaseRenewed(self.record.seat))

    def _take_running(self, message: wire.Running) -> None:
        self._reached = "running"
        self.ran_at = trio.current_time()
        assert self._process is not None
        self.record = replace(
            self.record,
            journey_id=message.journey_id,
            journal=self._journal_of(message),
            descendants=self._process.family.reported,
        )
        self._keep_recovery(message.recovery)
        if self.record.state == "starting":
            self._advance("run", with_seat=True)
        else:
            self._put(self.record, with_seat=True)

    def _keep_recovery(self, value: str) -> None:
        self._seat.record = replace(
            self._seat.record,
            recovery=Recovery(
                session_id=self.record.session_id,
                generation=self.record.generation,
                value=value,
            ),
        )

    def _journal_of(self, message: wire.Running) -> str | None:
        """The journal that a session names, if it lies where journals lie: it is opened later."""
        path = Path(message.journal)
        if path.parent == self._means.state_directory / JOURNALS and path.name not in ("..", ""):
            return message.journal
        self.fault("names a journal outside the state directory")
        return None

    def _finish(self, end: SessionEnd) -> SessionEnd:
        """Queue the terminal state, and with it what becomes of the body and the lease."""
        if end.outcome is None and self.record.state == "stopping":
            end = SessionEnd("stopped", end.reason, end.leave)
        events = ("refuse",) if end.outcome is None else ending(self.record.state, end.outcome)
        for event in events[:-1]:
            self._advance(event)
        self._seat.session_left(confirmed=end.leave != "unconfirmed")
        if self.survivors:
            self._seat.blocked_until = self.lease.expires
        self.record = replace(
            self.record,
            process=self.record.process if self.survivors else None,
            ended_at=utc_now(),
            duration_ms=int((trio.current_time() - self._began) * 1000),
            outcome=end.outcome,
            reason=end.reason or self._stop_reason,
            leave=end.leave,
            turns_taken=self.record.turns_taken if end.turns_taken is None else end.turns_taken,
            budget=self.latest.budget,
        )
        free = end.leave != "unconfirmed" and not self.survivors
        self._advance(events[-1], with_seat=True, release=free)
        return end

    def _advance(
        self, event: Event, *, reason: str = "", with_seat: bool = False, release: bool = False
    ) -> None:
        state = after(self.record.state, event)
        self.record = replace(self.record, state=state, reason=reason or self.record.reason)
        self._log_state(reason)
        self._put(self.record, with_seat=with_seat, release=release, announce=True)

    def _log_state(self, reason: str) -> None:
        record, event = self.record, f"session_{self.record.state}"
        if record.state not in TERMINAL:
            self._log.info("%s%s", record.state, f": {reason}" if reason else "", event=event)
            return
        ended = (record.state, record.outcome) if record.outcome else (record.state,)
        told = f"{', '.join(ended)}: {record.reason}"
        if record.leave == "unconfirmed":
            self._log.warning("%s; its leave is not confirmed", told, event=event)
        else:
            self._log.info("%s", told, event=event)

    def _put(
        self,
        record: SessionRecord,
        *,
        with_seat: bool = False,
        release: bool = False,
        announce: bool = False,
    ) -> trio.Event:
        """Queue a record to be written; the event is set when the disk had its chance."""
        self.record = record
        write = Write(
            session=record,
            seat=self._seat.record if with_seat else None,
            release=record.seat if release else None,
            announce=announce,
        )
        return self._recording.put(write)

    def _announce(self, session: SessionRecord) -> None:
        self._means.happenings.tell(SessionChanged(session))
        if session.state == "running":
            self._on_running()
