"""Measures the kernel's own work per Pokémon turn, with journal and evidence, and its memory.

The world is in memory and the model answers at once. What the two take by themselves, each giving
way to trio once a request, is measured alone and taken off; what remains is the kernel, the body's
policy and the journal. The world shows a player who walks to and fro, in full state.
"""

from __future__ import annotations

import gc
import itertools
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import trio

sys.path.insert(0, str(Path(__file__).parent.parent / "toys"))

from scripted_model import answer
from stage import staged

from bodies.pokemon import wire
from bodies.pokemon.adapter import PokemonBody
from bodies.pokemon.seat.counters import Counters
from kernel.body import BodyTrouble, Leave, WorldEnded
from kernel.session.specification import BudgetCeiling

ROWS = ("############", "#....D.....#", *("#..........#",) * 7)
NPCS = tuple(wire.Npc(n, 7, 3 + n, 4, "south") for n in range(3))
EXITS = (
    wire.MinimapExit(wire.MapPoint("town", 5, 1), "house", "supported"),
    wire.MinimapExit(wire.MapPoint("town", 11, 5), "road", "unsupported"),
)


class InstantModel:
    """Answers at once with the same decision."""

    def __init__(self) -> None:
        self._said = answer(
            monologue="The way east is open; the sign by the pond may tell where it leads.",
            intent="walk right along the path",
            notes="Town: house door at 5,1. The road east is not walkable by helper.",
            objective="find the way east",
            action="button_press",
            button="right",
            holdFrames=16,
        )

    async def __call__(self, *_args: Any) -> Any:
        await trio.lowlevel.checkpoint()
        return self._said


class InstantWorld:
    """A seat in memory: every action moves the player one tile."""

    def __init__(self) -> None:
        self.counters = Counters()
        self.at_action: dict[int, Callable[[], None]] = {}
        self._frame = 0
        self._paths = itertools.cycle([_path(), _path()])
        """Alike, and taken by turns: no two samplings in a row are one object."""

    async def join(self) -> wire.JoinAnswer:
        return wire.JoinAnswer(3, "bench", "player", "ses_1", "firered", "token", ())

    async def observe(self) -> wire.Observation:
        await trio.lowlevel.checkpoint()
        return self._seen()

    async def frame(self) -> wire.Frame:
        await trio.lowlevel.checkpoint()
        raise BodyTrouble("no picture")

    async def act(self, action: wire.Action, idempotency_key: str) -> wire.ActAnswer:
        await trio.lowlevel.checkpoint()
        self._frame += 16
        self.at_action.get(self._frame // 16, _nothing)()
        ran = wire.Ran(1, 16, True, self._seen())
        return wire.ActAnswer("ses_1", 1, self._frame, False, ran)

    async def wait_ended(self) -> WorldEnded:
        await trio.sleep_forever()
        raise AssertionError

    async def leave(self) -> Leave:
        return Leave("confirmed")

    def _seen(self) -> wire.Observation:
        path = next(self._paths)
        return path[self._frame // 16 % len(path)]


def _path() -> tuple[wire.Observation, ...]:
    return tuple(_seen_at(x) for x in (*range(1, 10), *range(10, 1, -1)))


def _seen_at(x: int) -> wire.Observation:
    return wire.Observation(
        session_id="ses_1",
        body_generation=1,
        game_id="firered",
        frame=16 * x,
        observed_at="2026-01-05T10:00:00.000Z",
        scene=wire.Scene("overworld", True, False, True),
        adapter_version=2,
        minimap=wire.Minimap(wire.MapPoint("town", 0, 0), ROWS, EXITS),
        state=wire.GameState(
            overworld=wire.Overworld("town", x, 5, "east"),
            party=(wire.PartyMember(0, 4, 6, 20, 21, (1, 2)),),
            npcs=NPCS,
            map_size=wire.MapSize(12, 9),
        ),
    )


async def measure(turns: int) -> dict[str, float]:
    """Plays `turns` turns; times in milliseconds a turn, memory in MiB."""
    world = InstantWorld()
    body = PokemonBody(world)
    await body.join()
    with tempfile.TemporaryDirectory() as directory:
        ceiling = BudgetCeiling(tokens=None, max_turns=turns)
        async with staged(
            Path(directory),
            body=body,  # type: ignore[arg-type]
            model=InstantModel(),  # type: ignore[arg-type]
            ceiling=ceiling,
        ) as stage:
            stage.play.emit = stage.play.deciding.mind._emit = lambda _: None
            half: list[float] = []
            world.at_action = {turns // 2: lambda: half.append(_resident())}
            gc.freeze()  # as a session does before it plays
            began, cpu = time.perf_counter(), time.process_time()
            await stage.run()
            wall, work = time.perf_counter() - began, time.process_time() - cpu
            written = stage.play.trail.writer.written
            alone = await _stand_ins_alone(turns)
            return {
                "turns": turns,
                "work_ms_per_turn": (work - alone) / turns * 1000,
                "stand_ins_ms_per_turn": alone / turns * 1000,
                "wall_ms_per_turn": wall / turns * 1000,
                "journal_kib_per_turn": written.bytes / turns / 1024,
                "resident_mib_half": half[0],
                "resident_mib_end": _resident(),
                "resident_mib_peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }


async def _stand_ins_alone(turns: int) -> float:
    """Processor seconds of world and model, asked for what so many turns ask them for."""
    world, model = InstantWorld(), InstantModel()
    step = wire.ButtonPress("right", 16)
    cpu = time.process_time()
    for _ in range(turns):
        await world.observe()
        await _no_picture(world)
        await model()
        await world.observe()
        await _no_picture(world)
        await world.act(step, "key")
        await _no_picture(world)
    return time.process_time() - cpu


async def _no_picture(world: InstantWorld) -> None:
    with suppress(BodyTrouble):
        await world.frame()


def _nothing() -> None:
    return


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def run(turns: int = 2000, rounds: int = 5) -> dict[str, float]:
    """The median of each figure over `rounds`."""
    figures = [trio.run(measure, turns) for _ in range(rounds)]
    return {name: statistics.median(f[name] for f in figures) for name in figures[0]}


if __name__ == "__main__":
    for name, value in run().items():
        print(f"{name:24} {value:10.3f}")
