"""Checking screenshots' files against their references."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath

from kernel.journal.finding import Finding
from kernel.journal.lines import Screenshot
from kernel.journal.opening import open_file
from kernel.journal.screenshots import SIZE_LIMIT, png_size, screenshot_folder


class PictureCheck:
    """Checks the pictures that the lines of one journal refer to."""

    def __init__(self, journal: Path, *, digest: bool) -> None:
        self.wrong: list[Finding] = []
        """A finding for each picture that is not what was taken."""
        self._journal = journal
        self._digest = digest
        self._folders: set[PurePosixPath] = set()

    def check(self, line: int, screenshot: Screenshot) -> None:
        """Take in the picture of a line."""
        if problem := check_picture(self._journal, screenshot, digest=self._digest):
            self.wrong.append(Finding(line, problem, "screenshot"))
            self._folders.add(PurePosixPath(screenshot.path).parent)

    def findings(self) -> list[Finding]:
        """What is wrong; one finding where all of several are missing, as beside a bare copy."""
        some = any(screenshot_folder(self._journal).glob("*.png"))
        if some or len(self.wrong) < 2 or len(self._folders) > 1:
            return self.wrong
        (folder,) = self._folders
        problem = (
            f"none of its {len(self.wrong)} pictures is there: a copy keeps the journal's name "
            f"and takes {folder} along"
        )
        return [Finding(self.wrong[0].line, problem, "screenshot", self.wrong[-1].line)]


def check_picture(journal: Path, screenshot: Screenshot, *, digest: bool = True) -> str | None:
    """What is wrong with the file that this journal refers to; None: nothing.

    Never looks outside the journal's own folder of pictures. Without `digest` the file is held to
    its size and not read.
    """
    folder = screenshot_folder(journal)
    name = PurePosixPath(screenshot.path).name
    if PurePosixPath(screenshot.path) != PurePosixPath(folder.parent.name, folder.name, name):
        return f"{screenshot.path} is not in this journal's own folder"
    path = folder / name
    try:
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            png = file.read(SIZE_LIMIT + 1) if digest and size <= SIZE_LIMIT else b""
    except OSError as error:
        return f"{screenshot.path}: {error.strerror}"
    except ValueError:
        return f"{screenshot.path!r} is no file name"
    if size > SIZE_LIMIT:
        return f"{screenshot.path} is larger than {SIZE_LIMIT} bytes"
    if size != screenshot.bytes:
        return f"{screenshot.path} has {size} bytes, not {screenshot.bytes}"
    if not digest:
        return None
    if hashlib.sha256(png).hexdigest() != screenshot.sha256:
        return f"{screenshot.path} is not the picture that was taken: its digest differs"
    if png_size(png) != (screenshot.width, screenshot.height):
        return f"{screenshot.path} is not {screenshot.width}×{screenshot.height}"
    return None
