"""The control socket's accept loop: who connects, whether there is room, what is granted."""

from __future__ import annotations

import errno
import logging
import socket
from dataclasses import dataclass, field

import trio

from config.settings import Settings
from daemon.control import wire
from daemon.control.admission import FOR_ONE_UID, TOTAL, Admission
from daemon.control.asking import Asking
from daemon.control.conversation import Conversation, Count
from daemon.control.grants import Permissions, gid_of, permissions_of, uid_of
from daemon.control.lines import failure_line
from daemon.control.peers import Caller, caller_of
from daemon.control.supervision import Deliveries, Supervision

FAREWELL_SECONDS = 1.0
"""For the answers that are under way when the daemon ends."""
_OUT_OF_ROOM = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS))
_PAUSE_SECONDS = 0.1
"""Before accepting again when the host has no descriptor left; there is no event for that."""

_log = logging.getLogger(__name__)


async def serve(
    listener: socket.socket,
    supervision: Supervision,
    deliveries: Deliveries,
    count: Count,
    closing: trio.Event,
) -> None:
    """Answers clients until `closing` is set, then lets each have what was being answered.

    That farewell takes at most `FAREWELL_SECONDS`. The listener stays its owner's to close.
    """
    door = _Door(_Authority(supervision), deliveries, Admission(), count)
    async with trio.open_nursery() as clients:
        async with trio.open_nursery() as accepting:
            accepting.start_soon(_accept, listener, door, clients)
            await closing.wait()
            accepting.cancel_scope.cancel()
        clients.cancel_scope.deadline = trio.current_time() + FAREWELL_SECONDS
        for conversation in door.conversations:
            conversation.hang_up()


async def _accept(listener: socket.socket, door: _Door, clients: trio.Nursery) -> None:
    listening = trio.socket.from_stdlib_socket(listener)
    while True:
        try:
            connection, _ = await listening.accept()
        except OSError as error:
            if error.errno in _OUT_OF_ROOM:
                _log.error("cannot accept control clients: %s", error.strerror)
                await trio.sleep(_PAUSE_SECONDS)
            elif error.errno != errno.ECONNABORTED:
                raise
        else:
            clients.start_soon(door.let_in, connection)


@dataclass(eq=False)
class _Authority:
    """The permissions of the configuration as last loaded."""

    supervision: Supervision
    _settings: Settings | None = None
    _permissions: Permissions | None = None

    def permissions(self) -> Permissions:
        settings = self.supervision.settings
        if self._permissions is None or settings is not self._settings:
            self._settings = settings
            self._permissions = permissions_of(settings, uid_of, gid_of)
            for principal in self._permissions.unknown:
                _log.warning("%s is granted something and unknown to this system", principal)
        return self._permissions


@dataclass(eq=False)
class _Door:
    authority: _Authority
    deliveries: Deliveries
    admission: Admission
    count: Count
    conversations: set[Conversation] = field(default_factory=set[Conversation])

    async def let_in(self, connection: trio.socket.SocketType) -> None:
        with connection:
            try:
                caller = caller_of(connection)
            except OSError as error:
                _log.warning("a control client that the kernel does not name: %s", error.strerror)
                return
            if not self.admission.admit(caller):
                await self._turn_away(connection, caller)
                return
            asking = Asking(
                caller,
                self.authority.supervision,
                self.deliveries,
                self.authority.permissions,
            )
            conversation = Conversation(asking, self.count)
            self.conversations.add(conversation)
            try:
                await conversation.hold(trio.SocketStream(connection))
            finally:
                self.conversations.discard(conversation)
                self.admission.leave(caller)

    async def _turn_away(self, connection: trio.socket.SocketType, caller: Caller) -> None:
        _log.warning("no room for another control client of uid %d", caller.uid)
        self.count("unreadable", "too_many_connections")
        failure = wire.Failure(
            code="too_many_connections",
            message=f"uid {caller.uid} or the daemon has no room for another connection",
            detail=f"{FOR_ONE_UID} a uid and {TOTAL} in all: close one.",
        )
        try:
            await connection.send(failure_line(None, failure))  # its buffer is empty: never waits
        except OSError:
            return
