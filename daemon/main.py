"""`playd`: the daemon in the foreground, and a first try without any configuration."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from daemon.playctl.exits import Trouble


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="playd")
def playd() -> None:
    """Keep language-model players in turn-based games.

    \b
    A first look, with nothing but this machine:
      playd try
    For real:
      playctl config check playd.toml
      playd run --config playd.toml
    """


@playd.command()
@click.option(
    "--config",
    "configuration",
    required=True,
    type=click.Path(path_type=Path),
    help="The configuration, a TOML file.",
)
def run(configuration: Path) -> None:
    """Run the daemon in the foreground, until SIGTERM or `playctl drain`.

    It starts no session by itself: `playctl join SEAT` does. SIGHUP reads the configuration again;
    a second SIGTERM or Ctrl-C kills what has not ended yet.
    """
    from daemon.running import run_daemon

    run_daemon(configuration)


def main() -> None:
    """Runs `playd` and exits with its code; what goes wrong is one line on stderr."""
    try:
        playd.main(prog_name="playd", standalone_mode=False)
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except click.Abort:
        sys.exit(130)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx is not None else "playd"
        click.echo(f"playd: {error.format_message().rstrip('.')}. See: {command} --help", err=True)
        sys.exit(2)
    except Trouble as trouble:
        click.echo(f"playd: {trouble.line}", err=True)
        sys.exit(trouble.exit)


if __name__ == "__main__":
    main()
