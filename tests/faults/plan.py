"""What goes wrong, and when: a plan drawn from a seed. Pure; the same seed gives the same plan."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

Side = Literal["world", "model"]
Garbling = Literal["noise", "no newline", "half a line", "deaf", "crowd", "nonsense"]


class Fault(Struct, frozen=True, tag=True, tag_field="fault"):
    """Something that goes wrong at one moment."""


class KillSession(Fault, frozen=True):
    seat: str


class HangSession(Fault, frozen=True):
    """SIGSTOP, and SIGCONT after so long, if anything is left of it."""

    seat: str
    seconds: float


class KillDaemon(Fault, frozen=True):
    """SIGKILL; another one is started after so long."""

    seconds: float


class Drain(Fault, frozen=True):
    """SIGTERM; another one is started when it has ended."""


class HangDaemon(Fault, frozen=True):
    seconds: float


class StopSeat(Fault, frozen=True):
    """An operator's stop; the seat is left alone for so long."""

    seat: str
    now: bool
    seconds: float


class Flood(Fault, frozen=True):
    """So many room messages at once."""

    seat: str
    messages: int


class Garble(Fault, frozen=True):
    """What no client should do on the control socket."""

    how: Garbling


class CutWire(Fault, frozen=True):
    """The connections of a seat are reset after so many more bytes, so within a frame."""

    seat: str
    side: Side
    after_bytes: int


class StallWire(Fault, frozen=True):
    """Nothing comes through for so long, and nobody is told."""

    seat: str
    side: Side
    seconds: float


class SlowWire(Fault, frozen=True):
    """Every piece comes so late, for so long."""

    seat: str
    side: Side
    late: float
    seconds: float


class HalfCloseWire(Fault, frozen=True):
    """The session is told that nothing more comes; what it sends still arrives."""

    seat: str
    side: Side


class CloseWire(Fault, frozen=True):
    """Connections are refused, and those that stand are reset, for so long."""

    seat: str
    side: Side
    seconds: float


class FillDisk(Fault, frozen=True):
    """The disk of the state directory has no byte left for so long."""

    seconds: float


class Planned(Struct, frozen=True):
    """`at` is seconds since every seat played."""

    at: float
    fault: Fault


class Plan(Struct, frozen=True):
    """Everything that a seed decides."""

    faults: tuple[Planned, ...]
    model: tuple[str, ...]
    """What the practice model does wrong, as its command takes it."""
    world: tuple[str, ...]


def plan(seed: int, seats: Sequence[str], seconds: float, *, disk: bool) -> Plan:
    """The plan for these seats; `disk`: there is one that can be filled."""
    chance = random.Random(seed)
    faults: list[Planned] = []
    at = 0.0
    while (at := at + chance.expovariate(1 / (0.2 + 8 / len(seats)))) < seconds:
        faults.append(Planned(at, _any(chance, seats)))
    faults += [
        Planned(seconds * chance.uniform(0.1, 0.85), draw(chance))
        for draw in _rare(seconds, disk=disk)
    ]
    requests = max(20, round(seconds * len(seats) * 0.8))
    return Plan(
        faults=tuple(sorted(faults, key=lambda planned: planned.at)),
        model=_misdeeds(chance, _MODEL, "chat", requests, one_in=12),
        world=_misdeeds(chance, _WORLD, "act", requests, one_in=25),
    )


def _any(chance: random.Random, seats: Sequence[str]) -> Fault:
    (draw,) = chance.choices(list(_USUAL), weights=list(_USUAL.values()))
    return draw(chance, chance.choice(seats))


def _rare(seconds: float, *, disk: bool) -> list[Callable[[random.Random], Fault]]:
    """What happens to all seats at once, so not often."""
    rare: list[Callable[[random.Random], Fault]] = []
    rare += [lambda chance: KillDaemon(chance.uniform(0, 4))] * (1 + round(seconds / 60))
    rare += [lambda _: Drain(), lambda chance: HangDaemon(chance.uniform(1, 6))] * round(
        seconds / 60
    )
    if disk:
        rare += [lambda chance: FillDisk(chance.uniform(1, 8))] * (1 + round(seconds / 60))
    return rare


def _misdeeds(
    chance: random.Random, kinds: Sequence[str], subject: str, requests: int, *, one_in: int
) -> tuple[str, ...]:
    numbers = sorted(chance.sample(range(3, requests), requests // one_in))
    return tuple(f"{chance.choice(kinds)}@{subject}={number}" for number in numbers)


def _side(chance: random.Random) -> Side:
    return chance.choice(("world", "model"))


_USUAL: dict[Callable[[random.Random, str], Fault], int] = {
    lambda _, seat: KillSession(seat): 5,
    lambda chance, seat: HangSession(seat, chance.choice((1, 3, 8, 34))): 3,
    lambda chance, seat: StopSeat(seat, chance.random() < 0.3, chance.uniform(0, 5)): 4,
    lambda chance, seat: Flood(seat, chance.choice((3, 50, 200))): 3,
    lambda chance, _: Garble(
        chance.choice(("noise", "no newline", "half a line", "deaf", "crowd", "nonsense"))
    ): 3,
    lambda chance, seat: CutWire(seat, _side(chance), chance.choice((0, 10, 300, 3000))): 6,
    lambda chance, seat: StallWire(seat, _side(chance), chance.choice((2, 6, 15, 25))): 3,
    lambda chance, seat: SlowWire(seat, _side(chance), chance.uniform(0.05, 0.5), 5): 2,
    lambda chance, seat: HalfCloseWire(seat, _side(chance)): 3,
    lambda chance, seat: CloseWire(seat, _side(chance), chance.uniform(0.2, 6)): 3,
}
_MODEL = (
    "status:429/1", "status:429", "status:500", "status:503/2", "garbage", "error:server_error",
    "usage:none", "usage:null", "usage:zero", "usage:early", "usage:growing", "usage:with-end",
    "cut:head", "cut:midway", "cut:before-end", "cut:after-end", "cut:after-usage",
    "refuse", "filter", "length", "empty", "prose", "invalid",
    "late:2", "stall:3", "stall-midway:4", "trickle:0.05", "split",
)  # fmt: skip
_WORLD = (
    "drop-before", "drop-after", "close:1006", "close:1011", "close:1012", "end", "takeover",
    "refuse:rate_limited/500", "refuse:invalid_input", "stall:2", "late:2", "slow:3",
    "replace-body", "flip", "garbage", "oversize", "mute",
)  # fmt: skip
