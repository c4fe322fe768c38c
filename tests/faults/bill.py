"""What holds of the bill, by the model server's own count of every request."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from evidence import Call, Evidence, Journal, Usage, moment

RESERVE = 16_000
_ANY_SEAT = "any seat"


@dataclass
class Sitting:
    """One sitting's runs, oldest first."""

    seat: str
    began: float
    """When its first session was claimed, seconds since 1970."""
    told: int = 0
    """The most that its sessions told of the bill."""
    runs: list[Journal] = field(default_factory=list[Journal])

    @property
    def charged(self) -> int:
        """By its journals; or by what was told, of a run that could not write."""
        return max(
            self.told, sum(line.charged for run in self.runs for line in final(run).values())
        )


def final(run: Journal) -> dict[str, Usage]:
    """Each call's last word: its settlement, or its reserve if it never settled."""
    return {line.call_id: line for line in run.of(Usage)}


def sittings(evidence: Evidence) -> dict[str, Sitting]:
    """By id, oldest first."""
    found: dict[str, Sitting] = {}
    for session in evidence.sessions:
        new = Sitting(session.seat, moment(session.began_at))
        sitting = found.setdefault(session.sitting_id, new)
        if session.budget is not None:
            sitting.told = max(sitting.told, session.budget.tokens)
        run = evidence.journal_of(session.session_id)
        if run is not None:
            sitting.runs.append(run)
    return found


def _calls_are_as_counted(evidence: Evidence) -> Iterator[str]:
    counted = {
        seat: Counter(
            (call.prompt_tokens, call.completion_tokens, call.cached_tokens)
            for call in calls
            if call.usage_reported
        )
        for seat, calls in _calls_by_seat(evidence).items()
    }
    for sitting in sittings(evidence).values():
        told = counted[sitting.seat if evidence.answers else _ANY_SEAT]
        for run in sitting.runs:
            for line in final(run).values():
                numbers = (line.input or 0, line.output or 0, line.cache_read or 0)
                if not line.reported or not _left(line):
                    continue
                if told[numbers] == 0:
                    yield f"{run.run_id}, {line.call_id}: {numbers}, which no answer of it said"
                told[numbers] -= 1
                if line.charged != numbers[0] + numbers[1]:
                    yield f"{run.run_id}, {line.call_id}: {numbers} is charged {line.charged}"


def _unreported_calls_charge_the_reserve(evidence: Evidence) -> Iterator[str]:
    for run in evidence.journals:
        stages = Counter((line.call_id, line.stage) for line in run.of(Usage))
        yield from (
            f"{run.run_id}, {call}: {stage} {times} times"
            for (call, stage), times in stages.items()
            if times > 1
        )
        for call, line in final(run).items():
            if not line.reported and line.charged != RESERVE:
                yield f"{run.run_id}, {call}: unreported, and charged {line.charged}"


def _every_request_has_its_reserve(evidence: Evidence) -> Iterator[str]:
    reserved: Counter[str] = Counter()
    for session in evidence.sessions:
        run = evidence.journal_of(session.session_id)
        seat = session.seat if evidence.answers else _ANY_SEAT
        reserved[seat] += 0 if run is None else sum(map(_left, final(run).values()))
    for seat, calls in _accountable_calls(evidence).items():
        if len(calls) > reserved[seat]:
            yield f"seat {seat}: {len(calls)} requests were answered, {reserved[seat]} reserved"
    if not _some_were_silenced(evidence):
        chats = sum(call.request == "chat" for call in evidence.calls)
        if chats > reserved.total():
            yield f"{chats} requests came to the model, {reserved.total()} are in journals"


def _no_sitting_pays_too_little(evidence: Evidence) -> Iterator[str]:
    by_seat: dict[str, list[Sitting]] = defaultdict(list)
    for sitting in sittings(evidence).values():
        by_seat[sitting.seat].append(sitting)
    for seat, calls in _accountable_calls(evidence).items():
        if seat == _ANY_SEAT:
            break
        begins = [sitting.began for sitting in by_seat[seat]]
        counted: Counter[int] = Counter()
        for call in calls:
            counted[bisect_right(begins, moment(call.at)) - 1] += call.tokens
        for number, sitting in enumerate(by_seat[seat]):
            if counted[number] > sitting.charged:
                yield (
                    f"seat {seat}, sitting {number}, runs {[run.run_id for run in sitting.runs]}: "
                    f"{counted[number]} tokens by the server, {sitting.charged} charged"
                )


def _all_sittings_pay_for_all_calls(evidence: Evidence) -> Iterator[str]:
    if _some_were_silenced(evidence):
        return
    counted = sum(call.tokens for call in evidence.calls if call.request == "chat")
    charged = sum(sitting.charged for sitting in sittings(evidence).values())
    if counted > charged:
        yield f"{counted} tokens by the server, {charged} charged"


def _no_call_begins_past_the_ceiling(evidence: Evidence) -> Iterator[str]:
    for id, sitting in sittings(evidence).items():
        before = 0
        for run in sitting.runs:
            ceiling = None if run.header is None else run.header.budget.tokens
            settled = 0
            for line in run.of(Usage):
                if line.stage == "settled":
                    settled += line.charged
                elif ceiling is not None and before + settled >= ceiling:
                    yield (
                        f"sitting {id}, {line.call_id}: begun with {before + settled} of {ceiling}"
                    )
            before += sum(line.charged for line in final(run).values())


def _left(line: Usage) -> bool:
    """Whether the call's request reached anybody: one that could not be sent costs nothing."""
    return line.charged > 0


def _calls_by_seat(evidence: Evidence) -> dict[str, list[Call]]:
    """The chat calls that a seat's own wire saw answered, or began to; without wires, all calls."""
    chats = {call.index: call for call in evidence.calls if call.request == "chat"}
    if not evidence.answers:
        return {_ANY_SEAT: list(chats.values())}
    return {
        seat: [chats[index] for index in found if index in chats]
        for seat, found in evidence.answers.items()
    }


def _some_were_silenced(evidence: Evidence) -> bool:
    return any(evidence.died_on_a_full_disk(session.session_id) for session in evidence.sessions)


def _accountable_calls(evidence: Evidence) -> dict[str, list[Call]]:
    """Without those of a session that ended while the disk had no space for its bill."""
    silent: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for session in evidence.sessions:
        if (full := evidence.died_on_a_full_disk(session.session_id)) is not None:
            silent[session.seat].append(full)
    return {
        seat: [
            call
            for call in calls
            if not any(began <= moment(call.at) <= over for began, over in silent[seat])
        ]
        for seat, calls in _calls_by_seat(evidence).items()
    }


CHECKS: dict[str, Callable[[Evidence], Iterator[str]]] = {
    "every reported call is what the model server counted": _calls_are_as_counted,
    "every unreported call charges the reserve, once": _unreported_calls_charge_the_reserve,
    "every request to the model has its reserve in a journal": _every_request_has_its_reserve,
    "no sitting is charged less than the server counted": _no_sitting_pays_too_little,
    "all sittings together are charged for all calls": _all_sittings_pay_for_all_calls,
    "no call begins once a ceiling is reached": _no_call_begins_past_the_ceiling,
}
