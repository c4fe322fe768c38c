"""A control group for each session, where systemd delegated a tree of them to the daemon.

Membership cannot be shed by forking, so with one the whole of a session is found and killed by
it; and its memory is bounded without touching anybody else's. Without a delegated tree there is
none, and a session's family is found by the other means.
"""

from __future__ import annotations

import os
from pathlib import Path

from daemon.logs import log_of

SESSION_MEMORY_BYTES = 2 * 1024**3
"""More than any body and its motor need; less than what would take a host down with it."""
SESSION_TASKS = 512
_log = log_of(__name__)


def delegated_cgroups() -> Cgroups | None:
    """The tree that this process may manage, with this process moved into a leaf of it."""
    tree = _delegated_tree()
    if tree is None:
        return None
    cgroups = Cgroups(tree)
    cgroups.settle_in()
    return cgroups


class Cgroups:
    """The delegated tree: this process in a leaf of its own, and one leaf a session."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree

    def settle_in(self) -> None:
        """Leave the tree's root, which may hold no process once its leaves have limits."""
        leaf = self._tree / "supervisor"
        leaf.mkdir(exist_ok=True)
        (leaf / "cgroup.procs").write_text(str(os.getpid()))
        for controller in ("memory", "pids"):
            try:
                (self._tree / "cgroup.subtree_control").write_text(f"+{controller}")
            except OSError as error:
                _log.warning(
                    "sessions get no limit for %s of their own: this machine does not delegate the "
                    "controller (%s)",
                    controller,
                    error.strerror,
                )

    def make(self, session_id: str) -> Cgroup:
        """A leaf for a session, with its limits. Raises OSError."""
        leaf = self._tree / f"session-{session_id}"
        leaf.mkdir(exist_ok=True)
        limits = {
            "memory.max": SESSION_MEMORY_BYTES,
            "memory.oom.group": 1,
            "pids.max": SESSION_TASKS,
        }
        for name, value in limits.items():
            if (leaf / name).exists():
                (leaf / name).write_text(str(value))
        return Cgroup(leaf)


class Cgroup:
    """One session's control group."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, pid: int) -> None:
        """Move a process into it; what it forks from then on is in it too. Raises OSError."""
        (self.folder / "cgroup.procs").write_text(str(pid))

    def pids(self) -> set[int]:
        """Every process in it."""
        return {int(word) for word in _text(str(self.folder / "cgroup.procs")).split()}

    def kill(self) -> None:
        """SIGKILL to all of them at once, forks under way included."""
        try:
            (self.folder / "cgroup.kill").write_text("1")
        except FileNotFoundError:
            return  # gone, or a kernel before 5.14: then each process is killed by itself

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel killed for its memory limit, or the host's, in it."""
        counts = dict(
            line.split() for line in _text(str(self.folder / "memory.events")).splitlines()
        )
        return int(counts.get("oom_kill", 0)) > 0

    def remove(self) -> None:
        """Take it away; one that still holds a process stays."""
        try:
            self.folder.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            _log.warning("%s stays: %s", self.folder, error.strerror)


def _delegated_tree() -> Path | None:
    own = next(
        (line[3:] for line in _text("/proc/self/cgroup").splitlines() if line.startswith("0::")), ""
    )
    for line in _text("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 "):
            root, mount = before.split(" ")[3:5]
            if own.startswith(root):
                folder = Path(mount) / own.removeprefix(root).lstrip("/")
                return folder if _is_delegated(folder) else None
    return None


def _is_delegated(folder: Path) -> bool:
    if not os.access(folder, os.W_OK):
        return False
    for name in ("user.delegate", "trusted.delegate"):
        try:
            if os.getxattr(folder, name) == b"1":
                return True
        except OSError:
            continue
    return False


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
