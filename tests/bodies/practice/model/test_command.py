"""`playd-practice model` as a process."""

import json
import signal

import httpx
import pytest
import trio
from click.testing import CliRunner

from bodies.practice.main import main


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
async def test_it_names_its_address_and_exits_with_0_on_a_signal(practice, sent):
    async with practice("model") as (process, words):
        process.send_signal(sent)
        with trio.fail_after(60):
            await process.wait()
    assert words[0] == "listening"
    assert words[1].startswith("http://127.0.0.1:")
    assert words[1].endswith("/v1")
    assert process.returncode == 0


async def test_it_ends_when_its_standard_input_closes(practice):
    async with practice("model", "--until-stdin-closes") as (process, _):
        await process.stdin.aclose()
        with trio.fail_after(60):
            await process.wait()
    assert process.returncode == 0


async def test_its_log_and_misdeeds_come_from_the_command_line(practice, tmp_path):
    log = tmp_path / "log.jsonl"
    async with practice("model", "--log", str(log), "--misbehave", "status:503/2@models=2") as (
        _,
        (_, address),
    ):
        async with httpx.AsyncClient() as client:
            answers = [await client.get(f"{address}/models") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 503]
    assert answers[1].headers["retry-after"] == "2"
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert [entry["outcome"] for entry in entries] == ["whole", "rejected"]


WRONG = [
    (["--listen", "http://0.0.0.0:0"], "not loopback"),
    (["--listen", "http://example.org:80"], "not loopback"),
    (["--listen", "ws://127.0.0.1:1"], "is not http://HOST:PORT"),
    (["--misbehave", "explode"], "is not one of"),
    (["--latency", "-1"], "latency"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_a_wrong_option_is_told_before_anything_starts(options, message):
    result = CliRunner().invoke(main, ["model", *options])
    assert result.exit_code == 2
    assert message in result.output


def test_a_log_that_cannot_be_written_is_told_in_a_line(tmp_path):
    result = CliRunner().invoke(main, ["model", "--log", str(tmp_path / "missing" / "log")])
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")


def test_the_help_says_that_it_is_no_language_model():
    assert "not a language model" in CliRunner().invoke(main, ["model", "--help"]).output
