"""What processes and files use at one moment, as one line of `samples.jsonl`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

_PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024
_TICKS = os.sysconf("SC_CLK_TCK")


class Used(msgspec.Struct, frozen=True, rename="camel"):
    """What one process uses."""

    pid: int
    resident_kib: int
    descriptors: int
    threads: int
    cpu_seconds: float


class Sample(msgspec.Struct, frozen=True, rename="camel"):
    """One moment. `at` is seconds since the start; `bytes` are of files, together by kind."""

    at: float
    used: dict[str, Used]
    bytes: dict[str, int]
    turns: dict[str, int]
    """By seat, as they were told so far."""
    slowest_status_ms: float
    """Of the answers to `status` since the last sample."""


def used_by(pid: int) -> Used | None:
    """What a process uses; None: it is gone."""
    try:
        place = Path(f"/proc/{pid}")
        stat = (place / "stat").read_bytes()
        fields = stat[stat.rfind(b")") + 2 :].split()
        return Used(
            pid=pid,
            resident_kib=int((place / "statm").read_bytes().split()[1]) * _PAGE_KIB,
            descriptors=len(list((place / "fd").iterdir())),
            threads=int(fields[17]),
            cpu_seconds=(int(fields[11]) + int(fields[12])) / _TICKS,
        )
    except OSError:
        return None


def children_of(pid: int) -> list[int]:
    """The processes that a process has started, whatever thread of it did."""
    try:
        told = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    return [int(child) for child in " ".join(told).split()]


def used_by_each(pids: Mapping[str, int]) -> dict[str, Used]:
    """Of those processes that live."""
    found = {name: used_by(pid) for name, pid in pids.items()}
    return {name: used for name, used in found.items() if used is not None}


def bytes_of(state: Path, others: Iterable[Path]) -> dict[str, int]:
    """Sizes of what a state directory keeps, and of other files."""
    sizes = {
        "journals": sum(path.stat().st_size for path in (state / "journals").glob("*.jsonl")),
        "screenshots": sum(
            path.stat().st_size for path in (state / "journals").glob(".screenshots/*/*.png")
        ),
    }
    for path in (*state.glob("state.db*"), *state.glob("*.jsonl"), *others):
        sizes[path.name] = path.stat().st_size
    return sizes


def read_samples(file: Path) -> list[Sample]:
    """Every sample of a run."""
    return [msgspec.json.decode(line, type=Sample) for line in file.read_bytes().splitlines()]
