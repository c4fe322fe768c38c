"""The life of one session as a table of states and events.

Rules that keep it readable:

- The table is the whole truth: what is not in it cannot happen, and asking for it is an error.
- A state says what is owed to the outside. `claimed`: a lease and a generation, no process.
  `starting`: a process, perhaps, that has not got the body. `running`: the body is ours.
  `stopping`: nothing new is admitted. The other three are ends and are never left.
- An event says what happened, not what to do about it. Whoever applies one acts afterwards.
- A restart is a new session; nothing leads from an end back into the table.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

State: TypeAlias = Literal[
    "claimed", "starting", "running", "stopping", "refused", "stopped", "failed"
]
Event: TypeAlias = Literal["spawn", "run", "refuse", "stop", "end", "fail"]
Outcome: TypeAlias = Literal[
    "stopped",
    "finished",
    "budget_exhausted",
    "idle",
    "world_ended",
    "mind_unavailable",
    "crashed",
    "hung",
    "protocol_error",
    "stop_deadline",
    "lease_lapsed",
    "supervisor_lost",
]

TABLE: dict[tuple[State, Event], State] = {
    ("claimed", "spawn"): "starting",
    ("claimed", "refuse"): "refused",
    ("claimed", "stop"): "stopped",
    ("starting", "run"): "running",
    ("starting", "refuse"): "refused",
    ("starting", "stop"): "stopping",
    ("starting", "fail"): "failed",
    ("running", "stop"): "stopping",
    ("running", "end"): "stopped",
    ("running", "fail"): "failed",
    ("stopping", "end"): "stopped",
    ("stopping", "fail"): "failed",
}

TERMINAL: frozenset[State] = frozenset(("refused", "stopped", "failed"))

FAILED: frozenset[Outcome] = frozenset(
    ("crashed", "hung", "protocol_error", "stop_deadline", "lease_lapsed", "supervisor_lost")
)
"""Outcomes that end a session as `failed`; every other ends it as `stopped`."""


class IllegalTransition(Exception):
    """An event that the table does not have for this state."""

    def __init__(self, state: State, event: Event) -> None:
        super().__init__(f"a session that is {state} cannot {event}")
        self.state: State = state
        self.event: Event = event


def after(state: State, event: Event) -> State:
    """The state that follows. Raises IllegalTransition."""
    try:
        return TABLE[state, event]
    except KeyError:
        raise IllegalTransition(state, event) from None


def ending(state: State, outcome: Outcome) -> tuple[Event, ...]:
    """The events that bring a live session to this outcome, in order; its last one is terminal.

    A session that ends by itself before it ran was stopping first.
    """
    if outcome in FAILED:
        return ("fail",) if state != "claimed" else ("spawn", "fail")
    if state == "claimed":
        return ("stop",)
    return ("stop", "end") if state == "starting" else ("end",)


def diagram() -> str:
    """The table as a Mermaid state diagram."""
    arrows = [f"    {old} --> {new}: {event}" for (old, event), new in TABLE.items()]
    ends = [f"    {state} --> [*]" for state in get_args(State) if state in TERMINAL]
    return "\n".join(["stateDiagram-v2", "    [*] --> claimed", *arrows, *ends, ""])
