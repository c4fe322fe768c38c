"""playd as a service of a real systemd."""

import re
from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).parents[3]


def test_the_units_are_clean(installed) -> None:
    verified = installed.box.run(
        "systemd-analyze", "verify", "--man=no", "playd.service", "playd.socket"
    )

    assert (verified.stdout, verified.stderr) == ("", "")


def test_the_sandbox_is_as_tight_as_the_docs_say(installed) -> None:
    page = (ROOT / "docs/how-to/operate.md").read_text()
    told = re.search(r"`systemd-analyze security playd` says ([0-9.]+) or better", page)
    judged = installed.box.run("systemd-analyze", "security", "--no-pager", "playd.service")

    level = re.search(r"exposure level for playd.service: ([0-9.]+)", judged.stdout)
    assert told is not None
    assert level is not None
    assert float(level[1]) <= float(told[1]) <= 2.0


def test_the_first_playctl_starts_the_daemon_through_its_socket(installed) -> None:
    box = installed.box
    box.run("systemctl", "stop", "playd.service")
    assert installed.show("ActiveState") == "inactive"

    shown = box.run("playctl", "status")

    assert "red" in shown.stdout
    assert installed.show("ActiveState") == "active"
    assert installed.show("SubState") == "running"
    installed.wait_for(
        "systemctl show -P StatusText playd | grep -q '^0 of 3 seats play, 0 turns$'"
    )
    main = installed.show("MainPID")
    command = box.run("tr", "\\0", " ", f"/proc/{main}/cmdline", check=False)
    assert box.run("cat", f"/proc/{main}/comm").stdout.strip() == "playd", command


def test_metrics_health_and_readiness_are_served(installed) -> None:
    installed.box.run("systemctl", "start", "playd.service")

    for path, expected in (("healthz", "ok"), ("readyz", "accepting: ok"), ("metrics", "playd_")):
        answer = installed.box.run("curl", "-sf", f"http://127.0.0.1:9464/{path}")
        assert expected in answer.stdout


def test_a_reload_takes_a_good_file_and_a_bad_one_keeps_the_service(installed) -> None:
    installed.box.run("systemctl", "start", "playd.service")
    before = installed.show("MainPID")
    installed.settings(seats=("red", "green", "blue", "gold"))
    installed.box.run("systemctl", "reload", "playd")
    assert "gold" in installed.seats()

    installed.box.write("/etc/playd/playd.toml", "this is no TOML")
    bad = installed.box.run("systemctl", "reload", "playd", check=False)

    assert bad.returncode != 0
    assert installed.show("ActiveState") == "active"
    assert installed.show("MainPID") == before
    assert "gold" in installed.seats()
    installed.settings()
    installed.box.run("systemctl", "reload", "playd")
    assert "gold" not in installed.seats()


def test_a_hangup_reloads_too(installed) -> None:
    installed.box.run("systemctl", "start", "playd.service")
    installed.settings(seats=("red",))
    installed.box.run("systemctl", "kill", "--kill-whom=main", "--signal=HUP", "playd")
    installed.wait_for("! playctl seats | grep -q blue")

    assert installed.show("ActiveState") == "active"
    installed.settings()


def test_a_stop_lets_three_playing_sessions_end_and_exits_clean(installed, play) -> None:
    assert play.result == "success"
    assert play.exit_status == "0"
    assert play.left_over == ""
    assert len(play.journals) == 3
    for journal in play.journals:
        last = installed.box.run("tail", "-n2", journal).stdout  # the seal stands behind it
        summary = msgspec.json.decode(last.splitlines()[0])
        assert (summary["kind"], summary["outcome"]) == ("summary", "stopped")
        assert summary["leave"] == "confirmed"


def test_each_session_has_a_control_group_of_its_own(play) -> None:
    assert len(set(play.cgroups)) == 3
    for cgroup in play.cgroups:
        assert "/playd.service/session-" in cgroup


def test_the_log_can_be_searched_by_seat_and_event(installed, play) -> None:
    for seat, journal in zip(("blue", "green", "red"), play.journals, strict=True):
        found = installed.box.run(
            "journalctl", "-oexport", f"PLAYD_SEAT={seat}", "PLAYD_EVENT=session_running"
        ).stdout
        assert f"MESSAGE={seat}: running\n" in found
        assert "PRIORITY=6\n" in found
        (session,) = set(re.findall("PLAYD_SESSION=(.*)", found))
        assert session in journal


def test_no_secret_is_anywhere_but_where_it_belongs(installed, play) -> None:
    assert play.secrets_in_proc == ""
    assert play.searched_in_proc.count("/environ\n") == 4  # the daemon and its three sessions
    assert play.searched_in_proc.count("/cmdline\n") == 4
    log = installed.box.run("journalctl", "-q", "-o", "export").stdout
    assert "PLAYD_EVENT=session_running" in log
    for secret in installed.secrets:
        assert secret not in log
        found = installed.box.run(
            "grep", "-alrF", secret, "/var/lib/playd", "/run/playd", check=False
        )
        assert (found.returncode, found.stdout) == (1, "")


def test_it_writes_nowhere_but_in_its_own_directories(installed, play) -> None:
    uid = int(installed.box.run("id", "-u", "playd").stdout)
    written = {
        path.relative_to(installed.box.written).parts[:3]
        for path in installed.box.written.rglob("*")
        if path.lstat().st_uid == uid
    }
    assert written == {("var", "lib", "playd"), ("etc", "playd", "demo.credential")}


@pytest.mark.long
def test_a_stop_that_takes_long_is_given_the_time(installed) -> None:
    deadline = "[limits]\nstop_deadline = 6\n"
    installed.settings(deadline + installed.configuration)
    installed.box.write(installed.drop_ins + "/short.conf", "[Service]\nTimeoutStopSec=2\n")
    installed.box.run("systemctl", "daemon-reload")
    installed.restart()
    installed.playctl("join", "red")
    pid = installed.seats()["red"]["session"]["pid"]
    installed.box.run("kill", "-STOP", str(pid))

    installed.box.run("systemctl", "stop", "playd.service")

    assert installed.show("Result") == "success"
    assert installed.show("ExecMainStatus") == "0"
    installed.settings()
    installed.box.run("rm", installed.drop_ins + "/short.conf")
    installed.box.run("systemctl", "daemon-reload")


def test_the_watchdog_restarts_a_stopped_daemon_and_its_seats_are_reconciled(installed) -> None:
    installed.restart()
    installed.play(("green", "red"))
    stopped = installed.show("MainPID")

    # One that goes on would leave its world by itself, if it is quicker than systemd's kill.
    silenced = str(installed.seats()["green"]["session"]["pid"])
    installed.box.run("kill", "-STOP", silenced, stopped)
    installed.wait_for(
        "test $(systemctl show -P NRestarts playd) = 1 && systemctl is-active -q playd"
    )

    assert installed.show("MainPID") != stopped
    assert states(installed) == {"red": "stale", "green": "stale", "blue": "idle"}
    exposed = installed.box.run("curl", "-sf", "http://127.0.0.1:9464/metrics").stdout
    assert 'playd_seat_state{seat="red",state="stale"} 1.0' in exposed
    assert installed.playctl("join", "red")["state"] == "running"
    assert states(installed) == {"red": "running", "green": "recovery_required", "blue": "idle"}
    assert installed.playctl("recover", "green")["outcome"] == "settled"
    assert states(installed)["green"] == "idle"


def test_case_40_neither_a_quiet_session_nor_a_busy_machine_trips_the_watchdog(installed) -> None:
    installed.restart()
    installed.play(("red", "green"))
    pid = installed.seats()["red"]["session"]["pid"]

    installed.box.run("kill", "-STOP", str(pid))
    # Longer than the watchdog's limit, so that nothing happens, with all processors taken.
    spin = "for n in 1 2 3 4 5 6; do timeout 3 sh -c 'while :; do :; done' & done; wait"
    installed.box.run("sh", "-c", spin, check=False)

    assert installed.show("NRestarts") == "0"
    assert installed.seats()["red"]["state"] == "running"
    installed.box.run("kill", "-CONT", str(pid))


def test_the_sandbox_lets_it_write_nowhere_else(installed) -> None:
    installed.box.run("systemctl", "start", "playd.service")
    inside = ("nsenter", "-t", installed.show("MainPID"), "-m", "--", "touch")

    for folder in ("/etc/playd", "/opt/playd/current", "/var/log", "/usr"):
        tried = installed.box.run(*inside, f"{folder}/written", check=False)
        assert "Read-only file system" in tried.stderr, folder


def states(installed) -> dict[str, str]:
    return {name: seat["state"] for name, seat in installed.seats().items()}
