"""What the body asks of a motor, whichever dialect the motor speaks."""

from __future__ import annotations

from typing import Protocol

from bodies.minecraft import wire
from bodies.minecraft.options import Profile

CALL_S = 10.0
"""Seconds that a motor has for any answer but a join's."""
JOIN_S = 60.0
"""Seconds from asking to join until the bot must be in the game."""


class MotorTrouble(Exception):
    """The motor did not do or tell what was asked; it may the next time. The text names why."""


class MotorLost(Exception):
    """The motor is gone for this session; nothing asked of it will be answered."""


class Motor(Protocol):
    """One bot's controls. Every call is bounded, and raises MotorTrouble or MotorLost."""

    async def join(self, session: wire.SessionRef, profile: Profile) -> wire.MotorStatus:
        """Ask for the bot to enter the profile's server; it may still be connecting then."""
        ...

    async def status(self) -> wire.MotorStatus:
        """What the motor holds now."""
        ...

    async def observe(self, session: wire.SessionRef) -> wire.Observation:
        """What the bot knows of its surroundings."""
        ...

    async def act(
        self, session: wire.SessionRef, action_id: str, action: wire.Action
    ) -> wire.ActionStatus:
        """Begin an action; it goes on by itself."""
        ...

    async def action_status(self, session: wire.SessionRef, action_id: str) -> wire.ActionStatus:
        """How far an action is."""
        ...

    async def cancel_action(self, session: wire.SessionRef, action_id: str) -> wire.ActionStatus:
        """Ask for an action's end."""
        ...

    async def leave(self, session: wire.SessionRef) -> wire.MotorStatus:
        """Ask for the bot to leave; whether it has is in the termination."""
        ...

    async def poll_events(self, session: wire.SessionRef, after: int | None) -> wire.EventPage:
        """What happened since the event with this sequence."""
        ...
