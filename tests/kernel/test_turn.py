from __future__ import annotations

import pytest

from kernel.turn import TABLE, Event, OutOfOrder, Phase, after

AWAITING = set(Phase) - {Phase.OVER, Phase.REMEMBERING}


def test_a_turn_that_goes_well_passes_every_phase_once() -> None:
    events = [
        Event.ADMITTED, Event.SEEN, Event.DECIDED, Event.SAME, Event.SETTLED,
        Event.VERIFIED, Event.SPOKEN, Event.REMEMBERED, Event.PACED,
    ]  # fmt: skip
    phases = [Phase.READY]
    for event in events:
        phases.append(after(phases[-1], event))
    assert phases[-1] is Phase.READY
    assert set(phases) == set(Phase) - {Phase.OVER}


@pytest.mark.parametrize("phase", sorted(AWAITING, key=lambda phase: phase.value))
@pytest.mark.parametrize("event", [Event.STOPPED, Event.WORLD_ENDED])
def test_k9_an_ending_is_legal_wherever_something_is_awaited(phase: Phase, event: Event) -> None:
    recorded = {Phase.READY: Phase.OVER, Phase.PACING: Phase.OVER}
    assert after(phase, event) is recorded.get(phase, Phase.REMEMBERING)


def test_nothing_follows_the_end() -> None:
    for event in Event:
        with pytest.raises(OutOfOrder, match=event.name):
            after(Phase.OVER, event)


def test_an_action_is_only_reached_through_the_fence() -> None:
    ways = [phase for (phase, _), to in TABLE.items() if to is Phase.ACTING]
    assert ways == [Phase.FENCING]


def test_every_event_leads_somewhere_and_every_phase_is_reached() -> None:
    assert {event for _, event in TABLE} == set(Event)
    assert set(TABLE.values()) == set(Phase)


def test_after_a_turn_got_its_number_only_remembering_leads_out_of_it() -> None:
    outside = {Phase.READY, Phase.PACING, Phase.OVER}
    inside = set(Phase) - outside
    ways_out = {phase for (phase, _), to in TABLE.items() if phase in inside and to in outside}
    assert ways_out == {Phase.REMEMBERING}
