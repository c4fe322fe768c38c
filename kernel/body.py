"""The body seam: all that the kernel asks of a game, and all that a game hears from the kernel.

A turn calls the body in one order (K1): observe, prompt, decode, observe again for the fence,
act, observe, verify, remember, pace. The body holds no loop over turns, no price and no timer of
its own; what an observation, an action or progress is belongs to the body and is opaque here.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec
import trio
from msgspec import Struct

from kernel.journal.lines import Line
from kernel.model.request import Prompt

SightT = TypeVar("SightT")
ActionT = TypeVar("ActionT")
ResultT = TypeVar("ResultT")


class WorldEnded(Exception):
    """The body's world is over for this session; raised by any call of a body.

    `cause` is a word for journals and people (`session_ended`, `taken_over`, `unreachable`, …).
    `confirmed` is true when the world itself said that nothing of ours holds the body any more.
    """

    def __init__(self, cause: str, *, confirmed: bool) -> None:
        super().__init__(cause)
        self.cause = cause
        self.confirmed = confirmed


class JoinRefused(Exception):
    """The world did not let us in: `reason` is a word of a fixed set, `detail` ≤ 300 characters."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail[:300]


class BodyTrouble(Exception):
    """Observing failed, though the world has not ended; it costs this turn."""


class TextBounds(Struct, frozen=True):
    """Upper bounds in characters of what the model writes (K12); None: the game lacks the field."""

    monologue: int
    intent: int
    notes: int
    objective: int
    reply: int | None
    speak: int | None
    interjection: int


class Policy(Struct, frozen=True):
    """The values that a game gives to the kernel's clockwork."""

    bounds: TextBounds
    message_replaces: Literal["cancel", "settle"]
    """What a room message does to a proposal in flight (K7)."""
    unknown_usage_ends: bool
    """Whether a call without reported usage ends the session (K7)."""
    fresh_after_change: int
    """Fresh proposals in one turn when the fence finds another state (K8)."""
    failures_to_end: int
    """Failed calls and invalid decisions in a row that end the session (K11)."""
    back_off_failed_actions: bool
    """Whether failed actions are followed by a growing wait (K14)."""
    changed: str
    """The turn outcome when the fence held the action back."""
    invalid: str
    """The turn outcome when no valid decision came."""


class Joined(Struct, frozen=True):
    """What the world said at join. `recovery` stays opaque and is never shown."""

    environment_id: str
    environment_session_id: str
    journey_id: str
    venue: Literal["world", "local"]
    recovery: str
    descendants: tuple[int, ...] = ()
    connection_generation: int | None = None


class Sight(Struct, Generic[SightT], frozen=True):
    """One sampling of the world: the body's own value and what the kernel needs of it."""

    native: SightT
    fingerprint: Hashable
    """Equal fingerprints mean the same state for the fence (K18)."""
    stage: msgspec.Raw
    """The observations as evidence, encoded once: `{"observations": […], "provenance": {…}}`."""
    scene: str
    """Where and what, in a few words for people (≤ 120 characters)."""
    picture: str = ""
    """The surroundings as text for a live view, at most 4,000 characters."""
    frame: bytes | None = None
    """The picture as PNG, when the body has one."""
    frame_sha256: str | None = None


class Decision(Struct, Generic[ActionT], frozen=True):
    """A valid decision: `notes` None keeps them; `objective` UNSET keeps it, None clears it."""

    monologue: str
    intent: str
    notes: str | None
    objective: str | msgspec.UnsetType | None
    reply: str | None
    speak: str | None
    action: ActionT | None
    """None: the model chose to wait (only where the game has that)."""
    description: str
    """The action in a few words for people."""
    payload: msgspec.Raw
    """The action as the trail records it; `null` for none."""
    clipped: tuple[str, ...] = ()


class Invalid(Struct, frozen=True):
    """Why an answer is no decision: the path of the field and what is wrong with it (K12)."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason


class Settled(Struct, Generic[ResultT], frozen=True):
    """How an action ended. `outcome` is the turn's outcome; `failed` counts for K14."""

    outcome: str
    failed: bool
    result: msgspec.Raw
    """The full structured result for the trail: `{"source": …, "result": …}`."""
    native: ResultT
    after: Sight[Any] | None = None
    """What the world said right after, when its answer carries it; else the kernel observes."""


class Effect(Struct, frozen=True):
    """What an action did: `text` (≤ 200) may reach an audience, `advice` (≤ 300) only the model."""

    text: str
    advice: str | None = None
    detail: str | None = None
    stands: bool = True
    """Whether the plan may stand after it: false when blocked, refused or unchanged (coherence)."""


class Said(Struct, frozen=True):
    """One thing that a person said, as shown to the model (K16)."""

    speaker: str
    text: str
    again: bool = False
    """Shown before, in a proposal that did not settle (K16a)."""


class PastTurn(Struct, frozen=True):
    """What the prompt tells of an earlier turn (K10a)."""

    number: int
    intent: str | None
    action: str | None
    outcome: str
    effect: str | None
    advice: str | None


class Context(Struct, frozen=True):
    """What surrounds one proposal: persona, the last turns, what people said, what is left."""

    number: int
    persona: str
    past: tuple[PastTurn, ...]
    heard: tuple[Said, ...]
    world_event: str | None
    """The latest untrusted event of the world, where the body reports such (K15)."""
    turns_since_spoken: int | None
    takes_images: bool
    short: bool = False
    """The provider said that the context was too long: shrink the history once."""


class Speech(Struct, frozen=True):
    """What came of speaking in a turn (K25–K27)."""

    reply: str | None = None
    speak: str | None = None
    suppressed: bool = False
    wanted: bool = False
    delivery_id: str | None = None
    narration_event: str | None = None


class Timing(Struct, frozen=True):
    """When the stages of a turn began and settled: UTC, milliseconds, `Z`; None: did not happen."""

    decision_started_at: str | None = None
    decision_settled_at: str | None = None
    action_started_at: str | None = None
    action_settled_at: str | None = None
    decision_ms: int | None = None
    """Measured on the monotonic clock, replaced proposals included."""
    action_ms: int | None = None


class CallUsage(Struct, frozen=True):
    """One call's charge as the turn records it; `reported` false: it was reserved (K28)."""

    role: Literal["mind", "voice"]
    input: int
    output: int
    cache_read: int
    cache_write: int
    charged: int
    reported: bool
    cost: float | None


class TurnFacts(Struct, Generic[SightT, ActionT, ResultT], frozen=True):
    """Everything that happened in one turn; a stage that did not happen is None (K34)."""

    number: int
    outcome: str
    shown: Sight[SightT] | None
    before: Sight[SightT] | None
    after: Sight[SightT] | None
    decision: Decision[ActionT] | None
    settled: Settled[ResultT] | None
    effect: Effect | None
    failure: str | None
    """Why there was no valid decision or no action, ≤ 400 characters."""
    heard: tuple[Said, ...]
    speech: Speech
    calls: tuple[CallUsage, ...]
    preemptions: int
    timing: Timing
    window: int
    """Index of the evidence window that this turn's line falls into."""


class Remembered(Struct, frozen=True):
    """What the body made of a turn."""

    line: Line
    """The body's turn line, tagged `turn`, without the envelope."""
    notes: str | None
    objective: str | None
    screenshot: tuple[str, ...] = ()
    """Reasons to keep this turn's picture; empty: none."""
    notables: tuple[Literal["stuck", "objective_retired_twice"], ...] = ()
    gauges: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    """Counts for the live view, by their names in the trail (stalledForTurns, …)."""


class Memory(Struct, frozen=True):
    """What crosses a sitting: the last notes and objective of the journey (K17)."""

    notes: str | None
    objective: str | None


class Totals(Struct, frozen=True):
    """What a run came to, as far as only the body can tell; `progress` is the game's own value."""

    progress: msgspec.Raw
    coherence: float | None = None
    longest_unchanged_run: int = 0
    longest_recurring_run: int = 0
    objectives_retired: int = 0


class Leave(Struct, frozen=True):
    """How the farewell went."""

    leave: Literal["confirmed", "unconfirmed", "not_joined"]
    receipt: str | None = None


class SessionSide(Protocol):
    """What the session offers its body."""

    @property
    def conversation(self) -> str | None:
        """The room that the sitting belongs to; None without one."""
        ...

    def put(self, text: str) -> None:
        """Take an untrusted event of the world: a latest-line slot (K15)."""
        ...

    def spawned(self, pid: int) -> None:
        """Take the pid of a process outside the session's group, which must not survive it."""
        ...


class Body(Protocol[SightT, ActionT, ResultT]):
    """One body in one world for one session. Calls come one at a time, in the order of K1."""

    policy: Policy

    async def join(self) -> Joined:
        """Take the body. Raises JoinRefused; cancelled: nothing is held, or leave() says so."""
        ...

    def recall(self, memory: Memory) -> None:
        """Start from what the journey's journals remember (K17); called once, after join."""
        ...

    def ready(self) -> Literal["idle"] | None:
        """Why no further turn should begin by the body's own reckoning (K3)."""
        ...

    async def observe(self) -> Sight[SightT]:
        """Sample the world. Raises WorldEnded, BodyTrouble."""
        ...

    def prompt(self, sight: Sight[SightT], context: Context) -> Prompt:
        """What the model is shown for this sight."""
        ...

    def decode(self, answer: bytes, sight: Sight[SightT]) -> Decision[ActionT] | Invalid:
        """Read one JSON object as a decision; nothing is repaired (K12)."""
        ...

    def known(self, decision: Decision[ActionT], sight: Sight[SightT]) -> Settled[ResultT] | None:
        """The refusal remembered for this action under this evidence, if any (K21)."""
        ...

    async def act(
        self, decision: Decision[ActionT], key: str, stopping: trio.Event
    ) -> Settled[ResultT]:
        """Do it once under this idempotency key. Whether a stop cancels it is the body's rule."""
        ...

    def verify(
        self, before: Sight[SightT], settled: Settled[ResultT], after: Sight[SightT] | None
    ) -> Effect:
        """What the action did, from evidence."""
        ...

    def remember(self, turn: TurnFacts[SightT, ActionT, ResultT]) -> Remembered:
        """Fold the turn into progress and memory and give its line for the trail."""
        ...

    def pace(self) -> float:
        """Seconds to wait before the next turn; a message or a world event ends it early (K23)."""
        ...

    async def ended(self) -> WorldEnded:
        """Wait until the world is over; returns at once when it is already."""
        ...

    async def leave(self) -> Leave:
        """Give the body back. The caller bounds it."""
        ...

    def totals(self) -> Totals:
        """What the summary says of this run in the game's own terms."""
        ...

    def stats(self) -> dict[str, int]:
        """Connection counters by fixed names (reconnects, frames_published, frames_dropped, …)."""
        ...


AnyBody = Body[Any, Any, Any]
OpenBody = AbstractAsyncContextManager[AnyBody]
AnySight = Sight[Any]
AnyDecision = Decision[Any]
AnySettled = Settled[Any]
AnyTurn = TurnFacts[Any, Any, Any]
