"""The wire: what a motor is asked and what it answers, declared once and strictly."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Phase = Literal[
    "connecting", "active", "pausing", "paused", "stopping", "uncertain", "disconnected"
]
UncertainCode = Literal["timeout", "connection_lost", "adapter_lost"]
FactSource = Literal["server_packet", "server_observer", "bot_cache", "adapter_report"]
ProofSource = Literal["server_packet", "server_observer"]
ActionState = Literal[
    "running", "cancel_requested", "completed", "cancelled", "failed", "uncertain"
]
Reason = Literal[
    "not_observed",
    "local_report_only",
    "optimistic_cache",
    "stale_observation",
    "interrupted",
    "connection_lost",
]
EventType = Literal[
    "chat",
    "damage",
    "death",
    "player_join",
    "player_leave",
    "action_completion",
    "connection",
    "viewer",
]
ErrorCode = Literal[
    "invalid_input",
    "not_connected",
    "already_connected",
    "stale_session",
    "wrong_phase",
    "busy",
    "action_id_reused",
    "unknown_action",
    "unknown_tool",
]
Name = Annotated[str, Meta(min_length=1, max_length=256)]
"""Of a session, an action, a player, a block or an item."""
Tolerance = Annotated[float, Meta(ge=0, le=64)]

MAX_FACTS = 256
MAX_PLACEMENTS = 64
MAX_TEXT = 256


class _Wire(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    pass


class _Kind(_Wire, frozen=True, tag_field="kind"):
    pass


class SessionRef(_Wire, frozen=True):
    """One connection: a reconnect is a new generation even under the same session id."""

    session_id: Name
    connection_generation: Annotated[int, Meta(ge=1)]


class BlockPosition(_Wire, frozen=True):
    x: int
    y: int
    z: int


class Position(_Wire, frozen=True):
    x: float
    y: float
    z: float


# What can be done. No action is waiting.


class Chat(_Kind, frozen=True, tag="chat"):
    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]


class Goto(_Kind, frozen=True, tag="goto"):
    position: BlockPosition
    tolerance: Tolerance


class Follow(_Kind, frozen=True, tag="follow"):
    player: Name
    distance: Annotated[float, Meta(gt=0, le=64)]


class Dig(_Kind, frozen=True, tag="dig"):
    position: BlockPosition


class Craft(_Kind, frozen=True, tag="craft"):
    item: Name
    count: Annotated[int, Meta(ge=1)]


class Place(_Kind, frozen=True, tag="place"):
    position: BlockPosition
    item: Name


class Placement(_Wire, frozen=True):
    position: BlockPosition
    item: Name


class Build(_Kind, frozen=True, tag="build"):
    placements: Annotated[tuple[Placement, ...], Meta(min_length=1, max_length=MAX_PLACEMENTS)]


Action = Chat | Goto | Follow | Dig | Craft | Place | Build


# How a connection stands.


class NotRequested(_Kind, frozen=True, tag="not_requested"):
    pass


class Pending(_Kind, frozen=True, tag="pending"):
    requested_at: str


class UncertainTermination(_Kind, frozen=True, tag="uncertain"):
    requested_at: str
    code: UncertainCode


class Confirmed(_Kind, frozen=True, tag="confirmed"):
    confirmed_at: str
    source: Literal["connection_end", "server_observer", "not_connected"]


Termination = NotRequested | Pending | UncertainTermination | Confirmed


class MotorStatus(_Wire, frozen=True):
    """All three are null when nothing was joined since the motor started."""

    session: SessionRef | None = None
    phase: Phase | None = None
    termination: Termination | None = None


# What is seen.


class PositionFact(_Kind, frozen=True, tag="position"):
    player: str
    position: Position


class BlockFact(_Kind, frozen=True, tag="block"):
    position: BlockPosition
    block: str


class InventoryFact(_Kind, frozen=True, tag="inventory"):
    item: str
    count: int


class ChatFact(_Kind, frozen=True, tag="chat"):
    player: str
    text: str


class HealthFact(_Kind, frozen=True, tag="health"):
    player: str
    health: float
    food: float


Fact = PositionFact | BlockFact | InventoryFact | ChatFact | HealthFact


class SourcedFact(_Wire, frozen=True):
    source: FactSource
    observed_at: str
    fact: Fact


class Observation(_Wire, frozen=True):
    session: SessionRef
    observed_at: str
    facts: tuple[SourcedFact, ...]


# What became of an action, and how that is known.


class BlockCheck(_Kind, frozen=True, tag="block"):
    position: BlockPosition
    expected: str
    observed: str

    @property
    def agrees(self) -> bool:
        return self.expected == self.observed


class InventoryCheck(_Kind, frozen=True, tag="inventory"):
    item: str
    expected: int
    observed: int

    @property
    def agrees(self) -> bool:
        return self.expected == self.observed


class PositionCheck(_Kind, frozen=True, tag="position"):
    player: str
    expected: Position
    observed: Position
    tolerance: Tolerance

    @property
    def agrees(self) -> bool:
        dx = self.expected.x - self.observed.x
        dy = self.expected.y - self.observed.y
        dz = self.expected.z - self.observed.z
        return dx * dx + dy * dy + dz * dz <= self.tolerance * self.tolerance


class ChatCheck(_Kind, frozen=True, tag="chat"):
    player: str
    expected: str
    observed: str

    @property
    def agrees(self) -> bool:
        return self.expected == self.observed


Check = BlockCheck | InventoryCheck | PositionCheck | ChatCheck


class Unknown(_Kind, frozen=True, tag="unknown"):
    reason: Reason


class Verified(_Kind, frozen=True, tag="verified"):
    source: ProofSource
    observed_at: str
    checks: tuple[Check, ...]


class Refuted(_Kind, frozen=True, tag="refuted"):
    source: ProofSource
    observed_at: str
    checks: tuple[Check, ...]


Evidence = Unknown | Verified | Refuted


class ActionStatus(_Wire, frozen=True):
    session: SessionRef
    action_id: str
    requested: Action
    state: ActionState
    requested_at: str
    updated_at: str
    evidence: Evidence


# What happened meanwhile.


class Event(_Wire, frozen=True):
    sequence: int
    at: str
    type: EventType
    data: dict[str, str | int | bool]


class Events(_Wire, frozen=True):
    """Events with a sequence below `dropped_before_sequence` are gone."""

    events: tuple[Event, ...]
    latest_sequence: int
    dropped_before_sequence: int


class ViewerStatus(_Wire, frozen=True):
    available: bool
    width: int
    height: int
    frame_url: str | UnsetType = UNSET


class Failure(_Wire, frozen=True):
    """What stands in a result whose `isError` is true."""

    code: ErrorCode
    message: str


# What is asked.


class Endpoint(_Wire, frozen=True):
    host: Annotated[str, Meta(min_length=1, max_length=255)]
    port: Annotated[int, Meta(ge=1, le=65535)]
    version: Annotated[str, Meta(min_length=1, max_length=32)]
    username: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9_]{1,16}\Z")]
    auth: Literal["offline"]


class JoinRequest(_Wire, frozen=True):
    session: SessionRef
    profile_id: Name
    endpoint: Endpoint


class StatusRequest(_Wire, frozen=True):
    pass


class SessionRequest(_Wire, frozen=True):
    session: SessionRef


class ActRequest(_Wire, frozen=True):
    session: SessionRef
    action_id: Name
    action: Action


class ActionRequest(_Wire, frozen=True):
    session: SessionRef
    action_id: Name


class PollRequest(_Wire, frozen=True):
    session: SessionRef
    limit: Annotated[int, Meta(ge=1, le=64)]
    after_sequence: Annotated[int, Meta(ge=0)] | UnsetType = UNSET


Request = JoinRequest | StatusRequest | SessionRequest | ActRequest | ActionRequest | PollRequest
Answer = MotorStatus | Observation | ActionStatus | Events | ViewerStatus
