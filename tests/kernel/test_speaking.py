"""Speech: the gate, the player's own words, the voice, a room that authors its own."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import trio
from scripted_model import ScriptedModel, answer, failure
from stage import staged
from trio.testing import MockClock

from kernel.controls import Ending
from kernel.session import wire
from kernel.session.specification import BudgetCeiling

AT = "2026-01-01T00:00:00.000Z"
LONG = BudgetCeiling(tokens=None, max_turns=10)


async def test_k25_an_unprompted_remark_waits_four_turns_and_is_recorded_as_held(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    model = ScriptedModel([answer(speak="nice")])
    async with staged(tmp_path, model=model, ceiling=LONG) as stage:
        await stage.run()
        assert [m.turn for m in stage.messages(wire.Speech)] == [0, 4, 8]
        held = [facts.speech.suppressed for facts in stage.body.turns]
        assert held == [False, True, True, True] * 2 + [False, True]
        assert stage.play.speaking.counts.suppressed == 7


async def test_k25_a_reply_is_never_held(tmp_path: Path, autojump_clock: MockClock) -> None:
    model = ScriptedModel([answer(reply="yes?", speak="hm")])
    async with staged(tmp_path, model=model, ceiling=LONG) as stage:
        await stage.run()
        replies = [m.turn for m in stage.messages(wire.Speech) if m.speech == "reply"]
        assert replies == list(range(10))


async def test_k26_with_a_voice_its_words_are_spoken_and_the_players_are_only_a_wish(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    model, voice = ScriptedModel([answer(speak="me first")]), ScriptedModel([answer(say="Behold!")])
    async with staged(
        tmp_path, model=model, voice=voice, ceiling=BudgetCeiling(max_turns=1)
    ) as stage:
        await stage.run()
        assert [m.text for m in stage.messages(wire.Speech)] == ["Behold!"]
        speech = stage.body.turns[0].speech
        assert (speech.speak, speech.wanted, speech.reply) == ("Behold!", True, None)
        assert stage.budget.tokens == 220
        roles = [line["role"] for line in stage.lines("usage")]
        assert roles == ["mind", "mind", "voice", "voice"]
    asked = voice.prompts[0].parts[0]
    for shown in ("hm", "go on", "from 0 to 1", "me first"):
        assert shown in asked


async def test_k26_the_voice_is_not_called_when_nobody_spoke_and_the_gate_is_closed(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    voice = ScriptedModel([answer(say="Behold!")])
    async with staged(tmp_path, voice=voice, ceiling=LONG) as stage:
        await stage.run()
        assert len(voice.prompts) == 3
        assert stage.play.speaking.counts.skipped == 7


async def test_k26_the_voice_answers_a_person_even_with_a_closed_gate(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    voice = ScriptedModel([answer(say="Hello Ann!")])
    async with staged(tmp_path, voice=voice, ceiling=BudgetCeiling(max_turns=2)) as stage:
        stage.body.hooks["act"] = lambda: stage.controls.say("Ann", "hey", AT)
        await stage.run()
        spoken = [(m.turn, m.speech) for m in stage.messages(wire.Speech)]
        assert spoken == [(0, "speak"), (1, "reply")]
    assert "Ann said: hey" in voice.prompts[1].parts[0]
    assert "You said recently: Hello Ann!" in voice.prompts[1].parts[0]


async def test_k13_a_failing_voice_is_silence_and_costs_no_turn(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    voice = ScriptedModel([failure(), answer(say=None), answer(nonsense=1)])
    model = ScriptedModel([answer(speak="hi")])
    async with staged(tmp_path, model=model, voice=voice, ceiling=LONG) as stage:
        await stage.run()
        assert stage.messages(wire.Speech) == []
        assert {facts.outcome for facts in stage.body.turns} == {"accepted"}
        assert stage.play.speaking.counts.voice_failures == 1


async def test_k13_a_voice_that_keeps_failing_is_logged_once(
    tmp_path: Path, autojump_clock: MockClock, capsys: pytest.CaptureFixture[str]
) -> None:
    model, voice = ScriptedModel([answer(speak="hm")]), ScriptedModel([failure()])
    async with staged(tmp_path, model=model, voice=voice, ceiling=LONG) as stage:
        await stage.run()
        assert stage.play.speaking.counts.voice_failures > 1
    said = capsys.readouterr().err.splitlines()
    assert said == ["voice: server: server it is; play goes on without it"]


async def test_a_stop_during_the_voice_keeps_the_turn_and_says_nothing(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    voice = ScriptedModel([answer(say="too late")], seconds=30)
    async with staged(tmp_path, voice=voice) as stage:

        async def stop() -> None:
            await trio.sleep(10)
            stage.controls.end(Ending("stopped", patience=5))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(stop)
            await stage.run()
        assert voice.withdrawn == 1
        assert stage.messages(wire.Speech) == []
        assert [facts.outcome for facts in stage.body.turns] == ["accepted"]


async def test_the_voice_is_not_called_past_the_ceiling(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    voice = ScriptedModel([answer(say="hm")])
    async with staged(tmp_path, voice=voice, ceiling=BudgetCeiling(tokens=None)) as stage:
        stage.body.hooks["act"] = lambda: setattr(stage.budget, "ceiling", BudgetCeiling(tokens=1))
        await stage.run()
        assert voice.prompts == []


async def test_k27_a_room_with_an_author_gets_a_bounded_event_and_nobody_else_speaks(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    model = ScriptedModel([answer(speak="I say", monologue="m" * 600)])
    async with staged(tmp_path, model=model, room_authors=True, ceiling=LONG) as stage:
        await stage.run()
        sent = stage.messages(wire.Speech)
        assert [(m.speech, m.turn) for m in sent] == [("narration", t) for t in (0, 4, 8)]
        assert all(len(m.text) <= 512 for m in sent)
        speech = stage.body.turns[0].speech
        assert (speech.speak, speech.wanted) == (None, True)
        assert speech.delivery_id == sent[0].id
        assert speech.narration_event == sent[0].text
        assert "happened: from 0 to 1" in sent[0].text


def test_words_that_are_too_long_are_cut() -> None:
    from kernel.voice import Voice

    voice = Voice(None, "")  # type: ignore[arg-type]
    assert voice.read(msgspec.json.encode({"say": "x" * 900}), 400) == "x" * 400
