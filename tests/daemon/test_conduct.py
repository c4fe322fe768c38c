"""Which message a session process may send when."""

import pytest

from daemon.conduct import FAULTS_TO_END, Conduct, Fault
from daemon.framing import Line
from kernel.session import wire

HELLO = wire.Hello(pid=1, version="1")
RUNNING = wire.Running(
    journey_id="j", environment_session_id="e", environment_id="x", journal="f", recovery="r"
)
ENDED = wire.Ended(outcome="stopped", leave="confirmed")
REFUSED = wire.Refused(reason="taken", detail="by another")
PHASE = wire.Phase(phase="deciding", turn=1)
SETTLED = wire.Ended(outcome="settled", leave="confirmed")


def line(message: wire.FromSession) -> Line:
    return Line(wire.encode_line(message)[:-1])


def after(*messages: wire.FromSession, mode: str = "play") -> Conduct:
    conduct = Conduct(mode)  # type: ignore[arg-type]
    for message in messages:
        conduct.read(line(message))
    return conduct


@pytest.mark.parametrize(
    "order",
    [
        (HELLO, wire.Joining(), RUNNING, PHASE, wire.Stopping(reason="x"), ENDED),
        (HELLO, wire.Heartbeat(), wire.Joining(), REFUSED),
        (HELLO, REFUSED),
        (HELLO, wire.Stopping(reason="x"), ENDED),
        (HELLO, wire.Joining(), RUNNING, ENDED, wire.Heartbeat()),
    ],
)
def test_a_life_in_order_has_no_fault(order: tuple[wire.FromSession, ...]):
    assert after(*order).faults == 0


@pytest.mark.parametrize(
    ("before", "late"),
    [
        ((), PHASE),
        ((HELLO,), HELLO),
        ((HELLO,), RUNNING),
        ((HELLO, wire.Joining(), RUNNING), REFUSED),
        ((HELLO, wire.Joining(), RUNNING), wire.Joining()),
        ((HELLO,), SETTLED),
        ((HELLO, wire.Joining(), RUNNING, ENDED), wire.Stopping(reason="x")),
    ],
)
def test_a_message_out_of_order_is_a_fault(
    before: tuple[wire.FromSession, ...], late: wire.FromSession
):
    conduct = after(*before)
    stage = conduct.stage
    with pytest.raises(Fault) as fault:
        conduct.read(line(late))
    assert not fault.value.fatal
    assert (conduct.faults, conduct.stage) == (1, stage)


@pytest.mark.parametrize("second", [ENDED, REFUSED])
@pytest.mark.parametrize("first", [ENDED, REFUSED])
def test_a_second_terminal_state_is_fatal(first: wire.FromSession, second: wire.FromSession):
    conduct = after(HELLO, first)
    with pytest.raises(Fault, match="second terminal") as fault:
        conduct.read(line(second))
    assert fault.value.fatal


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[]",
        b'{"v":1,"kind":"dance"}',
        b'{"v":2,"kind":"heartbeat"}',
        b'{"v":1,"kind":"heartbeat","more":1}',
        b'{"v":1,"kind":"phase","phase":"\xff","turn":1}',
        b'{"v":1,"kind":"phase","phase":"\xed\xa0\x80","turn":1}',
        b'{"v":1,"kind":"phase","phase":"a","turn":1}{}',
        b"[" * 100_000,
    ],
)
def test_a_line_that_is_no_message_is_a_fault_and_the_next_is_read(data: bytes):
    conduct = after(HELLO)
    with pytest.raises(Fault):
        conduct.read(Line(data))
    assert conduct.read(line(PHASE)) == PHASE


def test_a_cut_line_is_a_fault():
    with pytest.raises(Fault, match="more than"):
        after(HELLO).read(Line(b"{", cut=True))


def test_the_tenth_fault_is_fatal_and_no_earlier_one():
    conduct = after(HELLO)
    fatal: list[bool] = []
    for _ in range(FAULTS_TO_END):
        with pytest.raises(Fault) as fault:
            conduct.read(Line(b"?"))
        fatal.append(fault.value.fatal)
    assert fatal == [False] * 9 + [True]


def test_in_mode_recover_only_its_own_outcomes_count():
    assert after(HELLO, SETTLED, mode="recover").stage == "over"
    with pytest.raises(Fault):
        after(HELLO, mode="recover").read(line(ENDED))
