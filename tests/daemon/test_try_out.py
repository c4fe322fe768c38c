"""`playd try` as a user runs it."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.main import run_playd
from daemon.programs import search_path

LIMIT = 60.0


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "daemon.main", "try", *arguments],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("game", ["firered", "minecraft"])
def test_it_plays_the_turns_asked_for_and_names_the_journal(tmp_path: Path, game: str):
    with start(tmp_path, "--turns", "1", "--game", game) as trial:
        out, err = trial.communicate(timeout=LIMIT)
    assert (trial.returncode, err) == (0, "")
    assert "try  turn 0  " in out
    assert "\n1 turn, finished; tokens " in out
    assert out.count("finished") == 1
    program, _, _, journal = out.rsplit("Read it: ", 1)[1].split()
    assert shutil.which(program)
    journal = Path(journal)
    assert journal.is_relative_to(tmp_path)
    assert b'"outcome":"finished"' in journal.read_bytes()


def test_ctrl_c_stops_it_cleanly(tmp_path: Path):
    with start(tmp_path, "--turns", "1000") as trial:
        assert trial.stdout is not None
        for line in trial.stdout:
            if "turn 0" in line:
                break
        trial.send_signal(signal.SIGINT)
        rest = trial.stdout.read()
        assert trial.wait(LIMIT) == 0
    assert " turns, stopped; tokens " in rest


def test_who_reads_no_further_ends_the_play_and_nothing_else_is_told(tmp_path: Path):
    with start(tmp_path, "--turns", "1000") as trial:
        assert trial.stdout is not None
        assert trial.stderr is not None
        assert trial.stdout.readline() == "try  starting\n"
        trial.stdout.close()
        assert trial.stderr.read() == ""
    (journal,) = tmp_path.glob("playd-try-*/state/journals/*.jsonl")
    assert b'"leave":"confirmed"' in journal.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--model", "m"), 2, "Add --config FILE"),
        (("--model", "m", "--config", "/nonexistent.toml"), 5, "/nonexistent.toml"),
        (("--config", "/nonexistent.toml"), 5, "/nonexistent.toml"),
        (("--world", "gopher://x"), 2, "--world gopher://x"),
        (("--world", "ws://192.0.2.1:1"), 2, "Use wss:// or tls://."),
        (("--turns", "0"), 2, "--help"),
        (("--game", "minecraft", "--world", "ws://127.0.0.1:1"), 2, "for the other games"),
        (("--game", "chess"), 2, "--help"),
    ],
)
def test_a_wrong_use_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, told: str
):
    assert run_playd(["try", *arguments]) == code
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1


def test_a_world_that_does_not_answer_is_told_in_one_line(tmp_path: Path):
    with start(tmp_path, "--world", "ws://127.0.0.1:1/") as trial:
        _, err = trial.communicate(timeout=LIMIT)
    assert trial.returncode == 6, err
    assert "the world cannot be reached" in err
    assert err.count("\n") == 1


def test_a_world_that_ends_before_the_turns_are_played_is_no_success(tmp_path: Path):
    practice = ["playd-practice", "world", "--until-stdin-closes", "--state", str(tmp_path / "w")]
    with subprocess.Popen(
        [*practice, "--misbehave", "end@act=1"],
        env={**os.environ, "PATH": search_path(os.environ)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as world:
        assert world.stdout is not None
        address = world.stdout.readline().split()[1]
        with start(tmp_path, "--world", address) as trial:
            _, err = trial.communicate(timeout=LIMIT)
        world.kill()
    assert trial.returncode == 6, err
    assert "the world ended after 1 turn: " in err


NOT_THERE = """
[models.gone]
provider = "openai"
model = "gone"
base_url = "http://127.0.0.1:1/v1"
local = true
"""


def test_turns_that_the_model_never_played_are_no_success(tmp_path: Path):
    file = tmp_path / "playd.toml"
    file.write_text(NOT_THERE)
    with start(tmp_path, "--turns", "1", "--config", str(file), "--model", "gone") as trial:
        _, err = trial.communicate(timeout=LIMIT)
    assert trial.returncode == 7, err
    assert "the model played no turn" in err
