"""Who is at the other end of a unix socket, by the kernel's word."""

from __future__ import annotations

import os
import socket
import struct
from dataclasses import dataclass
from pathlib import Path

import trio


@dataclass(frozen=True)
class Caller:
    """A peer process as it was when it connected."""

    uid: int
    gid: int
    pid: int
    groups: frozenset[int] = frozenset()
    """Supplementary groups."""

    @property
    def owner(self) -> bool:
        """Whether it is root or runs as the daemon's own user; both may do everything."""
        return self.uid in (0, os.geteuid()) and self.uid != OVERFLOW_UID


def caller_of(connection: socket.socket | trio.socket.SocketType) -> Caller:
    """The peer of a connected unix socket. Raises OSError when the kernel does not name it.

    A peer in more than 256 supplementary groups counts as a member of its primary group alone.
    """
    pid, uid, gid = _CREDENTIALS.unpack(
        connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    )
    return Caller(uid=uid, gid=gid, pid=pid, groups=_groups_of(connection))


def _overflow(kind: str) -> int:
    try:
        return int(Path(f"/proc/sys/kernel/overflow{kind}").read_text())
    except (OSError, ValueError):
        return 65534


OVERFLOW_UID = _overflow("uid")
"""Stands for every user that has no number in this user namespace."""
OVERFLOW_GID = _overflow("gid")

_CREDENTIALS = struct.Struct("=iII")
_SO_PEERGROUPS = 59  # not named by the socket module; the same on every architecture that we run on
_GROUP_BYTES = 1024  # the most that getsockopt of the socket module takes


def _groups_of(connection: socket.socket | trio.socket.SocketType) -> frozenset[int]:
    try:
        found = connection.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, _GROUP_BYTES)
    except OSError:
        return frozenset()
    return frozenset(struct.unpack(f"={len(found) // 4}I", found))
