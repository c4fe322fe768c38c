"""The reference page is true: its example runs, its tables name what there is."""

import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, get_args

import trio

from config.settings import ControlRoom, Settings
from daemon.control import wire
from daemon.control.verbs import VERBS

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "control-protocol.md"


def named_in(section: str) -> set[str]:
    """Everything in code marks in the first column of the section's table."""
    text = PAGE.read_text().split(f"## {section}\n")[1].split("\n## ")[0]
    firsts = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for first in firsts for name in re.findall(r"`([a-z_]+)`", first)}


def test_the_page_names_every_verb_event_and_error():
    assert named_in("Verbs") == {*VERBS, "cancel"}
    assert named_in("Errors") == set(get_args(wire.Code))
    events = {str(kind.__struct_config__.tag) for kind in get_args(wire.Event)}
    assert named_in("Streams") == events


async def test_the_example_prints_and_acknowledges(
    door_of: Callable[[Settings], AbstractAsyncContextManager[Any]],
):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len([line for line in example.splitlines() if line.strip()]) <= 22
    async with door_of(Settings(rooms={"den": ControlRoom()})) as door:
        bridge = await trio.lowlevel.open_process(
            [sys.executable, "-c", example, str(door.path), "den"], stdout=subprocess.PIPE
        )
        try:
            assert bridge.stdout is not None
            with trio.fail_after(60):
                await door.daemon.watched.wait()
                said = wire.Spoken(
                    seat="red",
                    session_id="s",
                    delivery_id="d-1",
                    room="den",
                    speech="speak",
                    text="a door!",
                    turn=3,
                )
                for room in ("hall", "den"):
                    door.daemon.publish(wire.Spoken(**{**fields(said), "room": room}))
                printed = b""
                while not printed.endswith(b"\n"):
                    printed += await bridge.stdout.receive_some()
                assert printed == b"red says: a door!\n"
                await door.daemon.acknowledged.wait()
            assert door.daemon.receipt == wire.Acknowledgement(delivery_id="d-1", outcome="played")
        finally:
            bridge.kill()
            await bridge.wait()
            await bridge.stdout.aclose()


def fields(event: wire.Spoken) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__struct_fields__}
