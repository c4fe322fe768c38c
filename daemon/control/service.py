"""Verbs of the daemon itself: hello, reload, drain, health."""

from __future__ import annotations

import os

from daemon.control import wire
from daemon.control.accounts import values_of
from daemon.control.asking import Asking, Verb, at_all
from daemon.control.grants import Permissions
from daemon.control.peers import Caller
from kernel.version import VERSION


async def hello(asking: Asking, params: wire.HelloParams) -> wire.HelloResult:
    """Who answers, and as whom the caller is known."""
    return wire.HelloResult(
        protocol=wire.PROTOCOL,
        version=VERSION,
        pid=os.getpid(),
        uid=asking.caller.uid,
        owner=asking.caller.owner,
    )


async def reload(asking: Asking, params: wire.ReloadParams) -> wire.ReloadResult:
    """Reads the configuration again."""
    return await asking.supervision.reload(asking.caller)


async def drain(asking: Asking, params: wire.DrainParams) -> wire.DrainResult:
    """Stops everything; the daemon exits afterwards."""
    return await asking.supervision.drain(asking.caller)


async def health(asking: Asking, params: wire.HealthParams) -> wire.HealthResult:
    """Whether joins are accepted."""
    return await asking.supervision.health(asking.caller)


def _may_greet(permissions: Permissions, caller: Caller, params: wire.HelloParams) -> bool:
    return permissions.name(caller)


VERBS = (
    Verb("hello", wire.HelloParams, _may_greet, hello),
    Verb("reload", wire.ReloadParams, at_all("reload"), reload, values_of),
    Verb("drain", wire.DrainParams, at_all("drain"), drain, values_of),
    Verb("health", wire.HealthParams, at_all("health"), health),
)
