"""The diary: what has to be remembered from turn to turn, as plain lines in the player's notes.

    Home is at (0,67,0).
    Spoke last in turn 12.
    Hurt last in turn 30.
    Built last in turn 41.
    In vain: dig at (1,66,0); craft 4 stick.

Lines that are not of this kind are kept in front, as long as there is room.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from bodies.practice.model.players.minecraft.surroundings import Spot

LONGEST = 4_000
FOREIGN = 1_500
IN_VAIN_KEPT = 8
LONGEST_IN_VAIN = 120
_HOME = re.compile(r"Home is at \((-?\d{1,8}),(-?\d{1,8}),(-?\d{1,8})\)\.")
_TURN = re.compile(r"(Spoke|Hurt|Built) last in turn (\d{1,9})\.")
_IN_VAIN = re.compile(r"In vain: (.+)\.")

Deed = Literal["spoke", "hurt", "built"]


class Diary(Struct, frozen=True):
    """Turns are of this session; a turn that lies ahead was another session's and is forgotten."""

    home: Spot | None = None
    spoke: int | None = None
    hurt: int | None = None
    built: int | None = None
    in_vain: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()

    def since(self, deed: Deed, turn: int) -> int | None:
        """Turns since the last time; None for never."""
        last: int | None = getattr(self, deed)
        return None if last is None or last > turn else turn - last

    def failed(self, told: str) -> Diary:
        """With one more action that came to nothing; the oldest is tried again."""
        if len(told) > LONGEST_IN_VAIN or ";" in told or "\n" in told:
            return self
        others = tuple(each for each in self.in_vain if each != told)
        return replace(self, in_vain=(*others, told)[-IN_VAIN_KEPT:])

    def written(self) -> str:
        lines = list(self.foreign)
        if self.home is not None:
            lines.append(f"Home is at {self.home}.")
        for deed, turn in (("Spoke", self.spoke), ("Hurt", self.hurt), ("Built", self.built)):
            if turn is not None:
                lines.append(f"{deed} last in turn {turn}.")
        if self.in_vain:
            lines.append(f"In vain: {'; '.join(self.in_vain)}.")
        return "\n".join(lines)


def read_diary(notes: str | None) -> Diary:
    """What notes say."""
    diary = Diary()
    foreign: list[str] = []
    for line in (notes or "").split("\n"):
        if home := _HOME.fullmatch(line):
            diary = replace(diary, home=Spot(*(int(part) for part in home.groups())))
        elif turn := _TURN.fullmatch(line):
            diary = replace(diary, **{turn[1].lower(): int(turn[2])})
        elif vain := _IN_VAIN.fullmatch(line):
            diary = replace(diary, in_vain=tuple(vain[1].split("; "))[-IN_VAIN_KEPT:])
        elif line.strip() and sum(map(len, foreign)) + len(line) < FOREIGN:
            foreign.append(line)
    return replace(diary, foreign=tuple(foreign))
