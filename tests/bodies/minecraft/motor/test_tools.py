"""When a tool's answer is an answer."""

from __future__ import annotations

from typing import Any

import pytest

from bodies.minecraft import wire
from bodies.minecraft.motor.motor import MotorTrouble
from bodies.minecraft.motor.tools import ToolAnswer, read_answer

PAGE = '{"events": [], "latestSequence": 7}'


@pytest.mark.parametrize(
    ("text", "structured"),
    [
        (PAGE, None),
        (PAGE, {"latestSequence": 9}),
        ("", {"events": [], "latestSequence": 7}),
        ("seven events", {"latestSequence": 7}),
        ('{"ok": true, "latestSequence": 7, "newer": {}}', None),
    ],
)
def test_an_answer_is_json_text_or_structured_content(text: str, structured: Any) -> None:
    """Text counts first: it is what the motor wrote itself."""
    assert read_answer("t", ToolAnswer(text, structured), wire.EventPage).latest_sequence == 7


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (ToolAnswer("no bed", None, True), "no bed"),
        (ToolAnswer(PAGE, None, True), "t failed"),
        (ToolAnswer('{"ok": false, "error": "no bed"}'), "no bed"),
        (ToolAnswer('{"ok": false, "error": {"code": 1, "message": "no bed"}}'), "no bed"),
        (ToolAnswer('{"ok": false, "message": "no bed"}'), "no bed"),
        (ToolAnswer(PAGE, {"ok": False}), "t failed"),
        (ToolAnswer("no bed"), "no bed"),
        (ToolAnswer(""), "without a word"),
        (ToolAnswer("[1]"), "no JSON object"),
        (ToolAnswer('{"latestSequence": ' + "[" * 100_000), "no JSON object"),
        (ToolAnswer('{"latestSequence": -1}'), "latestSequence"),
        (ToolAnswer('{"latestSequence": "7"}'), "latestSequence"),
        (ToolAnswer('{"latestSequence": 1.5}'), "latestSequence"),
        (ToolAnswer("no \x1b[31mbed\n" + "x" * 9999, None, True), "no [31mbed x"),
    ],
)
def test_a_failure_in_any_envelope_is_one_with_the_motors_words(
    answer: ToolAnswer, words: str
) -> None:
    """Case 28."""
    with pytest.raises(MotorTrouble) as trouble:
        read_answer("t", answer, wire.EventPage)
    assert words in str(trouble.value)
    assert len(str(trouble.value)) <= 300
    assert str(trouble.value).isprintable()
