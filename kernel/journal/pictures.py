"""Checking a screenshot's file against its reference."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath

from kernel.journal.lines import Screenshot
from kernel.journal.opening import open_file
from kernel.journal.screenshots import SIZE_LIMIT, png_size, screenshot_folder


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
