"""The seats of a fault run: each with its own wires to the world and to the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wires import Wire

FRUGAL_TOKENS = 60_000
"""The ceiling of every fourth seat: it is reached, by sessions that were killed or not."""

_START = """
state_directory = "{folder}/state"
[limits]
lease_ttl = 30
[control]
socket = "{folder}/control.sock"
[metrics]
bind = "127.0.0.1:0"
[rooms.porch]
kind = "control"
"""
_MODEL = """
[models.{name}]
provider = "openai"
model = "practice"
base_url = "http://127.0.0.1:{model}/v1"
local = true
deadline = 20
stall = 8
"""
_SEAT = """
[seats.{name}]
model = "{name}"
room = "porch"
restart = ["crashed", "hung", "protocol_error", "mind_unavailable"]
"""
_POKEMON = """
body = "pokemon"
address = "ws://127.0.0.1:{world}"
credential = "file:{folder}/{name}.key"
game = "firered"
display_name = "{name}"
"""
_MINECRAFT = """
body = "minecraft"
motor = ["playd-practice", "motor", "--speed", "8", "--journal", "{folder}/{name}.motor.jsonl"]
[seats.{name}.profile]
id = "practice"
host = "127.0.0.1"
version = "1.20.1"
username = "{player}"
"""
_BUDGET = """
[seats.{name}.budget]
tokens = {tokens}
"""


@dataclass(frozen=True)
class Wired:
    """A seat's two wires."""

    world: Wire
    model: Wire


@dataclass
class Seats:
    """Names of the seats by their game."""

    walkers: tuple[str, ...]
    miners: tuple[str, ...]
    wired: dict[str, Wired] = field(default_factory=dict[str, Wired])

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.walkers, *self.miners)

    def lay_wires(self, world: int, model: int) -> list[Wire]:
        """Wires to these ports, which are still to be served."""
        self.wired = {name: Wired(Wire(world), Wire(model)) for name in self.names}
        return [wire for wired in self.wired.values() for wire in (wired.world, wired.model)]

    def configure(self, folder: Path) -> Path:
        """Write the configuration and the keys; the wires are served by now."""
        parts = [_START.format(folder=folder)]
        for number, name in enumerate(self.names):
            wired = self.wired[name]
            values: Mapping[str, object] = {
                "name": name,
                "player": name.replace("-", "_"),
                "folder": folder,
                "world": wired.world.port,
                "model": wired.model.port,
                "tokens": FRUGAL_TOKENS if number % 4 == 3 else 100_000_000,
            }
            body = _POKEMON if name in self.walkers else _MINECRAFT
            sections = (_MODEL, _SEAT.rstrip("\n"), body, _BUDGET)
            parts += [section.format(**values) for section in sections]
            key = folder / f"{name}.key"
            key.touch(mode=0o600)
            key.write_text(f"key-of-{name}")
        path = folder / "playd.toml"
        path.write_text("".join(parts))
        return path


def seats_of(sessions: int) -> Seats:
    """So many seats, one in ten with a motor."""
    miners = sessions // 10
    return Seats(
        walkers=tuple(f"walker-{number}" for number in range(sessions - miners)),
        miners=tuple(f"miner-{number}" for number in range(miners)),
    )
