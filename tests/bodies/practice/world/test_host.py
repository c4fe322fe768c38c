"""A host's clock, its idle seats and its connections, in time that jumps."""

import base64

import pytest
import trio
import trio.testing

from bodies.practice.world.actions import FrameAdvance
from bodies.practice.world.clock import Clock
from bodies.practice.world.host import Host, Setting
from bodies.practice.world.performing import perform
from bodies.practice.world.tap import Tap
from bodies.practice.world.websockets import serve_websocket
from bodies.practice.world.wire import ActInput, Refused


@pytest.fixture
def host(nursery, tmp_path):
    return Host(Setting(state=tmp_path), nursery)


def _sit(host, player="ada"):
    return host.seat_player(player, "firered", "Ada", "tests", "")


@pytest.mark.parametrize(("speed", "frames"), [(1.0, 600), (0.5, 300), (20.0, 12_000)])
async def test_the_clock_counts_sixty_frames_a_second_times_its_speed(
    autojump_clock, speed, frames
):
    clock = Clock(speed, frame=7)
    await trio.sleep(10)
    assert clock.frame == 7 + frames


async def test_an_action_takes_its_frames_of_real_time(autojump_clock, host):
    seat = _sit(host)
    started = trio.current_time()
    answer = await perform(host, seat, ActInput(FrameAdvance(1800), "k"), 0)
    assert trio.current_time() - started == pytest.approx(30, abs=0.1)
    assert answer.outcome.frames_spent == 1800


async def test_the_actions_of_a_seat_run_one_after_the_other(autojump_clock, host, nursery):
    seat = _sit(host)
    answers = []

    async def ask(key):
        answers.append(await perform(host, seat, ActInput(FrameAdvance(60), key), 0))

    async with trio.open_nursery() as asking:
        asking.start_soon(ask, "a")
        asking.start_soon(ask, "b")
        asking.start_soon(ask, "b")
    frames = sorted(answer.frame for answer in answers)
    assert frames[1] - frames[0] >= 60 or frames[2] - frames[1] >= 60
    assert sorted(answer.replayed for answer in answers) == [False, False, True]


async def test_a_spent_key_never_runs_again_even_when_its_answer_is_forgotten(autojump_clock, host):
    seat = _sit(host)
    for number in range(600):
        await perform(host, seat, ActInput(FrameAdvance(1), f"k{number}"), 0)
    with pytest.raises(Refused) as refused:
        await perform(host, seat, ActInput(FrameAdvance(1), "k0"), 0)
    assert refused.value.code == "invalid_input"
    assert (await perform(host, seat, ActInput(FrameAdvance(1), "k599"), 0)).replayed is True


async def test_a_seat_that_nobody_drives_ends_after_ten_minutes(autojump_clock, host, nursery):
    seat = _sit(host)
    nursery.start_soon(host.end_idle_seats)
    await trio.sleep(590)
    assert seat.ended is None
    await trio.sleep(90)
    assert seat.ended.code == "session_ended"
    assert host.saves.load("ada", "firered") is not None


async def test_the_clock_goes_on_from_the_last_save(autojump_clock, host, nursery, tmp_path):
    seat = _sit(host)
    await perform(host, seat, ActInput(FrameAdvance(600), "k"), 0)
    host.stop()
    assert Host(Setting(state=tmp_path), nursery).country.frame >= 600


async def test_a_websocket_whose_client_answers_no_ping_is_closed(autojump_clock, host):
    near, far = trio.testing.memory_stream_pair()
    key = base64.b64encode(bytes(16))
    await near.send_all(
        b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + key + b"\r\n\r\n"
    )
    started = trio.current_time()
    await serve_websocket(host, Tap(far), is_local=True)
    assert trio.current_time() - started == pytest.approx(15 + 20 + 2)
    assert b"101" in await near.receive_some()


async def test_a_handshake_that_never_comes_is_given_up(autojump_clock, host):
    _, far = trio.testing.memory_stream_pair()
    started = trio.current_time()
    await serve_websocket(host, Tap(far), is_local=True)
    assert trio.current_time() - started == pytest.approx(10)
