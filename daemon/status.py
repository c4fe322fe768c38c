"""The daemon as `status` shows it, with what it counted since it began."""

from __future__ import annotations

import os
from collections import Counter

import trio

from daemon.control import wire
from daemon.happenings import Happening, SessionChanged
from daemon.lifecycle import TERMINAL
from daemon.means import Means
from daemon.register import Register
from daemon.reloading import Configuration
from daemon.undelivered import Undelivered
from kernel.version import VERSION


class Status:
    """Counts what ends and what is not delivered from now on."""

    def __init__(self, means: Means, register: Register, configuration: Configuration) -> None:
        self._means = means
        self._register = register
        self._configuration = configuration
        self._began = trio.current_time()
        self._ended: Counter[wire.SessionState] = Counter()
        self._undelivered = Undelivered()
        means.happenings.observe(self._count)

    def shown(self, *, draining: bool) -> wire.StatusResult:
        """The daemon, its seats, and what is not as it should be."""
        counts = dict(self._ended)
        for _, session in self._register.live():
            state = session.record.state
            counts[state] = counts.get(state, 0) + 1
        behind, file = self._means.state.behind, self._configuration.path
        return wire.StatusResult(
            version=VERSION,
            pid=os.getpid(),
            uptime=trio.current_time() - self._began,
            draining=draining,
            configuration=None if file is None else str(file),
            configuration_error=self._configuration.error,
            state_directory=str(self._means.state_directory),
            seats=self._register.views(),
            sessions=counts,
            problems=(
                *((f"{behind} changes of the state wait for the disk",) if behind else ()),
                *self._undelivered.problems(),
            ),
        )

    def _count(self, happening: Happening) -> None:
        if isinstance(happening, SessionChanged) and happening.session.state in TERMINAL:
            self._ended[happening.session.state] += 1
        self._undelivered.count(happening)
