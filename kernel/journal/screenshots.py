"""Screenshots beside a journal: where one lies, how it is referenced; when is its body's rule.

A run keeps at most 63 and one more for its end, each at most 512 KiB, as
`.screenshots/<journal stem>/turn-<number>.png` and `end.png`. Image bytes never enter the JSONL.
"""

from __future__ import annotations

import errno
import hashlib
import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kernel.journal.lines import Screenshot

MOST: Final = 63
"""Pictures of turns in one run; the one of its end comes on top."""

SIZE_LIMIT: Final = 512 * 1024
"""Bytes of the largest PNG that is kept."""

FOLDER: Final = ".screenshots"


class Screenshots:
    """The pictures of one run. What is not kept is counted and never raises (K13)."""

    def __init__(self, journal: Path) -> None:
        self.kept = 0
        self.refused = 0
        """Pictures past the size limit, and what is no PNG."""
        self.failed = 0
        """Pictures that the disk did not take."""
        self.trouble: str | None = None
        """The latest failure, for people."""
        self._journals = journal.parent
        self._folder = screenshot_folder(journal)

    def keep(self, png: bytes, turn: int, reasons: Iterable[str]) -> Screenshot | None:
        """Write a turn's picture and give its reference; None: it is not kept."""
        if self.kept >= MOST:
            return None
        kept = self._write(png, f"turn-{turn:06}.png", tuple(reasons))
        self.kept += kept is not None
        return kept

    def keep_end(self, png: bytes) -> Screenshot | None:
        """Write the picture of the run's end."""
        return self._write(png, "end.png", ("end",))

    def _write(self, png: bytes, name: str, reasons: tuple[str, ...]) -> Screenshot | None:
        size = png_size(png)
        if size is None or len(png) > SIZE_LIMIT:
            self.refused += 1
            return None
        path = self._folder / name
        try:
            _write_new(path, png)
        except OSError as error:
            self.failed += 1
            self.trouble = f"writing {path.name}: {error.strerror}"
            return None
        width, height = size
        return Screenshot(
            path=str(path.relative_to(self._journals)),
            bytes=len(png),
            sha256=hashlib.sha256(png).hexdigest(),
            width=width,
            height=height,
            reasons=reasons,
        )


def screenshot_folder(journal: Path) -> Path:
    """Where the pictures of this journal lie, and nowhere else."""
    return journal.parent / FOLDER / journal.stem


def png_size(png: bytes) -> tuple[int, int] | None:
    """Width and height from a PNG's first chunk; None for anything else."""
    if len(png) < 24 or not png.startswith(b"\x89PNG\r\n\x1a\n") or png[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _write_new(path: Path, png: bytes) -> None:
    for folder in (path.parent.parent, path.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        if os.write(file, png) < len(png):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(file)
