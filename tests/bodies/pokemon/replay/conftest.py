"""Plays a recorded run again: the recording answers as the world did, the body does the rest."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from msgspec import UNSET
from scripted_model import Said
from stage import staged

from bodies.pokemon import wire
from bodies.pokemon.adapter import PokemonBody
from bodies.pokemon.results import PokemonTurn
from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.seat.troubles import StaleAnswer
from bodies.pokemon.sight import PokemonSight
from kernel.body import Leave, Remembered, WorldEnded
from kernel.model.request import PNG_PREFIX
from kernel.session.specification import BudgetCeiling
from kernel.session.wire import Phase


@dataclass
class Replayed:
    """What the body made of one recorded turn, beside the recording."""

    recorded: dict[str, Any]
    line: dict[str, Any]
    notables: tuple[str, ...]
    shown: PokemonSight

    @property
    def number(self) -> int:
        return self.recorded["turn"]["turn"]


class RecordedWorld:
    """A world that answers from recorded turns.

    The state before the action is the one that was decided on: the recorder knew no fence.
    """

    def __init__(self, turns: list[dict[str, Any]]) -> None:
        self.counters = Counters()
        self._turns = turns
        self._acted = False
        self.turn = 0

    def begin(self, number: int) -> None:
        self.turn, self._acted = number, False

    async def join(self) -> wire.JoinAnswer:
        return wire.JoinAnswer(3, "kanto", "player-1", "ses_1", "firered", "", ())

    async def observe(self) -> wire.Observation:
        await trio.lowlevel.checkpoint()
        stage = "postAction" if self._acted else "decision"
        return wire_observation(self._turns[self.turn]["evidence"][stage])

    async def frame(self) -> wire.Frame:
        await trio.lowlevel.checkpoint()
        digest = self._turns[self.turn]["turn"]["framebufferSha256"]
        if digest is None or self._acted:
            raise StaleAnswer("no picture was recorded")
        data = PNG_PREFIX + bytes.fromhex(digest)
        return wire.Frame("ses_1", 1, 1, data, "")

    async def act(self, action: wire.Action, idempotency_key: str) -> wire.ActAnswer:
        await trio.lowlevel.checkpoint()
        self._acted = True
        evidence = self._turns[self.turn]["evidence"]
        result = evidence["actionResult"]["result"]
        outcome = result.get("outcome")
        if outcome is None:
            refusal = json.loads(result["message"].partition(": ")[2])
            rejected = wire.Rejected(msgspec.convert(refusal, wire.ActionRefusal))
            return wire.ActAnswer("ses_1", 1, 0, False, rejected)
        ran = wire.Ran(
            outcome["inputsSpent"],
            outcome["framesSpent"],
            outcome["screenChanged"],
            wire_observation(evidence["postAction"]),
            msgspec.convert(outcome, wire.ActionDetail) if "kind" in outcome else None,
        )
        return wire.ActAnswer("ses_1", outcome["bodyGeneration"], outcome["frame"], False, ran)

    async def wait_ended(self) -> WorldEnded:
        await trio.sleep_forever()
        raise AssertionError

    async def leave(self) -> Leave:
        return Leave("confirmed")


def wire_observation(stage: dict[str, Any]) -> wire.Observation:
    """The wire's observation that a recorded stage was made from."""
    told = {seen["kind"]: seen["data"] for seen in stage["observations"]}
    at, dialog, menu = told.get("overworld"), told.get("dialog"), told.get("menu")
    first, scene = stage["observations"][0], told["scene"]
    decoded = told["danger"]["code"] != "uncertain_state"
    return wire.Observation(
        session_id=first["sessionId"],
        body_generation=stage["provenance"]["bodyGeneration"],
        game_id="firered",
        frame=first["frame"],
        observed_at=first["capturedAt"],
        scene=wire.Scene(
            scene["mode"], scene["inputReady"], scene["waitingForDialogAdvance"], decoded
        ),
        adapter_version=stage["provenance"]["adapterVersion"],
        minimap=_minimap(at) if at else None,
        state=wire.GameState(
            overworld=wire.Overworld(
                at["position"]["mapId"], at["position"]["x"], at["position"]["y"], at["facing"]
            )
            if at
            else None,
            npcs=msgspec.convert(at["occupants"], tuple[wire.Npc, ...]) if at else UNSET,
            dialog_lines=tuple(dialog["lines"]) if dialog else UNSET,
            menu=msgspec.convert(menu, wire.Menu) if menu else None,
        )
        if decoded
        else None,
    )


def _minimap(at: dict[str, Any]) -> wire.Minimap:
    map_id, corner = at["position"]["mapId"], at["minimap"]["topLeft"]
    return wire.Minimap(
        wire.MapPoint(map_id, corner["x"], corner["y"]),
        tuple(at["minimap"]["rows"]),
        tuple(
            wire.MinimapExit(wire.MapPoint(map_id, e["x"], e["y"]), e["destination"], e["walkTo"])
            for e in at["exits"]["warps"]
        ),
    )


def answer_of(turn: dict[str, Any], objective_before: str | None) -> bytes:
    """The answer that the model must have given; a retired objective had been kept.

    `wanted` says it outright where a recording was written by hand.
    """
    action = dict(turn["action"])
    action["action"] = action.pop("kind")
    if "entryId" in action:
        action["entry"] = action.pop("entryId")
    answer = {name: turn[name] for name in ("monologue", "intent", "notes", "reply", "speak")}
    if "wanted" in turn:
        answer["objective"] = turn["wanted"]
    elif not turn["objectiveRetired"] and turn["objective"] != objective_before:
        answer["objective"] = turn["objective"]
    return json.dumps(answer | action).encode()


class Recorded(PokemonBody):
    """The body, with what it was shown and told of kept beside its lines."""

    def __init__(self, world: RecordedWorld) -> None:
        super().__init__(world)
        self.kept: list[tuple[PokemonSight, tuple[str, ...]]] = []

    def remember(self, turn: PokemonTurn) -> Remembered:
        remembered = super().remember(turn)
        assert turn.shown is not None
        self.kept.append((turn.shown, remembered.notables))
        return remembered


async def replay(turns: list[dict[str, Any]]) -> list[Replayed]:
    """Play the turns through the kernel's own loop, with a journal on disk."""
    world = RecordedWorld(turns)
    body = Recorded(world)
    await body.join()

    async def decide_as_recorded(*_: Any) -> Said:
        await trio.lowlevel.checkpoint()
        before = turns[world.turn - 1]["turn"]["objective"] if world.turn else None
        return Said(answer_of(turns[world.turn]["turn"], before))

    def follow(message: Any) -> None:
        if isinstance(message, Phase) and message.phase == "observing":
            world.begin(message.turn)

    ceiling = BudgetCeiling(tokens=None, max_turns=len(turns))
    with tempfile.TemporaryDirectory() as directory:
        async with staged(
            Path(directory), body=body, model=decide_as_recorded, ceiling=ceiling
        ) as stage:
            stage.play.emit = follow
            await stage.run()
            lines = stage.lines("turn")
    return [
        Replayed(recorded, line, notables, shown)
        for recorded, line, (shown, notables) in zip(turns, lines, body.kept, strict=True)
    ]


REAL_RUN = Path(__file__).parents[5] / "shared" / "data" / "real-run" / "journal.jsonl"
EXCERPT = Path(__file__).parent / "excerpt.jsonl"


def turns_in(path: Path) -> list[dict[str, Any]]:
    """The turn lines of a journal."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if line["kind"] == "turn"]


@pytest.fixture(scope="module")
def real_run() -> list[Replayed]:
    """The first 160 turns of a real run as this body plays them."""
    if not REAL_RUN.parent.exists():
        pytest.skip("the recording of a real run does not lie beside the repository")
    return trio.run(replay, turns_in(REAL_RUN))


@pytest.fixture(scope="module")
def excerpt() -> list[Replayed]:
    """A short run in the recorded shape, written for this test, as this body plays it."""
    return trio.run(replay, turns_in(EXCERPT))
