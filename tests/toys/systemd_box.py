"""A throw-away machine with a real systemd, made of this one.

Its disk is this machine's root under a layer in memory: every program is there, and nothing that is
written in it remains. It has its own network, journal, /tmp and tree of control groups, and boots
in under a second.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PACKAGES = ("systemd-container", "dbus")
BOOT_SECONDS = 30.0
COMMAND_SECONDS = 60.0


def missing() -> str | None:
    """Why there can be no box here; None: there can."""
    if os.geteuid() != 0:
        return "a systemd box needs root"
    for program in ("systemd-nspawn", "nsenter", "dbus-daemon"):
        if shutil.which(program) is None:
            return f"a systemd box needs {program}; apt-get install {' '.join(PACKAGES)}"
    if "overlay" not in Path("/proc/filesystems").read_text():
        return "a systemd box needs the overlay file system"
    if _cgroups() is None:
        return "a systemd box needs a cgroup2 tree that it may write to"
    return None


class Box:
    """A running box."""

    def __init__(self, written: Path, leader: int) -> None:
        self.written = written
        """All that was written on its disk, seen from outside; what it shows of itself is not."""
        self._leader = leader

    def run(
        self, *command: str, check: bool = True, seconds: float = COMMAND_SECONDS
    ) -> subprocess.CompletedProcess[str]:
        """Run a command inside to its end; with `check` it must succeed, else AssertionError."""
        done = subprocess.run(
            ["nsenter", "-t", str(self._leader), "-a", "--", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert done.returncode == 0 or not check, f"{command}: {done.stdout}{done.stderr}"
        return done

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Write a file inside."""
        script = 'umask 077; mkdir -p "$(dirname "$1")" && printf %s "$2" >"$1" && chmod "$3" "$1"'
        self.run("sh", "-c", script, "sh", path, text, f"{mode:o}")

    def show(self, unit: str, name: str) -> str:
        """A property of a unit."""
        return self.run("systemctl", "show", "-P", name, unit).stdout.strip()


@contextmanager
def booted_box(folder: Path, *, shown: Path) -> Iterator[Box]:
    """Boot a box that also sees the folder `shown`, read-only; it is gone after the block."""
    name = f"box-{os.getpid()}"
    with ExitStack() as cleanup:
        root = _layered_root(folder, cleanup)
        cgroup = _own_cgroup(name, cleanup)
        log = cleanup.enter_context((folder / "boot.log").open("wb"))
        nspawn = subprocess.Popen(
            [
                *("sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', cgroup),
                *("systemd-nspawn", "--quiet", f"--directory={root}", f"--machine={name}"),
                *("--register=no", "--keep-unit", "--private-network", "--console=pipe"),
                *(f"--bind-ro={shown}", "--kill-signal=SIGRTMIN+3"),
                *("--boot", "systemd.unit=multi-user.target"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
        )
        cleanup.callback(_power_off, nspawn)
        yield Box(root.with_name("upper"), _leader(nspawn, folder / "boot.log"))


def _layered_root(folder: Path, cleanup: ExitStack) -> Path:
    memory = folder / "memory"
    memory.mkdir()
    _mount("tmpfs", "tmpfs", memory, "mode=755")
    cleanup.callback(subprocess.run, ["umount", "--lazy", memory], check=True)
    for layer in ("upper", "work", "root"):
        (memory / layer).mkdir()
    root = memory / "root"
    _mount("overlay", "overlay", root, f"lowerdir=/,upperdir={memory}/upper,workdir={memory}/work")
    cleanup.callback(subprocess.run, ["umount", "--lazy", root], check=True)
    for started in (root / "etc/systemd/system").glob("*.wants"):
        shutil.rmtree(started)
    (root / "etc/machine-id").write_text("")
    # Its rules would empty a /tmp; the box has one of its own, and needs none of them.
    (root / "etc/tmpfiles.d").mkdir(exist_ok=True)
    (root / "etc/tmpfiles.d/tmp.conf").write_text("")
    return root


def _own_cgroup(name: str, cleanup: ExitStack) -> Path:
    tree = _cgroups()
    assert tree is not None
    cgroup = tree / name
    cgroup.mkdir()
    cleanup.callback(_remove_cgroup, cgroup)
    return cgroup


def _cgroups() -> Path | None:
    for line in Path("/proc/mounts").read_text().splitlines():
        _, folder, kind, *_ = line.split()
        if kind == "cgroup2" and os.access(folder, os.W_OK):
            return Path(folder)
    return None


def _remove_cgroup(cgroup: Path) -> None:
    for folder, _, _ in os.walk(cgroup, topdown=False):
        Path(folder).rmdir()


def _leader(nspawn: subprocess.Popen[bytes], log: Path) -> int:
    """The pid, outside, of the box's init, once it is up."""
    deadline = time.monotonic() + BOOT_SECONDS
    children = Path(f"/proc/{nspawn.pid}/task/{nspawn.pid}/children")
    while time.monotonic() < deadline and nspawn.poll() is None:
        for pid in map(int, children.read_text().split()):
            up = ["nsenter", "-t", str(pid), "-a", "--", "systemctl", "is-active", "-q"]
            if not subprocess.run(
                [*up, "multi-user.target"], capture_output=True, check=False
            ).returncode:
                return pid
        time.sleep(0.05)
    raise AssertionError(f"the box did not boot: {log.read_text(errors='replace')}")


def _power_off(nspawn: subprocess.Popen[bytes]) -> None:
    nspawn.terminate()
    try:
        nspawn.wait(10)
    except subprocess.TimeoutExpired:
        nspawn.kill()
        nspawn.wait()


def _mount(kind: str, source: str, target: Path, options: str) -> None:
    subprocess.run(["mount", "-t", kind, source, target, "-o", options], check=True)
