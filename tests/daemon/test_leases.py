"""Lease arithmetic (cases 25, 32, 33)."""

import pytest

from daemon.leases import Lease

LEASE = Lease(seat="red", generation=3, session_id="s", ttl=60.0, boot_id="this", expires=1060.0)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (1000.0, "keep"),
        (1019.9, "keep"),
        (1020.0, "renew"),
        (1053.9, "renew"),
        (1054.0, "lost"),
        (1060.0, "lost"),
        (1e9, "lost"),
    ],
)
def test_a_lease_is_renewed_from_a_third_on_and_lost_while_there_is_time_to_kill(
    now: float, due: str
):
    assert LEASE.due(now, term_grace=3.0) == due


def test_an_earlier_holder_may_act_for_a_whole_ttl_and_never_after_a_boot():
    assert LEASE.may_act_until("this", 5000.0) == 5060.0
    assert LEASE.may_act_until("another", 5.0) is None


def test_a_renewed_lease_holds_a_whole_ttl_from_now():
    renewed = LEASE.renewed(1020.0)
    assert renewed.expires == 1080.0
    assert renewed.remaining(1050.0) == 30.0
    assert renewed.remaining(2000.0) == 0.0


@pytest.mark.parametrize("ttl", [30.0, 60.0, 300.0])
def test_a_lease_is_lost_just_before_both_signals_would_pass_the_margin(ttl: float):
    lease = Lease(seat="red", generation=1, session_id="s", ttl=ttl, boot_id="b", expires=ttl)
    assert lease.due(ttl - 3.0 - 2.0 - 0.001, term_grace=2.0) == "renew"
    assert lease.due(ttl - 3.0 - 2.0, term_grace=2.0) == "lost"
