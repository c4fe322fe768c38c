"""`receipts.jsonl`: what became of each delivery, for the `receipts` verb and for evaluation.

Written by one task in a worker thread, rotated like `events.jsonl`. What the disk does not take is
counted and lost: a receipt never costs a turn (K13).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
import trio

from daemon.control.wire import DeliveryOutcome, ReceiptsResult, ReceiptView
from daemon.events import ROTATE_BYTES, EventLog
from daemon.logs import log_of
from daemon.rooms.delivery import Delivery
from kernel.journal.instant import utc_now
from kernel.undecodable import UNDECODABLE

WAITING = 1024
"""Receipts that wait for the disk."""
READ_BYTES = 2 * 1024 * 1024
"""How far back receipts are read, in the file and in its predecessor."""
WRITTEN_SECONDS = 2.0
"""How long a reader waits for receipts that are being written."""

ReceiptType: TypeAlias = Literal[
    "play.delivery.played",
    "play.delivery.suppressed",
    "play.delivery.refused",
    "play.delivery.failed",
]

_log = log_of(__name__)


class ReceiptData(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Which delivery, and why."""

    delivery_id: str
    kind: str
    room: str
    seat: str
    session_id: str
    detail: str = ""


class Receipt(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One line."""

    id: str
    occurred_at: str
    type: ReceiptType
    data: ReceiptData


def receipt_of(delivery: Delivery, outcome: DeliveryOutcome, detail: str) -> Receipt:
    """The receipt of a delivery, as of now."""
    return Receipt(
        id=str(uuid.uuid4()),
        occurred_at=utc_now(),
        type=_TYPES[outcome],
        data=ReceiptData(
            delivery_id=delivery.delivery_id,
            kind=delivery.kind,
            room=delivery.room,
            seat=delivery.seat,
            session_id=delivery.session_id,
            detail=detail,
        ),
    )


def view_of(receipt: Receipt) -> ReceiptView:
    """The same for the control socket."""
    data = receipt.data
    return ReceiptView(
        delivery_id=data.delivery_id,
        room=data.room,
        seat=data.seat,
        session_id=data.session_id,
        outcome=_OUTCOMES[receipt.type],
        at=receipt.occurred_at,
        detail=data.detail,
    )


class ReceiptLog:
    """The file. `run` is its owner's task."""

    def __init__(
        self, path: Path, lost: Callable[[int], None], rotate_bytes: int = ROTATE_BYTES
    ) -> None:
        """`lost` is told how many receipts the disk did not take."""
        self._path = path
        self._file = EventLog(path, rotate_bytes)
        self._lost = lost
        self._failing = False
        self._to_write, self._writing = trio.open_memory_channel[bytes](WAITING)
        self._unwritten = 0
        self._written = trio.Event()
        self._written.set()

    def record(self, receipt: Receipt) -> None:
        """Queue one to be written."""
        try:
            self._to_write.send_nowait(_encoder.encode(receipt) + b"\n")
        except trio.WouldBlock:
            self._count_lost(1, f"{WAITING} receipts wait for the disk")
            return
        self._unwritten += 1
        if self._written.is_set():
            self._written = trio.Event()

    async def latest(self, room: str | None, seat: str | None, limit: int) -> ReceiptsResult:
        """The newest first, of one room and seat or of all; those of the last `READ_BYTES`."""
        with trio.move_on_after(WRITTEN_SECONDS):
            await self._written.wait()
        return await trio.to_thread.run_sync(self._read, room, seat, limit, abandon_on_cancel=True)

    def close(self) -> None:
        """End `run` once everything is written."""
        self._to_write.close()

    async def run(self) -> None:
        """Write until closed."""
        await self._to_disk(self._mend, 0)
        async for line in self._writing:
            lines = [line]
            while True:
                try:
                    lines.append(self._writing.receive_nowait())
                except (trio.WouldBlock, trio.EndOfChannel):
                    break
            if await self._to_disk(lambda lines=lines: self._file.append(lines), len(lines)):
                self._failing = False
            self._unwritten -= len(lines)
            if not self._unwritten:
                self._written.set()

    def _mend(self) -> None:
        """Take back a last line that a dying process left unfinished."""
        self._file.mend()

    async def _to_disk(self, work: Callable[[], None], lines: int) -> bool:
        try:
            await trio.to_thread.run_sync(work)
        except OSError as error:
            self._count_lost(lines, error.strerror or str(error))
            return False
        return True

    def _count_lost(self, lines: int, why: str) -> None:
        if not self._failing:
            self._failing = True
            _log.error("receipts cannot be written to %s: %s", self._path, why, event="receipts")
        if lines:
            self._lost(lines)

    def _read(self, room: str | None, seat: str | None, limit: int) -> ReceiptsResult:
        found: list[ReceiptView] = []
        for line in self._newest_first():
            try:
                receipt = _decoder.decode(line)
            except UNDECODABLE:
                continue  # cut where the reading began, or written by somebody else
            view = view_of(receipt)
            if room in (None, view.room) and seat in (None, view.seat):
                if len(found) == limit:
                    return ReceiptsResult(receipts=tuple(found), more=True)
                found.append(view)
        return ReceiptsResult(receipts=tuple(found))

    def _newest_first(self) -> Iterator[bytes]:
        for path in (self._path, self._path.with_name(f"{self._path.name}.1")):
            try:
                with path.open("rb") as file:
                    size = file.seek(0, 2)
                    file.seek(max(0, size - READ_BYTES))
                    lines = file.read().splitlines()
            except FileNotFoundError:
                continue
            yield from reversed(lines)


_TYPES: dict[DeliveryOutcome, ReceiptType] = {
    "played": "play.delivery.played",
    "suppressed": "play.delivery.suppressed",
    "refused": "play.delivery.refused",
    "failed": "play.delivery.failed",
}
_OUTCOMES: dict[ReceiptType, DeliveryOutcome] = {type: outcome for outcome, type in _TYPES.items()}
_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Receipt] = msgspec.json.Decoder(Receipt)
