"""Asks the world what became of a body whose leave was not confirmed, by a process of its own."""

from __future__ import annotations

import trio
from msgspec.structs import replace

from daemon.logs import FieldLog, log_of
from daemon.means import Means
from daemon.records import Recovery
from daemon.refusal import Refusal
from daemon.rewriting import rewrite
from daemon.seat import Seat
from daemon.session_process import SessionProcess
from daemon.specifications import recovery_specification
from daemon.starts import Place
from kernel.session import wire
from kernel.session.specification import Specification


async def settle(means: Means, seat: Seat, give_up: trio.Event) -> bool:
    """Settle a seat that needs it; False: there was nothing to settle.

    Ends early when `give_up` is set. Raises Refusal: `unsettled`, with the session's own words,
    or what kept the question from being asked.
    """
    async with seat.settling:
        recovery = seat.record.recovery
        if recovery is None or not recovery.required:
            return False
        specification = await recovery_specification(
            means.settings, seat.name, recovery, means.state_directory
        )
        log = log_of(__name__, seat=seat.name, session=recovery.session_id)
        answer = await _ask_in_turn(means, recovery, specification, log, give_up)
        log.info("the world was asked: %s", answer.outcome, event="recover")
        if not seat.recovery_required:
            return True  # by a person's word, while the world was asked
        if answer.outcome != "settled":
            raise Refusal(
                "unsettled",
                f"an earlier leave of seat {seat.name} is still not confirmed: "
                f"{answer.detail or answer.outcome}",
                f"Try again when its world answers{_start_world(means, seat.name)}, "
                f"or: playctl recover {seat.name} --force",
            )
        await forget_recovery(means, seat)
        return True


async def forget_recovery(means: Means, seat: Seat) -> None:
    """Write that nothing of ours holds the body. Raises Refusal."""
    await rewrite(means, seat, lambda record: replace(record, recovery=None), release=True)


def _start_world(means: Means, seat: str) -> str:
    settings = means.settings.seats.get(seat)
    local = settings is not None and settings.world is not None
    return f" (to start it: playctl world start {seat})" if local else ""


class _Hearing:
    """Keeps the answer; a process in mode recover says little else."""

    def __init__(self) -> None:
        self.answer: wire.Ended | None = None

    def message(self, message: wire.FromSession) -> None:
        match message:
            case wire.Ended():
                self.answer = message
            case wire.Refused():
                detail = f"{message.reason}: {message.detail}"[:400]
                self.answer = wire.Ended(outcome="unsettled", leave="unconfirmed", detail=detail)
            case _:
                pass

    def fault(self, reason: str) -> None:
        """Logged already, and counted by the process's conduct."""


async def _ask_in_turn(
    means: Means,
    recovery: Recovery,
    specification: Specification,
    log: FieldLog,
    give_up: trio.Event,
) -> wire.Ended:
    """Ask once a process may start: after a daemon's death every seat may have to be settled."""
    place: Place | None = None
    with trio.CancelScope() as queueing:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_when, give_up, queueing)
            place = await means.starts.place()
            nursery.cancel_scope.cancel()
    if place is None:
        stopped = "it was stopped before the world was asked"
        return wire.Ended(outcome="unsettled", leave="unconfirmed", detail=stopped)
    try:
        return await _ask(means, place, recovery, specification, log, give_up)
    finally:
        place.give_back()


async def _cancel_when(event: trio.Event, scope: trio.CancelScope) -> None:
    await event.wait()
    scope.cancel()


async def _ask(
    means: Means,
    place: Place,
    recovery: Recovery,
    specification: Specification,
    log: FieldLog,
    give_up: trio.Event,
) -> wire.Ended:
    try:
        process = await SessionProcess.start(
            means.children,
            means.command,
            session_id=recovery.session_id,
            mode="recover",
            delays=means.delays,
            log=log,
        )
    except OSError as error:
        raise Refusal("spawn_failed", f"a session process cannot be started: {error}") from error
    hearing = _Hearing()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_limit, process, means.delays.recover, give_up)
        nursery.start_soon(place.give_back_after, give_up)
        process.send(wire.Start(specification=specification))
        exit = await process.run(hearing)
        nursery.cancel_scope.cancel()
    unanswered = wire.Ended(
        outcome="unsettled", leave="unconfirmed", detail=f"no answer ({exit.cause or exit.status})"
    )
    return hearing.answer or unanswered


async def _limit(process: SessionProcess, seconds: float, give_up: trio.Event) -> None:
    with trio.move_on_after(seconds):
        await give_up.wait()
        process.end("stop_now", 0)
        return
    process.end("hung", 0)
