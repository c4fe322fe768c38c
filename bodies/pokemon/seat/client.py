"""A seat in a hosted world: join it, play it, leave it."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn, TypeVar

import msgspec
import trio
from msgspec import UNSET

from bodies.pokemon import wire
from bodies.pokemon.seat.addresses import Address
from bodies.pokemon.seat.answers import read_answer
from bodies.pokemon.seat.connection import Connection, ask_within
from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.seat.dial import Dial, dialer
from bodies.pokemon.seat.ended import Parting, end_of_push, join_reason
from bodies.pokemon.seat.link import Link, LinkParted, OnPush
from bodies.pokemon.seat.open_link import open_link
from bodies.pokemon.seat.screen import Screen
from bodies.pokemon.seat.troubles import GarbledAnswer, OperationRefused, StaleAnswer
from bodies.pokemon.seat.waits import ASK_S, act_wait
from kernel.body import JoinRefused, Leave, WorldEnded
from kernel.undecodable import UNDECODABLE

AnswerT = TypeVar("AnswerT")

_PUSHES = msgspec.json.Decoder(wire.Push)

_UNSETTLED_JOIN_S = 2.0
_FRESH_ASKS = 2


@dataclass(frozen=True, slots=True)
class Credential:
    """What the world knows the player by. Never shown."""

    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Applicant:
    """Who asks for a seat, in which game."""

    game_id: wire.GameId
    display_name: str
    credential: Credential | None
    harness: str = "playd"


class Seat:
    """One seat. Made by open_seat; join() comes first.

    Every operation raises WorldEnded once the world is over, and a BodyTrouble (OperationRefused,
    GarbledAnswer, StaleAnswer) when only it failed. An operation may be cancelled at any time; a
    late answer is counted and ignored.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        applicant: Applicant,
        open_to: Callable[[OnPush, Counters], AbstractAsyncContextManager[Link]],
        chance: Callable[[], float],
    ) -> None:
        self.counters = Counters()
        self.screen = Screen(self.counters)
        self._nursery = nursery
        self._applicant = applicant
        self._joined: wire.JoinAnswer | None = None
        self._life = trio.CancelScope()
        self._connection = Connection(
            partial(open_to, self._take_push, self.counters),
            self._check_session,
            self.counters,
            chance,
        )

    async def join(self) -> wire.JoinAnswer:
        """Take the seat. Raises JoinRefused.

        Cancelled while the world decides: waits at most two seconds more, to give the seat back.
        """
        credential = self._applicant.credential
        if credential is None:
            raise JoinRefused("no_credential", "the seat has no `credential` in the configuration")
        try:
            await self._nursery.start(self._keep)
        except LinkParted as parted:
            raise JoinRefused("world_unreachable", parted.parting.detail) from None
        # From here on it outlives a cancellation from outside, so that leave() can still be said
        # under a shield; close() ends it. Before, a shield would hold up whoever gives up dialling.
        self._life.shield = True
        joined = await self._ask_to_join(credential)
        missing = [c for c in wire.NEEDED_CAPABILITIES if c not in joined.capabilities]
        if missing:
            await self._decline(f"the world does not grant {', '.join(missing)}")
        if joined.protocol_version != wire.PROTOCOL_VERSION:
            await self._decline(f"the world speaks protocol {joined.protocol_version}, not 3")
        if joined.game_id != self._applicant.game_id:
            await self._decline(f"the world gave {joined.game_id}, not {self._applicant.game_id}")
        return joined

    @property
    def joined(self) -> wire.JoinAnswer:
        """What the world gave. Only after join()."""
        assert self._joined is not None, "join() comes first"
        return self._joined

    @property
    def ended(self) -> Parting | None:
        """How the world ended; None while it goes on."""
        return self._connection.ended

    async def wait_ended(self) -> WorldEnded:
        """Wait until the world is over, whether or not anything is asked of it."""
        await self._connection.wait_ended()
        return self._connection.world_ended()

    async def observe(self) -> wire.Observation:
        """The screen now, of the current body. Raises StaleAnswer when only older ones come."""
        for _ in range(_FRESH_ASKS):
            seen = await self._ask("play.observe", wire.Nothing(), wire.Observation)
            if self.screen.admits(seen.body_generation):
                return seen
        raise StaleAnswer("the world only shows a body that was replaced")

    async def act(self, action: wire.Action, idempotency_key: str) -> wire.ActAnswer:
        """Do it once. A lost answer is asked for again under the same key.

        Raises StaleAnswer when the answer is an older body's.
        """
        answer = await self._ask(
            "play.act",
            wire.Act(action, idempotency_key),
            wire.ActAnswer,
            wait=act_wait(action, self.joined.limits),
        )
        if not self.screen.admits(answer.body_generation):
            raise StaleAnswer("the action was answered by a body that was replaced")
        if isinstance(answer.outcome, wire.Ran):
            self.screen.admits(answer.outcome.observation.body_generation)
        return answer

    async def frame(self) -> wire.Frame:
        """The newest picture of the current body; asking for it may bring no newer one.

        Raises StaleAnswer when there is none of this body.
        """
        for _ in range(_FRESH_ASKS):
            self.screen.draw(await self._ask("play.frame", wire.Nothing(), wire.Frame))
            if self.screen.frame is not None:
                return self.screen.frame
        raise StaleAnswer("the world only shows a body that was replaced")

    async def leave(self) -> Leave:
        """Give the seat back. Only the exact receipt or `session_ended` confirms it.

        Takes at most ASK_S. Raises nothing of the world's.
        """
        if self._joined is None:
            return Leave("not_joined")
        receipt: wire.LeaveAnswer | None = None
        with trio.move_on_after(ASK_S):
            try:
                receipt = await self._ask("world.leave", wire.Nothing(), wire.LeaveAnswer)
            except WorldEnded as ended:
                return Leave("confirmed" if ended.confirmed else "unconfirmed")
            except (OperationRefused, GarbledAnswer):
                return Leave("unconfirmed")
        if receipt is None or receipt.session_id != self._joined.session_id:
            return Leave("unconfirmed")
        self._connection.end(Parting("the seat was given back", "session_ended"))
        return Leave("confirmed", msgspec.json.encode(receipt).decode())

    def close(self) -> None:
        """Stop asking and listening, without a farewell. open_seat does it."""
        self._connection.end(Parting("the connection was closed here", "unreachable"))
        self._life.cancel()

    async def _keep(self, *, task_status: trio.TaskStatus[None]) -> None:
        with self._life:
            await self._connection.keep(task_status=task_status)

    async def _ask(
        self, operation: str, asked: Any, kind: type[AnswerT], *, wait: float = ASK_S
    ) -> AnswerT:
        request = wire.Request(operation, asked, token=self.joined.token)
        return self._read(operation, await self._connection.exchange(request, wait), kind)

    def _read(self, operation: str, raw: bytes, kind: type[AnswerT]) -> AnswerT:
        try:
            return read_answer(operation, raw, kind, self._secrets())
        except GarbledAnswer:
            self.counters.garbled += 1
            raise
        except LinkParted as over:
            self._connection.end(over.parting)
            raise self._connection.world_ended() from None

    async def _ask_to_join(self, credential: Credential) -> wire.JoinAnswer:
        who = self._applicant
        request = wire.Request(
            "world.join",
            wire.Join(who.game_id, who.display_name, who.harness),
            credential=credential.secret,
        )
        answered = trio.Event()
        answer: bytes | JoinRefused = b""

        async def ask() -> None:
            nonlocal answer
            with trio.CancelScope(shield=True):  # bounded by ASK_S; close() ends it sooner
                try:
                    answer = await self._connection.ask_once(request, ASK_S)
                except LinkParted as parted:
                    answer = JoinRefused("world_unreachable", parted.parting.detail)
                except WorldEnded:
                    answer = JoinRefused("world_unreachable", "the connection ended")
                answered.set()

        self._nursery.start_soon(ask)
        try:
            await answered.wait()
        except trio.Cancelled:
            with trio.move_on_after(_UNSETTLED_JOIN_S, shield=True):
                await answered.wait()
                with suppress(JoinRefused):
                    self._read_join(answer)
                    await self.leave()
            raise
        return self._read_join(answer)

    def _read_join(self, answer: bytes | JoinRefused) -> wire.JoinAnswer:
        if isinstance(answer, JoinRefused):
            raise answer
        try:
            self._joined = self._read("world.join", answer, wire.JoinAnswer)
        except OperationRefused as refused:
            reason = join_reason(refused.code)
            raise JoinRefused(reason, refused.message or refused.code) from None
        except GarbledAnswer as garbled:
            raise JoinRefused("world_refused", str(garbled)) from None
        except WorldEnded as ended:
            raise JoinRefused("world_refused", ended.cause) from None
        return self._joined

    async def _decline(self, why: str) -> NoReturn:
        await self.leave()
        raise JoinRefused("world_refused", why)

    async def _check_session(self, link: Link) -> None:
        """Whether the session of before answers on this link. Raises LinkParted."""
        if self._joined is None:
            raise LinkParted(Parting("lost before the world gave a seat", "unreachable"))
        request = wire.Request("world.session", wire.Nothing(), token=self._joined.token)
        raw = await ask_within(link, request, ASK_S)
        try:
            found = read_answer("world.session", raw, wire.SessionAnswer, self._secrets())
        except (OperationRefused, GarbledAnswer) as trouble:
            raise LinkParted(Parting(str(trouble))) from None
        if found.session_id != self._joined.session_id:
            raise LinkParted(Parting("another session answers"))
        if found.body_generation is not UNSET:
            self.screen.admits(found.body_generation)

    def _take_push(self, raw: bytes) -> None:
        try:
            push = _PUSHES.decode(raw)
        except UNDECODABLE:
            self.counters.garbled += 1
            return
        if isinstance(push, wire.EndedPush):
            code = push.code if isinstance(push.code, str) else None
            self._connection.end(Parting("the world pushed the session's end", end_of_push(code)))
        elif isinstance(push, wire.FramePush):
            self.screen.draw(push)
        else:
            self.screen.admits(push.body_generation)

    def _secrets(self) -> tuple[str, ...]:
        credential = self._applicant.credential
        return (
            *((credential.secret,) if credential else ()),
            *((self._joined.token,) if self._joined else ()),
        )


@asynccontextmanager
async def open_seat(
    address: Address,
    applicant: Applicant,
    *,
    ca_file: str | None = None,
    dial: Dial | None = None,
    chance: Callable[[], float] = random.random,
) -> AsyncGenerator[Seat]:
    """A seat to join, with everything that keeps it connected. Leaving it is the caller's to say.

    `ca_file`: see dialer. `dial` opens the byte stream in its place; `chance` in [0, 1) spreads the
    waits between reconnects. Raises BadAuthority.
    """
    dial = dial or dialer(address, ca_file)
    try:
        async with trio.open_nursery() as nursery:
            seat = Seat(nursery, applicant, partial(open_link, address, dial), chance)
            try:
                yield seat
            finally:
                seat.close()
    except BaseExceptionGroup as group:
        # The nursery is this function's own affair: what the caller raised comes out as it was.
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from None
        raise
