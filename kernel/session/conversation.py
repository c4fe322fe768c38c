"""The session's side of the protocol: one specification in, one terminal message out."""

from __future__ import annotations

import math
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import trio

from kernel.budget import SittingBudget
from kernel.controls import Controls, Ending
from kernel.journal.instant import utc_now
from kernel.lease import HeldLease, boottime
from kernel.session import wire
from kernel.session.guardian import watch_supervisor
from kernel.session.inbox import BadLine, Lines, decode
from kernel.session.outbox import Outbox
from kernel.session.specification import Specification

ALONE_SECONDS = 4.0
"""All that a session has once its supervisor is gone."""

ABANDONED_BEFORE = 5.0
"""What is still awaited this long before the stop deadline is abandoned."""

TERMINATED_SECONDS = 0.8
"""After SIGTERM: enough for a summary, not for waiting."""

LAST_WORDS_SECONDS = 1.0

Terminal: TypeAlias = wire.Refused | wire.Ended


async def converse(incoming: int, outgoing: int) -> int:
    """Hold the conversation to its end; gives the exit code."""
    lines, outbox = Lines(incoming), Outbox(outgoing)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(outbox.write_all)
        try:
            first = await lines.next()
            start = None if first is None else decode(first)
        except BadLine as error:
            outbox.put(wire.Refused(reason="bad_specification", detail=str(error)[:400]))
            code = 0
        else:
            if start is None:
                nursery.cancel_scope.cancel()
                return 0
            if isinstance(start, wire.Start):
                code = await _hold(start.specification, lines, outbox)
            else:
                outbox.put(wire.Refused(reason="bad_specification", detail="`start` comes first"))
                code = 0
        with trio.move_on_after(LAST_WORDS_SECONDS):
            await outbox.drained()
        nursery.cancel_scope.cancel()
    return code


async def _hold(specification: Specification, lines: Lines, outbox: Outbox) -> int:
    # Imported here: the model client is heavy, and hello should not wait for it.
    from kernel.session.playing import Playing
    from kernel.session.preparing import NotPlayable, prepare
    from kernel.session.recovering import recover

    session = _Session(specification, lines, outbox)
    terminal: Terminal
    try:
        if specification.mode == "recover":
            terminal = await session.during(lambda: recover(specification, session.controls))
        else:
            prepared = prepare(specification)
            session.budget = prepared.budget
            playing = Playing(prepared, session.controls, session.lease, outbox.put, outbox.room)
            terminal = await session.during(playing.play)
    except NotPlayable as error:
        terminal = wire.Refused(
            reason=error.reason[:40], detail=error.detail, recovery=error.recovery
        )
    except Exception:
        traceback.print_exc(file=sys.stderr)
        terminal = wire.Ended(
            outcome="crashed", leave="unconfirmed", detail="see the log for the traceback"
        )
    outbox.put(terminal)
    return 1 if isinstance(terminal, wire.Ended) and terminal.outcome == "crashed" else 0


class _Session:
    """What listens, beats and watches while a session is under way."""

    def __init__(self, specification: Specification, lines: Lines, outbox: Outbox) -> None:
        self.controls = Controls()
        self.lease = HeldLease(specification.lease_valid_for, boottime())
        self.budget: SittingBudget | None = None
        self._lines = lines
        self._outbox = outbox
        self._stop_due = math.inf
        """When what a stop asked for must be over; a signal before it is a second, sterner stop."""
        watch_supervisor(specification.parent, lambda: self.controls.descendants)

    async def during(self, work: Callable[[], Awaitable[Terminal]]) -> Terminal:
        """Do the work with everything around it; what it refuses is raised unwrapped."""
        refused: Exception | None = None
        result: Terminal | None = None
        async with trio.open_nursery() as nursery:
            for task in (self._listen, self._beat, self._announce_the_end, self._obey_signals):
                nursery.start_soon(task)
            try:
                result = await work()
            except Exception as error:
                refused = error
            nursery.cancel_scope.cancel()
        if refused is not None:
            raise refused
        assert result is not None
        return result

    async def _listen(self) -> None:
        while True:
            try:
                line = await self._lines.next()
            except BadLine as error:
                print(f"session protocol: {error}", file=sys.stderr)
                line = None
            if line is None:
                self.controls.end(
                    Ending("supervisor_lost", "the supervisor is gone", over_in=ALONE_SECONDS - 0.5)
                )
                return
            try:
                self._obey(decode(line))
            except BadLine as error:
                print(f"session protocol: a line was ignored: {error}", file=sys.stderr)

    def _obey(self, message: wire.ToSession) -> None:
        controls = self.controls
        match message:
            case wire.Say():
                if controls.ending is None:
                    controls.say(message.speaker, message.text, utc_now())
                    self._outbox.put(wire.Received(id=message.id))
            case wire.Pause():
                controls.pause()
            case wire.Resume():
                controls.resume()
            case wire.Budget():
                if self.budget is not None:
                    self.budget.ceiling = message.ceiling
            case wire.Lease():
                self.lease.renew(message.valid_for, boottime())
            case wire.Stop():
                patience = max(0.0, message.remaining - ABANDONED_BEFORE)
                over_in = max(0.5, message.remaining - 0.5)
                self._stop_due = min(self._stop_due, trio.current_time() + over_in)
                controls.end(Ending("stopped", message.reason, patience, over_in))
            case wire.Acknowledge():
                controls.acknowledge(message.id)
            case wire.Ping():
                self._outbox.put(wire.Heartbeat())
            case wire.Start():
                print("session protocol: a second `start` was ignored", file=sys.stderr)

    async def _beat(self) -> None:
        while True:
            quiet_until = self._outbox.last_put + wire.HEARTBEAT_SECONDS
            if trio.current_time() >= quiet_until:
                self._outbox.put(wire.Heartbeat())
            else:
                await trio.sleep_until(quiet_until)

    async def _announce_the_end(self) -> None:
        await self.controls.stopping.wait()
        assert self.controls.ending is not None
        ending = self.controls.ending
        self._outbox.put(wire.Stopping(reason=f"{ending.outcome}: {ending.detail}"[:400]))

    async def _obey_signals(self) -> None:
        with trio.open_signal_receiver(signal.SIGTERM) as signals:
            async for _ in signals:
                earlier = self.controls.ending
                stopping = earlier is not None and earlier.outcome == "stopped"
                too_late = stopping and trio.current_time() >= self._stop_due
                self.controls.end(
                    Ending(
                        "stop_deadline" if too_late else "stopped",
                        "terminated by a signal",
                        over_in=TERMINATED_SECONDS,
                    ),
                    overriding=too_late,
                )
