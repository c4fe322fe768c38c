"""The catalogue of actions: what each is called, takes and means, in one table.

An action has three spellings: flat fields in the model's answer, `payload` in the trail (with
`entryId`), and the wire's own struct (with `entry`). None of them is made from another by guessing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import msgspec
from msgspec import UNSET

from bodies.pokemon import wire

FieldType = Literal["integer", "string", "boolean"]


@dataclass(frozen=True, slots=True)
class ActionField:
    """A flat field of one kind of action. `low`/`high`: of a number, or of a text's length."""

    name: str
    type: FieldType
    says: str
    required: bool = True
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionKind:
    """One kind of action; `struct` takes the values of `fields` in their order."""

    name: str
    struct: Callable[..., wire.Action]
    says: str
    fields: tuple[ActionField, ...] = ()


BUTTONS = ("a", "b", "start", "select", "up", "down", "left", "right", "l", "r")
DIRECTIONS = {"up": "north", "down": "south", "left": "west", "right": "east"}
"""Direction buttons and the facing that each gives."""

CATALOGUE: tuple[ActionKind, ...] = (
    ActionKind(
        "button_press",
        wire.ButtonPress,
        "press a button; a direction held 16 frames or more takes a step, 8 or fewer only turn",
        (
            ActionField("button", "string", "which button", choices=BUTTONS),
            ActionField("holdFrames", "integer", "frames to hold it, 1–240", low=1, high=240),
            ActionField(
                "repeat", "integer", "how often, 1–16; null is once", False, low=1, high=16
            ),
        ),
    ),
    ActionKind(
        "frame_advance",
        wire.FrameAdvance,
        "touch nothing and let time pass",
        (ActionField("frames", "integer", "frames to wait, 1–3600", low=1, high=3600),),
    ),
    ActionKind(
        "walk_to",
        wire.WalkTo,
        "walk to a tile of this map; the world finds the path and stops when something happens",
        (
            ActionField("x", "integer", "column of the tile, 0–1023", low=0, high=1023),
            ActionField("y", "integer", "row of the tile, 0–1023", low=0, high=1023),
        ),
    ),
    ActionKind(
        "advance_dialog", wire.AdvanceDialog, "read on until the dialog ends or asks something"
    ),
    ActionKind(
        "enter_text",
        wire.EnterText,
        "write on a naming screen",
        (
            ActionField(
                "text",
                "string",
                "1–10 of A–Z a–z 0–9 space . , ! ? / -",
                low=1,
                high=10,
            ),
            ActionField("confirm", "boolean", "whether to confirm the name at once", False),
        ),
    ),
    ActionKind(
        "select_menu_entry",
        wire.SelectMenuEntry,
        "choose an entry of the open menu by its id; two entries may share a label",
        (ActionField("entry", "string", "the entry's id", low=1, high=200),),
    ),
)


def described(action: wire.Action) -> str:
    """The action in a few words for people."""
    match action:
        case wire.ButtonPress(button, hold, repeat):
            often = "" if repeat is UNSET or repeat == 1 else f" {repeat} times"
            return f"press {button.upper()}{often} ({hold} frames)"
        case wire.FrameAdvance(frames):
            return f"wait {frames} frames"
        case wire.WalkTo(x, y):
            return f"walk to ({x},{y})"
        case wire.AdvanceDialog():
            return "read on"
        case wire.EnterText(text, confirm):
            return f'write "{text}"' + (" without confirming" if confirm is False else "")
        case wire.SelectMenuEntry(entry):
            return f"choose {entry[:80]}"


def payload(action: wire.Action) -> msgspec.Raw:
    """The action as the trail records it."""
    if isinstance(action, wire.SelectMenuEntry):
        return msgspec.Raw(_encoder.encode(_RecordedEntry(action.entry)))
    return msgspec.Raw(_encoder.encode(action))


class _RecordedEntry(
    msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="select_menu_entry"
):
    entry_id: str


_encoder = msgspec.json.Encoder()
