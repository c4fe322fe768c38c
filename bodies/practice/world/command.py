"""The command: `playd-practice world`."""

from collections.abc import Callable, Iterable
from pathlib import Path

import click
import trio

from bodies.practice.serving import serve
from bodies.practice.world.doors import Address, parse_address
from bodies.practice.world.host import Setting
from bodies.practice.world.misbehaviour import Misdeed, parse
from bodies.practice.world.opening import run_world
from bodies.practice.world.saves import SaveUnreadable
from bodies.practice.world.view import GameId


def _each(convert: Callable[[str], object]) -> Callable[..., tuple[object, ...]]:
    def callback(
        _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
    ) -> tuple[object, ...]:
        try:
            return tuple(convert(value) for value in values)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return callback


@click.command("world")
@click.option(
    "--listen",
    "addresses",
    multiple=True,
    default=("ws://127.0.0.1:0",),
    show_default=True,
    callback=_each(parse_address),
    help="ws://HOST:PORT, tcp://HOST:PORT or unix:PATH; may be repeated. Port 0: a free one.",
)
@click.option(
    "--state",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory in which players' progress is kept; created if missing.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Decides how people wander and luck falls."
)
@click.option(
    "--speed",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0.01, 10_000),
    help="Multiplies the world's clock of 60 frames a second.",
)
@click.option("--seats", default=64, show_default=True, type=click.IntRange(1, 10_000))
@click.option(
    "--game",
    "games",
    multiple=True,
    default=("firered",),
    show_default=True,
    type=click.Choice(("firered", "emerald")),
    help="A game that this world hosts; may be repeated.",
)
@click.option("--world-id", default="hearth-vale", show_default=True)
@click.option(
    "--credentials",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Lines of `credential player-id`. Without it every credential is a player of its own.",
)
@click.option(
    "--journal",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append what the world itself saw to this file, as JSON lines.",
)
@click.option(
    "--push-every",
    default=2.0,
    show_default=True,
    type=click.FloatRange(0, 3600),
    help="Seconds between pushes of what changed; 0 pushes nothing.",
)
@click.option(
    "--misbehave",
    "misdeeds",
    multiple=True,
    callback=_each(parse),
    help="kind[:argument][@operation=n], may be repeated, e.g. drop-after@act=5.",
)
@click.option("--until-stdin-closes", is_flag=True, help="End when standard input closes, too.")
def command(
    addresses: tuple[Address, ...],
    state: Path,
    seed: int,
    speed: float,
    seats: int,
    games: tuple[GameId, ...],
    world_id: str,
    credentials: Path | None,
    journal: Path | None,
    push_every: float,
    misdeeds: tuple[Misdeed, ...],
    until_stdin_closes: bool,
) -> None:
    """A practice world: seats in a small country of its own, over the seat's wire.

    Prints `listening ADDRESS...` once it accepts connections; runs until SIGINT or SIGTERM.
    """
    setting = Setting(
        state=state,
        world_id=world_id,
        seed=seed,
        speed=speed,
        seats=seats,
        games=games,
        players=None if credentials is None else _read_credentials(credentials),
        journal=journal,
        push_seconds=push_every,
        misdeeds=misdeeds,
    )

    async def start(nursery: trio.Nursery) -> Iterable[object]:
        return await nursery.start(run_world, setting, addresses)

    serve(start, until_stdin_closes=until_stdin_closes, failures=(OSError, SaveUnreadable))


def _read_credentials(path: Path) -> dict[str, str]:
    players: dict[str, str] = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or not words[1].replace("-", "").replace("_", "").isalnum():
            raise click.ClickException(f"{path}, line {number}: expected `credential player-id`")
        players[words[0]] = words[1]
    return players
