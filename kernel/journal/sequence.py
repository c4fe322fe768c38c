"""In which order lines may follow each other (K2, K28)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kernel.journal.glance import Glance, TurnGlance
from kernel.journal.lines import (
    ActionLine,
    DecisionLine,
    EvidenceWindowLine,
    HeaderLine,
    JournalGapLine,
    SummaryLine,
    UsageLine,
)

Problem = tuple[str, str]
"""What is wrong with the order, and the field that shows it."""


class Sequence:
    """Follows one trail. What a `journal_gap` owns up to is not missed, up to the next turn.

    A death may leave the last turn without its end; a turn that has its line has all of it.
    """

    def __init__(self) -> None:
        self._next = 0
        self._turns = 0
        self._decided: int | None = None
        self._acted = False
        self._reserved: set[str] = set()
        self._lost: set[str] = set()
        self._turns_lost = False
        self._over = False

    def unreadable(self) -> None:
        """A line cannot be read: it may have been any."""
        self._lose({"turn", "decision", "action", "usage"})

    def follow(self, value: Glance) -> Iterator[Problem]:
        """Take the next line and give what is wrong with its place."""
        if self._over and not isinstance(value, EvidenceWindowLine | JournalGapLine):
            yield "nothing but a seal or a gap follows the summary", "kind"
        match value:
            case HeaderLine() if value.resumed_from_checkpoint_id is not None:
                self._lost.add("turn")
            case TurnGlance():
                yield from self._turn(value)
            case DecisionLine():
                yield from self._belongs_to_the_next(value.turn)
                yield from self._settled_by("decision")
                self._decided, self._acted = value.turn, False
            case ActionLine():
                yield from self._action(value.turn)
            case UsageLine():
                yield from self._usage(value)
            case JournalGapLine():
                self._lose(set(value.lost_kinds))
            case SummaryLine():
                yield from self._summary(value)
            case _:
                pass

    def _lose(self, kinds: set[str]) -> None:
        self._lost |= kinds
        self._turns_lost |= "turn" in kinds

    def _turn(self, line: TurnGlance) -> Iterator[Problem]:
        number = line.turn.turn
        if number < self._next:
            yield f"turn {number} stands behind turn {self._next - 1}", "turn.turn"
        elif number > self._next and "turn" not in self._lost:
            yield f"turn {number} stands where turn {self._next} is next", "turn.turn"
        unsettled = self._decided == number and not self._acted and "action" not in self._lost
        if unsettled and line.turn.outcome != INTERRUPTED:
            yield f"no action of turn {number} stands before its turn", "turn.turn"
        yield from self._settled_by("turn")
        self._next = max(self._next, number + 1)
        self._turns += 1
        self._lost.clear()

    def _action(self, turn: int) -> Iterator[Problem]:
        if turn < self._next:
            yield f"the action of turn {turn} stands behind its turn", "turn"
        elif turn != self._decided and "decision" not in self._lost:
            yield f"no decision of turn {turn} stands before its action", "turn"
        self._acted = turn == self._decided

    def _usage(self, line: UsageLine) -> Iterator[Problem]:
        if line.turn is not None:
            yield from self._belongs_to_the_next(line.turn)
        if line.stage == "reserved":
            if line.call_id in self._reserved:
                yield f"call {line.call_id} was reserved before", "callId"
            self._reserved.add(line.call_id)
        elif line.call_id in self._reserved:
            self._reserved.discard(line.call_id)
        elif "usage" not in self._lost:
            yield f"call {line.call_id} settles and no reserve of it stands before", "callId"

    def _summary(self, line: SummaryLine) -> Iterator[Problem]:
        yield from self._settled_by("summary")
        if line.schema_version >= _COUNTS_TURNS and not self._turns_lost:
            told = f"says {line.turns_taken} and {self._turns} turns stand before it"
            if line.turns_taken != self._turns:
                yield told, "turnsTaken"
        self._over = True

    def _belongs_to_the_next(self, turn: int) -> Iterator[Problem]:
        if turn != self._next and not (turn > self._next and "turn" in self._lost):
            yield f"is {turn} while turn {self._next} is next", "turn"

    def _settled_by(self, what: str) -> Iterator[Problem]:
        """Every call settles before anything that comes of it (K28)."""
        if self._reserved and "usage" not in self._lost:
            yield f"call {min(self._reserved)} is not settled before the {what}", "kind"
        self._reserved.clear()


INTERRUPTED: Final = "interrupted"
"""The outcome of a turn whose action may have been sent and never settled."""

_COUNTS_TURNS: Final = 2
"""The summary that states the turns of its own run alone, with every turn in the file."""
