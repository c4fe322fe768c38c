"""The counters that a session sends, added up over all sessions of a seat; each begins at 0.

A name that is not in the table is not counted: only a newer session process would send one.
"""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import Counter

from daemon.metrics.series import Series

UNDELIVERED = "interjections_undelivered"
"""How many messages wait now; what is left at the end was never delivered."""


class SessionCounters:
    """The newest counters of every live session."""

    def __init__(self, series: Series) -> None:
        self._undelivered = series.interjections_undelivered
        self._table = _table(series)
        self._told: dict[str, Mapping[str, int]] = {}

    def take(self, session_id: str, seat: str, counters: Mapping[str, int]) -> None:
        """Add what is new since the session's last counters; a counter that fell adds nothing."""
        told = self._told.get(session_id, {})
        for name, (counter, labels) in self._table.items():
            rise = counters.get(name, 0) - told.get(name, 0)
            if rise > 0:
                counter.labels(seat, *labels).inc(rise)
        self._told[session_id] = counters

    def end(self, session_id: str, seat: str) -> None:
        """The session is over."""
        left = self._told.pop(session_id, {}).get(UNDELIVERED, 0)
        self._undelivered.labels(seat).inc(max(0, left))


def _table(series: Series) -> dict[str, tuple[Counter, tuple[str, ...]]]:
    """The series of each name, with the labels that follow the seat."""
    return {
        "reconnects": (series.reconnects, ()),
        "frames_published": (series.frames, ()),
        "frames_dropped": (series.frames_lost, ()),
        "garbled_messages": (series.messages_garbled, ()),
        "late_answers": (series.answers_late, ()),
        "stale_answers": (series.answers_late, ()),
        "interjections_queued": (series.interjections, ("queued",)),
        "interjections_merged": (series.interjections, ("merged",)),
        "interjections_dropped": (series.interjections, ("dropped",)),
        "interjections_echoed": (series.interjections, ("echoed",)),
        "voice_failures": (series.voice_failures, ()),
        "journal_bytes": (series.journal_bytes, ()),
        "journal_lines_lost": (series.journal_errors, ("line",)),
        "journal_flush_failures": (series.journal_errors, ("flush",)),
        "pictures_failed": (series.journal_errors, ("picture",)),
        "windows_rolled": (series.windows_rolled, ()),
    }
