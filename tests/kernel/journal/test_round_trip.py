from __future__ import annotations

import itertools
from collections.abc import Callable

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Raw

from kernel.journal.lines import (
    ActionLine,
    AnyLine,
    Decided,
    DecisionLine,
    Line,
    NotableLine,
    Screenshot,
    SummaryLine,
    TransportLine,
    Turn,
    TurnLine,
    Undelivered,
    Usage,
    UsageLine,
    Volition,
    opaque,
)
from kernel.journal.reader import JournalReader, lines_of
from kernel.journal.recorded import RecordedTurn
from kernel.journal.writer import JournalWriter

OpenWriter = Callable[..., JournalWriter]

counts = st.integers(0, 2**53 - 1)
texts = st.text(max_size=40)
dollars = st.floats(0, 1e6, allow_nan=False)
instants = st.sampled_from(["2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00Z"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
raws = json_values.map(opaque)
screenshots = st.builds(
    Screenshot,
    path=texts,
    bytes=counts,
    sha256=st.just("0" * 64),
    width=counts,
    height=counts,
    reasons=st.tuples(texts),
)
usages = st.builds(
    Usage, input=st.none() | counts, charged=st.none() | counts, cost=st.none() | dollars
)
maybe = st.none() | texts

lines: st.SearchStrategy[AnyLine] = st.one_of(
    st.builds(
        TurnLine,
        turn=st.builds(
            Turn,
            turn=counts,
            observation_sha256=maybe,
            monologue=maybe,
            intent=maybe,
            notes=maybe,
            objective=maybe,
            action=raws,
            outcome=texts,
            usage=st.none() | usages,
            clipped=st.lists(texts, max_size=2).map(tuple),
        ),
        screenshot=st.just(UNSET) | screenshots,
    ),
    st.builds(
        DecisionLine,
        turn=counts,
        attempt=counts,
        decision=st.builds(
            Decided,
            monologue=texts,
            intent=texts,
            notes=maybe,
            objective=st.just(UNSET) | maybe,
            action=raws,
        ),
        idempotency_key=maybe,
    ),
    st.builds(ActionLine, turn=counts, outcome=texts, result=raws),
    st.builds(
        UsageLine,
        call_id=texts,
        stage=st.sampled_from(["reserved", "settled"]),
        role=st.sampled_from(["mind", "voice"]),
        provider=texts,
        model=texts,
        charged=counts,
        input=st.none() | counts,
        cost=st.none() | dollars,
    ),
    st.builds(NotableLine, notable=texts, turn=st.none() | counts, detail=maybe),
    st.builds(
        TransportLine,
        role=st.sampled_from(["mind", "voice"]),
        failure=texts,
        status=st.none() | counts,
        attempt=counts,
    ),
    st.builds(
        SummaryLine,
        outcome=texts,
        turns_taken=counts,
        progress=raws,
        volition=st.builds(Volition, offered=counts),
        undelivered=st.builds(Undelivered, count=counts, times=st.tuples(instants)),
        coherence=st.none() | st.floats(0, 1),
        usage=st.none() | usages,
    ),
)

run_numbers = itertools.count()
decoder = msgspec.json.Decoder(AnyLine)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(written=st.lists(lines, max_size=6))
def test_what_is_written_reads_back_equal(open_writer: OpenWriter, written: list[AnyLine]) -> None:
    journal = open_writer(f"run-{next(run_numbers)}")
    for line in written:
        journal.write(line)
    assert journal.written.lost == 0

    _, *read = [decoder.decode(text) for _, text in lines_of(journal.path)]
    assert [without_envelope(line) for line in read] == written

    values = [entry.value for entry in JournalReader(journal.path)][1:]
    turns = [v for v in values if isinstance(v, RecordedTurn) and not v.recovered]
    assert [v.turn for v in turns] == [w.turn for w in written if isinstance(w, TurnLine)]


def without_envelope(line: Line) -> Line:
    fields = ("at", "run_id", "journey_id", "environment_id", "environment_session_id", "venue")
    return msgspec.structs.replace(line, **dict.fromkeys(fields, UNSET))


@given(value=json_values)
def test_an_opaque_value_keeps_its_meaning(value: object) -> None:
    assert msgspec.json.decode(opaque(value)) == value
    assert isinstance(opaque(value), Raw)
