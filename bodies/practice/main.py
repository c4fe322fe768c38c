"""The practice parts: worlds and models to try a set-up on, with no account and no network."""

from importlib import import_module

import click

_COMMANDS = {
    "check": "bodies.practice.check",
    "ground": "bodies.practice.ground",
    "model": "bodies.practice.model.command",
    "motor": "bodies.practice.motor.command",
    "world": "bodies.practice.world.command",
}
"""Each subcommand's module; it is imported when the subcommand is used, and has a `command`."""


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _COMMANDS.get(cmd_name)
        return None if module is None else import_module(module).command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Practice parts for trying and testing a set-up of playd on one machine."""


if __name__ == "__main__":
    main()
