"""How `playctl` ends: exit codes, and the one line that says what to do next."""

from __future__ import annotations

from enum import IntEnum

import click

from daemon.control.wire import Code, Failure
from daemon.plain_text import plain
from daemon.refusal import Refusal


class Exit(IntEnum):
    """The exit codes of `playctl` and `playd`."""

    DONE = 0
    BAD = 1
    """The thing asked about is bad: verify, check, health."""
    USAGE = 2
    """Also a standard output that cannot be written."""
    NOT_RUNNING = 3
    REFUSED = 4
    CONFIGURATION = 5
    WORLD = 6
    MODEL = 7
    STATE_HELD = 8
    NO_READER = 141
    """Whoever read standard output has enough: what a shell calls the end by SIGPIPE."""


class Trouble(Exception):
    """Ends the command with a line on stderr: what is wrong, then the next step.

    A next step of several lines, such as findings in a file, stands below, line by line.
    """

    def __init__(
        self, exit: Exit, message: str, next_step: str = "", *, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.exit = exit
        self.code = code or exit.name.lower()
        """For programs: the daemon's error code, else the name of the exit."""
        self.message = message.replace("\n", " ")
        self.next_step = next_step

    @property
    def text(self) -> str:
        """As people are told, without what a terminal would obey."""
        if "\n" in self.next_step:
            return plain(f"{self.message}:\n{self.next_step}")
        return plain(f"{self.message.rstrip('.')}. {self.next_step}".strip())


class NoReader(Trouble):
    """Ends the command without a word: nobody reads its output any more."""

    def __init__(self) -> None:
        super().__init__(Exit.NO_READER, "nobody reads standard output")


def trouble_of(failure: Failure) -> Trouble:
    """The daemon's refusal as the end of the command."""
    exit = _EXITS.get(failure.code, Exit.REFUSED)
    return Trouble(exit, failure.message, failure.detail, code=failure.code)


def is_help(error: click.UsageError) -> bool:
    """Whether it is the help of a group that was given no command."""
    return error.ctx is not None and error.message == error.ctx.get_help()


def trouble_of_refusal(refusal: Refusal) -> Trouble:
    """The supervisor's refusal, asked without a socket, as the end of the command."""
    return trouble_of(Failure(code=refusal.code, message=refusal.message, detail=refusal.detail))


_EXITS: dict[Code, Exit] = {
    "bad_request": Exit.USAGE,
    "unknown_verb": Exit.USAGE,
    "bad_params": Exit.USAGE,
    "too_long": Exit.USAGE,
    "internal": Exit.BAD,
    "spawn_failed": Exit.BAD,
    "session_failed": Exit.BAD,
    "session_silent": Exit.BAD,
    "state_unwritable": Exit.BAD,
    "nothing_to_recall": Exit.BAD,
    "configuration": Exit.CONFIGURATION,
    "no_world": Exit.WORLD,
    "world": Exit.WORLD,
    "model": Exit.MODEL,
}
"""What is not here is a refusal."""
