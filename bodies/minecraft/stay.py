"""One bot's stay in a world, from the join to a confirmed farewell. It never joins twice.

A motor may reconnect by itself, as the next generation of the same session: the stay goes on under
that, and what was decided or begun under the earlier one counts no more.
"""

from __future__ import annotations

import uuid
from typing import Final

import trio

from bodies.minecraft import wire
from bodies.minecraft.acting import Done, perform
from bodies.minecraft.events import Events
from bodies.minecraft.farewell import ask_to_leave
from bodies.minecraft.motor.link import MotorLink
from bodies.minecraft.motor.motor import JOIN_S, Motor, MotorLost, MotorTrouble
from bodies.minecraft.observation import Surroundings, surroundings
from bodies.minecraft.options import Profile
from kernel.body import BodyTrouble, JoinRefused, Leave, SessionSide, WorldEnded

EVENTS_EVERY_S: Final = 1.0
"""Between two looks for events: a motor tells of them only when it is asked."""
PAGES_AT_ONCE: Final = 8
"""Pages of events that one look reads; a motor that floods is not followed further."""
FAILURES_TO_END: Final = 3
"""Looks for events in a row that fail, without a sound status, before the world counts as over."""
CONNECTING_EVERY_S: Final = 0.25
TROUBLES_WHILE_JOINING: Final = 3
"""Failed looks at the status after which a bot that does not get in is refused (case 27)."""
LEAVE_S: Final = 10.0
GIVE_UP_S: Final = 2.0
"""For the farewell after a join that failed."""


def ended_by(status: wire.MotorStatus, session: wire.SessionRef) -> WorldEnded | None:
    """The end that this status tells of for this session; None while it is on.

    Confirmed only by the motor's confirmation for this very session. The body reconnects nothing.
    """
    if status.session is None:
        return WorldEnded("the motor holds no session any more", confirmed=False)
    if status.session != session:
        return WorldEnded("another session or connection holds the motor", confirmed=False)
    detail = f": {status.detail[:200]}" if status.detail else ""
    match status.phase:
        case "disconnected":
            return WorldEnded(f"disconnected{detail}", confirmed=True)
        case "uncertain":
            return WorldEnded(f"the connection to the server is uncertain{detail}", confirmed=False)
        case "stopping":
            return WorldEnded(f"somebody else ended the session{detail}", confirmed=False)
        case _:
            return None


class Stay:
    """Holds the motor for one session."""

    def __init__(
        self, link: MotorLink, profile: Profile, told: SessionSide, nursery: trio.Nursery
    ) -> None:
        self.session = wire.SessionRef(uuid.uuid4().hex, 1)
        self.events = Events(profile.username)
        self.stale = 0
        """Answers that were about another session or connection."""
        self.reconnects = 0
        """Connections that the motor made anew by itself."""
        self._link = link
        self._profile = profile
        self._told = told
        self._nursery = nursery
        self._motor: Motor | None = None
        self._asked_to_join = False
        self._over = trio.Event()
        self._end: WorldEnded | None = None
        self._leaving = False

    async def join(self) -> None:
        """Enter the profile's server. Raises JoinRefused, with the motor's own words."""
        try:
            self._motor = await self._link.open()
            await self._enter(self._motor)
        except JoinRefused:
            await self._give_up()
            raise
        except MotorLost as lost:
            self._link.lose(str(lost))
            raise JoinRefused("world_unreachable", str(lost)) from None
        except MotorTrouble as trouble:
            await self._give_up()
            raise JoinRefused("world_refused", str(trouble)) from None
        self._nursery.start_soon(self._watch_motor)
        self._nursery.start_soon(self._watch_events, self._motor)

    async def look(self) -> Surroundings:
        """Status and observation now. Raises WorldEnded, and BodyTrouble for a failed look."""
        motor = self._held()
        try:
            status = await motor.status()
            self._require_on(status)
            observation = await motor.observe(self.session)
        except MotorTrouble as trouble:
            raise BodyTrouble(str(trouble)) from None
        except MotorLost as lost:
            raise self._lost(lost) from None
        if observation.session != self.session:
            self.stale += 1
            raise BodyTrouble("the motor told of another session or connection")
        return surroundings(self._profile.username, status, observation)

    async def act(self, action: wire.Action, action_id: str, stopping: trio.Event) -> Done:
        """Do it once. Raises WorldEnded when the motor is gone."""
        try:
            return await perform(self._held(), self.session, action_id, action, stopping)
        except MotorLost as lost:
            raise self._lost(lost) from None

    async def wait_ended(self) -> WorldEnded:
        """Wait until the world is over."""
        await self._over.wait()
        assert self._end is not None
        return self._end

    async def leave(self) -> Leave:
        """Leave the game; confirmed by the motor for this very session, or unconfirmed."""
        self._leaving = True
        if self._motor is None or not self._asked_to_join:
            return Leave("not_joined")
        if self._link.lost.is_set():
            return Leave("unconfirmed")
        with trio.move_on_after(LEAVE_S):
            confirmed = await ask_to_leave(self._motor, self.session)
            if confirmed is not None:
                return Leave("confirmed", f"{confirmed.source} {confirmed.confirmed_at}")
        return Leave("unconfirmed")

    async def _enter(self, motor: Motor) -> None:
        self._asked_to_join = True
        troubles: list[str] = []
        with trio.move_on_after(JOIN_S):
            status = await motor.join(self.session, self._profile)
            while status is None or status.phase != "active" or status.session != self.session:
                if status is not None:
                    self._refuse_ended(status)
                await trio.sleep(CONNECTING_EVERY_S)
                try:
                    status = await motor.status()
                except MotorTrouble as trouble:
                    status = None
                    troubles.append(str(trouble))
                    if len(troubles) >= TROUBLES_WHILE_JOINING:
                        raise
            return
        why = f"; last: {troubles[-1]}" if troubles else ""
        raise JoinRefused("world_refused", f"the bot was not in the game after {JOIN_S:g} s{why}")

    def _refuse_ended(self, status: wire.MotorStatus) -> None:
        ended = ended_by(status, self.session)
        if ended is not None:
            raise JoinRefused("world_refused", ended.cause)

    async def _give_up(self) -> None:
        """Leave nothing behind of a join that failed, as far as the motor is there to be asked."""
        with trio.CancelScope(shield=True), trio.move_on_after(GIVE_UP_S):
            if self._motor is not None and not self._link.lost.is_set():
                await ask_to_leave(self._motor, self.session)

    async def _watch_motor(self) -> None:
        await self._link.lost.wait()
        self._finish(WorldEnded(self._link.cause, confirmed=False))

    async def _watch_events(self, motor: Motor) -> None:
        failures = 0
        while not self._leaving and self._end is None:
            await trio.sleep(EVENTS_EVERY_S)
            try:
                connection = await self._read_events(motor)
                failures = 0
            except MotorTrouble:
                connection, failures = True, failures + 1
            except MotorLost as lost:
                self._lost(lost)
                return
            if connection:
                await self._check(motor, failures)

    async def _read_events(self, motor: Motor) -> bool:
        """Whether something happened to the connection."""
        connection = False
        for _ in range(PAGES_AT_ONCE):
            taken = self.events.take(await motor.poll_events(self.session, self.events.latest))
            connection = connection or taken.connection
            if taken.text is not None:
                self._told.put(taken.text)
            if not taken.more:
                break
        return connection

    async def _check(self, motor: Motor, failures: int) -> None:
        try:
            self._require_on(await motor.status())
        except MotorTrouble as trouble:
            if failures >= FAILURES_TO_END:
                self._finish(WorldEnded(str(trouble), confirmed=False))
        except MotorLost as lost:
            self._lost(lost)
        except WorldEnded:
            return

    def _require_on(self, status: wire.MotorStatus) -> None:
        self._follow(status)
        ended = ended_by(status, self.session)
        if ended is not None:
            raise self._finish(ended)
        if status.phase == "connecting":
            raise MotorTrouble("the motor is connecting")

    def _follow(self, status: wire.MotorStatus) -> None:
        """Take over a newer connection of this session; one that is older tells nothing."""
        named = status.session
        if named is None or named.session_id != self.session.session_id:
            return
        if named.connection_generation < self.session.connection_generation:
            self.stale += 1
            raise MotorTrouble("the motor told of an earlier connection")
        if named != self.session and status.phase == "active":
            self.session = named
            self.reconnects += 1

    def _lost(self, lost: MotorLost) -> WorldEnded:
        self._link.lose(str(lost))
        return self._finish(WorldEnded(self._link.cause, confirmed=False))

    def _finish(self, ended: WorldEnded) -> WorldEnded:
        """The first end counts; a farewell of ours is none."""
        if self._end is None and not self._leaving:
            self._end = ended
            self._over.set()
        return self._end or ended

    def _held(self) -> Motor:
        assert self._motor is not None, "join() comes first"
        return self._motor
