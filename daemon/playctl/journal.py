"""Commands about journals: evaluate, verify, report, and the group that holds them all.

They read files and ask no daemon.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from daemon.plain_text import plain
from daemon.playctl import journal_runs, journal_turns
from daemon.playctl import show as showing
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import as_json
from daemon.playctl.journal_files import (
    FILE,
    events_option,
    journal_file,
    journals_of,
    lifecycle,
    names,
    reading_of,
    told,
    warn,
)

if TYPE_CHECKING:
    from kernel.journal.damage import JournalError
    from kernel.journal.evaluation.evaluate import Evaluated
    from kernel.journal.finding import Finding


@click.group()
def journal() -> None:
    """Read journals: what was played, exactly as it was written."""


@click.command()
@click.argument("files", type=FILE, nargs=-1, required=True)
@events_option
@click.option("--voice-receipts", type=FILE, help="Receipts of what was spoken.")
@as_json
def evaluate(
    files: tuple[Path, ...], events: Path | None, voice_receipts: Path | None, as_json: bool
) -> None:
    """Judge how runs were played, turn by turn.

    With several FILES, or a directory of them, runs are compared side by side.
    """
    from kernel.journal.damage import JournalError
    from kernel.journal.evaluation.comparison import compared
    from kernel.journal.evaluation.evaluate import evaluate as evaluate_run
    from kernel.journal.evaluation.side_logs import Receipts
    from kernel.journal.evaluation.telling import COMPARISON, tell, tell_comparison

    with told():
        receipts = Receipts()
        if voice_receipts is not None:
            receipts.read(voice_receipts)
        paths = journals_of(files)
        ends = lifecycle((path.parent for path in paths), events)
        if len(files) == 1 and not files[0].is_dir():
            run = evaluate_run(files[0], reading_of, ends, receipts)
            if as_json:
                showing.document(run.evaluation)
            else:
                click.echo(plain(tell(run)))
            return
    runs: list[tuple[Path, Evaluated]] = []
    bad: list[JournalError] = []
    for path in paths:
        try:
            runs.append((path, evaluate_run(path, reading_of, ends, receipts)))
        except JournalError as error:
            bad.append(error)
    rows = [compared(path, run) for path, run in runs]
    if as_json:
        evaluations = tuple(run.evaluation for _, run in runs)
        showing.document(
            {"schemaVersion": 1, "comparison": rows, "runs": evaluations, "bad": names(bad)}
        )
    else:
        showing.table(COMPARISON, tell_comparison(rows), "No journal could be read.")
    warn(bad)
    if bad and (not runs or any(not file.is_dir() for file in files)):
        raise Trouble(Exit.BAD, f"{len(bad)} of {len(paths)} journals could not be read")


@click.command()
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.option(
    "--no-digests",
    is_flag=True,
    help="Compute no digests and skip what turns say: several times as fast. Envelope, order, "
    "the size of each window and picture are held to; a word that was changed goes unseen.",
)
@as_json
def verify(files: tuple[Path, ...], no_digests: bool, as_json: bool) -> None:
    """Check that journals are what was written.

    A run that ended in order is sealed to its last line, and any change is found. One that goes on
    or was cut off has lines at its end under no seal yet: how many is said. The exit code is 1
    when a journal is not what was written. Checked are every line, their order and numbering, the
    envelope, the sealed evidence windows, what each turn says that was seen, and the pictures
    beside the journal.
    """
    from kernel.journal.damage import JournalUnreadable
    from kernel.journal.finding import Finding
    from kernel.journal.verify import Verified, examine

    with told():
        paths = journals_of(files)
    found: list[_Verified] = []
    for path in paths:
        try:
            examined = examine(path, reading_of, digests=not no_digests)
        except JournalUnreadable as error:
            examined = Verified([Finding(1, str(error))], 0, 0)
        findings = examined.findings
        found.append(
            _Verified(str(path), not findings, tuple(map(_Found.of, findings)), examined.unsealed)
        )
        if not as_json:
            for finding in findings:
                click.echo(plain(f"{path}: {finding}"))
            if not findings:
                click.echo(plain(f"{path} is {_sound(no_digests, examined.unsealed)}."))
    if as_json:
        showing.document(found[0] if len(found) == 1 else found)
    if bad := [one.file for one in found if not one.good]:
        raise Trouble(Exit.BAD, f"{len(bad)} of {len(found)} journals are not what was written")


def _sound(no_digests: bool, unsealed: int) -> str:
    found = "in order; its digests were not looked at" if no_digests else "whole"
    return found + (f"; its last {unsealed} lines are under no seal yet" if unsealed else "")


@click.command()
@journal_file
@click.option("-o", "--output", type=FILE, required=True, help="The page to write.")
@events_option
@click.option("--voice-receipts", type=FILE, help="Receipts of what was spoken.")
def report(file: Path, output: Path, events: Path | None, voice_receipts: Path | None) -> None:
    """Write a run as one page for a browser.

    The page needs no network and no file beside it.
    """
    from kernel.journal.evaluation.side_logs import Receipts
    from kernel.journal.report.page import report_page

    with told():
        receipts = Receipts()
        if voice_receipts is not None:
            receipts.read(voice_receipts)
        page = report_page(file, reading_of, lifecycle([file.parent], events), receipts)
    try:
        # As private as the journal that it shows.
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as written:
            written.write(page)
    except OSError as error:
        raise Trouble(Exit.BAD, f"cannot write {output}: {error.strerror}") from error
    click.echo(f"{output}: {len(page.encode()) / 1024:,.0f} KiB")


for command in (
    journal_runs.list_runs,
    journal_runs.story,
    journal_turns.show,
    journal_turns.tail,
    evaluate,
    verify,
    report,
    journal_runs.recall,
):
    journal.add_command(command)


class _Found(msgspec.Struct, frozen=True, rename="camel"):
    line: int
    last_line: int | None
    field: str
    problem: str

    @classmethod
    def of(cls, finding: Finding) -> _Found:
        return cls(finding.line, finding.last_line, finding.field, finding.problem)


class _Verified(msgspec.Struct, frozen=True, rename="camel"):
    file: str
    good: bool
    findings: tuple[_Found, ...]
    unsealed: int
