"""State and socket are where the configuration, else systemd, else the user's session says."""

import os
from pathlib import Path

import pytest

from config.places import control_socket, state_directory
from config.settings import Control, Settings

ENVIRON = {
    "STATE_DIRECTORY": "/var/lib/playd:/var/lib/other",
    "RUNTIME_DIRECTORY": "/run/playd",
    "XDG_RUNTIME_DIR": "/run/user/1000",
}


def test_what_the_configuration_says_comes_first():
    said = Settings(state_directory="/s", control=Control(socket="/c.sock"))
    assert state_directory(said, ENVIRON) == Path("/s")
    assert control_socket(said, ENVIRON) == Path("/c.sock")


def test_then_what_systemd_says():
    assert state_directory(Settings(), ENVIRON) == Path("/var/lib/playd")
    assert control_socket(Settings(), ENVIRON) == Path("/run/playd/control.sock")


def test_then_the_session_of_the_user():
    environ = {"XDG_RUNTIME_DIR": "/run/user/1000"}
    assert control_socket(Settings(), environ) == Path("/run/user/1000/playd/control.sock")


def test_the_socket_is_at_last_in_the_state_directory():
    assert control_socket(Settings(state_directory="/s"), {}) == Path("/s/control.sock")


@pytest.mark.skipif(os.geteuid() != 0, reason="root's own place")
def test_root_keeps_state_in_the_system():
    assert state_directory(Settings(), {}) == Path("/var/lib/playd")


@pytest.mark.skipif(os.geteuid() == 0, reason="other users' place")
def test_a_user_keeps_state_in_the_home_folder():
    environ = {"XDG_STATE_HOME": "/home/x/state"}
    assert state_directory(Settings(), environ) == Path("/home/x/state/playd")
    assert state_directory(Settings(), {}) == Path.home() / ".local/state/playd"
