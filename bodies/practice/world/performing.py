"""Performing: an action played out on the world's clock, once for each idempotency key.

It runs in the world, not in the connection that asked for it: a lost connection does not stop it,
and a retry under the same key waits for it and gets its answer with `replayed: true`.
"""

from typing import Literal

import trio
from msgspec import UNSET
from msgspec.structs import replace

from bodies.practice.world import picture
from bodies.practice.world.acting import act
from bodies.practice.world.actions import Refusal
from bodies.practice.world.chronicle import Acted
from bodies.practice.world.clock import FRAMES_PER_SECOND
from bodies.practice.world.host import Host
from bodies.practice.world.moment import now
from bodies.practice.world.seats import Attempt, Seat
from bodies.practice.world.wire import ActAnswer, ActInput, Ran, Refused, Rejected


async def perform(host: Host, seat: Seat, asked: ActInput, slow_seconds: float) -> ActAnswer:
    """The settled action's answer. Raises Refused for a misused key and when the seat ends.

    Waits as long as the action takes; the seat's end cuts it.
    """
    attempt = seat.attempts.get(asked.idempotency_key)
    replayed = attempt is not None
    if attempt is None:
        if asked.idempotency_key in seat.spent_keys:
            raise Refused("invalid_input", "idempotencyKey: spent, and its answer is forgotten.")
        attempt = Attempt(asked.action)
        seat.remember(asked.idempotency_key, attempt)
        host.nursery.start_soon(_settle, host, seat, asked, attempt, slow_seconds)
    elif attempt.action != asked.action:
        raise Refused("invalid_input", "idempotencyKey: it belongs to another action.")
    await attempt.done.wait()
    if attempt.answer is None:
        ended = seat.ended
        assert ended is not None
        raise Refused(ended.code, ended.message)
    if replayed:
        _record(host, seat, asked, attempt.answer, replayed=True)
    return replace(attempt.answer, replayed=replayed)


async def _settle(
    host: Host, seat: Seat, asked: ActInput, attempt: Attempt, slow_seconds: float
) -> None:
    try:
        async with seat.turn:
            with trio.CancelScope() as seat.under_way:
                if seat.ended is None:
                    attempt.answer = await _play(host, seat, asked, slow_seconds)
            seat.under_way = None
    finally:
        _record(host, seat, asked, attempt.answer, replayed=False)
        attempt.done.set()


async def _play(host: Host, seat: Seat, asked: ActInput, slow_seconds: float) -> ActAnswer:
    host.catch_up()
    country, player_id = host.country, seat.player_id
    before = picture.sight(country, player_id)
    under_way = act(country, player_id, asked.action)
    if isinstance(under_way, Refusal):
        return _answer(host, seat, Rejected(refusal=under_way))
    extra = round(slow_seconds * FRAMES_PER_SECOND)
    await _pass(host, extra)
    while True:
        try:
            frames = next(under_way)
        except StopIteration as finished:
            done = finished.value
            break
        await _pass(host, frames)
    host.save(seat)
    ran = Ran(
        inputs_spent=done.inputs_spent,
        frames_spent=done.frames_spent + extra,
        screen_changed=picture.sight(country, player_id) != before,
        observation=host.observe(seat),
        detail=UNSET if done.detail is None else done.detail,
    )
    return _answer(host, seat, ran)


async def _pass(host: Host, frames: int) -> None:
    until = host.country.frame + frames
    await host.clock.reach(until)
    host.country.advance(until)


def _answer(host: Host, seat: Seat, outcome: Ran | Rejected) -> ActAnswer:
    return ActAnswer(
        session_id=seat.session_id,
        body_generation=host.country.player(seat.player_id).body_generation,
        frame=host.country.frame,
        replayed=False,
        outcome=outcome,
    )


def _record(
    host: Host, seat: Seat, asked: ActInput, answer: ActAnswer | None, *, replayed: bool
) -> None:
    outcome: Literal["ran", "rejected", "cut"] = "cut"
    refusal: Refusal | None = None
    if answer is not None and isinstance(answer.outcome, Rejected):
        outcome, refusal = "rejected", answer.outcome.refusal
    elif answer is not None:
        outcome = "ran"
    host.chronicle.add(
        Acted(
            at=now(),
            frame=answer.frame if answer else host.country.frame,
            player_id=seat.player_id,
            session_id=seat.session_id,
            driver=seat.driver,
            idempotency_key=asked.idempotency_key,
            action=asked.action,
            outcome=outcome,
            replayed=replayed,
            body_generation=answer.body_generation if answer else 0,
            refusal=refusal,
        )
    )
