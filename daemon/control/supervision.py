"""What the control socket asks of the supervisor.

Every method takes plain values and returns the result struct of its verb; what cannot be done
raises `daemon.refusal.Refusal`. Grants were checked before: the caller is passed for the record
(who started a sitting, who forced a recovery).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from config.settings import Settings
from daemon.control import wire
from daemon.control.peers import Caller


class Supervision(Protocol):
    """The supervisor, as its callers see it."""

    @property
    def settings(self) -> Settings:
        """The configuration as last loaded; another object after a reload that took."""
        ...

    async def status(self, caller: Caller) -> wire.StatusResult: ...

    async def seats(self, caller: Caller) -> wire.SeatsResult: ...

    async def sessions(
        self, caller: Caller, seat: str | None, all: bool, limit: int
    ) -> wire.SessionsResult:
        """Newest first, across all seats when `seat` is None."""
        ...

    async def join(
        self, caller: Caller, seat: str, room: str | None, budget: wire.BudgetChange, wait: float
    ) -> wire.JoinResult:
        """`room` None is the seat's own room."""
        ...

    async def stop(self, caller: Caller, seat: str, now: bool) -> wire.StopResult: ...

    async def say(
        self, caller: Caller, seat: str, text: str, speaker: str, room: str | None
    ) -> wire.SayResult:
        """Refused `not_authorized` unless the sitting's room is `room`."""
        ...

    async def pause(self, caller: Caller, seat: str) -> wire.PauseResult: ...

    async def resume(self, caller: Caller, seat: str) -> wire.PauseResult: ...

    async def budget(
        self, caller: Caller, seat: str, change: wire.BudgetChange, default: bool, reset: bool
    ) -> wire.BudgetResult: ...

    async def observe(self, caller: Caller, seat: str) -> wire.ObserveResult: ...

    async def watch(self, caller: Caller, send: Callable[[wire.Event], None]) -> None:
        """Calls `send` with `SeatChanged` for each seat, `Watching`, then with every event.

        Runs until it is cancelled. `send` returns at once and never raises.
        """
        ...

    async def world(
        self, caller: Caller, seat: str, action: Literal["check", "start", "stop"]
    ) -> wire.WorldResult: ...

    async def reset(self, caller: Caller, seat: str) -> wire.ResetResult: ...

    async def recover(self, caller: Caller, seat: str, force: bool) -> wire.RecoverResult: ...

    async def reload(self, caller: Caller) -> wire.ReloadResult: ...

    async def drain(self, caller: Caller) -> wire.DrainResult: ...

    async def health(self, caller: Caller) -> wire.HealthResult: ...


class Deliveries(Protocol):
    """What rooms were told and what became of it, as the control socket asks for it."""

    async def receipts(
        self, caller: Caller, room: str | None, seat: str | None, limit: int
    ) -> wire.ReceiptsResult: ...

    async def acknowledge(
        self, caller: Caller, room: str, receipt: wire.Acknowledgement
    ) -> wire.ReceiptsResult:
        """Records what became of a delivery of this room; refused if it is not this room's."""
        ...

    async def follow(self, room: str, show: Callable[[wire.Event], None]) -> None:
        """Calls `show` with `Watching`, then with everything that the room is sent.

        Runs until it is cancelled. `show` returns at once and never raises.
        """
        ...
