"""Standard output that is closed, full, or no longer read, in both programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from played_journal import write_journal

TRY = ("daemon.main", "try", "--turns", "1000")
HELP = ("daemon.playctl", "--help")
VERIFY = ("daemon.playctl", "journal", "verify", "good.jsonl")
VERIFY_BAD = ("daemon.playctl", "journal", "verify", "bad.jsonl")
SHOW = ("daemon.playctl", "journal", "show", "good.jsonl")
CHECK = ("daemon.playctl", "config", "check", "good.toml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output")
    (folder / "good.toml").write_text("[log]\nlevel = 'info'\n")
    write_journal(folder, 1).rename(folder / "good.jsonl")
    (folder / "bad.jsonl").write_text("{}\n")
    return folder


@pytest.mark.parametrize(
    ("redirected", "why", "command"),
    [
        *(
            (">/dev/full", "No space left on device", one)
            for one in (TRY, HELP, VERIFY, SHOW, CHECK)
        ),
        *((">&-", "Bad file descriptor", one) for one in (TRY, VERIFY)),
    ],
)
def test_an_output_that_takes_nothing_is_told_in_one_line(
    folder: Path, redirected: str, why: str, command: tuple[str, ...]
):
    done = run(folder, redirected, *command)
    assert done.returncode == 2
    assert f": standard output cannot be written: {why}. " in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [TRY, HELP, VERIFY, VERIFY_BAD])
def test_an_output_that_nobody_reads_ends_the_command_without_a_word(
    folder: Path, command: tuple[str, ...]
):
    reader, writer = os.pipe()
    os.close(reader)
    done = run(folder, "", *command, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("program", ["daemon.main", "daemon.playctl"])
def test_an_error_that_nobody_reads_leaves_the_exit_code_as_it_is(folder: Path, program: str):
    assert run(folder, "2>/dev/full", program, "--unknown").returncode == 2


def test_findings_that_nobody_reads_leave_the_exit_code_as_it_is(folder: Path):
    assert run(folder, "2>/dev/full", *CHECK[:-1], "none.toml").returncode == 5


def test_a_closed_output_is_no_matter_to_what_prints_nothing(folder: Path):
    done = run(folder, ">&-", "daemon.main", "run", "--config", "none.toml")
    assert done.returncode == 5
    assert "none.toml has errors" in done.stderr


def run(
    folder: Path, redirected: str, *command: str, stdout: int = subprocess.DEVNULL
) -> subprocess.CompletedProcess[str]:
    """A command whose output a shell redirects."""
    return subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m "$@" {redirected}', sys.executable, *command],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
