"""The session's life as a table."""

from typing import get_args

import pytest

from daemon.lifecycle import (
    FAILED,
    TABLE,
    TERMINAL,
    Event,
    IllegalTransition,
    Outcome,
    State,
    after,
    diagram,
    ending,
)

ARROWS = {
    "claimed": {"starting", "refused", "stopped"},
    "starting": {"running", "refused", "stopping", "failed"},
    "running": {"stopping", "stopped", "failed"},
    "stopping": {"stopped", "failed"},
    "refused": set(),
    "stopped": set(),
    "failed": set(),
}


@pytest.mark.parametrize("state", get_args(State))
def test_a_state_leads_only_where_the_contract_says(state: State):
    assert {new for (old, _), new in TABLE.items() if old == state} == ARROWS[state]


@pytest.mark.parametrize("state", sorted(TERMINAL))
@pytest.mark.parametrize("event", get_args(Event))
def test_an_end_is_never_left(state: State, event: Event):
    with pytest.raises(IllegalTransition, match=f"a session that is {state} cannot {event}"):
        after(state, event)


@pytest.mark.parametrize("state", ["claimed", "starting", "running", "stopping"])
@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_every_live_session_can_come_to_every_outcome(state: State, outcome: Outcome):
    events = ending(state, outcome)
    for event in events[:-1]:
        state = after(state, event)
        assert state not in TERMINAL
    assert after(state, events[-1]) == ("failed" if outcome in FAILED else "stopped")


def test_the_diagram_shows_every_arrow_of_the_table():
    drawn = diagram()
    assert all(f"{old} --> {new}: {event}" in drawn for (old, event), new in TABLE.items())
    assert all(f"{state} --> [*]" in drawn for state in TERMINAL)
