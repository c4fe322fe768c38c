"""The table of all verbs, one row each, from one file a resource."""

from __future__ import annotations

from typing import Any

from daemon.control import journals, rooms, seats, service, sessions, watching, worlds
from daemon.control.asking import Stream, Verb

_ROWS: tuple[Verb[Any] | Stream[Any], ...] = (
    *service.VERBS,
    *seats.VERBS,
    *sessions.VERBS,
    *rooms.VERBS,
    *worlds.VERBS,
    *journals.VERBS,
    *watching.STREAMS,
)

VERBS: dict[str, Verb[Any] | Stream[Any]] = {row.name: row for row in _ROWS}
"""Every verb that the socket answers, beside `cancel`, which is the connection's own."""
