"""playd as `script/install` leaves it, in a booted box, with three seats of a practice world."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from systemd_box import Box, booted_box, missing

ROOT = Path(__file__).parents[3]
SEATS = ("red", "green", "blue")
CONFIGURATION = """
[log]
level = "debug"
[models.practice]
provider = "openai"
model = "practice"
base_url = "http://127.0.0.1:8471/v1"
local = true
credential = "systemd:model"
"""
SEAT = """
[seats.{name}]
body = "pokemon"
model = "practice"
address = "ws://127.0.0.1:8470/"
game = "firered"
display_name = "{name}"
credential = "systemd:{name}"
"""
DROP_IN = """
[Service]
WatchdogSec=2
RestartSec=100ms
LoadCredential=model:/etc/playd/credentials/model
LoadCredential=red:/etc/playd/credentials/red
LoadCredential=green:/etc/playd/credentials/green
LoadCredential=blue:/etc/playd/credentials/blue
"""
SECRETS = {
    "model": "sk-planted-key-of-the-model-71c9",
    **{seat: f"planted-credential-of-{seat}-4f02" for seat in SEATS},
}


@dataclass
class Installed:
    """The box and what tests say to it."""

    box: Box
    configuration: str = CONFIGURATION
    drop_ins: str = "/etc/systemd/system/playd.service.d"

    def playctl(self, *arguments: str) -> Any:
        """What a command answers, as JSON."""
        return msgspec.json.decode(self.box.run("playctl", *arguments, "--json").stdout)

    def seats(self) -> dict[str, Any]:
        return {seat["seat"]: seat for seat in self.playctl("seats")["seats"]}

    def settings(self, text: str = CONFIGURATION, seats: tuple[str, ...] = SEATS) -> None:
        """Write the configuration."""
        text += "".join(SEAT.format(name=name) for name in seats)
        self.box.write("/etc/playd/playd.toml", text)

    def show(self, name: str) -> str:
        return self.box.show("playd.service", name)

    def restart(self) -> None:
        """Begin anew: nothing is played, and nothing is counted against the unit."""
        self.box.run("systemctl", "reset-failed", "playd.service", "playd.socket")
        self.box.run("systemctl", "restart", "playd.socket", "playd.service")

    @property
    def secrets(self) -> list[str]:
        """What must be found nowhere."""
        return list(SECRETS.values())

    def play(self, seats: tuple[str, ...] = SEATS) -> list[str]:
        """Join seats and wait for a turn of each; their journals."""
        joins = "for seat; do playctl join $seat & done; wait"
        self.box.run("sh", "-c", joins, "sh", *seats)
        self.wait_for(
            "curl -s http://127.0.0.1:9464/metrics |"
            " awk -F'\"' '/^playd_turns_total.* [1-9]/ {seen[$4]}"
            f" END {{exit length(seen) != {len(seats)}}}'"
        )
        shown = self.seats()
        return [shown[seat]["session"]["journal"] for seat in sorted(seats)]

    def wait_for(self, script: str, seconds: float = 50) -> str:
        """Wait until a shell script succeeds; what it printed then."""
        looped = f"until ({script}); do sleep 0.05; done"
        return self.box.run("timeout", str(seconds), "sh", "-c", looped).stdout


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with booted_box(tmp_path_factory.mktemp("box"), shown=ROOT) as booted:
        yield booted


@pytest.fixture(scope="module")
def installed(box: Box) -> Installed:
    box.run(f"{ROOT}/script/install")
    made = Installed(box)
    for name, secret in SECRETS.items():
        box.write(f"/etc/playd/credentials/{name}", secret, 0o600)
    box.write(f"{made.drop_ins}/test.conf", DROP_IN)
    made.settings()
    box.run("systemctl", "daemon-reload")
    for part in ("world --listen ws://127.0.0.1:8470 --state /srv", "model --latency 0.05"):
        name, *arguments = part.split()
        if name == "model":
            arguments += ["--listen", "http://127.0.0.1:8471"]
        box.run("systemd-run", f"--unit=practice-{name}", "playd-practice", name, *arguments)
    made.wait_for(
        "journalctl -q -o cat -u practice-world -u practice-model | grep -c listening | grep -q 2"
    )
    return made


@dataclass
class Play:
    """Three sessions that played until the service was stopped."""

    journals: list[str]
    cgroups: list[str]
    """Of the three session processes."""
    secrets_in_proc: str
    """Files below /proc that held a secret while they played."""
    searched_in_proc: str
    """Files below /proc that were found by a word that is no secret."""
    result: str
    exit_status: str
    left_over: str
    """Pids of the service's user after the stop."""


@pytest.fixture(scope="module")
def play(installed: Installed) -> Play:
    installed.restart()
    journals = installed.play()
    pids = [seat["session"]["pid"] for seat in installed.seats().values()]
    cgroups = [installed.box.run("cat", f"/proc/{pid}/cgroup").stdout for pid in pids]
    searched = (
        "for pid in $(pgrep -u playd);"
        ' do grep -alF -- "$1" /proc/$pid/environ /proc/$pid/cmdline; done'
    )
    found, known = (
        "".join(
            installed.box.run("sh", "-c", searched, "sh", word, check=False).stdout
            for word in words
        )
        for words in (installed.secrets, ["PYTHONUNBUFFERED", "bin/python"])
    )
    installed.box.run("systemctl", "stop", "playd.service")
    return Play(
        journals,
        cgroups,
        found,
        known,
        installed.show("Result"),
        installed.show("ExecMainStatus"),
        installed.box.run("pgrep", "-u", "playd", check=False).stdout,
    )
