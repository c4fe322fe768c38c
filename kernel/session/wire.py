"""The session protocol: every message between the supervisor and a session process.

One JSON object a line, UTF-8, at most `LINE_CAP` bytes with its newline, tagged by `kind`, with
version 1. The supervisor writes to the child's stdin (`ToSession`), the child to its stdout
(`FromSession`).
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from kernel.session.specification import BudgetCeiling, Specification

VERSION = 1
LINE_CAP = 256 * 1024
HEARTBEAT_SECONDS = 5.0
HANG_SECONDS = 30.0

SpeechKind: TypeAlias = Literal["reply", "speak", "narration"]
Words = Annotated[str, Meta(max_length=400)]
Id = Annotated[str, Meta(max_length=128)]
Count = Annotated[int, Meta(ge=0, lt=2**53)]
"""What every reader of JSON keeps exactly, a metric too."""
Amount = Annotated[float, Meta(ge=0, le=1e12)]
"""Seconds or dollars."""


class _Message(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", rename="camel"):
    v: Literal[1] = 1


Outcome: TypeAlias = Literal[
    "stopped",
    "finished",
    "budget_exhausted",
    "idle",
    "world_ended",
    "mind_unavailable",
    "stop_deadline",
    "supervisor_lost",
    "lease_lapsed",
    "crashed",
    "settled",
    "unsettled",
]
"""How a session ended by its own word; `settled` and `unsettled` belong to mode `recover`."""


# To the session -------------------------------------------------------------------------------


class Start(_Message, frozen=True, kw_only=True, tag="start"):
    """The first line: everything that this session needs, secrets included."""

    specification: Specification


class Say(_Message, frozen=True, kw_only=True, tag="say"):
    """Something a person said; answered by `ack` with this id once the session has it."""

    id: str
    text: str
    speaker: Annotated[str, Meta(max_length=64)] = msgspec.field(name="from")


class Pause(_Message, frozen=True, kw_only=True, tag="pause"):
    """The turn in progress ends, none starts."""


class Resume(_Message, frozen=True, kw_only=True, tag="resume"):
    """Turns start again."""


class Budget(_Message, frozen=True, kw_only=True, tag="budget"):
    """New ceilings for the sitting, applied between calls (K31)."""

    ceiling: BudgetCeiling


class Lease(_Message, frozen=True, kw_only=True, tag="lease"):
    """How many seconds from now the driver generation holds."""

    valid_for: float


class Stop(_Message, frozen=True, kw_only=True, tag="stop"):
    """End; `remaining` seconds are left of the stop deadline."""

    reason: Words
    remaining: float


class Acknowledge(_Message, frozen=True, kw_only=True, tag="ack"):
    """The supervisor has the notable or speech with this id."""

    id: str


class Ping(_Message, frozen=True, kw_only=True, tag="ping"):
    """Answered by a heartbeat at once."""


ToSession: TypeAlias = Start | Say | Pause | Resume | Budget | Lease | Stop | Acknowledge | Ping


# From the session -----------------------------------------------------------------------------


class Hello(_Message, frozen=True, kw_only=True, tag="hello"):
    """The first line, before any body is imported."""

    pid: int
    version: str


class Joining(_Message, frozen=True, kw_only=True, tag="joining"):
    """The session asks the world for the body."""


class Running(_Message, frozen=True, kw_only=True, tag="running"):
    """The body is ours and the journal is open."""

    journey_id: Annotated[str, Meta(max_length=5000)]
    environment_session_id: Annotated[str, Meta(max_length=1000)]
    environment_id: Annotated[str, Meta(max_length=40)]
    journal: Annotated[str, Meta(max_length=4096)]
    recovery: str
    """Opaque; kept 0600, never shown."""
    descendants: tuple[Count, ...] = ()
    """Processes outside this session's group that must not survive it."""


class Refused(_Message, frozen=True, kw_only=True, tag="refused"):
    """The world or the specification did not allow this session. Terminal."""

    reason: Annotated[str, Meta(max_length=40)]
    detail: Words
    recovery: str | None = None
    """As in `running`: the body was taken and could not be played, and the world did not confirm
    its leave. None: nothing is held."""


class Phase(_Message, frozen=True, kw_only=True, tag="phase"):
    """Where in the turn the session is; may be dropped when the outbox is full."""

    phase: Annotated[str, Meta(max_length=40)]
    turn: Annotated[int, Meta(ge=-1, lt=2**53)]
    """The turn's number, from 0; -1 before the first."""
    waiting: Amount | None = None
    """Seconds of a backoff, of pacing or of the provider's `Retry-After`, when it waits for one."""


class BudgetUsed(Struct, frozen=True, kw_only=True, rename="camel"):
    """What the sitting has used of its ceilings."""

    tokens: Count
    token_ceiling: Count | None
    cost: Amount | None
    """Estimated US dollars; None: unknown, which is never 0."""
    cost_ceiling: Amount | None
    unreported_calls: Count


class Card(Struct, frozen=True, kw_only=True, rename="camel"):
    """One turn for people: bounded text, never evidence."""

    turn: Count
    at: str
    outcome: str
    scene: str = ""
    picture: str = ""
    thought: str | None = None
    intent: str | None = None
    objective: str | None = None
    action: str | None = None
    effect: str | None = None
    spoken: str | None = None
    decision_ms: Count | None = None
    action_ms: Count | None = None
    turn_ms: Count | None = None
    gauges: dict[str, Count] = {}


class Turn(_Message, frozen=True, kw_only=True, tag="turn"):
    """A turn ended."""

    card: Card
    budget: BudgetUsed
    failures_in_row: Count = 0
    preemptions: dict[Literal["message", "changed"], Count] = {}


class Usage(_Message, frozen=True, kw_only=True, tag="usage"):
    """A model call settled."""

    role: Literal["mind", "voice"]
    model: str
    outcome: Annotated[str, Meta(max_length=40)]
    input: Count = 0
    output: Count = 0
    cache_read: Count = 0
    cache_write: Count = 0
    reserved: Count = 0
    cost: Amount | None = None
    seconds: Amount = 0.0
    first_token_seconds: Amount | None = None
    budget: BudgetUsed


class Notable(_Message, frozen=True, kw_only=True, tag="notable"):
    """Something that the conversation which started the sitting should know (K32, K33)."""

    id: Id
    notable: Literal[
        "stuck", "objective_retired_twice", "mind_unavailable", "world_ended", "budget_exhausted"
    ]
    detail: Words


class Speech(_Message, frozen=True, kw_only=True, tag="speech"):
    """Words or an event for the room (K25–K27)."""

    id: Id
    speech: SpeechKind
    text: Annotated[str, Meta(max_length=2000)]
    turn: Count


class Stats(_Message, frozen=True, kw_only=True, tag="stats"):
    """Counters of this session so far, under fixed names."""

    counters: dict[str, Count]


class Received(_Message, frozen=True, kw_only=True, tag="ack"):
    """The session has the `say` with this id."""

    id: Id


class Heartbeat(_Message, frozen=True, kw_only=True, tag="heartbeat"):
    """Alive: at least every five seconds, and in answer to a ping."""


class Stopping(_Message, frozen=True, kw_only=True, tag="stopping"):
    """The session admits nothing new and is on its way out."""

    reason: Words


class Ended(_Message, frozen=True, kw_only=True, tag="ended"):
    """The terminal state, claimed once."""

    outcome: Outcome
    leave: Literal["confirmed", "unconfirmed", "not_joined"]
    detail: Words = ""
    receipt: str | None = None
    """The world's leave receipt, or None."""
    turns_taken: Count = 0


FromSession: TypeAlias = (
    Hello
    | Joining
    | Running
    | Refused
    | Phase
    | Turn
    | Usage
    | Notable
    | Speech
    | Stats
    | Received
    | Heartbeat
    | Stopping
    | Ended
)

TERMINAL = (Refused, Ended)

_encoder = msgspec.json.Encoder()
to_session_decoder: msgspec.json.Decoder[ToSession] = msgspec.json.Decoder(ToSession)
from_session_decoder: msgspec.json.Decoder[FromSession] = msgspec.json.Decoder(FromSession)


def encode_line(message: ToSession | FromSession) -> bytes:
    """One message with its newline. Raises ValueError past `LINE_CAP`."""
    line = _encoder.encode(message) + b"\n"
    if len(line) > LINE_CAP:
        raise ValueError(f"a {type(message).__name__} line of {len(line)} bytes is over {LINE_CAP}")
    return line
