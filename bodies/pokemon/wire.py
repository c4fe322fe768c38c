"""The seat's wire: every operation, answer, push and refusal, declared once.

Rules of this file:
- Names on the wire are camelCase. Structs are frozen.
- A world may grow: unknown fields are ignored. Known fields are strict about their types, and a
  word that only the world writes (a mode, a reason, an ending) stays `str`, so that a new one is
  read and not refused. Words that we write are literals.
- UNSET means that the world did not say (it was not read); None means that it said "none"; an empty
  tuple means that there are none. None of the three is ever turned into another.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

PROTOCOL_VERSION = 3
GameId = Literal["firered", "emerald"]
Button = Literal["a", "b", "start", "select", "up", "down", "left", "right", "l", "r"]
SCENE_MODES = ("overworld", "dialog", "menu", "naming", "cutscene", "battle", "unknown")
NEEDED_CAPABILITIES = ("world.observe", "world.act", "world.frames")

HoldFrames = Annotated[int, Meta(ge=1, le=240)]
Repeat = Annotated[int, Meta(ge=1, le=16)]
Frames = Annotated[int, Meta(ge=1, le=3600)]
TileCoordinate = Annotated[int, Meta(ge=0, le=1023)]
NameText = Annotated[
    str, Meta(min_length=1, max_length=10, pattern=r"^[A-Za-z0-9 .,!?/-]+\Z")
]  # `$` would let a final line feed through
EntryId = Annotated[str, Meta(min_length=1, max_length=200)]
Whole = Annotated[int, Meta(gt=-(2**53), lt=2**53)]
Word = Annotated[str, Meta(max_length=200)]
"""A name, a mode, a reason: each may stand in a prompt, so none is longer."""
Token = Annotated[str, Meta(max_length=16_384)]


# Actions


class ButtonPress(Struct, frozen=True, rename="camel", tag_field="kind", tag="button_press"):
    """Hold a button for 1–240 frames, 1–16 times."""

    button: Button
    hold_frames: HoldFrames
    repeat: Repeat | UnsetType = UNSET


class FrameAdvance(Struct, frozen=True, rename="camel", tag_field="kind", tag="frame_advance"):
    """Touch nothing for 1–3600 frames."""

    frames: Frames


class WalkTo(Struct, frozen=True, rename="camel", tag_field="kind", tag="walk_to"):
    """Walk to a tile of the current map; the world finds the path."""

    x: TileCoordinate
    y: TileCoordinate


class AdvanceDialog(Struct, frozen=True, rename="camel", tag_field="kind", tag="advance_dialog"):
    """Read on until the dialog ends or asks something."""


class EnterText(Struct, frozen=True, rename="camel", tag_field="kind", tag="enter_text"):
    """Write 1–10 characters on a naming screen."""

    text: NameText
    confirm: bool | UnsetType = UNSET


class SelectMenuEntry(
    Struct, frozen=True, rename="camel", tag_field="kind", tag="select_menu_entry"
):
    """Choose the open menu's entry with this id."""

    entry: EntryId


Action = ButtonPress | FrameAdvance | WalkTo | AdvanceDialog | EnterText | SelectMenuEntry


# What is seen


class MapPoint(Struct, frozen=True, rename="camel"):
    """A tile of a named map."""

    map_id: Word
    x: Whole
    y: Whole


class Scene(Struct, frozen=True, rename="camel"):
    """What kind of screen it is. `mode`: one of SCENE_MODES, or a newer word."""

    mode: Word
    input_ready: bool
    waiting_for_advance: bool
    decoded: bool


class MinimapExit(Struct, frozen=True, rename="camel"):
    """A tile that leads elsewhere. `walk_to`: `supported` or `unsupported`."""

    at: MapPoint
    to: Word | None
    walk_to: Word


class Minimap(Struct, frozen=True, rename="camel"):
    """The surroundings as rows of characters, from `top_left`."""

    top_left: MapPoint
    rows: tuple[str, ...]
    exits: tuple[MinimapExit, ...] | UnsetType = UNSET


class Overworld(Struct, frozen=True, rename="camel"):
    """Where the player stands."""

    map_id: Word
    x: Whole
    y: Whole
    facing: Word | None
    map_group: Whole | UnsetType = UNSET
    map_num: Whole | UnsetType = UNSET


class PartyMember(Struct, frozen=True, rename="camel"):
    """One Pokémon of the party; numbers as the game has them."""

    slot: Whole
    species_id: Whole
    level: Whole
    current_hp: Whole
    max_hp: Whole
    move_ids: tuple[Whole, ...] | UnsetType = UNSET


class Npc(Struct, frozen=True, rename="camel"):
    """A person or thing on the map."""

    local_id: Whole
    graphics_id: Whole
    x: Whole
    y: Whole
    facing: Word | UnsetType | None = UNSET


class MenuEntry(Struct, frozen=True, rename="camel"):
    """A line of a menu. Two may share a label, never an id."""

    id: Word
    label: Word


class Menu(Struct, frozen=True, rename="camel"):
    """The open menu."""

    menu_id: Word
    cursor: Whole | None
    entries: tuple[MenuEntry, ...]


class MapSize(Struct, frozen=True, rename="camel"):
    """Of the current map, in tiles."""

    width: Whole
    height: Whole


class Connection(Struct, frozen=True, rename="camel"):
    """A neighbouring map at an edge of the current one."""

    direction: Word
    destination: Word


class GameState(Struct, frozen=True, rename="camel"):
    """What the world read from the game. Every field may be unread (UNSET)."""

    overworld: Overworld | UnsetType | None = UNSET
    party: tuple[PartyMember, ...] | UnsetType = UNSET
    field_input_ready: bool | UnsetType = UNSET
    npcs: tuple[Npc, ...] | UnsetType = UNSET
    dialog_lines: tuple[str, ...] | UnsetType = UNSET
    menu: Menu | UnsetType | None = UNSET
    map_size: MapSize | UnsetType | None = UNSET
    connections: tuple[Connection, ...] | UnsetType = UNSET


class Observation(Struct, frozen=True, rename="camel"):
    """The answer to play.observe; also inside an action's outcome and in pushes."""

    session_id: Word
    body_generation: Whole
    game_id: Word
    frame: Whole
    observed_at: Word
    scene: Scene
    adapter_version: Whole | UnsetType = UNSET
    minimap: Minimap | UnsetType | None = UNSET
    state: GameState | UnsetType | None = UNSET


class Frame(Struct, frozen=True, rename="camel"):
    """The answer to play.frame: the screen as PNG. `dropped`: frames lost since the last one."""

    session_id: Word
    body_generation: Whole
    frame: Whole
    data: bytes  # base64 on the wire
    captured_at: Word
    encoding: Literal["png"] = "png"
    width: Whole = 240
    height: Whole = 160
    dropped: Whole = 0


# What came of an action


class WalkToDetail(Struct, frozen=True, rename="camel", tag_field="kind", tag="walk_to"):
    """How far the walk came. `blocked_because`: battle, transition, npc, state_changed, …"""

    target: MapPoint
    planned_steps: Whole
    steps: Whole
    arrived: bool
    blocked_at: MapPoint | None
    warped: bool
    blocked_because: Word | UnsetType | None = UNSET


class AdvanceDialogDetail(
    Struct, frozen=True, rename="camel", tag_field="kind", tag="advance_dialog"
):
    """What was read."""

    transcript: tuple[str, ...]
    presses: Whole
    ended_because: Word


class EnterTextDetail(Struct, frozen=True, rename="camel", tag_field="kind", tag="enter_text"):
    """What was written."""

    typed: str
    confirmed: bool
    ended_because: Word


class SelectMenuEntryDetail(
    Struct, frozen=True, rename="camel", tag_field="kind", tag="select_menu_entry"
):
    """What was chosen."""

    menu_id: Word
    entry_id: Word
    label: Word
    confirmed: bool
    presses: Whole
    ended_because: Word


ActionDetail = WalkToDetail | AdvanceDialogDetail | EnterTextDetail | SelectMenuEntryDetail


class ActionRefusal(Struct, frozen=True, rename="camel"):
    """Why the world did not act. Which fields stand beside `reason` depends on it:

    budget: asked, allowed · walk_target_outside_map: bounds · walk_target_impassable:
    nearest_open · no_path_to_target: nearest_reachable · walk_exit_unsupported: at, to ·
    menu_entry_not_present: available · script_holding, dialog_not_open, menu_not_open,
    naming_screen_not_open, semantic_state_unavailable: nothing.
    """

    reason: Word
    asked: Whole | UnsetType = UNSET
    allowed: Whole | UnsetType = UNSET
    bounds: Any = UNSET  # as the world wrote it: its shape is the world's own
    nearest_open: MapPoint | UnsetType | None = UNSET
    nearest_reachable: MapPoint | UnsetType | None = UNSET
    at: MapPoint | UnsetType = UNSET
    to: Word | UnsetType | None = UNSET
    available: tuple[MenuEntry | Word, ...] | UnsetType = UNSET


class Ran(Struct, frozen=True, rename="camel", tag_field="kind", tag="ran"):
    """The action ran; `observation` is the screen right after it."""

    inputs_spent: Whole
    frames_spent: Whole
    screen_changed: bool
    observation: Observation
    detail: ActionDetail | UnsetType | None = UNSET


class Rejected(Struct, frozen=True, rename="camel", tag_field="kind", tag="rejected"):
    """The action did not run."""

    refusal: ActionRefusal


Outcome = Ran | Rejected


class ActAnswer(Struct, frozen=True, rename="camel"):
    """The answer to play.act. `replayed`: it ran at an earlier request under the same key."""

    session_id: Word
    body_generation: Whole
    frame: Whole
    replayed: bool
    outcome: Outcome


# Other answers


class Limits(Struct, frozen=True, rename="camel"):
    """The world's bounds of one action; the defaults are the protocol's."""

    max_inputs_per_action: Whole = 64
    max_frames_per_action: Whole = 1800
    stall_timeout_ms: Whole = 5000


class JoinAnswer(Struct, frozen=True, rename="camel"):
    """The seat that was given. The token is the session's secret and is not shown."""

    protocol_version: Whole
    world_id: Word
    player_id: Word
    session_id: Word
    game_id: Word
    token: Token
    capabilities: tuple[Word, ...]
    limits: Limits = Limits()

    def __repr__(self) -> str:
        return f"JoinAnswer(world_id={self.world_id!r}, session_id={self.session_id!r}, token=***)"


class SessionAnswer(Struct, frozen=True, rename="camel"):
    """The answer to world.session: the session that the token belongs to."""

    session_id: Word
    body_generation: Whole | UnsetType = UNSET


class LeaveAnswer(Struct, frozen=True, rename="camel"):
    """The leave receipt."""

    session_id: Word
    ended_at: Word


class Refusal(Struct, frozen=True, rename="camel"):
    """The world refused an operation. `retry_after_ms`: when asking again makes sense."""

    code: str
    message: str = ""
    retry_after_ms: Whole | UnsetType = UNSET


class AnswerHead(Struct, frozen=True, rename="camel"):
    """What tells an answer from a refusal from a push, read before the rest."""

    id: int | UnsetType = UNSET
    push: str | UnsetType = UNSET
    ok: bool | UnsetType = UNSET


# Pushes


class ObservationPush(
    Observation, frozen=True, rename="camel", tag_field="push", tag="observation"
):
    """The screen changed without an action of ours."""


class FramePush(Frame, frozen=True, rename="camel", tag_field="push", tag="frame"):
    """A picture that nobody asked for."""


class EndedPush(Struct, frozen=True, rename="camel", tag_field="push", tag="ended"):
    """The session is over. `code`: `session_ended`, `not_your_session`, or a newer word."""

    code: str | UnsetType = UNSET
    message: str | UnsetType = UNSET


Push = ObservationPush | FramePush | EndedPush


# Requests


class Join(Struct, frozen=True, rename="camel"):
    """world.join: takes a game, never a region."""

    game_id: GameId
    display_name: str
    harness: str
    protocol_version: int = PROTOCOL_VERSION


class Nothing(Struct, frozen=True):
    """The input of operations that take none."""


class Act(Struct, frozen=True, rename="camel"):
    """play.act: done once under this key, however often it is sent."""

    action: Action
    idempotency_key: str


class Request(Struct, frozen=True, rename="camel", omit_defaults=True):
    """One request. `id` belongs to the WebSocket framing alone. Secrets are not shown."""

    operation: str
    input: Any
    id: int | UnsetType = UNSET
    token: str | UnsetType = UNSET
    credential: str | UnsetType = UNSET

    def __repr__(self) -> str:
        return f"Request(operation={self.operation!r}, id={self.id!r})"
