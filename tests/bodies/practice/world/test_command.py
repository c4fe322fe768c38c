"""`playd-practice world` as a process."""

import json
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from click.testing import CliRunner

from bodies.practice.main import main

COMMAND = [sys.executable, "-m", "bodies.practice.main", "world"]


@asynccontextmanager
async def _started(*options):
    async with trio.open_nursery() as nursery:
        run = partial(
            trio.run_process,
            [*COMMAND, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            check=False,
        )
        process = await nursery.start(run)
        line = b""
        while not line.endswith(b"\n"):
            line += await process.stdout.receive_some()
        yield process, line.decode().split()
        with trio.fail_after(60):
            await process.wait()


async def _ask(address, operation, **fields):
    async with await trio.open_unix_socket(address.removeprefix("unix:")) as stream:
        request = {"operation": operation, **fields}
        await stream.send_all(json.dumps(request).encode() + b"\n")
        return json.loads(b"".join([data async for data in stream]))


JOIN = {"protocolVersion": 3, "gameId": "firered", "displayName": "T", "harness": "t"}


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
async def test_it_names_its_addresses_saves_on_a_signal_and_exits_with_0(tmp_path, sent):
    options = ("--listen", "ws://127.0.0.1:0", "--listen", f"unix:{tmp_path}/s")
    journal = tmp_path / "journal.jsonl"
    async with _started(
        *options, "--state", str(tmp_path / "state"), "--journal", str(journal)
    ) as (process, words):
        joined = await _ask(words[2], "world.join", input=JOIN, credential="one")
        process.send_signal(sent)
    assert words[0] == "listening"
    assert words[1].startswith("ws://127.0.0.1:")
    assert words[1] != "ws://127.0.0.1:0"
    assert process.returncode == 0
    saved = list((tmp_path / "state" / "players").iterdir())
    assert [path.name for path in saved] == [f"{joined['playerId']}-firered.json"]
    kinds = [json.loads(line)["kind"] for line in journal.read_text().splitlines()]
    assert kinds == ["join", "ended"]
    assert "one" not in [*saved[0].read_text().split('"'), *journal.read_text().split('"')]
    assert not (tmp_path / "s").exists()


async def test_it_ends_when_its_standard_input_closes(tmp_path):
    async with _started("--state", str(tmp_path), "--until-stdin-closes") as (process, _):
        await process.stdin.aclose()
    assert process.returncode == 0


async def test_credentials_and_misbehaviour_come_from_the_command_line(tmp_path):
    known = tmp_path / "credentials"
    known.write_text("# who plays\nsecret-1 ada\n")
    options = ("--listen", f"unix:{tmp_path}/s", "--state", str(tmp_path / "state"))
    async with _started(
        *options, "--credentials", str(known), "--misbehave", "refuse:world_full@join=2"
    ) as (process, words):
        answers = [
            await _ask(words[1], "world.join", input=JOIN, credential=credential)
            for credential in ("other", "secret-1", "secret-1")
        ]
        process.terminate()
    assert [answer.get("code") for answer in answers] == ["unauthorized", "world_full", None]
    assert answers[2]["playerId"] == "ada"


WRONG = [
    (["--listen", "http://127.0.0.1:1"], "none of ws://HOST:PORT"),
    (["--misbehave", "explode"], "is not one of"),
    (["--game", "tetris"], "tetris"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_a_wrong_option_is_told_before_anything_starts(tmp_path, options, message):
    result = CliRunner().invoke(main, ["world", "--state", str(tmp_path), *options])
    assert result.exit_code == 2
    assert message in result.output


def test_an_address_that_is_taken_is_told_in_a_line(tmp_path):
    taken = ["--listen", f"unix:{tmp_path}/missing/s"]
    result = CliRunner().invoke(main, ["world", "--state", str(tmp_path / "state"), *taken])
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")


def test_the_group_lists_its_subcommands():
    assert "world" in CliRunner().invoke(main, ["--help"]).output
