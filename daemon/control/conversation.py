"""One connection of the control socket, from its first byte to its close.

Requests run side by side; at most `SIDE_BY_SIDE` of them are unanswered, and the next line is not
read before one of those answers was written. At the end of the client's input its streams end,
requests in progress are answered, and the connection is closed. A request that was begun is not
given up because its client went away.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import trio

from daemon.control import wire
from daemon.control.asking import Asking, Stream, Verb, not_authorized
from daemon.control.lines import BadLine, answer_line, failure_line, read_line, read_params
from daemon.control.outlet import Outlet, Subscription
from daemon.control.verbs import VERBS
from daemon.framing import Line, LineSplitter
from daemon.innermost import innermost
from daemon.logs import log_of
from daemon.refusal import Refusal

SIDE_BY_SIDE = 32
STREAMS = 8
"""Streams of one connection at a time."""
CHUNK = 16 * 1024

Count = Callable[[str, str], None]
"""Told the verb and the code (`ok` when done) of every request."""

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Conversation:
    """What one client asked and was not answered yet."""

    asking: Asking
    count: Count
    _outlet: Outlet = field(default_factory=Outlet)
    _reading: trio.CancelScope = field(default_factory=trio.CancelScope)
    _places: trio.Semaphore = field(default_factory=lambda: trio.Semaphore(SIDE_BY_SIDE))
    _streams: dict[wire.RequestId, _Running] = field(
        default_factory=dict[wire.RequestId, "_Running"]
    )

    async def hold(self, client: trio.SocketStream) -> None:
        """Serves the client until it is done or gone. Raises nothing but Cancelled."""
        async with client, trio.open_nursery() as writing:
            writing.start_soon(self._outlet.drain, client)
            async with trio.open_nursery() as requests:
                with self._reading:
                    await self._read(client, requests)
                for running in self._streams.values():
                    running.scope.cancel()
            self._outlet.close()

    def hang_up(self) -> None:
        """Reads no further request; what was asked is answered still."""
        self._reading.cancel()

    async def _read(self, client: trio.SocketStream, requests: trio.Nursery) -> None:
        splitter = LineSplitter(wire.LINE_CAP)
        while chunk := await _receive(client):
            for line in splitter.feed(chunk):
                if not await self._take(line, requests):
                    return

    async def _take(self, line: Line, requests: trio.Nursery) -> bool:
        """Begins what a line asks for; False when the connection cannot be read on."""
        try:
            request = read_line(line)
            match VERBS.get(request.verb):
                case None if request.verb == "cancel":
                    await self._cancel(request)
                case None:
                    raise BadLine(
                        request.id,
                        wire.Failure(
                            code="unknown_verb",
                            message=f"there is no verb {request.verb}",
                            detail=f"Verbs: {', '.join(VERBS)}, cancel.",
                        ),
                    )
                case Verb() as verb:
                    await self._places.acquire()
                    requests.start_soon(self._answer, request, verb)
                case Stream() as stream:
                    running = self._admit_stream(request)
                    requests.start_soon(self._stream, request, stream, running)
        except BadLine as bad:
            self.count("unreadable", bad.failure.code)
            await self._outlet.answer(failure_line(bad.id, bad.failure))
        return not line.cut

    async def _answer(self, request: wire.Request, verb: Verb[Any]) -> None:
        try:
            line, code = await self._outcome(request, verb)
            self.count(verb.name, code)
            await self._outlet.answer(line)
        finally:
            self._places.release()

    async def _outcome(self, request: wire.Request, verb: Verb[Any]) -> tuple[bytes, str]:
        try:
            params = self._authorized(request, verb)
            result = await verb.answer(self.asking, params)
            self._log_change(verb, params)
            return answer_line(request.id, result), "ok"
        except Exception as error:
            failure = self._failure(error, verb.name)
            return failure_line(request.id, failure), failure.code

    async def _stream(self, request: wire.Request, stream: Stream[Any], running: _Running) -> None:
        subscription = running.subscription
        try:
            params = self._authorized(request, stream)
            self.count(stream.name, "ok")
            self._outlet.open(subscription)
            with running.scope:
                await stream.run(
                    self.asking, params, lambda event: self._outlet.offer(subscription, event)
                )
            self._outlet.end(subscription)
            result = wire.WatchResult(sent=subscription.sent, lost=subscription.lost)
            line = answer_line(request.id, result)
        except Exception as error:
            self._outlet.end(subscription)
            failure = self._failure(error, stream.name)
            self.count(stream.name, failure.code)
            line = failure_line(request.id, failure)
        finally:
            del self._streams[request.id]
        await self._outlet.answer(line)

    def _admit_stream(self, request: wire.Request) -> _Running:
        if request.id in self._streams or len(self._streams) >= STREAMS:
            raise BadLine(
                request.id,
                wire.Failure(
                    code="too_many_requests",
                    message=f"this connection has a stream {request.id!r} or {STREAMS} of them",
                    detail="Cancel one first.",
                ),
            )
        running = _Running(Subscription(request.id), trio.CancelScope())
        self._streams[request.id] = running
        return running

    async def _cancel(self, request: wire.Request) -> None:
        params = read_params(request, wire.CancelParams)
        running = self._streams.get(params.request)
        if running is not None:
            running.scope.cancel()
        self.count("cancel", "ok")
        await self._outlet.answer(
            answer_line(request.id, wire.CancelResult(cancelled=running is not None))
        )

    def _authorized(self, request: wire.Request, row: Verb[Any] | Stream[Any]) -> msgspec.Struct:
        """The request's parameters, if its caller may ask this."""
        caller = self.asking.caller
        params: msgspec.Struct = read_params(request, row.params)
        if not row.allowed(self.asking.permissions(), caller, params):
            _log.warning(
                "refused %s to uid %d (pid %d): not granted", row.name, caller.uid, caller.pid
            )
            raise not_authorized(caller, row.name)
        return params

    def _log_change(self, verb: Verb[Any], params: msgspec.Struct) -> None:
        account = verb.account(params)
        if account is not None:
            uid = self.asking.caller.uid
            log = log_of(__name__, seat=getattr(params, "seat", None), uid=uid)
            # The verb stands in the text itself: by it kinds of line are told apart.
            log.info(
                f"uid %d asked: {verb.name}%s", uid, account and f" {account}", event="request"
            )

    def _failure(self, error: Exception, verb: str) -> wire.Failure:
        match cause := innermost(error):
            case BadLine():
                return cause.failure
            case Refusal():
                return wire.Failure(code=cause.code, message=cause.message, detail=cause.detail)
            case _:
                _log.error("%s failed in the daemon itself", verb, exc_info=error)
                return wire.Failure(
                    code="internal",
                    message=f"{verb} failed in the daemon itself ({type(cause).__name__})",
                    detail="The daemon's log has more.",
                )


@dataclass(eq=False)
class _Running:
    subscription: Subscription
    scope: trio.CancelScope


async def _receive(client: trio.SocketStream) -> bytes:
    try:
        return bytes(await client.receive_some(CHUNK))
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return b""
