"""`playd run` as a process: one of many starts, what it refuses, how it ends."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from daemon.control import wire
from daemon.playctl.client import Client
from daemon.playctl.exits import Trouble

CONFIGURATION = """
state_directory = "{folder}/state"
[control]
socket = "{folder}/control.sock"
[metrics]
bind = "127.0.0.1:0"
[models.m]
provider = "openai"
model = "practice"
base_url = "http://127.0.0.1:1/v1"
local = true
[seats.red]
body = "pokemon"
model = "m"
address = "ws://127.0.0.1:1/"
game = "firered"
display_name = "Red"
"""
LIMIT = 60.0


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    path = tmp_path / "playd.toml"
    path.write_text(CONFIGURATION.format(folder=tmp_path))
    return path


@contextmanager
def playd(configuration: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "daemon.main", "run", "--config", str(configuration)],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def until_it_says(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return
    raise AssertionError(f"playd ended with {process.wait()}")


def until_it_listens(process: subprocess.Popen[str]) -> None:
    until_it_says(process, "playd listens at")


def status(folder: Path) -> wire.StatusResult:
    with Client([folder / "control.sock"]) as client:
        return client.ask("status", wire.StatusParams(), wire.StatusResult)


def status_once_it_listens(folder: Path) -> wire.StatusResult:
    deadline = time.monotonic() + LIMIT
    while True:
        try:
            return status(folder)
        except Trouble:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_it_answers_until_sigterm_and_leaves_no_socket(configuration: Path, tmp_path: Path):
    with playd(configuration) as process:
        until_it_listens(process)
        assert status(tmp_path).pid == process.pid
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT) == 0
    assert not (tmp_path / "control.sock").exists()
    with pytest.raises(Trouble, match="nothing answers"):
        status(tmp_path)


def test_a_drain_over_the_socket_is_answered_and_ends_it(configuration: Path, tmp_path: Path):
    with playd(configuration) as process:
        until_it_listens(process)
        with Client([tmp_path / "control.sock"]) as client:
            done = client.ask("drain", wire.DrainParams(), wire.DrainResult)
        assert (done.stopped, done.failed) == (0, 0)
        assert process.wait(LIMIT) == 0


def test_sighup_takes_a_good_file_and_keeps_the_old_one_for_a_bad_one(
    configuration: Path, tmp_path: Path
):
    good = configuration.read_text()
    with playd(configuration) as process:
        until_it_listens(process)
        configuration.write_text(good + good[good.index("[seats.red]") :].replace("red]", "blue]"))
        process.send_signal(signal.SIGHUP)
        until_it_says(process, "took the configuration")
        assert [seat.seat for seat in status(tmp_path).seats] == ["blue", "red"]
        configuration.write_text("not toml at all")
        process.send_signal(signal.SIGHUP)
        until_it_says(process, "keeps its configuration")
        found = status(tmp_path)
        assert [seat.seat for seat in found.seats] == ["blue", "red"]
        assert "not TOML" in (found.configuration_error or "")


TWENTY = """
import os, sys
import daemon.main, daemon.running
ours = set()
for _ in range(20):
    if (pid := os.fork()) == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            daemon.main.main()
        except SystemExit as end:
            os._exit(end.code or 0)
    ours.add(pid)
for _ in range(19):
    pid, how = os.wait()
    ours.discard(pid)
    print(os.waitstatus_to_exitcode(how), flush=True)
print(*ours, flush=True)
sys.stdin.read()
os.kill(*ours, 15)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_of_twenty_daemons_on_one_state_directory_one_lives(configuration: Path, tmp_path: Path):
    """Case 28."""
    with subprocess.Popen(
        [sys.executable, "-c", TWENTY, "run", "--config", str(configuration)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as starter:
        assert starter.stdin is not None
        assert starter.stdout is not None
        codes = [int(starter.stdout.readline()) for _ in range(19)]
        assert codes == [8] * 19
        alive = int(starter.stdout.readline())
        assert status_once_it_listens(tmp_path).pid == alive
        starter.stdin.close()
        assert int(starter.stdout.readline()) == 0


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        (lambda folder: (folder / "control.sock").write_text("x"), 5, "is not a socket"),
        (lambda folder: (folder / "playd.toml").write_text("[log]\nlevel = 1"), 5, "log.level"),
        (lambda folder: (folder / "playd.toml").unlink(), 5, "playd.toml"),
        (lambda folder: (folder / "state").write_text("x"), 1, "state"),
    ],
    ids=["socket path is a file", "bad configuration", "no configuration", "state is a file"],
)
def test_what_keeps_it_from_starting_is_one_line_and_a_code(
    configuration: Path, tmp_path: Path, change: object, code: int, told: str
):
    assert callable(change)
    change(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "daemon.main", "run", "--config", str(configuration)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_a_join_is_answered_by_the_real_session_process(configuration: Path, tmp_path: Path):
    with playd(configuration) as process:
        until_it_listens(process)
        with Client([tmp_path / "control.sock"]) as client:
            with pytest.raises(Trouble) as refused:
                client.ask("join", wire.JoinParams(seat="red"), wire.JoinResult, LIMIT)
            assert "red" in refused.value.text
            listed = client.ask("sessions", wire.SessionsParams(all=True), wire.SessionsResult)
        assert listed.sessions[0].state in ("refused", "failed")
        assert msgspec.json.encode(listed)
