"""Records what becomes of a session, in its order and beside it: a slow disk holds nobody up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import trio

from daemon.logs import FieldLog
from daemon.records import SessionRecord, Write
from daemon.state import State

_WRITES_AHEAD = 32
"""More than the lifecycle has transitions, so that queueing one never waits."""


class Recording:
    """Takes one session's writes at once; `keep` must run, and ends once `close` was called."""

    def __init__(
        self, state: State, log: FieldLog, announce: Callable[[SessionRecord], None]
    ) -> None:
        """`announce` hears of each new state once the disk had its chance."""
        self._state = state
        self._log = log
        self._announce = announce
        self._to_write, self._waiting = trio.open_memory_channel[_Queued](_WRITES_AHEAD)

    def put(self, write: Write) -> trio.Event:
        """Queue rows to be written; the event is set when the disk had its chance."""
        queued = _Queued(write, trio.Event())
        self._to_write.send_nowait(queued)
        return queued.done

    def close(self) -> None:
        """Nothing more comes."""
        self._to_write.close()

    async def keep(self) -> None:
        """Write what is queued, until all of it was."""
        async for queued in self._waiting:
            if not await self._state.record(queued.write):
                self._log.error("the state could not be written; it is tried again")
            queued.done.set()
            if queued.write.announce and (session := queued.write.session) is not None:
                self._announce(session)


@dataclass(frozen=True, slots=True)
class _Queued:
    write: Write
    done: trio.Event
