"""A seat as this daemon knows it, and the refusals that follow from its condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from msgspec.structs import replace

from daemon.records import SeatRecord, SessionRecord
from daemon.refusal import Refusal
from daemon.restarts import Deaths

if TYPE_CHECKING:
    from daemon.sitting import Sitting


class Seat:
    """What is known of one seat; its sitting, while there is one, has it to itself."""

    def __init__(self, record: SeatRecord) -> None:
        self.record = record
        self.deaths = Deaths()
        self.sitting: Sitting | None = None
        self.last: SessionRecord | None = None
        """The latest session that ended."""
        self.stale: SessionRecord | None = None
        """A session of an earlier daemon whose end is not recorded yet."""
        self.blocked_until: float | None = None
        """CLOCK_BOOTTIME until which a process that could not be ended may hold the body."""
        self.changing = trio.Lock()
        """Held from the look at what is recorded until its change is, so that none is lost."""
        self.settling = trio.Lock()
        """Held by whoever asks the world about an unconfirmed leave."""

    @property
    def name(self) -> str:
        """As configured."""
        return self.record.seat

    @property
    def recovery_required(self) -> bool:
        """Whether a leave was not confirmed."""
        return self.record.recovery is not None and self.record.recovery.required

    def refuse_if_taken(self, now: float) -> None:
        """Raises Refusal when no sitting may begin; `now` is of CLOCK_BOOTTIME."""
        if self.sitting is not None:
            if self.sitting.unsettled and not self.sitting.stopping:
                raise Refusal(
                    "unsettled",
                    self.sitting.unsettled,
                    "It plays on by itself once its world confirms that, or after: "
                    f"playctl recover {self.name} --force",
                )
            code = "stopping" if self.sitting.stopping else "play_session_active"
            raise Refusal(
                code,
                f"seat {self.name} is {'stopping' if self.sitting.stopping else 'being played'}",
                f"See playctl status {self.name}.",
            )
        if self.record.failed is not None:
            raise Refusal(
                "seat_failed",
                f"seat {self.name} failed: {self.record.failed}",
                f"Look into its log, then: playctl reset {self.name}",
            )
        self.refuse_while_held(now)

    def refuse_while_held(self, now: float) -> None:
        """Raises Refusal while an earlier session's process may still act under its lease."""
        if self.blocked_until is None:
            return
        if now < self.blocked_until:
            raise Refusal(
                "lease_held",
                f"an earlier session of seat {self.name} may still act",
                f"Its lease ends in {self.blocked_until - now:.0f} s.",
            )
        self.blocked_until = None

    def session_left(self, *, confirmed: bool) -> None:
        """What a session's end means for the next one: without a farewell the world is asked."""
        recovery = self.record.recovery
        if recovery is not None:
            recovery = None if confirmed else replace(recovery, required=True)
            self.record = replace(self.record, recovery=recovery)
