"""playd and supervisord (from PyPI) with 100 children each, one after the other.

The children are alike in weight: supervisord's import what a Pokémon session imports, and say a
line every five seconds, as an idle session does. They differ in what they do: a session joins its
world, opens a journal and is recorded in a database before it runs, and its stop is a farewell to
the world, a summary and a record. Ours are idle as in `playing`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xmlrpc.client import ServerProxy

import trio
from costs import Cost, cost_of
from figures import Figure
from playing import IDLE, daemon_with, play_all, seats_named, stop_all

CHILDREN = 100
SECONDS = 60.0
CONFIGURATION = """
[supervisord]
nodaemon = true
logfile = {folder}/supervisord.log
pidfile = {folder}/supervisord.pid
minfds = 4096
[inet_http_server]
port = 127.0.0.1:{port}
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[program:child]
command = {python} {child}
directory = {checkout}
process_name = %(process_num)d
numprocs = {children}
autostart = false
startsecs = 0
stdout_logfile = {folder}/%(process_num)d.out
redirect_stderr = true
"""
CHILD = """
import time
import bodies.pokemon.opening, kernel.session.conversation, kernel.session.playing
while True:
    print('{"v": 1, "kind": "heartbeat"}', flush=True)
    time.sleep(5)
"""


async def measure(supervisord: Path) -> list[Figure]:
    """Both, each figure of one beside that of the other."""
    ours, theirs = await _playd(), await _supervisord(supervisord)
    return [figure for pair in zip(ours, theirs, strict=True) for figure in pair]


async def _playd() -> list[Figure]:
    seats = seats_named(CHILDREN)
    async with daemon_with(seats, IDLE) as daemon:
        began = trio.current_time()
        await play_all(daemon, seats)
        started = trio.current_time() - began
        cost = await cost_of(daemon.process.pid, SECONDS)
        began = trio.current_time()
        await stop_all(daemon, seats)
        stopped = trio.current_time() - began
    return _figures("playd", started, cost, stopped)


async def _supervisord(program: Path) -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory, _running(program, Path(directory)) as peer:
        control, pid = peer
        began = trio.current_time()
        await trio.to_thread.run_sync(control.supervisor.startAllProcesses, False)
        outputs = [Path(directory) / f"{number}.out" for number in range(CHILDREN)]
        while not all(output.exists() and output.stat().st_size for output in outputs):  # noqa: ASYNC110
            await trio.sleep(0.05)  # nothing tells that a file has grown
        started = trio.current_time() - began
        cost = await cost_of(pid, SECONDS)
        began = trio.current_time()
        await trio.to_thread.run_sync(control.supervisor.stopAllProcesses, True)
        stopped = trio.current_time() - began
    return _figures("supervisord", started, cost, stopped)


def _figures(who: str, started: float, cost: Cost, stopped: float) -> list[Figure]:
    def figure(name: str, measured: float, unit: str) -> Figure:
        return Figure(bench="peer", name=f"{CHILDREN} {name}: {who}", measured=measured, unit=unit)

    return [
        figure("children from the request to all running", started, "s"),
        figure("children, processor of the supervisor", cost.core_percent, "% of a core"),
        figure("children, memory of the supervisor", cost.resident_mib, "MiB"),
        figure("children, descriptors of the supervisor", cost.descriptors, ""),
        figure("children from the request to all stopped", stopped, "s"),
    ]


@contextmanager
def _running(program: Path, folder: Path) -> Generator[tuple[Any, int]]:
    """Its remote control and its pid."""
    child, file, port = folder / "child.py", folder / "supervisord.conf", _free_port()
    child.write_text(CHILD)
    file.write_text(
        CONFIGURATION.format(
            folder=folder,
            port=port,
            python=sys.executable,
            child=child,
            checkout=Path.cwd(),
            children=CHILDREN,
        )
    )
    environ = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    process = subprocess.Popen(
        [program, "-c", file], stdout=subprocess.DEVNULL, cwd=folder, env=environ
    )
    try:
        control: Any = ServerProxy(f"http://127.0.0.1:{port}/RPC2")
        _wait_until_it_answers(control)
        yield control, process.pid
    finally:
        process.terminate()
        process.wait()


def _wait_until_it_answers(control: Any) -> None:
    for _ in range(200):
        try:
            control.supervisor.getState()
            return
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise TimeoutError("supervisord does not answer")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
