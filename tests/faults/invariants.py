"""What holds after every run, whatever went wrong in it; each check says what breaks it.

A full disk takes lines of a journal, which then says so itself (rule K13): where a check counts
lines it allows for those that a journal says it lost. A session that ended while the disk was full
could not even say so, and the lines of that time are asked of it by no check.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bill import CHECKS as BILL
from evidence import Action, Decision, Evidence, Journal, Session, Summary, Turn, Usage, moment

Check = Callable[[Evidence], Iterator[str]]

TERMINAL = frozenset(("stopped", "failed", "refused"))
FOLLOWS = {
    "claimed": {"starting", "refused", "stopped"},
    "starting": {"running", "refused", "stopping", "failed"},
    "running": {"stopping", "stopped", "failed"},
    "stopping": {"stopped", "failed"},
}
"""The states of a session by its contract."""
_SETTLED = frozenset(("accepted", "rejected_by_adapter"))
"""Outcomes by which a journal says that the world answered."""
_LAST_SEAL = re.compile(r"the last seal is missing|is \d+, not 256$")
"""What is found of a run that ended while the disk was full: neither its summary nor the seal
behind it may have found space."""
_SHOWN = 5
"""Breaches of one invariant that are told in full."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of every check, a line each."""

    told: tuple[str, ...]
    any: bool
    """Whether an invariant was broken."""


def broken(evidence: Evidence) -> Verdict:
    """Check all of them."""
    told = list(_numbers(evidence))
    any_broken = False
    for sentence, check in {**CHECKS, **BILL}.items():
        breaches = list(check(evidence))
        any_broken |= bool(breaches)
        told.append(f"{'BROKEN' if breaches else 'holds ':6}  {sentence}")
        told += [f"          {breach}" for breach in breaches[:_SHOWN]]
        if len(breaches) > _SHOWN:
            told.append(f"          and {len(breaches) - _SHOWN} more")
    return Verdict(tuple(told), any_broken)


def _numbers(evidence: Evidence) -> Iterator[str]:
    faults = Counter(line["fault"]["fault"] for line in evidence.story if "fault" in line)
    ends = Counter(session.outcome or session.state for session in evidence.sessions)
    turns = sum(1 for journal in evidence.journals for _ in journal.of(Turn))
    acts = sum(entry["kind"] == "act" for entry in evidence.world)
    yield f"{len(evidence.sessions)} sessions: {_counts(ends)}"
    yield f"{turns} turns, {acts} actions in the world, {len(evidence.calls)} model calls"
    if faults:
        yield f"{faults.total()} faults: {_counts(faults)}"


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())


def _nothing_is_left(evidence: Evidence) -> Iterator[str]:
    left = evidence.left
    if left["orphans"]:
        yield f"processes live on: {left['orphans']}"
    if left["exit"] != 0:
        yield f"the last daemon ended with exit code {left['exit']}"
    if left.get("descriptorsAfter", 0) > left.get("descriptorsBefore", 0):
        yield f"{left['descriptorsBefore']} descriptors became {left['descriptorsAfter']}"


def _every_seat_plays_again(evidence: Evidence) -> Iterator[str]:
    yield from evidence.left.get("silent", ())


def _journals_verify(evidence: Evidence) -> Iterator[str]:
    disk_was_full = evidence.was("FillDisk")
    for journal in evidence.journals:
        for problem in evidence.verified[str(journal.path)]:
            cut_off = journal.summary is None and problem.startswith("torn tail")
            empty = journal.summary is None and problem == "the file is empty"
            unsealed = _ended_on_a_full_disk(evidence, journal) and _LAST_SEAL.match(problem)
            if not (cut_off or (disk_was_full and (empty or unsealed or " lost" in problem))):
                yield f"{journal.path.name}: {problem}"


def _ended_on_a_full_disk(evidence: Evidence, journal: Journal) -> bool:
    ended = moment(journal.lines[-1].at) if journal.lines else 0.0
    return any(began <= ended <= over for began, over in evidence.full_disk)


def _no_action_without_its_decision(evidence: Evidence) -> Iterator[str]:
    decided: set[str | None] = set()
    room: Counter[str] = Counter()
    for journal in evidence.journals:
        decided |= {line.idempotency_key for line in journal.of(Decision)}
        room[journal.run_id] = journal.lost.get("decision", 0)
    for run, key in _asked(evidence):
        if key in decided:
            continue
        room[run] -= 1
        if room[run] < 0 and not evidence.died_on_a_full_disk(run):
            yield f"{key} reached its world and is in no journal"


def _no_action_twice(evidence: Evidence) -> Iterator[str]:
    for key, times in Counter(key for _, key in _asked(evidence)).items():
        if times > 1:
            yield f"{key} ran {times} times"


def _no_settled_action_that_never_was(evidence: Evidence) -> Iterator[str]:
    ran = {key for _, key in _asked(evidence)}
    refused = Counter(
        entry["sessionId"]
        for entry in evidence.world
        if entry["kind"] == "misbehaved" and entry["misdeed"].startswith("refuse")
    )
    for journal in evidence.journals:
        for line in journal.of(Action):
            if line.outcome not in _SETTLED or line.idempotency_key in ran:
                continue
            # A world that refuses before it looks at an action does not write down its key.
            if line.outcome == "rejected_by_adapter" and journal.header is not None:
                refused[journal.header.environment_session_id] -= 1
                if refused[journal.header.environment_session_id] >= 0:
                    continue
            yield f"{line.idempotency_key} is {line.outcome} and the world never saw it"


def _no_told_turn_is_lost(evidence: Evidence) -> Iterator[str]:
    for session, told in evidence.watched["turns"].items():
        journal = evidence.journal_of(session)
        kept = set() if journal is None else {line.turn.turn for line in journal.of(Turn)}
        lost = 0 if journal is None else journal.lost.get("turn", 0)
        missing = set(told) - kept
        if len(missing) > lost and not evidence.died_on_a_full_disk(session):
            yield f"session {session}: turns {sorted(missing)} were told and are in no journal"


def _one_driver(evidence: Evidence) -> Iterator[str]:
    last_lines = {
        journal.header.environment_session_id: (journal.run_id, journal.lines[-1].at)
        for journal in evidence.journals
        if journal.header is not None
    }
    at_the_wheel: dict[str, str] = {}
    for entry in evidence.world:
        player, session = entry["playerId"], entry["sessionId"]
        if entry["kind"] == "join":
            at_the_wheel[player] = session
            run, last = last_lines.get(entry["tookOver"] or "", ("", entry["at"]))
            if moment(last) > moment(entry["at"]):
                yield f"run {run} went on until {last}; the seat was taken over at {entry['at']}"
        ran = entry["kind"] == "act" and entry["outcome"] == "ran"
        if ran and at_the_wheel.get(player) != session:
            yield f"player {player}: {session} acts, {at_the_wheel.get(player)} has the seat"


def _one_process(evidence: Evidence) -> Iterator[str]:
    for look in evidence.census:
        seats = Counter(evidence.seat_of.get(session, session) for session in look["sessions"])
        for seat, processes in seats.items():
            if processes > 1:
                yield f"{look['at']:.2f}: {processes} sessions of seat {seat} live at once"


def _generations_grow(evidence: Evidence) -> Iterator[str]:
    given: dict[str, int] = {}
    for session in evidence.sessions:
        if session.generation <= given.get(session.seat, 0):
            yield f"session {session.session_id} has generation {session.generation} again"
        given[session.seat] = session.generation


def _ends_are_final(evidence: Evidence) -> Iterator[str]:
    ids = Counter(event["id"] for event in evidence.events)
    yield from (f"event {id} stands there {times} times" for id, times in ids.items() if times > 1)
    for session, states in _states(evidence).items():
        if states[0] != "claimed":
            yield f"session {session} begins with {states[0]}"
        for before, then in pairwise(states):
            if then not in FOLLOWS.get(before, ()):
                yield f"session {session} is {then} after {before}"


def _database_and_events_agree(evidence: Evidence) -> Iterator[str]:
    states = _states(evidence)
    last = {event["data"]["sessionId"]: event["data"] for event in evidence.events}
    known = {session.session_id for session in evidence.sessions}
    yield from (f"session {id} has events and no row" for id in states.keys() - known)
    for session in evidence.sessions:
        id = session.session_id
        if session.state not in TERMINAL:
            yield f"session {id} is {session.state} for ever"
        if states.get(id, ["nothing"])[-1] != session.state:
            yield f"session {id} is {session.state}; its events say {states.get(id)}"
            continue
        told = last[id]
        for name, value in (
            ("seat", session.seat),
            ("generation", session.generation),
            ("sittingId", session.sitting_id),
            ("outcome", session.outcome),
            ("leave", session.leave),
            ("turnsTaken", session.turns_taken),
        ):
            if told.get(name) != value:
                yield f"session {id}: {name} is {value}; its events say {told.get(name)}"


def _leases_are_given_back(evidence: Evidence) -> Iterator[str]:
    leaves = {session.seat: session.leave for session in evidence.sessions}
    for lease in evidence.leases:
        if leaves.get(lease["seat"]) != "unconfirmed":
            yield f"seat {lease['seat']} keeps the lease of session {lease['session_id']}"


def _database_and_journals_agree(evidence: Evidence) -> Iterator[str]:
    for session in evidence.sessions:
        journal = evidence.journal_of(session.session_id)
        if journal is None:
            if session.turns_taken:
                yield f"session {session.session_id} took {session.turns_taken} turns in no journal"
            continue
        turns = _turns_in(journal)
        dead = evidence.died_on_a_full_disk(session.session_id)
        if session.turns_taken > turns and not dead:
            yield f"session {session.session_id}: {session.turns_taken} turns, {turns} written"
        summary = journal.summary
        if summary is None:
            continue
        if _leaves_differ(session, summary, whole=not evidence.verified[str(journal.path)]):
            yield (
                f"session {session.session_id}: its leave is {session.leave}; "
                f"its summary says {summary.leave}"
            )
        if session.state != "stopped":
            continue
        if (summary.outcome, summary.turns_taken) != (session.outcome, session.turns_taken):
            yield (
                f"session {session.session_id} is {session.outcome} after {session.turns_taken}; "
                f"its summary says {summary.outcome} after {summary.turns_taken}"
            )


def _turns_in(journal: Journal) -> int:
    """Those that a reader finds, one that was cut off after its decision included."""
    marks = [type(line) for line in journal.lines if isinstance(line, Turn | Decision)]
    return marks.count(Turn) + marks[-1:].count(Decision) + journal.lost.get("turn", 0)


def _leaves_differ(session: Session, summary: Summary, *, whole: bool) -> bool:
    """One that died after its summary may have told nobody alive of the leave that it wrote."""
    by_its_journal = whole and session.reason.startswith("the daemon was gone")
    either = (session.leave, summary.leave)
    if session.leave == "confirmed" or by_its_journal:
        return either.count("confirmed") == 1
    return False


def _stops_stop(evidence: Evidence) -> Iterator[str]:
    for stop in evidence.story:
        answer = stop.get("answer")
        if not isinstance(answer, dict) or answer["sessionId"] is None:
            continue
        journal = evidence.journal_of(answer["sessionId"])
        if journal is None:
            continue
        heard = _heard_at(evidence, stop["asked"], stop["seat"])
        for line in journal.of(Usage):
            if line.stage == "reserved" and moment(line.at) > heard + _ADMITTED:
                yield f"run {journal.run_id} asked its model at {line.at}, after its stop"
        settled = {line.idempotency_key for line in journal.of(Action)}
        sent = {
            line.idempotency_key: moment(line.at)
            for line in journal.of(Decision)
            if line.idempotency_key not in settled
        }
        for entry in _acts_of(evidence, journal):
            in_flight = sent.get(entry["idempotencyKey"], math.inf) < stop["asked"]
            if in_flight and answer["leave"] == "unconfirmed":
                continue  # its session had died: nobody could call the action back
            if moment(entry["at"]) > stop["at"]:
                yield f"run {journal.run_id} acted at {entry['at']}, after its stop was over"


def _the_log_is_clean(evidence: Evidence) -> Iterator[str]:
    for number, line in enumerate(evidence.log.splitlines(), 1):
        if re.search(r"Traceback|internal error", line):
            yield f"line {number} of the log: {line}"


def _heard_at(evidence: Evidence, asked: float, seat: str) -> float:
    """When a request reached the session: what is stopped itself hears nothing until it goes on."""
    for line in evidence.story:
        fault = line.get("fault", {})
        hung = fault.get("fault") == "HangDaemon" or (
            fault.get("fault") == "HangSession" and fault["seat"] == seat
        )
        if hung and line["at"] <= asked <= line["at"] + fault["seconds"]:
            asked = line["at"] + fault["seconds"]
    return asked


_ADMITTED = 1.0
"""Seconds on a busy machine from a stop's request to the session: a call may begin in them."""


def _states(evidence: Evidence) -> dict[str, list[str]]:
    states: dict[str, list[str]] = defaultdict(list)
    for event in evidence.events:
        states[event["data"]["sessionId"]].append(event["type"].rpartition(".")[2])
    return states


def _asked(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Run and key of every action that a world or a motor admitted, as they say themselves."""
    acts = [
        entry["idempotencyKey"]
        for entry in evidence.world
        if entry["kind"] == "act" and not entry["replayed"]
    ]
    acts += [
        entry["arguments"]["actionId"]
        for entries in evidence.motors.values()
        for entry in entries
        if entry["kind"] == "called" and entry["tool"] == "act" and entry["outcome"] == "answered"
    ]
    return ((key.rsplit("-", 2)[0], key) for key in acts)


def _acts_of(evidence: Evidence, journal: Journal) -> Iterator[dict[str, Any]]:
    if journal.header is None:
        return iter(())
    id = journal.header.environment_session_id
    return (
        entry
        for entry in evidence.world
        if entry["kind"] == "act" and entry["outcome"] == "ran" and entry["sessionId"] == id
    )


CHECKS: dict[str, Check] = {
    "no process, descriptor or error is left when the daemon was drained": _nothing_is_left,
    "every seat plays again when the trouble is over": _every_seat_plays_again,
    "every journal verifies; one that was cut off, as cut off": _journals_verify,
    "no action reached a world without its decision in a journal": _no_action_without_its_decision,
    "no action ran twice": _no_action_twice,
    "no journal tells of a settled action that the world never saw": (
        _no_settled_action_that_never_was
    ),
    "every turn that a subscriber was told of is in a journal": _no_told_turn_is_lost,
    "a seat has one driver at any time, by the world's own record": _one_driver,
    "a seat has the processes of one session at any time": _one_process,
    "no driver generation is given out twice": _generations_grow,
    "ends are final, and states follow each other as they may": _ends_are_final,
    "a lease is given back, unless a leave was not confirmed": _leases_are_given_back,
    "the state database and the event file agree": _database_and_events_agree,
    "the state database and the journals agree": _database_and_journals_agree,
    "a stop stops": _stops_stop,
    "the daemon's log has no internal error": _the_log_is_clean,
}
