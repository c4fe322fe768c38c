"""A motor that speaks the project's own tools: a call and a typed answer each."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from bodies.minecraft import wire
from bodies.minecraft.consistency import contradiction_in_status
from bodies.minecraft.motor.motor import CALL_S, JOIN_S, MotorTrouble
from bodies.minecraft.motor.tools import Tools, read_answer
from bodies.minecraft.options import Profile

NEEDED: Final = frozenset(
    ("join", "status", "observe", "act", "action_status", "cancel_action", "leave", "poll_events")
)
"""By these tools the dialect is told."""

T = TypeVar("T")


class NativeMotor:
    """Implements `Motor`."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def join(self, session: wire.SessionRef, profile: Profile) -> wire.MotorStatus:
        """`join`."""
        return await self._state(
            "join",
            JOIN_S,
            session=wire.plain(session),
            profileId=profile.id,
            endpoint=wire.plain(profile.endpoint),
        )

    async def status(self) -> wire.MotorStatus:
        """`status`."""
        return await self._state("status", CALL_S)

    async def observe(self, session: wire.SessionRef) -> wire.Observation:
        """`observe`."""
        return await self._ask("observe", wire.Observation, CALL_S, session=wire.plain(session))

    async def act(
        self, session: wire.SessionRef, action_id: str, action: wire.Action
    ) -> wire.ActionStatus:
        """`act`."""
        return await self._ask(
            "act",
            wire.ActionStatus,
            CALL_S,
            session=wire.plain(session),
            actionId=action_id,
            action=wire.plain(action),
        )

    async def action_status(self, session: wire.SessionRef, action_id: str) -> wire.ActionStatus:
        """`action_status`."""
        return await self._ask(
            "action_status",
            wire.ActionStatus,
            CALL_S,
            session=wire.plain(session),
            actionId=action_id,
        )

    async def cancel_action(self, session: wire.SessionRef, action_id: str) -> wire.ActionStatus:
        """`cancel_action`."""
        return await self._ask(
            "cancel_action",
            wire.ActionStatus,
            CALL_S,
            session=wire.plain(session),
            actionId=action_id,
        )

    async def leave(self, session: wire.SessionRef) -> wire.MotorStatus:
        """`leave`."""
        return await self._state("leave", CALL_S, session=wire.plain(session))

    async def poll_events(self, session: wire.SessionRef, after: int | None) -> wire.EventPage:
        """`poll_events`."""
        since = {} if after is None else {"afterSequence": after}
        return await self._ask(
            "poll_events",
            wire.EventPage,
            CALL_S,
            session=wire.plain(session),
            limit=wire.EVENTS,
            **since,
        )

    async def _state(self, tool: str, seconds: float, **arguments: Any) -> wire.MotorStatus:
        status = await self._ask(tool, wire.MotorStatus, seconds, **arguments)
        wrong = contradiction_in_status(status)
        if wrong is not None:
            raise MotorTrouble(f"{tool} contradicts itself: {wrong}")
        return status

    async def _ask(self, tool: str, kind: type[T], seconds: float, **arguments: Any) -> T:
        return read_answer(tool, await self._tools.call(tool, arguments, seconds), kind)
