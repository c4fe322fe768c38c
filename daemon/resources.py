"""What processes use of this machine, read from /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass

from daemon.process_table import Identity, stat_fields

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Used:
    """Processor time since its start, and memory now, of one process or several."""

    cpu_seconds: float = 0.0
    resident_bytes: int = 0

    def __add__(self, other: Used) -> Used:
        return Used(
            self.cpu_seconds + other.cpu_seconds, self.resident_bytes + other.resident_bytes
        )


def used_by(process: Identity) -> Used | None:
    """What one process uses, its dead children's time included; None: it is gone."""
    fields = stat_fields(process.pid)
    if fields is None or int(fields[19]) != process.started:
        return None
    return Used(
        cpu_seconds=sum(map(int, fields[11:15])) / _TICKS,
        resident_bytes=int(fields[21]) * _PAGE,
    )
