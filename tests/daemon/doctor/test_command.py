"""`playctl doctor` as a person or a script runs it."""

import subprocess
import sys
from pathlib import Path

import msgspec


def doctor(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "daemon.playctl", "--socket", "/nowhere", "doctor", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_failed_check_is_exit_code_1_and_each_line_has_its_level(patient) -> None:
    ended = doctor("--config", str(patient().configuration))

    assert ended.returncode == 1
    assert {line.split()[0] for line in ended.stdout.splitlines()} <= {"ok", "warn", "fail"}
    assert "fail  world of red" in ended.stdout
    assert " -> start the world" in ended.stdout
    assert ended.stderr == "playctl: 2 checks failed.\n"


def test_it_answers_scripts_with_one_document(patient) -> None:
    ended = doctor("--json", "--config", str(patient().configuration))

    told = msgspec.json.decode(ended.stdout)
    assert told["good"] is False
    assert {"level", "about", "text", "remedy"} == told["findings"][0].keys()


def test_a_configuration_that_cannot_be_read_is_told_alone(tmp_path: Path) -> None:
    ended = doctor("--config", str(tmp_path / "none.toml"))

    assert ended.returncode == 1
    assert ended.stdout.startswith("fail  configuration  ")
    assert len(ended.stdout.splitlines()) == 1
