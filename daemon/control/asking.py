"""One verb of the protocol: what it takes, who may use it, and what answers it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import msgspec

from daemon.control import wire
from daemon.control.accounts import only_reads
from daemon.control.grants import Permissions
from daemon.control.peers import Caller
from daemon.control.supervision import Deliveries, Supervision
from daemon.refusal import Refusal


@dataclass(frozen=True)
class Asking:
    """Who asks, and whom a handler passes it on to."""

    caller: Caller
    supervision: Supervision
    deliveries: Deliveries
    permissions: Callable[[], Permissions]
    """As last loaded: a stream asks again for every event."""


P = TypeVar("P", bound=msgspec.Struct)
Send = Callable[[wire.Event], None]


@dataclass(frozen=True)
class Verb(Generic[P]):
    """A row of the table of verbs."""

    name: str
    params: type[P]
    allowed: Callable[[Permissions, Caller, P], bool]
    answer: Callable[[Asking, P], Awaitable[msgspec.Struct]]
    account: Callable[[P], str | None] = only_reads
    """What the log tells of a request that was done; None: nothing was changed."""


@dataclass(frozen=True)
class Stream(Generic[P]):
    """A verb that is answered by events until it is cancelled."""

    name: str
    params: type[P]
    allowed: Callable[[Permissions, Caller, P], bool]
    run: Callable[[Asking, P, Send], Awaitable[None]]


class _ForSeat(Protocol):
    @property
    def seat(self) -> str: ...


class _ForSomeSeat(Protocol):
    @property
    def seat(self) -> str | None: ...


def on_seat(verb: str) -> Callable[[Permissions, Caller, _ForSeat], bool]:
    """The rule of a verb that works on one seat: granted there."""
    return lambda permissions, caller, params: permissions.allow(caller, verb, params.seat)


def on_some_seat(verb: str) -> Callable[[Permissions, Caller, _ForSomeSeat], bool]:
    """The rule of a verb that lists: granted on the seat that it names, else at all."""
    return lambda permissions, caller, params: permissions.allow(caller, verb, params.seat)


def at_all(verb: str) -> Callable[[Permissions, Caller, object], bool]:
    """The rule of a verb that concerns the daemon: granted, whatever the seats."""
    return lambda permissions, caller, params: permissions.allow(caller, verb)


def not_authorized(caller: Caller, verb: str) -> Refusal:
    """The one answer to whoever is not granted a thing, whether the thing exists or not."""
    return Refusal(
        "not_authorized",
        f"uid {caller.uid} is not granted {verb} here",
        "The daemon's owner grants it in [[grants]] or [rooms] of the configuration.",
    )
