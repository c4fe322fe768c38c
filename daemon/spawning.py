"""Starts a process the way a supervised one must start.

In its own session and process group, with default signal dispositions and an empty mask whatever
this process inherited, with descriptors 0, 1 and 2 alone, those blocking, and with limits set. It
is done by `posix_spawn`, which needs no code between fork and exec.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import trio

from daemon.process_table import Identity, read_process

_LIMITS = ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 4096))
"""No core dumps, which would hold secrets; descriptors enough for a motor."""
_EVERY_SIGNAL = [s for s in signal.valid_signals() if s not in (signal.SIGKILL, signal.SIGSTOP)]


@dataclass(frozen=True, slots=True)
class Spawned:
    """A child of ours; whoever has this waits for it through `pidfd` and closes the rest."""

    identity: Identity
    pidfd: int
    stdin: int | None
    stdout: int | None
    stderr: int | None
    """Our ends of its pipes."""


async def spawn(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    output: int | None = None,
) -> Spawned:
    """Start a program with pipes on 0, 1 and 2; with `output`, that open file takes 1 and 2.

    Runs in a worker thread, since exec may read a slow disk. Raises OSError: no such program, no
    descriptors, no processes.
    """
    program = which(command[0], path=environment.get("PATH"))
    if program is None:
        raise FileNotFoundError(f"there is no program {command[0]!r}")
    ends: list[int] = []
    try:
        if output is None:
            child_in, stdin = _pipe(ends)
            stdout, child_out = _pipe(ends)
            stderr, child_err = _pipe(ends)
        else:
            child_in = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
            ends.append(child_in)
            stdin = stdout = stderr = None
            child_out = child_err = output
        pid = await trio.to_thread.run_sync(
            _spawn, program, list(command), dict(environment), (child_in, child_out, child_err)
        )
    except BaseException:
        _close(ends)
        raise
    _close(end for end in ends if end not in (stdin, stdout, stderr))
    try:
        return _adopt(pid, stdin, stdout, stderr)
    except BaseException:
        _destroy(pid)
        _close(end for end in (stdin, stdout, stderr) if end is not None)
        raise


def _pipe(ends: list[int]) -> tuple[int, int]:
    pair = os.pipe2(os.O_CLOEXEC)
    ends.extend(pair)
    return pair


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _spawn(
    program: str, command: list[str], environment: dict[str, str], ends: tuple[int, int, int]
) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate(ends)]
    leaked = [(os.POSIX_SPAWN_CLOSE, number) for number in _inheritable_descriptors()]
    return os.posix_spawn(
        program,
        command,
        environment,
        file_actions=[*actions, *leaked],
        setsid=True,
        setsigmask=[],
        setsigdef=_EVERY_SIGNAL,
    )


def _inheritable_descriptors() -> list[int]:
    """Descriptors above 2 that this process got without close-on-exec, from systemd for instance.

    Python opens none like that itself.
    """
    found: list[int] = []
    for entry in Path("/proc/self/fd").iterdir():
        number = int(entry.name)
        try:
            if number > 2 and os.get_inheritable(number):
                found.append(number)
        except OSError:
            continue  # the descriptor of this very listing
    return found


def _adopt(pid: int, stdin: int | None, stdout: int | None, stderr: int | None) -> Spawned:
    pidfd = os.pidfd_open(pid)
    process = read_process(pid)
    assert process is not None, "an unreaped child has an entry in /proc"
    for limit, value in _LIMITS:
        _, hard = resource.prlimit(pid, limit)
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.prlimit(pid, limit, (bounded, bounded))
    return Spawned(process.identity, pidfd, stdin, stdout, stderr)


def _destroy(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED)
