"""Saves: every player's progress in each game as one JSON file, replaced whole.

A file survives the end of this process at any moment; it is not flushed against a power cut.
"""

import os
from pathlib import Path

import msgspec

from bodies.practice.world.scenes import Player
from kernel.undecodable import UNDECODABLE

_VERSION = 1


class Save(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Progress at a frame of the world's clock."""

    player: Player
    frame: int
    version: int = _VERSION


class SaveUnreadable(Exception):
    """A save that is no save; the file is named and left as it is."""


class Saves:
    """The saves in one directory, which is created."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def load(self, player_id: str, game: str) -> Player | None:
        """A player's progress, or None. Raises SaveUnreadable."""
        path = self._path(player_id, game)
        return _read(path).player if path.exists() else None

    def store(self, player: Player, game: str, frame: int) -> None:
        """Replace a player's save. Raises OSError."""
        path = self._path(player.player_id, game)
        fresh = path.with_suffix(".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(Save(player, frame)))
        fresh.replace(path)

    def last_frame(self) -> int:
        """The latest frame of any save; 0 in a new world. Raises SaveUnreadable."""
        frames = (_read(path).frame for path in self._directory.glob("*.json"))
        return max(frames, default=0)

    def _path(self, player_id: str, game: str) -> Path:
        return self._directory / f"{player_id}-{game}.json"


def _read(path: Path) -> Save:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Save)
    except UNDECODABLE as error:
        raise SaveUnreadable(f"{path} is not a save of this world: {error}") from error
