"""The screen: what the STATE block of a Pokémon prompt says, as far as the rules need it."""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

from kernel.undecodable import UNDECODABLE


class Wire(Struct, frozen=True, rename="camel"):
    pass


class Position(Wire, frozen=True):
    map_id: str
    x: int
    y: int
    facing: str | None = None

    @property
    def tile(self) -> tuple[int, int]:
        return self.x, self.y


class Minimap(Wire, frozen=True):
    """(x, y) is the tile of the first character of the first row."""

    x: int
    y: int
    rows: tuple[str, ...]


class Exit(Wire, frozen=True):
    x: int
    y: int
    to: str | None = None
    walk_to: str = "unsupported"


class Connection(Wire, frozen=True):
    direction: str
    destination: str


class Person(Wire, frozen=True):
    local_id: int
    x: int
    y: int


class Member(Wire, frozen=True):
    current_hp: int
    max_hp: int


class Entry(Wire, frozen=True):
    id: str
    label: str


class Menu(Wire, frozen=True):
    menu_id: str
    entries: tuple[Entry, ...]


class Signals(Wire, frozen=True):
    refused_here: tuple[str, ...] = ()
    known_hard_failures: tuple[str, ...] = ()
    stalled_for_turns: int | None = None
    repeating_for_turns: int | None = None
    recurring_for_turns: int | None = None
    objective_for_turns: int | None = None
    locale_for_turns: int | None = None
    objective_recovery: bool = False
    turns_since_spoken: int | None = None


class Last(Wire, frozen=True):
    action: str | None = None
    outcome: str = ""
    effect: str | None = None
    advice: str | None = None


class Heard(Wire, frozen=True):
    speaker: str
    text: str


class Screen(Wire, frozen=True, kw_only=True):
    """One STATE block; null where nothing was read."""

    turn: int = 0
    mode: str
    input_ready: bool
    waiting_for_advance: bool = False
    position: Position | None = None
    minimap: Minimap | None = None
    exits: tuple[Exit, ...] | None = None
    connections: tuple[Connection, ...] | None = None
    npcs: tuple[Person, ...] | None = None
    party: tuple[Member, ...] | None = None
    dialog: tuple[str, ...] | None = None
    menu: Menu | None = None
    notes: str | None = None
    objective: str | None = None
    signals: Signals = Signals()
    last: Last | None = None
    messages: tuple[Heard, ...] = ()


_FAILED = ("refused", "nothing changed", "is blocked", "stayed as it was", "steps, then")
_WALKED = re.compile(r"walk to \((\d+),(\d+)\)")
_NEAREST = re.compile(r"nearest (?:open|reachable) tile is \((\d+),(\d+)\)")


def barred(screen: Screen) -> frozenset[str]:
    """What would only fail again, in the prompt's words for an action."""
    known = {failure.partition(": ")[0] for failure in screen.signals.known_hard_failures}
    last = screen.last
    if last is not None and last.action and _in_vain(last):
        known.add(last.action)
    return frozenset(known)


def refused_walk(screen: Screen) -> tuple[int, int] | None:
    """The tile that the last action could not walk to, for good."""
    last = screen.last
    if last is None or not (last.effect or "").startswith("refused"):
        return None
    return _tile(_WALKED, last.action) if "script holding" not in (last.effect or "") else None


def advised(screen: Screen) -> tuple[int, int] | None:
    """The tile that the last refusal named as the nearest one to walk to."""
    return _tile(_NEAREST, screen.last.advice) if screen.last else None


def read_screen(state: bytes) -> Screen | None:
    """None for a state that is not as the prompt documents it."""
    try:
        return _decoder.decode(state)
    except UNDECODABLE:
        return None


def _in_vain(last: Last) -> bool:
    return last.outcome != "accepted" or any(word in (last.effect or "") for word in _FAILED)


def _tile(pattern: re.Pattern[str], text: str | None) -> tuple[int, int] | None:
    found = pattern.search(text or "")
    return (int(found[1]), int(found[2])) if found else None


_decoder = msgspec.json.Decoder(Screen)
