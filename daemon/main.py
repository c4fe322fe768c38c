"""`playd`: the daemon in the foreground, and a first try without any configuration."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click

from daemon.playctl.exits import Exit, NoReader, Trouble, is_help
from daemon.playctl.standard_output import guard_standard_output


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


@playd.command("try")
@click.option(
    "--turns",
    default=40,
    show_default=True,
    type=click.IntRange(1, 100_000),
    help="How many turns to play.",
)
@click.option(
    "--world",
    metavar="ADDRESS",
    help="A world instead of the practice world; it must admit a key made up on the spot.",
)
@click.option("--model", metavar="NAME", help="A model of the configuration, to play instead.")
@click.option(
    "--config",
    "configuration",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The configuration that has the model of --model.",
)
@click.option(
    "--game",
    type=click.Choice(("firered", "emerald", "minecraft")),
    default="firered",
    show_default=True,
    help="The game to play.",
)
def try_(
    turns: int,
    world: str | None,
    model: str | None,
    configuration: Path | None,
    game: Literal["firered", "emerald", "minecraft"],
) -> None:
    """Play some turns before your eyes, with nothing but this machine.

    A practice world and a practice model are started for it and end with it. The practice model
    plays by simple rules and is no language model; --model lets a real one play.

    \b
    Examples:
      playd try
      playd try --game minecraft
      playd try --config playd.toml --model claude
    """
    from daemon.try_out import Trial, try_out

    try_out(Trial(turns, game, world, model, configuration))


def main() -> None:
    """Runs `playd` and exits with its code."""
    guard_standard_output()
    sys.exit(run_playd(sys.argv[1:]))


def run_playd(arguments: Sequence[str]) -> int:
    """One run; what goes wrong is one line on stderr. Returns the exit code."""
    try:
        playd.main(list(arguments), prog_name="playd", standalone_mode=False)
    except click.Abort:
        return 130
    except click.UsageError as error:
        if is_help(error):
            click.echo(error.format_message(), err=True)
            return Exit.USAGE
        command = error.ctx.command_path if error.ctx is not None else "playd"
        click.echo(f"playd: {error.format_message().rstrip('.')}. See: {command} --help", err=True)
        return Exit.USAGE
    except NoReader as ended:
        return ended.exit
    except Trouble as trouble:
        click.echo(f"playd: {trouble.text}", err=True)
        return trouble.exit
    return Exit.DONE


if __name__ == "__main__":
    main()
