from msgspec.structs import replace

from config.settings import Settings
from daemon.happenings import (
    DeliverySettled,
    LeaseLost,
    LeaseRenewed,
    ProtocolFault,
    ReceiptsLost,
    Reloaded,
    RestartPlanned,
    StopTook,
)
from kernel.session.wire import BudgetUsed, Card, Notable, Stats, Turn, Usage

BUDGET = BudgetUsed(tokens=5, token_ceiling=10, cost=None, cost_ceiling=None, unreported_calls=0)


def turn(outcome: str = "accepted", **changes: object) -> Turn:
    card = Card(turn=0, at="2026-01-01T00:00:00.000Z", outcome=outcome, **changes)  # type: ignore[arg-type]
    return Turn(card=card, budget=BUDGET)


def usage(**changes: object) -> Usage:
    fields: dict[str, object] = {
        "role": "mind",
        "model": "practice",
        "outcome": "answered",
        "budget": BUDGET,
        **changes,
    }
    return Usage(**fields)  # type: ignore[arg-type]


def test_a_turn_is_counted_by_its_outcome_and_its_times(counted):
    counted.says(turn(decision_ms=1500, action_ms=40, turn_ms=2000))

    assert counted("turns_total", seat="red", outcome="accepted") == 1
    assert counted("turn_duration_seconds_sum", seat="red") == 2.0
    assert counted("decision_duration_seconds_sum", game="firered") == 1.5
    assert counted("action_duration_seconds_bucket", game="firered", le="0.05") == 1


def test_a_turn_without_an_action_adds_no_time_of_an_action(counted):
    counted.says(turn("mind_failed", decision_ms=None, action_ms=None, turn_ms=5))

    assert counted("action_duration_seconds_count", game="firered") == 0


def test_stale_decisions_are_counted_under_both_of_their_names(counted):
    counted.says(turn("state_changed"))
    counted.says(turn("stale_decision"))
    counted.says(turn("accepted"))

    assert counted("stale_decisions_total", seat="red") == 2


def test_what_a_session_makes_up_adds_one_series_at_most(counted):
    counted.says(turn("first lie"))
    lines = counted.lines()
    for number in range(100):
        counted.says(turn(f"lie {number}"))
        counted.says(Stats(counters={f"lie_{number}": 5}))

    assert counted.lines() == lines
    assert counted("turns_total", seat="red", outcome="other") == 101


def test_a_model_that_the_configuration_does_not_name_is_other(counted):
    counted.says(usage(model="somebody-elses"))

    assert counted("model_calls_total", model="other", role="mind", outcome="answered") == 1


def test_tokens_are_counted_as_the_journal_has_them(counted):
    counted.says(usage(input=100, output=20, cache_read=60, cost=0.25, seconds=3.0))
    counted.says(usage(role="voice", outcome="stall", reserved=16_000, cost=0.5))

    def tokens(role: str, kind: str) -> float | None:
        return counted("tokens_total", seat="red", role=role, kind=kind)

    counted.changes(state="running")
    assert tokens("mind", "input") == 100
    assert tokens("mind", "cache_read") == 60
    assert tokens("mind", "cache_write") == 0
    assert tokens("mind", "output") == 20
    assert tokens("voice", "reserved") == 16_000
    assert counted("cost_estimated_dollars_total", seat="red", role="mind") == 0.25
    assert counted("model_calls_total", model="practice", role="voice", outcome="stall") == 1


def test_an_unknown_cost_is_counted_as_unknown_and_never_as_nothing(counted):
    counted.says(usage(cost=None))
    counted.says(usage(cost=0.0))

    assert counted("unpriced_calls_total", seat="red") == 1


def test_the_first_of_anything_is_a_rise_from_zero(counted):
    assert [family.name for family in counted.registry.collect() if not family.samples] == []
    assert counted("cost_estimated_dollars_total", seat="red", role="mind") == 0
    assert counted("model_calls_total", model="practice", role="mind", outcome="stall") == 0
    assert counted("decision_duration_seconds_count", game="firered") == 0
    assert counted("control_requests_total", verb="join", code="not_authorized") == 0
    assert counted("notables_total", seat="red", kind="stuck") == 0
    assert counted("journal_errors_total", seat="red", kind="line") == 0
    assert counted("restarts_total", seat="red") == 0
    counted.says(Notable(id="n", notable="stuck", detail=""))
    assert counted("notables_total", seat="red", kind="stuck") == 1


def test_a_sessions_counters_go_on_where_the_one_before_it_ended(counted, session):
    counted.says(Stats(counters={"reconnects": 3, "journal_bytes": 10}))
    counted.says(Stats(counters={"reconnects": 5, "journal_bytes": 30}))
    counted.changes(state="failed", outcome="crashed")
    counted.says(Stats(counters={"reconnects": 1, "journal_bytes": 5}), session(id="s2"))

    assert counted("world_reconnects_total", seat="red") == 6
    assert counted("journal_bytes_total", seat="red") == 35


def test_a_counter_that_falls_takes_nothing_back(counted):
    counted.says(Stats(counters={"reconnects": 5}))
    counted.says(Stats(counters={"reconnects": 2}))

    assert counted("world_reconnects_total", seat="red") == 5


def test_messages_that_still_waited_at_the_end_were_undelivered(counted):
    counted.says(Stats(counters={"interjections_queued": 4, "interjections_undelivered": 4}))
    counted.says(Stats(counters={"interjections_queued": 4, "interjections_undelivered": 1}))
    counted.changes(state="stopped", outcome="stopped")

    assert counted("interjections_undelivered_total", seat="red") == 1
    assert counted("interjections_total", seat="red", kind="queued") == 4


def test_case_38_two_thousand_sessions_make_no_series(counted):
    def one_session(number: int) -> None:
        id = f"session-{number}"
        counted.changes(id=id, state="claimed")
        counted.changes(id=id, state="running")
        counted.says(turn())
        counted.says(usage())
        counted.changes(id=id, state="stopped", outcome="stopped")

    lines = counted.lines()
    for number in range(2000):
        one_session(number)

    assert counted.lines() == lines
    assert counted("sessions_ended_total", seat="red", outcome="stopped") == 2000


def test_a_refused_session_ends_as_refused(counted):
    counted.changes(state="refused", outcome=None)

    assert counted("sessions_ended_total", seat="red", outcome="refused") == 1


def test_the_series_of_a_seat_that_the_configuration_dropped_are_gone_once_it_is_not_played(
    counted,
):
    counted.changes(seat="blue", state="running")
    counted.changes(seat="red", state="running")
    seats = {name: seat for name, seat in counted.settings.seats.items() if name != "blue"}
    counted.settings = replace(counted.settings, seats=seats)
    counted.counting.observe(Reloaded(taken=True))
    assert counted("restarts_total", seat="blue") == 0

    counted.changes(seat="blue", state="stopped", outcome="stopped")

    assert counted("restarts_total", seat="blue") is None
    assert counted("turns_total", seat="blue", outcome="accepted") is None
    assert counted("restarts_total", seat="red") == 0


def test_the_series_of_models_and_rooms_follow_the_configuration(counted):
    counted.says(usage())
    assert counted("deliveries_total", room="parlour", outcome="failed") == 0

    counted.settings = Settings()
    counted.counting.observe(Reloaded(taken=True))

    assert counted("deliveries_total", room="parlour", outcome="failed") is None
    assert counted("model_call_duration_seconds_count", model="practice", role="mind") is None


def test_supervision_is_counted(counted, session):
    for happening in (
        RestartPlanned("red", 1.0, "it crashed"),
        RestartPlanned("red", 1.0, "its world confirms nothing", died=False),
        ProtocolFault(session(), "no message"),
        StopTook(session(), 0.2),
        LeaseRenewed("red"),
        LeaseLost("red"),
        Reloaded(taken=False),
    ):
        counted.counting.observe(happening)

    assert counted("restarts_total", seat="red") == 1
    assert counted("protocol_errors_total", seat="red") == 1
    assert counted("stop_duration_seconds_bucket", le="0.25") == 1
    assert counted("lease_renewals_total", seat="red") == 1
    assert counted("leases_lost_total", seat="red") == 1
    assert counted("configuration_reloads_total", outcome="refused") == 1


def test_requests_and_deliveries_are_counted_under_fixed_words(counted):
    counted.counting.request("join", "ok")
    counted.counting.request("made up", "made up")
    counted.counting.observe(DeliverySettled("red", "parlour", "failed", "a reason"))
    counted.counting.observe(DeliverySettled("red", "no such room", "failed", "a reason"))
    counted.counting.observe(ReceiptsLost(2))

    assert counted("control_requests_total", verb="join", code="ok") == 1
    assert counted("control_requests_total", verb="other", code="other") == 1
    assert counted("deliveries_total", room="parlour", outcome="failed") == 1
    assert counted("deliveries_total", room="no such room", outcome="failed") is None
    assert counted("receipts_lost_total") == 2
