"""Processes as /proc shows them."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

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
    with trio.fail_after(60):
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


async def test_a_process_that_forks_and_goes_all_the_time_is_in_every_table():
    chain = (
        "import os, select\n"
        "print(flush=True)\n"
        "while not select.select([0], [], [], 0.02)[0]:\n"
        "    if os.fork():\n"
        "        os._exit(0)\n"
    )
    process = await trio.lowlevel.open_process(
        [sys.executable, "-S", "-c", chain],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    await process.stdout.receive_some()
    try:
        census = Census()
        for _ in range(40):
            table = await census.take()
            assert [p for p in table.values() if p.session == process.pid and not p.dead]
    finally:
        await process.stdin.aclose()
        while await process.stdout.receive_some():
            pass  # until nobody of the chain holds it any more
        await process.wait()
        await process.stdout.aclose()


async def test_others_do_their_work_while_the_table_of_a_busy_host_is_read():
    with ExitStack() as crowd:
        for _ in range(70):
            crowd.enter_context(_sleeper())
        worked = 0

        async def work() -> None:
            nonlocal worked
            while True:
                await trio.lowlevel.checkpoint()
                worked += 1

        async with trio.open_nursery() as nursery:
            nursery.start_soon(work)
            await Census().take()
            nursery.cancel_scope.cancel()
        assert worked >= 2


@contextmanager
def _sleeper() -> Iterator[None]:
    pid = os.posix_spawnp("sleep", ["sleep", "60"], os.environ)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
