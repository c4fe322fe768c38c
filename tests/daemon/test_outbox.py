"""What waits for a session process that does not read."""

import pytest

from daemon.outbox import BOUND, Outbox
from kernel.session.specification import BudgetCeiling
from kernel.session.wire import (
    Acknowledge,
    Budget,
    Lease,
    Pause,
    Resume,
    Say,
    Stop,
    ToSession,
    to_session_decoder,
)

NEWEST: list[ToSession] = [
    Budget(ceiling=BudgetCeiling(tokens=7)),
    Lease(valid_for=30.0),
    Resume(),
    Stop(reason="again", remaining=1.0),
]


def words(number: int) -> Say:
    return Say(id=str(number), text="hello", speaker="Ann")


async def told(outbox: Outbox, number: int) -> list[ToSession]:
    return [to_session_decoder.decode(await outbox.next()) for _ in range(number)]


async def test_the_newest_of_what_is_to_be_done_is_told_in_the_place_of_the_older():
    outbox = Outbox()
    older = [
        Budget(ceiling=BudgetCeiling(tokens=9)),
        Lease(valid_for=60.0),
        Pause(),
        Stop(reason="once", remaining=15.0),
    ]
    for message in (*older, words(1), words(2), *NEWEST):
        assert outbox.put(message)
    assert await told(outbox, 6) == [*NEWEST, words(1), words(2)]


@pytest.mark.parametrize("make", [words, lambda number: Acknowledge(id=str(number))])
async def test_words_beyond_the_bound_are_not_kept_and_displace_nothing(make):
    outbox = Outbox()
    kept = [make(number) for number in range(BOUND)]
    assert all(map(outbox.put, kept))
    assert not outbox.put(make(BOUND))
    assert all(map(outbox.put, NEWEST))
    assert await told(outbox, 1) == kept[:1]
    assert outbox.put(make(BOUND))
    assert await told(outbox, BOUND + len(NEWEST)) == [*kept[1:], *NEWEST, make(BOUND)]


async def test_nothing_is_kept_for_a_process_that_closed_its_input():
    outbox = Outbox()
    outbox.close()
    assert not any(map(outbox.put, [*NEWEST, words(1)]))
