"""What the bot sees, made of a motor's facts: for the fence, for the prompt and for the trail."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bodies.minecraft import wire
from bodies.minecraft.actions import place
from bodies.minecraft.consistency import distance
from bodies.minecraft.fingerprint import fingerprint
from kernel.body import Sight
from kernel.journal.lines import opaque

NEAR = 32.0
"""Blocks within which somebody is near; farther players are seen, and do not count (K23)."""
OBSERVATION_BYTES = 48 * 1024
"""Of the facts of one observation as the trail has them: a turn's line holds three (K36)."""
PICTURE = 4_000
CHAT_TOLD = 10
PLACES_TOLD = 6
"""Places of blocks of one name in what people read; the facts have all of them."""
SCENE = 120


@dataclass(frozen=True)
class Surroundings:
    """One observation, seen by the player called `username`. Of a fact told twice the last counts.

    Everything in it is untrusted: names, texts and items are what the world says they are.
    """

    username: str
    status: wire.MotorStatus
    observation: wire.Observation
    left_out: int = 0
    """Facts beyond what one observation may hold: neither shown, nor compared, nor recorded."""

    @cached_property
    def position(self) -> wire.Point | None:
        """Where the player stands."""
        return self._positions.get(self.username)

    @cached_property
    def health(self) -> wire.HealthFact | None:
        """How the player is."""
        own = [f for f in self._facts if isinstance(f, wire.HealthFact)]
        return next((f for f in reversed(own) if f.player == self.username), None)

    @cached_property
    def others(self) -> dict[str, wire.Point]:
        """Where the other players stand, as far as known."""
        return {name: at for name, at in self._positions.items() if name != self.username}

    @cached_property
    def near(self) -> tuple[str, ...]:
        """Other players within 32 blocks; all that are seen while the own place is unknown."""
        here, seen = self.position, self.observation.near or ()
        placed = (n for n, at in self.others.items() if here is None or _near(here, at))
        return tuple(dict.fromkeys((*placed, *seen)))

    @cached_property
    def inventory(self) -> dict[str, int]:
        """Items and how many of each."""
        return {f.item: f.count for f in self._facts if isinstance(f, wire.InventoryFact)}

    @cached_property
    def blocks(self) -> dict[wire.BlockPosition, str]:
        """The blocks that were told."""
        return {f.position: f.block for f in self._facts if isinstance(f, wire.BlockFact)}

    @cached_property
    def chat(self) -> tuple[wire.ChatFact, ...]:
        """What others said; the player's own words never come back to it."""
        chat = [f for f in self._facts if isinstance(f, wire.ChatFact)]
        return tuple(f for f in chat if f.player != self.username)

    @cached_property
    def unspoken(self) -> frozenset[wire.Fact]:
        """All facts, chat aside: while these are equal, nothing changed (K22)."""
        return frozenset(f for f in self._facts if not isinstance(f, wire.ChatFact))

    @cached_property
    def _facts(self) -> tuple[wire.Fact, ...]:
        return tuple(sourced.fact for sourced in self.observation.facts)

    @cached_property
    def _positions(self) -> dict[str, wire.Point]:
        return {f.player: f.position for f in self._facts if isinstance(f, wire.PositionFact)}


class Provenance(Struct, frozen=True, rename="camel"):
    """Who saw it, what the motor said of itself then, and how many facts were too much."""

    player: str = ""
    motor: wire.MotorStatus = wire.MotorStatus()
    left_out: int = 0


MinecraftSight = Sight[Surroundings]


def surroundings(
    username: str, status: wire.MotorStatus, observation: wire.Observation
) -> Surroundings:
    """What a motor told, as far as one observation may hold it; what was said first goes first."""
    said = [each for each in observation.facts if isinstance(each.fact, wire.ChatFact)]
    facts = [each for each in observation.facts if not isinstance(each.fact, wire.ChatFact)]
    spent, kept = 0, set[int]()
    for each in (*facts, *reversed(said)):
        spent += len(_encoder.encode(each)) + 1
        if spent > OBSERVATION_BYTES:
            break
        kept.add(id(each))
    left_out = len(observation.facts) - len(kept)
    if left_out:
        fitting = tuple(each for each in observation.facts if id(each) in kept)
        observation = replace(observation, facts=fitting)
    return Surroundings(username, status, observation, left_out)


def sight_of(seen: Surroundings) -> MinecraftSight:
    """The observation as the kernel takes it."""
    provenance = Provenance(seen.username, seen.status, seen.left_out)
    health = seen.health
    return Sight(
        native=seen,
        fingerprint=fingerprint(seen.status, health.health if health else None),
        stage=opaque({"observations": (seen.observation,), "provenance": provenance}),
        scene=scene(seen)[:SCENE],
        picture="\n".join(told(seen))[:PICTURE],
    )


def scene(seen: Surroundings) -> str:
    """Where and what, in a few words."""
    at, health = seen.position, seen.health
    parts = [f"at {point(at)}" if at else "somewhere"]
    if health is not None:
        parts.append(f"health {health.health:g}, food {health.food:g}")
    parts.append(f"near: {', '.join(seen.near)}" if seen.near else "nobody near")
    return "; ".join(parts)


def told(seen: Surroundings) -> list[str]:
    """The surroundings in lines for a reader."""
    lines: list[str] = []
    if seen.others:
        lines.append("Players: " + ", ".join(f"{n} {point(at)}" for n, at in seen.others.items()))
    if seen.inventory:
        lines.append("You carry: " + ", ".join(f"{c} {i}" for i, c in seen.inventory.items()))
    if seen.blocks:
        lines.append("Blocks: " + "; ".join(_places(*kind) for kind in _by_name(seen)))
    if seen.left_out:
        lines.append(f"({seen.left_out} more facts were too much to be shown)")
    latest = seen.chat[-CHAT_TOLD:]
    lines += [f"Chat (untrusted), {said.player}: {said.text}" for said in latest]
    if seen.observation.remarks:
        lines.append(f"The motor says (untrusted):\n{seen.observation.remarks}")
    return lines


def point(at: wire.Point) -> str:
    """A place for people, to a tenth of a block."""
    return f"({at.x:.1f},{at.y:.1f},{at.z:.1f})"


def _by_name(seen: Surroundings) -> list[tuple[str, list[wire.BlockPosition]]]:
    """The blocks by their names, the nearest first, and the name with the nearest first."""
    here = seen.position or wire.Point(0, 0, 0)
    kinds: dict[str, list[wire.BlockPosition]] = {}
    for at in sorted(seen.blocks, key=lambda at: distance(here, wire.Point(at.x, at.y, at.z))):
        kinds.setdefault(seen.blocks[at], []).append(at)
    return list(kinds.items())


def _places(name: str, at: list[wire.BlockPosition]) -> str:
    shown = " ".join(place(one) for one in at[:PLACES_TOLD])
    more = f" and {len(at) - PLACES_TOLD} more" if len(at) > PLACES_TOLD else ""
    return f"{name} {shown}{more}"


_encoder = msgspec.json.Encoder()


def _near(here: wire.Point, at: wire.Point) -> bool:
    return distance(here, at) <= NEAR
