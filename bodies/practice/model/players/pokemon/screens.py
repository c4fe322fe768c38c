"""Screens: what to do where nobody walks: text, menus, names, battles, and what cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from bodies.practice.model.players.pokemon.moves import (
    TAP_FRAMES,
    Move,
    choose,
    press,
    read_on,
    wait,
    write,
)
from bodies.practice.model.players.pokemon.screen import Entry, Screen

NAMES = ("Robin", "Wren", "Juno", "Ash", "Mika", "Tess")
BRIEF, LONG = 40, 180
"""Frames to wait: for a moment, and while something plays by itself."""
_YES = ("yes", "ok", "confirm")
_LEAVING = ("no", "back", "leave", "later", "cancel", "exit", "close", "quit")
_FLEE_BELOW = 4
"""A battle is left with less than a quarter of the health."""


def dialog(screen: Screen, told: str, luck: Random) -> Iterator[Move]:
    yield read_on()
    yield press("a", TAP_FRAMES, "The text does not go on by itself.", "to advance the text.")
    yield press("b", TAP_FRAMES, "The text does not go on by itself.", "to cancel the text.")


def menu(screen: Screen, told: str, luck: Random) -> Iterator[Move]:
    entries = screen.menu.entries if screen.menu else ()
    ranked = sorted(
        luck.sample(entries, len(entries)),
        key=lambda entry: (told.count(f": choose {entry.id[:80]} ->"), _reluctance(entry)),
    )
    for entry in ranked:
        if 1 <= len(entry.id) <= 200:
            yield choose(entry.id, entry.label, _why(entry))
    yield press("b", TAP_FRAMES, "Nothing in here is worth another try.", "to cancel the menu.")
    yield press("a", TAP_FRAMES, "I take what the cursor is on.", "to confirm what is marked.")


def naming(screen: Screen, told: str, luck: Random) -> Iterator[Move]:
    for name in luck.sample(NAMES, len(NAMES)):
        yield write(name)
    yield press("start", TAP_FRAMES, "The name stands there already.", "to open what comes next.")


def battle(screen: Screen, told: str, luck: Random) -> Iterator[Move]:
    if screen.menu is None:
        yield from dialog(screen, told, luck)
        return
    lead = screen.party[0] if screen.party else None
    weak = lead is not None and lead.current_hp * _FLEE_BELOW < lead.max_hp
    for wish in ("run", "fight") if weak else ("fight",):
        for entry in screen.menu.entries:
            if _named(entry, (wish,)) and entry.id:
                yield choose(entry.id, entry.label, _why_in_battle(weak=weak))
    yield from menu(screen, told, luck)


def nothing_to_do(screen: Screen, told: str, luck: Random) -> Iterator[Move]:
    """Something plays by itself."""
    yield wait(LONG, "Something happens by itself; I watch.")
    yield press("a", TAP_FRAMES, "Waiting changed nothing.", "to advance what is on the screen.")
    yield press("start", TAP_FRAMES, "Waiting changed nothing.", "to start, if that is asked for.")


def not_ready(screen: Screen, told: str, luck: Random) -> Iterator[Move]:
    """In the open, but no input is taken."""
    yield wait(BRIEF, "My buttons do nothing at the moment; it will pass.")
    yield press("b", TAP_FRAMES, "Waiting changed nothing.", "to cancel what holds me.")


Rule = Callable[[Screen, str, Random], Iterator[Move]]

SCREENS: dict[str, Rule] = {
    "dialog": dialog,
    "menu": menu,
    "naming": naming,
    "battle": battle,
    "overworld": not_ready,
}
"""By mode; any other mode is one where nothing can be done."""


def _named(entry: Entry, words: tuple[str, ...]) -> bool:
    return entry.id.casefold() in words or entry.label.casefold() in words


def _reluctance(entry: Entry) -> int:
    return 0 if _named(entry, _YES) else 2 if _named(entry, _LEAVING) else 1


def _why(entry: Entry) -> str:
    if _named(entry, _YES):
        return "I am asked whether it is right, and it is."
    if _named(entry, _LEAVING):
        return "I have seen enough of this menu."
    return "I have not tried this entry lately."


def _why_in_battle(*, weak: bool) -> str:
    return "My companion is worn out." if weak else "We are strong enough for this one."
