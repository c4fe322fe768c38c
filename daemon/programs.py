"""Where programs are found: those beside this interpreter first, which come with playd itself."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping


def search_path(environ: Mapping[str, str]) -> str:
    """`PATH`, with the folder of the running interpreter before it."""
    ours = os.path.dirname(sys.executable)  # noqa: PTH120
    return os.pathsep.join((ours, environ.get("PATH") or os.defpath))


def as_typed(name: str) -> str:
    """What a person types to run a program of ours: its name where `PATH` has it, else its path."""
    if shutil.which(name) is not None:
        return name
    return shutil.which(name, path=search_path(os.environ)) or name
