"""`playctl`: asks the playd behind a socket, and starts none itself (systemd may, for the socket).

Each command is imported when it is used, so that a quick one stays quick.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click
import msgspec

from daemon.plain_text import escaped, plain
from daemon.playctl.client import socket_paths
from daemon.playctl.exits import Exit, NoReader, Trouble, is_help
from daemon.playctl.invocation import Invocation
from daemon.playctl.standard_output import guard_standard_output

COMMANDS = {
    "status": "seats",
    "seats": "seats",
    "sessions": "sessions",
    "join": "sessions",
    "stop": "sessions",
    "pause": "sessions",
    "resume": "sessions",
    "say": "rooms",
    "room": "room",
    "budget": "sessions",
    "observe": "sessions",
    "watch": "watching",
    "recall": "sessions",
    "logs": "logs",
    "world": "worlds",
    "receipts": "rooms",
    "reset": "seats",
    "recover": "seats",
    "reload": "service",
    "drain": "service",
    "health": "service",
    "config": "configuration",
    "doctor": "doctor",
    "journal": "journal",
    "completion": "completion",
}
"""Each command and the file of this folder that has it, in the order of `--help`."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"daemon.playctl.{COMMANDS[cmd_name]}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--socket",
    envvar="PLAYD_SOCKET",
    metavar="PATH",
    help="The daemon's control socket, where it is not in one of the usual places.",
)
@click.version_option(package_name="playd")
@click.pass_context
def playctl(context: click.Context, socket: str | None) -> None:
    """Drive a running playd: see what its players do, start them, stop them, talk to them.

    \b
    A first round:
      playctl status            what every seat does
      playctl join red          start playing in the seat `red`
      playctl watch red         look on
      playctl say red hello     say something to the player
      playctl stop red          stop it

    \b
    Exit codes: 0 done, 1 the thing asked about is bad, 2 usage, 3 no daemon runs, 4 refused,
    5 configuration, 6 world, 7 model, 8 another daemon holds the state, 141 the output's reader
    has enough. With --json the error is a JSON document too, on stderr.
    """
    context.obj = Invocation(socket_paths(socket, os.environ))


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs `playctl` and exits with its code."""
    guard_standard_output()
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """One run; what goes wrong is told on stderr. Returns the exit code."""
    try:
        playctl.main(list(arguments), prog_name="playctl", standalone_mode=False)
    except click.Abort:
        return 130
    except click.UsageError as error:
        if is_help(error):
            click.echo(error.format_message(), err=True)
            return Exit.USAGE
        command = error.ctx.command_path if error.ctx is not None else "playctl"
        message = error.format_message().rstrip(".")
        click.echo(f"playctl: {message}. See: {command} --help", err=True)
        return Exit.USAGE
    except click.ClickException as error:
        click.echo(f"playctl: {error.format_message()}", err=True)
        return Exit.BAD
    except NoReader as ended:
        return ended.exit
    except Trouble as trouble:
        click.echo(_told(trouble, as_json="--json" in arguments), err=True)
        return trouble.exit
    except msgspec.ValidationError as error:
        click.echo(plain(f"playctl: the daemon answered something unknown: {error}"), err=True)
        return Exit.BAD
    return Exit.DONE


def _told(trouble: Trouble, *, as_json: bool) -> str:
    if not as_json:
        return f"playctl: {trouble.text}"
    error = {"code": trouble.code, "message": trouble.message, "detail": trouble.next_step}
    return escaped(msgspec.json.encode({"error": error}).decode())
