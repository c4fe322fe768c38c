"""The control protocol: every request, answer and event on the daemon's socket.

One JSON object a line, UTF-8, at most `LINE_CAP` bytes with its newline. A client sends
`{"id", "verb", "params"}` and gets `{"id", "ok": true, "result"}` or
`{"id", "ok": false, "error"}`; requests of one connection run side by side and are answered in any
order. `watch` sends `{"id", "event"}` until `cancel` or until the connection closes. Keys are
camelCase. Parameters are strict; a client must tolerate fields that it does not know in results.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from config.settings import Name
from kernel.session.specification import BudgetCeiling
from kernel.session.wire import BudgetUsed, Card

PROTOCOL = 1
LINE_CAP = 64 * 1024
JOIN_WAIT_SECONDS = 12.0

RequestId: TypeAlias = (
    Annotated[int, Meta(ge=0, lt=2**53)] | Annotated[str, Meta(min_length=1, max_length=64)]
)
Code: TypeAlias = Literal[
    # the line itself
    "bad_request",
    "unknown_verb",
    "bad_params",
    "too_long",
    "too_many_connections",
    "too_many_requests",
    "internal",
    # the caller
    "not_authorized",
    # the thing asked about
    "no_such_seat",
    "no_such_room",
    "no_such_delivery",
    "no_world",
    "nothing_to_recall",
    # its state
    "draining",
    "play_session_active",
    "not_playing",
    "stopping",
    "seat_failed",
    "recovery_required",
    "unsettled",
    "lease_held",
    "world_in_use",
    "state_unwritable",
    # what went wrong on the way
    "configuration",
    "spawn_failed",
    "session_refused",
    "session_failed",
    "session_silent",
    "world",
    "model",
]
"""Every error code. `Refusal.code` is one of these."""

SessionState: TypeAlias = Literal[
    "claimed", "starting", "running", "stopping", "stopped", "failed", "refused"
]
SeatState: TypeAlias = Literal[
    "idle",
    "starting",
    "running",
    "paused",
    "stopping",
    "restarting",
    "failed",
    "recovery_required",
    "stale",
]
CeilingName: TypeAlias = Literal["tokens", "dollars", "max_turns", "max_duration"]
DeliveryOutcome: TypeAlias = Literal["played", "suppressed", "refused", "failed"]


class _Params(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    pass


class _Result(Struct, frozen=True, kw_only=True, rename="camel"):
    pass


# Envelopes --------------------------------------------------------------------------------------


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line from a client."""

    id: RequestId
    verb: Annotated[str, Meta(max_length=64)]
    params: msgspec.Raw = msgspec.Raw(b"{}")


class Failure(Struct, frozen=True, kw_only=True):
    """Why a request was not done: `message` names the thing, `detail` the next step."""

    code: Code
    message: str
    detail: str = ""


# What is shown of seats and sessions ------------------------------------------------------------


class SessionView(_Result, frozen=True, kw_only=True):
    """One session, live or ended."""

    session_id: str
    sitting_id: str
    seat: str
    generation: int
    state: SessionState
    stale: bool = False
    """Of an earlier daemon, which recorded this state; how it ended is not settled yet."""
    began_at: str
    """UTC."""
    ended_at: str | None = None
    pid: int | None = None
    """Of the session process while it lives."""
    room: str | None = None
    paused: bool = False
    phase: str | None = None
    waiting: float | None = None
    """Seconds of the wait that the phase is in, when it began."""
    turns_taken: int = 0
    outcome: str | None = None
    reason: str = ""
    leave: Literal["confirmed", "unconfirmed", "not_joined"] | None = None
    journey_id: str | None = None
    journal: str | None = None
    """Path of this run's journal."""
    ceiling: BudgetCeiling | None = None
    budget: BudgetUsed | None = None
    card: Card | None = None
    """The last turn."""
    failures_in_row: int = 0
    counters: dict[str, int] = {}


class SeatView(_Result, frozen=True, kw_only=True):
    """One configured seat and what it does now."""

    seat: str
    body: str
    game: str
    model: str
    state: SeatState
    detail: str = ""
    """What a person should know or do about the state, in words."""
    generation: int = 0
    """The last driver generation given out."""
    room: str | None = None
    world: str | None = None
    deaths: int = 0
    """Counted against the failure limits now."""
    restart_in: float | None = None
    """Seconds until the pending restart."""
    ceiling: BudgetCeiling | None = None
    """For the next sitting."""
    session: SessionView | None = None
    """The live session, else the last one that the daemon knows."""

    @property
    def at_rest(self) -> bool:
        """Whether nothing of it runs, or will by itself."""
        return self.state in _AT_REST and self.restart_in is None


_AT_REST: frozenset[SeatState] = frozenset(("idle", "failed", "recovery_required", "stale"))


# Verbs ------------------------------------------------------------------------------------------


class HelloParams(_Params, frozen=True, kw_only=True):
    """Asks who answers; granted to whoever is granted anything."""


class HelloResult(_Result, frozen=True, kw_only=True):
    protocol: int
    version: str
    pid: int
    uid: int
    """The caller's, as the kernel told it."""
    owner: bool
    """Whether the caller is root or the daemon's own user."""


class StatusParams(_Params, frozen=True, kw_only=True):
    """The daemon and every seat that the caller may ask about, by name, from `after` on."""

    seat: Name | None = None
    after: Name | None = None


class StatusResult(_Result, frozen=True, kw_only=True):
    version: str
    pid: int
    uptime: float
    """Seconds."""
    draining: bool
    configuration: str | None
    """Path of the file in force."""
    configuration_error: str | None = None
    """Why the last reload kept the old one."""
    state_directory: str
    seats: tuple[SeatView, ...]
    more: bool = False
    """The line was full: ask again `after` the last seat."""
    sessions: dict[SessionState, int] = {}
    """Sessions known to this daemon, by state."""
    problems: tuple[str, ...] = ()
    """Failures that cost no turn, counted (K13), a line each."""


class SeatsParams(_Params, frozen=True, kw_only=True):
    """The configured seats, by name, from `after` on."""

    after: Name | None = None


class SeatsResult(_Result, frozen=True, kw_only=True):
    seats: tuple[SeatView, ...]
    more: bool = False
    """The line was full: ask again `after` the last seat."""


class SessionsParams(_Params, frozen=True, kw_only=True):
    """Sessions, newest first: the live ones, or with `all` the ended ones too."""

    seat: Name | None = None
    all: bool = False
    limit: Annotated[int, Meta(ge=1, le=500)] = 50


class SessionsResult(_Result, frozen=True, kw_only=True):
    sessions: tuple[SessionView, ...]
    more: bool = False
    """Older ones were left out: over the limit, or the line was full."""


class BudgetChange(_Params, frozen=True, kw_only=True):
    """Ceilings to set; an absent one stays, null removes it, 0 is a ceiling (K29, K31)."""

    tokens: Annotated[int, Meta(ge=0, le=10**12)] | UnsetType | None = UNSET
    dollars: Annotated[float, Meta(ge=0, le=1e6)] | UnsetType | None = UNSET
    max_turns: Annotated[int, Meta(ge=0, le=10**9)] | UnsetType | None = UNSET
    max_duration: Annotated[float, Meta(ge=0, le=10**9)] | UnsetType | None = UNSET


class JoinParams(_Params, frozen=True, kw_only=True):
    """Starts a sitting in a seat; `room` and `budget` override the seat's own for this sitting."""

    seat: Name
    room: Name | None = None
    budget: BudgetChange = BudgetChange()
    wait: Annotated[float, Meta(ge=0, le=JOIN_WAIT_SECONDS)] = JOIN_WAIT_SECONDS
    """Seconds to wait for `running` before the answer is `pending`."""


class JoinResult(_Result, frozen=True, kw_only=True):
    seat: str
    session_id: str
    sitting_id: str
    generation: int
    state: Literal["running", "pending"]
    """`running` only once the session said so."""
    detail: str = ""


class StopParams(_Params, frozen=True, kw_only=True):
    """Ends the seat's session and any pending restart; `now` kills at once."""

    seat: Name
    now: bool = False


class StopResult(_Result, frozen=True, kw_only=True):
    seat: str
    session_id: str | None
    """None: there was only a pending restart to cancel."""
    state: SessionState | None
    outcome: str | None
    leave: Literal["confirmed", "unconfirmed", "not_joined"] | None = None
    turns_taken: int = 0
    detail: str = ""
    survivors: tuple[int, ...] = ()
    """Processes of the session that could not be ended."""


class SayParams(_Params, frozen=True, kw_only=True):
    """Words of a person for the seat's session."""

    seat: Name
    text: Annotated[str, Meta(min_length=1, max_length=16_000)]
    speaker: Annotated[str, Meta(max_length=64)] = msgspec.field(default="", name="from")
    room: Name | None = None
    """The room that the caller speaks for; else the sitting's own."""


class SayResult(_Result, frozen=True, kw_only=True):
    seat: str
    session_id: str
    id: str
    """The message's; the session has it."""


class PauseParams(_Params, frozen=True, kw_only=True):
    """The turn in progress ends, none starts."""

    seat: Name


class ResumeParams(_Params, frozen=True, kw_only=True):
    """Turns start again."""

    seat: Name


class PauseResult(_Result, frozen=True, kw_only=True):
    seat: str
    session_id: str
    paused: bool


class BudgetParams(_Params, frozen=True, kw_only=True):
    """Reads the ceilings, or sets those that `change` names."""

    seat: Name
    change: BudgetChange = BudgetChange()
    default: bool = False
    """The seat's ceilings for later sittings instead of the running sitting's."""
    reset: bool = False
    """With `default`: forgets what earlier requests set, before `change`."""


class BudgetResult(_Result, frozen=True, kw_only=True):
    seat: str
    default: bool
    ceiling: BudgetCeiling
    overridden: tuple[CeilingName, ...] = ()
    """The seat's ceilings that `default` set; later sittings have the others from the file."""
    used: BudgetUsed | None = None
    turns_taken: int | None = None
    """Of the running sitting, as is `elapsed`, in seconds."""
    elapsed: float | None = None


class ObserveParams(_Params, frozen=True, kw_only=True):
    """The last decoded state of a live session."""

    seat: Name


class ObserveResult(_Result, frozen=True, kw_only=True):
    seat: str
    session: SessionView
    """The live one, or the one of a `stale` seat that was settled by this look."""
    detail: str = ""
    """After a settlement: what happened, and the next step."""


class RecallParams(_Params, frozen=True, kw_only=True):
    """The bounded story of the seat's journey."""

    seat: Name


class RecallResult(_Result, frozen=True, kw_only=True):
    seat: str
    story: msgspec.Raw
    """The card of `playctl journal story --json`."""


class WatchParams(_Params, frozen=True, kw_only=True):
    """Follows a seat, every seat that the caller may watch, or a room's deliveries."""

    seat: Name | None = None
    room: Name | None = None


class WatchResult(_Result, frozen=True, kw_only=True):
    """The stream's end: how many events were sent and how many were lost."""

    sent: int
    lost: int


class WorldParams(_Params, frozen=True, kw_only=True):
    """Checks, starts or stops the local world that the seat is in."""

    seat: Name
    action: Literal["check", "start", "stop"]


class WorldResult(_Result, frozen=True, kw_only=True):
    seat: str
    world: str
    state: Literal["healthy", "unreachable", "stopped"]
    started: bool = False
    """By this request; a healthy world is reused."""
    pid: int | None = None
    log: str | None = None
    detail: str = ""


class JournalsParams(_Params, frozen=True, kw_only=True):
    """The journals that the daemon knows, newest first."""

    seat: Name | None = None
    limit: Annotated[int, Meta(ge=1, le=500)] = 50


class JournalView(_Result, frozen=True, kw_only=True):
    path: str
    bytes: int | None
    """None: the file is gone."""
    seat: str
    session_id: str
    journey_id: str | None
    began_at: str
    turns_taken: int
    outcome: str | None


class JournalsResult(_Result, frozen=True, kw_only=True):
    journals: tuple[JournalView, ...]
    more: bool = False


class Acknowledgement(_Params, frozen=True, kw_only=True):
    """What became of a delivery, by the word of the room that got it."""

    delivery_id: Annotated[str, Meta(min_length=1, max_length=128)]
    outcome: DeliveryOutcome
    detail: Annotated[str, Meta(max_length=400)] = ""


class ReceiptsParams(_Params, frozen=True, kw_only=True):
    """Reads delivery receipts, newest first, or records one."""

    room: Name | None = None
    seat: Name | None = None
    limit: Annotated[int, Meta(ge=1, le=500)] = 50
    acknowledge: Acknowledgement | None = None


class ReceiptView(_Result, frozen=True, kw_only=True):
    delivery_id: str
    room: str
    seat: str
    session_id: str
    outcome: DeliveryOutcome
    at: str
    detail: str = ""


class ReceiptsResult(_Result, frozen=True, kw_only=True):
    receipts: tuple[ReceiptView, ...]
    more: bool = False


class ResetParams(_Params, frozen=True, kw_only=True):
    """Lets a failed seat play again."""

    seat: Name


class ResetResult(_Result, frozen=True, kw_only=True):
    seat: str
    had_failed: bool
    state: SeatState


class RecoverParams(_Params, frozen=True, kw_only=True):
    """Settles an unconfirmed leave; `force` takes the caller's word for it (owner and root)."""

    seat: Name
    force: bool = False


class RecoverResult(_Result, frozen=True, kw_only=True):
    seat: str
    outcome: Literal["settled", "forced", "nothing_to_recover"]
    detail: str = ""


class ReloadParams(_Params, frozen=True, kw_only=True):
    """Reads the configuration again; a bad file keeps the old one."""


class ReloadResult(_Result, frozen=True, kw_only=True):
    configuration: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Names of seats."""
    needs_restart: tuple[str, ...] = ()
    """Settings that hold after the daemon's next start alone."""
    warnings: tuple[str, ...] = ()
    detail: str = ""


class DrainParams(_Params, frozen=True, kw_only=True):
    """Refuses joins, stops every session, then the daemon exits."""


class DrainResult(_Result, frozen=True, kw_only=True):
    stopped: int
    failed: int
    detail: str = ""


class HealthParams(_Params, frozen=True, kw_only=True):
    """Whether the daemon accepts joins, and what hinders it."""


class HealthCheck(_Result, frozen=True, kw_only=True):
    name: str
    ok: bool
    detail: str = ""


class HealthResult(_Result, frozen=True, kw_only=True):
    ready: bool
    checks: tuple[HealthCheck, ...]


class CancelParams(_Params, frozen=True, kw_only=True):
    """Ends a stream of this connection; needs no grant."""

    request: RequestId


class CancelResult(_Result, frozen=True, kw_only=True):
    cancelled: bool
    """False: no stream of that id."""


# Events of `watch` ------------------------------------------------------------------------------


class _Event(Struct, frozen=True, kw_only=True, tag_field="kind", rename="camel"):
    pass


class Watching(_Event, frozen=True, kw_only=True, tag="watching"):
    """Everything watched was shown once, each seat in a `seat` event; from here on, changes."""


class SeatChanged(_Event, frozen=True, kw_only=True, tag="seat"):
    """The seat or its session came into another state."""

    seat: SeatView


class TurnEnded(_Event, frozen=True, kw_only=True, tag="turn"):
    seat: str
    session_id: str
    card: Card
    budget: BudgetUsed
    failures_in_row: int = 0


class PhaseChanged(_Event, frozen=True, kw_only=True, tag="phase"):
    seat: str
    session_id: str
    phase: str
    turn: int
    waiting: float | None = None


class NotableRaised(_Event, frozen=True, kw_only=True, tag="notable"):
    seat: str
    session_id: str
    id: str
    notable: str
    detail: str
    room: str | None = None


class Spoken(_Event, frozen=True, kw_only=True, tag="speech"):
    """Words or an event for a room; acknowledged with `receipts` under `delivery_id`."""

    seat: str
    session_id: str
    delivery_id: str
    room: str | None
    speech: Literal["reply", "speak", "narration"]
    text: str
    turn: int


class Lost(_Event, frozen=True, kw_only=True, tag="lost"):
    """The client read too slowly: `count` events were left out since the last line."""

    count: int


Event: TypeAlias = Watching | SeatChanged | TurnEnded | PhaseChanged | NotableRaised | Spoken | Lost

event_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
