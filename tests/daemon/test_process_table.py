"""Processes as /proc shows them."""

import os
import resource
import subprocess
import sys

import trio

from daemon.process_table import MARK, Census, mark_of, read_process, read_processes


def test_a_name_with_spaces_and_parentheses_is_read_past():
    rename = "open('/proc/self/comm', 'w').write('a) R 1 (b'); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-S", "-c", rename],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={MARK: "session-1"},
        start_new_session=True,
    ) as child:
        child.stdout.readline()
        process = read_process(child.pid)
        assert process is not None
        assert (process.parent, process.session, process.group) == (
            os.getpid(),
            child.pid,
            child.pid,
        )
        assert not process.dead
        assert mark_of(child.pid) == "session-1"
        child.stdin.close()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        ended = read_process(child.pid)
        assert ended is not None
        assert ended.dead
        assert ended.identity == process.identity
    assert read_process(child.pid) is None
    assert mark_of(child.pid) is None


def test_this_process_is_in_the_table():
    assert os.getpid() in read_processes()


async def test_those_who_ask_together_share_one_reading():
    census = Census()
    tables = []

    async def take() -> None:
        tables.append(await census.take())

    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(take)
    assert all(table is tables[0] for table in tables)
    assert await census.take() is not tables[0]


async def test_a_reading_that_fails_leaves_nobody_waiting_and_the_next_one_works():
    census = Census()
    failed: list[OSError] = []

    async def take() -> None:
        try:
            await census.take()
        except OSError as error:
            failed.append(error)

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(take)
            resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
            try:
                while len(failed) < 3:
                    await trio.lowlevel.checkpoint()
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert os.getpid() in await census.take()
