from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import cast

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from kernel.journal.damage import JournalDamaged, JournalError, JournalUnreadable
from kernel.journal.lines import (
    LINE_LIMIT,
    NULL,
    ActionLine,
    Decided,
    DecisionLine,
    HeaderLine,
    Line,
    NotableLine,
    SummaryLine,
    Turn,
    TurnLine,
    opaque,
)
from kernel.journal.projection import JournalReading, ProjectedTurn
from kernel.journal.reader import Entry, JournalReader, TornTail
from kernel.journal.recorded import RecordedTurn
from kernel.journal.verify import verify
from kernel.journal.writer import JournalWriter

OpenWriter = Callable[..., JournalWriter]
MakeTurn = Callable[..., TurnLine]

HEADER = '{"kind":"header","schemaVersion":%d,"scenarioId":"s","startedAt":"2026-03-01T10:00:00Z"}'
TURN = (
    '{"kind":"turn","schemaVersion":2,"turn":{"turn":%d,"observationSha256":"x","monologue":"m",'
    '"intent":"i","notes":"n","action":{"kind":"wait"},"outcome":"accepted"}}'
)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], Path]:
    def write_file(content: bytes) -> Path:
        path = tmp_path / "j.jsonl"
        path.write_bytes(content)
        return path

    return write_file


def turns_of(reader: JournalReader) -> list[RecordedTurn]:
    return [entry.value for entry in reader if isinstance(entry.value, RecordedTurn)]


def journal_text(*lines: str, header: int = 3) -> bytes:
    return "".join(f"{line}\n" for line in (HEADER % header, *lines)).encode()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_headers_of_every_age_are_read(write: Callable[[bytes], Path], version: int) -> None:
    reader = JournalReader(write(journal_text(TURN % 0, header=version)))
    first, turn = list(reader)
    assert isinstance(first.value, HeaderLine)
    assert first.value.schema_version == version
    assert isinstance(turn.value, RecordedTurn)
    assert turn.value.at is None
    assert turn.value.evidence() is None
    assert reader.torn is None


def test_entries_carry_the_line_that_they_stand_on(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    for number in range(3):
        journal.write(make_turn(number))
    assert [entry.line for entry in JournalReader(journal.path)] == [1, 2, 3, 4]


def test_evidence_is_decoded_when_it_is_asked_for(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    journal.write(make_turn(0))
    evidence = turns_of(JournalReader(journal.path))[0].evidence()
    assert evidence is not None
    assert evidence.decision is not None
    assert len(evidence.decision.observations) == 1
    assert evidence.post_action is None
    assert evidence.action_result is not None
    assert evidence.action_result.source == "environment"


def test_damaged_evidence_is_loud_when_it_is_asked_for(
    write: Callable[[bytes], Path],
) -> None:
    line = TURN[:-1] % 0 + ',"evidence":{"decision":{"observations":7}}}'
    turn = turns_of(JournalReader(write(journal_text(line))))[0]
    with pytest.raises(JournalDamaged) as raised:
        turn.evidence()
    assert raised.value.field == "evidence.decision.observations"
    assert raised.value.line == 2


# --- the end of the file


def test_a_journal_cut_anywhere_gives_every_whole_line_and_names_the_torn_one(
    open_writer: OpenWriter, make_turn: MakeTurn, write: Callable[[bytes], Path]
) -> None:
    """Case 32: in the middle of an object, in the middle of a character, before the newline."""
    journal = open_writer()
    journal.write(make_turn(0, with_evidence=False))
    journal.write(NotableLine(notable="stuck", detail="wände"))
    content = journal.path.read_bytes()
    whole = list(JournalReader(journal.path))
    for cut in range(len(content)):
        kept = content[:cut]
        reader = JournalReader(write(kept))
        entries = list(reader)
        lines = kept.count(b"\n")
        if kept.endswith(b"\n") or not kept:
            assert reader.torn is None
            assert len(entries) == lines
            continue
        missing_newline_only = content[cut : cut + 1] == b"\n"
        tail = kept.rpartition(b"\n")[2]
        assert reader.torn == TornTail(lines + 1, len(tail), whole=missing_newline_only)
        assert len(entries) == lines + missing_newline_only
        assert [type(entry.value) for entry in entries] == [
            type(entry.value) for entry in whole[: len(entries)]
        ]


def test_an_empty_file_has_no_entries(write: Callable[[bytes], Path]) -> None:
    reader = JournalReader(write(b""))
    assert list(reader) == []
    assert reader.torn is None


def test_zero_bytes_at_the_end_are_a_torn_tail(write: Callable[[bytes], Path]) -> None:
    reader = JournalReader(write(journal_text(TURN % 0) + bytes(4096)))
    assert len(list(reader)) == 2
    assert reader.torn == TornTail(3, 4096, whole=False)


# --- damage


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("", ""),
        ("\0\0\0\0", ""),
        ("[]", ""),
        ("null", ""),
        ('{"kind":"turn"', ""),
        ("\ufeff" + TURN % 1, ""),
        ('{"kind":"diary"}', "kind"),
        ('{"schemaVersion":2}', "kind"),
        (HEADER % 3, "kind"),
        ('{"kind":"turn","schemaVersion":2}', "turn"),
        ('{"kind":"turn","schemaVersion":3,"turn":{}}', "schemaVersion"),
        (TURN.replace('"outcome":"accepted"', '"outcome":7') % 1, "turn.outcome"),
        (TURN.replace(',"outcome":"accepted"', "") % 1, "turn.outcome"),
        (TURN.replace('"notes":"n",', "") % 1, "turn.notes"),
        (TURN.replace("%d", "-1"), "turn.turn"),
        (TURN.replace("%d", "1e999"), "turn.turn"),
        (TURN.replace("%d", "1" + "0" * 30), "turn.turn"),
        (TURN.replace("%d", "NaN"), ""),
        (TURN.replace("%d", '"1"'), "turn.turn"),
        (TURN[:-1] % 1 + ',"evidence":[NaN]}', ""),
        (TURN[:-1] % 1 + ',"evidence":' + "[" * 5000 + "]" * 5000 + "}", ""),
        (TURN[:-1] % 1 + ',"speechDeliveryId":"d"}', ""),
        ('{"kind":"usage","schemaVersion":2,"callId":"c","stage":"begun"}', "stage"),
        ('{"kind":"notable","schemaVersion":2,"notable":"stuck","at":"now"}', "at"),
    ],
)
def test_damage_names_file_line_and_field(
    write: Callable[[bytes], Path], line: str, field: str
) -> None:
    path = write(journal_text(TURN % 0, line, TURN % 2))
    with pytest.raises(JournalDamaged) as raised:
        list(JournalReader(path))
    assert (raised.value.path, raised.value.line, raised.value.field) == (path, 3, field)
    assert str(path) in str(raised.value)
    assert "line 3" in str(raised.value)


@pytest.mark.parametrize(
    "raw",
    [
        (TURN % 1).encode().replace(b'"m"', b'"\xff"'),
        (TURN[:-1] % 1).encode() + b',"evidence":{"note":"\xc3\x28"}}',
        (TURN % 1).encode("utf-16"),
    ],
)
def test_bytes_that_are_not_utf8_are_damage_even_in_an_opaque_part(
    write: Callable[[bytes], Path], raw: bytes
) -> None:
    with pytest.raises(JournalDamaged):
        list(JournalReader(write(journal_text(TURN % 0) + raw + b"\n")))


def test_a_journal_that_does_not_begin_with_a_header_is_damaged(
    write: Callable[[bytes], Path],
) -> None:
    with pytest.raises(JournalDamaged, match=r"line 1, field kind.*begins with a header"):
        list(JournalReader(write((TURN % 0).encode() + b"\n")))


def test_a_line_past_256_kib_is_damage_and_is_not_taken_into_memory(
    write: Callable[[bytes], Path],
) -> None:
    path = write(journal_text(TURN % 0) + b"x" * (LINE_LIMIT * 20) + b"\n")
    with pytest.raises(JournalDamaged, match="line 3: longer than 256 KiB"):
        list(JournalReader(path))


def test_a_torn_tail_past_256_kib_is_torn_and_the_rest_is_read(
    write: Callable[[bytes], Path],
) -> None:
    """After a power cut a file may end with any number of zero bytes."""
    path = write(journal_text(TURN % 0, header=2) + bytes(LINE_LIMIT * 20))
    reader = JournalReader(path)
    assert len(turns_of(reader)) == 1
    assert reader.torn == TornTail(3, LINE_LIMIT * 20, whole=False)
    assert [str(found) for found in verify(path)] == [
        f"line 3: torn tail: {LINE_LIMIT * 20} bytes without a newline"
    ]


def test_a_file_that_cannot_be_opened_is_a_typed_error(tmp_path: Path) -> None:
    with pytest.raises(JournalUnreadable, match="No such file"):
        list(JournalReader(tmp_path / "none.jsonl"))
    with pytest.raises(JournalUnreadable):
        list(JournalReader(tmp_path))


# --- recovery


def decision(number: int, **given: object) -> DecisionLine:
    decided = Decided(monologue="m", intent="open the door", action=opaque({"kind": "a"}))
    return DecisionLine(turn=number, attempt=1, decision=msgspec.structs.replace(decided, **given))


def action(number: int) -> ActionLine:
    result = opaque({"source": "environment", "result": {"status": "completed"}})
    return ActionLine(turn=number, outcome="accepted", result=result)


def test_a_turn_that_was_cut_off_after_its_action_is_recovered(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    journal.write(make_turn(0, notes="the door is north", objective="leave"))
    journal.write(decision(1))
    journal.write(action(1))
    first, second = turns_of(JournalReader(journal.path))
    assert not first.recovered
    assert second.recovered
    assert (second.turn.turn, second.turn.outcome) == (1, "accepted")
    assert second.turn.intent == "open the door"
    assert second.turn.action == opaque({"kind": "a"})
    assert (second.turn.notes, second.turn.objective) == ("the door is north", "leave")
    evidence = second.evidence()
    assert evidence is not None
    assert evidence.decision is None
    assert evidence.action_result is not None
    assert evidence.action_result.result == opaque({"status": "completed"})


def test_a_turn_that_was_cut_off_during_its_action_has_an_unknown_outcome(
    open_writer: OpenWriter,
) -> None:
    journal = open_writer()
    journal.write(decision(0, notes="new", objective=None, speak="hello"))
    (turn,) = turns_of(JournalReader(journal.path))
    assert turn.recovered
    assert turn.turn.outcome == "unknown"
    assert (turn.turn.notes, turn.turn.objective) == ("new", None)
    assert (turn.turn.speak, turn.turn.speak_wanted) == (None, True)


def test_a_turn_that_has_its_line_is_not_recovered(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    for number in range(2):
        journal.write(decision(number))
        journal.write(action(number))
        journal.write(make_turn(number))
    journal.write(SummaryLine(outcome="stopped", turns_taken=2))
    turns = turns_of(JournalReader(journal.path))
    assert [(turn.turn.turn, turn.recovered) for turn in turns] == [(0, False), (1, False)]


def test_a_lost_turn_line_in_the_middle_is_recovered_in_its_place(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    journal.write(decision(0))
    journal.write(action(0))
    journal.write(decision(1))
    journal.write(action(1))
    journal.write(make_turn(1))
    turns = turns_of(JournalReader(journal.path))
    assert [(turn.turn.turn, turn.recovered) for turn in turns] == [(0, True), (1, False)]


def test_the_last_of_several_decisions_in_a_turn_counts(open_writer: OpenWriter) -> None:
    journal = open_writer()
    journal.write(decision(0, intent="first"))
    journal.write(action(0))
    journal.write(decision(0, intent="second"))
    (turn,) = turns_of(JournalReader(journal.path))
    assert (turn.turn.intent, turn.turn.outcome) == ("second", "unknown")


def test_a_recovered_turn_stands_before_the_summary(open_writer: OpenWriter) -> None:
    journal = open_writer()
    journal.write(decision(0))
    journal.write(SummaryLine(outcome="supervisor_lost", turns_taken=1))
    kinds = [type(entry.value) for entry in JournalReader(journal.path)]
    assert kinds == [HeaderLine, DecisionLine, RecordedTurn, SummaryLine]


# --- a body's own turn lines


class NativeTurn(msgspec.Struct):
    turn: int
    outcome: str


class NativeTurnLine(Line, frozen=True, kw_only=True, tag="turn"):
    turn: NativeTurn
    after: Raw


class NativeReading:
    """The part of a body's reading that a reader needs."""

    def project(self, line: bytes) -> ProjectedTurn:
        native = msgspec.json.decode(line, type=NativeTurnLine)
        return ProjectedTurn(
            at=native.at,
            turn=Turn(
                turn=native.turn.turn,
                observation_sha256=None,
                monologue=None,
                intent=None,
                notes=None,
                action=NULL,
                outcome=native.turn.outcome,
            ),
            game_evidence=native.after,
        )


def readings(environment_id: str) -> JournalReading | None:
    return cast(JournalReading, NativeReading()) if environment_id == "minecraft" else None


def test_a_bodys_own_turn_lines_are_read_by_its_reading(open_writer: OpenWriter) -> None:
    journal = open_writer(environment_id="minecraft")
    journal.write(
        NativeTurnLine(turn=NativeTurn(turn=0, outcome="settled"), after=opaque({"health": 20}))
    )
    (turn,) = turns_of(JournalReader(journal.path, readings))
    assert turn.turn.outcome == "settled"
    assert turn.game_evidence == opaque({"health": 20})
    assert turn.evidence() is None
    assert turn.at is not None


def test_damage_in_a_bodys_own_turn_line_names_the_field(open_writer: OpenWriter) -> None:
    journal = open_writer(environment_id="minecraft")
    journal.write(NativeTurnLine(turn=NativeTurn(turn=0, outcome="settled"), after=NULL))
    journal.path.write_bytes(journal.path.read_bytes().replace(b'"settled"', b"true"))
    with pytest.raises(JournalDamaged) as raised:
        list(JournalReader(journal.path, readings))
    assert (raised.value.line, raised.value.field) == (2, "turn.outcome")


def test_a_game_with_no_reading_of_its_own_is_read_as_it_stands(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer(environment_id="pokemon-emerald")
    journal.write(make_turn(0))
    assert len(turns_of(JournalReader(journal.path, readings))) == 1


# --- any damage at all


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    data = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        match draw(st.sampled_from(["set", "cut", "insert", "repeat", "end"])):
            case "set":
                data[at : at + 1] = bytes([draw(st.integers(0, 255))])
            case "cut":
                del data[at : at + draw(st.integers(1, 400))]
            case "insert":
                data[at:at] = draw(st.binary(min_size=1, max_size=40))
            case "repeat":
                data[at:at] = data[at : at + draw(st.integers(1, 2000))]
            case _:
                del data[at:]
    return bytes(data)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_damage_of_any_kind_never_raises_anything_untyped(
    open_writer: OpenWriter,
    make_turn: MakeTurn,
    write: Callable[[bytes], Path],
    data: st.DataObject,
) -> None:
    content = sample(open_writer, make_turn)
    path = write(data.draw(damaged(content)))

    entries: list[Entry] = []
    with contextlib.suppress(JournalError):
        for entry in JournalReader(path):
            entries.append(entry)
            if isinstance(entry.value, RecordedTurn):
                entry.value.evidence()
    assert not entries or isinstance(entries[0].value, HeaderLine)
    assert verify(path) == [] or path.read_bytes() != content


def sample(open_writer: OpenWriter, make_turn: MakeTurn) -> bytes:
    if not _sample:
        journal = open_writer()
        for number in range(3):
            journal.write(decision(number))
            journal.write(action(number))
            journal.write(make_turn(number))
        journal.write(NotableLine(notable="stuck"))
        journal.write(SummaryLine(outcome="stopped", turns_taken=3))
        _sample.append(journal.path.read_bytes())
    return _sample[0]


_sample: list[bytes] = []

REAL_RUN = Path(__file__).parents[4] / "shared" / "data" / "real-run" / "journal.jsonl"


@pytest.mark.skipif(not REAL_RUN.parent.exists(), reason="the real run is not on this machine")
def test_a_real_run_reads_whole() -> None:
    reader = JournalReader(REAL_RUN)
    turns = turns_of(reader)
    assert [turn.turn.turn for turn in turns] == list(range(160))
    assert reader.torn is None
    assert sum(turn.speech_delivery_id is not None for turn in turns) == 31
    assert sum(turn.turn.outcome == "rejected_by_adapter" for turn in turns) == 13
    for turn in turns:
        evidence = turn.evidence()
        assert evidence is not None
        assert evidence.post_action is not None
        assert evidence.timing is not None
