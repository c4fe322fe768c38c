from __future__ import annotations

import hashlib
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from kernel.journal.damage import JournalDamaged
from kernel.journal.evaluation.verdicts import Judgement
from kernel.journal.finding import Finding
from kernel.journal.inspection import Inspection
from kernel.journal.lines import (
    LINE_LIMIT,
    NULL,
    ActionLine,
    Decided,
    DecisionLine,
    Evidence,
    NotableLine,
    SummaryLine,
    TurnLine,
    UsageLine,
    opaque,
)
from kernel.journal.projection import ProjectedTurn, project
from kernel.journal.recorded import RecordedTurn
from kernel.journal.screenshots import Screenshots
from kernel.journal.verify import MOST_FINDINGS, examine, verify
from kernel.journal.writer import JournalWriter

OpenWriter = Callable[..., JournalWriter]
MakeTurn = Callable[..., TurnLine]


def play(journal: JournalWriter, make_turn: MakeTurn, turns: int) -> None:
    for number in range(turns):
        play_turn(journal, make_turn, number)


def play_turn(journal: JournalWriter, make_turn: MakeTurn, number: int) -> None:
    call = UsageLine(
        call_id=f"c{number}",
        stage="reserved",
        role="mind",
        provider="p",
        model="m",
        turn=number,
        charged=16_000,
    )
    journal.write(call)
    journal.write(msgspec.structs.replace(call, stage="settled", charged=900))
    journal.write(
        DecisionLine(
            turn=number,
            attempt=1,
            decision=Decided(monologue="m", intent="i", action=opaque({"kind": "wait"})),
        )
    )
    journal.write(ActionLine(turn=number, outcome="accepted", result=opaque({"source": "e"})))
    journal.write(make_turn(number))


def finish(journal: JournalWriter, turns: int) -> None:
    journal.write(
        SummaryLine(outcome="stopped", turns_taken=turns, rolled_windows=journal.rolled_windows)
    )
    journal.seal()


@pytest.fixture
def sealed(open_writer: OpenWriter, make_turn: MakeTurn) -> Path:
    """A finished run with three seals: 110 turns of five lines, header and summary."""
    journal = open_writer()
    play(journal, make_turn, 110)
    finish(journal, 110)
    return journal.path


def test_an_untouched_journal_has_no_findings(sealed: Path) -> None:
    assert verify(sealed) == []
    assert sealed.read_bytes().count(b'{"kind":"evidence_window"') == 3
    examined = examine(sealed)
    assert (examined.lines, examined.unsealed) == (555, 0)


SEALED_LINES = 256


@pytest.mark.parametrize("line", [1, 2, 3, 4, 5, 6, 100, 255, 256, 300, 513, 550, 554])
@pytest.mark.parametrize("place", [0.02, 0.4, 0.75, 0.999])
def test_one_altered_byte_in_a_sealed_window_is_found_there(
    sealed: Path, line: int, place: float
) -> None:
    lines = sealed.read_bytes().splitlines(keepends=True)
    text = bytearray(lines[line - 1])
    at = int((len(text) - 1) * place)
    text[at] ^= 0x01
    lines[line - 1] = bytes(text)
    sealed.write_bytes(b"".join(lines))
    findings = verify(sealed)
    assert any(stands_on(finding, line) for finding in findings), findings


def stands_on(finding: Finding, line: int) -> bool:
    return finding.line <= line <= (finding.last_line or finding.line)


@pytest.mark.parametrize("field", [b'"window":', b'"lines":', b'"bytes":', b'"sha256":"'])
def test_an_altered_seal_is_found(sealed: Path, field: bytes) -> None:
    lines = sealed.read_bytes().splitlines(keepends=True)
    text = bytearray(lines[256])
    at = text.index(field) + len(field)
    text[at] = ord("1") if text[at] != ord("1") else ord("3")
    lines[256] = bytes(text)
    sealed.write_bytes(b"".join(lines))
    assert any(stands_on(finding, 257) or finding.last_line == 256 for finding in verify(sealed))


def test_a_whole_window_taken_out_breaks_the_chain(sealed: Path) -> None:
    lines = sealed.read_bytes().splitlines(keepends=True)
    del lines[1:257]
    sealed.write_bytes(b"".join(lines))
    assert any(finding.field == "previousSha256" for finding in verify(sealed))


@pytest.mark.parametrize("line", [1, 2, 5, 6, 200, 257, 300, 553, 554, 555])
def test_a_dropped_line_is_found(sealed: Path, line: int) -> None:
    lines = sealed.read_bytes().splitlines(keepends=True)
    del lines[line - 1]
    sealed.write_bytes(b"".join(lines))
    findings = verify(sealed)
    assert findings
    assert any(abs(finding.line - line) <= SEALED_LINES for finding in findings)


@pytest.mark.parametrize("line", [1, 2, 3, 4, 5, 6, 256, 257, 400, 552, 554])
def test_two_swapped_lines_are_found(sealed: Path, line: int) -> None:
    lines = sealed.read_bytes().splitlines(keepends=True)
    lines[line - 1], lines[line] = lines[line], lines[line - 1]
    sealed.write_bytes(b"".join(lines))
    assert any(
        stands_on(finding, line) or stands_on(finding, line + 1) for finding in verify(sealed)
    )


@pytest.fixture
def unsealed(open_writer: OpenWriter, make_turn: MakeTurn) -> list[bytes]:
    """The lines of a finished run that is too short for a seal."""
    journal = open_writer()
    play(journal, make_turn, 3)
    finish(journal, 3)
    return journal.path.read_bytes().splitlines(keepends=True)


def test_what_no_seal_covers_yet_is_still_held_to_shape_and_order(
    unsealed: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "altered.jsonl"
    for dropped, line in enumerate(unsealed[:-1]):
        path.write_bytes(b"".join(unsealed[:dropped] + unsealed[dropped + 1 :]))
        found = [finding.line for finding in verify(path)]
        assert found, line
        assert abs(found[0] - (dropped + 1)) <= 5


def test_what_no_seal_covers_yet_cannot_change_places(
    unsealed: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "altered.jsonl"
    for first in range(len(unsealed) - 1):
        swapped = list(unsealed)
        swapped[first], swapped[first + 1] = swapped[first + 1], swapped[first]
        path.write_bytes(b"".join(swapped))
        found = [finding.line for finding in verify(path)]
        assert found, unsealed[first]
        assert abs(found[0] - (first + 1)) <= 2


def test_what_death_cut_off_is_not_missed(unsealed: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    for left in range(1, len(unsealed) - 1):
        path.write_bytes(b"".join(unsealed[:left]))
        assert verify(path) == []
    path.write_bytes(b"".join(unsealed[:-1]))
    assert [finding.problem for finding in verify(path)] == [
        "the last seal is missing: a run with a summary ends with one"
    ]


def test_an_interrupted_turn_may_lack_its_action(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    decided = Decided(monologue="m", intent="i", action=opaque({"kind": "wait"}))
    journal.write(DecisionLine(turn=0, attempt=1, decision=decided))
    line = make_turn(0)
    turn = msgspec.structs.replace(line.turn, outcome="interrupted")
    journal.write(msgspec.structs.replace(line, turn=turn))
    finish(journal, 1)
    assert verify(journal.path) == []


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("runId", "run-2"),
        ("journeyId", "world:w:player:q"),
        ("environmentId", "minecraft"),
        ("environmentSessionId", "ses-2"),
        ("venue", "local"),
    ],
)
def test_a_line_of_another_run_is_found_by_its_envelope(
    open_writer: OpenWriter, make_turn: MakeTurn, field: str, other: str
) -> None:
    journal = open_writer()
    play(journal, make_turn, 1)
    lines = journal.path.read_bytes().splitlines(keepends=True)
    line = msgspec.json.decode(lines[3])
    lines[3] = msgspec.json.encode({**line, field: other}) + b"\n"
    journal.path.write_bytes(b"".join(lines))
    assert [(finding.line, finding.field) for finding in verify(journal.path)] == [(4, field)]
    del line[field]
    lines[3] = msgspec.json.encode(line) + b"\n"
    journal.path.write_bytes(b"".join(lines))
    assert [(finding.line, finding.field) for finding in verify(journal.path)] == [(4, field)]


@pytest.mark.parametrize(
    ("numbers", "line"),
    [((0, 2), 3), ((1,), 2), ((0, 0), 3), ((0, 1, 0), 4), ((0, 1, 3, 2), 4)],
)
def test_turn_numbers_begin_at_0_and_are_used_once(
    open_writer: OpenWriter, make_turn: MakeTurn, numbers: tuple[int, ...], line: int
) -> None:
    """K2."""
    journal = open_writer()
    for number in numbers:
        journal.write(make_turn(number))
    first, *_ = verify(journal.path)
    assert (first.line, first.field) == (line, "turn.turn")


def test_lines_that_a_gap_owns_up_to_are_not_missed(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    play(journal, make_turn, 1)
    journal.write(make_turn(1, notes="x" * LINE_LIMIT))
    play_turn(journal, make_turn, 2)
    assert verify(journal.path) == []


def test_a_run_whose_summary_a_gap_owns_up_to_is_sealed_to_its_end(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    play(journal, make_turn, 1)
    journal.write(SummaryLine(outcome="x" * LINE_LIMIT, turns_taken=1, rolled_windows=0))
    journal.seal()
    assert journal.written.lost == 1
    assert verify(journal.path) == []


def test_a_run_that_was_cut_off_is_no_damage(open_writer: OpenWriter, make_turn: MakeTurn) -> None:
    journal = open_writer()
    play(journal, make_turn, 2)
    text = journal.path.read_bytes()
    journal.path.write_bytes(text + b'{"kind":"tu')
    assert [str(finding) for finding in verify(journal.path)] == [
        "line 12: torn tail: 11 bytes without a newline"
    ]


def test_nothing_but_a_seal_or_a_gap_follows_the_summary(open_writer: OpenWriter) -> None:
    journal = open_writer()
    finish(journal, 0)
    journal.write(NotableLine(notable="stuck"))
    assert {finding.line for finding in verify(journal.path)} == {4}


def test_a_summary_that_miscounts_the_seals_is_found(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    play(journal, make_turn, 60)
    journal.write(SummaryLine(outcome="stopped", turns_taken=60, rolled_windows=0))
    journal.seal()
    assert [finding.field for finding in verify(journal.path)] == ["rolledWindows"]


def test_what_is_under_no_seal_yet_is_told(open_writer: OpenWriter, make_turn: MakeTurn) -> None:
    journal = open_writer()
    play(journal, make_turn, 52)
    examined = examine(journal.path)
    assert (examined.findings, examined.lines, examined.unsealed) == ([], 262, 5)


def test_an_older_journal_without_envelope_or_seals_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    turn = (
        '{"kind":"turn","schemaVersion":1,"turn":{"turn":%d,"observationSha256":"x",'
        '"monologue":"m","intent":"i","notes":"n","action":{"kind":"restart_game"},'
        '"outcome":"accepted"}}\n'
    )
    header = '{"kind":"header","schemaVersion":2,"runId":"r","scenarioId":"s","startedAt":"%s"}\n'
    text = header % "2026-03-01T10:00:00Z" + "".join(turn % number for number in range(300))
    path.write_text(text)
    assert verify(path) == []


def test_an_empty_file_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert [finding.problem for finding in verify(path)] == ["the file is empty"]


def test_garbage_gives_a_bounded_number_of_findings(tmp_path: Path) -> None:
    path = tmp_path / "garbage.jsonl"
    path.write_bytes(b"garbage\n" * 5000)
    assert len(verify(path)) == MOST_FINDINGS + 1


# --- what a turn holds


class Strict:
    """A body's reading that cannot judge, or cannot show, a turn of this note."""

    def __init__(self, judged: str = "", shown: str = "") -> None:
        self._judged, self._shown = judged, shown

    def project(self, line: bytes) -> ProjectedTurn:
        return project(msgspec.json.decode(line, type=TurnLine))

    def judge(self, turn: RecordedTurn) -> Judgement:
        self._refuse(turn, self._judged)
        return Judgement()

    def inspect(self, turn: RecordedTurn) -> Inspection:
        self._refuse(turn, self._shown)
        return Inspection()

    def _refuse(self, turn: RecordedTurn, notes: str) -> None:
        if turn.turn.notes == notes:
            raise JournalDamaged(turn.path, turn.line, "is no tile", "evidence.place")


@pytest.mark.parametrize("reading", [Strict(judged="bad"), Strict(shown="bad")])
def test_what_cannot_be_judged_or_shown_is_not_whole(
    open_writer: OpenWriter, make_turn: MakeTurn, reading: Strict
) -> None:
    journal = open_writer()
    journal.write(make_turn(0, notes="good"))
    journal.write(make_turn(1, notes="bad"))
    found = examine(journal.path, lambda _: reading).findings
    assert [str(finding) for finding in found] == ["line 3, field evidence.place: is no tile"]
    assert examine(journal.path, lambda _: reading, digests=False).findings == []


def shown_turn(journal: JournalWriter, turn: TurnLine, observations: str, digest: str) -> Path:
    """An older journal of one turn, in which these observations stand exactly so."""
    line = msgspec.json.decode(msgspec.json.encode(turn))
    line["turn"]["observationSha256"] = digest
    line["evidence"]["decision"] = {"observations": "HERE", "provenance": None}
    header = (
        '{"kind":"header","schemaVersion":2,"scenarioId":"s","startedAt":"2026-03-01T10:00:00Z"}'
    )
    text = msgspec.json.encode(line).decode().replace('"HERE"', observations)
    journal.path.write_text(f"{header}\n{text}\n")
    return journal.path


CANONICAL = '[{"data":{"a":1,"b":"é"},"kind":"scene"},{"kind":"menu"}]'
DIGEST = hashlib.sha256(CANONICAL.encode()).hexdigest()


@pytest.mark.parametrize(
    ("observations", "agrees"),
    [
        (CANONICAL, True),
        ('[{"kind": "scene", "data":{"b":"é","a":1}}, {"kind":"menu"}]', True),
        ('[{"data":{"a":1,"b":"\\u00e9"},"kind":"scene"},{"kind":"menu"}]', True),
        (CANONICAL.replace("1", "2"), False),
        ('[{"kind":"menu"},{"data":{"a":1,"b":"é"},"kind":"scene"}]', False),
        ("[]", False),
    ],
)
def test_what_was_shown_is_held_to_its_digest_in_canonical_form(
    open_writer: OpenWriter, make_turn: MakeTurn, observations: str, agrees: bool
) -> None:
    path = shown_turn(open_writer(), make_turn(0), observations, DIGEST)
    fields = [finding.field for finding in verify(path)]
    assert fields == ([] if agrees else ["turn.observationSha256"])


def test_a_turn_that_was_shown_nothing_or_has_no_digest_is_no_finding(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    line = make_turn(0)
    unsigned = msgspec.structs.replace(line.turn, observation_sha256=None)
    journal.write(msgspec.structs.replace(line, turn=unsigned))
    journal.write(make_turn(1, with_evidence=False))
    unseen = opaque(Evidence(decision=NULL))
    journal.write(msgspec.structs.replace(make_turn(2), evidence=unseen))
    assert verify(journal.path) == []


# --- without digests


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (b'"hm ', b'"hM ', False),
        (b'"runId":"run-1"', b'"runId":"run-2"', True),
        (b'"turn":{"turn":0,', b'"turn":{"turn":1,', True),
        (b'"lines":256', b'"lines":255', True),
        (b'"bytes":1', b'"bytes":2', True),
        (b'"window":0,"lines"', b'"window":1,"lines"', True),
        (b'"callId":"c0"', b'"callId":"c1"', True),
        (b'"turnsTaken":110', b'"turnsTaken":111', True),
        (b'"kind":"action"', b'"kind":"fiction"', True),
        (b'"hm \xe2', b'"hm \xff', True),
    ],
)
def test_without_digests_place_and_size_are_held_and_words_are_not(
    sealed: Path, old: bytes, new: bytes, found: bool
) -> None:
    assert examine(sealed, digests=False).findings == []
    sealed.write_bytes(sealed.read_bytes().replace(old, new, 1))
    assert bool(examine(sealed, digests=False).findings) is found


def test_without_digests_a_line_that_was_dropped_is_found(sealed: Path) -> None:
    lines = sealed.read_bytes().splitlines(keepends=True)
    for dropped in (1, 3, 100, 256, 550, 554):
        sealed.write_bytes(b"".join(lines[:dropped] + lines[dropped + 1 :]))
        assert examine(sealed, digests=False).findings


def test_memory_stays_bounded_however_long_the_lines_are(
    open_writer: OpenWriter, make_turn: MakeTurn
) -> None:
    journal = open_writer()
    for number in range(60):
        journal.write(make_turn(number, notes="n" * (LINE_LIMIT - 3_000)))
    assert journal.written.lost == 0
    for digests in (True, False):
        tracemalloc.start()
        assert examine(journal.path, digests=digests).findings == []
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 12 * LINE_LIMIT, f"{digests=}"


# --- screenshots


def png(width: int = 2, height: int = 1) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        crc = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc)

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"\0" * (width + 1) * height))
        + chunk(b"IEND", b"")
    )


@pytest.fixture
def pictured(open_writer: OpenWriter, make_turn: MakeTurn) -> tuple[Path, Path]:
    """A journal with one picture, and the picture's file."""
    journal = open_writer()
    kept = Screenshots(journal.path).keep(png(), 0, ["first"])
    assert kept is not None
    journal.write(msgspec.structs.replace(make_turn(0), screenshot=kept))
    return journal.path, journal.path.parent / kept.path


def test_a_picture_that_is_there_is_no_finding(pictured: tuple[Path, Path]) -> None:
    assert verify(pictured[0]) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "No such file"),
        (png()[:-1], "bytes, not"),
        (png()[:-1] + b"\0", "digest differs"),
        (bytes(600 * 1024), "larger than"),
    ],
)
def test_a_picture_that_is_missing_or_another_is_found(
    pictured: tuple[Path, Path], content: bytes | None, told: str
) -> None:
    journal, picture = pictured
    picture.unlink()
    if content is not None:
        picture.write_bytes(content)
    (finding,) = verify(journal)
    assert (finding.line, finding.field) == (2, "screenshot")
    assert told in finding.problem


def test_a_bare_copy_lacks_its_pictures_in_one_finding_that_hides_no_damage(
    open_writer: OpenWriter, make_turn: MakeTurn, tmp_path: Path
) -> None:
    journal = open_writer()
    pictures = Screenshots(journal.path)
    for number in range(3):
        kept = pictures.keep(png(), number, ["scene"])
        assert kept is not None
        journal.write(msgspec.structs.replace(make_turn(number), screenshot=kept))
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(journal.path.read_bytes().replace(b'"turn":2,', b'"turn":7,'))
    damage, missing = verify(copy)
    assert (damage.line, damage.field) == (4, "turn.turn")
    assert (missing.line, missing.last_line, missing.field) == (2, 4, "screenshot")
    assert (
        f"none of its 3 pictures is there: a copy keeps the journal's name and takes "
        f".screenshots/{journal.path.stem} along" in missing.problem
    )
    first, second, _ = sorted((journal.path.parent / ".screenshots").rglob("*.png"))
    first.unlink()
    second.unlink()
    assert [(found.line, found.last_line) for found in verify(journal.path)] == [
        (2, None),
        (3, None),
    ]


def test_without_digests_a_picture_is_held_to_its_size(pictured: tuple[Path, Path]) -> None:
    journal, picture = pictured
    picture.write_bytes(bytes(len(png())))
    assert examine(journal, digests=False).findings == []
    picture.write_bytes(b"")
    assert [found.field for found in examine(journal, digests=False).findings] == ["screenshot"]
    picture.unlink()
    assert [found.field for found in examine(journal, digests=False).findings] == ["screenshot"]


@pytest.mark.parametrize(
    "path", ["../secret.png", "/etc/passwd", ".screenshots/other/a.png", "", "9" * 400]
)
def test_a_picture_outside_the_journals_own_folder_is_not_looked_at(
    open_writer: OpenWriter, make_turn: MakeTurn, pictured: tuple[Path, Path], path: str
) -> None:
    journal, _ = pictured
    line = msgspec.json.decode(journal.read_bytes().splitlines()[1])
    line["screenshot"]["path"] = path
    header = journal.read_bytes().splitlines(keepends=True)[0]
    journal.write_bytes(header + msgspec.json.encode(line) + b"\n")
    (finding,) = verify(journal)
    assert "own folder" in finding.problem
