"""What the disk did not take: tried again for as long as the daemon lives, and named at its end."""

from __future__ import annotations

from collections.abc import Iterable

import trio

from daemon.logs import log_of
from daemon.records import Write
from daemon.state import State, StateUnavailable


async def keep_writing(state: State, every: float) -> None:
    """Try again every so many seconds, until cancelled."""
    while True:
        await trio.sleep(every)
        if state.behind:
            try:
                await state.catch_up()
            except StateUnavailable:
                continue  # it is shown in `status` for as long as it lasts


async def write_or_name(state: State) -> None:
    """Try a last time; what the next daemon will not find in the database is logged by name."""
    if not state.behind:
        return
    try:
        await state.catch_up()
    except StateUnavailable as error:
        for (seat, what), now in _rows(state.owed).items():
            log = log_of(__name__, seat=seat)
            log.error(
                "the database was not told that %s %s: %s", what, now, error, event="unwritten"
            )


def _rows(owed: Iterable[Write]) -> dict[tuple[str, str], str]:
    """By seat and name, what each row would say now."""
    rows: dict[tuple[str, str], str] = {}
    for write in owed:
        if (session := write.session) is not None:
            outcome = "" if session.outcome is None else f", outcome {session.outcome}"
            charged = 0 if session.budget is None else session.budget.tokens
            rows[session.seat, f"session {session.session_id}"] = (
                f"is {session.state}{outcome}, {session.turns_taken} turns;"
                f" its sitting is charged {charged} tokens"
            )
        if (sitting := write.sitting) is not None:
            rows[sitting.seat, f"sitting {sitting.sitting_id}"] = "is over"
        if (seat := write.seat) is not None and seat.failed is not None:
            rows[seat.seat, f"seat {seat.seat}"] = f"failed: {seat.failed}"
    return rows
