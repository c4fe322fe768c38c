"""A short fault run breaks nothing; and what a broken run would leave is found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import bill
import invariants
import msgspec
import pytest
from click.testing import CliRunner
from evidence import Decision, Evidence, Summary, Turn, Usage, read_evidence
from fault_run import main

COMMAND = Path(__file__).with_name("fault_run.py")


def run(
    folder: Path, *, seed: int, sessions: int, seconds: int
) -> subprocess.CompletedProcess[str]:
    asked = {"--seed": seed, "--sessions": sessions, "--seconds": seconds, "--into": folder}
    words = [str(word) for pair in asked.items() for word in pair]
    return subprocess.run(
        [sys.executable, COMMAND, *words], check=False, stdout=subprocess.PIPE, text=True
    )


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """What a short run left, in which nothing was broken."""
    folder = tmp_path_factory.mktemp("short")
    done = run(folder, seed=1, sessions=4, seconds=5)
    assert done.returncode == 0, done.stdout
    return read_evidence(folder)


def test_a_short_run_of_faults_breaks_nothing(left: Evidence):
    assert not invariants.broken(left).any
    assert left.was("KillDaemon")
    assert sum(1 for journal in left.journals for _ in journal.of(Turn)) >= 8


@pytest.mark.parametrize("asked", ["--sessions=0", "--seconds=0"])
def test_a_run_without_sessions_or_time_is_refused(asked: str):
    done = CliRunner().invoke(main, [asked])
    assert done.exit_code == 2
    assert "0 is not in the range" in done.output


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 11))
def test_a_minute_of_faults_over_twenty_sessions_breaks_nothing(tmp_path: Path, seed: int):
    done = run(tmp_path, seed=seed, sessions=20, seconds=60)
    assert done.returncode == 0, done.stdout


Spoil = Callable[[Evidence], Evidence]


def without(kind: type[Any]) -> Spoil:
    """Every journal lost its lines of a kind."""

    def spoil(left: Evidence) -> Evidence:
        journals = [
            replace(journal, lines=[line for line in journal.lines if not isinstance(line, kind)])
            for journal in left.journals
        ]
        return replace(left, journals=journals)

    return spoil


def usage(**changes: Any) -> Spoil:
    """Every settled call of every journal says something else."""

    def changed(line: Any) -> Any:
        settled = isinstance(line, Usage) and line.stage == "settled" and line.reported
        return msgspec.structs.replace(line, **changes) if settled else line

    def spoil(left: Evidence) -> Evidence:
        journals = [replace(j, lines=[changed(line) for line in j.lines]) for j in left.journals]
        return replace(left, journals=journals)

    return spoil


def first_act_again(left: Evidence) -> Evidence:
    return replace(left, world=[*left.world, next(e for e in left.world if e["kind"] == "act")])


def an_act_of_nobody(left: Evidence) -> Evidence:
    act = next(e for e in left.world if e["kind"] == "act" and e["outcome"] == "ran")
    return replace(left, world=[*left.world, act | {"sessionId": "another"}])


def all_at_once(left: Evidence) -> Evidence:
    sessions = [session.session_id for session in left.sessions]
    return replace(left, census=[{"at": 1.0, "sessions": sessions}])


def one_generation(left: Evidence) -> Evidence:
    same = [msgspec.structs.replace(session, generation=1) for session in left.sessions]
    return replace(left, sessions=same)


def last_event_again(left: Evidence) -> Evidence:
    return replace(left, events=[*left.events, left.events[-1]])


def after_the_end(left: Evidence) -> Evidence:
    more = left.events[-1] | {"id": "more", "type": "embodiment.session.running"}
    return replace(left, events=[*left.events, more])


def another_outcome(left: Evidence) -> Evidence:
    changed = [msgspec.structs.replace(session, outcome="idle") for session in left.sessions]
    return replace(left, sessions=changed)


def more_turns(left: Evidence) -> Evidence:
    changed = [msgspec.structs.replace(session, turns_taken=10**6) for session in left.sessions]
    return replace(left, sessions=changed)


def no_leave_in_a_journal(left: Evidence) -> Evidence:
    def changed(line: Any) -> Any:
        summary = isinstance(line, Summary)
        return msgspec.structs.replace(line, leave="unconfirmed") if summary else line

    journals = [replace(j, lines=[changed(line) for line in j.lines]) for j in left.journals]
    return replace(left, journals=journals)


def a_leave_that_its_journal_alone_knows(left: Evidence) -> Evidence:
    changed = [
        msgspec.structs.replace(session, leave="unconfirmed", reason="the daemon was gone")
        for session in left.sessions
    ]
    return replace(left, sessions=changed)


def an_early_stop(left: Evidence) -> Evidence:
    stops = [
        {"at": 1.0, "what": "", "asked": 0.0, "seat": "", "answer": {"sessionId": journal.run_id}}
        for journal in left.journals
    ]
    return replace(left, story=stops)


@pytest.mark.parametrize(
    ("sentence", "spoil"),
    [
        ("no process, descriptor", lambda left: replace(left, left=left.left | {"orphans": [7]})),
        ("no process, descriptor", lambda left: replace(left, left=left.left | {"exit": 1})),
        ("every seat plays again", lambda left: replace(left, left=left.left | {"silent": ["a"]})),
        (
            "every journal verifies",
            lambda left: replace(left, verified={key: ["torn"] for key in left.verified}),
        ),
        ("no action reached a world without", without(Decision)),
        ("no action ran twice", first_act_again),
        ("no journal tells of a settled action", lambda left: replace(left, world=[])),
        ("every turn that a subscriber", without(Turn)),
        ("a seat has one driver", an_act_of_nobody),
        ("a seat has the processes of one session", all_at_once),
        ("no driver generation", one_generation),
        ("ends are final", last_event_again),
        ("ends are final", after_the_end),
        (
            "a lease is given back",
            lambda left: replace(left, leases=[{"seat": "nobody's", "session_id": "1"}]),
        ),
        ("the state database and the event file", another_outcome),
        ("the state database and the journals", more_turns),
        ("the state database and the journals", no_leave_in_a_journal),
        ("the state database and the journals", a_leave_that_its_journal_alone_knows),
        ("a stop stops", an_early_stop),
        ("the daemon's log", lambda left: replace(left, log="Traceback (most recent call last):")),
        ("every reported call", usage(input=1)),
        ("every reported call", usage(charged=1)),
        ("every request to the model", usage(input=0, output=0, cache_read=0, charged=0)),
        ("every unreported call", usage(reported=False)),
        ("every request to the model", without(Usage)),
        ("no sitting is charged less", lambda left: without(Usage)(untold(left))),
        ("all sittings together", lambda left: without(Usage)(untold(left))),
        ("no call begins once", usage(charged=10**12)),
    ],
)
def test_what_is_broken_is_found(left: Evidence, sentence: str, spoil: Spoil):
    (check,) = [
        check
        for words, check in {**invariants.CHECKS, **bill.CHECKS}.items()
        if words.startswith(sentence)
    ]
    assert list(check(left)) == []
    assert list(check(spoil(left))) != []


def untold(left: Evidence) -> Evidence:
    """No session told its bill, and no disk was full."""
    silent = [msgspec.structs.replace(session, budget=None) for session in left.sessions]
    return replace(left, sessions=silent, story=[])
