"""What an operator can say in the configuration: every table and key, its default and its bounds.

Durations are seconds, prices are US dollars per million tokens. A struct built in code is not
checked; `config.loading` checks what comes from a file. Two settings compare equal when they mean
the same, so one seat's change is seen as that seat's alone (case 31).
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

Name: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"\A[a-z0-9][a-z0-9-]{0,31}\Z",
        description="a name of 1 to 32 characters: a-z, 0-9 and - (not first)",
    ),
]
SeatOrAll: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"\A(\*|[a-z0-9][a-z0-9-]{0,31})\Z",
        description='a seat\'s name, or "*" for all',
    ),
]
Line: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"\A[^\x00-\x1f\x7f]{1,200}\Z",
        description="one line of 1 to 200 characters",
    ),
]
AddressText: TypeAlias = Annotated[
    str,
    Meta(pattern=r"\A[^\x00-\x1f\x7f]{1,2000}\Z", description="an address"),
]
FilePath: TypeAlias = Annotated[
    str,
    Meta(pattern=r"\A[^\x00]{1,4096}\Z", description="a path, absolute or relative to this file"),
]
Credential: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"\A(file:[^\x00]{1,4096}|systemd:[A-Za-z0-9_.-]{1,255})\Z",
        description='a reference, "file:PATH" or "systemd:NAME", never the secret itself',
    ),
]
Principal: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"\A(uid:[0-9]{1,10}|(user|group):[A-Za-z0-9_.][A-Za-z0-9_.-]{0,63}|anyone)\Z",
        description='a principal, "uid:N", "user:NAME", "group:NAME" or "anyone"',
    ),
]
Command: TypeAlias = Annotated[
    tuple[Annotated[str, Meta(pattern=r"\A[^\x00]{0,4096}\Z")], ...],
    Meta(
        min_length=1,
        max_length=64,
        description="a command as a list of words",
    ),
]
Verb: TypeAlias = Literal[
    "hello",
    "status",
    "seats",
    "sessions",
    "join",
    "stop",
    "say",
    "pause",
    "resume",
    "budget",
    "observe",
    "recall",
    "watch",
    "world",
    "journals",
    "receipts",
    "reset",
    "recover",
    "reload",
    "drain",
    "health",
]
SEAT_VERBS: frozenset[Verb] = frozenset(
    (
        "join",
        "stop",
        "say",
        "pause",
        "resume",
        "budget",
        "observe",
        "recall",
        "world",
        "reset",
        "recover",
    )
)
"""Verbs that are about one seat; granted on no seat they allow nothing."""
RestartOutcome: TypeAlias = Literal["crashed", "hung", "protocol_error", "mind_unavailable"]

PROVIDER_ENDPOINTS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bounds that hold for every session."""

    stop_deadline: Annotated[float, Meta(ge=5, le=300, description="5 to 300 seconds")] = 15
    """From a stop's request to its end; what is awaited 5 s before it is abandoned."""
    lease_ttl: Annotated[float, Meta(ge=30, le=300, description="30 to 300 seconds")] = 60
    """How long a lease lasts unless renewed; it is renewed at a third of it."""


class Metrics(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where `/metrics`, `/healthz` and `/readyz` listen."""

    bind: AddressText = "127.0.0.1:9464"
    """`HOST:PORT`, IPv6 in brackets; port 0 lets the system choose."""
    allow_remote: bool = False
    """Needed for an address that is not loopback: anyone who reaches it can read the metrics."""


class Control(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The unix socket that `playctl` talks to."""

    socket: FilePath | None = None
    """Where not said, see `config.places.control_socket`."""


class Log(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the daemon logs."""

    level: Literal["debug", "info", "warning", "error"] = "info"


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model's rates, US dollars per million tokens; all four, since an unknown one is not 0."""

    input: Annotated[float, Meta(ge=0, le=1e6, description="dollars, 0 or more")]
    cache_read: Annotated[float, Meta(ge=0, le=1e6, description="dollars, 0 or more")]
    cache_write: Annotated[float, Meta(ge=0, le=1e6, description="dollars, 0 or more")]
    output: Annotated[float, Meta(ge=0, le=1e6, description="dollars, 0 or more")]


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A language model and how to reach it."""

    provider: Literal["openai", "anthropic"]
    """The wire: `openai` is Chat Completions, and any compatible server."""
    model: Line
    """The provider's own name of the model."""
    base_url: AddressText | None = None
    """Where not said, the provider's public address; see `endpoint`."""
    ca_file: FilePath | None = None
    """A private certificate authority, PEM."""
    credential: Credential | None = None
    """None for a local server that asks for no key."""
    structured: Literal["json_schema", "json_object", "prompt"] = "json_schema"
    images: bool = False
    """Whether the model is shown pictures of the screen."""
    deadline: Annotated[float, Meta(ge=1, le=600, description="1 to 600 seconds")] = 60
    """Over connecting, the first token and the whole answer (K10)."""
    stall: Annotated[float, Meta(ge=1, le=600, description="1 to 600 seconds")] = 20
    """The longest silence after the first token (K10)."""
    reserve: Annotated[int, Meta(ge=16_000, le=10_000_000, description="16000 tokens or more")] = (
        16_000
    )
    """Tokens charged for a call without complete reported usage (K28)."""
    output_tokens: Annotated[
        int, Meta(ge=256, le=1_000_000, description="256 to 1000000 tokens")
    ] = 4_096
    """The longest answer asked for, thinking included."""
    local: bool = False
    """The model costs nothing: its price is 0, and only because this says so (K29)."""
    price: Price | None = None
    """Overrides the published rates."""

    @property
    def endpoint(self) -> str:
        """Where the requests go."""
        return self.base_url or PROVIDER_ENDPOINTS[self.provider]


class Persona(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text that tells a player who it is."""

    file: FilePath


class Budget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ceilings of one sitting (K28 to K31); 0 is a ceiling, absent is none."""

    tokens: Annotated[int, Meta(ge=0, le=10**12, description="a number of tokens, 0 or more")] = (
        250_000
    )
    dollars: Annotated[float, Meta(ge=0, le=1e6, description="dollars, 0 or more")] | None = None
    max_turns: Annotated[int, Meta(ge=1, le=10**9, description="1 turn or more")] | None = None
    max_duration: Annotated[float, Meta(ge=1, le=10**9, description="1 second or more")] | None = (
        None
    )


class Player(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every seat says, whatever its game: who plays there, for whom and how long."""

    model: Name
    voice_model: Name | None = None
    """Speaks for the player (K26); without one the player's own words are spoken."""
    persona: Name = "explorer"
    """One of `[personas]`, or one that comes with playd (`config.persona`)."""
    room: Name | None = None
    """The conversation of a sitting that names no other."""
    world: Name | None = None
    """An installed local world that this seat is in."""
    budget: Budget = Budget()
    restart: frozenset[RestartOutcome] = frozenset(("crashed", "hung", "protocol_error"))
    """The outcomes after which the seat plays on by itself; empty for never."""


class PokemonSeat(
    Player,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="body",
    tag="pokemon",
):
    """A seat in a hosted PokeAgents world."""

    address: AddressText
    """`wss://`, `ws://`, `tls://HOST:PORT`, `tcp://HOST:PORT` or `unix:/PATH`."""
    game: Literal["firered", "emerald"]
    display_name: Line
    credential: Credential | None = None
    insecure: bool = False
    """Allows plaintext to an address that is not loopback."""
    ca_file: FilePath | None = None
    """A private certificate authority, PEM."""

    @property
    def body(self) -> str:
        """The body that plays here."""
        return "pokemon"


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The one server and account that a Minecraft seat may join."""

    id: Line
    """The motor's `profileId`."""
    host: Line
    port: Annotated[int, Meta(ge=1, le=65535, description="a port, 1 to 65535")] = 25565
    version: Line
    username: Annotated[
        str,
        Meta(pattern=r"\A[A-Za-z0-9_]{1,16}\Z", description="1 to 16 of A-Z, a-z, 0-9 and _"),
    ]
    auth: Literal["offline"] = "offline"


class MinecraftSeat(
    Player,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="body",
    tag="minecraft",
):
    """A seat behind a Minecraft motor."""

    motor: Command | AddressText
    """A command that speaks MCP on its stdio, or the URL of a running motor."""
    profile: Profile
    insecure: bool = False
    """Allows a plaintext motor URL that is not loopback."""

    @property
    def body(self) -> str:
        """The body that plays here."""
        return "minecraft"

    @property
    def game(self) -> str:
        """The game, as metrics and status name it."""
        return "minecraft"


Seat: TypeAlias = PokemonSeat | MinecraftSeat


class World(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An installed local world. Joining a seat never starts one."""

    check: Command
    """Exits 0 when the world can be reached; takes no seat."""
    start: Command
    """Runs the world in the foreground."""
    ready_timeout: Annotated[float, Meta(ge=1, le=600, description="1 to 600 seconds")] = 60
    """From the start until the check must have passed."""


class ControlRoom(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    tag="control",
):
    """A room whose members subscribe on the control socket."""

    principals: frozenset[Principal] = frozenset()
    """Who may speak for the room and acknowledge its deliveries, beside root and the owner."""
    authors_speech: bool = False
    """The room writes its own lines: it gets events, and the player does not speak (K27)."""


class WebhookRoom(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    tag="webhook",
):
    """A room that is told by signed POST requests."""

    url: AddressText
    secret: Credential
    """The key of the HMAC-SHA256 signature."""
    principals: frozenset[Principal] = frozenset()
    """Who may speak for the room and acknowledge its deliveries, beside root and the owner."""
    authors_speech: bool = False
    """The room writes its own lines: it gets events, and the player does not speak (K27)."""
    allow_private_addresses: bool = False
    """Allows a URL that leads to this host or a private network."""


class LogRoom(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="kind",
    tag="log",
):
    """A room that is a line in the daemon's log."""

    principals: frozenset[Principal] = frozenset()
    """Who may speak for the room, beside root and the owner."""


Room: TypeAlias = ControlRoom | WebhookRoom | LogRoom


class Grant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Verbs that a principal may use on seats. Root and the daemon's own user need none."""

    principal: Principal
    verbs: frozenset[Verb | Literal["*"]]
    seats: frozenset[SeatOrAll] = frozenset()
    """Names of seats, or "*"; empty for verbs that concern no seat."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A whole configuration."""

    state_directory: FilePath | None = None
    """Where not said, see `config.places.state_directory`."""
    limits: Limits = Limits()
    metrics: Metrics = Metrics()
    control: Control = Control()
    log: Log = Log()
    models: dict[Name, Model] = {}
    personas: dict[Name, Persona] = {}
    seats: dict[Name, Seat] = {}
    worlds: dict[Name, World] = {}
    rooms: dict[Name, Room] = {}
    grants: tuple[Grant, ...] = ()
