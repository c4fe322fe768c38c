"""What the player remembers of its turns, and how each turn is folded into it (K19–K22)."""

from __future__ import annotations

from typing import Literal

import msgspec

from bodies.pokemon import wire
from bodies.pokemon.discoveries import Discoveries
from bodies.pokemon.effects import Happening
from bodies.pokemon.objective import Objective
from bodies.pokemon.progress import Progress
from bodies.pokemon.refusals import Refusals
from bodies.pokemon.results import Done, PokemonTurn
from bodies.pokemon.sight import View
from bodies.pokemon.signals import (
    RECURRING_WINDOW,
    REPEATING_FROM,
    SHOWN_FROM,
    Signals,
    recurring,
    shown_from,
)
from kernel.counter import Counter
from kernel.window import Window

STUCK_AT = 12

Notable = Literal["stuck", "objective_retired_twice"]


class Recollection:
    """Notes, objective, progress, refusals, and everything that is counted over turns."""

    def __init__(self) -> None:
        self.notes: str | None = None
        self.objective = Objective()
        self.progress = Progress()
        self.refusals = Refusals()
        self.longest_unchanged_run = 0
        self.longest_recurring_run = 0
        self._discoveries = Discoveries()
        self._effects = Counter()
        self._unchanged_run = 0
        self._marks = Window(RECURRING_WINDOW)
        self._ahead: tuple[View, Window, int | None] | None = None
        self._recurring: int | None = None
        self._recurring_run = 0
        self._standing_run = 0
        """Turns in a row with a known position and the whole window recurring (K22)."""
        self._told_stuck = False
        self._locale = Counter()

    def recall(self, notes: str | None, objective: str | None) -> None:
        """Start from what the journey remembers (K17)."""
        self.notes = notes
        self.objective = Objective(objective)

    def signals(self, view: View, turns_since_spoken: int | None) -> Signals:
        """What holds at this sight, before its turn is over."""
        stalled = self.progress.turns_since_new_tile
        return Signals(
            refused_here=self._discoveries.refused_here(view),
            known_hard_failures=self.refusals.under(view),
            stalled_for_turns=shown_from(SHOWN_FROM, stalled) if view.at else None,
            repeating_for_turns=shown_from(REPEATING_FROM, self._effects.count),
            recurring_for_turns=self._with(view)[1],
            objective_for_turns=shown_from(SHOWN_FROM, self.objective.turns),
            locale_for_turns=shown_from(SHOWN_FROM, self._turns_in_locale(view)),
            previous_objective=self.objective.text,
            previous_notes=self.notes,
            retired_objective=self.objective.retired,
            objective_recovery=self.objective.recovering(view.mark),
            verified_interactions=self._discoveries.talks(view),
            known_transitions=self._discoveries.ways(view),
            turns_since_spoken=turns_since_spoken,
            decision_preemptions=0,
        )

    def fold(self, turn: PokemonTurn) -> None:
        """Take in a turn that is over, whatever became of it."""
        shown = turn.shown.native if turn.shown else None
        after = turn.after.native if turn.after else None
        if shown is not None:
            self._saw(shown)
        if turn.decision is not None and shown is not None:
            self._decided(shown, turn.decision.notes, turn.decision.objective)
        else:
            self.objective = self.objective.passed()
        before = turn.before.native if turn.before else shown
        if turn.settled and before and isinstance(turn.effect, Happening):
            self._acted(turn.settled.native, turn.effect, before, after)
        accepted = turn.settled is not None and not turn.settled.failed
        self.progress.fold((shown, after), accepted=accepted)

    def notables(self, turn: PokemonTurn) -> tuple[Notable, ...]:
        """What the turn that was just folded made worth telling (K22, K32)."""
        reached: list[Notable] = []
        placed = turn.shown is not None and turn.shown.native.at is not None
        repeated = turn.effect is not None and self._effects.count >= STUCK_AT
        going_round = repeated or self._standing_run >= STUCK_AT
        if placed and going_round and not self._told_stuck:
            reached.append("stuck")
        # Without a position the telling waits for one, for as long as the loop lasts.
        self._told_stuck = going_round and (placed or self._told_stuck)
        if self.objective.retired and self.objective.retirements == 2:
            reached.append("objective_retired_twice")
        return tuple(reached)

    def gauges(self, view: View) -> dict[str, int]:
        """The counts for a live view, whether or not they are high enough to be shown."""
        return {
            "stalledForTurns": self.progress.turns_since_new_tile,
            "repeatingForTurns": self._effects.count,
            "recurringForTurns": self._recurring or 0,
            "objectiveForTurns": self.objective.turns,
            "localeForTurns": self._turns_in_locale(view),
        }

    def _decided(
        self, view: View, notes: str | None, wanted: str | msgspec.UnsetType | None
    ) -> None:
        if notes is not None:
            self.notes = notes
        self.objective = self.objective.decided(
            wanted,
            view.mark,
            self._marks.values,
            recurring=self._recurring is not None,
            placed=view.at is not None,
        )

    def _acted(self, done: Done, effect: Happening, before: View, after: View | None) -> None:
        self._effects = self._effects.then(effect.same)
        self._unchanged_run = self._unchanged_run + 1 if effect.unchanged else 0
        self.longest_unchanged_run = max(self.longest_unchanged_run, self._unchanged_run)
        if isinstance(done.outcome, wire.Rejected):
            if not done.remembered:
                self.refusals.note(done.action, done.outcome.refusal, before)
        elif done.outcome is not None:
            self._discoveries.fold(done.action, effect, before, after)

    def _saw(self, view: View) -> None:
        self._marks, self._recurring = self._with(view)
        length = self._recurring
        self._recurring_run = self._recurring_run + 1 if length else 0
        self.longest_recurring_run = max(self.longest_recurring_run, self._recurring_run)
        standing = view.at is not None and length == RECURRING_WINDOW
        self._standing_run = self._standing_run + 1 if standing else 0
        if view.at is not None:
            self._locale = self._locale.then(view.at.map_id)
        elif self._locale.count:
            self._locale = self._locale.then(self._locale.value)

    def _with(self, view: View) -> tuple[Window, int | None]:
        """The marks with this view's, and their number when they recur: asked twice in a turn."""
        if self._ahead is None or self._ahead[0] is not view:
            marks = self._marks.then(view.mark)
            self._ahead = (view, marks, recurring(marks))
        return self._ahead[1:]

    def _turns_in_locale(self, view: View) -> int:
        at = view.at
        return 0 if at and at.map_id != self._locale.value else self._locale.count
