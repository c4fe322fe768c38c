"""The turn: one table of phases and events for every game.

Rules that keep it so:
- The table is the only place that says what follows what. The loop in `play` does what a phase asks
  for and reports one event; it never chooses the next phase itself.
- A (phase, event) pair that is not in the table is a defect and raises `OutOfOrder`.
- STOPPED and WORLD_ENDED are legal wherever something is awaited (K9). Once a turn has its number,
  both lead through REMEMBERING, which awaits nothing, so the number is recorded (K2).
- A phase is entered again only for a fresh proposal (K6, K8), and `proposals` bounds how often.
"""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """Where a session is. READY and PACING lie between turns; OVER is final."""

    READY = "ready"
    OBSERVING = "observing"
    DECIDING = "deciding"
    FENCING = "fencing"
    ACTING = "acting"
    VERIFYING = "verifying"
    SPEAKING = "speaking"
    REMEMBERING = "remembering"
    PACING = "pacing"
    OVER = "over"


class Event(StrEnum):
    """What the loop reports about the phase that it has just done."""

    ADMITTED = "nothing ends the session before this turn"
    SEEN = "an observation is here"
    DECIDED = "a valid decision with an action"
    WAITED = "a valid decision to do nothing"
    REPLACED = "a message replaced the proposal"
    UNDECIDED = "the call failed or its answer is no decision"
    SAME = "the state is the one that was shown"
    CHANGED = "the state is another one; a fresh proposal is left"
    STALE = "the state is another one; no fresh proposal is left"
    KNOWN = "this action is known to be refused under this evidence"
    SPENT = "the budget is reached"
    SETTLED = "the action settled"
    UNSETTLED = "the action was abandoned without an answer"
    VERIFIED = "its effect is known"
    SPOKEN = "speech is decided"
    REMEMBERED = "the turn is recorded"
    FINAL = "the turn is recorded and was the last"
    PACED = "the wait before the next turn is over"
    STOPPED = "a stop was requested"
    WORLD_ENDED = "the world is over"
    LIMITED = "a ceiling, a limit or the body's readiness ends the session"


_BETWEEN_TURNS = (Phase.READY, Phase.PACING)
_IN_A_TURN = (
    Phase.OBSERVING,
    Phase.DECIDING,
    Phase.FENCING,
    Phase.ACTING,
    Phase.VERIFYING,
    Phase.SPEAKING,
)
_INTERRUPTIONS = (Event.STOPPED, Event.WORLD_ENDED)

TABLE: dict[tuple[Phase, Event], Phase] = {
    **{(phase, event): Phase.OVER for phase in _BETWEEN_TURNS for event in _INTERRUPTIONS},
    **{(phase, event): Phase.REMEMBERING for phase in _IN_A_TURN for event in _INTERRUPTIONS},
    (Phase.READY, Event.ADMITTED): Phase.OBSERVING,
    (Phase.READY, Event.LIMITED): Phase.OVER,
    (Phase.OBSERVING, Event.SEEN): Phase.DECIDING,
    (Phase.DECIDING, Event.DECIDED): Phase.FENCING,
    (Phase.DECIDING, Event.WAITED): Phase.SPEAKING,
    (Phase.DECIDING, Event.REPLACED): Phase.DECIDING,
    (Phase.DECIDING, Event.UNDECIDED): Phase.REMEMBERING,
    (Phase.DECIDING, Event.SPENT): Phase.REMEMBERING,
    (Phase.FENCING, Event.SAME): Phase.ACTING,
    (Phase.FENCING, Event.CHANGED): Phase.DECIDING,
    (Phase.FENCING, Event.STALE): Phase.REMEMBERING,
    (Phase.FENCING, Event.KNOWN): Phase.VERIFYING,
    (Phase.FENCING, Event.SPENT): Phase.REMEMBERING,
    (Phase.ACTING, Event.SETTLED): Phase.VERIFYING,
    (Phase.ACTING, Event.UNSETTLED): Phase.REMEMBERING,
    (Phase.VERIFYING, Event.VERIFIED): Phase.SPEAKING,
    (Phase.SPEAKING, Event.SPOKEN): Phase.REMEMBERING,
    (Phase.REMEMBERING, Event.REMEMBERED): Phase.PACING,
    (Phase.REMEMBERING, Event.FINAL): Phase.OVER,
    (Phase.PACING, Event.PACED): Phase.READY,
}


class OutOfOrder(Exception):
    """An event that the table does not allow in this phase."""


def after(phase: Phase, event: Event) -> Phase:
    """The phase that follows. Raises OutOfOrder."""
    try:
        return TABLE[phase, event]
    except KeyError:
        raise OutOfOrder(f"{event.name} cannot happen while {phase.value}") from None


def diagram() -> str:
    """The table as a Mermaid state diagram; what may interrupt any turn is said in words."""
    steps = {pair: to for pair, to in TABLE.items() if pair[1] not in _INTERRUPTIONS}
    arrows = [f"    {old} --> {new}: {event.name.lower()}" for (old, event), new in steps.items()]
    return "\n".join(["stateDiagram-v2", "    [*] --> ready", *arrows, "    over --> [*]", ""])
