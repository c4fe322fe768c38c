"""Opening a world: its host behind its doors, and an orderly end."""

import ssl
from collections.abc import Sequence
from contextlib import AsyncExitStack

import trio

from bodies.practice.world.doors import Address, Door, open_door, serve_door
from bodies.practice.world.host import Host, Setting

_PARTING_SECONDS = 3.0


async def run_world(
    setting: Setting,
    addresses: Sequence[Address],
    tls: ssl.SSLContext | None = None,
    task_status: trio.TaskStatus[tuple[Address, ...]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Runs a world until cancelled; starts with its real addresses once it accepts connections.

    When cancelled it ends every session, saves every player, gives the connections 3 s to close,
    and returns. With a TLS context every TCP address is served with TLS. Raises OSError for an
    address or a state directory that cannot be used, SaveUnreadable for a damaged save.
    """
    async with AsyncExitStack() as opened:
        doors: list[Door] = []
        for address in addresses:
            doors.append(await open_door(address, tls))
            opened.push_async_callback(doors[-1].listener.aclose)
        stopped = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_serve, setting, doors, stopped, task_status)
            try:
                await trio.sleep_forever()
            finally:
                stopped.set()


async def _serve(
    setting: Setting,
    doors: Sequence[Door],
    stopped: trio.Event,
    task_status: trio.TaskStatus[tuple[Address, ...]],
) -> None:
    with trio.CancelScope(shield=True):
        async with trio.open_nursery() as running:
            host = Host(setting, running)
            web = next((d.address for d in doors if d.address.scheme in ("ws", "wss")), None)
            if web is not None:
                host.spectators_at = str(web).replace("ws", "http", 1)
            async with trio.open_nursery() as connections, trio.open_nursery() as accepting:
                for door in doors:
                    accepting.start_soon(serve_door, host, door, connections)
                accepting.start_soon(host.end_idle_seats)
                task_status.started(tuple(door.address for door in doors))
                await stopped.wait()
                host.stop()
                connections.cancel_scope.deadline = trio.current_time() + _PARTING_SECONDS
                accepting.cancel_scope.cancel()
        host.chronicle.close()
