"""What `script/demo` says of its use; that it plays is tried where whole sessions are."""

import subprocess
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "script" / "demo"


def test_its_options_are_told_to_who_asks():
    done = subprocess.run([DEMO, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--turns N" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--foo",), "there is no option --foo"),
        (("--turns",), "--turns needs a value"),
        (("--turns", "0"), "--turns needs a number"),
        (("--game", "chess"), "--game is pokemon or minecraft"),
        (("--config", "/nonexistent.toml"), "--config needs a file: /nonexistent.toml"),
    ],
)
def test_a_wrong_option_is_named(arguments: tuple[str, ...], told: str):
    done = subprocess.run([DEMO, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert told in done.stderr.splitlines()[0]
