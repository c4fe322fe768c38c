"""A public motor of another project, behind the same interface.

Its tools hold one bot, block until they are done, and report failures as prose that calls itself a
success. So a call runs beside the others, and what came of it is told by `proof` alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import trio
from msgspec.structs import replace

from bodies.minecraft import wire
from bodies.minecraft.motor.motor import CALL_S, JOIN_S, MotorLost, MotorTrouble
from bodies.minecraft.motor.tools import ToolAnswer, Tools, one_line
from bodies.minecraft.options import Profile
from bodies.minecraft.public.errand import ToolCall, calls_for
from bodies.minecraft.public.proof import Glance, proof
from bodies.minecraft.public.prose import (
    Look,
    read_chat,
    read_inventory,
    read_look,
    tells_failure,
    tells_no_bot,
)
from kernel.journal.instant import utc_now

NEEDED: Final = frozenset(
    ("joinGame", "leaveGame", "lookAround", "openInventory", "readChat", "sendChat")
)
"""By these tools the dialect is told."""
LONGEST_CALL_S: Final = 120.0
"""For a tool that does something; the body cancels long before."""
CHAT_LINES: Final = 50
KEPT: Final = 8
"""Actions whose status can still be asked for."""


@dataclass(slots=True)
class _Running:
    status: wire.ActionStatus
    before: Glance
    scope: trio.CancelScope


class PublicMotor:
    """Implements `Motor`; `errands` is the nursery that its calls run in."""

    def __init__(self, tools: Tools, errands: trio.Nursery) -> None:
        self._tools = tools
        self._errands = errands
        self._session: wire.SessionRef | None = None
        self._username = ""
        self._termination: wire.Termination = wire.NotRequested()
        self._actions: dict[str, _Running] = {}
        self._heard: tuple[tuple[str, str], ...] = ()
        self._sequence = 0

    async def join(self, session: wire.SessionRef, profile: Profile) -> wire.MotorStatus:
        """`joinGame`; the bot is in the game when a look around shows where it stands."""
        self._session, self._username = session, profile.username
        joined = await self._tools.call(
            "joinGame",
            {"username": profile.username, "host": profile.host, "port": profile.port},
            JOIN_S,
        )
        try:
            return await self.status()
        except MotorTrouble:
            raise MotorTrouble(f"joinGame: {one_line(joined.text) or 'no word'}") from None

    async def status(self) -> wire.MotorStatus:
        """By a look around. Words that there is no bot end the session, and confirm nothing."""
        if self._session is None:
            return wire.MotorStatus()
        match self._termination:
            case wire.Confirmed() as confirmed:
                return wire.MotorStatus(self._session, "disconnected", confirmed)
            case wire.Uncertain() as uncertain:
                return wire.MotorStatus(self._session, "uncertain", uncertain)
            case _:
                pass
        text = await self._words("lookAround")
        if read_look(text).place is not None:
            return wire.MotorStatus(self._session, "active", wire.NotRequested())
        if tells_no_bot(text):
            self._termination = wire.Uncertain(utc_now(), "connection_lost")
            return wire.MotorStatus(self._session, "uncertain", self._termination, one_line(text))
        raise MotorTrouble(f"lookAround: {one_line(text) or 'no word'}")

    async def observe(self, session: wire.SessionRef) -> wire.Observation:
        """What `lookAround`, `openInventory` and `readChat` tell: the bot's own memory."""
        look = read_look(await self._words("lookAround"))
        carried = read_inventory(await self._words("openInventory"))
        heard = read_chat((await self._chat()).text)
        at = utc_now()
        facts = [*_facts(self._username, look), *_carried(carried), *_heard(heard)]
        return wire.Observation(
            session,
            at,
            tuple(wire.SourcedFact("bot_cache", at, fact) for fact in facts[: wire.FACTS]),
        )

    async def act(
        self, session: wire.SessionRef, action_id: str, action: wire.Action
    ) -> wire.ActionStatus:
        """Look, then begin the calls that do it. Raises MotorTrouble for what cannot be done."""
        before = await self._glance()
        calls = calls_for(action, before.blocks)
        now = utc_now()
        status = wire.ActionStatus(
            session=session,
            action_id=action_id,
            requested=action,
            state="running",
            requested_at=now,
            updated_at=now,
            evidence=wire.Unknown("not_observed"),
        )
        running = _Running(status, before, trio.CancelScope())
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
        """Wait no longer for the calls. Whether the bot stops nobody can tell."""
        running = self._known(session, action_id)
        if not running.status.over:
            running.scope.cancel()
            await self._settle(running, "uncertain")
        return running.status

    async def leave(self, session: wire.SessionRef) -> wire.MotorStatus:
        """`leaveGame`; confirmed when a look around then finds no bot."""
        asked = utc_now()
        await self._tools.call("leaveGame", {"username": self._username}, CALL_S)
        text = await self._words("lookAround")
        if read_look(text).place is None and tells_no_bot(text):
            self._termination = wire.Confirmed(utc_now(), "not_connected")
        else:
            self._termination = wire.Uncertain(asked, "timeout")
        phase = "disconnected" if isinstance(self._termination, wire.Confirmed) else "uncertain"
        return wire.MotorStatus(session, phase, self._termination)

    async def poll_events(self, session: wire.SessionRef, after: int | None) -> wire.EventPage:
        """Chat that was not there at the last look; other events this motor does not tell."""
        del session, after
        heard = read_chat((await self._chat()).text)
        events: list[wire.MotorEvent] = []
        for player, text in _newer(self._heard, heard)[-wire.EVENTS :]:
            self._sequence += 1
            data = wire.EventData(player=player, text=text)
            events.append(wire.MotorEvent(self._sequence, utc_now(), "chat", data))
        self._heard = heard
        return wire.EventPage(tuple(events), self._sequence)

    async def _run(self, running: _Running, calls: tuple[ToolCall, ...]) -> None:
        state: wire.ActionState = "completed"
        with running.scope:
            try:
                for call in calls:
                    answer = await self._tools.call(call.tool, call.arguments, LONGEST_CALL_S)
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

    async def _glance(self) -> Glance:
        look = read_look(await self._words("lookAround"))
        text = await self._words("openInventory")
        return Glance(
            place=look.place,
            players=dict(look.players),
            inventory=None if tells_failure(text) else read_inventory(text),
            heard=read_chat((await self._chat()).text),
            blocks={at: block for block, at in look.blocks},
        )

    async def _chat(self) -> ToolAnswer:
        return await self._tools.call("readChat", {"count": CHAT_LINES}, CALL_S)

    async def _words(self, tool: str) -> str:
        answer = await self._tools.call(tool, {}, CALL_S)
        if answer.is_error and not tells_no_bot(answer.text):
            raise MotorTrouble(f"{tool} failed: {one_line(answer.text)}")
        return answer.text

    def _known(self, session: wire.SessionRef, action_id: str) -> _Running:
        running = self._actions.get(action_id)
        if running is None or running.status.session != session:
            raise MotorTrouble("no such action was begun")
        return running


def _facts(username: str, look: Look) -> list[wire.Fact]:
    facts: list[wire.Fact] = []
    if look.place is not None:
        facts.append(wire.PositionFact(username, look.place))
    if look.health is not None:
        facts.append(wire.HealthFact(username, look.health, look.food or 0.0))
    facts += [wire.PositionFact(name, at) for name, at in look.players if name != username]
    facts += [wire.BlockFact(at, block) for block, at in look.blocks]
    return facts


def _carried(counts: dict[str, int]) -> list[wire.Fact]:
    return [wire.InventoryFact(item, count) for item, count in counts.items()]


def _heard(lines: tuple[tuple[str, str], ...]) -> list[wire.Fact]:
    return [wire.ChatFact(player, text) for player, text in lines[-20:]]


def _newer(
    before: tuple[tuple[str, str], ...], now: tuple[tuple[str, str], ...]
) -> tuple[tuple[str, str], ...]:
    """The lines at the end that the earlier reading did not have."""
    for shared in range(min(len(before), len(now)), 0, -1):
        if before[-shared:] == now[:shared]:
            return now[shared:]
    return now
