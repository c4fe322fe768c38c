"""Moves: the actions of the catalogue as the rules use them, each with the thought behind it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Direction = Literal["up", "down", "left", "right"]
Button = Literal["a", "b", "start", "up", "down", "left", "right"]
STEPS: dict[Direction, tuple[int, int]] = {
    "down": (0, 1),
    "up": (0, -1),
    "left": (-1, 0),
    "right": (1, 0),
}
FACINGS: dict[str, str] = {"up": "north", "down": "south", "left": "west", "right": "east"}
TURN_FRAMES = 4
TAP_FRAMES = 8
STEP_FRAMES = 16
FARTHEST = 1023

Tile = tuple[int, int]
Mark = tuple[str, str]
"""What to remember of this map: a label of the notebook, and whom or what it is about."""


class Action(Struct, frozen=True, kw_only=True, rename="camel"):
    """The action's own fields of the answer; null where they are another action's."""

    action: str
    button: str | None = None
    hold_frames: int | None = None
    repeat: int | None = None
    frames: int | None = None
    x: int | None = None
    y: int | None = None
    text: str | None = None
    confirm: bool | None = None
    entry: str | None = None


class Move(Struct, frozen=True):
    """An action with its reason. `told` is how the prompt words it once it was played."""

    action: Action
    told: str
    thought: str
    intent: str
    marks: tuple[Mark, ...] = ()


def walk(tile: Tile, thought: str, purpose: str, *marks: Mark) -> Move:
    x, y = tile
    action = Action(action="walk_to", x=x, y=y)
    where = f"({x},{y})"
    return Move(action, f"walk to {where}", thought, f"Walk to {where} {purpose}", marks)


def press(button: Button, frames: int, thought: str, purpose: str, *marks: Mark) -> Move:
    """`purpose` begins after "Press a " or "Press up (north) "."""
    action = Action(action="button_press", button=button, hold_frames=frames)
    direction = FACINGS.get(button)
    named = f"{button} ({direction})" if direction else button
    told = f"press {button.upper()} ({frames} frames)"
    return Move(action, told, thought, f"Press {named} {purpose}", marks)


def wait(frames: int, thought: str) -> Move:
    action = Action(action="frame_advance", frames=frames)
    return Move(action, f"wait {frames} frames", thought, f"Wait {frames} frames and look again.")


def read_on() -> Move:
    return Move(
        Action(action="advance_dialog"),
        "read on",
        "Somebody says something; I want to know all of it.",
        "Read on to the end of the text, which waits for me.",
    )


def write(name: str) -> Move:
    return Move(
        Action(action="enter_text", text=name, confirm=True),
        f'write "{name}"',
        f"I am asked for a name. {name} is short and easy to call.",
        f"Enter the name {name} and confirm it.",
    )


def choose(entry: str, label: str, thought: str) -> Move:
    shown = label[:60] or entry[:60]
    action = Action(action="select_menu_entry", entry=entry)
    return Move(action, f"choose {entry[:80]}", thought, f"Choose “{shown}” from the menu.")
