"""The naming screen: a keyboard of seven rows, walked with the direction buttons."""

from msgspec.structs import replace

from bodies.practice.world.pad import Button
from bodies.practice.world.places import OFFSETS, Direction
from bodies.practice.world.scenes import Naming

KEYS = (
    "ABCDEFGHIJ",
    "KLMNOPQRST",
    "UVWXYZ ,.!",
    "abcdefghij",
    "klmnopqrst",
    "uvwxyz?/-_",
    "0123456789",
)
LONGEST = 10


def moved(naming: Naming, direction: Direction) -> Naming:
    """The cursor one key further, around the edges."""
    dx, dy = OFFSETS[direction]
    return replace(
        naming,
        column=(naming.column + dx) % len(KEYS[0]),
        row=(naming.row + dy) % len(KEYS),
    )


def typed(naming: Naming) -> Naming:
    """The key under the cursor added; past ten characters it is ignored."""
    return replace(naming, typed=(naming.typed + KEYS[naming.row][naming.column])[:LONGEST])


def erased(naming: Naming) -> Naming:
    return replace(naming, typed=naming.typed[:-1])


def presses_for(naming: Naming, text: str) -> list[Button]:
    """The buttons that erase what stands there and type this text."""
    presses: list[Button] = ["b"] * len(naming.typed)
    column, row = naming.column, naming.row
    for character in text:
        to_row = next(index for index, keys in enumerate(KEYS) if character in keys)
        to_column = KEYS[to_row].index(character)
        presses += _shortest(to_column - column, len(KEYS[0]), "right", "left")
        presses += _shortest(to_row - row, len(KEYS), "down", "up")
        presses.append("a")
        column, row = to_column, to_row
    return presses


def _shortest(distance: int, size: int, onward: Button, back: Button) -> list[Button]:
    ahead = distance % size
    return [onward] * ahead if ahead <= size - ahead else [back] * (size - ahead)
