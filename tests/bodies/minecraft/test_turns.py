"""What a body makes of its turns: memory, stalls, the line, and how the line is read back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from scripted_model import ScriptedModel, answer
from stage import staged

from bodies.minecraft.reading import MinecraftReading
from kernel.body import Memory
from kernel.journal.lines import LINE_LIMIT
from kernel.journal.reader import JournalReader
from kernel.journal.recorded import RecordedTurn
from kernel.session.specification import BudgetCeiling

CHAT = {"monologue": "somebody is here", "intent": "greet", "action": "chat", "text": "hello"}
WAIT = {"monologue": "let us see", "intent": "wait", "notes": "n", "objective": "o"}

HURT = {"twist": {"facts": [{
    "source": "server_packet", "observedAt": "2026-01-01T00:00:00Z",
    "fact": {"kind": "health", "player": "Alex", "health": 3, "food": 3},
}]}}  # fmt: skip


async def played(
    body: Any, directory: Path, script: list[dict[str, Any]]
) -> tuple[Any, list[RecordedTurn]]:
    """The stage after these decisions, and the turns as they are read back."""
    await body.join()
    body.recall(Memory("old notes", "old objective"))
    body.pace = lambda: 0.0
    model = ScriptedModel([answer(**fields) for fields in script], seconds=0)
    ceiling = BudgetCeiling(max_turns=len(script))
    async with staged(directory, body=body, model=model, ceiling=ceiling) as stage:
        await stage.run()
    reader = JournalReader(stage.play.trail.writer.path, lambda _: MinecraftReading())
    turns = [entry.value for entry in reader if isinstance(entry.value, RecordedTurn)]
    return stage, turns


async def test_a_run_is_written_natively_and_read_back_as_the_turn_everybody_knows(
    opened: Any, tmp_path: Path
) -> None:
    async with opened() as body:
        stage, (chat, wait) = await played(body, tmp_path, [CHAT, WAIT])
    native = stage.lines("turn")[0]
    assert native["connectionGeneration"] == 1
    assert native["turn"]["action"]["evidence"]["kind"] == "verified"
    assert native["turn"]["usage"][0]["input"] == 100
    assert native["memory"] == {"notes": "old notes", "objective": "old objective"}
    for stage_name in ("shown", "before", "after"):
        assert native[stage_name]["observations"][0]["facts"][0]["fact"]["player"] == "Alex"
        assert native[stage_name]["provenance"]["player"] == "Alex"
    assert (chat.turn.outcome, wait.turn.outcome) == ("settled", "waited")
    assert chat.turn.effect == 'verified: Alex was heard to say "hello"'
    assert chat.turn.intent == "greet"
    assert chat.turn.objective_retired is None
    assert chat.turn.usage is not None
    assert chat.turn.usage.calls == 1
    assert bytes(chat.evidence_text) == b"null"
    assert msgspec.json.decode(chat.game_evidence)["action"]["state"] == "completed"
    assert (wait.turn.notes, wait.turn.objective) == ("n", "o")
    assert bytes(wait.turn.action) == b"null"
    totals = msgspec.json.decode(body.totals().progress)
    assert totals == {"verified": 1, "refuted": 0, "unknown": 0, "waited": 1}


async def test_a_world_that_tells_too_much_loses_no_turn(opened: Any, tmp_path: Path) -> None:
    """K36."""
    async with opened({"crowd": 250}) as body:
        stage, (chat, wait) = await played(body, tmp_path, [CHAT, WAIT])
    assert (chat.turn.outcome, wait.turn.outcome) == ("settled", "waited")
    assert stage.lines("journal_gap") == []
    for line in stage.lines("turn"):
        assert len(msgspec.json.encode(line)) < LINE_LIMIT
    shown = stage.lines("turn")[0]["shown"]
    (observation,) = shown["observations"]
    facts = [each["fact"]["kind"] for each in observation["facts"]]
    assert shown["provenance"]["leftOut"] == 255 - len(facts)
    assert facts[-5:] == ["position", "position", "health", "inventory", "block"]
    assert 30 < facts.count("chat") < 50
    assert f"({255 - len(facts)} more facts" in stage.model.prompts[0].parts[0]


async def test_what_is_judged_and_shown_comes_from_native_evidence(
    opened: Any, tmp_path: Path
) -> None:
    async with opened() as body:
        _, (chat, wait) = await played(body, tmp_path, [CHAT, WAIT])
    judged, reading = MinecraftReading().judge(chat), MinecraftReading()
    assert judged.action_kind == "chat"
    assert judged.action == 'say "hello"'
    assert judged.decision_ms is not None
    assert judged.action_ms is not None
    assert judged.scene_action == judged.movement.effectiveness == "unknown"
    assert reading.judge(wait).action_kind is None
    shown = reading.inspect(chat)
    assert [p.text for p in shown.saw if p.label == "scene"] == [
        "at (0.5,64.0,0.5); health 20, food 18; near: Kim"
    ]
    assert [p.text for p in shown.result if p.label == "result"] == ["completed"]


async def test_six_turns_that_change_and_prove_nothing_are_told_as_stuck(
    opened: Any, tmp_path: Path
) -> None:
    """K22."""
    async with opened() as body:
        stage, turns = await played(body, tmp_path, [WAIT] * 7)
    told = [line["notable"] for line in stage.lines("notable")]
    assert told == ["stuck"]
    assert stage.lines("notable")[0]["turn"] == 5
    assert MinecraftReading().judge(turns[-1]).repeated_turns == 7
    assert body.totals().longest_unchanged_run == 7


async def test_a_failed_action_is_a_turn_and_ends_nothing(opened: Any, tmp_path: Path) -> None:
    """K14."""
    refused = {"act": [{"error": "inventory is full"}], "cancel_action": [{"error": "unknown"}]}
    async with opened(refused) as body:
        stage, (first, second) = await played(body, tmp_path, [CHAT, CHAT])
    assert (first.turn.outcome, second.turn.outcome) == ("action_failed", "settled")
    assert first.turn.detail is not None
    assert "inventory is full" in first.turn.detail
    assert stage.play.tally.accepted == 1


async def test_the_fence_holds_an_action_back_when_health_falls_into_danger(
    opened: Any, tmp_path: Path
) -> None:
    """K8, K18."""
    async with opened({"observe": [{}, HURT]}) as body:
        stage, (turn,) = await played(body, tmp_path, [CHAT])
    assert turn.turn.outcome == "stale_decision"
    assert stage.lines("action") == []


async def test_the_prompt_shows_the_world_as_untrusted_and_ends_with_the_state(
    opened: Any, tmp_path: Path
) -> None:
    async with opened() as body:
        stage, _ = await played(body, tmp_path, [CHAT, WAIT])
    prompt = stage.model.prompts[1]
    head, state = prompt.parts
    assert "untrusted observation" in prompt.system
    assert 'greet: say "hello" -> settled, verified' in head
    fence, line, end = state.split("\n")
    assert (fence, end) == ("```json STATE", "```")
    known = msgspec.json.decode(line)
    assert known["position"] == {"x": 0.5, "y": 64.0, "z": 0.5}
    assert known["inventory"] == [{"item": "oak_log", "count": 3}]
    assert known["players"] == [{"name": "Kim", "x": 4.5, "y": 64.0, "z": 0.5, "near": True}]
    assert known["notes"] == "old notes"
    assert known["last"]["outcome"] == "settled"
    assert stage.model.prompts[0].system == prompt.system


async def test_an_event_is_shown_until_a_decision_came_of_it_and_recorded_each_time(
    opened: Any, tmp_path: Path
) -> None:
    async with opened() as body:
        await body.join()
        body.pace = lambda: 0.0
        model = ScriptedModel([answer(nonsense=1), answer(**WAIT), answer(**WAIT)], seconds=0)
        async with staged(tmp_path, body=body, model=model) as stage:
            stage.play.deciding.events.put("Kim came")
            await stage.run()
    shown = ["Kim came" in prompt.parts[0] for prompt in model.prompts]
    assert shown == [True, True, False]
    assert "reports (untrusted observation): Kim came" in model.prompts[0].parts[0]
    assert [t.get("worldEvent") for t in stage.lines("turn")] == ["Kim came", "Kim came", None]


async def test_an_event_that_only_a_stale_decision_had_seen_is_shown_again(
    opened: Any, tmp_path: Path
) -> None:
    async with opened({"observe": [{}, HURT]}) as body:
        await body.join()
        body.pace = lambda: 0.0
        model = ScriptedModel([answer(**CHAT), answer(**CHAT), answer(**WAIT)], seconds=0)
        ceiling = BudgetCeiling(max_turns=3)
        async with staged(tmp_path, body=body, model=model, ceiling=ceiling) as stage:
            stage.play.deciding.events.put("Kim came")
            await stage.run()
    outcomes = [line["turn"]["outcome"] for line in stage.lines("turn")]
    assert outcomes == ["stale_decision", "settled", "waited"]
    assert ["Kim came" in prompt.parts[0] for prompt in model.prompts] == [True, True, False]


async def test_pace_follows_company_and_nobody_near_for_long_is_idle(
    opened: Any, tmp_path: Path
) -> None:
    """K23."""
    alone = {"twist": {"facts": []}, "loop": True}
    async with opened({"observe": [{}, alone]}) as body:
        await body.join()
        await body.observe()
        assert body.pace() == 2
        await body.observe()
        assert body.pace() == 15
        assert body.ready() is None


@pytest.mark.parametrize(
    "line",
    [
        b'{"kind":"turn","turn":{"turn":0,"decision":null,"outcome":"mind_failed"}}',
        b'{"kind":"turn","connectionGeneration":1,"turn":{"turn":-1,"decision":null,"outcome":"x"}}',
        b'{"kind":"turn","connectionGeneration":1,"turn":{"turn":0,"decision":null,"outcome":"x"},'
        b'"narrationEvent":"e"}',
    ],
)
def test_a_damaged_line_is_loud(line: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        MinecraftReading().project(line)


def test_an_older_line_without_the_newer_fields_is_read() -> None:
    line = (
        b'{"kind":"turn","schemaVersion":1,"connectionGeneration":3,"turn":{"turn":4,'
        b'"decision":{"monologue":"m","intent":"i","action":{"kind":"teleport"}},'
        b'"outcome":"settled","effect":"there"},"before":null,"after":null,'
        b'"memory":{"notes":"n","objective":null},"speakSuppressed":true}'
    )
    turn = MinecraftReading().project(line).turn
    assert (turn.turn, turn.effect, turn.notes, turn.speak_suppressed) == (4, "there", "n", True)
    assert bytes(turn.action) == b'{"kind":"teleport"}'
    assert turn.usage is None


def test_registering_the_body_loads_no_client_library() -> None:
    program = (
        "import sys; from kernel.bodies import body_named; kind = body_named('minecraft');"
        "assert kind.environments == ('minecraft',); assert kind.reading() is not None;"
        "print('mcp' in sys.modules, 'trio' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert ran.stdout.startswith("False")


async def test_a_stop_is_not_delayed_by_events(opened: Any) -> None:
    async with opened({"poll_events": [{"hang": True}]}) as body:
        await body.join()
        await trio.sleep(1.1)
        assert (await body.leave()).leave == "confirmed"
