"""The supervisor: what the verbs of the control socket do."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import trio
from msgspec.structs import replace

from config.settings import Settings
from daemon.budgeting import budget_of
from daemon.ceilings import changed, later_ceiling
from daemon.control import wire
from daemon.control.peers import Caller
from daemon.happenings import Draining, Happening, Happenings, SeatChanged
from daemon.lifecycle import FAILED
from daemon.logs import log_of
from daemon.means import Means
from daemon.play_host import PlayHost
from daemon.records import SessionRecord, SittingRecord
from daemon.recovering import forget_recovery, settle
from daemon.refusal import Refusal, no_such_room
from daemon.register import Register
from daemon.reloading import Configuration
from daemon.restarts import Deaths
from daemon.rewriting import rewrite
from daemon.seat import Seat
from daemon.sitting import Sitting
from daemon.state import StateUnavailable, unavailable
from daemon.status import Status
from daemon.views import after_settling, live_view, seat_view, session_view
from daemon.watching import event_of
from daemon.worlds import Worlds
from kernel.journal.instant import utc_now

_log = log_of(__name__)


class Supervisor:
    """Owns every seat. `daemon.opening.open_supervisor` makes one and ends what it started.

    What cannot be done raises Refusal. Callers were authorized before.
    """

    def __init__(
        self,
        means: Means,
        seats: dict[str, Seat],
        worlds: Worlds,
        sittings: trio.Nursery,
        configuration: Path | None,
    ) -> None:
        self.drained = trio.Event()
        """Nothing is left and nothing will be: the daemon may exit."""
        self._means = means
        self._register = Register(means, seats)
        self._worlds = worlds
        self._sittings = sittings
        self._configuration = Configuration(means, self._register, configuration)
        self._draining = False
        self._play_host = PlayHost(means, seats.values())
        self._status = Status(means, self._register, self._configuration)

    @property
    def settings(self) -> Settings:
        """The configuration as last loaded."""
        return self._means.settings

    @property
    def happenings(self) -> Happenings:
        """The stream of everything that happens here."""
        return self._means.happenings

    @property
    def draining(self) -> bool:
        """Whether joins are refused because the daemon is about to exit."""
        return self._draining

    @property
    def behind(self) -> int:
        """How many changes of the state the disk did not take yet."""
        return self._means.state.behind

    @property
    def register(self) -> Register:
        """All seats."""
        return self._register

    def starter_of(self, session: SessionRecord) -> Caller | None:
        """Who started the sitting of a live session; None: it is over."""
        for sitting in self._register.sittings():
            record = sitting.record
            if record.sitting_id == session.sitting_id:
                return Caller(uid=record.uid, gid=record.gid, pid=0, groups=record.groups)
        return None

    # Looking

    async def status(self, caller: Caller) -> wire.StatusResult:
        """The daemon, its seats, and what is not as it should be."""
        return self._status.shown(draining=self._draining)

    async def seats(self, caller: Caller) -> wire.SeatsResult:
        """Every configured seat."""
        return wire.SeatsResult(seats=self._register.views())

    async def sessions(
        self, caller: Caller, seat: str | None, all: bool, limit: int
    ) -> wire.SessionsResult:
        """Live sessions, or with `all` the newest of those ever recorded."""
        live = {
            session.record.session_id: live_view(session, sitting)
            for sitting, session in self._register.live()
            if seat in (None, session.record.seat)
        }
        if seat is not None and not live and not all:
            self._register.configured(seat)
        if not all:
            newest_first = sorted(live.values(), key=lambda view: view.began_at, reverse=True)
            shown = tuple(newest_first)
        else:
            try:
                records = await self._means.state.latest_sessions(seat, limit + 1)
            except StateUnavailable as error:
                raise unavailable(error) from error
            stale = self._register.stale()
            shown = tuple(
                live.get(record.session_id)
                or session_view(record, stale=record.session_id in stale)
                for record in records
            )
            if seat is not None and not shown:
                self._register.configured(seat)
        return wire.SessionsResult(sessions=shown[:limit], more=len(shown) > limit)

    async def observe(self, caller: Caller, seat: str) -> wire.ObserveResult:
        """The last decoded state of a live session, or how a stale one ended; joins nothing."""
        ours, _ = self._register.configured(seat)
        was_stale = ours.stale is not None
        await self._play_host.start()
        if was_stale and ours.sitting is None and ours.last is not None:
            return wire.ObserveResult(
                seat=seat, session=session_view(ours.last), detail=after_settling(ours)
            )
        sitting, session = self._register.playing(seat)
        return wire.ObserveResult(seat=seat, session=live_view(session, sitting))

    async def watch(self, caller: Caller, send: Callable[[wire.Event], None]) -> None:
        """Shows every seat, then everything that happens, until cancelled."""

        def show(happening: Happening) -> None:
            event = event_of(happening, self._register.view)
            if event is not None:
                send(event)

        with self.happenings.observed_by(show):
            for view in self._register.views():
                send(wire.SeatChanged(seat=view))
            send(wire.Watching())
            await trio.sleep_forever()

    async def health(self, caller: Caller) -> wire.HealthResult:
        """Whether joins are accepted, and what hinders them."""
        behind = self._means.state.behind
        checks = (
            wire.HealthCheck(name="accepting", ok=not self._draining),
            wire.HealthCheck(
                name="state",
                ok=behind == 0,
                detail=f"{behind} changes wait for the disk" if behind else "",
            ),
        )
        return wire.HealthResult(ready=all(check.ok for check in checks), checks=checks)

    # Playing

    async def join(
        self, caller: Caller, seat: str, room: str | None, budget: wire.BudgetChange, wait: float
    ) -> wire.JoinResult:
        """Begin a sitting and wait at most `wait` seconds for its session to run."""
        ours, settings = self._register.configured(seat)
        if self._draining:
            raise Refusal("draining", "playd is about to exit", "Join again once it is back.")
        room = room or settings.room
        if room is not None and room not in self.settings.rooms:
            raise no_such_room(room, self.settings.rooms)
        ours.refuse_if_taken(self._means.boottime())
        # Nothing is awaited between the look and the taking, so one of many joins gets the seat.
        sitting = ours.sitting = Sitting(
            self._means,
            ours,
            self._play_host,
            SittingRecord(
                sitting_id=str(uuid.uuid4()),
                seat=seat,
                began_at=utc_now(),
                uid=caller.uid,
                gid=caller.gid,
                groups=caller.groups,
                room=room,
                ceiling=changed(later_ceiling(settings, ours.record), budget),
            ),
        )
        session_id, generation = sitting.next_session_id, ours.record.generation + 1
        self._sittings.start_soon(sitting.play)
        self.happenings.tell(SeatChanged(seat))
        with trio.move_on_after(wait):
            await sitting.answered.wait()
        if sitting.refusal is not None:
            raise sitting.refusal
        running = sitting.answered.is_set()
        return wire.JoinResult(
            seat=seat,
            session_id=session_id,
            sitting_id=sitting.record.sitting_id,
            generation=generation,
            state="running" if running else "pending",
            detail="" if running else "It is still starting; see playctl status.",
        )

    async def stop(self, caller: Caller, seat: str, now: bool) -> wire.StopResult:
        """End the seat's sitting and say how; everyone who asks gets the same answer."""
        sitting = self._register.sitting_to_stop(seat)
        if now:
            sitting.kill()
        else:
            sitting.stop(f"stopped by uid {caller.uid}")
        with trio.move_on_after(self._longest_stop):
            await sitting.over.wait()
        if not sitting.over.is_set():
            raise Refusal("state_unwritable", f"the end of seat {seat} is not recorded yet")
        ended = sitting.latest
        if sitting.restart_cancelled or ended is None:
            return wire.StopResult(
                seat=seat,
                session_id=None,
                state=None,
                outcome=None,
                detail="The pending restart was cancelled." if sitting.restart_cancelled else "",
            )
        survivors = sitting.survivors
        return wire.StopResult(
            seat=seat,
            session_id=ended.session_id,
            state=ended.state,
            outcome=ended.outcome,
            leave=ended.leave,
            turns_taken=ended.turns_taken,
            detail="Some of its processes could not be ended." if survivors else ended.reason,
            survivors=survivors,
        )

    async def say(
        self, caller: Caller, seat: str, text: str, speaker: str, room: str | None
    ) -> wire.SayResult:
        """Give a person's words to the session; answered once it has them."""
        sitting, session = self._register.playing(seat)
        if room != sitting.record.room:
            raise Refusal("not_authorized", "this sitting belongs to another room")
        if sitting.stopping:
            raise Refusal("stopping", f"seat {seat} is stopping")
        id = await session.say(text, speaker)
        return wire.SayResult(seat=seat, session_id=session.record.session_id, id=id)

    async def pause(self, caller: Caller, seat: str) -> wire.PauseResult:
        """The turn in progress ends, none starts."""
        return self._set_paused(seat, True)

    async def resume(self, caller: Caller, seat: str) -> wire.PauseResult:
        """Turns start again."""
        return self._set_paused(seat, False)

    async def budget(
        self, caller: Caller, seat: str, change: wire.BudgetChange, default: bool, reset: bool
    ) -> wire.BudgetResult:
        """Read or change the ceilings: the running sitting's, or the seat's for later ones."""
        return await budget_of(
            self._means, self._register, seat, change, default=default, reset=reset
        )

    # Mending

    async def reset(self, caller: Caller, seat: str) -> wire.ResetResult:
        """Let a failed seat play again."""
        ours, settings = self._register.configured(seat)
        ours.deaths = Deaths()
        had_failed = ours.record.failed is not None
        if had_failed:
            await rewrite(self._means, ours, lambda record: replace(record, failed=None))
        state = seat_view(ours, settings).state
        return wire.ResetResult(seat=seat, had_failed=had_failed, state=state)

    async def recover(self, caller: Caller, seat: str, force: bool) -> wire.RecoverResult:
        """Settle an unconfirmed leave by asking the world, or by the caller's word."""
        ours, _ = self._register.configured(seat)
        await self._play_host.start()
        if ours.sitting is not None and not ours.sitting.unsettled:
            raise Refusal("play_session_active", f"seat {seat} is being played", "Stop it first.")
        if force and ours.recovery_required:
            log = log_of(__name__, seat=seat)
            log.warning("uid %d forced it", caller.uid, event="recover_forced")
            await forget_recovery(self._means, ours)
            outcome = "forced"
        else:
            settled = await settle(self._means, ours, trio.Event())
            outcome = "settled" if settled else "nothing_to_recover"
        if ours.sitting is not None:
            ours.sitting.play_on()
        return wire.RecoverResult(seat=seat, outcome=outcome)

    async def world(
        self, caller: Caller, seat: str, action: Literal["check", "start", "stop"]
    ) -> wire.WorldResult:
        """Check, start or stop the local world that the seat is in."""
        _, settings = self._register.configured(seat)
        name = settings.world
        if name is None:
            raise Refusal("no_world", f"seat {seat} names no local world")
        if action == "stop":
            self._refuse_while_played_in(name)
            return await self._worlds.stop(seat, name)
        world = self.settings.worlds[name]
        if action == "check":
            return await self._worlds.check(seat, name, world)
        return await self._worlds.start(seat, name, world)

    # The daemon itself

    async def reload(self, caller: Caller) -> wire.ReloadResult:
        """Read the configuration again; a bad file keeps the old one and says why."""
        return await self._configuration.reload()

    async def drain(self, caller: Caller) -> wire.DrainResult:
        """Refuse joins, stop every session at once, and let the daemon exit."""
        self._draining = True
        self.happenings.tell(Draining(self._longest_stop))
        _log.info("drains", event="drain")
        playing = self._register.sittings()
        for sitting in playing:
            sitting.stop("the daemon drains")
        with trio.move_on_after(self._longest_stop):
            for sitting in playing:
                await sitting.over.wait()
        self.drained.set()
        ends = [sitting.latest for sitting in playing if sitting.latest is not None]
        failed = sum(end.outcome in FAILED for end in ends)
        return wire.DrainResult(stopped=len(ends) - failed, failed=failed)

    def kill_all(self) -> None:
        """End every session and every world at once, and accept nothing more."""
        self._draining = True
        for sitting in self._register.sittings():
            sitting.kill(shutdown=True)
        self._worlds.end_all()

    # Within

    @property
    def _longest_stop(self) -> float:
        """Past it only a disk that does not answer can be what is waited for."""
        return self.settings.limits.stop_deadline + self._means.delays.term_grace + 10.0

    def _refuse_while_played_in(self, world: str) -> None:
        for sitting in self._register.sittings():
            seat = sitting.record.seat
            settings = self.settings.seats.get(seat)
            if settings is not None and settings.world == world:
                raise Refusal(
                    "world_in_use",
                    f"seat {seat} is being played in world {world}",
                    f"First: playctl stop {seat}",
                )

    def _set_paused(self, seat: str, paused: bool) -> wire.PauseResult:
        sitting, session = self._register.playing(seat)
        sitting.pause(paused)
        self.happenings.tell(SeatChanged(seat))
        return wire.PauseResult(seat=seat, session_id=session.record.session_id, paused=paused)
