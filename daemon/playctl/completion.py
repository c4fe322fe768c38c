"""The command that prints a shell's completion script."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell, names of seats included.

    \b
    bash:  playctl completion bash > ~/.local/share/bash-completion/completions/playctl
    zsh:   playctl completion zsh > ~/.zfunc/_playctl
    fish:  playctl completion fish > ~/.config/fish/completions/playctl.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"this click has no completion for {shell}")
    click.echo(kind(context.find_root().command, {}, "playctl", "_PLAYCTL_COMPLETE").source())
