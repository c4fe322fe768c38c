"""`playctl journal`, run in this process on files written here."""

from __future__ import annotations

import json
import os
import threading
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from played_journal import JOURNEY, write_journal

from daemon.playctl.main import run


@dataclass
class Ended:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def journal(*arguments: str | Path) -> Ended:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(["journal", *map(str, arguments)])
    return Ended(code, out.getvalue(), err.getvalue())


@pytest.fixture
def played(tmp_path: Path) -> Path:
    return write_journal(tmp_path / "journals", 40)


def test_an_evaluation_is_one_screen_for_people_and_one_document_for_programs(
    played: Path,
) -> None:
    told = journal("evaluate", played)
    assert told.code == 0
    assert "40: " in told.out
    assert len(told.out.splitlines()) < 25
    document = journal("evaluate", played, "--json").json()
    assert list(document) == ["schemaVersion", "run", "aggregate", "turns"]
    assert len(document["turns"]) == 40
    # The body's own verdicts are there: it is found by the environment that the header names.
    assert document["aggregate"]["intentToAction"].keys() > {"aligned"}


def test_side_logs_are_read_when_they_are_named(played: Path, tmp_path: Path) -> None:
    events, receipts = tmp_path / "events.jsonl", tmp_path / "receipts.jsonl"
    ended = {"sessionId": "run-1", "outcome": "lease_lapsed"}
    events.write_text(json.dumps({"type": "embodiment.session.failed", "data": ended}) + "\n{")
    receipts.write_text("?\n")
    document = journal(
        "evaluate", played, "--events", events, "--voice-receipts", receipts, "--json"
    ).json()
    assert document["run"]["terminal"]["lifecycleConsistent"] is False
    assert document["unreadable"] == {"lifecycleLines": 1, "receiptLines": 1}
    told = journal("evaluate", played, "--events", events).out
    assert "finished, by its summary" in told
    assert "the lifecycle event says failed, lease_lapsed" in told


def test_several_runs_are_compared_and_a_bad_one_hides_no_other(played: Path) -> None:
    directory = played.parent
    write_journal(directory, 10, run_id="run-2", generation=2)
    (directory / "bad.jsonl").write_text("{}\n")
    compared = journal("evaluate", directory)
    assert compared.code == 0
    assert "run-1" in compared.out
    assert "run-2" in compared.out
    assert "bad.jsonl, line 1" in compared.err
    document = journal("evaluate", directory, "--json").json()
    assert [row["turns"] for row in document["comparison"]] == [40, 10]
    assert len(document["runs"]) == 2
    assert len(document["bad"]) == 1
    named = journal("evaluate", played, directory / "bad.jsonl")
    assert named.code == 1
    assert "run-1" in named.out


def test_a_damaged_journal_ends_the_command_with_where_it_is_damaged(played: Path) -> None:
    lines = played.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b'"kind"', b'"king"', 1)
    played.write_bytes(b"".join(lines))
    for command in ("evaluate", "show", "tail"):
        ended = journal(command, played)
        assert ended.code == 1
        assert f"{played}, line 5" in ended.err
    assert journal("verify", played).code == 1


def test_verify_says_whole_or_where_it_is_not(played: Path) -> None:
    whole = journal("verify", played)
    assert (whole.code, whole.out) == (0, f"{played} is whole.\n")
    long = write_journal(played.parent, 60, run_id="long", generation=3)
    long.write_bytes(long.read_bytes().replace(b"a patient walker", b"A patient walker", 1))
    ended = journal("verify", long)
    assert ended.code == 1
    assert "lines 1–256" in ended.out
    document = journal("verify", long, "--json").json()
    assert document["good"] is False
    assert document["findings"][0]["line"] == 1
    both = journal("verify", played.parent, "--json")
    assert [one["good"] for one in both.json()] == [True, False]


def test_turns_are_shown_one_by_one_or_in_a_range(played: Path) -> None:
    last = journal("show", played)
    assert last.out.startswith("turn 39, ")
    one = journal("show", played, "7")
    assert one.out.startswith("turn 7, ")
    assert "thought" in one.out
    some = journal("show", played, "3-5")
    heads = [line for line in some.out.splitlines() if line.startswith("turn ")]
    assert [head.split(",")[0] for head in heads] == ["turn 3", "turn 4", "turn 5"]
    rest = journal("show", played, "38-", "--json")
    assert [json.loads(line)["turn"]["turn"] for line in rest.out.splitlines()] == [38, 39]
    assert journal("show", played, "99").code == 1
    assert journal("show", played, "x").code == 2
    assert journal("show", played, "3-x").code == 2


def test_a_text_that_a_terminal_would_obey_is_made_harmless(tmp_path: Path) -> None:
    path = write_journal(tmp_path, 12, texts=("\x1b[2J\u202e",))
    for arguments in (("show", path, "0-"), ("tail", path), ("evaluate", path), ("story", path)):
        out = journal(*arguments).out
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_the_last_turns_stand_in_a_line_each(played: Path) -> None:
    lines = journal("tail", "-n", "3", played).out.splitlines()
    assert len(lines) == 3
    assert lines[-1] == "ended: finished after 40 turns"
    assert lines[-2].split()[0] == "39"


def test_a_followed_run_is_told_until_its_summary(played: Path) -> None:
    content = played.read_bytes()
    lines = content.splitlines(keepends=True)
    half = b"".join(lines[:60])
    played.write_bytes(half)

    def grow() -> None:
        with played.open("ab") as file:
            for line in lines[60:]:
                os.write(file.fileno(), line[:7])
                os.write(file.fileno(), line[7:])

    growing = threading.Timer(0.3, grow)
    growing.start()
    told = journal("tail", "-f", "-n", "100", played).out.splitlines()
    growing.join()
    played.write_bytes(content)
    assert told == journal("tail", "-n", "100", played).out.splitlines()


def test_runs_are_listed_by_journey_seat_time_and_outcome(played: Path, tmp_path: Path) -> None:
    write_journal(played.parent, 3, run_id="run-2", generation=2, with_summary=False)
    (played.parent / "empty.jsonl").touch()
    events = [
        {"type": "embodiment.session.running", "data": {"sessionId": name, "seat": seat}}
        for name, seat in (("run-1", "red"), ("run-2", "blue"))
    ]
    (tmp_path / "events.jsonl.1").write_text(json.dumps(events[0]) + "\n")
    (tmp_path / "events.jsonl").write_text(json.dumps(events[1]) + "\n")

    def listed(*options: str) -> list[str]:
        found = journal("list", "-d", played.parent, "--json", *options)
        assert found.code == 0
        return [one["runId"] for one in found.json()["runs"]]

    assert listed() == ["run-2", "run-1"]
    assert listed("--seat", "red") == ["run-1"]
    assert listed("--seat", "green") == []
    assert listed("--journey", JOURNEY) == ["run-2", "run-1"]
    assert listed("--outcome", "finished") == ["run-1"]
    assert listed("--since", "2026-03-03") == ["run-2"]
    assert listed("--until", "2026-03-03") == ["run-1"]
    table = journal("list", "-d", played.parent).out
    assert "no summary" in table
    crashed = {"sessionId": "run-2", "seat": "blue", "outcome": "crashed"}
    events.append({"type": "embodiment.session.failed", "data": crashed})
    (tmp_path / "events.jsonl").write_text("".join(json.dumps(one) + "\n" for one in events))
    assert "crashed (no summary)" in journal("list", "-d", played.parent).out
    second = next(played.parent.glob("*run-2*"))
    terminal = journal("evaluate", second, "--json").json()["run"]["terminal"]
    assert terminal["outcome"] == "crashed"


@pytest.mark.parametrize("command", ["list", "story"])
def test_a_directory_that_does_not_exist_is_named(tmp_path: Path, command: str) -> None:
    ended = journal(command, "-d", tmp_path / "nowhere")
    assert (ended.code, ended.out) == (1, "")
    assert f"there is no directory {tmp_path / 'nowhere'}" in ended.err


def test_a_word_that_is_no_outcome_is_refused_with_those_that_are(played: Path) -> None:
    ended = journal("list", "-d", played.parent, "--outcome", "sleepy")
    assert ended.code == 2
    assert "'finished'" in ended.err
    assert "'unknown'" in ended.err


def test_an_empty_file_is_no_journal_that_could_be_shown(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    ended = journal("show", empty)
    assert ended.code == 1
    assert "is no journal: it has no whole line" in ended.err


def test_the_story_is_told_for_a_file_a_journey_or_the_only_journey(played: Path) -> None:
    where = played.parent
    write_journal(where, 5, run_id="run-2", generation=2)
    expected = journal("story", "-d", where).out
    assert expected.startswith("pokemon-firered: 45 turns in 2 runs")
    assert journal("story", played).out == expected
    assert journal("recall", "-d", where, "--journey", JOURNEY).out == expected
    assert journal("story", played, "--json").json()["turns"] == 45
    write_journal(where, 5, run_id="other", journey_id="world:w:player:q", generation=3)
    several = journal("story", "-d", where)
    assert several.code == 2
    assert "--journey" in several.err
    assert journal("story", "-d", where, "--journey", "nobody").code == 1
    assert journal("story", "-d", where / "nowhere").code == 1


def test_a_report_is_written_and_told(played: Path, tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    assert journal("report", played, "-o", page).code == 0
    assert page.read_text().startswith("<!doctype html>")
    assert page.stat().st_mode & 0o777 == 0o600
    assert journal("report", played, "-o", tmp_path / "nowhere" / "run.html").code == 1


@pytest.mark.parametrize(
    "command", ["evaluate", "show", "tail", "verify", "story", "report -o /dev/null"]
)
def test_a_file_that_cannot_be_read_is_told_in_one_line(tmp_path: Path, command: str) -> None:
    ended = journal(*command.split(), tmp_path / "gone.jsonl")
    assert ended.code == 1
    assert "gone.jsonl" in ended.out + ended.err
    assert "Traceback" not in ended.err
