"""A sitting: from an accepted join to its final end, restarts included."""

from __future__ import annotations

import uuid

import trio
from msgspec.structs import replace

from daemon.endings import SessionEnd
from daemon.happenings import RestartPlanned, SeatChanged, SessionChanged
from daemon.innermost import innermost
from daemon.leases import Lease
from daemon.lifecycle import after
from daemon.logs import log_of
from daemon.means import Means
from daemon.play_host import PlayHost
from daemon.records import SessionRecord, SittingRecord, Write
from daemon.recovering import settle
from daemon.refusal import Refusal
from daemon.restarts import PASSING, after_death, wait_after
from daemon.seat import Seat
from daemon.session import Session
from daemon.specifications import play_specification
from daemon.state import StateUnavailable, unavailable
from kernel.journal.instant import utc_now
from kernel.session.specification import BudgetCeiling, Specification
from kernel.session.wire import BudgetUsed

_COUNTED = frozenset(("crashed", "hung", "protocol_error"))
"""Outcomes that count against the failure limits, whether or not the seat restarts after them."""

_LOG_HAS_MORE = "The daemon's log has more."


class Sitting:
    """Plays a seat until it is over. Nothing cancels `play`; `stop` ends it."""

    def __init__(
        self, means: Means, seat: Seat, play_host: PlayHost, record: SittingRecord
    ) -> None:
        self.record = record
        self.session: Session | None = None
        """The live session; None while one is being prepared or waited for."""
        self.latest: SessionRecord | None = None
        """The last session that was claimed, as it ended."""
        self.survivors: tuple[int, ...] = ()
        self.paused = False
        self.restart_at: float | None = None
        """trio's time of the pending restart."""
        self.restart_reason = ""
        self.restart_cancelled = False
        """A stop came while it waited to play again."""
        self.unsettled = ""
        """What was answered about the leave of the session before, until that is settled."""
        self.answered = trio.Event()
        """The first session runs, or it is known why it does not: then `refusal` is set."""
        self.refusal: Refusal | None = None
        self.next_session_id = str(uuid.uuid4())
        self.over = trio.Event()
        self._means = means
        self._seat = seat
        self._play_host = play_host
        self._log = log_of(__name__, seat=seat.name)
        self._began = trio.current_time()
        self._claimed_once = False
        self._earlier_turns = 0
        self._told: BudgetUsed | None = None
        self._refused_in_row = 0
        self._waited_enough = trio.Event()
        self._stop_asked = trio.Event()
        self._stop_reason = ""
        self._stop_deadline = 0.0

    @property
    def stopping(self) -> bool:
        """Whether a person asked for its end."""
        return self._stop_asked.is_set()

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return trio.current_time() - self._began

    @property
    def turns_taken(self) -> int:
        """Of all its sessions so far."""
        now = 0 if self.session is None else self.session.record.turns_taken
        return self._earlier_turns + now

    @property
    def used(self) -> BudgetUsed | None:
        """Its bill by the latest word of a session; None: none said anything yet."""
        told = None if self.session is None else self.session.latest.budget
        return told or self._told

    def stop(self, reason: str) -> None:
        """End it: no restart, no new session, and the live one by the deadline from now."""
        if not self._stop_asked.is_set():
            self._stop_reason = reason
            self.restart_cancelled = self.restart_at is not None or bool(self.unsettled)
            limit = self._means.settings.limits.stop_deadline
            self._stop_deadline = trio.current_time() + limit
            self._stop_asked.set()
            self._waited_enough.set()
            self._means.happenings.tell(SeatChanged(self._seat.name))
        if self.session is not None:
            self.session.stop(self._stop_reason, self._stop_deadline)

    def kill(self, *, shutdown: bool = False) -> None:
        """End it at once."""
        self.stop("stop at once")
        if self.session is not None:
            self.session.kill(shutdown=shutdown)

    def play_on(self) -> None:
        """Wait no longer for a leave to be settled, since it is."""
        if self.unsettled:
            self.unsettled = ""
            self._waited_enough.set()

    async def set_ceiling(self, ceiling: BudgetCeiling) -> None:
        """New ceilings, for what is left of the sitting. Raises StateUnavailable."""
        record = replace(self.record, ceiling=ceiling)
        await self._means.state.commit(Write(sitting=record))
        self.record = record
        if self.session is not None:
            self.session.set_ceiling(ceiling)

    def pause(self, paused: bool) -> None:
        """Whether turns may start, in a restarted session too."""
        self.paused = paused
        if self.session is not None:
            self.session.pause(paused)

    async def play(self) -> None:
        """One session after the other, until the sitting is over."""
        try:
            while (delay := await self._play_one()) is not None:
                if not await self._wait_for_restart(delay):
                    break
        except Exception as error:
            # A fault of the supervisor's own costs this seat its sitting and no other anything.
            self._log.exception("an internal error ended the sitting", event="internal_error")
            self.refusal = _as_refusal(innermost(error))
            await self._end_after_fault()
        finally:
            self._seat.sitting = None
            self.session = None
            self.answered.set()
            self.over.set()
        if self._claimed_once:
            await self._means.state.record(Write(sitting=replace(self.record, ended_at=utc_now())))
        self._means.happenings.tell(SeatChanged(self._seat.name))

    async def _end_after_fault(self) -> None:
        if self.session is None:
            return
        ended = replace(
            self.session.record,
            state="failed",
            outcome="crashed",
            reason="the supervisor failed in driving it",
            ended_at=utc_now(),
            leave="unconfirmed",
        )
        self._seat.session_left(confirmed=False)
        write = Write(session=ended, seat=self._seat.record, announce=True)
        await self._means.state.record(write)
        self._seat.last = self.latest = ended

    async def _play_one(self) -> float | None:
        """Seconds until the next session; None: that was the last."""
        try:
            session = await self._claim()
        except Refusal as refusal:
            self._answer(refusal)
            gone = refusal.code == "no_such_seat"
            if gone or self.stopping or not self._claimed_once:
                return None
            if refusal.code == "unsettled":
                self.unsettled = refusal.message
            if refusal.code in PASSING:
                return self._wait_out(refusal.message)
            return await self._count_death(refusal.message, 0.0)
        self._refused_in_row = 0
        if session is None:
            return None
        self.session = session
        session.set_ceiling(self.record.ceiling)  # changed perhaps while it was being claimed
        if self.stopping:
            self.stop(self._stop_reason)
        end = await session.run()
        self.session = None
        self._seat.last = self.latest = session.record
        self._earlier_turns += session.record.turns_taken
        self._told = session.latest.budget or self._told
        self.survivors = session.survivors
        self._answer(self._refusal_of(end, session.spawned))
        return await self._judge(session, end)

    async def _claim(self) -> Session | None:
        """Settle, specify, and take a new generation and a lease; None: a stop came in between.

        Raises Refusal: nothing was claimed.
        """
        self._seat.refuse_while_held(self._means.boottime())
        await self._play_host.start()
        await settle(self._means, self._seat, self._stop_asked)
        self.unsettled = ""
        session_id, generation = self.next_session_id, self._seat.record.generation + 1
        specification = await self._specify(session_id, generation)
        if self.stopping:
            raise Refusal("stopping", f"seat {self._seat.name} was stopped before it started")
        record = SessionRecord(
            session_id=session_id,
            sitting_id=self.record.sitting_id,
            seat=self._seat.name,
            generation=generation,
            state="claimed",
            began_at=utc_now(),
            boot_id=self._means.boot_id,
            room=self.record.room,
        )
        lease = Lease(
            seat=self._seat.name,
            generation=generation,
            session_id=session_id,
            ttl=self._means.settings.limits.lease_ttl,
            boot_id=self._means.boot_id,
            expires=self._means.boottime() + self._means.settings.limits.lease_ttl,
        )
        async with self._seat.changing:
            seat = replace(self._seat.record, generation=generation)
            write = Write(
                seat=seat, sitting=self.record, session=record, lease=lease, announce=True
            )
            try:
                await self._means.state.commit(write)
            except StateUnavailable as error:
                raise unavailable(error) from error
            self._seat.record = seat
        self._claimed_once = True
        self.latest = record
        self._means.happenings.tell(SessionChanged(record))
        if self.stopping:
            await self._abandon(record)
            return None
        return Session(
            self._means,
            self._seat,
            record,
            specification,
            lease,
            paused=self.paused,
            on_running=self.answered.set,
        )

    async def _specify(self, session_id: str, generation: int) -> Specification:
        try:
            if self._means.state.behind:
                await self._means.state.catch_up()  # with what is known of the earlier runs
            earlier = await self._means.state.sessions_of(self.record.sitting_id)
        except StateUnavailable as error:
            raise unavailable(error) from error
        runs = [(run.journal, run.budget) for run in earlier if run.journal is not None]
        return await play_specification(
            self._means.settings,
            self.record,
            session_id=session_id,
            generation=generation,
            elapsed=self.elapsed,
            earlier_journals=tuple(journal for journal, _ in runs),
            told_tokens=tuple(0 if told is None else told.tokens for _, told in runs),
            state_directory=self._means.state_directory,
        )

    async def _abandon(self, record: SessionRecord) -> None:
        """End a claim that a stop overtook: no process was started."""
        ended = replace(
            record,
            state=after(record.state, "stop"),
            ended_at=utc_now(),
            duration_ms=0,
            outcome="stopped",
            reason=self._stop_reason,
            leave="not_joined",
        )
        await self._means.state.record(Write(session=ended, release=ended.seat, announce=True))
        self._seat.last = self.latest = ended
        self._means.happenings.tell(SessionChanged(ended))
        self._answer(Refusal("stopping", f"seat {ended.seat} was stopped before it started"))

    async def _judge(self, session: Session, end: SessionEnd) -> float | None:
        """What follows a session's end: nothing, or the next one after some seconds."""
        settings = self._means.settings.seats.get(self._seat.name)
        wanted = settings is not None and end.outcome in settings.restart and not self.stopping
        if not wanted and end.outcome not in _COUNTED:
            return None
        ran_for = 0.0 if session.ran_at is None else trio.current_time() - session.ran_at
        delay = await self._count_death(end.reason, ran_for)
        return delay if wanted else None

    async def _count_death(self, reason: str, ran_for: float) -> float | None:
        verdict = after_death(self._seat.deaths, trio.current_time(), ran_for)
        self._seat.deaths = verdict.deaths
        self._refused_in_row = 0
        self.restart_reason = reason
        if verdict.delay is None:
            failed = f"{verdict.reason}; the last: {reason}"
            self._log.error("the seat failed: %s", failed, event="seat_failed")
            self._seat.record = replace(self._seat.record, failed=failed)
            await self._means.state.record(Write(seat=self._seat.record))
            return None
        return verdict.delay * self._means.delays.first_restart

    def _wait_out(self, reason: str) -> float:
        self._refused_in_row += 1
        self.restart_reason = reason
        return wait_after(self._refused_in_row) * self._means.delays.first_restart

    async def _wait_for_restart(self, delay: float) -> bool:
        """False: a stop came."""
        if self.stopping:
            return False
        self._waited_enough = trio.Event()
        self.next_session_id = str(uuid.uuid4())
        self.restart_at = trio.current_time() + delay
        self._log.warning("plays again in %g s: %s", delay, self.restart_reason, event="restart")
        died = self._refused_in_row == 0
        self._means.happenings.tell(
            RestartPlanned(self._seat.name, delay, self.restart_reason, died)
        )
        with trio.move_on_after(delay):
            await self._waited_enough.wait()
        self.restart_at = None
        return not self.stopping

    def _answer(self, refusal: Refusal | None) -> None:
        if not self.answered.is_set():
            self.refusal = refusal
            self.answered.set()

    def _refusal_of(self, end: SessionEnd, spawned: bool) -> Refusal:
        """Why a session that never ran did not, for whoever joined."""
        name = self._seat.name
        if end.outcome is None:
            return Refusal(
                end.code, f"seat {name} was refused: {end.reason}", self._start_world(end)
            )
        if end.outcome == "stopped":
            return Refusal("stopping", f"seat {name} was stopped before it was running")
        log = f"Its log names {name}; while playd tries again, playctl stop {name} ends that."
        code = end.code if spawned else "spawn_failed"
        return Refusal(code, f"seat {name}: {end.outcome}: {end.reason}", log)

    def _start_world(self, end: SessionEnd) -> str:
        """The next step, where the world that was not reached is a local one."""
        settings = self._means.settings.seats.get(self._seat.name)
        if end.refused != "world_unreachable" or settings is None or settings.world is None:
            return ""
        return f"To start it: playctl world start {self._seat.name}"


def _as_refusal(fault: BaseException) -> Refusal:
    match fault:
        case Refusal():
            return fault
        case StateUnavailable():
            return unavailable(fault)
        case OSError(strerror=str(why)):
            return Refusal("internal", f"the session could not be driven: {why}", _LOG_HAS_MORE)
        case _:
            return Refusal("internal", f"internal error: {type(fault).__name__}", _LOG_HAS_MORE)
