from __future__ import annotations

import msgspec
import pytest

from kernel.journal.lines import (
    NULL,
    ActionLine,
    AnyLine,
    Decided,
    DecisionLine,
    Evidence,
    EvidenceWindowLine,
    HeaderLine,
    JournalGapLine,
    NotableLine,
    SummaryLine,
    TransportLine,
    TurnLine,
    UsageLine,
    opaque,
)

AT = "2026-03-01T10:00:00.000Z"

decoder = msgspec.json.Decoder(AnyLine)


def test_a_line_opens_with_its_kind_and_version_and_spells_keys_in_camel_case() -> None:
    line = DecisionLine(
        turn=3,
        attempt=1,
        decision=Decided(monologue="m", intent="i", action=opaque({"kind": "wait"})),
        idempotency_key="k",
    )
    text = msgspec.json.encode(line)
    assert text.startswith(b'{"kind":"decision","schemaVersion":2,"turn":3,')
    assert b'"idempotencyKey":"k"' in text


@pytest.mark.parametrize(
    ("line", "kind", "version"),
    [
        (HeaderLine(scenario_id="s", started_at=AT), "header", 3),
        (
            ActionLine(turn=0, outcome="accepted", result=NULL),
            "action",
            2,
        ),
        (
            UsageLine(
                call_id="c", stage="reserved", role="mind", provider="p", model="m", charged=1
            ),
            "usage",
            2,
        ),
        (NotableLine(notable="stuck"), "notable", 2),
        (EvidenceWindowLine(window=0, lines=256, bytes=1, sha256="0" * 64), "evidence_window", 2),
        (
            JournalGapLine(
                cause="write_failed", lost=1, lost_kinds=("turn",), first_at=AT, last_at=AT
            ),
            "journal_gap",
            2,
        ),
        (TransportLine(role="mind", failure="timeout", attempt=1), "transport", 2),
        (SummaryLine(outcome="stopped", turns_taken=0), "summary", 2),
    ],
)
def test_every_kind_reads_back_as_it_was_written(line: AnyLine, kind: str, version: int) -> None:
    text = msgspec.json.encode(line)
    assert text.startswith(b'{"kind":"%s","schemaVersion":%d' % (kind.encode(), version))
    assert decoder.decode(text) == line


OLD_TURN = (
    '{"kind":"turn","schemaVersion":1,"turn":{"turn":4,"observationSha256":"x","monologue":"m",'
    '"intent":"i","notes":"n","action":{"kind":"save_checkpoint","label":"before the gym"},'
    '"outcome":"accepted"}}'
)


def test_older_turns_get_the_defaults_that_the_rules_give_them() -> None:
    line = decoder.decode(OLD_TURN)
    assert isinstance(line, TurnLine)
    assert line.turn.speak_wanted is False
    assert line.turn.objective_retired is None
    assert line.evidence == NULL


def test_older_summaries_get_the_defaults_that_the_rules_give_them() -> None:
    line = decoder.decode(
        '{"kind":"summary","schemaVersion":1,"outcome":"finished","turnsTaken":9,'
        '"volition":{"offered":3,"taken":1,"suppressed":0}}'
    )
    assert isinstance(line, SummaryLine)
    assert line.volition.skipped == 0
    assert line.objectives_retired == 0
    assert line.leave is None


@pytest.mark.parametrize(
    "action",
    [
        '{"kind":"save_checkpoint","label":"x"}',
        '{"kind":"load_checkpoint","id":"7"}',
        '{"kind":"restart_game"}',
        '{"kind":"something that will be retired one day","n":[1,{"a":null}]}',
    ],
)
def test_a_retired_action_reads_back_as_it_was_recorded(action: str) -> None:
    line = decoder.decode(
        OLD_TURN.replace('{"kind":"save_checkpoint","label":"before the gym"}', action)
    )
    assert isinstance(line, TurnLine)
    assert bytes(memoryview(line.turn.action)) == action.encode()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"kind":"header","schemaVersion":4,"scenarioId":"s","startedAt":"%s"}', "schemaVersion"),
        ('{"kind":"header","schemaVersion":3,"startedAt":"%s"}', "scenarioId"),
        ('{"kind":"header","scenarioId":"s","startedAt":"yesterday, %s"}', "startedAt"),
        ('{"kind":"diary","at":"%s"}', "kind"),
        ('{"at":"%s"}', "kind"),
        ('{"kind":"summary","at":"%s","outcome":"stopped","turnsTaken":-1}', "turnsTaken"),
        ('{"kind":"summary","at":"%s","outcome":"stopped","turnsTaken":1e30}', "turnsTaken"),
        ('{"kind":"summary","at":"%s","outcome":"stopped","turnsTaken":1e999}', "turnsTaken"),
        ('{"kind":"summary","at":"%s","outcome":"stopped","turnsTaken":"9"}', "turnsTaken"),
        ('{"kind":"summary","at":"%s","outcome":"stopped","turnsTaken":true}', "turnsTaken"),
        ('{"kind":"summary","at":"%s","outcome":"stopped","turnsTaken":NaN}', "malformed"),
        ('{"kind":"notable","at":"%s","notable":"stuck","venue":"moon"}', "venue"),
    ],
)
def test_a_wrong_field_is_refused_by_name(text: str, names: str) -> None:
    with pytest.raises(msgspec.DecodeError, match=names):
        decoder.decode(text % AT)


@pytest.mark.parametrize("present", ["speechDeliveryId", "narrationEvent"])
def test_half_a_narration_pair_is_refused(present: str) -> None:
    with pytest.raises(msgspec.DecodeError, match="go together"):
        decoder.decode(OLD_TURN[:-1] + f',"{present}":"x"}}')


def test_evidence_keeps_a_bodys_own_text_exactly() -> None:
    own = b'{"b":1,"a":[1.50,"\\u00e9"],"ignored":null}'
    evidence = Evidence(decision=msgspec.Raw(own))
    assert own in msgspec.json.encode(evidence)
    again = msgspec.json.decode(msgspec.json.encode(evidence), type=Evidence)
    assert bytes(memoryview(again.decision)) == own
