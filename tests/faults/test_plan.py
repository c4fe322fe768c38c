"""What a seed decides."""

from plan import (
    CloseWire,
    CutWire,
    Drain,
    FillDisk,
    Flood,
    Garble,
    HalfCloseWire,
    HangDaemon,
    HangSession,
    KillDaemon,
    KillSession,
    Plan,
    SlowWire,
    StallWire,
    StopSeat,
    plan,
)

from bodies.practice.model import misbehaviour as of_the_model
from bodies.practice.world import misbehaviour as of_the_world

SEATS = tuple(f"seat-{number}" for number in range(20))
EVERY = {
    CloseWire, CutWire, Drain, FillDisk, Flood, Garble, HalfCloseWire, HangDaemon, HangSession,
    KillDaemon, KillSession, SlowWire, StallWire, StopSeat,
}  # fmt: skip


def drawn(seed: int, seconds: float = 60) -> Plan:
    return plan(seed, SEATS, seconds, disk=True)


def test_the_same_seed_gives_the_same_plan_and_another_seed_another():
    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)


def test_every_kind_of_fault_comes_up_in_a_few_minutes():
    assert {type(planned.fault) for planned in drawn(1, 300).faults} == EVERY


def test_without_a_disk_to_fill_none_is_filled():
    faults = plan(1, SEATS, 300, disk=False).faults
    assert not any(isinstance(planned.fault, FillDisk) for planned in faults)


def test_the_practice_parts_understand_what_they_are_to_do_wrong():
    for seed in range(20):
        for words in drawn(seed).model:
            of_the_model.parse(words)
        for words in drawn(seed).world:
            of_the_world.parse(words)


def test_faults_come_in_order_and_within_the_time():
    moments = [planned.at for planned in drawn(3).faults]
    assert moments == sorted(moments)
    assert 0 <= moments[0] <= moments[-1] < 60
