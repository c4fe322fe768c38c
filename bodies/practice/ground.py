"""The command: `playd-practice ground`, a practice world with a practice model beside it."""

from collections.abc import Iterable
from pathlib import Path

import click
import trio

from bodies.practice.model.serving import Setting as ModelSetting
from bodies.practice.model.serving import parse_address as parse_model_address
from bodies.practice.model.serving import run_model
from bodies.practice.serving import serve
from bodies.practice.world.doors import parse_address
from bodies.practice.world.host import Setting as WorldSetting
from bodies.practice.world.opening import run_world
from bodies.practice.world.saves import SaveUnreadable


@click.command("ground")
@click.option("--world", default="ws://127.0.0.1:8470", show_default=True, metavar="ADDRESS")
@click.option("--model", default="http://127.0.0.1:8471", show_default=True, metavar="ADDRESS")
@click.option(
    "--state",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory in which players' progress is kept; created if missing.",
)
@click.option("--until-stdin-closes", is_flag=True, help="End when standard input closes, too.")
def command(world: str, model: str, state: Path, until_stdin_closes: bool) -> None:
    """A practice world and a practice model in one process: all that a first seat needs.

    Prints `listening WORLD MODEL` once both accept connections. `playd-practice world` and
    `playd-practice model` run them apart, with every option they have.
    """
    try:
        doors, desk = parse_address(world), parse_model_address(model)
    except ValueError as error:
        raise click.UsageError(str(error)) from None

    async def start(nursery: trio.Nursery) -> Iterable[object]:
        at = await nursery.start(run_world, WorldSetting(state=state), (doors,))
        return [*at, await nursery.start(run_model, ModelSetting(desk))]

    serve(start, until_stdin_closes=until_stdin_closes, failures=(OSError, SaveUnreadable))
