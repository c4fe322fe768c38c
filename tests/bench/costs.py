"""What running processes take, by /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import trio

from daemon.process_table import stat_fields


@dataclass(frozen=True)
class Cost:
    """Of one process over a span of time."""

    core_percent: float
    """100: one core, all the time."""
    resident_mib: float
    descriptors: int


async def cost_of(pid: int, seconds: float) -> Cost:
    """What the process takes in so many seconds from now; its memory as it is then."""
    cpu, began = cpu_seconds(pid), trio.current_time()
    await trio.sleep(seconds)
    used, lasted = cpu_seconds(pid) - cpu, trio.current_time() - began
    descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return Cost(used / lasted * 100, resident_mib(pid), descriptors)


def cpu_seconds(pid: int) -> float:
    """Processor time that it has had, in user and in kernel mode."""
    fields = stat_fields(pid)
    assert fields is not None, f"process {pid} is gone"
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float:
    """Resident memory, pages that it shares with others included."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
