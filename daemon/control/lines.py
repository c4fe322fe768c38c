"""Lines of the control protocol: requests in, answers and events out.

Pure. A request that cannot be read becomes a `BadLine` that says why, under the request's own id
where that can be read.
"""

from __future__ import annotations

from typing import NoReturn, TypeVar

import msgspec

from daemon.control import wire
from daemon.framing import Line
from kernel.undecodable import UNDECODABLE

T = TypeVar("T")


class BadLine(Exception):
    """A line that is no request of this protocol."""

    def __init__(self, id: wire.RequestId | None, failure: wire.Failure) -> None:
        super().__init__(failure.message)
        self.id = id
        self.failure = failure


def read_line(line: Line) -> wire.Request:
    """One line as a request, its parameters unread. Raises BadLine.

    After a line that was cut the connection cannot be read on.
    """
    if line.cut:
        raise BadLine(
            None,
            wire.Failure(
                code="too_long",
                message=f"a line is longer than {wire.LINE_CAP} bytes",
                detail="The connection is closed.",
            ),
        )
    return _decode(line.data, _request_decoder, _id_of(line.data), "bad_request", "the line")


def read_params(request: wire.Request, kind: type[T]) -> T:
    """The parameters of a request, strictly. Raises BadLine."""
    return _decode(
        bytes(request.params),
        msgspec.json.Decoder(kind),
        request.id,
        "bad_params",
        f"the parameters of {request.verb}",
    )


def answer_line(id: wire.RequestId, result: object) -> bytes:
    """The answer to a request that was done."""
    return _encoder.encode(_Answer(id=id, result=result)) + b"\n"


def failure_line(id: wire.RequestId | None, failure: wire.Failure) -> bytes:
    """The answer to a request that was not done."""
    return _encoder.encode(_Refused(id=id, error=failure)) + b"\n"


def event_line(id: wire.RequestId, event: wire.Event) -> bytes:
    """One event of a stream."""
    return _encoder.encode(_Streamed(id=id, event=event)) + b"\n"


class _Answer(msgspec.Struct):
    id: wire.RequestId
    result: object
    ok: bool = True


class _Refused(msgspec.Struct):
    id: wire.RequestId | None
    error: wire.Failure
    ok: bool = False


class _Streamed(msgspec.Struct):
    id: wire.RequestId
    event: wire.Event


class _Identified(msgspec.Struct):
    id: wire.RequestId


_encoder = msgspec.json.Encoder()
_request_decoder = msgspec.json.Decoder(wire.Request)
_identified_decoder = msgspec.json.Decoder(_Identified)


def _decode(
    data: bytes,
    decoder: msgspec.json.Decoder[T],
    id: wire.RequestId | None,
    code: wire.Code,
    what: str,
) -> T:
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        _refuse(id, code, f"{what} cannot be used: {error}")
    except (msgspec.DecodeError, UnicodeDecodeError):
        _refuse(id, "bad_request", f"{what} cannot be read: it is not JSON in UTF-8")
    except RecursionError:
        _refuse(id, "bad_request", f"{what} cannot be read: it is nested too deeply")


def _refuse(id: wire.RequestId | None, code: wire.Code, message: str) -> NoReturn:
    raise BadLine(
        id,
        wire.Failure(
            code=code,
            message=message[:400],
            detail='A request is {"id": …, "verb": …, "params": {…}} on one line.',
        ),
    ) from None


def _id_of(line: bytes) -> wire.RequestId | None:
    try:
        return _identified_decoder.decode(line).id
    except UNDECODABLE:
        return None
