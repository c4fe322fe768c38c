"""Plays many sessions while everything goes wrong at random, then checks what must hold anyway.

A seed decides what goes wrong and when. When the time is over all trouble is undone, and every seat
must play again; then the daemon is drained. What stands in the folder afterwards is all that the
checks read, so they can be had again.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import uuid
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import msgspec
import trio

sys.path.insert(0, str(Path(__file__).parent.parent / "toys"))

from census import RUN_MARK, Census
from evidence import read_evidence
from invariants import broken
from lives import Lives
from operating import Operator
from performing import Performer
from plan import Planned, plan
from practice import practice_model, practice_world
from seats import Seats, seats_of
from setting_out import set_out
from small_disk import small_disk
from story import Story

DISK = "96m"
PLAY_SECONDS = 90.0
"""In which every seat must play when nothing goes wrong; a restart waits up to a minute."""
ENDS_SECONDS = 60.0


async def play(folder: Path, seed: int, sessions: int, seconds: float) -> None:
    """Play and disturb; all that the checks need is in the folder then."""
    seats = seats_of(sessions)
    with _state_on_a_disk(folder) as disk:
        planned = plan(seed, seats.names, seconds, disk=disk is not None)
        census = Census(uuid.uuid4().hex)
        os.environ[RUN_MARK] = census.run
        async with _surroundings(folder, seats, planned.world, planned.model):
            story = Story(folder / "story.jsonl")
            lives = Lives(seats.configure(folder), story)
            operator = Operator(lives, forced=seats.miners)
            performer = Performer(lives, operator, seats, census, disk, random.Random(seed))
            left = await _live(lives, operator, performer, planned.faults, seconds)
    lives.watching.keep(folder / "watched.json")
    answers = {name: sorted(wired.model.answers) for name, wired in seats.wired.items()}
    for name, value in (("left", left), ("census", census.seen), ("answers", answers)):
        (folder / f"{name}.json").write_bytes(msgspec.json.encode(value))


async def _live(
    lives: Lives,
    operator: Operator,
    performer: Performer,
    faults: tuple[Planned, ...],
    seconds: float,
) -> dict[str, Any]:
    seats, census, story = performer.seats, performer.census, lives.story
    async with trio.open_nursery() as nursery:
        nursery.start_soon(census.look_again_and_again)
        nursery.start_soon(lives.live)
        async with trio.open_nursery() as disturbed:
            disturbed.start_soon(operator.operate)
            await _until_all_play(lives, seats, turns=1)
            await performer.perform_all(faults, seconds)
            performer.heal()
            story.tell("the trouble is over")
            silent = await _until_all_play(lives, seats, turns=2)
            story.tell("every seat was given time", silent=silent)
            disturbed.cancel_scope.cancel()
        for name in seats.names:
            operator.left_alone[name] = trio.current_time() + 3600
        left: dict[str, Any] = {"silent": silent, "joins": operator.answers}
        lives.over = True
        if lives.daemon is not None:
            left |= await _end(lives, seats)
            lives.daemon.process.send_signal(signal.SIGTERM)
            with trio.move_on_after(ENDS_SECONDS):
                while lives.daemon is not None:  # noqa: ASYNC110
                    await trio.sleep(0.05)
        left |= {"exit": lives.exit_code, "orphans": census.alive()}
        nursery.cancel_scope.cancel()
    for pid in left["orphans"]:
        os.kill(pid, signal.SIGKILL)
    return left


async def _until_all_play(lives: Lives, seats: Seats, *, turns: int) -> list[str]:
    """Wait until each has played so many turns from now on; the names of those that did not."""
    silent: set[str] = set(seats.names)
    before = dict(lives.watching.by_seat)

    async def wait_for(seat: str) -> None:
        await lives.watching.until_turns(seat, before.get(seat, 0) + turns)
        silent.discard(seat)

    with trio.move_on_after(PLAY_SECONDS):
        async with trio.open_nursery() as nursery:
            for seat in seats.names:
                nursery.start_soon(wait_for, seat)
    return sorted(silent)


async def _end(lives: Lives, seats: Seats) -> dict[str, Any]:
    """Stop every seat; what the daemon holds then."""
    daemon = lives.daemon
    assert daemon is not None
    with trio.move_on_after(ENDS_SECONDS):
        async with trio.open_nursery() as nursery:
            for seat in seats.names:
                nursery.start_soon(_stop, lives, seat)
    at_rest = lives.descriptors_at_rest + 1  # the subscriber's connection
    with trio.move_on_after(10):
        while daemon.open_descriptors() > at_rest:  # noqa: ASYNC110
            await trio.sleep(0.1)
    return {"descriptorsBefore": at_rest, "descriptorsAfter": daemon.open_descriptors()}


async def _stop(lives: Lives, seat: str) -> None:
    # At 16 connections the daemon refuses, or is gone before it was heard to.
    while await lives.ask("stop", seat=seat) in ("too_many_connections", "nobody"):  # noqa: ASYNC110
        await trio.sleep(0.5)


@asynccontextmanager
async def _surroundings(
    folder: Path, seats: Seats, world_misdeeds: tuple[str, ...], model_misdeeds: tuple[str, ...]
) -> AsyncGenerator[None]:
    """The world, the model and the wires to them."""
    async with (
        practice_world(folder, "--speed", "8", *_each(world_misdeeds)) as world,
        practice_model(
            "--latency", "0.6", "--log", str(folder / "model.jsonl"), *_each(model_misdeeds)
        ) as model,
        trio.open_nursery() as nursery,
    ):
        for wire in seats.lay_wires(_port(world.address), _port(model)):
            await nursery.start(wire.serve)
        yield
        nursery.cancel_scope.cancel()


def _each(misdeeds: tuple[str, ...]) -> list[str]:
    return [word for misdeed in misdeeds for word in ("--misbehave", misdeed)]


def _port(address: str) -> int:
    port = urlsplit(address).port
    assert port is not None
    return port


@contextmanager
def _state_on_a_disk(folder: Path) -> Generator[Path | None]:
    """A disk of its own where that may be mounted, else none; what was on it is kept."""
    state, kept = folder / "state", folder / "kept"
    if os.geteuid() != 0:
        state.mkdir()
        yield None
        return
    with small_disk(state, DISK) as disk:
        disk.chmod(0o700)
        try:
            yield disk
        finally:
            shutil.copytree(state, kept)
    state.rmdir()
    kept.rename(state)


@click.command(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seed", type=int, help="Decides what goes wrong; else it is drawn.")
@click.option(
    "--sessions",
    type=click.IntRange(1, 100),
    default=20,
    show_default=True,
    help="Seats that play side by side.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1, 3600),
    default=60,
    show_default=True,
    help="How long things go wrong; mending and judging come after.",
)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    help="An empty or new folder for the evidence; else one in the temporary directory.",
)
def main(seed: int | None, sessions: int, seconds: float, into: Path | None) -> None:
    """The command."""
    seed = random.randrange(10**6) if seed is None else seed
    folder = set_out(into, "fault-run")
    print(f"seed {seed}, {sessions} sessions, {seconds:g} s", flush=True)
    trio.run(play, folder, seed, sessions, seconds)
    evidence = read_evidence(folder)
    found = broken(evidence)
    print("\n".join(found.told))
    print(f"The evidence is in {folder}")
    sys.exit(1 if found.any else 0)


if __name__ == "__main__":
    main(prog_name="script/fault-run")
