"""`script/install`: what it leaves, twice, over an older release, and taken away again."""

import re
from pathlib import Path

import pytest
from systemd_box import Box

ROOT = Path(__file__).parents[3]
INSTALL = str(ROOT / "script" / "install")
PAGE = ROOT / "docs" / "how-to" / "operate.md"
UNITS = "/etc/systemd/system/playd.service"


@pytest.fixture(scope="module")
def demonstrating(box: Box) -> Box:
    """Installed as the page says, with the demonstration's world running."""
    told = re.search(
        r"^## Install\n.*?^```sh\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    assert told is not None
    box.run("sh", "-ec", f"cd {ROOT}\n{told[1]}")
    return box


def current(box: Box) -> str:
    return box.run("readlink", "/opt/playd/current").stdout.strip()


def test_what_it_installs_plays_the_demonstration(demonstrating: Box) -> None:
    box = demonstrating
    box.run("playctl", "join", "demo")
    played = "until playctl sessions --json | grep -q '\"turnsTaken\": [1-9]'; do sleep 0.1; done"
    box.run("timeout", "30", "sh", "-c", played)
    box.run("playctl", "stop", "demo")
    assert "0.1.0" in box.run("playd", "--version").stdout


def test_the_doctor_finds_the_installation_well(demonstrating: Box) -> None:
    examined = demonstrating.run("runuser", "-u", "playd", "--", "playctl", "doctor", check=False)

    assert "fail" not in examined.stdout
    assert examined.returncode == 0, examined.stdout + examined.stderr


def test_a_second_run_changes_nothing(demonstrating: Box) -> None:
    box = demonstrating
    box.run("sh", "-c", "echo '# mine' >>/etc/playd/playd.toml")
    before = current(box)

    again = box.run(INSTALL)

    assert "building" not in again.stdout
    assert current(box) == before
    assert box.run("tail", "-n1", "/etc/playd/playd.toml").stdout == "# mine\n"


def test_an_upgrade_keeps_configuration_state_and_the_release_before(demonstrating: Box) -> None:
    box = demonstrating
    box.run("playctl", "status")
    configuration = box.run("cat", "/etc/playd/playd.toml").stdout
    box.run("mkdir", "-p", "/opt/playd/releases/before", "/opt/playd/releases/oldest")
    # The daemon runs a release that is neither the new one nor the one before.
    copy = "cp -a $1 $2; sed -i 1s,$1,$2, $2/bin/playd; ln -sfn $2 /opt/playd/current"
    box.run("sh", "-c", copy, "sh", current(box), "/opt/playd/releases/running")
    box.run("systemctl", "restart", "playd")
    box.run("ln", "-sfn", "/opt/playd/releases/before", "/opt/playd/current")
    state = box.run("stat", "-c", "%i", "/var/lib/playd/state.db").stdout

    upgraded = box.run(INSTALL)

    kept = box.run("ls", "/opt/playd/releases").stdout.split()
    assert sorted(kept) == sorted(["before", "running", current(box).rpartition("/")[2]])
    assert box.run("stat", "-c", "%i", "/var/lib/playd/state.db").stdout == state
    assert box.run("cat", "/etc/playd/playd.toml").stdout == configuration
    assert "systemctl restart playd" in upgraded.stdout
    box.run("systemctl", "restart", "playd")
    assert "demo" in box.run("playctl", "status").stdout


def test_completion_is_installed_for_every_shell(demonstrating: Box) -> None:
    for file in (
        "/usr/local/share/bash-completion/completions/playctl",
        "/usr/local/share/zsh/site-functions/_playctl",
        "/usr/local/share/fish/vendor_completions.d/playctl.fish",
    ):
        assert "_PLAYCTL_COMPLETE" in demonstrating.run("cat", file).stdout


def test_it_refuses_to_run_without_root(box: Box) -> None:
    refused = box.run("setpriv", "--reuid", "65534", "--clear-groups", INSTALL, check=False)

    assert refused.returncode == 1
    assert "must be run by root" in refused.stderr


def test_uninstalling_leaves_state_and_configuration(demonstrating: Box) -> None:
    box = demonstrating
    box.run("playctl", "status")

    box.run(INSTALL, "--uninstall")

    for gone in ("/opt/playd", "/usr/local/bin/playctl", UNITS, "/run/playd/control.sock"):
        assert box.run("test", "-e", gone, check=False).returncode == 1, gone
    for kept in ("/etc/playd/playd.toml", "/var/lib/playd/state.db"):
        box.run("test", "-e", kept)
    assert box.run("pgrep", "-u", "playd", check=False).stdout == ""
    box.run(INSTALL, "--uninstall")  # once more does no harm
