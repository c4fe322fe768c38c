"""A public motor of another project, behind the same interface.

Its tools hold one bot, block until they are done, and report failures as prose that calls itself a
success. So a call runs beside the others, and what came of it is told by `proof` alone. Looking
around costs the motor most of a second, reading the chat nothing: the latter tells of its state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

import trio
from msgspec.structs import replace

from bodies.minecraft import wire
from bodies.minecraft.motor.motor import CALL_S, JOIN_S, MotorLost, MotorTrouble
from bodies.minecraft.motor.tools import Tools, one_line
from bodies.minecraft.options import Profile
from bodies.minecraft.public.errand import ToolCall, calls_for, walk
from bodies.minecraft.public.proof import Glance, proof
from bodies.minecraft.public.prose import (
    ChatLine,
    read_chat,
    read_look,
    read_stacks,
    tells_failure,
    tells_history,
    tells_no_bot,
)
from kernel.journal.instant import utc_now

NEEDED: Final = frozenset(
    ("joinGame", "leaveGame", "lookAround", "openInventory", "readChat", "sendChat")
)
"""By these tools the dialect is told."""
LONGEST_CALL_S: Final = 120.0
"""For a tool that does something; the body cancels long before."""
CHAT_LINES: Final = 100
"""As many as the motor gives at once."""
CHAT_SHOWN: Final = 20
KEPT: Final = 8
"""Actions whose status can still be asked for."""
HALT_S: Final = 3.0
"""For a bot that is told to stand still to have given up what it was doing."""


class PublicMotor:
    """Implements `Motor`; `errands` is the nursery that its calls run in."""

    def __init__(self, tools: Tools, errands: trio.Nursery) -> None:
        self._tools = tools
        self._errands = errands
        self._session: wire.SessionRef | None = None
        self._username = ""
        self._termination: wire.Termination = wire.NotRequested()
        self._actions: dict[str, _Running] = {}
        self._heard: tuple[ChatLine, ...] = ()
        self._players: set[str] = set()
        """Who has spoken, come or left: names that are players' for certain."""
        self._sequence = 0

    async def join(self, session: wire.SessionRef, profile: Profile) -> wire.MotorStatus:
        """`joinGame`; the bot is in the game when a look around shows where it stands."""
        self._session, self._username = session, profile.username
        joined = await self._tools.call(
            "joinGame",
            {"username": profile.username, "host": profile.host, "port": profile.port},
            JOIN_S,
        )
        looked = await self._tools.call("lookAround", {}, CALL_S)
        if joined.is_error or read_look(looked.text).place is None:
            raise MotorTrouble(f"joinGame: {one_line(joined.text) or 'no word'}")
        return wire.MotorStatus(session, "active", wire.NotRequested())

    async def status(self) -> wire.MotorStatus:
        """By the chat history. Words that there is no bot end the session, and confirm nothing."""
        if self._session is None:
            return wire.MotorStatus()
        match self._termination:
            case wire.Confirmed() as confirmed:
                return wire.MotorStatus(self._session, "disconnected", confirmed)
            case wire.Uncertain() as uncertain:
                return wire.MotorStatus(self._session, "uncertain", uncertain)
            case _:
                pass
        answer = await self._tools.call("readChat", {"count": 1}, CALL_S)
        if tells_history(answer.text):
            return wire.MotorStatus(self._session, "active", wire.NotRequested())
        if tells_no_bot(answer.text):
            self._termination = wire.Uncertain(utc_now(), "connection_lost")
            words = one_line(answer.text)
            return wire.MotorStatus(self._session, "uncertain", self._termination, words)
        raise MotorTrouble(f"readChat: {one_line(answer.text) or 'no word'}")

    async def observe(self, session: wire.SessionRef) -> wire.Observation:
        """What `lookAround`, `openInventory` and `readChat` tell: the bot's own memory."""
        words = await self._words("lookAround")
        look, heard = read_look(words), await self._chat()
        carried = look.carried or {}
        if not look.all_carried:
            carried = read_stacks(await self._words("openInventory")) | carried
        facts: list[wire.Fact] = []
        if look.place is not None:
            facts.append(wire.PositionFact(self._username, look.place))
        if look.health is not None:
            facts.append(wire.HealthFact(self._username, look.health, look.food or 0.0))
        facts += [wire.InventoryFact(item, count) for item, count in carried.items()]
        said = [line for line in heard if line.text is not None][-CHAT_SHOWN:]
        facts += [wire.ChatFact(line.player, line.text or "") for line in said]
        at = utc_now()
        return wire.Observation(
            session,
            at,
            tuple(wire.SourcedFact("bot_cache", at, fact) for fact in facts[-wire.FACTS :]),
            near=tuple(filter(self._is_player, look.entities))[: wire.NEAR],
            remarks=words[: wire.REMARKS],
        )

    async def act(
        self, session: wire.SessionRef, action_id: str, action: wire.Action
    ) -> wire.ActionStatus:
        """Look, then begin the calls that do it. Raises MotorTrouble for what cannot be done."""
        calls = calls_for(action)
        requested_at = utc_now()
        before = await self._glance()
        status = wire.ActionStatus(
            session=session,
            action_id=action_id,
            requested=action,
            state="running",
            requested_at=requested_at,
            updated_at=utc_now(),
            evidence=wire.Unknown("not_observed"),
        )
        running = _Running(status, before)
        while len(self._actions) >= KEPT:
            del self._actions[next(iter(self._actions))]
        self._actions[action_id] = running
        self._errands.start_soon(self._run, running, calls)
        return status

    async def action_status(self, session: wire.SessionRef, action_id: str) -> wire.ActionStatus:
        """How far the calls are."""
        await trio.lowlevel.checkpoint()
        return self._known(session, action_id).status

    async def cancel_action(self, session: wire.SessionRef, action_id: str) -> wire.ActionStatus:
        """Have the bot stand still, which ends a walk; what goes on nevertheless is uncertain."""
        running = self._known(session, action_id)
        if not running.status.over:
            running.status = replace(running.status, state="cancel_requested", updated_at=utc_now())
            with trio.move_on_after(HALT_S):
                await self._stand_still()
                await running.over.wait()
            if not running.status.over:
                running.scope.cancel()
                await self._settle(running, "uncertain")
        return running.status

    async def leave(self, session: wire.SessionRef) -> wire.MotorStatus:
        """`leaveGame`; confirmed when the motor then knows of no bot."""
        asked = utc_now()
        await self._tools.call("leaveGame", {"username": self._username}, CALL_S)
        answer = await self._tools.call("readChat", {"count": 1}, CALL_S)
        if tells_no_bot(answer.text):
            self._termination = wire.Confirmed(utc_now(), "not_connected")
            return wire.MotorStatus(session, "disconnected", self._termination)
        self._termination = wire.Uncertain(asked, "timeout")
        return wire.MotorStatus(session, "uncertain", self._termination)

    async def poll_events(self, session: wire.SessionRef, after: int | None) -> wire.EventPage:
        """Chat, comings and goings since the last look; other events this motor does not tell."""
        del session, after
        before, self._heard = self._heard, await self._chat()
        fresh = _newer(before, self._heard)
        if before and fresh and len(fresh) == len(self._heard):
            self._sequence += 1  # none of the earlier lines is left: some were missed
        self._sequence += len(fresh[: -wire.EVENTS])
        events: list[wire.MotorEvent] = []
        for line in fresh[-wire.EVENTS :]:
            self._sequence += 1
            data = wire.EventData(player=line.player, text=line.text)
            events.append(wire.MotorEvent(self._sequence, utc_now(), line.kind, data))
        return wire.EventPage(tuple(events), self._sequence)

    async def _run(self, running: _Running, calls: tuple[ToolCall, ...]) -> None:
        state: wire.ActionState = "completed"
        with running.scope:
            try:
                for call in calls:
                    answer = await self._tools.call(call.tool, call.arguments, LONGEST_CALL_S)
                    if running.status.state == "cancel_requested":
                        state = "cancelled"
                        break
                    if answer.is_error or tells_failure(answer.text):
                        state = "failed"
                        break
            except (MotorTrouble, MotorLost):
                state = "uncertain"
            await self._settle(running, state)

    async def _settle(self, running: _Running, state: wire.ActionState) -> None:
        """Give the action its end, with the evidence of a last look."""
        try:
            after = await self._glance()
            evidence = proof(
                running.status.requested, self._username, running.before, after, utc_now()
            )
        except (MotorTrouble, MotorLost):
            evidence = wire.Unknown("stale_observation")
        if state == "uncertain" and not isinstance(evidence, wire.Verified):
            evidence = wire.Unknown("interrupted")
        running.status = replace(
            running.status, state=state, updated_at=utc_now(), evidence=evidence
        )
        running.over.set()

    async def _stand_still(self) -> None:
        place = read_look(await self._words("lookAround")).place
        if place is not None:
            x, y, z = (math.floor(number) for number in (place.x, place.y, place.z))
            call = walk(wire.BlockPosition(x, y, z))
            await self._tools.call(call.tool, call.arguments, HALT_S)

    async def _glance(self) -> Glance:
        return Glance(read_look(await self._words("lookAround")), await self._chat())

    async def _chat(self) -> tuple[ChatLine, ...]:
        lines = read_chat(await self._words("readChat", count=CHAT_LINES))
        self._players.update(line.player for line in lines)
        return lines

    async def _words(self, tool: str, **arguments: Any) -> str:
        answer = await self._tools.call(tool, arguments, CALL_S)
        if answer.is_error and not tells_no_bot(answer.text):
            raise MotorTrouble(f"{tool} failed: {one_line(answer.text)}")
        return answer.text

    def _is_player(self, name: str) -> bool:
        """A mob's name is lower-case; a player's that is, too, is known by what it did."""
        return name in self._players or not name.islower()

    def _known(self, session: wire.SessionRef, action_id: str) -> _Running:
        running = self._actions.get(action_id)
        if running is None or running.status.session != session:
            raise MotorTrouble("no such action was begun")
        return running


@dataclass(slots=True)
class _Running:
    status: wire.ActionStatus
    before: Glance
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    over: trio.Event = field(default_factory=trio.Event)


def _newer(before: tuple[ChatLine, ...], now: tuple[ChatLine, ...]) -> tuple[ChatLine, ...]:
    """The lines at the end that the earlier reading did not have."""
    for shared in range(min(len(before), len(now)), 0, -1):
        if before[-shared:] == now[:shared]:
            return now[shared:]
    return now
