"""The host: one country on its clock, its seats, its saves and its chronicle.

Everything that a connection asks is done here or in `operations`; nothing here knows of sockets.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import trio

from bodies.practice.world import picture
from bodies.practice.world.chronicle import Chronicle, EndedEntry, Joined
from bodies.practice.world.clock import Clock
from bodies.practice.world.country import Country
from bodies.practice.world.misbehaviour import Mischief, Misdeed
from bodies.practice.world.moment import now
from bodies.practice.world.saves import Saves
from bodies.practice.world.seats import Because, Seat, Seats
from bodies.practice.world.view import GameId, view
from bodies.practice.world.wire import (
    ADAPTER_VERSIONS,
    CAPABILITIES,
    Challenge,
    Ended,
    Frame,
    Observation,
    Refused,
)

IDLE_SECONDS = 600.0
_REQUESTS_PER_SECOND = 60.0


@dataclass(frozen=True)
class Setting:
    """How a world is set up. `players` maps credentials to player ids; None lets anybody in."""

    state: Path
    world_id: str = "hearth-vale"
    seed: int = 0
    speed: float = 1.0
    seats: int = 64
    games: tuple[GameId, ...] = ("firered",)
    players: dict[str, str] | None = None
    journal: Path | None = None
    push_seconds: float = 2.0
    misdeeds: Sequence[Misdeed] = ()


class Host:
    """A world that is open. Make it inside trio; `nursery` runs the actions."""

    def __init__(self, setting: Setting, nursery: trio.Nursery) -> None:
        self.setting = setting
        self.nursery = nursery
        self.saves = Saves(setting.state / "players")
        self.clock = Clock(setting.speed, self.saves.last_frame())
        self.country = Country(setting.seed, self.clock.frame)
        self.chronicle = Chronicle(setting.journal)
        self.mischief = Mischief(setting.misdeeds)
        self.seats = Seats(setting.seats)
        self.challenges: dict[str, Challenge] = {}
        self.spectator_keys: dict[str, tuple[str, str]] = {}
        self.spectators_at: str | None = None
        self.stopping = trio.Event()

    def catch_up(self) -> None:
        """The country advances to the clock's frame."""
        self.country.advance(self.clock.frame)

    def player_of(self, credential: str | None) -> str:
        """The player whom a credential names. Raises Refused(unauthorized)."""
        if not credential:
            raise Refused("unauthorized", "world.join needs a credential.")
        if self.setting.players is None:
            return f"ply_{sha256(credential.encode()).hexdigest()[:12]}"
        player = self.setting.players.get(credential)
        if player is None:
            raise Refused("unauthorized", "This world does not know the credential.")
        return player

    def seat_player(
        self, player_id: str, game: GameId, display_name: str, harness: str, withheld: str
    ) -> Seat:
        """A seat for a player, taken over from their older session if there is one."""
        self.seats.room_for(player_id)
        self.catch_up()
        older = self.seats.of_player(player_id)
        if older is not None:
            self.end(older, "taken_over")
        seat = Seat(
            player_id,
            game,
            display_name,
            harness,
            tuple(name for name in CAPABILITIES if name != withheld),
            _REQUESTS_PER_SECOND * max(1.0, self.setting.speed),
        )
        player = self.country.enter(player_id, self.saves.load(player_id, game))
        self.seats.take(seat)
        self.chronicle.add(
            Joined(
                at=now(),
                frame=self.country.frame,
                player_id=player_id,
                session_id=seat.session_id,
                driver=seat.driver,
                display_name=display_name,
                harness=harness,
                game_id=game,
                body_generation=player.body_generation,
                took_over=older.session_id if older else None,
            )
        )
        return seat

    def end(self, seat: Seat, because: Because) -> Ended:
        """A session is over; its player's progress is saved and their body goes."""
        if seat.ended is not None:
            return seat.ended
        self.save(seat)
        self.country.leave(seat.player_id)
        for challenge in tuple(self.challenges.values()):
            if seat.player_id in (challenge.from_player_id, challenge.to_player_id):
                del self.challenges[challenge.challenge_id]
        self.chronicle.add(
            EndedEntry(
                at=now(),
                frame=self.country.frame,
                player_id=seat.player_id,
                session_id=seat.session_id,
                driver=seat.driver,
                because=because,
            )
        )
        return self.seats.end(seat, because)

    def save(self, seat: Seat) -> None:
        player = self.country.player(seat.player_id)
        self.saves.store(player, seat.game, self.country.frame)

    def observe(self, seat: Seat) -> Observation:
        """What the seat's player sees at the country's frame."""
        seen = view(self.country, seat.player_id, seat.game)
        return Observation(
            session_id=seat.session_id,
            body_generation=self.country.player(seat.player_id).body_generation,
            game_id=seat.game,
            adapter_version=ADAPTER_VERSIONS[seat.game],
            frame=self.country.frame,
            observed_at=now(),
            scene=seen.scene,
            minimap=seen.minimap,
            state=seen.state,
        )

    def frame(self, seat: Seat) -> Frame:
        """The seat's picture at the country's frame."""
        return Frame(
            session_id=seat.session_id,
            body_generation=self.country.player(seat.player_id).body_generation,
            frame=self.country.frame,
            dropped=seat.dropped,
            data=picture.png(picture.sight(self.country, seat.player_id)),
            captured_at=now(),
        )

    def spectator_key(self, seat: Seat, visibility: str) -> str:
        """The key of a player's spectator view: the public one stays, a private one is fresh."""
        if visibility == "public":
            for key, watched in self.spectator_keys.items():
                if watched == (seat.player_id, "public"):
                    return key
        watched = (seat.player_id, visibility)
        kept = {key: other for key, other in self.spectator_keys.items() if other != watched}
        key = secrets.token_urlsafe(12)
        self.spectator_keys = {**kept, key: watched}
        return key

    def watched_picture(self, key: str) -> bytes | None:
        """The PNG that a spectator with this key sees, or None."""
        player_id, _ = self.spectator_keys.get(key, ("", ""))
        if self.seats.of_player(player_id) is None:
            return None
        self.catch_up()
        return picture.png(picture.sight(self.country, player_id))

    async def end_idle_seats(self) -> None:
        """Ends seats that have no websocket and were silent for ten minutes. Runs forever."""
        while True:
            await trio.sleep(IDLE_SECONDS / 10)
            for seat in self.seats:
                if not seat.connections and trio.current_time() - seat.heard_at > IDLE_SECONDS:
                    self.catch_up()
                    self.end(seat, "idle")

    def stop(self) -> None:
        """Every session ends, every player is saved, every connection is asked to close."""
        self.stopping.set()
        self.catch_up()
        for seat in self.seats:
            self.end(seat, "world_stopped")
