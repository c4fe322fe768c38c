"""The daemon's life: state directory, supervisor, control socket, signals, end."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path
from socket import socket

import trio

from config.finding import ConfigError
from config.loading import load_settings
from config.places import control_socket, state_directory
from config.settings import Settings
from daemon.control.listening import SocketRefused, listen_at, passed_by_systemd, take_away
from daemon.control.peers import Caller
from daemon.control.server import serve
from daemon.dollar_caps import uncountable_caps
from daemon.innermost import innermost
from daemon.log_output import set_up_logging
from daemon.metrics.endpoint import EndpointRefused, serve_pages
from daemon.metrics.metrics import open_metrics
from daemon.metrics.pages import pages_of
from daemon.opening import open_supervisor
from daemon.playctl.exits import Exit, Trouble
from daemon.refusal import Refusal
from daemon.rooms.rooms import open_rooms
from daemon.service_manager import ServiceManager, feed_watchdog, keep_status
from daemon.state import StateError
from daemon.state_lock import StateHeld
from daemon.supervisor import Supervisor

_log = logging.getLogger(__name__)


def run_daemon(configuration: Path) -> None:
    """Runs until everything was drained. Raises Trouble when it cannot start."""
    try:
        settings = load_settings(configuration)
    except ConfigError as error:
        raise Trouble(
            Exit.CONFIGURATION,
            f"{configuration} has errors",
            "\n".join(map(str, error.findings)),
        ) from None
    set_up_logging(settings.log.level, os.environ)
    for problem in uncountable_caps(settings):
        _log.warning("%s", problem)
    state = state_directory(settings, os.environ)
    try:
        trio.run(_live, settings, configuration.absolute(), state)
    except Exception as error:
        raise _trouble(innermost(error), state) from None


async def _live(settings: Settings, configuration: Path, state: Path) -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        async with open_supervisor(settings, state, configuration=configuration) as supervisor:
            # After the state is ours: of many daemons started at once only that one gets here.
            with _listener(settings) as listener:
                await _serve(supervisor, state, listener, signals)
        _log.info("playd ends: nothing is left")


async def _serve(
    supervisor: Supervisor, state: Path, listener: socket, signals: AsyncIterator[int]
) -> None:
    closing = trio.Event()
    manager = ServiceManager(os.environ)
    supervisor.happenings.observe(manager.observe)
    with open_metrics(supervisor) as metrics:
        async with trio.open_nursery() as service:
            pages = pages_of(supervisor, metrics, _ourselves())
            address = await service.start(serve_pages, supervisor.settings.metrics.bind, pages)
            service.start_soon(_obey, supervisor, signals)
            service.start_soon(keep_status, manager, supervisor)
            service.start_soon(feed_watchdog, manager, supervisor)
            async with open_rooms(
                supervisor.happenings, lambda: supervisor.settings, supervisor.starter_of, state
            ) as rooms:
                async with trio.open_nursery() as answering:
                    count = metrics.counting.request
                    answering.start_soon(serve, listener, supervisor, rooms, count, closing)
                    _log.info("playd listens at %s", listener.getsockname())
                    _log.info("metrics are at http://%s/metrics", address)
                    manager.tell(READY=1)
                    await supervisor.drained.wait()
                    closing.set()
            service.cancel_scope.cancel()


async def _obey(supervisor: Supervisor, signals: AsyncIterator[int]) -> None:
    """The first SIGTERM or SIGINT drains, the second kills; SIGHUP reloads."""
    draining = False
    async with trio.open_nursery() as nursery:
        async for signum in signals:
            if signum == signal.SIGHUP:
                nursery.start_soon(_reload, supervisor)
            elif draining:
                _log.warning("killed by a second signal")
                supervisor.kill_all()
            else:
                draining = True
                nursery.start_soon(supervisor.drain, _ourselves())


async def _reload(supervisor: Supervisor) -> None:
    try:
        await supervisor.reload(_ourselves())
    except Refusal as refusal:
        _log.error("the configuration stays as it was: %s", refusal.detail or refusal.message)


@contextmanager
def _listener(settings: Settings) -> Generator[socket]:
    passed = passed_by_systemd()
    if passed is not None:
        with passed:
            yield passed
        return
    path = control_socket(settings, os.environ)
    listener = listen_at(path)
    try:
        yield listener
    finally:
        take_away(listener, path)


def _trouble(error: BaseException, state: Path) -> BaseException:
    """What kept the daemon from starting as the end of the command; a defect stays what it is."""
    match error:
        case StateHeld():
            return Trouble(Exit.STATE_HELD, str(error))
        case StateError():
            return Trouble(Exit.BAD, str(error))
        case SocketRefused() | EndpointRefused():
            return Trouble(Exit.CONFIGURATION, str(error))
        case OSError():
            return Trouble(
                Exit.BAD,
                f"cannot run in {state}: {error}",
                "Make that a folder which this user can write, or set state_directory.",
            )
        case _:
            return error


def _ourselves() -> Caller:
    return Caller(uid=os.geteuid(), gid=os.getegid(), pid=os.getpid())
