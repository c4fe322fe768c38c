"""Operations: everything that a connection can ask of a world, each under its name."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from bodies.practice.world import performing, wire
from bodies.practice.world.atlas import PLACES, REGIONS
from bodies.practice.world.chance import roll
from bodies.practice.world.host import Host
from bodies.practice.world.misbehaviour import Misdeed, instruction
from bodies.practice.world.scenes import Walking
from bodies.practice.world.seats import Seat
from bodies.practice.world.wire import Refused
from kernel.undecodable import UNDECODABLE

Shape = TypeVar("Shape")


@dataclass(frozen=True)
class Call:
    """One request, where it came from, and what is to go wrong with it."""

    host: Host
    request: wire.Request
    is_local: bool
    misdeeds: tuple[Misdeed, ...] = ()

    def read(self, shape: type[Shape]) -> Shape:
        """The input in this shape. Raises Refused(invalid_input) that names the field."""
        try:
            return msgspec.json.decode(self.request.input, type=shape)
        except UNDECODABLE as error:
            raise Refused("invalid_input", str(error)[:300]) from None

    def argument_of(self, kind: str) -> str:
        """The argument of a misdeed of this kind, or an empty string."""
        return next((deed.argument for deed in self.misdeeds if deed.kind == kind), "")


async def perform(call: Call) -> tuple[wire.Answer, Seat | None]:
    """The answer, and the seat that it concerns. Raises Refused.

    Waits only for an action to play out.
    """
    operation = call.request.operation
    if operation in _SEATLESS:
        return _SEATLESS[operation](call)
    needed, performed = _SEATED.get(operation, ("", None))
    if performed is None:
        raise Refused("not_supported", f"This world has no operation {operation[:80]!r}.")
    seat = call.host.seats.of_token(call.request.token)
    seat.hear()
    if needed and needed not in seat.capabilities:
        raise Refused("not_supported", f"This session was not granted {needed}.")
    call.host.catch_up()
    answer = performed(call, seat)
    return (answer if isinstance(answer, wire.Answer) else await answer), seat


def _join(call: Call) -> tuple[wire.Answer, Seat]:
    host = call.host
    player_id = host.player_of(call.request.credential)
    asked = call.read(wire.JoinInput)
    if asked.protocol_version != wire.PROTOCOL_VERSION:
        raise Refused(
            "invalid_input", f"protocolVersion: this world speaks {wire.PROTOCOL_VERSION}."
        )
    if asked.game_id not in host.setting.games:
        raise Refused("game_unavailable", f"This world does not host {asked.game_id[:80]!r}.")
    game = asked.game_id
    withheld = call.argument_of("withhold")
    seat = host.seat_player(player_id, game, asked.display_name, asked.harness, withheld)
    answer = wire.JoinAnswer(
        world_id=host.setting.world_id,
        player_id=player_id,
        session_id=seat.session_id,
        game_id=game,
        token=seat.token,
        capabilities=seat.capabilities,
    )
    return answer, seat


def _observe(call: Call, seat: Seat) -> wire.Answer:
    call.read(wire.Nothing)
    return call.host.observe(seat)


async def _act(call: Call, seat: Seat) -> wire.Answer:
    slow = float(call.argument_of("slow") or 0)
    return await performing.perform(call.host, seat, call.read(wire.ActInput), slow)


def _frame(call: Call, seat: Seat) -> wire.Answer:
    call.read(wire.Nothing)
    return call.host.frame(seat)


def _watch(call: Call, seat: Seat) -> wire.Answer:
    visibility = call.read(wire.WatchInput).visibility
    if call.host.spectators_at is None:
        raise Refused("not_supported", "This world has no address for spectators.")
    key = call.host.spectator_key(seat, visibility)
    return wire.WatchAnswer(url=f"{call.host.spectators_at}/watch/{key}")


def _session(call: Call, seat: Seat) -> wire.Answer:
    call.read(wire.Nothing)
    return wire.SessionAnswer(
        session_id=seat.session_id,
        world_id=call.host.setting.world_id,
        player_id=seat.player_id,
        game_id=seat.game,
        body_generation=call.host.country.player(seat.player_id).body_generation,
        capabilities=seat.capabilities,
    )


def _who(call: Call, seat: Seat) -> wire.Answer:
    call.read(wire.Nothing)
    return wire.WhoAnswer(
        players=tuple(
            wire.Present(
                player_id=other.player_id,
                display_name=other.display_name,
                game_id=other.game,
                region_id=_region_of(call.host, other),
                map_id=call.host.country.player(other.player_id).spot.map_id,
            )
            for other in call.host.seats
        )
    )


def _regions(call: Call, seat: Seat) -> wire.Answer:
    call.read(wire.Nothing)
    here = _region_of(call.host, seat)
    everybody = [_region_of(call.host, other) for other in call.host.seats]
    return wire.RegionsAnswer(
        regions=tuple(
            wire.Region(
                region_id=region,
                label=label,
                here=region == here,
                players=everybody.count(region),
            )
            for region, label in REGIONS.items()
        )
    )


def _travel(call: Call, seat: Seat) -> wire.Answer:
    region = call.read(wire.TravelInput).region_id
    country = call.host.country
    if region not in REGIONS:
        raise Refused("invalid_input", f"regionId: one of {', '.join(REGIONS)}.")
    player = country.player(seat.player_id)
    if not isinstance(player.scene, Walking) or seat.under_way is not None:
        raise Refused("invalid_input", "One can travel only while walking freely.")
    if region != _region_of(call.host, seat):
        player = country.travel(seat.player_id, region)
        call.host.save(seat)
    return wire.TravelAnswer(region_id=region, body_generation=player.body_generation)


def _challenge(call: Call, seat: Seat) -> wire.Answer:
    opponent = call.read(wire.ChallengeInput).player_id
    if opponent == seat.player_id or call.host.seats.of_player(opponent) is None:
        raise Refused("invalid_input", "playerId: nobody else of that id is here.")
    challenge = wire.Challenge(
        challenge_id=f"chl_{secrets.token_hex(6)}",
        from_player_id=seat.player_id,
        to_player_id=opponent,
    )
    call.host.challenges[challenge.challenge_id] = challenge
    return wire.ChallengeAnswer(challenge_id=challenge.challenge_id)


def _challenges(call: Call, seat: Seat) -> wire.Answer:
    call.read(wire.Nothing)
    return wire.ChallengesAnswer(
        challenges=tuple(
            challenge
            for challenge in call.host.challenges.values()
            if seat.player_id in (challenge.from_player_id, challenge.to_player_id)
        )
    )


def _answer_challenge(call: Call, seat: Seat) -> wire.Answer:
    asked = call.read(wire.AnswerChallengeInput)
    challenge = call.host.challenges.get(asked.challenge_id)
    if challenge is None or challenge.to_player_id != seat.player_id:
        raise Refused("invalid_input", "challengeId: no such challenge waits for you.")
    del call.host.challenges[asked.challenge_id]
    winner = _match(call.host, challenge) if asked.accept else None
    return wire.MatchAnswer(challenge_id=asked.challenge_id, accepted=asked.accept, winner=winner)


def _leave(call: Call, seat: Seat) -> wire.Answer:
    call.read(wire.Nothing)
    ended = call.host.end(seat, "left")
    return wire.LeaveAnswer(session_id=seat.session_id, ended_at=ended.ended_at)


def _misbehave(call: Call) -> tuple[wire.Answer, None]:
    _only_local(call)
    asked = call.read(wire.MisbehaveInput)
    try:
        misdeed = instruction(asked.kind, asked.argument, asked.subject, asked.nth)
    except ValueError as error:
        raise Refused("invalid_input", str(error)) from None
    call.host.mischief.add(misdeed)
    return wire.MisbehaveAnswer(pending=len(call.host.mischief)), None


def _log(call: Call) -> tuple[wire.Answer, None]:
    _only_local(call)
    entries = call.host.chronicle.after(call.read(wire.LogInput).after)
    return wire.LogAnswer(entries=entries), None


def _only_local(call: Call) -> None:
    if not call.is_local:
        raise Refused("unauthorized", "Only this machine may ask for that.")


def _region_of(host: Host, seat: Seat) -> str:
    return PLACES[host.country.player(seat.player_id).spot.map_id].region


def _match(host: Host, challenge: wire.Challenge) -> str:
    """Decides a friendly match by the party's levels and some luck. Nobody is hurt."""

    def strength(player_id: str) -> int:
        party = host.country.player(player_id).party
        return sum(creature.level for creature in party) * 3 + roll(10, challenge, player_id)

    pair = (challenge.from_player_id, challenge.to_player_id)
    return max(pair, key=strength)


_SEATLESS: dict[str, Callable[[Call], tuple[wire.Answer, Seat | None]]] = {
    "world.join": _join,
    "practice.misbehave": _misbehave,
    "practice.log": _log,
}
_SEATED: dict[str, tuple[str, Callable[[Call, Seat], wire.Answer | Awaitable[wire.Answer]]]] = {
    "play.observe": ("world.observe", _observe),
    "play.act": ("world.act", _act),
    "play.frame": ("world.frames", _frame),
    "play.watch": ("world.watch", _watch),
    "world.session": ("world.session", _session),
    "world.who": ("world.who", _who),
    "world.regions": ("world.regions", _regions),
    "world.travel": ("world.travel", _travel),
    "world.challenge": ("world.challenge", _challenge),
    "world.challenges": ("world.challenges", _challenges),
    "world.answer_challenge": ("world.answer_challenge", _answer_challenge),
    "world.leave": ("", _leave),
}
