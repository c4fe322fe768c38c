"""The command about configuration files: config check."""

from __future__ import annotations

import os
from pathlib import Path

import click
import msgspec

from config.finding import Finding
from config.permissions import loose_permissions
from daemon.playctl import show
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import as_json


@click.group()
def config() -> None:
    """Look at configuration files; needs no daemon."""


@config.command()
@click.argument("file", type=click.Path(path_type=Path))
@as_json
def check(file: Path, as_json: bool) -> None:
    """Check a configuration file before a daemon has to.

    Prints every finding with its line; exit code 5 when there is an error among them.
    """
    from daemon.dollar_caps import check_with_prices

    findings = [
        *check_with_prices(file, os.environ),
        *(
            Finding("warning", one.path, None, "", one.problem, one.remedy)
            for one in loose_permissions(file)
        ),
    ]
    errors = sum(finding.severity == "error" for finding in findings)
    if as_json:
        show.document(
            _Checked(
                str(file),
                not errors,
                tuple(
                    _Found(found.severity, found.line, found.key, found.problem, found.hint)
                    for found in findings
                ),
            )
        )
    else:
        for finding in findings:
            show.tell(str(finding), err=finding.severity == "error")
    if errors:
        raise Trouble(Exit.CONFIGURATION, f"{file} has {errors} error{'s' if errors > 1 else ''}")
    if not as_json:
        show.tell(f"{file} is good.")


class _Found(msgspec.Struct):
    severity: str
    line: int | None
    key: str
    problem: str
    hint: str | None


class _Checked(msgspec.Struct):
    file: str
    good: bool
    findings: tuple[_Found, ...]
