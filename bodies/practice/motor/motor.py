"""The motor: one connection to the practice world, its actions and its events.

Pure: `advanced` gives the motor at a later tick, and every tool takes a motor and gives the motor
that follows with its answer, or raises Declined.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal

from msgspec import UNSET, Struct
from msgspec.structs import replace

from bodies.practice.motor import connection as connections
from bodies.practice.motor import doing as deeds
from bodies.practice.motor import world as worlds
from bodies.practice.motor.connection import LIVE, PRESENT, Connection
from bodies.practice.motor.deed import Deed, status_of
from bodies.practice.motor.doing import Ending
from bodies.practice.motor.events import Ring, after, told
from bodies.practice.motor.hours import TICKS_PER_SECOND
from bodies.practice.motor.looking import facts
from bodies.practice.motor.luck import luck_of
from bodies.practice.motor.wire import (
    ActionRequest,
    ActionStatus,
    ActRequest,
    Confirmed,
    ErrorCode,
    Events,
    EventType,
    JoinRequest,
    MotorStatus,
    Observation,
    PollRequest,
    SessionRef,
    SessionRequest,
    UncertainCode,
    ViewerStatus,
)
from bodies.practice.motor.world import World, new_world

CANCELLING = TICKS_PER_SECOND // 2
"""Ticks from asking for an action's end to its end."""
_ACTIONS_KEPT = 256


class Declined(Exception):
    """The motor does not do what it was asked."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message


class Motor(Struct, frozen=True):
    """`began` is the instant of tick 0. `under_way` is the id of the action that runs."""

    world: World
    began: datetime
    username: str = ""
    connection: Connection | None = None
    generations: Mapping[str, int] = {}
    deeds: Mapping[str, Deed] = {}
    under_way: str | None = None
    ring: Ring = Ring()

    def at(self, tick: int) -> str:
        instant = self.began + timedelta(seconds=tick / TICKS_PER_SECOND)
        return instant.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"

    @property
    def now(self) -> str:
        return self.at(self.world.tick)


def new_motor(seed: int, began: datetime) -> Motor:
    return Motor(new_world(seed), began)


def advanced(motor: Motor, tick: int) -> Motor:
    """The motor when its world has come to this tick; time never goes back."""
    while motor.world.tick < tick:
        if motor.connection is None or motor.connection.phase not in LIVE:
            return replace(motor, world=replace(motor.world, tick=tick))
        motor = _ticked(motor, motor.connection)
    return motor


def join(motor: Motor, request: JoinRequest) -> tuple[Motor, MotorStatus]:
    if motor.connection is not None and motor.connection.phase != "disconnected":
        raise Declined("already_connected", f"The motor is {motor.connection.phase}; leave first.")
    session = request.session
    used = motor.generations.get(session.session_id, 0)
    if session.connection_generation <= used:
        raise Declined(
            "stale_session",
            f"Generation {used} of this session was used; a reconnect is generation {used + 1}.",
        )
    joined = replace(
        motor,
        username=request.endpoint.username,
        generations={**motor.generations, session.session_id: session.connection_generation},
        deeds={},
        under_way=None,
        ring=Ring(),
    )
    joined = _connected(joined, connections.opened(session, motor.world.tick))
    return joined, status(joined)


def status(motor: Motor) -> MotorStatus:
    connection = motor.connection
    if connection is None:
        return MotorStatus()
    return MotorStatus(
        connection.session, connection.phase, connections.termination(connection, motor.at)
    )


def observe(motor: Motor, request: SessionRequest) -> Observation:
    connection = _connection(motor, request.session)
    bot = motor.world.bot
    if bot is None:
        raise Declined("not_connected", f"There is no body to see with: {connection.phase}.")
    running = motor.deeds.get(motor.under_way or "")
    walking = running is not None and bool(running.doing.way)
    seen = facts(motor.world, bot, motor.at, walking=walking)
    return Observation(connection.session, motor.now, seen)


def act(motor: Motor, request: ActRequest) -> tuple[Motor, ActionStatus]:
    """A running handle at once. The same id with the same action is the same action."""
    connection = _connection(motor, request.session)
    known = motor.deeds.get(request.action_id)
    if known is not None:
        if known.action != request.action:
            raise Declined("action_id_reused", "This action id stands for another action.")
        return motor, _told(motor, connection.session, known)
    bot = motor.world.bot
    if connection.phase != "active" or bot is None:
        raise Declined("wrong_phase", f"Nothing can be done while {connection.phase}.")
    if motor.under_way is not None:
        raise Declined("busy", f"Action {motor.under_way} is under way; cancel it or wait for it.")
    tick = motor.world.tick
    luck = luck_of(motor.world.land.seed, tick, request.action_id)
    doing = deeds.begun(motor.world, bot, request.action, luck)
    deed = Deed(request.action_id, request.action, tick, tick, doing)
    acting = replace(_kept(motor, deed), under_way=deed.action_id)
    return acting, _told(acting, connection.session, deed)


def action_status(motor: Motor, request: ActionRequest) -> ActionStatus:
    session = _connection(motor, request.session).session
    return _told(motor, session, _deed(motor, request.action_id))


def cancel_action(motor: Motor, request: ActionRequest) -> tuple[Motor, ActionStatus]:
    """Asks for the action's end, which comes half a second later; one that ended stays as it is."""
    session = _connection(motor, request.session).session
    deed = _deed(motor, request.action_id)
    if deed.ending is None and deed.cancel_at is None:
        tick = motor.world.tick
        deed = replace(deed, cancel_at=tick + CANCELLING, updated=tick)
        motor = _kept(motor, deed)
    return motor, _told(motor, session, deed)


def pause(motor: Motor, request: SessionRequest) -> tuple[Motor, MotorStatus]:
    """An action under way is interrupted."""
    connection = _connection(motor, request.session)
    try:
        following = connections.pausing(connection, motor.world.tick)
    except KeyError:
        raise Declined("wrong_phase", f"Nothing to pause while {connection.phase}.") from None
    paused = _connected(_cut_short(motor, Ending("cancelled", reason="interrupted")), following)
    return paused, status(paused)


def resume(motor: Motor, request: SessionRequest) -> tuple[Motor, MotorStatus]:
    connection = _connection(motor, request.session)
    try:
        following = connections.resumed(connection, motor.world.tick)
    except KeyError:
        raise Declined("wrong_phase", f"Nothing to resume while {connection.phase}.") from None
    resumed_motor = _connected(motor, following)
    return resumed_motor, status(resumed_motor)


def leave(motor: Motor, request: SessionRequest) -> tuple[Motor, MotorStatus]:
    """Pending until the connection has ended; where nothing was joined there is nothing to end."""
    if motor.connection is None:
        absent = Confirmed(motor.now, "not_connected")
        return motor, MotorStatus(request.session, "disconnected", absent)
    connection = _connection(motor, request.session)
    following = connections.leaving(connection, motor.world.tick)
    gone = _connected(_cut_short(motor, Ending("cancelled", reason="interrupted")), following)
    return gone, status(gone)


def poll_events(motor: Motor, request: PollRequest) -> Events:
    _connection(motor, request.session)
    sequence = 0 if request.after_sequence is UNSET else request.after_sequence
    return after(motor.ring, sequence, request.limit)


def viewer_status(motor: Motor, request: SessionRequest) -> ViewerStatus:
    """There is no viewer."""
    _connection(motor, request.session)
    return ViewerStatus(available=False, width=0, height=0)


def with_event(
    motor: Motor, kind: EventType, data: dict[str, str | int | bool], tick: int | None = None
) -> Motor:
    at = motor.now if tick is None else motor.at(tick)
    return replace(motor, ring=told(motor.ring, at, kind, data))


def line_broken(motor: Motor, uncertain: UncertainCode | None) -> Motor:
    """The connection is lost; what was under way is uncertain."""
    if motor.connection is None or motor.connection.phase not in LIVE:
        return motor
    cut = _cut_short(motor, Ending("uncertain", reason="connection_lost"))
    return _connected(cut, connections.broken(motor.connection, motor.world.tick, uncertain))


def reconnected(motor: Motor) -> Motor:
    """The line was lost and is back, as a new generation of the same session."""
    if motor.connection is None or motor.connection.phase not in LIVE:
        return motor
    cut = _cut_short(motor, Ending("uncertain", reason="connection_lost"))
    old = motor.connection.session
    session = replace(old, connection_generation=old.connection_generation + 1)
    generations = {**motor.generations, session.session_id: session.connection_generation}
    fresh = replace(cut, generations=generations, deeds={}, ring=Ring())
    return _connected(fresh, Connection(session, "active", None))


def leave_goes_wrong(motor: Motor, how: UncertainCode | Literal["hung"]) -> Motor:
    """The next leave never ends, or ends uncertain."""
    if motor.connection is None:
        return motor
    return replace(motor, connection=replace(motor.connection, stuck=how))


def settled_since(earlier: Motor, motor: Motor) -> tuple[ActionStatus, ...]:
    """The actions that have ended between the two, oldest first."""
    if motor.connection is None or motor.deeds is earlier.deeds:
        return ()
    session = motor.connection.session
    return tuple(
        _told(motor, session, deed)
        for action_id, deed in motor.deeds.items()
        if deed.ending is not None and earlier.deeds.get(action_id) != deed
    )


def _ticked(motor: Motor, connection: Connection) -> Motor:
    world = worlds.passed(motor.world)
    motor = _drained(replace(motor, world=world))
    following = connections.passed(connection, world.tick)
    if following is not connection:
        motor = _connected(motor, following)
    deed = motor.deeds.get(motor.under_way or "")
    return motor if deed is None else _drained(_worked(motor, deed))


def _worked(motor: Motor, deed: Deed) -> Motor:
    world, bot = motor.world, motor.world.bot
    if bot is None or bot.health == 0:
        return _ended(motor, deed, Ending("failed", reason="interrupted"))
    if deed.cancel_at is not None and world.tick >= deed.cancel_at:
        return _ended(motor, deed, deeds.cancelled(world, bot, deed.doing))
    world, following = deeds.proceed(world, bot, deed.doing)
    motor = replace(motor, world=world)
    if isinstance(following, Ending):
        return _ended(motor, deed, following)
    return _kept(motor, replace(deed, doing=following))


def _drained(motor: Motor) -> Motor:
    happenings = motor.world.happenings
    if not happenings:
        return motor
    motor = replace(motor, world=replace(motor.world, happenings=()))
    for happening in happenings:
        motor = with_event(motor, happening.type, happening.data, happening.tick)
    return motor


def _connected(motor: Motor, connection: Connection) -> Motor:
    """The motor with this connection, and the bot in the world as long as it is present there."""
    if connection is motor.connection:
        return motor
    world = motor.world
    is_present = connection.phase in PRESENT
    if is_present and world.bot is None:
        world = worlds.entered(world, motor.username)
    elif not is_present and world.bot is not None:
        world = worlds.left(world)
    motor = replace(motor, connection=connection, world=world)
    return with_event(motor, "connection", {"phase": connection.phase})


def _cut_short(motor: Motor, ending: Ending) -> Motor:
    deed = motor.deeds.get(motor.under_way or "")
    return motor if deed is None else _ended(motor, deed, ending)


def _ended(motor: Motor, deed: Deed, ending: Ending) -> Motor:
    ended = replace(deed, ending=ending, updated=motor.world.tick)
    motor = replace(_kept(motor, ended), under_way=None)
    data: dict[str, str | int | bool] = {"actionId": deed.action_id, "state": ending.state}
    return with_event(motor, "action_completion", data)


def _kept(motor: Motor, deed: Deed) -> Motor:
    kept = {**motor.deeds, deed.action_id: deed}
    if len(kept) > _ACTIONS_KEPT:
        del kept[next(iter(kept))]
    return replace(motor, deeds=kept)


def _connection(motor: Motor, session: SessionRef) -> Connection:
    if motor.connection is None:
        raise Declined("not_connected", "Nothing was joined since this motor started.")
    if motor.connection.session != session:
        raise Declined("stale_session", "This is not the session that the motor holds.")
    return motor.connection


def _deed(motor: Motor, action_id: str) -> Deed:
    deed = motor.deeds.get(action_id)
    if deed is None:
        raise Declined("unknown_action", "No such action was requested in this session.")
    return deed


def _told(motor: Motor, session: SessionRef, deed: Deed) -> ActionStatus:
    return status_of(deed, session, motor.at, motor.world.land.seed)
