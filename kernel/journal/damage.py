"""What may be wrong with a journal that is read, as typed errors."""

from __future__ import annotations

import re
from pathlib import Path


class JournalError(Exception):
    """A journal cannot be read; `path` says which."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


class JournalUnreadable(JournalError):
    """The operating system does not give the file."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(path, f"cannot read the journal {path}: {error.strerror}")


class JournalDamaged(JournalError):
    """A line is not what it should be: names file, line number and field.

    `line` counts from 1. `field` is a dotted path; empty when the line as a whole is broken.
    """

    def __init__(self, path: Path, line: int, problem: str, field: str = "") -> None:
        at = f", field {field}" if field else ""
        super().__init__(path, f"{path}, line {line}{at}: {problem}")
        self.line = line
        self.field = field
        self.problem = problem


class LongTail(JournalDamaged):
    """The last line has no newline and is longer than any that is kept: torn, not damaged.

    `bytes` is its whole length. Readers that read on past a torn tail catch it.
    """

    def __init__(self, path: Path, line: int, bytes: int) -> None:
        super().__init__(path, line, f"torn tail: {bytes} bytes without a newline")
        self.bytes = bytes


def damage_of(path: Path, line: int, error: Exception, within: str = "") -> JournalDamaged:
    """The damage that a decoder found. `within` is the field that the decoder was given."""
    problem, _, place = str(error).partition(" - at `$")
    steps = [step for step in (within, place.rstrip("`").lstrip(".")) if step]
    missing = re.match(r"Object missing required field `([^`]+)`", problem)
    if missing:
        steps.append(missing[1])
    return JournalDamaged(path, line, problem, ".".join(steps))
