import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
import trio.lowlevel
from played_journal import write_journal

from daemon.control import wire
from daemon.control.listening import listen_at, take_away
from daemon.control.server import serve
from daemon.playctl.main import COMMANDS

Daemon = Callable[..., AbstractAsyncContextManager[Any]]


async def test_a_sitting_from_join_to_stop(daemon: Daemon):
    async with daemon("plays", 3) as playctl:
        assert (await playctl("join", "red")).out.startswith("red plays (session ")
        status = await playctl("status")
        assert status.code == 0
        header, red = (line.split() for line in status.out.splitlines()[1:4:2])
        assert header[:2] == ["SEAT", "STATE"]
        assert red[:2] == ["red", "running"]
        assert (await playctl("say", "red", "hello", "there")).out == "red has it.\n"
        silent = await playctl("say", "red", " ")
        assert (silent.code, "nothing is said" in silent.err) == (2, True)
        assert "playctl resume red" in (await playctl("pause", "red")).out
        assert (await playctl("resume", "red")).code == 0
        seen = await playctl("observe", "red")
        assert "intent  go north" in seen.out
        assert "turn  2, accepted" in seen.out
        stopped = await playctl("stop", "red")
        assert "stopped after 3 turns, leave confirmed" in stopped.out
        again = await playctl("observe", "red")
        assert (again.code, again.err) == (
            4,
            "playctl: seat red is not being played. Join it first: playctl join red\n",
        )
        again = await playctl("stop", "red")
        assert again.code == 4
        assert again.err.startswith(
            "playctl: seat red is not being played. It is stopped already; its last session ended: "
            "stopped (stopped by uid "
        )
        nowhere = await playctl("join", "red", "--room", "parlor")
        assert nowhere.err == "playctl: there is no room parlor. There are: parlour.\n"


async def test_a_list_that_was_cut_and_a_drain_say_what_follows(daemon: Daemon):
    async with daemon("good") as playctl:
        for seat in ("red", "blue"):
            await playctl("join", seat)
            await playctl("stop", seat)
        await playctl("join", "red")
        more = "There are more: name a seat, or raise --limit."
        assert more in (await playctl("sessions", "--all", "--limit", "1")).out
        assert (
            "more: raise --limit."
            in (await playctl("sessions", "red", "--all", "--limit", "1")).out
        )
        drained = await playctl("drain")
        assert drained.out == "1 session stopped, 0 failed; the daemon ends.\n"


async def test_json_is_one_document_with_the_fields_of_the_protocol(daemon: Daemon):
    async with daemon("good") as playctl:
        await playctl("join", "blue")
        for arguments, kind in (
            (("status",), wire.StatusResult),
            (("seats",), wire.SeatsResult),
            (("sessions",), wire.SessionsResult),
            (("observe", "blue"), wire.ObserveResult),
            (("budget", "blue"), wire.BudgetResult),
            (("health",), wire.HealthResult),
            (("say", "blue", "hi"), wire.SayResult),
            (("pause", "blue"), wire.PauseResult),
            (("stop", "blue"), wire.StopResult),
        ):
            done = await playctl(*arguments, "--json")
            assert (done.code, done.err) == (0, "")
            msgspec.json.decode(done.out, type=kind)


async def test_budget_changes_what_is_named_and_shows_the_rest(daemon: Daemon):
    async with daemon("good") as playctl:
        await playctl("join", "red", "--max-turns", "50")
        changed = (await playctl("budget", "red", "--tokens", "none", "--json")).json()
        assert changed["ceiling"]["tokens"] is None
        assert changed["ceiling"]["maxTurns"] == 50
        assert (await playctl("budget", "red", "--tokens", "0", "--default")).code == 0
        default = (await playctl("budget", "red", "--default", "--json")).json()
        assert default["ceiling"]["tokens"] == 0
        bad = await playctl("budget", "red", "--tokens", "-1")
        assert bad.code == 2


async def test_ceilings_are_shown_as_they_are_and_seconds_whole(daemon: Daemon):
    async with daemon("good") as playctl:
        await playctl("join", "red", "--max-duration", "86400", "--dollars", "2.5")
        told = (await playctl("budget", "red")).out.splitlines()[1:]
    assert [line.split()[-1] for line in told] == ["250,000", "2.5", "none", "86,400"]
    assert told[-1].split()[1].isdecimal()


async def test_a_default_ceiling_is_marked_and_can_be_taken_back(daemon: Daemon):
    async with daemon("good") as playctl:
        await playctl("budget", "red", "--tokens", "7", "--default")
        told = (await playctl("budget", "red")).out
        assert [line.split()[-1] for line in told.splitlines()[1:]] == [
            "--default",
            "file",
            "file",
            "file",
        ]
        assert (await playctl("budget", "red", "--reset")).code == 2
        back = (await playctl("budget", "red", "--default", "--reset", "--json")).json()
        assert (back["ceiling"]["tokens"], back["overridden"]) == (250_000, [])


class Watch:
    """A `playctl watch` that runs, and the lines that it printed."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process
        self.out = b""

    async def until(self, text: bytes) -> None:
        assert self.process.stdout is not None
        while text not in self.out:
            chunk = await self.process.stdout.receive_some()
            assert chunk, self.out
            self.out += chunk


@asynccontextmanager
async def watching(playctl: Any, *arguments: str) -> AsyncIterator[Watch]:
    process = await trio.lowlevel.open_process(
        [sys.executable, "-m", "daemon.playctl", "watch", *arguments],
        env={**os.environ, "PLAYD_SOCKET": os.fspath(playctl.path)},
        stdout=subprocess.PIPE,
    )
    try:
        yield Watch(process)
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
        assert process.stdout is not None
        await trio.aclose_forcefully(process.stdout)


async def test_watch_prints_a_line_for_each_turn_until_it_is_interrupted(daemon: Daemon):
    async with daemon("plays", 2) as playctl, watching(playctl, "red") as watch:
        await watch.until(b"red  idle\n")
        await playctl("join", "red")
        await watch.until(b"notable: stuck: twelve times the same\n")
        # That the seat runs is told when it is on disk, so it may stand between the turns.
        turns = [line for line in watch.out.decode().splitlines() if "  turn " in line]
        assert turns == [f"red  turn {number}  - → accepted" for number in range(2)]
        watch.process.send_signal(signal.SIGINT)
        assert await watch.process.wait() == 0


async def test_watch_as_json_ends_with_the_daemon(daemon: Daemon):
    async with daemon("good") as playctl, watching(playctl, "--json") as watch:
        await watch.until(b'"watching"')
        playctl.closing.set()
        assert await watch.process.wait() == 0
        kinds = [msgspec.json.decode(line)["kind"] for line in watch.out.splitlines()]
        assert kinds == ["seat", "seat", "watching"]


async def test_recall_tells_the_journey_of_the_seat(daemon: Daemon, tmp_path: Path):
    async with daemon("good") as playctl:
        assert (await playctl("recall", "red")).code == 1
        await playctl("join", "red")
        unread = await playctl("recall", "red")
        assert unread.code == 1
        journals = tmp_path / "state" / "journals"
        write = partial(write_journal, journals, 30, journey_id="world:w:player:p")
        await trio.to_thread.run_sync(write)  # it has a loop of its own
        told = await playctl("recall", "red")
        assert (told.code, told.err) == (0, "")
        assert "30 turns in 1 run" in told.out
        story = (await playctl("recall", "red", "--json")).json()["story"]
        assert (story["journeyId"], story["turns"]) == ("world:w:player:p", 30)


async def test_logs_show_a_seats_sessions_and_pass_damage_over(daemon: Daemon):
    if Path("/run/systemd/system").is_dir():
        pytest.skip("here the system's journal is shown")
    async with daemon("good") as playctl:
        await playctl("join", "red")
        await playctl("join", "blue")
        await playctl("stop", "red")
        events = Path((await playctl("status", "--json")).json()["stateDirectory"], "events.jsonl")
        damage = b'{"data": ' + b"[" * 100_000 + b"\n\xff\n"
        events.write_bytes(events.read_bytes() + damage)
        lines = (await playctl("logs", "red")).out.splitlines()
        assert [line.split()[1] for line in lines] == [
            "claimed",
            "starting",
            "running",
            "stopping",
            "stopped",
        ]
        assert (await playctl("logs", "red", "-n", "1")).out.splitlines() == lines[-1:]


async def test_a_model_cannot_write_to_the_terminal_with_its_words(daemon: Daemon):
    card = wire.Card(turn=1, at="", outcome="accepted", effect="\x1b[2Jgone\r\u202e")
    used = wire.BudgetUsed(
        tokens=1, token_ceiling=None, cost=None, cost_ceiling=None, unreported_calls=0
    )
    from daemon.playctl.watching import line_of

    line = line_of(wire.TurnEnded(seat="red", session_id="s", card=card, budget=used))
    assert line is not None
    assert line.isprintable()


# Without a daemon, and with something else in its place -------------------------------------------


async def test_with_no_daemon_every_path_that_was_tried_is_named(playctl: Any, tmp_path: Path):
    state, runtime = tmp_path / "state", tmp_path / "run"
    done = await playctl(
        "status",
        RUNTIME_DIRECTORY="",
        STATE_DIRECTORY="",
        XDG_RUNTIME_DIR=str(runtime),
        XDG_STATE_HOME=str(state),
    )
    assert done.code == 3
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert f"{runtime}/playd/control.sock" in done.err
    assert f"{state}/playd/control.sock" in done.err
    assert "playd run" in done.err


async def test_a_stale_socket_is_no_daemon(playctl: Any, tmp_path: Path):
    path = tmp_path / "control.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    done = await playctl("--socket", str(path), "status")
    assert (done.code, str(path) in done.err) == (3, True)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n",
        b"",
        b"{}\n",
        b'{"id": 1, "ok": true, "result": {"of": "another release"}}\n',
        b'{"id": 1, "result": ' + b"[" * 100_000 + b"\n",
    ],
    ids=["http", "nothing", "empty", "another release", "nested"],
)
async def test_something_else_at_the_path_is_not_taken_for_playd(
    playctl: Any, tmp_path: Path, answer: bytes
):
    path = tmp_path / "control.sock"
    listener = trio.socket.socket(socket.AF_UNIX)
    await listener.bind(str(path))
    listener.listen()

    async def pretend() -> None:
        connection, _ = await listener.accept()
        async with trio.SocketStream(connection) as stream:
            await stream.receive_some()
            await stream.send_all(answer)

    with listener:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pretend)
            done = await playctl("--socket", str(path), "status")
    assert done.code == 3
    assert done.err.count("\n") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another uid")
async def test_who_may_not_connect_is_told_uid_path_and_mode(opened: Any):
    """Case 36."""
    script = (
        "import os, sys; import daemon.playctl.seats; from daemon.playctl.main import run;"
        "os.setgroups([]); os.setgid(12345); os.setuid(12345); sys.exit(run(sys.argv[1:]))"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        path = Path(folder) / "control.sock"
        async with opened("good") as one, trio.open_nursery() as nursery:
            listener = listen_at(path)
            nursery.start_soon(
                serve, listener, one.supervisor, None, lambda verb, code: None, trio.Event()
            )
            assert stat.S_IMODE(path.stat().st_mode) == 0o660
            for mode, text in (
                (0o660, f"uid 12345 may not connect to {path} (mode 0660)"),
                (0o666, f"uid 12345 is not granted status here, at {path} (mode 0666)"),
            ):
                path.chmod(mode)
                done = await trio.run_process(
                    [sys.executable, "-c", script, "--socket", str(path), "status"],
                    capture_stderr=True,
                    check=False,
                )
                assert text in done.stderr.decode()
                assert done.returncode == 4
                assert done.stderr.count(b"\n") == 1
            nursery.cancel_scope.cancel()
        take_away(listener, path)


# The command line itself --------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str):
    from click.testing import CliRunner

    from daemon.playctl.main import playctl

    shown = CliRunner().invoke(playctl, [command, "--help"], prog_name="playctl")
    assert shown.exit_code == 0
    assert f"Usage: playctl {command}" in shown.output


@pytest.mark.parametrize("group", [(), ("journal",)], ids=["playctl", "playctl journal"])
async def test_without_a_command_the_help_is_printed_as_it_is(playctl: Any, group: tuple[str, ...]):
    done = await playctl(*group)
    assert (done.code, done.out) == (2, "")
    assert done.err == (await playctl(*group, "--help")).out


async def test_a_wrong_use_is_one_line_that_names_the_help(playctl: Any):
    for arguments in (
        ("fly",),
        ("join",),
        ("stop", "red", "--later"),
        ("budget", "r", "--tokens", "x"),
    ):
        done = await playctl(*arguments)
        assert done.code == 2
        assert done.err.count("\n") == 1
        assert "--help" in done.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
async def test_completion_scripts_are_printed(playctl: Any, shell: str):
    done = await playctl("completion", shell)
    assert done.code == 0
    assert "_PLAYCTL_COMPLETE" in done.out


async def test_seats_are_completed_from_the_running_daemon(daemon: Daemon):
    async with daemon("good") as one:
        environ = {
            "_PLAYCTL_COMPLETE": "bash_complete",
            "COMP_WORDS": "playctl stop r",
            "COMP_CWORD": "2",
            "PLAYD_SOCKET": os.fspath(one.path),
        }
        done = await trio.run_process(
            [sys.executable, "-m", "daemon.playctl"],
            env={**os.environ, **environ},
            capture_stdout=True,
        )
        assert done.stdout == b"plain,red\n"


async def test_a_configuration_is_checked_without_a_daemon(playctl: Any, tmp_path: Path):
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text("[log]\nlevel = 'info'\n")
    bad.write_text("[log]\nlevel = 'loud'\n")
    warned = await playctl("config", "check", str(good))
    assert warned.code == 0
    assert "warning: there are no seats" in warned.out
    done = await playctl("config", "check", str(bad))
    assert done.code == 5
    assert f"{bad}:2: error: log.level" in done.err
    found = (await playctl("config", "check", str(bad), "--json")).json()
    assert (found["good"], found["findings"][0]["line"]) == (False, 2)
    good.chmod(0o666)
    told = (await playctl("config", "check", str(good))).out
    assert f"{good}: warning: can be changed by others than its owner (mode 0666)" in told


CAPPED = """
[models.m]
provider = "openai"
model = "practice"
base_url = "http://127.0.0.1:1/v1"
{price}
[seats.red]
body = "pokemon"
model = "m"
address = "unix:/nowhere"
game = "firered"
display_name = "Red"
credential = "file:key"
budget = {{ dollars = 1.0 }}
"""


@pytest.mark.parametrize(("price", "code"), [("", 5), ("local = true", 0)])
async def test_a_dollar_cap_needs_a_known_price(
    playctl: Any, tmp_path: Path, price: str, code: int
):
    file = tmp_path / "playd.toml"
    (tmp_path / "key").touch(0o600)
    (tmp_path / "key").write_text("s3cret")
    file.write_text(CAPPED.format(price=price))
    done = await playctl("config", "check", str(file))
    assert done.code == code, done.err
    assert ("the price of model m is not known" in done.err) == (code == 5)


async def test_a_model_without_a_known_price_is_a_warning(playctl: Any, tmp_path: Path):
    file = tmp_path / "playd.toml"
    (tmp_path / "key").touch(0o600)
    (tmp_path / "key").write_text("s3cret")
    file.write_text(CAPPED.format(price="").replace("budget = { dollars = 1.0 }", ""))
    done = await playctl("config", "check", str(file))
    assert done.code == 0
    assert f"{file}:2: warning: models.m: its price is not known" in done.out


async def test_every_error_of_a_refused_reload_has_its_line(daemon: Daemon, tmp_path: Path):
    file = tmp_path / "playd.toml"
    async with daemon("good", configuration=file) as playctl:
        file.write_text("[log]\nlevel = 1\n[limits]\nlease_ttl = 1\n")
        done = await playctl("reload")
        assert done.code == 5
        first, *findings = done.err.splitlines()
        assert first == f"playctl: {file} was not taken:"
        assert [line.split(": ")[2] for line in findings] == ["log.level", "limits.lease_ttl"]


async def test_with_json_an_error_is_a_document_too(daemon: Daemon):
    async with daemon("good") as playctl:
        done = await playctl("stop", "red", "--json")
        assert (done.code, done.out) == (4, "")
        error = msgspec.json.decode(done.err)["error"]
        assert (error["code"], error["message"]) == ("not_playing", "seat red is not being played")


async def test_what_a_sitting_used_is_shown_while_it_plays_and_after_it(daemon: Daemon):
    async with daemon("plays", 4) as playctl:
        async with watching(playctl, "red", "--plain") as watch:
            await watch.until(b"idle")
            await playctl("join", "red")
            await watch.until(b"notable")
        used = (await playctl("budget", "red", "--json")).json()
        assert used["turnsTaken"] == 4
        assert used["elapsed"] > 0
        await playctl("stop", "red")
        (line,) = [row for row in (await playctl("status", "red")).out.splitlines() if "red" in row]
        assert "300 / 250,000" in line
        assert "unknown" in line


@pytest.mark.parametrize(
    "command",
    [
        ("status",),
        ("sessions",),
        ("sessions", "--all"),
        ("join",),
        ("stop",),
        ("say", "hello"),
        ("pause",),
        ("budget",),
        ("observe",),
        ("watch",),
        ("recall",),
        ("world check",),
        ("reset",),
        ("recover",),
    ],
    ids=" ".join,
)
async def test_an_unknown_seat_is_answered_alike_by_every_command(
    daemon: Daemon, command: tuple[str, ...]
):
    async with daemon("good") as playctl:
        words = command[0].split()
        done = await playctl(*words, "grey", *command[1:])
    assert (done.code, done.err) == (
        4,
        "playctl: there is no seat grey. playctl seats names them.\n",
    )


async def test_a_reset_of_a_seat_that_had_not_failed_says_so(daemon: Daemon):
    async with daemon("good") as playctl:
        await playctl("join", "red")
        assert (await playctl("reset", "red")).out == "red had not failed; it is running.\n"
        assert "nothing to recover" in (await playctl("recover", "blue")).out


async def test_journals_are_those_of_the_daemon_that_answers(daemon: Daemon, tmp_path: Path):
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("STATE_DIRECTORY", str(tmp_path / "elsewhere"))
        async with daemon("good") as playctl:
            await trio.to_thread.run_sync(write_journal, tmp_path / "state" / "journals", 3)
            assert "run-1" in (await playctl("journal", "list")).out
        assert "No such run" in (await playctl("journal", "list")).out
