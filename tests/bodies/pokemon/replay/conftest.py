"""Plays a recorded run again: the recording answers as the world did, the body does the rest."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from msgspec import UNSET

from bodies.pokemon import wire
from bodies.pokemon.adapter import PokemonBody
from bodies.pokemon.seat.counters import Counters
from bodies.pokemon.seat.troubles import StaleAnswer
from bodies.pokemon.sight import PokemonSight
from kernel.body import Context, Invalid, Leave, PastTurn, Speech, Timing, TurnFacts, WorldEnded
from kernel.journal.lines import TurnLine
from kernel.model.request import PNG_PREFIX


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
        return wire_observation(self._turns[self.turn]["evidence"]["decision"])

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


async def replay(turns: list[dict[str, Any]]) -> list[Replayed]:
    """Drive a body through the turns in the order of K1."""
    world = RecordedWorld(turns)
    body = PokemonBody(world)
    await body.join()
    past: tuple[PastTurn, ...] = ()
    objective: str | None = None
    replayed: list[Replayed] = []
    for recorded in turns:
        turn = recorded["turn"]
        number = turn["turn"]
        world.begin(number)
        shown = await body.observe()
        body.prompt(shown, Context(number, "", past, (), None, None, takes_images=False))
        decision = body.decode(answer_of(turn, objective), shown)
        assert not isinstance(decision, Invalid), decision
        objective = turn["objective"]
        before = await body.observe()
        assert before.fingerprint == shown.fingerprint
        settled = body.known(decision, before)
        if settled is None:
            settled = await body.act(decision, f"key-{number}", trio.Event())
        effect = body.verify(before, settled, settled.after)
        remembered = body.remember(
            TurnFacts(
                number=number,
                outcome=settled.outcome,
                shown=shown,
                before=before,
                after=settled.after,
                decision=decision,
                settled=settled,
                effect=effect,
                failure=None,
                heard=(),
                speech=Speech(),
                calls=(),
                preemptions=0,
                timing=Timing(),
                window=0,
            )
        )
        past = (
            *past,
            PastTurn(
                number,
                decision.intent,
                decision.description,
                settled.outcome,
                effect.text,
                effect.advice,
            ),
        )[-8:]
        assert isinstance(remembered.line, TurnLine)
        line = json.loads(msgspec.json.encode(remembered.line))
        replayed.append(Replayed(recorded, line, remembered.notables, shown))
    return replayed


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
