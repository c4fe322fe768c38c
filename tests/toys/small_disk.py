"""A disk of its own that is quickly full."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, size: str = "1m") -> Generator[Path]:
    """Mount one at a new folder; skips the test where that is not allowed."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place]
    subprocess.run(mount, check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@contextmanager
def filled(disk: Path) -> Generator[None]:
    """Not a byte is left on the disk."""
    ballast = disk / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            for size in (65536, 4096, 1):
                _write_all(file.fileno(), b"x" * size)
        yield
    finally:
        ballast.unlink()


def _write_all(descriptor: int, block: bytes) -> None:
    try:
        while True:
            os.write(descriptor, block)
    except OSError:
        return
