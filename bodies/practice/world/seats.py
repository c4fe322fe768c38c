"""Seats: who plays, under which session and token, and how a seat ends.

One player has one seat. A second join of the same player takes it over: the old session is over at
once, its connection closes with 4003, and its token gets `not_your_session` from then on.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, Protocol

import trio

from bodies.practice.world.actions import Action
from bodies.practice.world.moment import now
from bodies.practice.world.view import GameId
from bodies.practice.world.wire import ActAnswer, Ended, Refused

Because = Literal["left", "taken_over", "ended", "idle", "world_stopped"]
CLOSE_CODES: dict[Because, int] = {
    "left": 4001,
    "taken_over": 4003,
    "ended": 4001,
    "idle": 4001,
    "world_stopped": 1001,
}
REMEMBERED_ANSWERS = 512
"""Older keys are still known, so that nothing runs twice; their answers are not."""
_REMEMBERED_SESSIONS = 4096


class Connection(Protocol):
    """A connection that a seat can push to and be parted from."""

    def part(self, ended: Ended, code: int) -> None:
        """Tell the client, then close with this code. Does not wait."""
        ...


@dataclass(eq=False)
class Attempt:
    """One action under its key: under way until `done`, then with its answer, or cut."""

    action: Action
    done: trio.Event = field(default_factory=trio.Event)
    answer: ActAnswer | None = None


@dataclass(eq=False)
class Seat:
    """One session of one player."""

    player_id: str
    game: GameId
    display_name: str
    harness: str
    capabilities: tuple[str, ...]
    rate: float
    session_id: str = field(default_factory=lambda: f"ses_{secrets.token_hex(16)}")
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    turn: trio.Lock = field(default_factory=trio.Lock)
    under_way: trio.CancelScope | None = None
    attempts: dict[str, Attempt] = field(default_factory=dict[str, Attempt])
    spent_keys: set[str] = field(default_factory=set[str])
    connections: set[Connection] = field(default_factory=set[Connection])
    heard_at: float = field(default_factory=trio.current_time)
    allowance: float = 0.0
    dropped: int = 0
    ended: Ended | None = None

    def __post_init__(self) -> None:
        self.allowance = 2 * self.rate

    @property
    def driver(self) -> str:
        """Tells this driver apart in the chronicle without showing its token."""
        return sha256(self.token.encode()).hexdigest()[:16]

    def hear(self) -> None:
        """A request arrives. Raises Refused when they come faster than the rate for long."""
        moment = trio.current_time()
        earned = (moment - self.heard_at) * self.rate
        self.allowance = min(2 * self.rate, self.allowance + earned)
        self.heard_at = moment
        if self.allowance < 1:
            raise Refused("rate_limited", "Too many requests; slow down.", retry_after_ms=250)
        self.allowance -= 1

    def remember(self, key: str, attempt: Attempt) -> None:
        self.attempts[key] = attempt
        self.spent_keys.add(key)
        for old in list(self.attempts)[: max(0, len(self.attempts) - REMEMBERED_ANSWERS)]:
            if self.attempts[old].done.is_set():
                del self.attempts[old]


class Seats:
    """Every seat that is taken, and the sessions that were."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._by_player: dict[str, Seat] = {}
        self._by_token: dict[str, Seat] = {}

    def __iter__(self) -> Iterator[Seat]:
        return iter(tuple(self._by_player.values()))

    def of_player(self, player_id: str) -> Seat | None:
        return self._by_player.get(player_id)

    def room_for(self, player_id: str) -> None:
        """Raises Refused(world_full) when a new player finds no seat."""
        if player_id not in self._by_player and len(self._by_player) >= self._size:
            raise Refused("world_full", f"All {self._size} seats of this world are taken.")

    def take(self, seat: Seat) -> None:
        self._by_player[seat.player_id] = seat
        self._by_token[seat.token] = seat
        while len(self._by_token) > _REMEMBERED_SESSIONS + self._size:
            oldest = next(token for token, old in self._by_token.items() if old.ended)
            del self._by_token[oldest]

    def of_token(self, token: str | None) -> Seat:
        """The seat that this token drives. Raises Refused when it drives none."""
        if token is None:
            raise Refused("unauthorized", "This operation needs the token of a session.")
        seat = self._by_token.get(token)
        if seat is None:
            raise Refused("not_your_session", "No session of this world has this token.")
        if seat.ended is not None:
            raise Refused(seat.ended.code, seat.ended.message)
        return seat

    def end(self, seat: Seat, because: Because) -> Ended:
        """The session is over: what runs is cut, its connections are told and parted from."""
        if seat.ended is not None:
            return seat.ended
        messages: dict[Because, str] = {
            "left": "The player left.",
            "taken_over": "Another session took this seat over.",
            "ended": "The world ended this session.",
            "idle": "Nobody was heard from for ten minutes.",
            "world_stopped": "The world is stopping.",
        }
        code = "not_your_session" if because == "taken_over" else "session_ended"
        seat.ended = Ended(
            session_id=seat.session_id, code=code, message=messages[because], ended_at=now()
        )
        if seat.under_way is not None:
            seat.under_way.cancel()
        if self._by_player.get(seat.player_id) is seat:
            del self._by_player[seat.player_id]
        seat.attempts.clear()
        for connection in tuple(seat.connections):
            connection.part(seat.ended, CLOSE_CODES[because])
        return seat.ended
