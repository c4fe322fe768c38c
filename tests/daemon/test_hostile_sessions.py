"""Whatever a session process writes: a fault or a message, and nobody else notices."""

from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
import trio
from hypothesis import HealthCheck, example, given
from hypothesis import settings as fuzz
from hypothesis import strategies as st
from nasty import spoiled
from prometheus_client.parser import text_string_to_metric_families

from daemon.control.fitting import brief_seats, fit
from daemon.metrics.metrics import open_metrics
from daemon.refusal import Refusal
from kernel.session.wire import LINE_CAP

pytestmark = pytest.mark.usefixtures("no_children_left")

AT_REST = ("idle", "recovery_required")
USED = {"tokens": 1, "tokenCeiling": 2, "cost": 0.1, "costCeiling": 1.0, "unreportedCalls": 0}
CARD = {
    "turn": 1, "at": "2026-01-01T00:00:00.000Z", "outcome": "accepted", "scene": "s",
    "picture": "p", "thought": "t", "intent": "i", "objective": "o", "action": "a", "effect": "e",
    "spoken": "w", "decisionMs": 1, "actionMs": 1, "turnMs": 1, "gauges": {"sameAction": 1},
}  # fmt: skip
SAID = [
    {"kind": "phase", "phase": "deciding", "turn": 1, "waiting": 1.0},
    {
        "kind": "turn", "card": CARD, "budget": USED, "failuresInRow": 1,
        "preemptions": {"message": 1},
    },
    {
        "kind": "usage", "role": "mind", "model": "practice", "outcome": "ok", "input": 1,
        "output": 1, "cacheRead": 1, "cacheWrite": 1, "reserved": 1, "cost": 0.1, "seconds": 1.0,
        "firstTokenSeconds": 1.0, "budget": USED,
    },
    {"kind": "notable", "id": "n", "notable": "stuck", "detail": "d"},
    {"kind": "speech", "id": "s", "speech": "speak", "text": "t", "turn": 1},
    {"kind": "stats", "counters": {"reconnects": 1, "interjections_undelivered": 1}},
    {"kind": "ack", "id": "a"},
    {"kind": "heartbeat"},
    {"kind": "stopping", "reason": "r"},
    {
        "kind": "ended", "outcome": "finished", "leave": "confirmed", "detail": "d",
        "receipt": "r", "turnsTaken": 1,
    },
]  # fmt: skip


RUNNING = {
    "v": 1, "kind": "running", "journeyId": "j", "environmentSessionId": "e",
    "environmentId": "i", "journal": "/nowhere", "recovery": "r", "descendants": [1, 2],
}  # fmt: skip


def turn(**card: object) -> bytes:
    """A right line, but for what is given."""
    line = {"v": 1, "kind": "turn", "card": {**CARD, **card}, "budget": USED}
    return msgspec.json.encode(line)


@fuzz(
    max_examples=fuzz().max_examples // 5,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    running=st.just(msgspec.json.encode(RUNNING)) | spoiled([RUNNING], keep=("v", "kind")),
    lines=st.lists(
        spoiled([{"v": 1, **message} for message in SAID], keep=("v", "kind"))
        | st.binary(max_size=200),
        min_size=1,
        max_size=9,
    ),
)
@example(msgspec.json.encode(RUNNING), [turn(turn=10**4300 - 1)])
@example(msgspec.json.encode(RUNNING), [turn(turnMs=10**400)])
@example(msgspec.json.encode(RUNNING), [turn(gauges={"sameAction": 10**4299})])
@example(msgspec.json.encode({**RUNNING, "journeyId": "j" * 100_000}), [turn()])
@example(
    msgspec.json.encode(RUNNING),
    [msgspec.json.encode({"v": 1, **SAID[1], "failuresInRow": 10**400})],
)
async def test_whatever_a_session_says_the_daemon_and_the_others_play_on(
    opened, make_settings, caplog: pytest.LogCaptureFixture, tmp_path: Path, running, lines
):
    caplog.clear()
    said = tmp_path / "said"
    said.write_bytes(
        b"".join(line.replace(b"\n", b"")[: LINE_CAP - 1] + b"\n" for line in (running, *lines))
    )
    settings = make_settings("red", "zoe", restart=frozenset())
    async with opened("recites", said, settings=settings) as playd:
        with open_metrics(playd.supervisor) as metrics, trio.fail_after(60):
            await playd.supervisor.recover(playd.caller, "red", True)
            with suppress(Refusal):
                await playd.join(wait=0)

            async def heard() -> bool:
                seat = await playd.seat()
                said_all = seat.session is not None and seat.session.phase == "recited"
                return said_all or seat.state in AT_REST

            await playd.until(heard)
            status = await playd.supervisor.status(playd.caller)
            shown, more = fit(brief_seats(status.seats))
            assert [seat.seat for seat in shown] == ["red", "zoe"]
            assert not more
            exposition = (await metrics.exposition()).decode()
            assert list(text_string_to_metric_families(exposition))
            with suppress(Refusal):
                await playd.stop()

            async def at_rest() -> bool:
                return (await playd.seat()).state in AT_REST

            await playd.until(at_rest)
    assert not [record for record in caplog.records if record.exc_info]
