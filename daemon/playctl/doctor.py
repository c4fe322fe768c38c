"""The command that looks for what is wrong: doctor."""

from __future__ import annotations

import os
from pathlib import Path

import click
import msgspec
import trio

from config.finding import ConfigError
from config.loading import load_settings
from config.places import state_directory
from daemon.control import wire
from daemon.doctor.finding import Finding, Patient
from daemon.playctl import show
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import Invocation, as_json, pass_invocation

SERVICE_CONFIGURATION = Path("/etc/playd/playd.toml")
_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@click.option(
    "--config",
    "configuration",
    type=click.Path(path_type=Path),
    help="The configuration, where it is not the running daemon's or /etc/playd/playd.toml.",
)
@as_json
@pass_invocation
def doctor(invocation: Invocation, configuration: Path | None, as_json: bool) -> None:
    """Look for what is wrong, and say what to do about it.

    Checks the configuration, permissions, socket, state, disk, clock, metrics, models and their
    prices, worlds and motors. It joins nothing and spends no tokens. Run it as the daemon's user
    or root. Exit code 1 when a check fails.
    """
    from daemon.doctor.configuration import check_configuration
    from daemon.doctor.examination import examine

    daemon = _status(invocation)
    if configuration is None:
        known = daemon.configuration if daemon is not None else None
        configuration = SERVICE_CONFIGURATION if known is None else Path(known)
    found = check_configuration(configuration, os.environ)
    try:
        settings = load_settings(configuration)
    except ConfigError:
        pass  # its findings are told, and nothing else can be looked at
    else:
        ours = state_directory(settings, os.environ)
        patient = Patient(
            configuration=configuration,
            settings=settings,
            environ=os.environ,
            sockets=invocation.paths,
            state_directory=ours if daemon is None else Path(daemon.state_directory),
            daemon=daemon,
        )
        found += trio.run(examine, patient)
    failed = sum(finding.level == "fail" for finding in found)
    if as_json:
        show.document(_Report(failed == 0, found))
    else:
        width = max(len(finding.about) for finding in found)
        for finding in found:
            level = click.style(f"{finding.level:4}", _COLOURS[finding.level])
            remedy = f" -> {finding.remedy}" if finding.remedy else ""
            text = show.one_line(finding.text, 400)
            click.echo(f"{level}  {finding.about:{width}}  {text}{remedy}")
    if failed:
        raise Trouble(Exit.BAD, f"{failed} check{'s' if failed > 1 else ''} failed")


class _Report(msgspec.Struct):
    good: bool
    findings: list[Finding]


def _status(invocation: Invocation) -> wire.StatusResult | None:
    try:
        return invocation.ask("status", wire.StatusParams(), wire.StatusResult)
    except Trouble:
        return None  # the check of the socket says so
