"""Control groups of sessions, where this machine lets a test make some."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from daemon.cgroups import Cgroup, Cgroups
from daemon.children import become_subreaper

pytestmark = pytest.mark.usefixtures("no_children_left")


def writable_tree() -> Path | None:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        if after.startswith("cgroup2 ") and os.access(before.split(" ")[4], os.W_OK):
            return Path(before.split(" ")[4])
    return None


@pytest.fixture
def tree():
    mount = writable_tree()
    if mount is None:
        pytest.skip("no writable cgroup tree of version 2")
    folder = mount / f"playd-test-{os.getpid()}"
    folder.mkdir()
    yield folder
    for leaf in folder.iterdir():
        if leaf.is_dir():
            leaf.rmdir()
    folder.rmdir()


async def test_a_session_is_in_its_group_from_the_start_and_the_group_ends_with_it(
    opened, tree: Path, alive, tmp_path: Path
):
    file = tmp_path / "pids"
    async with opened("family", file, find_cgroups=lambda: Cgroups(tree)) as playd:
        await playd.join()
        (leaf,) = [entry for entry in tree.iterdir() if entry.is_dir()]
        members = Cgroup(leaf).pids()
        pids = {(await playd.seat()).session.pid, *map(int, file.read_text().split())}
        assert pids <= members
        await playd.stop()
        assert not leaf.exists()
        assert not any(map(alive, members))


def test_a_group_kills_everything_in_it(tree: Path):
    become_subreaper()  # so that what the shell leaves behind comes here, to be waited for
    cgroup = Cgroups(tree).make("one")
    script = "read go; sleep 600 & echo $!; wait"
    with subprocess.Popen(
        ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        cgroup.add(process.pid)
        process.stdin.write(b"go\n")
        process.stdin.flush()
        left_behind = int(process.stdout.readline())
        cgroup.kill()
        assert process.wait() == -signal.SIGKILL
    _, status = os.waitpid(left_behind, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert not cgroup.ran_out_of_memory()
    cgroup.remove()
    assert not cgroup.folder.exists()


def test_a_group_that_is_gone_is_no_trouble(tmp_path: Path):
    cgroup = Cgroup(tmp_path / "gone")
    cgroup.kill()
    cgroup.remove()
    assert cgroup.pids() == set()
    assert not cgroup.ran_out_of_memory()


def test_out_of_memory_is_read_from_the_groups_events(tmp_path: Path):
    """Case 39, as far as it goes without a delegated memory controller: the file is the kernel's
    own words after a limit has killed, and nothing is killed here."""
    (tmp_path / "memory.events").write_text("low 0\nhigh 0\nmax 3\noom 1\noom_kill 1\n")
    assert Cgroup(tmp_path).ran_out_of_memory()
