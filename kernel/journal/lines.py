"""Every line that a journal may hold, declared once.

A line is built without its envelope; the writer puts the envelope on it. A line that was read
carries what its file had, and an older one has `UNSET` where the envelope was not yet written.
What belongs to a body (observations, actions, results, progress, signals) stays the JSON text that
the body wrote: `msgspec.Raw`, made with `opaque`. A `Raw` that was read is a view into its whole
line; whoever keeps it longer than the line takes a `copy()`.

Absent and null are told apart only where the rules do; every field that older lines lack has the
default that the rules give it. Fields that nobody here knows are ignored, never an error.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

LINE_LIMIT: Final = 256 * 1024
"""Bytes of the longest line, its newline included (K36)."""

Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
"""A number of things: what every JSON reader can hold exactly."""

Instant = Annotated[
    str,
    Meta(
        pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z\Z",
    ),
]
"""UTC wall time for people, milliseconds, `Z`."""

Sha256 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]

Milliseconds = Count | Annotated[float, Meta(ge=0)]
"""Whole in our journals; a clock that counts finer has left fractions in others."""

Dollars = Annotated[float, Meta(ge=0)]
"""An estimate, always (K29)."""

NULL = Raw(b"null")
"""Nothing, where an opaque value may stand."""


class Envelope(Struct, frozen=True, kw_only=True, rename="camel"):
    """What every line of one run says about where it belongs."""

    run_id: str
    journey_id: str
    environment_id: str
    environment_session_id: str
    venue: Literal["world", "local"]


class Line(Struct, frozen=True, kw_only=True, rename="camel", tag_field="kind"):
    """What all lines share. A body's own turn line derives from it with `tag="turn"`."""

    schema_version: int = 2
    at: Instant | UnsetType = UNSET
    run_id: str | UnsetType = UNSET
    journey_id: str | UnsetType = UNSET
    environment_id: str | UnsetType = UNSET
    environment_session_id: str | UnsetType = UNSET
    venue: Literal["world", "local"] | UnsetType = UNSET


# --- header


class Software(Struct, frozen=True, kw_only=True, rename="camel"):
    name: str
    version: str


class Model(Struct, frozen=True, kw_only=True, rename="camel"):
    provider: str
    model: str


class Models(Struct, frozen=True, kw_only=True, rename="camel"):
    mind: Model
    voice: Model | None = None


class Ceilings(Struct, frozen=True, kw_only=True, rename="camel"):
    """What the sitting may spend; null is no ceiling."""

    tokens: Count | None = None
    dollars: Dollars | None = None
    max_turns: Count | None = None
    max_duration_ms: Count | None = None


class HeaderLine(Line, frozen=True, kw_only=True, tag="header"):
    schema_version: Literal[1, 2, 3] = 3
    scenario_id: str
    started_at: Instant
    resumed_from_checkpoint_id: str | None = None
    budget: Ceilings | None = None
    models: Models | None = None
    persona: str | None = None
    driver_generation: Count | None = None
    connection_generation: Count | UnsetType = UNSET
    software: Software | None = None
    sitting_id: str | None = None


# --- turn


class Usage(Struct, frozen=True, kw_only=True, rename="camel"):
    """What several calls used together. Null is unknown, which differs from 0 (K28, K29)."""

    input: Count | None = None
    output: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None
    charged: Count | None = None
    calls: Count | None = None
    unreported: Count | None = None
    cost: Dollars | None = None
    estimated: bool = False


class Turn(Struct, frozen=True, kw_only=True, rename="camel"):
    """One numbered turn as every reader of the project sees it."""

    turn: Count
    observation_sha256: str | None
    framebuffer_sha256: str | None = None
    monologue: str | None
    intent: str | None
    notes: str | None
    objective: str | None = None
    objective_retired: str | None = None
    interjection: str | None = None
    reply: str | None = None
    speak: str | None = None
    speak_suppressed: bool = False
    speak_wanted: bool = False
    action: Raw
    outcome: str
    detail: str | None = None
    effect: str | None = None
    effect_advice: str | None = None
    usage: Usage | None = None
    clipped: tuple[str, ...] = ()


class Stage(Struct, frozen=True, kw_only=True, rename="camel"):
    """What the body saw at one moment, exactly (K34)."""

    observations: tuple[Raw, ...]
    provenance: Raw = NULL


class ActionResult(Struct, frozen=True, kw_only=True, rename="camel"):
    source: str
    result: Raw


class Timing(Struct, frozen=True, kw_only=True, rename="camel"):
    decision_started_at: Instant | None = None
    decision_settled_at: Instant | None = None
    action_started_at: Instant | None = None
    action_settled_at: Instant | None = None


class Evidence(Struct, frozen=True, kw_only=True, rename="camel"):
    """The proof of one turn; a stage that did not happen is null (K34).

    The stages encode a `Stage` each, and `action_result` an `ActionResult`.
    """

    decision: Raw
    immediate_pre_action: Raw = NULL
    post_action: Raw = NULL
    action_result: Raw = NULL
    progress_before: Raw = NULL
    progress_after: Raw = NULL
    signals: Raw = NULL
    timing: Timing | None = None
    window: Count | None = None


class Screenshot(Struct, frozen=True, kw_only=True, rename="camel"):
    """A PNG file beside the journal; `path` is relative to the journal's folder."""

    path: str
    bytes: Count
    sha256: Sha256
    width: Count
    height: Count
    reasons: tuple[str, ...]


class TurnLine(Line, frozen=True, kw_only=True, tag="turn"):
    """A settled turn. `evidence` holds an encoded `Evidence`, which few readers ask for."""

    schema_version: Literal[1, 2] = 2
    turn: Turn
    evidence: Raw = NULL
    screenshot: Screenshot | UnsetType = UNSET
    speech_delivery_id: str | UnsetType = UNSET
    narration_event: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        require_narration_pair(self.speech_delivery_id, self.narration_event)


# --- what brackets an action


class Decided(Struct, frozen=True, kw_only=True, rename="camel"):
    """A valid decision. Null `notes` keep them; `objective` absent keeps it, null clears it."""

    monologue: str
    intent: str
    notes: str | None = None
    objective: str | UnsetType | None = UNSET
    reply: str | None = None
    speak: str | None = None
    action: Raw
    clipped: tuple[str, ...] = ()


class DecisionLine(Line, frozen=True, kw_only=True, tag="decision"):
    """Written before the action's request is sent."""

    schema_version: Literal[2] = 2
    turn: Count
    attempt: Count
    decision: Decided
    idempotency_key: str | None = None


class ActionLine(Line, frozen=True, kw_only=True, tag="action"):
    """Written when the action settled. `result` encodes an `ActionResult`, in full."""

    schema_version: Literal[2] = 2
    turn: Count
    outcome: str
    result: Raw
    idempotency_key: str | None = None


# --- other diagnostics


class UsageLine(Line, frozen=True, kw_only=True, tag="usage"):
    """One model call, once as a reserve before its request and once when it settled (K28).

    `call_id` pairs the two within a run. `charged` is the reserve, then what is charged for good.
    Without complete reported usage `reported` is false and the four numbers may be null.
    """

    schema_version: Literal[2] = 2
    call_id: str
    stage: Literal["reserved", "settled"]
    role: Literal["mind", "voice"]
    provider: str
    model: str
    turn: Count | None = None
    attempt: Count = 0
    charged: Count
    reported: bool = False
    input: Count | None = None
    output: Count | None = None
    cache_read: Count | None = None
    cache_write: Count | None = None
    cost: Dollars | None = None
    estimated: bool = False


class NotableLine(Line, frozen=True, kw_only=True, tag="notable"):
    """`notable` is one of the kinds of K32."""

    schema_version: Literal[2] = 2
    notable: str
    turn: Count | None = None
    detail: str | None = None


class EvidenceWindowLine(Line, frozen=True, kw_only=True, tag="evidence_window"):
    """The seal of a full evidence window (K35); `kernel/journal/windows.py` says what it covers."""

    schema_version: Literal[2] = 2
    window: Count
    lines: Count
    bytes: Count
    sha256: Sha256
    previous_sha256: Sha256 | None = None


GapCause = Literal["write_failed", "line_too_long", "not_encodable"]


class JournalGapLine(Line, frozen=True, kw_only=True, tag="journal_gap"):
    """Lines that could not be written (K13, K36)."""

    schema_version: Literal[2] = 2
    cause: GapCause
    lost: Count
    lost_kinds: tuple[str, ...]
    first_at: Instant
    last_at: Instant
    detail: str | None = None


class TransportLine(Line, frozen=True, kw_only=True, tag="transport"):
    """A model call that failed or was cancelled. Never holds a prompt, an answer or a secret."""

    schema_version: Literal[2] = 2
    role: Literal["mind", "voice"]
    failure: str
    status: Count | None = None
    code: str | None = None
    request_id: str | None = None
    call_id: str | None = None
    turn: Count | None = None
    attempt: Count


# --- summary


class Volition(Struct, frozen=True, kw_only=True, rename="camel"):
    """How often the player could speak, did, was held back, and was not asked."""

    offered: Count = 0
    taken: Count = 0
    suppressed: Count = 0
    skipped: Count = 0


class Undelivered(Struct, frozen=True, kw_only=True, rename="camel"):
    """Messages that the session could not deliver (K16a)."""

    count: Count = 0
    times: tuple[Instant, ...] = ()


class SummaryLine(Line, frozen=True, kw_only=True, tag="summary"):
    """The run's last line."""

    schema_version: Literal[1, 2] = 2
    outcome: str
    turns_taken: Count
    accepted: Count = 0
    duration_ms: Milliseconds = 0
    usage: Usage | None = None
    progress: Raw = NULL
    volition: Volition = Volition()
    coherence: float | None = None
    longest_unchanged_run: Count = 0
    longest_recurring_run: Count = 0
    objectives_retired: Count = 0
    frames_published: Count = 0
    frames_dropped: Count = 0
    rolled_windows: Count = 0
    dropped_evidence_events: Count = 0
    undelivered: Undelivered = Undelivered()
    interjections_dropped: Count = 0
    unreported_calls: Count = 0
    leave: Literal["confirmed", "unconfirmed", "not_joined"] | None = None
    checkpoint_id: str | None = None
    screenshot: Screenshot | UnsetType = UNSET


AnyLine = (
    HeaderLine
    | TurnLine
    | DecisionLine
    | ActionLine
    | UsageLine
    | NotableLine
    | EvidenceWindowLine
    | JournalGapLine
    | TransportLine
    | SummaryLine
)
"""One line, told apart by `kind`."""


def opaque(value: object) -> Raw:
    """A body's own value as it stands on disk.

    Raises `TypeError` when JSON cannot hold it, and msgspec's `EncodeError` past the depth limit.
    """
    return Raw(_encoder.encode(value))


def require_narration_pair(delivery: object, event: object) -> None:
    """A delivery id and its narration event stand in a turn line together or not at all.

    Raises `ValueError` otherwise, which msgspec reports as a damaged line.
    """
    if (delivery is UNSET) is not (event is UNSET):
        raise ValueError("speechDeliveryId and narrationEvent go together")


_encoder = msgspec.json.Encoder()
