"""The command: `playd-practice motor`."""

from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import click

from bodies.practice.motor.host import Host
from bodies.practice.motor.misbehaviour import Misdeed, parse
from bodies.practice.motor.serving import serve_stdio


def _misdeeds(
    _context: click.Context, _parameter: click.Parameter, specs: tuple[str, ...]
) -> tuple[Misdeed, ...]:
    try:
        return tuple(parse(spec) for spec in specs)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _address(
    _context: click.Context, _parameter: click.Parameter, url: str | None
) -> tuple[str, int] | None:
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if parts.scheme != "http" or not parts.hostname or port is None:
        raise click.BadParameter(f"{url!r} is not http://HOST:PORT")
    return parts.hostname, port


@click.command("motor")
@click.option("--seed", default=0, show_default=True, help="Decides the land and how luck falls.")
@click.option(
    "--speed",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0.01, 10_000),
    help="Multiplies the clock of the motor's world, in which a day takes 20 minutes.",
)
@click.option(
    "--misbehave",
    "misdeeds",
    multiple=True,
    callback=_misdeeds,
    help="kind[:argument][@tool=n], may be repeated, e.g. contradict:verified@action_status=2.",
)
@click.option(
    "--journal",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append what the motor was asked and how actions ended to this file, as JSON lines.",
)
@click.option(
    "--listen",
    "address",
    callback=_address,
    help="http://HOST:PORT; serve over HTTP there instead of stdio. Port 0: a free one.",
)
def command(
    seed: int,
    speed: float,
    misdeeds: tuple[Misdeed, ...],
    journal: Path | None,
    address: tuple[str, int] | None,
) -> None:
    """A practice motor: one bot in a small block world, over MCP on stdin and stdout.

    Over HTTP it prints `listening URL` once it accepts connections. It joins nothing by itself,
    keeps nothing on disk, and forgets its world when it ends.
    """
    make_host = partial(Host, seed, speed, misdeeds, journal)
    try:
        if address is None:
            anyio.run(serve_stdio, make_host, backend="trio")
        else:
            anyio.run(_serve_http, make_host, address)
    except OSError as error:
        raise click.ClickException(str(error)) from None


async def _serve_http(make_host: partial[Host], address: tuple[str, int]) -> None:
    from bodies.practice.motor.web import serve_http  # costs a quarter of a second

    await serve_http(make_host(), address, lambda url: click.echo(f"listening {url}"))
