"""What processes use of this machine, read from /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from daemon.process_table import Identity

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
    try:
        stat = Path(f"/proc/{process.pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command in parentheses may itself hold spaces and parentheses.
    fields = stat[stat.rfind(b")") + 2 :].split()
    if int(fields[19]) != process.started:
        return None
    return Used(
        cpu_seconds=sum(map(int, fields[11:15])) / _TICKS,
        resident_bytes=int(fields[21]) * _PAGE,
    )
