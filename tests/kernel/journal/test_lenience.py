from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.journal.lenience import read
from kernel.journal.lines import HeaderLine, SummaryLine, TurnLine

Line = HeaderLine | TurnLine | SummaryLine
decoder = msgspec.json.Decoder[Line](Line)

TURN = {
    "turn": 4,
    "observationSha256": None,
    "monologue": None,
    "intent": None,
    "notes": None,
    "action": None,
    "outcome": "accepted",
}
SUMMARY = {"kind": "summary", "outcome": "finished", "turnsTaken": 3}
HEADER = {"kind": "header", "scenarioId": "s", "startedAt": "2026-03-01T10:00:00Z"}


def turn(own: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {"kind": "turn", "schemaVersion": 1, "turn": TURN | (own or {})} | fields


@pytest.mark.parametrize(
    ("with_nulls", "without"),
    [
        (turn(screenshot=None), turn()),
        (turn(speechDeliveryId=None, narrationEvent=None), turn()),
        (turn(at=None, runId=None, journeyId=None, venue=None), turn()),
        (turn({"speakWanted": None, "speakSuppressed": None, "clipped": None}), turn()),
        (turn({"usage": {"input": 3, "estimated": None}}), turn({"usage": {"input": 3}})),
        (HEADER | {"environmentId": None, "connectionGeneration": None}, HEADER),
        (SUMMARY | {"accepted": None, "durationMs": None, "volition": None}, SUMMARY),
        (SUMMARY | {"volition": {"offered": 2, "skipped": None}, "undelivered": None},
         SUMMARY | {"volition": {"offered": 2}}),
    ],
)  # fmt: skip
def test_a_null_reads_as_left_out(with_nulls: dict[str, Any], without: dict[str, Any]) -> None:
    assert read(decoder, json.dumps(with_nulls).encode()) == read(
        decoder, json.dumps(without).encode()
    )


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (turn({"turn": None, "clipped": None}), "turn.turn"),
        (turn({"outcome": None}, screenshot=None), "turn.outcome"),
        (SUMMARY | {"volition": None, "turnsTaken": None}, "turnsTaken"),
        (HEADER | {"startedAt": None}, "startedAt"),
        (turn({"clipped": [None]}), "turn.clipped[0]"),
        (turn({"speakWanted": 0}, screenshot=None), "turn.speakWanted"),
    ],
)
def test_a_null_where_something_has_to_be_is_damage_at_its_field(
    line: dict[str, Any], field: str
) -> None:
    with pytest.raises(msgspec.ValidationError, match="at `") as raised:
        read(decoder, json.dumps(line).encode())
    assert str(raised.value).endswith(f"`$.{field}`")


def test_half_of_a_delivery_is_damage_with_a_null_as_without() -> None:
    with pytest.raises(msgspec.ValidationError, match="go together"):
        read(decoder, json.dumps(turn(speechDeliveryId="d", narrationEvent=None)).encode())


@pytest.mark.parametrize(
    ("written", "reads"),
    [
        (r"cut \ud83d", "cut �"),
        (r"\ude00 cut", "� cut"),
        (r"\uD83D and \ud83d\ude00", "� and 😀"),
        (r"\ud83d\ud83d\ude00", "�😀"),
        (r"a path\\ud83d", r"a path\ud83d"),
        (r"\\\ud83d", "\\�"),
    ],
)
def test_half_of_a_character_reads_as_its_replacement(written: str, reads: str) -> None:
    text = json.dumps(turn()).replace('"monologue": null', f'"monologue": "{written}"')
    line = read(decoder, text.encode())
    assert isinstance(line, TurnLine)
    assert line.turn.monologue == reads


@given(st.lists(st.characters(categories=["Cs", "Lu", "So", "Po"]), max_size=8).map("".join))
def test_any_text_that_another_recorder_escapes_is_read(text: str) -> None:
    """As JavaScript and Python write a text that holds halves."""
    line = read(decoder, json.dumps(turn({"monologue": text}, screenshot=None)).encode())
    assert isinstance(line, TurnLine)
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert len(line.turn.monologue or "") == len(whole)


def test_fractions_of_a_millisecond_are_kept() -> None:
    line = read(decoder, json.dumps(SUMMARY | {"durationMs": 1234.5}).encode())
    assert isinstance(line, SummaryLine)
    assert line.duration_ms == 1234.5
    with pytest.raises(msgspec.ValidationError):
        read(decoder, json.dumps(SUMMARY | {"durationMs": -0.5}).encode())
