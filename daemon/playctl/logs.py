"""The command that shows what the daemon logged about a seat: logs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from daemon.control import wire
from daemon.playctl import show
from daemon.playctl.invocation import Invocation, pass_invocation, seat_argument
from daemon.playctl.watching import drawn
from kernel.undecodable import UNDECODABLE

_TAIL_BYTES = 1024 * 1024


@click.command()
@seat_argument()
@click.option("-f", "--follow", is_flag=True, help="Go on with what happens now.")
@click.option("-n", "--lines", default=50, show_default=True, type=click.IntRange(0, 100_000))
@pass_invocation
def logs(invocation: Invocation, seat: str, follow: bool, lines: int) -> None:
    """Show what was logged about a seat.

    Under systemd these are the lines of the system's journal (PLAYD_SEAT). Otherwise the daemon
    logs to its own stderr, and this shows the seat's sessions from events.jsonl; with -f also the
    turns as they are played.
    """
    if shutil.which("journalctl") and Path("/run/systemd/system").is_dir():
        command = ["journalctl", f"PLAYD_SEAT={seat}", "-n", str(lines), *(["-f"] * follow)]
        os.execvp(command[0], command)
    with invocation.client() as client:
        found = client.ask("status", wire.StatusParams(seat=seat), wire.StatusResult)
        events = list(_events(Path(found.state_directory) / "events.jsonl", seat))
        for line in events[len(events) - min(lines, len(events)) :]:
            show.tell(line)
        if follow:
            try:
                with drawn(live=False) as draw:
                    for event in client.follow(wire.WatchParams(seat=seat)):
                        draw(event)
            except KeyboardInterrupt:
                return


class _Event(msgspec.Struct, rename="camel"):
    occurred_at: str
    type: str
    data: dict[str, Any] = {}


_decoder = msgspec.json.Decoder(_Event)


def _events(path: Path, seat: str) -> Iterator[str]:
    """The seat's lines among the file's last mebibyte; lines that do not parse are passed over."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            data = file.read(_TAIL_BYTES)
    except OSError:
        return
    for line in data.splitlines():
        try:
            event = _decoder.decode(line)
        except UNDECODABLE:
            continue
        if event.data.get("seat") == seat:
            facts = " ".join(
                f"{name}={event.data[name]}"
                for name in ("sessionId", "outcome", "reason", "leave", "turnsTaken")
                if event.data.get(name) is not None
            )
            state = event.type.rpartition(".")[2]
            yield f"{event.occurred_at}  {state}  {facts}"
