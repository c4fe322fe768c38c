"""How every practice part lives: says where it listens, ends with a signal or with its parent."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias, cast

import click
import trio

Start: TypeAlias = Callable[[trio.Nursery], Awaitable[Iterable[object]]]
"""Starts what serves in the nursery and gives its real addresses."""


def serve(
    start: Start, *, until_stdin_closes: bool, failures: tuple[type[Exception], ...] = (OSError,)
) -> None:
    """Print `listening ADDRESS...` and serve until SIGINT, SIGTERM or, if asked, a closed stdin.

    Raises ClickException for what is named in `failures`.
    """
    failed: list[BaseException] = []
    try:
        trio.run(_serve, start, until_stdin_closes)
    except* failures as errors:
        failed = _leaves(errors)
    if failed:  # what is raised in an `except*` itself may be wrapped in a group
        raise click.ClickException("; ".join(map(str, failed)))


async def _serve(start: Start, until_stdin_closes: bool) -> None:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            real = await start(nursery)
            click.echo("listening " + " ".join(map(str, real)))
            if until_stdin_closes:
                nursery.start_soon(_cancel_when_stdin_closes, nursery.cancel_scope)
            async for _ in signals:
                nursery.cancel_scope.cancel()
                break


async def _cancel_when_stdin_closes(scope: trio.CancelScope) -> None:
    async with trio.lowlevel.FdStream(0) as stdin:
        try:
            async for _ in stdin:
                pass
        except trio.BrokenResourceError:
            pass  # gone is closed
    scope.cancel()


def _leaves(error: BaseException) -> list[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    group = cast("BaseExceptionGroup[BaseException]", error)
    return [leaf for one in group.exceptions for leaf in _leaves(one)]
