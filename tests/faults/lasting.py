"""The judgement of a soak: nothing grew, nothing broke, and every count is the same everywhere."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import bill
import invariants
from evidence import Evidence, Turn
from flatness import growth, settled
from invariants import Verdict
from samples import Sample, Used

RESIDENT_KIB = 1024
"""Growth of a process's memory from the second quarter of the run to its last: half its time."""
DESCRIPTORS = 1
"""A pushed picture may be on its way at the moment of a sample."""
THREADS = 1
WAL_BYTES = 8 * 2**20
"""SQLite begins its log anew after 4 MiB, once no reader needs the old one."""
TOLD_LATE = 1
"""Turns of a killed session that are in its journal and were not told any more."""


@dataclass(frozen=True)
class Soaked:
    """What a soak left, and which of its processes lived all the time."""

    evidence: Evidence
    samples: Sequence[Sample]
    lasting: Sequence[str]
    seats: Sequence[str]
    metrics: str
    """The last scrape, made when every seat was stopped."""


def judged(soaked: Soaked) -> Verdict:
    """The table of what was used, then every check."""
    told = [*_table(soaked)]
    any_broken = False
    checks = {sentence: check(soaked) for sentence, check in _CHECKS.items()}
    for sentence, check in {**invariants.CHECKS, **bill.CHECKS}.items():
        checks[sentence] = check(soaked.evidence)
    for sentence, breaches in checks.items():
        found = list(breaches)
        any_broken |= bool(found)
        told.append(f"{'BROKEN' if found else 'holds ':6}  {sentence}")
        told += [f"          {breach}" for breach in found]
    return Verdict(tuple(told), any_broken)


def _table(soaked: Soaked) -> Iterator[str]:
    last = soaked.samples[-1]
    turns = sum(last.turns.values())
    yield f"{last.at:.0f} s, {turns} turns, {len(soaked.evidence.calls)} model calls"
    head = ("", "MiB", "grew KiB", "descriptors", "threads", "CPU %")
    yield "{:14}{:>8}{:>10}{:>13}{:>9}{:>8}".format(*head)
    for name in (*soaked.lasting, "world"):
        series = _series(soaked, name)
        resident = [used.resident_kib for used in series]
        used = series[-1].cpu_seconds - series[0].cpu_seconds
        yield (
            f"{name:14}{settled(resident) / 1024:8.1f}{growth(resident):10.0f}"
            f"{_span(used.descriptors for used in series):>13}"
            f"{_span(used.threads for used in series):>9}"
            f"{100 * used / (last.at - soaked.samples[0].at):8.1f}"
        )
    yield "bytes: " + ", ".join(f"{name} {size:,}" for name, size in last.bytes.items())
    slowest = [sample.slowest_status_ms for sample in soaked.samples]
    median = statistics.median(slowest)
    yield f"slowest status of 30 s: median {median:.0f} ms, worst {max(slowest):.0f} ms"


def _span(values: Iterator[int]) -> str:
    found = sorted(set(values))
    return f"{found[0]}" if len(found) == 1 else f"{found[0]} to {found[-1]}"


def _memory_is_flat(soaked: Soaked) -> Iterator[str]:
    for name in soaked.lasting:
        grew = growth([used.resident_kib for used in _series(soaked, name)])
        if grew > RESIDENT_KIB:
            yield f"{name} grew by {grew:.0f} KiB"


def _descriptors_and_threads_are_flat(soaked: Soaked) -> Iterator[str]:
    for name in soaked.lasting:
        series = _series(soaked, name)
        for what, values, most in (
            ("descriptors", [used.descriptors for used in series], DESCRIPTORS),
            ("threads", [used.threads for used in series], THREADS),
        ):
            if growth(values) > most:
                yield f"{name}: {settled(values):.0f} {what}, then {growth(values):.0f} more"


def _they_lived_all_the_time(soaked: Soaked) -> Iterator[str]:
    for name in soaked.lasting:
        pids = {used.pid for used in _series(soaked, name)}
        if len(pids) != 1:
            yield f"{name} was {len(pids)} processes"


def _every_seat_plays_on(soaked: Soaked) -> Iterator[str]:
    quarter = len(soaked.samples) // 4
    marks = soaked.samples[:: max(1, quarter)]
    for seat in soaked.seats:
        turns = [mark.turns.get(seat, 0) for mark in marks]
        if any(then <= before for before, then in pairwise(turns)):
            yield f"{seat} had {turns} turns from quarter to quarter"


def _the_log_of_changes_is_bounded(soaked: Soaked) -> Iterator[str]:
    most = max(sample.bytes.get("state.db-wal", 0) for sample in soaked.samples)
    if most > WAL_BYTES:
        yield f"it came to {most:,} bytes"


def _the_log_tells_no_error(soaked: Soaked) -> Iterator[str]:
    for line in soaked.evidence.log.splitlines():
        if re.search(r"^\S+ \S+ (error|critical)\b", line):
            yield line


def _turns_are_counted_alike(soaked: Soaked) -> Iterator[str]:
    evidence = soaked.evidence
    lost = evidence.watched["lost"]
    if lost:
        yield f"the subscriber lost {lost} events"
    told: Counter[str] = Counter()
    for session in evidence.sessions:
        turns = len(evidence.watched["turns"].get(session.session_id, ()))
        told[session.seat] += turns
        journal = evidence.journal_of(session.session_id)
        written = 0 if journal is None else sum(1 for _ in journal.of(Turn))
        late = TOLD_LATE if session.outcome == "crashed" else 0
        if not turns <= written <= turns + late:
            yield f"session {session.session_id}: {turns} turns told, {written} in its journal"
    for seat in soaked.seats:
        counted = _metric(soaked.metrics, "playd_turns_total", seat)
        if counted != told[seat]:
            yield f"{seat}: {told[seat]} turns told, {counted:.0f} in the metrics"


def _ends_are_counted_alike(soaked: Soaked) -> Iterator[str]:
    left, ends = soaked.evidence.left, Counter(s.outcome for s in soaked.evidence.sessions)
    if ends["crashed"] != left.get("crashes", 0):
        yield f"{left['crashes']} crashes, {ends['crashed']} recorded"
    stops = left.get("stops", 0) + len(soaked.seats)
    if ends["stopped"] != stops:
        yield f"{stops} stops, {ends['stopped']} recorded"


def _metric(metrics: str, name: str, seat: str) -> float:
    rows = re.findall(rf'^{name}\{{.*seat="{seat}".*\}} (\S+)$', metrics, re.MULTILINE)
    return sum(map(float, rows))


def _series(soaked: Soaked, name: str) -> list[Used]:
    return [sample.used[name] for sample in soaked.samples if name in sample.used]


_CHECKS = {
    "memory is flat": _memory_is_flat,
    "descriptors and threads are flat": _descriptors_and_threads_are_flat,
    "who was left in peace lived all the time": _they_lived_all_the_time,
    "every seat plays on": _every_seat_plays_on,
    "the database's log of changes is bounded": _the_log_of_changes_is_bounded,
    "the daemon's log tells no error": _the_log_tells_no_error,
    "turns are counted alike by subscriber, journals and metrics": _turns_are_counted_alike,
    "ends are counted alike": _ends_are_counted_alike,
}
