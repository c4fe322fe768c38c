"""Mode play: take the body, open the run's journal, play, say farewell, sum up."""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Literal

import trio
from msgspec import UNSET

from kernel.body import AnyBody, Joined, JoinRefused, Leave, Memory, WorldEnded
from kernel.controls import Controls, Ending
from kernel.deciding import Deciding
from kernel.journal.damage import JournalError
from kernel.journal.instant import utc_now
from kernel.journal.lines import Ceilings, Envelope, HeaderLine, Models, Software
from kernel.journal.lines import Model as NamedModel
from kernel.journal.memory import journey_memory
from kernel.journal.writer import JournalNotOpened, JournalWriter
from kernel.lease import HeldLease
from kernel.mind import Mind, Model
from kernel.notables import NotableKind, Notables
from kernel.play import Play, Sofar
from kernel.session import wire
from kernel.session.models import ModelUnusable, caller_of
from kernel.session.preparing import NotPlayable, Prepared
from kernel.session.side import Side
from kernel.session.specification import BudgetCeiling
from kernel.session.summary import counters_of, summary_of
from kernel.speaking import Speaking
from kernel.speech_gate import SpeechGate
from kernel.telling import Telling
from kernel.trail import Trail
from kernel.version import VERSION
from kernel.voice import Voice
from kernel.world_events import LatestEvent

STATS_SECONDS = 5.0
CLOSING_SECONDS = 1.5
"""Between the farewell's end and the session's: the summary, and a body whose motor is killed."""
GIVING_BACK_SECONDS = 3.5
"""For the farewell of a body that was joined and cannot be played."""

_TOLD_AT_THE_END: dict[str, NotableKind] = {
    "budget_exhausted": "budget_exhausted",
    "world_ended": "world_ended",
    "mind_unavailable": "mind_unavailable",
}


@dataclass(frozen=True, slots=True)
class Playing:
    """One session in mode play, and what it shares with the tasks around it."""

    prepared: Prepared
    controls: Controls
    lease: HeldLease
    emit: Callable[[wire.FromSession], None]
    room: Callable[[], Awaitable[None] | None]

    async def play(self) -> wire.Ended:
        """Play to the end and say how it ended. Raises NotPlayable when it could not begin."""
        specification = self.prepared.specification
        events = LatestEvent(self.controls.ring)
        conversation = specification.room.name if specification.room else None
        side = Side(conversation, events, self.controls)
        self.emit(wire.Joining())
        refused: NotPlayable | None = None
        try:
            async with self.prepared.kind.open(specification.options, side) as body:
                try:
                    return await self._with_body(body, events)
                except NotPlayable as error:
                    # Raised outside of the body's nursery, which would wrap it in a group.
                    refused = error
        except JoinRefused as error:
            refused = NotPlayable(error.reason, error.detail)
        assert refused is not None
        raise refused

    async def _with_body(self, body: AnyBody, events: LatestEvent) -> wire.Ended:
        joined = await _join(body, self.controls)
        if joined is None:
            return _ended(_ending(self.controls), await _leave(body, self.controls), 0)
        async with AsyncExitStack() as stack:
            try:
                play = await self._settle_in(body, joined, events, stack)
            except NotPlayable as error:
                # Not an ending: it would be told as a stop, and the refusal be lost behind it.
                leave = Leave("unconfirmed")
                with trio.move_on_after(GIVING_BACK_SECONDS):
                    leave = await body.leave()
                held = joined.recovery if leave.leave == "unconfirmed" else None
                raise NotPlayable(error.reason, error.detail, held) from None
            return await _play_out(play, self.controls, self.emit)

    async def _settle_in(
        self, body: AnyBody, joined: Joined, events: LatestEvent, stack: AsyncExitStack
    ) -> Play:
        prepared, controls, emit = self.prepared, self.controls, self.emit
        specification, budget = prepared.specification, prepared.budget
        controls.descendants = tuple({*controls.descendants, *joined.descendants})
        memory = await trio.to_thread.run_sync(_memory, prepared, joined.journey_id)
        body.recall(memory)
        trail = Trail(_open_journal(prepared, joined))
        stack.push_async_callback(trail.writer.close)

        async def ready(role: Literal["mind", "voice"], model: Model) -> Mind:
            try:
                call = await stack.enter_async_context(caller_of(model))
            except ModelUnusable as error:
                raise NotPlayable("model_unusable", str(error)) from None
            return Mind(role, model, call, budget, trail.write, emit)

        mind = await ready("mind", prepared.mind)
        persona = specification.persona.text
        voice = prepared.voice and Voice(await ready("voice", prepared.voice), persona)
        gate = SpeechGate()
        emit(
            wire.Running(
                journey_id=joined.journey_id,
                environment_session_id=joined.environment_session_id,
                environment_id=joined.environment_id,
                journal=str(trail.writer.path),
                recovery=joined.recovery,
                descendants=joined.descendants,
            )
        )
        return Play(
            body=body,
            controls=controls,
            lease=self.lease,
            budget=budget,
            trail=trail,
            deciding=Deciding(body, mind, controls, budget, events, gate, persona),
            speaking=Speaking(
                bounds=body.policy.bounds,
                gate=gate,
                controls=controls,
                budget=budget,
                emit=emit,
                room_authors=specification.room is not None and specification.room.authors_speech,
                voice=voice,
            ),
            telling=Telling(
                Notables(prepared.sofar.notables), trail.write, emit, controls.acknowledged
            ),
            sofar=Sofar(trio.current_time(), prepared.sofar.turns, specification.sitting.elapsed),
            run_id=specification.session_id,
            emit=emit,
            room=self.room,
            objective=memory.objective,
        )


async def _join(body: AnyBody, controls: Controls) -> Joined | None:
    """None: the session was ended meanwhile."""
    try:
        with controls.interruptible():
            return await body.join()
    except JoinRefused as refused:
        raise NotPlayable(refused.reason, refused.detail) from None
    except WorldEnded as ended:
        raise NotPlayable("world_unreachable", ended.cause) from None
    return None


async def _play_out(
    play: Play, controls: Controls, emit: Callable[[wire.FromSession], None]
) -> wire.Ended:
    # What was imported stays for good: no collection of garbage in mid-play looks through it again.
    gc.freeze()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(play.trail.writer.keep_flushed)
        nursery.start_soon(_tell_counters, play, controls, emit)
        try:
            await play.run()
        except Exception:
            # A defect of ours: the run still gets its summary and the world a farewell.
            traceback.print_exc(file=sys.stderr)
            controls.end(Ending("crashed", "see the log for the traceback", over_in=5.0))
        ending = _ending(controls)
        if ending.outcome in _TOLD_AT_THE_END:
            play.telling.tell(_TOLD_AT_THE_END[ending.outcome], None, ending.detail)
        with controls.closing(1.0):
            await play.telling.last_word()
        leave = await _leave(play.body, controls)
        ending = _ending(controls)
        emit(wire.Stats(counters=counters_of(play, controls)))
        play.trail.writer.catch_up()
        play.trail.write(summary_of(play, controls, ending, leave))
        play.trail.writer.seal()
        nursery.cancel_scope.cancel()
    return _ended(ending, leave, play.tally.turns)


async def _leave(body: AnyBody, controls: Controls) -> Leave:
    ending = _ending(controls)
    if not ending.leaves:
        return Leave("confirmed" if ending.confirmed else "unconfirmed")
    with controls.closing(CLOSING_SECONDS):
        return await body.leave()
    return Leave("unconfirmed")


async def _tell_counters(
    play: Play, controls: Controls, emit: Callable[[wire.FromSession], None]
) -> None:
    told: dict[str, int] = {}
    while True:
        counters = counters_of(play, controls)
        if counters != told:
            emit(wire.Stats(counters=counters))
            told = counters
        await trio.sleep(STATS_SECONDS)


def _memory(prepared: Prepared, journey_id: str) -> Memory:
    """What the journey remembers; a journal that cannot be read is named and costs no play."""
    reading = prepared.kind.reading()
    try:
        memory = journey_memory(prepared.journals, journey_id, lambda _: reading)
    except JournalError as error:
        print(f"journey memory: {error}", file=sys.stderr)
        return Memory(None, None)
    for bad in memory.bad:
        print(f"journey memory: {bad}", file=sys.stderr)
    return (
        Memory(None, None)
        if memory.last is None
        else Memory(memory.last.notes, memory.last.objective)
    )


def _open_journal(prepared: Prepared, joined: Joined) -> JournalWriter:
    specification = prepared.specification
    envelope = Envelope(
        run_id=specification.session_id,
        journey_id=joined.journey_id,
        environment_id=joined.environment_id,
        environment_session_id=joined.environment_session_id,
        venue=joined.venue,
    )
    header = HeaderLine(
        scenario_id=f"{joined.venue}:{joined.environment_id}",
        started_at=utc_now(),
        budget=_ceilings(specification.budget),
        models=Models(
            mind=_named(prepared.mind), voice=_named(prepared.voice) if prepared.voice else None
        ),
        persona=specification.persona.name,
        driver_generation=specification.generation,
        software=Software(name="playd", version=VERSION),
        sitting_id=specification.sitting.id,
        connection_generation=UNSET
        if joined.connection_generation is None
        else joined.connection_generation,
    )
    try:
        return JournalWriter(prepared.journals, envelope, header)
    except JournalNotOpened as error:
        raise NotPlayable("state_unwritable", str(error)) from None


def _ceilings(ceiling: BudgetCeiling) -> Ceilings:
    lasts = ceiling.max_duration
    return Ceilings(
        tokens=ceiling.tokens,
        dollars=ceiling.dollars,
        max_turns=ceiling.max_turns,
        max_duration_ms=None if lasts is None else round(lasts * 1000),
    )


def _named(model: Model) -> NamedModel:
    return NamedModel(provider=model.endpoint.provider, model=model.endpoint.model)


def _ending(controls: Controls) -> Ending:
    assert controls.ending is not None
    return controls.ending


def _ended(ending: Ending, leave: Leave, turns: int) -> wire.Ended:
    return wire.Ended(
        outcome=ending.outcome,
        leave=leave.leave,
        detail=ending.detail[:400],
        receipt=leave.receipt,
        turns_taken=turns,
    )
