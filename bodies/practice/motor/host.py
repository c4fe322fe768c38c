"""The host: one motor on a running clock, with its chronicle and the mischief asked for."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import anyio

from bodies.practice.motor.chronicle import Chronicle, Settled
from bodies.practice.motor.hours import TICKS_PER_SECOND
from bodies.practice.motor.misbehaviour import Mischief, Misdeed
from bodies.practice.motor.motor import Motor, advanced, new_motor, settled_since


class Host:
    """Needs a running event loop. `wire` is the descriptor of the real standard output."""

    def __init__(
        self,
        seed: int = 0,
        speed: float = 1.0,
        misdeeds: Iterable[Misdeed] = (),
        journal: Path | None = None,
        wire: int = 1,
    ) -> None:
        self.motor = new_motor(seed, datetime.now(UTC))
        self.mischief = Mischief(misdeeds)
        self.chronicle = Chronicle(journal)
        self.wire = wire
        self.lingers = False
        self.alternates = False
        self.calls = 0
        self._rate = TICKS_PER_SECOND * speed
        self._started = anyio.current_time()

    def catch_up(self) -> None:
        """The motor comes to the present, which it does not do unless somebody asks."""
        tick = int((anyio.current_time() - self._started) * self._rate)
        self.follow(advanced(self.motor, tick))

    def follow(self, motor: Motor) -> None:
        """The motor is this one now; actions that ended on the way are chronicled."""
        for status in settled_since(self.motor, motor):
            self.chronicle.add(Settled(motor.now, status))
        self.motor = motor
