"""Checks the daemon itself: whether it answers, what it says of itself, and its metrics port."""

from __future__ import annotations

import stat
from pathlib import Path
from shlex import quote

import httpx
import trio

from config.addresses import parse_bind
from daemon.doctor.finding import Finding, Patient, fail, ok, warn

_SECONDS = 5.0


def check_socket(patient: Patient) -> list[Finding]:
    """Whether a daemon answers, and who may connect."""
    found: list[Finding] = []
    for path in patient.sockets:
        try:
            mode = path.stat().st_mode
        except OSError:
            continue
        found += _judge_socket(path, mode)
    daemon = patient.daemon
    if daemon is None:
        tried = " or ".join(map(str, patient.sockets))
        remedy = (
            f"systemctl start playd, or: playd run --config {quote(str(patient.configuration))}"
        )
        return [*found, warn("socket", f"no daemon answers at {tried}", remedy)]
    found.append(ok("socket", f"playd {daemon.version} answers, pid {daemon.pid}"))
    if daemon.configuration_error is not None:
        found.append(
            fail(
                "socket",
                "the daemon refused the configuration at its last reload and runs with an older",
                "mend the file, then: playctl reload",
            )
        )
    for seat in daemon.seats:
        if seat.state in ("failed", "recovery_required", "stale"):
            remedy = seat.detail.rpartition("; ")[2] or f"playctl status {seat.seat}"
            found.append(warn("seats", f"{seat.seat} is {seat.state.replace('_', ' ')}", remedy))
    return found


async def check_metrics(patient: Patient) -> list[Finding]:
    """Whether the running daemon serves its metrics, or one could."""
    bind = patient.settings.metrics.bind
    host, port = parse_bind(bind)
    if patient.daemon is None or port == 0:
        return [await _try_to_listen(bind, host, port)]
    shown = f"[{host}]" if ":" in host else host
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=_SECONDS) as client:
            answer = await client.get(f"http://{shown}:{port}/healthz")
    except httpx.HTTPError as error:
        return [_not_served(bind, type(error).__name__)]
    if answer.status_code != 200 or answer.text != "ok\n":
        return [_not_served(bind, f"it answers {answer.status_code}")]
    return [ok("metrics", f"served at http://{bind}/metrics")]


def _judge_socket(path: Path, mode: int) -> list[Finding]:
    if not stat.S_ISSOCK(mode):
        return [fail("socket", f"{path} is no socket", f"move it away: {quote(str(path))}")]
    if mode & 0o007:
        return [
            warn(
                "socket",
                f"everybody may connect to {path}; grants alone protect it",
                f"chmod 660 {quote(str(path))}",
            )
        ]
    return []


async def _try_to_listen(bind: str, host: str, port: int) -> Finding:
    try:
        for listener in await trio.open_tcp_listeners(port, host=host):
            await listener.aclose()
    except OSError as error:
        return fail(
            "metrics",
            f"a daemon could not listen at {bind}: {error.strerror or error}",
            "set another address in [metrics] bind",
        )
    return ok("metrics", f"{bind} is free")


def _not_served(bind: str, why: str) -> Finding:
    return fail(
        "metrics",
        f"the daemon's metrics are not served at {bind}: {why}",
        "is the configuration newer than the daemon? systemctl restart playd",
    )
