"""In which order lines may follow each other (K2, K28)."""

from __future__ import annotations

from collections.abc import Iterator

from kernel.journal.lines import (
    ActionLine,
    DecisionLine,
    EvidenceWindowLine,
    HeaderLine,
    JournalGapLine,
    SummaryLine,
    UsageLine,
)
from kernel.journal.reader import Value
from kernel.journal.recorded import RecordedTurn

Problem = tuple[str, str]
"""What is wrong with the order, and the field that shows it."""


class Sequence:
    """Follows one trail. What a `journal_gap` owns up to is not missed, up to the next turn."""

    def __init__(self) -> None:
        self._next = 0
        self._decided: int | None = None
        self._reserved: set[str] = set()
        self._lost: set[str] = set()
        self._over = False

    def unreadable(self) -> None:
        """A line cannot be read: it may have been any."""
        self._lost |= {"turn", "decision", "action", "usage"}

    def follow(self, value: Value) -> Iterator[Problem]:
        """Take the next line and give what is wrong with its place."""
        if self._over and not isinstance(value, EvidenceWindowLine | JournalGapLine):
            yield "nothing but a seal or a gap follows the summary", "kind"
        match value:
            case HeaderLine() if value.resumed_from_checkpoint_id is not None:
                self._lost.add("turn")
            case RecordedTurn():
                yield from self._turn(value.turn.turn)
            case DecisionLine():
                if value.turn != self._next and not (
                    value.turn > self._next and "turn" in self._lost
                ):
                    yield f"is {value.turn} while turn {self._next} is next", "turn"
                self._decided = value.turn
            case ActionLine():
                if value.turn != self._decided and "decision" not in self._lost:
                    yield f"no decision of turn {value.turn} stands before its action", "turn"
            case UsageLine():
                yield from self._usage(value)
            case JournalGapLine():
                self._lost |= set(value.lost_kinds)
            case SummaryLine():
                self._over = True
            case _:
                pass

    def _turn(self, number: int) -> Iterator[Problem]:
        if number < self._next:
            yield f"turn {number} stands behind turn {self._next - 1}", "turn.turn"
        elif number > self._next and "turn" not in self._lost:
            yield f"turn {number} stands where turn {self._next} is next", "turn.turn"
        self._next = max(self._next, number + 1)
        self._lost.clear()

    def _usage(self, line: UsageLine) -> Iterator[Problem]:
        if line.stage == "reserved":
            if line.call_id in self._reserved:
                yield f"call {line.call_id} was reserved before", "callId"
            self._reserved.add(line.call_id)
        elif line.call_id in self._reserved:
            self._reserved.discard(line.call_id)
        elif "usage" not in self._lost:
            yield f"call {line.call_id} settles and no reserve of it stands before", "callId"
