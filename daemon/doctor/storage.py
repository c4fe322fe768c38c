"""Checks where the state is kept: the directory, the room on its disk, how fast journals grow."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from daemon.doctor.finding import Finding, Patient, fail, ok, warn

DAY = 86_400.0
SCARCE_BYTES = 1024**3
TOO_FEW_BYTES = 100 * 1024**2
TOO_FEW_FILES = 1000


@dataclass(frozen=True, slots=True)
class Room:
    """What a disk has left, and what the journals take of it."""

    free_bytes: int
    free_files: int
    """-1 where the file system does not count them."""
    journal_bytes: int = 0
    journals: int = 0
    last_day_bytes: int = 0


def check_state(patient: Patient) -> list[Finding]:
    """Whether the directory is private and can be written."""
    folder = patient.state_directory
    try:
        status = folder.stat()
    except FileNotFoundError:
        return [warn("state", f"{folder} does not exist yet", "the first start makes it")]
    except OSError as error:
        return [fail("state", f"{folder}: {error.strerror}", "run the doctor as root")]
    if not stat.S_ISDIR(status.st_mode):
        return [fail("state", f"{folder} is no directory", f"mv {quote(str(folder))} elsewhere")]
    found: list[Finding] = []
    if status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        found.append(
            fail(
                "state",
                f"others can look into {folder} (mode {mode:04o}), where recovery values are kept",
                f"chmod 700 {quote(str(folder))}",
            )
        )
    if os.statvfs(folder).f_flag & os.ST_RDONLY or not os.access(folder, os.W_OK):
        found.append(
            fail("state", f"{folder} cannot be written", "remount it writable, or set its owner")
        )
    problems = patient.daemon.problems if patient.daemon is not None else ()
    remedy = "of the disk: free space; of deliveries: playctl receipts"
    found += [fail("state", problem, remedy) for problem in problems]
    return found or [ok("state", f"{folder} is private and writable")]


def check_disk(patient: Patient, now: float) -> list[Finding]:
    """The room on the disk, and the growth of the journals; `now` is wall time."""
    folder = patient.state_directory
    disk = os.statvfs(_existing(folder))
    sizes = list(_journal_files(folder / "journals"))
    room = Room(
        free_bytes=disk.f_bavail * disk.f_frsize,
        free_files=disk.f_favail if disk.f_files else -1,
        journal_bytes=sum(size for size, _ in sizes),
        journals=len(sizes),
        last_day_bytes=sum(size for size, changed in sizes if now - changed < DAY),
    )
    return judge_room(folder, room)


def judge_room(folder: Path, room: Room) -> list[Finding]:
    """What the figures mean."""
    free = f"{_megabytes(room.free_bytes)} are free for {folder}"
    remedy = f"free space; old journals in {folder}/journals are yours to remove"
    found = [ok("disk", free)]
    if room.free_bytes < TOO_FEW_BYTES:
        found = [fail("disk", f"only {free}", remedy)]
    elif room.free_bytes < SCARCE_BYTES:
        found = [warn("disk", f"only {free}", remedy)]
    if 0 <= room.free_files < TOO_FEW_FILES:
        found.append(fail("disk", f"only {room.free_files} more files fit on the disk", remedy))
    if room.journals:
        growth = f"{_megabytes(room.journal_bytes)} of journals in {room.journals} files, "
        growth += f"{_megabytes(room.last_day_bytes)} written to in the last day"
        full_in = room.free_bytes / room.last_day_bytes if room.last_day_bytes else None
        if full_in is not None and full_in < 7:
            found.append(warn("disk", f"{growth}: full in {full_in:.0f} days at this rate", remedy))
        else:
            found.append(ok("disk", growth))
    return found


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())


def _journal_files(folder: Path) -> Iterator[tuple[int, float]]:
    """Size and time of the last change of every file below the folder."""
    for path in folder.rglob("*"):
        try:
            status = path.stat()
        except OSError:
            continue  # it was removed meanwhile
        if stat.S_ISREG(status.st_mode):
            yield status.st_size, status.st_mtime


def _megabytes(size: int) -> str:
    return f"{size / 1024**3:.1f} GiB" if size >= 1024**3 else f"{size / 1024**2:.0f} MiB"
