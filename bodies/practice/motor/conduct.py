"""Conduct: a call becomes a reply, and whatever is to go wrong with it goes wrong here."""

import os
import signal
import subprocess
from typing import Any, cast

import anyio
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bodies.practice.motor import tools
from bodies.practice.motor.chronicle import Called, Misbehaved
from bodies.practice.motor.host import Host
from bodies.practice.motor.misbehaviour import Misdeed
from bodies.practice.motor.motor import (
    Declined,
    Motor,
    leave_goes_wrong,
    line_broken,
    reconnected,
    with_event,
)
from bodies.practice.motor.neighbour import NAME
from bodies.practice.motor.wire import (
    ActionStatus,
    Answer,
    Failure,
    InventoryCheck,
    MotorStatus,
    NotRequested,
    Observation,
    Refuted,
    UncertainCode,
    Unknown,
    Verified,
)

_GRANDCHILD_SECONDS = "600"
_START_ERROR = "Could not start the bot: the server runs version 1.21.4, and 1.8 was asked for."
_FALSE_SUCCESS = '{"ok": false, "error": "The bot is not able to do that."}'


class Reply(Struct, frozen=True):
    """A tool's result as it travels: its text, the same structured, and whether it is an error."""

    text: str
    structured: dict[str, Any] | None = None
    is_error: bool = False


async def reply(host: Host, tool: str, arguments: tools.Arguments) -> Reply:
    """Waits only as long as it was asked to misbehave."""
    misdeeds = host.mischief.due(tool)
    host.catch_up()
    for misdeed in misdeeds:
        words = f"{misdeed.kind}:{misdeed.argument}".rstrip(":")
        host.chronicle.add(Misbehaved(host.motor.now, tool, words))
        early = await _before(host, misdeed)
        if early is not None:
            return early
    host.calls += 1
    if host.alternates and host.calls % 2:
        return _failed(Declined("not_connected", "not connected"))
    try:
        motor, answer = tools.perform(host.motor, tool, arguments)
    except Declined as declined:
        host.chronicle.add(Called(host.motor.now, tool, dict(arguments), declined.code))
        return _failed(declined)
    host.chronicle.add(Called(host.motor.now, tool, dict(arguments), "answered"))
    host.follow(motor)
    for misdeed in misdeeds:
        answer = distorted(answer, misdeed)
    result = _result(answer)
    for misdeed in misdeeds:
        result = await _after(misdeed, result)
    return result


def distorted(answer: Answer, misdeed: Misdeed) -> Answer:
    """The answer as this misdeed would have it; answers that it has no say in stay."""
    match misdeed.kind:
        case "other-action" if isinstance(answer, ActionStatus):
            return replace(answer, action_id=f"{answer.action_id}-other"[-256:])
        case "other-session" | "other-generation":
            return _from_elsewhere(answer, misdeed)
        case "unproven" if isinstance(answer, ActionStatus):
            return replace(answer, state="completed", evidence=Unknown("local_report_only"))
        case "contradict" if isinstance(answer, ActionStatus):
            return _contradicted(answer, misdeed.argument)
        case "contradict" if isinstance(answer, MotorStatus):
            return replace(answer, phase="disconnected", termination=NotRequested())
        case _:
            return answer


async def _before(host: Host, misdeed: Misdeed) -> Reply | None:
    """A reply ends the call here; what was asked is not done then."""
    match misdeed.kind:
        case "die-before":
            os._exit(1)
        case "hang":
            await anyio.sleep_forever()
        case "start-error":
            return Reply(misdeed.argument or _START_ERROR, is_error=True)
        case "false-success":
            return Reply(misdeed.argument or _FALSE_SUCCESS)
        case "stdout":
            os.write(host.wire, (misdeed.argument or "bot: spawned").encode() + b"\n")
        case "alternate":
            host.alternates = True
        case "linger":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            host.lingers = True
        case "grandchild":
            _leave_grandchild(host, own_session=misdeed.argument == "own")
        case _:
            host.follow(_troubled(host.motor, misdeed))
    return None


def _troubled(motor: Motor, misdeed: Misdeed) -> Motor:
    """What befalls the motor itself."""
    code = cast(UncertainCode, misdeed.argument)
    match misdeed.kind:
        case "stuck":
            return leave_goes_wrong(motor, code or "hung")
        case "break":
            return line_broken(motor, code or None)
        case "reconnect":
            return reconnected(motor)
        case "flood":
            for number in range(int(misdeed.argument or 1000)):
                motor = with_event(motor, "chat", {"player": NAME, "text": f"Again! ({number})"})
            return motor
        case _:
            return motor


async def _after(misdeed: Misdeed, result: Reply) -> Reply:
    match misdeed.kind:
        case "late":
            await anyio.sleep(float(misdeed.argument))
        case "die":
            # Nobody handles SIGALRM, so it ends the process.
            signal.setitimer(signal.ITIMER_REAL, max(0.001, float(misdeed.argument or 0.3)))
        case "garbage":
            return Reply(result.text[: len(result.text) // 2])
        case _:
            pass
    return result


def _from_elsewhere(answer: Answer, misdeed: Misdeed) -> Answer:
    if not isinstance(answer, ActionStatus | MotorStatus | Observation) or answer.session is None:
        return answer
    session = answer.session
    if misdeed.kind == "other-session":
        return replace(answer, session=replace(session, session_id="someone-elses"))
    generation = session.connection_generation + 1
    return replace(answer, session=replace(session, connection_generation=generation))


def _contradicted(status: ActionStatus, how: str) -> ActionStatus:
    agreeing = InventoryCheck("dirt", 1, 1)
    failing = InventoryCheck("dirt", 1, 0)
    long_ago = "2001-01-01T00:00:00.000Z"
    evidence = {
        "verified": Verified("server_packet", status.updated_at, (agreeing, failing)),
        "refuted": Refuted("server_packet", status.updated_at, (agreeing,)),
        "time": Verified("server_packet", long_ago, (agreeing,)),
        "empty": Verified("server_packet", status.updated_at, ()),
    }
    return replace(status, state="completed", evidence=evidence.get(how, status.evidence))


def _leave_grandchild(host: Host, *, own_session: bool) -> None:
    subprocess.Popen(
        ["sleep", _GRANDCHILD_SECONDS], stdout=host.wire, start_new_session=own_session
    )


def _result(answer: Answer) -> Reply:
    encoded = msgspec.json.encode(answer)
    return Reply(encoded.decode(), msgspec.json.decode(encoded))


def _failed(declined: Declined) -> Reply:
    encoded = msgspec.json.encode(Failure(declined.code, declined.message))
    return Reply(encoded.decode(), msgspec.json.decode(encoded), is_error=True)
