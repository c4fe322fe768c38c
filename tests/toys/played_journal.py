"""Journals of long runs, written by the real writer: as many turns as asked for, always the same.

A player walks at random in two walled maps, reads, fights, names and is refused.
"""

from __future__ import annotations

import hashlib
import random
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import trio
from msgspec import UNSET, Raw

from kernel.journal.instant import instant
from kernel.journal.lines import (
    ActionLine,
    Decided,
    DecisionLine,
    Envelope,
    Evidence,
    HeaderLine,
    Model,
    Models,
    NotableLine,
    SummaryLine,
    Timing,
    TransportLine,
    Turn,
    TurnLine,
    Usage,
    UsageLine,
    Volition,
    opaque,
)
from kernel.journal.screenshots import Screenshots
from kernel.journal.writer import JournalWriter

BEGAN = 1_772_359_200.0
JOURNEY = "world:meadow:player:ada"
_MAPS = ("meadow", "mill/upper-floor")
_STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_WORDS = """
the mill stands north past a gate and an old well where Ada may ask about the key
"""


def write_journal(
    directory: Path,
    turns: int,
    *,
    run_id: str = "run-1",
    journey_id: str = JOURNEY,
    generation: int = 1,
    seed: int = 1,
    with_summary: bool = True,
    outcome: str = "finished",
    leave: Literal["confirmed", "unconfirmed", "not_joined"] = "confirmed",
    texts: tuple[str, ...] = (),
) -> Path:
    """Write a run and give its journal. `texts` are put where models and worlds put theirs."""
    play = _Play(random.Random(seed), texts)
    began = BEGAN + 100_000 * generation
    clock = iter(range(10**9))
    writer = JournalWriter(
        directory,
        Envelope(
            run_id=run_id,
            journey_id=journey_id,
            environment_id="pokemon-firered",
            environment_session_id=f"ses-{run_id}",
            venue="world",
        ),
        HeaderLine(
            scenario_id="world:pokemon-firered",
            started_at=instant(began),
            models=Models(mind=Model(provider="openai", model="careful-8b")),
            persona=texts[0] if texts else "a patient walker",
            driver_generation=generation,
        ),
        wall=lambda: began + next(clock) * 1.5,
    )
    pictures = Screenshots(writer.path)
    spent = 0
    for number in range(turns):
        for line in play.turn(number, pictures):
            writer.write(line)
        spent += play.charged
    if with_summary:
        writer.write(
            SummaryLine(
                outcome=outcome,
                turns_taken=turns,
                accepted=play.accepted,
                duration_ms=turns * 9_000,
                usage=Usage(charged=spent, calls=turns, cost=spent / 5e6),
                volition=Volition(offered=turns, taken=turns // 9),
                coherence=0.5,
                leave=leave,
                rolled_windows=writer.rolled_windows,
            )
        )
        writer.seal()
    trio.run(writer.close)
    return writer.path


def png(shade: int) -> bytes:
    """A small picture with a picture's size."""
    rows = b"".join(
        b"\0" + bytes((shade + x // 8 * 16 + y // 8 * 24) % 256 for x in range(240))
        for y in range(160)
    )
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", 240, 160, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))
        for tag, data in parts
    )


class _Play:
    def __init__(self, chance: random.Random, texts: tuple[str, ...]) -> None:
        self.accepted = 0
        self.charged = 0
        self._chance = chance
        self._texts = texts
        self._map, self._x, self._y = _MAPS[0], 12, 12
        self._tiles = {(self._map, self._x, self._y)}
        self._stale = 0
        self._mode = "overworld"
        self._objective: str | None = "find the mill"
        self._frame = 0

    def turn(self, number: int, pictures: Screenshots) -> Iterator[Any]:
        chance = self._chance
        self._mode = chance.choices(("overworld", "dialog", "menu", "battle"), (14, 3, 1, 2))[0]
        shown = self._stage()
        action, outcome = self._decide()
        if outcome == "mind_failed":
            yield TransportLine(
                role="mind", failure="overloaded", status=529, turn=number, attempt=0
            )
        yield from self._call(number, failed=outcome == "mind_failed")
        began = BEGAN + number * 9
        stale = self._stale
        if action is not None:
            yield DecisionLine(
                turn=number,
                attempt=0,
                decision=Decided(monologue=self._text(9), intent="go on", action=opaque(action)),
                idempotency_key=f"key-{number}",
            )
            self._move(action, outcome)
            result = self._result(outcome)
            yield ActionLine(turn=number, outcome=outcome, result=result)
        else:
            result = Raw(b"null")
        if number % 40 == 39:
            self._objective = self._text(5)
        wished = action is not None and number % 9 == 0
        screenshot = pictures.keep(png(number), number, ("interval",)) if number % 8 == 0 else None
        self.accepted += outcome == "accepted"
        yield TurnLine(
            turn=Turn(
                turn=number,
                observation_sha256=_digest_of(shown),
                monologue=self._text(24) if action else None,
                intent=f"{self._text(6)} {chance.choice(('up', 'walk on', 'talk', 'wait'))}"
                if action
                else None,
                notes=self._text(30),
                objective=self._objective,
                interjection=f"Bo: {self._text(6)}" if number % 31 == 7 else None,
                speak=self._text(8) if wished else None,
                action=opaque(action),
                outcome=outcome,
                detail="overloaded: try later" if action is None else None,
                effect=self._text(7) if action else None,
                effect_advice=self._text(6) if outcome == "rejected_by_adapter" else None,
                usage=Usage(
                    input=self.charged - 90,
                    output=90,
                    cache_read=900,
                    charged=self.charged,
                    calls=1,
                    cost=self.charged / 5e6,
                ),
            ),
            evidence=opaque(
                Evidence(
                    decision=shown,
                    immediate_pre_action=shown if action else Raw(b"null"),
                    post_action=self._stage() if action else Raw(b"null"),
                    action_result=result,
                    progress_before=opaque({"turnsSinceNewTile": stale, "maps": []}),
                    progress_after=opaque({"turnsSinceNewTile": self._stale, "maps": []}),
                    signals=opaque(
                        {
                            "stalledForTurns": stale if stale >= 12 else None,
                            "repeatingForTurns": None,
                            "recurringForTurns": None,
                        }
                    ),
                    timing=Timing(
                        decision_started_at=instant(began),
                        decision_settled_at=instant(began + 2 + chance.random() * 6),
                        action_started_at=instant(began + 8) if action else None,
                        action_settled_at=instant(began + 8 + chance.random() * 4)
                        if action
                        else None,
                    ),
                    window=0,
                )
            ),
            screenshot=UNSET if screenshot is None else screenshot,
        )
        if number == 50:
            yield NotableLine(notable="stuck", turn=number, detail=self._text(6))

    def _decide(self) -> tuple[dict[str, Any] | None, str]:
        chance = self._chance
        if chance.random() < 0.03:
            return None, "mind_failed"
        outcome = "rejected_by_adapter" if chance.random() < 0.08 else "accepted"
        match self._mode:
            case "dialog":
                return {"kind": "advance_dialog"}, outcome
            case "menu":
                return {"kind": "select_menu_entry", "entryId": "leave"}, outcome
            case "battle":
                return {"kind": "button_press", "button": "a", "holdFrames": 8}, outcome
            case _ if chance.random() < 0.5:
                x, y = self._x + chance.randint(-3, 3), self._y + chance.randint(-3, 3)
                return {"kind": "walk_to", "x": max(1, x), "y": max(1, y)}, outcome
            case _:
                button = chance.choice(list(_STEPS))
                return {"kind": "button_press", "button": button, "holdFrames": 16}, outcome

    def _move(self, action: dict[str, Any], outcome: str) -> None:
        self._stale += 1
        if outcome != "accepted" or self._mode != "overworld":
            return
        x, y = self._x, self._y
        if action["kind"] == "walk_to":
            x, y = action["x"], action["y"]
        elif step := _STEPS.get(action.get("button", "")):
            x, y = x + step[0], y + step[1]
        if _wall(x, y):
            return
        self._x, self._y = x, y
        if (x, y) == (14, 9):
            self._map = _MAPS[1 - _MAPS.index(self._map)]
        if (self._map, x, y) not in self._tiles:
            self._stale = 0
        self._tiles.add((self._map, x, y))

    def _stage(self) -> Raw:
        self._frame += 300
        seen: list[tuple[str, dict[str, Any]]] = [
            ("danger", {"severity": "low", "code": "policy_boundary", "stateCertain": True}),
            (
                "scene",
                {
                    "mode": self._mode,
                    "inputReady": self._mode == "overworld",
                    "waitingForDialogAdvance": self._mode == "dialog",
                },
            ),
        ]
        if self._mode != "battle":
            seen.append(("overworld", self._overworld()))
        if self._mode == "dialog":
            seen.append(("dialog", {"speaker": "x", "lines": [self._text(5), self._text(4)]}))
        if self._mode == "menu":
            entries = [{"id": "talk", "label": "Talk"}, {"id": "leave", "label": self._text(2)}]
            seen.append(("menu", {"menuId": "gate", "cursor": 1, "entries": entries}))
        return _canonical(
            {
                "observations": [
                    {
                        "schemaVersion": 1,
                        "observationId": f"world-observation-{self._frame + at}",
                        "sessionId": "ses-1",
                        "worldId": "meadow",
                        "capturedAt": instant(BEGAN + self._frame / 60),
                        "frame": self._frame,
                        "kind": kind,
                        "data": data,
                    }
                    for at, (kind, data) in enumerate(seen)
                ],
                "provenance": {"body": "world", "bodyGeneration": 1, "adapterVersion": 2},
            }
        )

    def _overworld(self) -> dict[str, Any]:
        left, top = self._x - 7, self._y - 5
        rows = [
            "".join(
                "@"
                if (x, y) == (self._x, self._y)
                else "D"
                if (x, y) == (14, 9)
                else "#"
                if _wall(x, y)
                else "."
                for x in range(left, left + 15)
            )
            for y in range(top, top + 11)
        ]
        near = {"passable": True, "elevation": None, "metatileId": None}
        return {
            "position": {"mapId": self._map, "x": self._x, "y": self._y},
            "facing": "south",
            "surroundings": dict.fromkeys(("north", "east", "south", "west", "ahead"), near),
            "mapSize": {"width": 40, "height": 40},
            "minimap": {"topLeft": {"x": left, "y": top}, "rows": rows},
            "occupants": [
                {"localId": at, "graphicsId": 7, "x": 3 + at, "y": 4, "facing": None}
                for at in range(6)
            ],
            "exits": {"warps": [], "connections": []},
            "ramStateSha256": "cd" * 32,
        }

    def _result(self, outcome: str) -> Raw:
        result: dict[str, Any] = {"schemaVersion": 1, "actionId": f"world-action-{self._frame}"}
        if outcome == "accepted":
            ran = {"inputsSpent": 1, "framesSpent": 40, "screenChanged": True}
            result |= {"status": "completed", "outcome": ran}
        else:
            result |= {"status": "failed", "errorCode": "no_path_to_target", "message": "no path"}
        return opaque({"source": "environment", "result": result})

    def _call(self, number: int, *, failed: bool) -> Iterator[UsageLine]:
        self.charged = 2_000 + number * 3 + self._chance.randrange(400)
        for stage in ("reserved", "settled"):
            yield UsageLine(
                call_id=f"call-{number}",
                stage=stage,
                role="mind",
                provider="openai",
                model="careful-8b",
                turn=number,
                charged=16_000 if stage == "reserved" or failed else self.charged,
                reported=stage == "settled" and not failed,
                cost=0.0032 if stage == "reserved" or failed else self.charged / 5e6,
            )
        if failed:
            self.charged = 16_000

    def _text(self, words: int) -> str:
        if self._texts and self._chance.random() < 0.4:
            return self._chance.choice(self._texts)
        return " ".join(self._chance.choice(_WORDS.split()) for _ in range(words))


def _canonical(value: dict[str, Any]) -> Raw:
    """Keys sorted, no spaces: the form whose digest a turn carries."""
    return Raw(msgspec.json.encode(value, order="sorted"))


def _digest_of(stage: Raw) -> str:
    observations = msgspec.json.decode(stage, type=dict[str, Raw])["observations"]
    return hashlib.sha256(observations).hexdigest()


def _wall(x: int, y: int) -> bool:
    return x < 1 or y < 1 or x > 38 or y > 38 or (x % 7 == 3 and y % 5 != 2)
