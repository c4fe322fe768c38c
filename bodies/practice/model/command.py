"""The command: `playd-practice model`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import click
import trio

from bodies.practice.model.misbehaviour import Misdeed, parse
from bodies.practice.model.serving import Address, Setting, parse_address, run_model
from bodies.practice.serving import serve

ReadT = TypeVar("ReadT")


def _read(convert: Callable[[str], ReadT], text: str) -> ReadT:
    try:
        return convert(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _read_address(_context: click.Context, _parameter: click.Parameter, text: str) -> Address:
    return _read(parse_address, text)


def _read_misdeeds(
    _context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[Misdeed, ...]:
    return tuple(_read(parse, text) for text in texts)


@click.command("model")
@click.option(
    "--listen",
    "address",
    default="http://127.0.0.1:0",
    show_default=True,
    callback=_read_address,
    help="http://HOST:PORT on loopback. Port 0: a free one.",
)
@click.option("--seed", default=0, show_default=True, help="Decides between what is equally good.")
@click.option(
    "--latency",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0, 600),
    help="Seconds before every answer begins.",
)
@click.option(
    "--log",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append each request with this server's own count of tokens to this file, as JSON lines.",
)
@click.option(
    "--misbehave",
    "misdeeds",
    multiple=True,
    callback=_read_misdeeds,
    help="kind[:argument][@request=n], may be repeated, e.g. cut:midway@chat=5.",
)
@click.option("--until-stdin-closes", is_flag=True, help="End when standard input closes, too.")
def command(
    address: Address,
    seed: int,
    latency: float,
    log: Path | None,
    misdeeds: tuple[Misdeed, ...],
    until_stdin_closes: bool,
) -> None:
    """A practice model: it plays by simple rules, and is not a language model.

    It speaks chat completions, streamed, as the model `practice`, to any key or none. What it
    plays follows from what stands in the prompt, and from the seed.

    Prints `listening ADDRESS` once it accepts connections; runs until SIGINT or SIGTERM.
    """
    setting = Setting(address, seed, latency, log, misdeeds)

    async def start(nursery: trio.Nursery) -> Iterable[object]:
        return (await nursery.start(run_model, setting),)

    serve(start, until_stdin_closes=until_stdin_closes)
