"""The logs that others keep beside a journal: lifecycle events, and receipts of what was spoken.

They are optional and not ours to repair: a line that does not parse is counted and passed over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from kernel.journal.damage import JournalUnreadable
from kernel.journal.evaluation.verdicts import Narration
from kernel.journal.opening import open_file
from kernel.undecodable import UNDECODABLE

_T = TypeVar("_T")


class LifecycleEvent(Struct, frozen=True, rename="camel"):
    """A state that a session came into. `data` holds what of it matters for reading a run."""

    type: str
    occurred_at: str | None = None
    data: _EventData | None = None


def outcome_by(event: LifecycleEvent) -> str:
    """The outcome that the event tells, else the state that the session came into."""
    told = event.data.outcome if event.data else None
    return told or event.type.rpartition(".")[2]


class LifecycleEvents:
    """Which seat each session played in a log of events, and how it ended."""

    def __init__(self) -> None:
        self.unreadable = 0
        """Lines that do not parse."""
        self._seats: dict[str, str] = {}
        self._ends: dict[str, LifecycleEvent] = {}

    def read(self, path: Path) -> LifecycleEvents:
        """Take a log's lines. Raises JournalUnreadable when the file cannot be read."""
        for event in _tolerantly(path, _event):
            if event is None:
                self.unreadable += 1
            elif event.data and event.data.session_id is not None:
                if event.data.seat is not None:
                    self._seats[event.data.session_id] = event.data.seat
                if event.type in TERMINAL:
                    self._ends[event.data.session_id] = event
        return self

    def runs_of_seat(self, seat: str) -> frozenset[str]:
        """The runs that a seat played, as far as the log still tells."""
        return frozenset(run for run, of in self._seats.items() if of == seat)

    def end_of(self, run_id: str | None) -> LifecycleEvent | None:
        """The event that ended this run; the last, if there are several."""
        return None if run_id is None else self._ends.get(run_id)


class Receipts:
    """What became of each delivery, by the word of whoever was to speak it."""

    def __init__(self) -> None:
        self.unreadable = 0
        """Lines that do not parse."""
        self._by_delivery: defaultdict[str, list[tuple[str, str | None]]] = defaultdict(list)

    def read(self, path: Path) -> Receipts:
        """Take a log's lines. Raises JournalUnreadable when the file cannot be read."""
        for receipt in _tolerantly(path, _receipt):
            if receipt is None:
                self.unreadable += 1
            elif receipt.data and receipt.data.delivery_id is not None:
                told = (receipt.type, receipt.data.phase)
                self._by_delivery[receipt.data.delivery_id].append(told)
        return self

    def types_of(self, delivery: str | None) -> tuple[str, ...]:
        """The types of the delivery's receipts, in the log's order."""
        return tuple(type for type, _ in self._of(delivery))

    def verdict_on(self, delivery: str) -> Narration:
        """What became of the delivery: the first of the rules that holds."""
        receipts = self._of(delivery)
        types = {type for type, _ in receipts}
        types |= {f"…{type.rpartition('.')[2]}" for type in types}
        for verdict, proof in _PROOFS:
            if types & proof:
                return verdict
        phases = [
            phase
            for type, phase in receipts
            if type == _MODEL_RESPONSE and phase in ("completed", "failed")
        ]
        if phases:
            return "unspoken" if phases[-1] == "completed" else "failed"
        return "failed" if _FAILED in types else "attempted_no_receipt"

    def _of(self, delivery: str | None) -> Iterable[tuple[str, str | None]]:
        return () if delivery is None else self._by_delivery.get(delivery, ())


TERMINAL = ("embodiment.session.stopped", "embodiment.session.failed")

_MODEL_RESPONSE = "discord.voice.model_response"
_FAILED = "play.delivery.failed"
_PROOFS: tuple[tuple[Narration, frozenset[str]], ...] = (
    ("played", frozenset({"discord.voice.response", "play.delivery.played"})),
    (
        "suppressed",
        frozenset(
            {
                "…play_narration_suppressed",
                "…possessor_narration_suppressed",
                "play.delivery.suppressed",
            }
        ),
    ),
    (
        "refused",
        frozenset({"…play_refusal", "…possessor_refusal", "play.delivery.refused"}),
    ),
)
"""Types that prove a verdict; `…` stands for whoever speaks, as `discord.voice.`."""


def _tolerantly(path: Path, decoder: msgspec.json.Decoder[_T]) -> Iterator[_T | None]:
    try:
        with open_file(path) as file:
            for line in file:
                if line.isspace():
                    continue
                try:
                    line.decode()
                    value = decoder.decode(line)
                except UNDECODABLE:
                    value = None
                yield value
    except OSError as error:
        raise JournalUnreadable(path, error) from error


class _EventData(Struct, frozen=True, rename="camel"):
    session_id: str | None = None
    seat: str | None = None
    outcome: str | None = None


class _Receipt(Struct, frozen=True, rename="camel"):
    type: str
    data: _ReceiptData | None = None


class _ReceiptData(Struct, frozen=True, rename="camel"):
    delivery_id: str | None = None
    phase: str | None = None


_event = msgspec.json.Decoder(LifecycleEvent)
_receipt = msgspec.json.Decoder(_Receipt)
