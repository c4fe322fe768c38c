"""How the supervisor says no."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.control.wire import Code


class Refusal(Exception):
    """A request that is not done: `message` names the thing, `detail` the next step; no secrets."""

    def __init__(self, code: Code, message: str, detail: str = "") -> None:
        super().__init__(f"{code}: {message}")
        self.code: Code = code
        self.message = message
        self.detail = detail


def no_such_seat(seat: str) -> Refusal:
    """The answer to whoever may ask about every seat."""
    return Refusal("no_such_seat", f"there is no seat {seat}", "playctl seats names them.")


def no_such_room(room: str, known: Iterable[str]) -> Refusal:
    """The answer to whoever may ask about every room."""
    names = ", ".join(sorted(known))
    return Refusal(
        "no_such_room",
        f"there is no room {room}",
        f"There are: {names}." if names else "The configuration names none: see [rooms].",
    )
