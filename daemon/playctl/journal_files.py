"""What the commands about journals share: where journals lie, how they are read, what is bad."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from daemon.control import wire
from daemon.plain_text import plain
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import Invocation

if TYPE_CHECKING:
    from kernel.journal.damage import JournalError
    from kernel.journal.evaluation.side_logs import LifecycleEvents
    from kernel.journal.projection import JournalReading

FILE = click.Path(path_type=Path)
journal_file = click.argument("file", type=FILE)
in_directory = click.option(
    "-d",
    "--directory",
    type=FILE,
    help="Where the journals lie, instead of `journals` in the daemon's state directory.",
)
events_option = click.option(
    "--events",
    type=FILE,
    help="How runs ended, instead of the events.jsonl beside the journals' folder.",
)
_ANSWER_SECONDS = 2.0


@cache
def reading_of(environment_id: str) -> JournalReading | None:
    from kernel.bodies import body_of_environment

    kind = body_of_environment(environment_id)
    return None if kind is None else kind.reading()


def journals_directory() -> Path:
    """Of the running daemon, where one answers; else in the usual place."""
    from config.places import state_directory
    from config.settings import Settings

    invocation = click.get_current_context().find_object(Invocation)
    assert invocation is not None, "the group makes one"
    try:
        found = invocation.ask("status", wire.StatusParams(), wire.StatusResult, _ANSWER_SECONDS)
    except Trouble:
        return state_directory(Settings(), os.environ) / "journals"
    return Path(found.state_directory) / "journals"


def lifecycle(folders: Iterable[Path], events: Path | None = None) -> LifecycleEvents:
    """What `events` tells, else the daemon's logs beside these folders of journals.

    Raises JournalUnreadable when `events` cannot be read; others are passed over and told.
    """
    from kernel.journal.damage import JournalUnreadable
    from kernel.journal.evaluation.side_logs import LifecycleEvents

    found = LifecycleEvents()
    if events is not None:
        return found.read(events)
    for place in dict.fromkeys(folder.absolute().parent for folder in folders):
        for log in sorted(place.glob("events.jsonl*"), reverse=True):
            try:
                found.read(log)
            except JournalUnreadable as error:
                warn([error])
    return found


def existing(directory: Path) -> Path:
    """The directory that was named. Raises Trouble when there is none."""
    if not directory.is_dir():
        raise Trouble(Exit.BAD, f"there is no directory {directory}")
    return directory


def journals_of(files: Iterable[Path]) -> list[Path]:
    """The files, and those in the directories among them. Raises Trouble when there is none."""
    from kernel.journal.memory import journals_in

    paths = [path for file in files for path in (journals_in(file) if file.is_dir() else [file])]
    if not paths:
        raise Trouble(Exit.BAD, f"no journal in {', '.join(map(str, files))}")
    return paths


@contextmanager
def told() -> Generator[None]:
    """Ends the command with one line when a journal cannot be read."""
    from kernel.journal.damage import JournalError

    try:
        yield
    except JournalError as error:
        raise Trouble(Exit.BAD, plain(str(error))) from error


def warn(bad: Iterable[JournalError]) -> None:
    for error in bad:
        click.echo(plain(f"playctl: {error}"), err=True)


def names(bad: Iterable[JournalError]) -> list[str]:
    return [str(error) for error in bad]
