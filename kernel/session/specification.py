"""What one session process is told to do: the body of the `start` line.

It carries secrets, so it travels on stdin alone and is never logged, journaled or shown.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

JOURNALS = "journals"
"""The folder of the state directory in which every journal lies."""


class _Part(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    pass


Rate = Annotated[float, Meta(ge=0)]


class ModelRates(_Part, frozen=True, kw_only=True):
    """US dollars per million tokens. Absent rates are unknown, which is not 0 (K29)."""

    input: Rate
    cache_read: Rate
    cache_write: Rate
    output: Rate


class ModelChoice(_Part, frozen=True, kw_only=True):
    """A model endpoint with everything that a call of it needs."""

    name: str
    """As the operator named it in the configuration."""
    provider: Literal["openai", "anthropic"]
    model: str
    base_url: str
    api_key: str | None = None
    structured: Literal["json_schema", "json_object", "prompt"] = "json_schema"
    images: bool = False
    deadline: Annotated[float, Meta(gt=0)] = 60.0
    stall: Annotated[float, Meta(gt=0)] = 20.0
    reserve: Annotated[int, Meta(ge=16_000)] = 16_000
    output_limit: Annotated[int, Meta(ge=64)] = 4_096
    ca_file: str | None = None
    rates: ModelRates | None = None


class BudgetCeiling(_Part, frozen=True, kw_only=True):
    """The sitting's ceilings; None: none of that kind. A ceiling of 0 is a ceiling."""

    tokens: Annotated[int, Meta(ge=0)] | None = 250_000
    dollars: Annotated[float, Meta(ge=0)] | None = None
    max_turns: Annotated[int, Meta(ge=0)] | None = None
    max_duration: Annotated[float, Meta(ge=0)] | None = None
    """Seconds since the sitting began."""


class RoomChoice(_Part, frozen=True, kw_only=True):
    """The conversation that the sitting belongs to."""

    name: str
    authors_speech: bool = False


class Persona(_Part, frozen=True, kw_only=True):
    """Who the player is, in words for the prompt."""

    name: str
    text: str


class Sitting(_Part, frozen=True, kw_only=True):
    """What this session continues: the earlier runs of the same sitting, oldest first."""

    id: str
    began_at: str
    """UTC, when the join was accepted."""
    elapsed: float = 0.0
    """Seconds that the sitting had lasted when this session was started."""
    earlier_journals: tuple[str, ...] = ()
    """Paths of the journals of this sitting's earlier runs."""
    told_tokens: tuple[Annotated[int, Meta(ge=0)], ...] = ()
    """What each run told that the sitting was charged; what journals lack of it is charged too."""


class Specification(_Part, frozen=True, kw_only=True):
    """Everything that one session process needs to know."""

    mode: Literal["play", "recover"] = "play"
    session_id: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,127}\Z")]
    seat: str
    generation: Annotated[int, Meta(ge=1)]
    sitting: Sitting
    parent: Annotated[int, Meta(gt=0, lt=2**31)]
    """Pid of the supervisor, watched through a pidfd."""
    state_directory: Annotated[str, Meta(pattern=r"\A[^\x00]+\Z")]
    body: str
    options: msgspec.Raw = msgspec.Raw(b"{}")
    """The body's own settings, its credential included; only the body reads them."""
    recovery: str | None = None
    """Mode `recover`: what the earlier session left to ask the world with."""
    mind: ModelChoice | None = None
    """Needed in mode `play`."""
    voice: ModelChoice | None = None
    persona: Persona = Persona(name="plain", text="")
    room: RoomChoice | None = None
    budget: BudgetCeiling = BudgetCeiling()
    lease_valid_for: float = 60.0
    """Seconds from the moment this line is read."""
    stop_deadline: float = 15.0
