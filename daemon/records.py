"""What the state database keeps: one struct for each kind of row, and the set of rows to write."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from daemon.control.wire import BudgetChange
from daemon.leases import Lease
from daemon.lifecycle import State
from daemon.process_table import Identity
from kernel.session.specification import BudgetCeiling
from kernel.session.wire import BudgetUsed


class Recovery(Struct, frozen=True, kw_only=True):
    """What is needed to ask the world about a seat after a session; the value is a secret."""

    session_id: str
    generation: int
    value: str
    required: bool = False
    """The session is over and its leave was not confirmed."""


class SeatRecord(Struct, frozen=True, kw_only=True):
    """What outlives every sitting of a seat."""

    seat: str
    generation: int = 0
    """The last one given out; it only grows."""
    failed: str | None = None
    """Why the failure limits stopped the seat; None: they did not."""
    recovery: Recovery | None = None
    default_budget: BudgetChange = BudgetChange()
    """The ceilings that `budget --default` set; the others are the configuration's."""


class SittingRecord(Struct, frozen=True, kw_only=True):
    """From an accepted join to its final end."""

    sitting_id: str
    seat: str
    began_at: str
    uid: int
    """Of the caller whose grant it was started under; `gid` and `groups` are the same caller's."""
    gid: int = -1
    groups: frozenset[int] = frozenset()
    room: str | None
    ceiling: BudgetCeiling
    ended_at: str | None = None


class SessionRecord(Struct, frozen=True, kw_only=True):
    """One session process."""

    session_id: str
    sitting_id: str
    seat: str
    generation: int
    state: State
    began_at: str
    boot_id: str
    room: str | None = None
    process: Identity | None = None
    descendants: tuple[Identity, ...] = ()
    cgroup: str | None = None
    ended_at: str | None = None
    duration_ms: int | None = None
    outcome: str | None = None
    reason: str = ""
    leave: Literal["confirmed", "unconfirmed", "not_joined"] | None = None
    turns_taken: int = 0
    budget: BudgetUsed | None = None
    """The sitting's, as the session last told it."""
    journey_id: str | None = None
    journal: str | None = None


class Write(Struct, frozen=True, kw_only=True):
    """Rows that are written together or not at all."""

    seat: SeatRecord | None = None
    sitting: SittingRecord | None = None
    session: SessionRecord | None = None
    lease: Lease | None = None
    release: str | None = None
    """The seat whose lease is given up."""
    announce: bool = False
    """Whether the session's state is new and gets a line in `events.jsonl`."""
