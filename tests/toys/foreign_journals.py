"""Journals as other recorders left them: an older Pokémon run, and Minecraft's native turns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SESSION = {"sessionId": "run-m", "connectionGeneration": 1}
MINECRAFT = {
    "runId": "run-m",
    "journeyId": "minecraft:garden:porch",
    "environmentId": "minecraft",
    "environmentSessionId": "run-m",
    "venue": "world",
}


def write_older(played: Path, path: Path) -> Path:
    """A run as it stood before version 3: turns alone, no envelope, a header of version 2."""
    lines = [json.loads(line) for line in played.read_text().splitlines()]
    header = {
        "kind": "header",
        "schemaVersion": 2,
        "runId": lines[0]["runId"],
        "scenarioId": "world:pokemon-firered",
        "startedAt": lines[0]["startedAt"],
        "resumedFromCheckpointId": None,
    }
    turns = [
        {name: value for name, value in line.items() if name in _OF_A_TURN}
        for line in lines
        if line["kind"] == "turn"
    ]
    for turn in turns:
        turn |= {"screenshot": None, "speechDeliveryId": None, "narrationEvent": None}
    return write_lines(path, header, *turns)


def write_minecraft(path: Path) -> Path:
    """Three turns: one verified, one refuted, and one without a decision."""
    header = {
        "kind": "header",
        "schemaVersion": 3,
        "at": _at(0),
        "scenarioId": "minecraft:garden",
        "startedAt": _at(0),
        "driverGeneration": 1,
        "connectionGeneration": 1,
    }
    turns = (
        minecraft_turn(0, {"kind": "chat", "text": "Hello!"}, "verified"),
        minecraft_turn(1, {"kind": "dig", "position": {"x": 3, "y": 64, "z": 4}}, "refuted"),
        minecraft_turn(2, None, None),
    )
    return write_lines(path, header | MINECRAFT, *turns)


def minecraft_turn(
    number: int, action: dict[str, Any] | None, evidence: str | None, **fields: Any
) -> dict[str, Any]:
    """One native turn line; `evidence` says what the motor's witness saw."""
    decided = {
        "monologue": "Somebody is there.",
        "intent": "greet them",
        "notes": None,
        "objective": "make a friend",
        "action": action,
    }
    native = {
        "turn": number,
        "decision": decided if action else None,
        "outcome": "settled" if action else "mind_failed",
        "effect": f"turn {number} happened" if action else None,
        "action": _status(number, action, evidence) if action and evidence else None,
        "preemptions": 0,
        "usage": [{"role": "mind", "input": 900, "output": 60, "charged": 960, "reported": True}],
    }
    line = {
        "kind": "turn",
        "schemaVersion": 2,
        "at": _at(number * 10 + 9),
        "connectionGeneration": 1,
        "turn": native,
        "shown": _stage(number),
        "before": _stage(number),
        "after": _stage(number),
        "memory": {"notes": "a note", "objective": "make a friend"},
        "interjection": None,
        "speakSuppressed": False,
        "stalledForTurns": number,
        "timing": {
            "decisionStartedAt": _at(number * 10),
            "decisionSettledAt": _at(number * 10 + 2),
            "actionStartedAt": _at(number * 10 + 3) if action else None,
            "actionSettledAt": _at(number * 10 + 7) if action else None,
        },
    }
    return line | MINECRAFT | fields


def write_lines(path: Path, *lines: dict[str, Any]) -> Path:
    """One line of JSON each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


_OF_A_TURN = ("kind", "schemaVersion", "at", "turn", "evidence")


def _status(number: int, action: dict[str, Any], evidence: str) -> dict[str, Any]:
    observed = "Hello!" if evidence == "verified" else "Bye!"
    return {
        "session": SESSION,
        "actionId": f"action-{number}",
        "requested": action,
        "state": "completed",
        "requestedAt": _at(number * 10 + 3),
        "updatedAt": _at(number * 10 + 7),
        "evidence": {
            "kind": evidence,
            "source": "server_packet",
            "observedAt": _at(number * 10 + 5),
            "checks": [
                {"kind": "chat", "player": "Alex", "expected": "Hello!", "observed": observed}
            ],
        },
    }


def _stage(number: int) -> dict[str, Any]:
    facts = (
        {"kind": "position", "player": "Alex", "position": {"x": number, "y": 64, "z": 0.5}},
        {"kind": "health", "player": "Alex", "health": 20, "food": 18},
    )
    observation = {
        "session": SESSION,
        "observedAt": _at(number * 10),
        "facts": [
            {"source": "server_packet", "observedAt": _at(number * 10), "fact": fact}
            for fact in facts
        ],
    }
    return {"observations": [observation], "provenance": {"player": "Alex"}}


def _at(seconds: int) -> str:
    return f"2026-03-01T10:00:{seconds:02}.000Z"
