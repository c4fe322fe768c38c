"""The command: `playd-practice check`, for a configuration that must know whether a part is up."""

import socket
import sys
from urllib.parse import urlsplit

import click

SECONDS = 3.0


@click.command("check")
@click.argument("addresses", nargs=-1, required=True, metavar="ADDRESS...")
def command(addresses: tuple[str, ...]) -> None:
    """Exit 0 when something listens at every ADDRESS (ws://, http://, tcp:// or unix:PATH).

    It connects and says nothing, so no seat is taken and no model is asked.
    """
    for address in addresses:
        try:
            _connect(address)
        except (OSError, ValueError) as error:
            click.echo(f"playd-practice: nothing listens at {address}: {error}", err=True)
            sys.exit(1)


def _connect(address: str) -> None:
    if address.startswith("unix:"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(SECONDS)
            connection.connect(address.removeprefix("unix:"))
        return
    parts = urlsplit(address)
    if parts.hostname is None or parts.port is None:
        raise ValueError("an address is SCHEME://HOST:PORT or unix:PATH")
    socket.create_connection((parts.hostname, parts.port), SECONDS).close()
