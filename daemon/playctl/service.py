"""Commands about the daemon itself: reload, drain, health."""

from __future__ import annotations

import click

from daemon.control import wire
from daemon.playctl import show
from daemon.playctl.client import ENDING, QUICK
from daemon.playctl.exits import Exit, Trouble
from daemon.playctl.invocation import Invocation, as_json, pass_invocation


@click.command()
@as_json
@pass_invocation
def reload(invocation: Invocation, as_json: bool) -> None:
    """Read the configuration again.

    A bad file keeps the old configuration and says why. Running sessions keep what they started
    with; grants and rooms hold at once. What only a start takes is named.
    """
    done = invocation.ask("reload", wire.ReloadParams(), wire.ReloadResult, 3 * QUICK)
    if as_json:
        show.document(done)
        return
    show.tell(f"{done.configuration} is in force. {done.detail}".strip())
    for what, names in (
        ("added", done.added),
        ("removed", done.removed),
        ("changed", done.changed),
        ("not in force before playd is started again", done.needs_restart),
    ):
        if names:
            show.tell(f"  {what}: {', '.join(names)}")
    for warning in done.warnings:
        show.tell(f"  warning: {warning}")


@click.command()
@as_json
@pass_invocation
def drain(invocation: Invocation, as_json: bool) -> None:
    """Stop every session, then end the daemon."""
    done = invocation.ask("drain", wire.DrainParams(), wire.DrainResult, ENDING)
    if as_json:
        show.document(done)
    else:
        stopped = show.counted(done.stopped, "session")
        show.tell(
            f"{stopped} stopped, {done.failed} failed; the daemon ends. {done.detail}".strip()
        )


@click.command()
@as_json
@pass_invocation
def health(invocation: Invocation, as_json: bool) -> None:
    """Say whether the daemon accepts joins; exit code 1 if not."""
    found = invocation.ask("health", wire.HealthParams(), wire.HealthResult)
    if as_json:
        show.document(found)
    else:
        show.table(
            ("CHECK", "", "DETAIL"),
            [(check.name, "ok" if check.ok else "bad", check.detail) for check in found.checks],
            "Nothing was checked.",
        )
    if not found.ready:
        bad = ", ".join(check.name for check in found.checks if not check.ok) or "it is ending"
        raise Trouble(Exit.BAD, f"the daemon accepts no join: {bad}")
