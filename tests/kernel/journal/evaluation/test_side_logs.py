from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kernel.journal.damage import JournalUnreadable
from kernel.journal.evaluation.side_logs import LifecycleEvents, Receipts

WriteLines = Callable[..., Path]

PLAYED = "discord.voice.response"
OURS_PLAYED = "play.delivery.played"
SUPPRESSED = "discord.voice.play_narration_suppressed"
OLDER_SUPPRESSED = "discord.voice.possessor_narration_suppressed"
REFUSAL = "discord.voice.play_refusal"
OLDER_REFUSAL = "discord.voice.possessor_refusal"
RESPONSE = "discord.voice.model_response"
SUBMITTED = "discord.voice.possessor_narration_submission"


def receipt(type: str, phase: str | None = None, delivery: str = "d1") -> dict[str, object]:
    data = {"deliveryId": delivery} | ({"phase": phase} if phase else {})
    return {"type": type, "data": data}


@pytest.mark.parametrize(
    ("receipts", "verdict"),
    [
        ([], "attempted_no_receipt"),
        ([receipt(SUBMITTED)], "attempted_no_receipt"),
        ([receipt(PLAYED, delivery="another")], "attempted_no_receipt"),
        ([receipt(PLAYED)], "played"),
        ([receipt(OURS_PLAYED)], "played"),
        ([receipt(SUPPRESSED), receipt(REFUSAL), receipt(PLAYED)], "played"),
        ([receipt(REFUSAL), receipt(SUPPRESSED)], "suppressed"),
        ([receipt(OLDER_SUPPRESSED)], "suppressed"),
        ([receipt("play.delivery.suppressed")], "suppressed"),
        ([receipt("matrix.call.play_narration_suppressed")], "suppressed"),
        ([receipt("matrix.call.play_refusal")], "refused"),
        ([receipt("matrix.call.response")], "attempted_no_receipt"),
        ([receipt("discord.voice.not_play_refusal")], "attempted_no_receipt"),
        ([receipt(RESPONSE, "completed"), receipt(REFUSAL)], "refused"),
        ([receipt(OLDER_REFUSAL)], "refused"),
        ([receipt("play.delivery.refused")], "refused"),
        ([receipt("play.delivery.failed")], "failed"),
        ([receipt(RESPONSE, "requested")], "attempted_no_receipt"),
        ([receipt(RESPONSE, "requested"), receipt(RESPONSE, "completed")], "unspoken"),
        ([receipt(RESPONSE, "failed")], "failed"),
        ([receipt(RESPONSE, "failed"), receipt(RESPONSE, "completed")], "unspoken"),
        ([receipt(RESPONSE, "completed"), receipt(RESPONSE, "failed")], "failed"),
        ([receipt(RESPONSE, "failed"), receipt(RESPONSE, "requested")], "failed"),
    ],
)
def test_the_first_receipt_rule_that_holds_is_the_narration(
    write_lines: WriteLines, receipts: list[dict[str, object]], verdict: str
) -> None:
    found = Receipts().read(write_lines("receipts.jsonl", *receipts))
    assert found.verdict_on("d1") == verdict
    assert found.unreadable == 0


def test_receipts_are_told_in_their_order(write_lines: WriteLines) -> None:
    found = Receipts().read(
        write_lines("receipts.jsonl", receipt(RESPONSE), receipt(PLAYED), receipt(RESPONSE))
    )
    assert found.types_of("d1") == (RESPONSE, PLAYED, RESPONSE)
    assert found.types_of(None) == found.types_of("other") == ()


def test_lines_that_do_not_parse_are_counted_and_hide_no_other(write_lines: WriteLines) -> None:
    path = write_lines(
        "receipts.jsonl",
        "{",
        receipt(PLAYED),
        "",
        "[1]",
        '{"type":7}',
        '{"type":"x","data":null}',
        '{"type":"x"}',
        '{"type":"x","data":{"deliveryId":5}}',
    )
    with path.open("ab") as file:
        file.write(b'{"type":"\xff"}\n{"type":"discord.voice.resp')
    found = Receipts().read(path)
    assert found.unreadable == 6
    assert found.verdict_on("d1") == "played"


def test_the_last_terminal_event_of_a_run_is_its_end(write_lines: WriteLines) -> None:
    path = write_lines(
        "events.jsonl",
        {"type": "embodiment.session.running", "data": {"sessionId": "r1", "seat": "red"}},
        {"type": "embodiment.session.failed", "data": {"sessionId": "r1"}},
        "nothing",
        {"type": "embodiment.session.stopped", "data": {"sessionId": "r1", "outcome": "idle"}},
        {"type": "embodiment.session.stopped", "data": {"sessionId": "r2", "seat": "blue"}},
        {"type": "embodiment.intent.submitted", "data": {"budget": {}}},
    )
    events = LifecycleEvents().read(path)
    end = events.end_of("r1")
    assert end is not None
    assert end.data is not None
    assert end.data.outcome == "idle"
    assert events.end_of("r3") is None
    assert events.end_of(None) is None
    assert events.runs_of_seat("red") == {"r1"}
    assert events.unreadable == 1


def test_a_side_log_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalUnreadable, match=r"receipts\.jsonl"):
        Receipts().read(tmp_path / "receipts.jsonl")
