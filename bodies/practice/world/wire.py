"""The wire: requests, answers and pushes of a seat as this host reads and writes them.

What comes in is read strictly: an unknown field, kind or number out of range is `invalid_input`.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from bodies.practice.world.acting import MAX_FRAMES, MAX_INPUTS
from bodies.practice.world.actions import Action, Detail, Refusal
from bodies.practice.world.view import GameId, Minimap, SceneView, StateView

PROTOCOL_VERSION = 3
ADAPTER_VERSIONS: dict[GameId, int] = {"firered": 2, "emerald": 1}
CAPABILITIES = (
    "world.observe",
    "world.act",
    "world.frames",
    "world.watch",
    "world.session",
    "world.who",
    "world.regions",
    "world.travel",
    "world.challenge",
    "world.challenges",
    "world.answer_challenge",
)
RefusalCode = Literal[
    "session_ended",
    "not_your_session",
    "world_full",
    "game_unavailable",
    "unauthorized",
    "not_supported",
    "rate_limited",
    "invalid_input",
]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One request; `id` is there on a websocket only."""

    operation: str
    input: msgspec.Raw = msgspec.Raw(b"{}")
    id: int | None = None
    token: str | None = None
    credential: str | None = None


class Refused(Exception):
    """An operation that is not done, with the code and message that the wire carries."""

    def __init__(self, code: RefusalCode, message: str, retry_after_ms: int | None = None) -> None:
        super().__init__(message)
        self.code: RefusalCode = code
        self.message = message
        self.retry_after_ms = retry_after_ms


class _Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    pass


class Nothing(_Input, frozen=True):
    pass


class JoinInput(_Input, frozen=True):
    protocol_version: int
    game_id: str
    display_name: _Name
    harness: _Name


class ActInput(_Input, frozen=True):
    action: Action
    idempotency_key: _Name


class WatchInput(_Input, frozen=True):
    visibility: Literal["public", "private"]


class TravelInput(_Input, frozen=True):
    region_id: str


class ChallengeInput(_Input, frozen=True):
    player_id: str


class AnswerChallengeInput(_Input, frozen=True):
    challenge_id: str
    accept: bool


class MisbehaveInput(_Input, frozen=True):
    """The same as `kind:argument@subject=nth` of the command line."""

    kind: str
    argument: str = ""
    subject: str | None = None
    nth: Annotated[int, msgspec.Meta(ge=1)] = 1


class LogInput(_Input, frozen=True):
    """Entries after this many."""

    after: Annotated[int, msgspec.Meta(ge=0)] = 0


class _Answer(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    pass


class RefusalAnswer(_Answer, frozen=True):
    code: RefusalCode
    message: str
    retry_after_ms: int | UnsetType = UNSET
    ok: bool = False


class Limits(_Answer, frozen=True):
    max_inputs_per_action: int = MAX_INPUTS
    max_frames_per_action: int = MAX_FRAMES
    stall_timeout_ms: int = 5000


class JoinAnswer(_Answer, frozen=True):
    world_id: str
    player_id: str
    session_id: str
    game_id: GameId
    token: str
    capabilities: tuple[str, ...]
    limits: Limits = Limits()
    protocol_version: int = PROTOCOL_VERSION
    ok: bool = True


class Observation(_Answer, frozen=True):
    session_id: str
    body_generation: int
    game_id: GameId
    adapter_version: int
    frame: int
    observed_at: str
    scene: SceneView
    minimap: Minimap | None
    state: StateView | None


class Ran(_Answer, frozen=True, tag_field="kind", tag="ran"):
    inputs_spent: int
    frames_spent: int
    screen_changed: bool
    observation: Observation
    detail: Detail | UnsetType = UNSET


class Rejected(_Answer, frozen=True, tag_field="kind", tag="rejected"):
    refusal: Refusal


class ActAnswer(_Answer, frozen=True):
    session_id: str
    body_generation: int
    frame: int
    replayed: bool
    outcome: Ran | Rejected
    ok: bool = True


class Frame(_Answer, frozen=True):
    """`dropped` counts the pictures that were due to be pushed and were not."""

    session_id: str
    body_generation: int
    frame: int
    dropped: int
    data: bytes
    captured_at: str
    width: int = 240
    height: int = 160
    encoding: Literal["png"] = "png"


class WatchAnswer(_Answer, frozen=True):
    url: str


class SessionAnswer(_Answer, frozen=True):
    session_id: str
    world_id: str
    player_id: str
    game_id: GameId
    body_generation: int
    capabilities: tuple[str, ...]
    limits: Limits = Limits()
    ok: bool = True


class Present(_Answer, frozen=True):
    player_id: str
    display_name: str
    game_id: GameId
    region_id: str
    map_id: str


class WhoAnswer(_Answer, frozen=True):
    players: tuple[Present, ...]
    ok: bool = True


class Region(_Answer, frozen=True):
    region_id: str
    label: str
    here: bool
    players: int


class RegionsAnswer(_Answer, frozen=True):
    regions: tuple[Region, ...]
    ok: bool = True


class TravelAnswer(_Answer, frozen=True):
    region_id: str
    body_generation: int
    ok: bool = True


class Challenge(_Answer, frozen=True):
    """A friendly match that one player asks of another."""

    challenge_id: str
    from_player_id: str
    to_player_id: str


class ChallengeAnswer(_Answer, frozen=True):
    challenge_id: str
    ok: bool = True


class ChallengesAnswer(_Answer, frozen=True):
    challenges: tuple[Challenge, ...]
    ok: bool = True


class MatchAnswer(_Answer, frozen=True):
    """`winner` is null when the challenge was declined."""

    challenge_id: str
    accepted: bool
    winner: str | None
    ok: bool = True


class LeaveAnswer(_Answer, frozen=True):
    session_id: str
    ended_at: str
    ok: bool = True


class MisbehaveAnswer(_Answer, frozen=True):
    pending: int
    ok: bool = True


class LogAnswer(_Answer, frozen=True):
    entries: tuple[Any, ...]
    ok: bool = True


Answer = (
    RefusalAnswer
    | JoinAnswer
    | Observation
    | ActAnswer
    | Frame
    | WatchAnswer
    | SessionAnswer
    | WhoAnswer
    | RegionsAnswer
    | TravelAnswer
    | ChallengeAnswer
    | ChallengesAnswer
    | MatchAnswer
    | LeaveAnswer
    | MisbehaveAnswer
    | LogAnswer
)


class Ended(_Answer, frozen=True, tag_field="push", tag="ended"):
    session_id: str
    code: Literal["session_ended", "not_your_session"]
    message: str
    ended_at: str


def encoded(answer: Answer | Ended, **extra: int | str) -> bytes:
    """An answer as JSON, with the request's id or the push's name put before its own fields."""
    body = msgspec.json.encode(answer)
    if not extra:
        return body
    return msgspec.json.encode(extra)[:-1] + b"," + body[1:]
