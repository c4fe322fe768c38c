"""Actions: the six things a player can ask for, and what can come of each.

Declared once, strictly, as they travel: an unknown kind or field or a number out of range is no
action.
"""

from typing import Annotated, Literal

import msgspec

from bodies.practice.world.pad import Button
from bodies.practice.world.places import Spot
from bodies.practice.world.scenes import Entry

Coordinate = Annotated[int, msgspec.Meta(ge=0, le=1023)]
_Text = Annotated[
    str, msgspec.Meta(min_length=1, max_length=10, pattern=r"\A[A-Za-z0-9 .,!?/\-]+\Z")
]


class _Action(msgspec.Struct, frozen=True, rename="camel", tag_field="kind"):
    pass


class ButtonPress(_Action, frozen=True, tag="button_press", forbid_unknown_fields=True):
    button: Button
    hold_frames: Annotated[int, msgspec.Meta(ge=1, le=240)]
    repeat: Annotated[int, msgspec.Meta(ge=1, le=16)] = 1


class FrameAdvance(_Action, frozen=True, tag="frame_advance", forbid_unknown_fields=True):
    frames: Annotated[int, msgspec.Meta(ge=1, le=3600)]


class WalkTo(_Action, frozen=True, tag="walk_to", forbid_unknown_fields=True):
    x: Coordinate
    y: Coordinate


class AdvanceDialog(_Action, frozen=True, tag="advance_dialog", forbid_unknown_fields=True):
    pass


class EnterText(_Action, frozen=True, tag="enter_text", forbid_unknown_fields=True):
    text: _Text
    confirm: bool = True


class SelectMenuEntry(_Action, frozen=True, tag="select_menu_entry", forbid_unknown_fields=True):
    entry: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


Action = ButtonPress | FrameAdvance | WalkTo | AdvanceDialog | EnterText | SelectMenuEntry


class Bounds(msgspec.Struct, frozen=True, rename="camel"):
    """The tiles of a map, both ends included."""

    min_x: int
    min_y: int
    max_x: int
    max_y: int


class _Refusal(msgspec.Struct, frozen=True, rename="camel", tag_field="reason"):
    pass


class OverBudget(_Refusal, frozen=True, tag="budget"):
    """More inputs or frames than one action may take."""

    asked: int
    allowed: int


class OutsideMap(_Refusal, frozen=True, tag="walk_target_outside_map"):
    bounds: Bounds


class Impassable(_Refusal, frozen=True, tag="walk_target_impassable"):
    nearest_open: Spot | None


class NoPath(_Refusal, frozen=True, tag="no_path_to_target"):
    nearest_reachable: Spot | None


class ExitUnsupported(_Refusal, frozen=True, tag="walk_exit_unsupported"):
    """A doormat: stand beside or on it and press south."""

    at: Spot
    to: str


class EntryNotPresent(_Refusal, frozen=True, tag="menu_entry_not_present"):
    available: tuple[Entry, ...]


class ScriptHolding(_Refusal, frozen=True, tag="script_holding"):
    """Something else has the screen: a fade, a cutscene, text, a menu, a battle."""


class DialogNotOpen(_Refusal, frozen=True, tag="dialog_not_open"):
    pass


class MenuNotOpen(_Refusal, frozen=True, tag="menu_not_open"):
    pass


class NamingScreenNotOpen(_Refusal, frozen=True, tag="naming_screen_not_open"):
    pass


class StateUnavailable(_Refusal, frozen=True, tag="semantic_state_unavailable"):
    """The screen is not decoded; raw buttons and frames still work."""


Refusal = (
    OverBudget
    | OutsideMap
    | Impassable
    | NoPath
    | ExitUnsupported
    | EntryNotPresent
    | ScriptHolding
    | DialogNotOpen
    | MenuNotOpen
    | NamingScreenNotOpen
    | StateUnavailable
)
BlockedBecause = Literal["battle", "transition", "npc", "state_changed"]


class _Detail(msgspec.Struct, frozen=True, rename="camel", tag_field="kind"):
    pass


class Walked(_Detail, frozen=True, tag="walk_to"):
    """`blocked_at` is the tile that was being entered when the walk ended early."""

    target: Spot
    planned_steps: int
    steps: int
    arrived: bool
    blocked_at: Spot | None
    warped: bool
    blocked_because: BlockedBecause | msgspec.UnsetType = msgspec.UNSET


class Read(_Detail, frozen=True, tag="advance_dialog"):
    """The pages that were read.

    `ended_because`: dialog_closed, choice_open, battle_ended, script_holding, state_changed or
    frame_bound_reached.
    """

    transcript: tuple[str, ...]
    presses: int
    ended_because: str


class Typed(_Detail, frozen=True, tag="enter_text"):
    """`ended_because`: confirmed, typed or state_changed."""

    typed: str
    confirmed: bool
    presses: int
    ended_because: str


class Selected(_Detail, frozen=True, tag="select_menu_entry"):
    """`ended_because`: selected or state_changed."""

    menu_id: str
    entry_id: str
    label: str
    confirmed: bool
    presses: int
    ended_because: str


Detail = Walked | Read | Typed | Selected


class Done(msgspec.Struct, frozen=True):
    """An action that ran, before the screen after it is added."""

    inputs_spent: int
    frames_spent: int
    detail: Detail | None = None
