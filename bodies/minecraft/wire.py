"""What a motor says and hears, declared once: session, phase, facts, actions, evidence, events.

JSON, camelCase. Every union is told apart by `kind`. A motor may send fields that are not listed
here; they are ignored. What is listed is taken strictly: `1` is a whole number and `1.0` is none,
an instant is UTC with a `Z`. Rules between fields stand in `consistency`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

CHAT_CHARACTERS = 256
REACH = 64
"""The largest tolerance and distance, in blocks."""
FACTS = 256
NEAR = 64
REMARKS = 2_000
PLACEMENTS = 64
CHECKS = 64
EVENTS = 64

Instant = Annotated[
    str,
    Meta(
        pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z\Z",
    ),
]
Generation = Annotated[int, Meta(ge=1, le=2**53 - 1)]
Sequence = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Name = Annotated[str, Meta(min_length=1, max_length=256)]
"""Of a player, a block, an item or an action."""
Coordinate = Annotated[int, Meta(ge=-(2**31), le=2**31)]

Phase = Literal[
    "connecting", "active", "pausing", "paused", "stopping", "uncertain", "disconnected"
]
Source = Literal["server_packet", "server_observer", "bot_cache", "adapter_report"]
Witness = Literal["server_packet", "server_observer"]
"""Who may verify or refute."""


class SessionRef(Struct, frozen=True, rename="camel"):
    """One connection of one session; a reconnect is a new generation under the same id."""

    session_id: Name
    connection_generation: Generation


class Endpoint(Struct, frozen=True, rename="camel"):
    """Where a bot joins and as whom; comes from the profile alone."""

    host: str
    port: int
    version: str
    username: str
    auth: Literal["offline"] = "offline"


# Whether a session is on


class NotRequested(Struct, frozen=True, rename="camel", tag_field="kind", tag="not_requested"):
    """Nobody asked for an end."""


class Pending(Struct, frozen=True, rename="camel", tag_field="kind", tag="pending"):
    """Asked for; not over yet."""

    requested_at: Instant


class Uncertain(Struct, frozen=True, rename="camel", tag_field="kind", tag="uncertain"):
    """Asked for; whether it is over cannot be told."""

    requested_at: Instant
    code: Literal["timeout", "connection_lost", "adapter_lost"]


class Confirmed(Struct, frozen=True, rename="camel", tag_field="kind", tag="confirmed"):
    """Over, on somebody's word."""

    confirmed_at: Instant
    source: Literal["connection_end", "server_observer", "not_connected"]


Termination = NotRequested | Pending | Uncertain | Confirmed


class MotorStatus(Struct, frozen=True, rename="camel"):
    """Answer of `status`, `join`, `pause`, `resume` and `leave`.

    A motor that holds no session says `null` for all three. `detail` may name a cause in words.
    """

    session: SessionRef | None = None
    phase: Phase | None = None
    termination: Termination | None = None
    detail: str | None = None


# What is there


class Point(Struct, frozen=True):
    """A place of a player."""

    x: float
    y: float
    z: float


class BlockPosition(Struct, frozen=True):
    """A place of a block."""

    x: Coordinate
    y: Coordinate
    z: Coordinate


class PositionFact(Struct, frozen=True, tag_field="kind", tag="position"):
    player: Name
    position: Point


class BlockFact(Struct, frozen=True, tag_field="kind", tag="block"):
    position: BlockPosition
    block: Name


class InventoryFact(Struct, frozen=True, tag_field="kind", tag="inventory"):
    item: Name
    count: Count


class ChatFact(Struct, frozen=True, tag_field="kind", tag="chat"):
    player: Name
    text: Annotated[str, Meta(max_length=CHAT_CHARACTERS)]


class HealthFact(Struct, frozen=True, tag_field="kind", tag="health"):
    player: Name
    health: float
    food: float


Fact = PositionFact | BlockFact | InventoryFact | ChatFact | HealthFact


class SourcedFact(Struct, frozen=True, rename="camel"):
    """A fact, who reports it and when it was seen."""

    source: Source
    observed_at: Instant
    fact: Fact


class Observation(Struct, frozen=True, rename="camel"):
    """Answer of `observe`."""

    session: SessionRef
    observed_at: Instant
    facts: Annotated[tuple[SourcedFact, ...], Meta(max_length=FACTS)] = ()
    near: Annotated[tuple[Name, ...], Meta(max_length=NEAR)] | UnsetType = UNSET
    """Players that are seen near, from a motor that tells no places of them."""
    remarks: Annotated[str, Meta(max_length=REMARKS)] | UnsetType = UNSET
    """What a motor that writes prose says beside the facts."""


# What a body does


class Chat(Struct, frozen=True, tag_field="kind", tag="chat"):
    """Say something to everybody."""

    text: Annotated[str, Meta(min_length=1, max_length=CHAT_CHARACTERS)]


class Goto(Struct, frozen=True, tag_field="kind", tag="goto"):
    """Walk until within `tolerance` blocks of a place."""

    position: BlockPosition
    tolerance: Annotated[float, Meta(ge=0, le=REACH)]


class Follow(Struct, frozen=True, tag_field="kind", tag="follow"):
    """Stay within `distance` blocks of a player."""

    player: Name
    distance: Annotated[float, Meta(gt=0, le=REACH)]


class Dig(Struct, frozen=True, tag_field="kind", tag="dig"):
    """Break a block."""

    position: BlockPosition


class Craft(Struct, frozen=True, tag_field="kind", tag="craft"):
    """Make items."""

    item: Name
    count: Annotated[int, Meta(ge=1, le=2**31)]


class Place(Struct, frozen=True, tag_field="kind", tag="place"):
    """Put a block somewhere."""

    position: BlockPosition
    item: Name


class Placement(Struct, frozen=True):
    """One block of a build."""

    position: BlockPosition
    item: Name


class Build(Struct, frozen=True, tag_field="kind", tag="build"):
    """Put several blocks."""

    placements: Annotated[tuple[Placement, ...], Meta(min_length=1, max_length=PLACEMENTS)]


Action = Chat | Goto | Follow | Dig | Craft | Place | Build


# What came of it


class BlockCheck(Struct, frozen=True, tag_field="kind", tag="block"):
    """Agrees when both name the same block."""

    position: BlockPosition
    expected: Name
    observed: Name | None


class InventoryCheck(Struct, frozen=True, tag_field="kind", tag="inventory"):
    """Agrees when both counts are equal."""

    item: Name
    expected: Count
    observed: Count | None


class PositionCheck(Struct, frozen=True, tag_field="kind", tag="position"):
    """Agrees when the places are at most `tolerance` blocks apart, in a straight line."""

    player: Name
    expected: Point
    observed: Point | None
    tolerance: Annotated[float, Meta(ge=0, le=REACH)]


class ChatCheck(Struct, frozen=True, tag_field="kind", tag="chat"):
    """Agrees when both texts are equal."""

    player: Name
    expected: Annotated[str, Meta(max_length=CHAT_CHARACTERS)]
    observed: Annotated[str, Meta(max_length=CHAT_CHARACTERS)] | None


Check = BlockCheck | InventoryCheck | PositionCheck | ChatCheck
"""Null as `observed` says that it was not there, and never agrees."""

Checks = Annotated[tuple[Check, ...], Meta(min_length=1, max_length=CHECKS)]

WhyUnknown = Literal[
    "not_observed",
    "local_report_only",
    "optimistic_cache",
    "stale_observation",
    "interrupted",
    "connection_lost",
]


class Unknown(Struct, frozen=True, tag_field="kind", tag="unknown"):
    """Nobody can tell what came of it."""

    reason: WhyUnknown


class Verified(Struct, frozen=True, rename="camel", tag_field="kind", tag="verified"):
    """A witness saw every check agree."""

    source: Witness
    observed_at: Instant
    checks: Checks


class Refuted(Struct, frozen=True, rename="camel", tag_field="kind", tag="refuted"):
    """A witness saw at least one check disagree."""

    source: Witness
    observed_at: Instant
    checks: Checks


Evidence = Unknown | Verified | Refuted

ActionState = Literal[
    "running", "cancel_requested", "completed", "cancelled", "failed", "uncertain"
]


class ActionStatus(Struct, frozen=True, rename="camel"):
    """Answer of `act`, `action_status` and `cancel_action`. Completed is not success."""

    session: SessionRef
    action_id: Name
    requested: Action
    state: ActionState
    requested_at: Instant
    updated_at: Instant
    evidence: Evidence

    @property
    def over(self) -> bool:
        """Whether the motor does nothing more for it."""
        return self.state not in ("running", "cancel_requested")


# What happens by itself


class EventData(Struct, frozen=True, rename="camel"):
    """What an event may say; which of it depends on the type."""

    player: str | None = None
    text: str | None = None
    health: float | None = None
    amount: float | None = None
    cause: str | None = None


class MotorEvent(Struct, frozen=True, rename="camel"):
    """One event of a session; sequences grow by one."""

    sequence: Sequence
    at: Instant
    type: Literal[
        "chat",
        "damage",
        "death",
        "player_join",
        "player_leave",
        "action_completion",
        "connection",
        "viewer",
    ]
    data: EventData = EventData()


class EventPage(Struct, frozen=True, rename="camel"):
    """Answer of `poll_events`. Events before `dropped_before_sequence` are kept no more."""

    events: Annotated[tuple[MotorEvent, ...], Meta(max_length=EVENTS)] = ()
    latest_sequence: Sequence = 0
    dropped_before_sequence: Sequence | None = None


def plain(value: Struct) -> dict[str, Any]:
    """A wire value as the plain JSON object that a tool takes as an argument."""
    return msgspec.to_builtins(value)
