"""Each check says that all is well when it is, and names the trouble and the remedy when not."""

import os
import socket
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from daemon.control.wire import SeatView, StatusResult
from daemon.doctor.clock import check_clock, judge_clock
from daemon.doctor.configuration import check_configuration, check_permissions
from daemon.doctor.examination import examine
from daemon.doctor.models import check_model, check_price
from daemon.doctor.service import check_metrics, check_socket
from daemon.doctor.storage import Room, check_disk, check_state, judge_room
from daemon.doctor.worlds import check_world
from kernel.session.specification import BudgetCeiling

GIB = 1024**3
NOW = 1.9e9


def status(**changes: object) -> StatusResult:
    fields: dict[str, object] = {
        "version": "0.1.0",
        "pid": 7,
        "uptime": 1.0,
        "draining": False,
        "configuration": None,
        "configuration_error": None,
        "state_directory": "/nowhere",
        "seats": (),
        "sessions": {},
        "problems": (),
        **changes,
    }
    return StatusResult(**fields)  # type: ignore[arg-type]


def seat(state: str, detail: str) -> SeatView:
    return SeatView(
        seat="red",
        body="pokemon",
        game="firered",
        model="small",
        state=state,  # type: ignore[arg-type]
        detail=detail,
        generation=1,
        room=None,
        world=None,
        deaths=0,
        restart_in=None,
        ceiling=BudgetCeiling(),
        session=None,
    )


# The configuration and who may change it


def test_a_good_configuration_is_good(patient, levels) -> None:
    assert levels(check_configuration(patient().configuration, {})) == ["ok"]


@pytest.mark.parametrize(
    ("text", "level"),
    [("this is no TOML", "fail"), ("[seats.red]\nbody = 1", "fail")],
)
def test_a_bad_configuration_fails(tmp_path: Path, levels, text: str, level: str) -> None:
    file = tmp_path / "playd.toml"
    file.write_text(text)

    assert level in levels(check_configuration(file, {}))


def test_a_configuration_that_is_not_there_has_a_next_step(tmp_path: Path) -> None:
    (found,) = check_configuration(tmp_path / "none.toml", {})

    assert (found.level, found.remedy) == ("fail", "name another: --config FILE")


def test_a_surprising_configuration_warns(patient, levels) -> None:
    made = patient({'"127.0.0.1:0"': '"0.0.0.0:0"\nallow_remote = true'})

    assert levels(check_configuration(made.configuration, {})) == ["warn"]


def test_a_file_that_others_can_change_fails(patient, levels) -> None:
    made = patient()
    assert levels(check_permissions(made)) == ["ok"]
    made.configuration.chmod(0o666)

    (found,) = check_permissions(made)
    assert (found.level, "chmod go-w" in found.remedy) == ("fail", True)


def test_a_folder_that_others_can_change_fails(patient, levels) -> None:
    made = patient()
    made.configuration.parent.chmod(0o777)

    assert levels(check_permissions(made)) == ["fail"]


# The daemon


def test_no_daemon_is_a_warning_with_the_way_to_start_it(patient) -> None:
    (found,) = check_socket(patient())

    assert found.level == "warn"
    assert found.remedy.startswith("systemctl start playd, or: playd run --config /")


def test_what_is_no_socket_in_its_place_fails(patient, levels) -> None:
    made = patient()
    made.sockets[0].write_text("")

    assert "fail" in levels(check_socket(made))


def test_a_socket_for_everybody_warns(patient, levels) -> None:
    made = patient(daemon=status())
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(made.sockets[0]))
        made.sockets[0].chmod(0o666)

        assert levels(check_socket(made)) == ["warn", "ok"]


def test_a_refused_reload_fails(patient, levels) -> None:
    assert levels(check_socket(patient(daemon=status()))) == ["ok"]

    assert "fail" in levels(check_socket(patient(daemon=status(configuration_error="bad"))))


@pytest.mark.parametrize(
    ("state", "detail", "remedy"),
    [
        ("failed", "died; playctl reset red lets it play again", "playctl reset red lets it"),
        ("recovery_required", "not confirmed; playctl recover red", "playctl recover red"),
    ],
)
def test_a_seat_that_waits_for_a_person_is_named(
    patient, state: str, detail: str, remedy: str
) -> None:
    found = check_socket(patient(daemon=status(seats=(seat(state, detail),))))

    assert found[-1].level == "warn"
    assert found[-1].remedy.startswith(remedy)


async def test_a_metrics_port_that_is_free_is_well(patient, levels) -> None:
    assert levels(await check_metrics(patient())) == ["ok"]


async def test_a_metrics_port_in_use_fails(patient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        bind = f'"127.0.0.1:{other.getsockname()[1]}"'
        (found,) = await check_metrics(patient({'"127.0.0.1:0"': bind}))

    assert (found.level, "[metrics] bind" in found.remedy) == ("fail", True)


async def test_metrics_that_the_running_daemon_does_not_serve_fail(
    patient, levels, answering
) -> None:
    for code, body, level in (
        (200, b"ok\n", "ok"),
        (200, b"another\n", "fail"),
        (404, b"", "fail"),
    ):
        async with answering(code, body) as (address, _):
            made = patient({"127.0.0.1:0": address}, daemon=status())
            assert levels(await check_metrics(made)) == [level]
    assert levels(await check_metrics(made)) == ["fail"], "nobody listens any more"


# State, disk, clock


def test_a_private_state_directory_is_well(patient, levels) -> None:
    assert levels(check_state(patient())) == ["ok"]


def test_a_state_directory_that_others_can_see_fails(patient) -> None:
    made = patient()
    made.state_directory.chmod(0o755)

    (found,) = check_state(made)
    assert (found.level, found.remedy) == ("fail", f"chmod 700 {made.state_directory}")


def test_a_file_in_the_place_of_the_state_directory_fails(patient, levels) -> None:
    made = patient()
    made.state_directory.rmdir()
    assert levels(check_state(made)) == ["warn"], "it is made by the first start"
    made.state_directory.write_text("")

    assert levels(check_state(made)) == ["fail"]


def test_a_state_that_cannot_be_written_fails(patient, levels) -> None:
    problem = "3 changes of the state wait for the disk"

    assert levels(check_state(patient(daemon=status(problems=(problem,))))) == ["fail"]


def test_a_read_only_state_directory_fails(patient, levels, read_only: Path) -> None:
    assert levels(check_state(patient(state_directory=read_only))) == ["fail"]


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (Room(50 * GIB, -1), ["ok"]),
        (Room(GIB - 1, -1), ["warn"]),
        (Room(50 * 1024**2, 10**6), ["fail"]),
        (Room(50 * GIB, 999), ["ok", "fail"]),
        (Room(50 * GIB, -1, GIB, 12, GIB // 100), ["ok", "ok"]),
        (Room(5 * GIB, -1, 9 * GIB, 12, GIB), ["ok", "warn"]),
        (Room(5 * GIB, -1, 9 * GIB, 12, 0), ["ok", "ok"]),
    ],
)
def test_room_on_the_disk(levels, room: Room, expected: list[str]) -> None:
    assert levels(judge_room(Path("/state"), room)) == expected


def test_the_growth_of_journals_is_shown(patient) -> None:
    made = patient()
    journals = made.state_directory / "journals"
    journals.mkdir()
    for name, age in (("old", 2 * 86_400), ("new", 10)):
        path = journals / name
        path.write_bytes(b"x" * 1024**2)
        os.utime(path, (NOW - age, NOW - age))

    shown = check_disk(made, NOW)[-1].text
    assert shown == "2 MiB of journals in 2 files, 1 MiB written to in the last day"


@pytest.mark.parametrize(
    ("now", "newest", "synchronized", "level"),
    [
        (NOW, NOW - 10, True, "ok"),
        (NOW, NOW - 10, None, "ok"),
        (NOW, NOW - 10, False, "warn"),
        (NOW, NOW + 299, True, "ok"),
        (NOW, NOW + 301, True, "fail"),
        (0.0, 0.0, True, "fail"),
    ],
)
def test_the_clock(now: float, newest: float, synchronized: bool | None, level: str) -> None:
    assert judge_clock(now, newest, synchronized).level == level


def test_a_clock_behind_the_newest_state_fails(patient, levels) -> None:
    made = patient()
    (made.state_directory / "state.db").touch()
    os.utime(made.state_directory / "state.db", (NOW + 3600, NOW + 3600))

    assert levels(check_clock(made, NOW)) == ["fail"]


# Worlds and motors


async def test_a_world_is_reached_without_a_word(patient, levels, tmp_path: Path) -> None:
    said: list[bytes] = []

    async def listen(stream: trio.SocketStream) -> None:
        async with stream:
            said.append(bytes(await stream.receive_some()))

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, listen, [listener])
        port = listener.socket.getsockname()[1]
        found = await check_world(patient({"ws://127.0.0.1:1/": f"ws://127.0.0.1:{port}/"}), "red")
        await trio.testing.wait_all_tasks_blocked(0.01)
        nursery.cancel_scope.cancel()

    assert levels(found) == ["ok"]
    assert b"".join(said) == b""


@pytest.mark.parametrize("address", ["ws://127.0.0.1:1/", "tcp://127.0.0.1:1", "unix:/nowhere/s"])
async def test_a_world_that_is_not_there_fails(patient, address: str) -> None:
    (found,) = await check_world(patient({"ws://127.0.0.1:1/": address}), "red")

    assert (found.level, "start the world" in found.remedy) == ("fail", True)


async def test_a_local_world_that_is_not_there_is_started_by_playctl(patient) -> None:
    world = '\nworld = "here"\n[worlds.here]\ncheck = ["true"]\nstart = ["true"]'
    made = patient({'display_name = "Red"': f'display_name = "Red"{world}'})
    (found,) = await check_world(made, "red")

    assert found.remedy == "playctl world start red"


async def test_a_world_that_speaks_no_tls_fails(patient, levels, answering) -> None:
    async with answering(400) as (address, _):
        made = patient({"ws://127.0.0.1:1/": f"wss://{address}/"})
        assert levels(await check_world(made, "red")) == ["fail"]


async def test_a_motor_that_is_not_installed_fails(patient) -> None:
    made = patient(
        {
            'body = "pokemon"': 'body = "minecraft"',
            'address = "ws://127.0.0.1:1/"\ngame = "firered"\n'
            'credential = "file:key"\ndisplay_name = "Red"': """\
motor = ["no-such-motor", "--stdio"]
profile = {id = "p", host = "127.0.0.1", port = 1, version = "1.20.1", username = "Red"}""",
        }
    )
    motor, server = await check_world(made, "red")

    assert (motor.level, motor.about) == ("fail", "motor of red")
    assert (server.level, server.about) == ("warn", "server of red"), "a motor may reach it"
    assert "world start" not in server.remedy, "the seat has no local world"


# Models


@pytest.mark.parametrize(
    ("code", "body", "level"),
    [
        (200, b'{"data": [{"id": "tiny"}]}', "ok"),
        (200, b'{"data": [{"id": "huge"}]}', "warn"),
        (200, b"<html>", "ok"),
        (200, b'{"data": ' + b"[" * 100_000, "ok"),
        (404, b"", "ok"),
        (401, b"", "fail"),
        (503, b"", "fail"),
    ],
)
async def test_an_endpoint(patient, answering, code: int, body: bytes, level: str) -> None:
    async with answering(code, body) as (address, heads):
        made = patient({"127.0.0.1:1/v1": f"{address}/v1"})
        endpoint, price = await check_model(made, "small")

    assert (endpoint.level, price.level) == (level, "ok")
    assert [head.split("\r\n")[0] for head in heads] == ["GET /v1/models HTTP/1.1"]


async def test_an_endpoint_that_is_not_there_fails(patient) -> None:
    endpoint, _ = await check_model(patient(), "small")

    assert endpoint.level == "fail"


@pytest.mark.parametrize(
    ("sent", "pause", "level"), [(b" ", 1.0, "fail"), (b" " * 65536, 0.0, "ok")]
)
async def test_an_endpoint_whose_answer_never_ends_is_given_up(
    patient, sent: bytes, pause: float, level: str, clock: MockClock
) -> None:
    async def tell(stream: trio.SocketStream) -> None:
        with suppress(trio.BrokenResourceError):
            await stream.send_all(b"HTTP/1.1 200 X\r\n\r\n")
            while True:
                await stream.send_all(sent)
                await trio.sleep(pause)

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, tell, 0, host="127.0.0.1"))
        port = listener.socket.getsockname()[1]
        endpoint, _ = await check_model(
            patient({"127.0.0.1:1/v1": f"127.0.0.1:{port}/v1"}), "small"
        )
        nursery.cancel_scope.cancel()

    assert endpoint.level == level


async def test_a_key_is_tried_and_never_told(patient, answering, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.touch(mode=0o600)
    key.write_text("sk-secret")
    async with answering(401, b"sk-secret is wrong") as (address, heads):
        made = patient(
            {"127.0.0.1:1/v1": f"{address}/v1", "local = true": f'credential = "file:{key}"'}
        )
        endpoint, _ = await check_model(made, "small")

    assert "authorization: Bearer sk-secret" in heads[0].replace("Authorization", "authorization")
    assert (endpoint.level, endpoint.remedy) == ("fail", "renew the key")
    assert "sk-secret" not in endpoint.text


async def test_a_key_that_only_the_service_has_is_not_missed(patient, answering) -> None:
    async with answering(401) as (address, _):
        made = patient(
            {"127.0.0.1:1/v1": f"{address}/v1", "local = true": 'credential = "systemd:key"'}
        )
        endpoint, _ = await check_model(made, "small")

    assert endpoint.level == "ok"


def test_an_unknown_price_warns_and_under_a_cap_in_dollars_fails(patient) -> None:
    made = patient({"local = true": ""})
    capped = patient(
        {"local = true": "", 'display_name = "Red"': 'display_name = "Red"\nbudget.dollars = 1.0'}
    )

    for one, level in ((made, "warn"), (capped, "fail")):
        found = check_price("small", one.settings.models["small"], one.settings)
        assert (found.level, "[models.small.price]" in found.remedy) == (level, True)


async def test_everything_is_told_in_one_order_whatever_answers_first(patient) -> None:
    found = await examine(patient())

    assert [finding.about for finding in found] == [
        *("permissions", "socket", "state", "disk", "clock", "metrics"),
        *("model small", "price of small", "world of red"),
    ]
