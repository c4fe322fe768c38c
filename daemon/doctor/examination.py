"""Examines a set-up: every check, side by side, told in one order."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial

import trio

from daemon.doctor.clock import check_clock
from daemon.doctor.configuration import check_permissions
from daemon.doctor.finding import Finding, Patient
from daemon.doctor.models import check_model
from daemon.doctor.service import check_metrics, check_socket
from daemon.doctor.storage import check_disk, check_state
from daemon.doctor.worlds import check_world

Check = Callable[[], Awaitable[list[Finding]]]


async def examine(patient: Patient) -> list[Finding]:
    """Everything but the configuration file itself; bounded by the slowest check, some seconds."""
    settings = patient.settings
    used = {model for seat in settings.seats.values() for model in (seat.model, seat.voice_model)}
    checks: list[Check] = [
        _at_once(lambda: check_permissions(patient)),
        _at_once(lambda: check_socket(patient)),
        _at_once(lambda: check_state(patient)),
        _at_once(lambda: check_disk(patient, time.time())),
        _at_once(lambda: check_clock(patient, time.time())),
        partial(check_metrics, patient),
        *(partial(check_model, patient, name) for name in settings.models if name in used),
        *(partial(check_world, patient, name) for name in settings.seats),
    ]
    found: list[list[Finding]] = [[] for _ in checks]

    async def run(number: int) -> None:
        found[number] = await checks[number]()

    async with trio.open_nursery() as nursery:
        for number in range(len(checks)):
            nursery.start_soon(run, number)
    return [finding for findings in found for finding in findings]


def _at_once(check: Callable[[], list[Finding]]) -> Check:
    async def run() -> list[Finding]:
        return await trio.to_thread.run_sync(check)

    return run
