"""All rooms: what sessions say goes to theirs, and what became of it is recorded.

A session keeps the room that it began with: a reload that gives the name another address or secret
holds for later sessions, one that takes the name or the starter's grant away holds at once (K33).
Nothing is ever sent to another room instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import trio
from msgspec.structs import replace

from config import settings as configuration
from config.settings import Settings
from daemon.control import wire
from daemon.control.grants import gid_of, permissions_of, uid_of
from daemon.control.peers import Caller
from daemon.happenings import (
    DeliverySettled,
    Happening,
    Happenings,
    ReceiptsLost,
    SessionChanged,
    SessionSaid,
)
from daemon.lifecycle import TERMINAL
from daemon.records import SessionRecord
from daemon.refusal import Refusal
from daemon.rooms.control_room import ControlRoom
from daemon.rooms.correspondence import Correspondence, withheld
from daemon.rooms.delivery import delivery_of
from daemon.rooms.destination import Destination
from daemon.rooms.gone_room import GoneRoom
from daemon.rooms.ledger import Ledger
from daemon.rooms.log_room import LogRoom
from daemon.rooms.receipts import ReceiptLog, receipt_of, view_of
from daemon.rooms.room import Follower, Letter, Room
from kernel.journal.instant import utc_now
from kernel.session.wire import Notable, Speech

FILE = "receipts.jsonl"
FAREWELL_SECONDS = 2.0
"""For what waits when the daemon ends."""

StarterOf = Callable[[SessionRecord], Caller | None]
"""Who started the sitting of a live session; None: nobody knows."""
_Key: TypeAlias = tuple[str, configuration.Room | None]
"""A room's name with what it was when a session began."""


@asynccontextmanager
async def open_rooms(
    happenings: Happenings,
    settings: Callable[[], Settings],
    starter_of: StarterOf,
    state_directory: Path,
) -> AsyncGenerator[Rooms]:
    """Rooms that are told what happens; `settings` gives the configuration as last loaded.

    At the block's end what still waits has `FAREWELL_SECONDS`; what is left then has failed.
    """

    def lost(count: int) -> None:
        happenings.tell(ReceiptsLost(count))

    receipts = ReceiptLog(state_directory / FILE, lost)
    async with trio.open_nursery() as writing:
        writing.start_soon(receipts.run)
        async with trio.open_nursery() as open_ones:
            rooms = Rooms(happenings, settings, starter_of, receipts, open_ones)
            with happenings.observed_by(rooms.observe):
                yield rooms
            rooms.close()
            open_ones.cancel_scope.deadline = trio.current_time() + FAREWELL_SECONDS
        receipts.close()
        writing.cancel_scope.deadline = trio.current_time() + FAREWELL_SECONDS


class Rooms:
    """Every open room; `control.supervision.Deliveries` is how the socket asks it."""

    def __init__(
        self,
        happenings: Happenings,
        settings: Callable[[], Settings],
        starter_of: StarterOf,
        receipts: ReceiptLog,
        open_ones: trio.Nursery,
    ) -> None:
        self._happenings = happenings
        self._settings = settings
        self._starter_of = starter_of
        self._receipts = receipts
        self._open_ones = open_ones
        self._open: dict[_Key, Room] = {}
        self._of_sessions: dict[str, tuple[Room, Correspondence]] = {}
        self._followers: defaultdict[str, set[Follower]] = defaultdict(set[Follower])
        self._ledger = Ledger()

    def observe(self, happening: Happening) -> None:
        """Take what is for a room into its queue; see `happenings.Observer`."""
        match happening:
            case SessionSaid(session, Speech() | Notable() as message):
                self._send(session, message)
            case SessionChanged(session):
                if session.state in TERMINAL:
                    self._leave(session)
                elif session.room is not None and session.session_id not in self._of_sessions:
                    self._enter(session, session.room)
            case _:
                pass

    def close(self) -> None:
        """End every room once its queue is empty."""
        for room, _ in self._of_sessions.values():
            room.let_go()
        self._of_sessions.clear()

    # For the control socket

    async def receipts(
        self, caller: Caller, room: str | None, seat: str | None, limit: int
    ) -> wire.ReceiptsResult:
        """What became of deliveries, newest first."""
        return await self._receipts.latest(room, seat, limit)

    async def acknowledge(
        self, caller: Caller, room: str, receipt: wire.Acknowledgement
    ) -> wire.ReceiptsResult:
        """Record the room's word on a delivery. Its first word stands; others get it back."""
        entry = self._ledger.find(room, receipt.delivery_id)
        if entry is None:
            raise Refusal(
                "no_such_delivery",
                f"room {room} got no delivery {receipt.delivery_id} lately",
                "The newest 256 of a seat are remembered, until playd ends.",
            )
        if entry.word is None:
            entry.word = receipt_of(entry.delivery, receipt.outcome, receipt.detail)
            self._receipts.record(entry.word)
            self._tell(entry.delivery.seat, room, receipt.outcome, receipt.detail)
        return wire.ReceiptsResult(receipts=(view_of(entry.word),))

    async def follow(self, room: str, show: Follower) -> None:
        """Show everything that the room is sent, until cancelled."""
        followers = self._followers[room]
        followers.add(show)
        try:
            show(wire.Watching())
            await trio.sleep_forever()
        finally:
            followers.discard(show)

    # Within

    def _enter(self, session: SessionRecord, name: str) -> None:
        settings = self._settings().rooms.get(name)
        # Who belongs to a room is always as last loaded, so it makes no other room.
        key = (name, None if settings is None else replace(settings, principals=frozenset()))
        room = self._open.get(key)
        if room is None:
            room = self._open[key] = Room(
                self._destination(name, settings),
                self._followers[name],
                self._why_not,
                self._settled,
            )
            self._open_ones.start_soon(self._run, key, room)
        room.hold()
        self._of_sessions[session.session_id] = (
            room,
            Correspondence(session, self._starter_of(session)),
        )

    async def _run(self, key: _Key, room: Room) -> None:
        try:
            await room.run()
        finally:
            # Nothing is awaited in between, so that no session gets a room that has ended.
            del self._open[key]
            with trio.CancelScope(shield=True):
                await room.close()

    def _leave(self, session: SessionRecord) -> None:
        if session.session_id in self._of_sessions:
            room, _ = self._of_sessions.pop(session.session_id)
            room.let_go()

    def _send(self, session: SessionRecord, message: Speech | Notable) -> None:
        if session.session_id not in self._of_sessions:
            return  # a sitting that has no room
        room, correspondence = self._of_sessions[session.session_id]
        assert session.room is not None
        delivery = delivery_of(message, session, session.room, utc_now())
        self._ledger.enter(delivery)
        room.put(Letter(delivery, correspondence))

    def _why_not(self, letter: Letter) -> tuple[wire.DeliveryOutcome, str] | None:
        settings, delivery = self._settings(), letter.delivery
        if delivery.room not in settings.rooms:
            return "failed", "the configuration has no such room any more"
        if delivery.kind != "notable":
            return None
        seat = settings.seats.get(delivery.seat)
        why = withheld(
            permissions_of(settings, uid_of, gid_of),
            letter.correspondence,
            delivery.room,
            None if seat is None else seat.room,
        )
        return None if why is None else ("refused", why)

    def _settled(self, letter: Letter, outcome: wire.DeliveryOutcome | None, why: str) -> None:
        if outcome is None:
            return
        delivery = letter.delivery
        if outcome != "played":
            letter.correspondence.log(delivery, outcome, why)
        self._receipts.record(receipt_of(delivery, outcome, why))
        self._tell(delivery.seat, delivery.room, outcome, why)

    def _tell(self, seat: str, room: str, outcome: wire.DeliveryOutcome, detail: str) -> None:
        self._happenings.tell(DeliverySettled(seat, room, outcome, detail))

    def _destination(self, name: str, settings: configuration.Room | None) -> Destination:
        match settings:
            case None:
                return GoneRoom()
            case configuration.ControlRoom():
                return ControlRoom(self._followers[name])
            case configuration.LogRoom():
                return LogRoom()
            case configuration.WebhookRoom():
                # Imported here: the HTTP client is heavy, and few daemons need it.
                from daemon.rooms.webhook import Webhook

                return Webhook(settings)
