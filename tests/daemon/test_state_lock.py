"""One daemon a state directory (case 28)."""

import subprocess
import sys
from pathlib import Path

import pytest

from daemon.state_lock import StateHeld, held_state

HOLDER = """
import sys
from pathlib import Path
from daemon.state_lock import StateHeld, held_state
try:
    with held_state(Path(sys.argv[1])):
        print("held", flush=True)
        sys.stdin.read()
except StateHeld:
    print("refused", flush=True)
"""


def test_of_twenty_that_start_at_once_one_holds_it(tmp_path: Path):
    """Case 28."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(tmp_path / "state")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(20)
    ]
    try:
        words = [process.stdout.readline().strip() for process in started]
    finally:
        for process in started:
            process.communicate()
    assert sorted(words) == ["held"] + ["refused"] * 19


def test_a_second_holder_is_told_who_has_it_and_changes_nothing(tmp_path: Path):
    with held_state(tmp_path / "state"):
        before = sorted((tmp_path / "state").iterdir())
        with pytest.raises(StateHeld, match=r"held by pid \d+"), held_state(tmp_path / "state"):
            pass
        assert sorted((tmp_path / "state").iterdir()) == before
    with held_state(tmp_path / "state"):
        assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
